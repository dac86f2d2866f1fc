"""One quantity held against what a claim allows: an estimate, its interval, and two p-values.

`p_holds` is that of the truth lying outside the region that the claim allows, `p_fails` that of it lying inside.

To hold, every finite end must be kept at level alpha: the interval of confidence ``1 - 2 alpha`` lies inside (two
one-sided tests where there are two ends, Schuirmann 1987). To fail, an end must be passed by t standard errors with
``P(T >= t) + P(T >= t + width) <= alpha``, the region's width in standard errors (Hodges and Lehmann 1954): where two
ends are close together, an interval of confidence ``1 - 2 alpha`` lies beyond one or the other too often, up to
``2 alpha``; where they are far apart the second term is nothing. So each error has probability at most alpha whatever
the margin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from scrf_bench.stats.fits import fit_power_law
from scrf_bench.stats.power import TooManyNeededError, decision_sample_size
from scrf_bench.stats.ranks import rank_interval, rank_tail
from scrf_bench.stats.region import Region
from scrf_bench.stats.samples import as_sample, require_positive


@dataclass(frozen=True)
class Finding:
    """What one comparison found.

    Attributes
    ----------
    label : str
        What it is about, e.g. ``dna`` or ``d = 1024``; empty where a claim has one part only.
    estimate, low, high : float
        The effect and its interval, in its own unit.
    confidence : float
        Of the interval: ``1 - 2 alpha``.
    region : Region
    p_holds, p_fails : float
        As the module says; both 1 where nothing can be said.
    n : int
        Repetitions (or pairs, samples, points of a fit).
    runs : int or None
        Distinct seeds or processes behind them; None for what is counted and has no randomness.
    method : str
    spread : float
        Standard deviation of one repetition on the scale of the test; 0 where it is not known.
    process : str
        The one process behind it, by whatever name, where other findings may come from the same one: however many
        findings a process gives, it is one run.
    """

    label: str
    estimate: float
    low: float
    high: float
    confidence: float
    region: Region
    p_holds: float
    p_fails: float
    n: int
    runs: int | None
    method: str
    spread: float = 0.0
    process: str = ""

    def in_margins(self, value: float) -> float:
        """Return a value's distance from the claimed one in margins: -1 and 1 are the ends of what is allowed."""
        return (self.region.scaled(value) - self.region.scaled(self.region.null)) / self.region.margin

    def needed(self, alpha: float, power: float | None, alpha_fails: float | None = None) -> int | None:
        """Return how many repetitions, fixed in advance, would decide, if that is known: `decision_sample_size`."""
        if power is None or self.spread <= 0.0 or self.region.margin <= 0.0:
            return None
        try:
            return decision_sample_size(
                self.region.margin,
                self.spread,
                power=power,
                sides=self.region.sides,
                alpha=alpha,
                alpha_fails=alpha_fails,
            )
        except TooManyNeededError:
            return None


def mean_finding(
    values: ArrayLike,
    region: Region,
    *,
    alpha: float = 0.05,
    resolution: float = 0.0,
    label: str = "",
    method: str = "t test over repetitions",
) -> Finding:
    """Hold the mean of one value a repetition (a paired difference, a log ratio, an exponent) against a region.

    Parameters
    ----------
    values : (n,) numbers
        On the scale of the test: logarithms where ``region.log``.
    region : Region
    resolution : float, default=0
        The step in which values are measured, both of a difference's: an accuracy on m points comes in steps of 1/m.
        The spread is never taken for less than what rounding alone would give, ``resolution / sqrt(6)``.

    Notes
    -----
    Fewer than two values, or values all equal without a known resolution, tell nothing of their spread: nothing is
    decided. The t test is exact for normal values; ``tests/stats`` holds its errors for skewed ones.
    """
    sample = as_sample(values)
    mean, n = float(sample.mean()), sample.size
    spread = float(sample.std(ddof=1)) if n > 1 else 0.0
    spread = max(spread, resolution / math.sqrt(6.0)) if n > 1 else 0.0
    if spread <= 1e-12 * abs(mean):
        spread = 0.0
    error = spread / math.sqrt(n)
    return _t_finding(mean, error, n - 1.0, region, alpha, n=n, runs=n, label=label, method=method)


def ratio_of_means_finding(
    a: ArrayLike,
    b: ArrayLike,
    region: Region,
    *,
    alpha: float = 0.05,
    label: str = "",
) -> Finding:
    """Hold the ratio ``mean(a) / mean(b)`` of paired positive measurements against a region of ratios.

    Parameters
    ----------
    a, b : (n,) or (n, k) positive numbers
        A row a repetition; with k columns (a grid of D), the geometric mean of the k ratios of means.
    region : Region
        With ``log``.

    Notes
    -----
    The delta method: ``log(mean a / mean b)`` has the standard error of the mean of ``a_i / mean a - b_i / mean b``,
    which keeps the pairs together. The ratio of means is what tables print; the mean of log ratios would be another
    quantity where one of the two varies more.
    """
    first, second = _rows(a), _rows(b)
    if first.shape != second.shape:
        raise ValueError(f"Pairs need samples of one shape, got {first.shape} and {second.shape}.")
    means_a, means_b = first.mean(axis=0), second.mean(axis=0)
    estimate, n = float(np.log(means_a / means_b).mean()), len(first)
    influence = (first / means_a - second / means_b).mean(axis=1)
    error = float(influence.std(ddof=1) / math.sqrt(n)) if n > 1 else 0.0
    method = "t test of the ratio of means, paired by repetition"
    return _t_finding(estimate, error, n - 1.0, region, alpha, n=n, runs=n, label=label, method=method)


def exponent_finding(
    x: ArrayLike,
    y: ArrayLike,
    region: Region,
    *,
    alpha: float = 0.05,
    label: str = "",
    runs: int | None = None,
) -> Finding:
    """Hold the exponent p of ``y = c x^p`` against a region.

    `runs` is the number of processes that the points come from; by default each has one of its own. The interval is
    that of the line's residuals: see `fit_power_law` for what it does not know.
    """
    fit = fit_power_law(x, y, confidence=1.0 - 2.0 * alpha)
    error = fit.standard_error or 0.0
    method = "t test of the exponent of a log-log fit"
    runs = fit.n if runs is None else runs
    return _t_finding(fit.exponent, error, fit.n - 2.0, region, alpha, n=fit.n, runs=runs, label=label, method=method)


def rank_finding(
    a: ArrayLike,
    b: ArrayLike,
    region: Region,
    *,
    alpha: float = 0.05,
    label: str = "",
    process: str = "",
) -> Finding:
    """Hold the ratio of two samples of positive times against a region of ratios, by ranks alone.

    Notes
    -----
    Mann-Whitney on logarithms, one sample shifted to each end of the region; exact, ties count against what is to be
    shown; to fail between two ends, twice the smaller p-value counts. The estimate is the median of all ratios
    ``a_i / b_j`` (Hodges and Lehmann 1963), the interval the matching order statistics. The samples of one process
    share its memory layout and its neighbours, so `runs` is 1; `process` names it if it gives several findings.
    `Finding.needed` gives the t test's number; the rank
    test wants a twentieth more.
    """
    x, y = np.log(_positive(a, "first sample")), np.log(_positive(b, "second sample"))
    low, estimate, high = rank_interval(x, y, alpha)
    bottom, top = region.ends
    outside = [rank_tail(x - end, y, below=below) for end, below in ((top, True), (bottom, False)) if np.isfinite(end)]
    inside = [rank_tail(x - end, y, below=below) for end, below in ((top, False), (bottom, True)) if np.isfinite(end)]
    pairs = min(x.size, y.size)
    spread = float(np.sqrt(x.var(ddof=1) + y.var(ddof=1))) if pairs > 1 else 0.0
    return Finding(
        label=label,
        estimate=region.natural(estimate),
        low=region.natural(low),
        high=region.natural(high),
        confidence=1.0 - 2.0 * alpha,
        region=region,
        p_holds=max(outside),
        p_fails=min(1.0, len(inside) * min(inside)),
        n=pairs,
        runs=1,
        method="Mann-Whitney test of ratios of times",
        spread=spread,
        process=process,
    )


def count_finding(value: float, region: Region, *, n: int = 1, label: str = "") -> Finding:
    """Hold a number that is counted, and has no randomness, against a region; its ends belong to it."""
    slack = 1e-9 * max(1.0, abs(value))
    holds = region.low - slack <= value <= region.high + slack
    return Finding(
        label, value, value, value, 1.0, region, 0.0 if holds else 1.0, 1.0 if holds else 0.0, n, None, "counted"
    )


def _t_finding(
    estimate: float,
    error: float,
    freedom: float,
    region: Region,
    alpha: float,
    *,
    n: int,
    runs: int,
    label: str,
    method: str,
) -> Finding:
    if not 0.0 < alpha < 0.5:
        raise ValueError(f"alpha={alpha!r} leaves no interval of confidence 1 - 2 alpha; give less than 0.5.")
    bottom, top = region.ends
    p_holds = p_fails = 1.0
    low, high = -math.inf, math.inf
    if error > 0.0 and freedom >= 1.0:
        reach = float(stats.t.ppf(1.0 - alpha, freedom)) * error
        low, high = estimate - reach, estimate + reach
        distances = [end for end in (top - estimate, estimate - bottom) if math.isfinite(end)]
        p_holds = max(float(stats.t.sf(distance / error, freedom)) for distance in distances)
        beyond = -min(distances) / error
        width = (top - bottom) / error
        p_fails = min(1.0, float(stats.t.sf(beyond, freedom) + stats.t.sf(beyond + width, freedom)))
    return Finding(
        label=label,
        estimate=region.natural(estimate),
        low=region.natural(low),
        high=region.natural(high),
        confidence=1.0 - 2.0 * alpha,
        region=region,
        p_holds=p_holds,
        p_fails=p_fails,
        n=n,
        runs=runs,
        method=method,
        spread=error * math.sqrt(n),
    )


def _rows(values: ArrayLike) -> NDArray[np.float64]:
    rows = np.asarray(values, dtype=np.float64)
    rows = rows[:, None] if rows.ndim == 1 else rows
    if rows.ndim != 2 or not rows.size or not (np.isfinite(rows) & (rows > 0.0)).all():
        raise ValueError("A ratio of means needs positive finite numbers, a row a repetition.")
    return rows


def _positive(values: ArrayLike | Sequence[float], name: str) -> NDArray[np.float64]:
    sample = as_sample(values, name=name)
    require_positive(f"the least of the {name}", float(sample.min()))
    return sample
