"""One quantity held against what a claim allows: an estimate, its interval, and two p-values.

`p_holds` is that of the truth lying outside the region that the claim allows, `p_fails` that of it lying inside.

To hold, every finite end must be kept at level alpha: the interval of confidence ``1 - 2 alpha`` lies inside (two
one-sided tests where there are two ends, Schuirmann 1987). To fail, an end must be passed by t standard errors with
``P(T >= t) + P(T >= t + width) <= alpha``, the region's width in standard errors (Hodges and Lehmann 1954): where two
ends are close together, an interval of confidence ``1 - 2 alpha`` lies beyond one or the other too often, up to
``2 alpha``; where they are far apart the second term is nothing. So each error has probability at most alpha whatever
the margin.

Few values that are skewed keep neither level: there the t test is corrected for a skewness fixed beforehand
(`scrf_bench.stats.skewness`).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrf_bench.stats.finding import Finding
from scrf_bench.stats.region import Region
from scrf_bench.stats.samples import as_sample
from scrf_bench.stats.skewness import skewed_distance, skewed_tail

SKEWNESS_OVER_SPREAD = 5.0
"""What `ratio_of_means_finding` takes the skewness of a sample for, in units of its coefficient of variation."""


def mean_finding(
    values: ArrayLike,
    region: Region,
    *,
    alpha: float = 0.05,
    resolution: float = 0.0,
    skewness: float = 0.0,
    label: str = "",
    method: str = "t test over repetitions",
    unit: str = "",
    of: str = "repetitions",
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
    skewness : float, default=0
        The largest that one value may have, to either side.
    unit, of : str
        Of the mean, and of what there are n.

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
    found = t_finding(mean, spread / math.sqrt(n), n, n - 1.0, region, alpha, (skewness, skewness))
    return replace(found, label=label, method=method, unit=unit, of=of)


def ratio_of_means_finding(
    a: ArrayLike,
    b: ArrayLike,
    region: Region,
    *,
    alpha: float = 0.05,
    label: str = "",
    of: str = "repetitions",
) -> Finding:
    """Hold the ratio ``mean(a) / mean(b)`` of paired positive measurements against a region of ratios.

    Parameters
    ----------
    a, b : (n,) or (n, k) positive numbers
        A row a repetition; with k columns (a grid of D), the geometric mean of the k ratios of means.
    region : Region
        With ``log``.
    of : str
        What the rows are.

    Notes
    -----
    The delta method: ``log(mean a / mean b)`` has the standard error of the mean of ``a_i / mean a - b_i / mean b``,
    which keeps the pairs together. The ratio of means is what tables print; the mean of log ratios would be another
    quantity where one of the two varies more.

    Squared errors are skewed to the right, so that a few of them make a mean too low with a spread too small. The
    upper end is corrected for the skewness of a, the lower one for that of b, each taken for `SKEWNESS_OVER_SPREAD`
    coefficients of variation of a row. The variance experiment's shapes, means over its s, have from 2.4 (many
    frequencies) to 4.3 (constant v, one frequency) of them, chi-squared has 2. Simulated at the edge of "below"
    (``tests/stats``), these keep the level of 5 % in 10 batches of 10 draws and in 20 batches of 3 to 50 (constant v:
    of 10 and more, with 6 % in 20 of 3). The square of ``z^2 - 1`` (one frequency and one s near 0; a coefficient of
    3.7) needs 20 batches of 15 draws: it has 6 % in 10 of 10, and 9 % in 20 of 3. The far smaller levels that Holm's
    correction leaves a part among a hundred are kept as well. The price is power: as much as that
    of the uncorrected test takes 1.6 times the draws at 10 batches of 10, and 1.3 times at 20 of 30.
    """
    first, second = _rows(a), _rows(b)
    if first.shape != second.shape:
        raise ValueError(f"Pairs need samples of one shape, got {first.shape} and {second.shape}.")
    relative_a, relative_b = first / first.mean(axis=0), second / second.mean(axis=0)
    estimate, n = float(np.log(first.mean(axis=0) / second.mean(axis=0)).mean()), len(first)
    if n > 1:
        spread, spread_a, spread_b = (
            float(rows.mean(axis=1).std(ddof=1)) for rows in (relative_a - relative_b, relative_a, relative_b)
        )
        skews = _skewness(spread_b, spread), _skewness(spread_a, spread)
    else:
        spread, skews = 0.0, (0.0, 0.0)
    method = "t test of the ratio of means, paired by repetition, corrected for skewness"
    found = t_finding(estimate, spread / math.sqrt(n), n, n - 1.0, region, alpha, skews)
    return replace(found, label=label, method=method, of=of)


def _skewness(own: float, both: float) -> float:
    """Return the skewness of a difference that one side's brings in, both independent: a share of its third moment.

    Where pairs go together the difference spreads less than one side: then no more than that side's own.
    """
    return SKEWNESS_OVER_SPREAD * own * min(1.0, (own / both) ** 3) if both > 0.0 else 0.0


def count_finding(
    value: float, region: Region, *, n: int = 1, label: str = "", unit: str = "", tie: bool = False
) -> Finding:
    """Hold a number that is counted, and has no randomness, against a region; its ends belong to it."""
    slack = 1e-9 * max(1.0, abs(value))
    holds = region.low - slack <= value <= region.high + slack
    return Finding(
        label=label,
        estimate=value,
        low=value,
        high=value,
        confidence=1.0,
        region=region,
        p_holds=0.0 if holds else 1.0,
        p_fails=1.0 if holds else 0.0,
        n=n,
        runs=None,
        method="counted",
        unit=unit,
        of="counted",
        tie=tie,
    )


def t_finding(
    estimate: float,
    error: float,
    n: int,
    freedom: float,
    region: Region,
    alpha: float,
    skewness: tuple[float, float] = (0.0, 0.0),
) -> Finding:
    """Test with the skewness of one repetition that harms the lower end of the interval, and the upper one."""
    if not 0.0 < alpha < 0.5:
        raise ValueError(f"alpha={alpha!r} leaves no interval of confidence 1 - 2 alpha; give less than 0.5.")
    bottom, top = region.ends
    p_holds = p_fails = 1.0
    low, high = -math.inf, math.inf
    if error > 0.0 and freedom >= 1.0:
        lower, upper = (value / math.sqrt(n) for value in skewness)
        low = estimate - skewed_distance(alpha, freedom, lower) * error
        high = estimate + skewed_distance(alpha, freedom, upper) * error
        # To lie below an end is shown by the interval's upper end, to lie above it by its lower one.
        inward = ((top - estimate, upper, lower), (estimate - bottom, lower, upper))
        ends = [end for end in inward if math.isfinite(end[0])]
        p_holds = max(skewed_tail(distance / error, freedom, skew) for distance, skew, _ in ends)
        distance, _, skew = min(ends, key=lambda end: end[0])
        beyond = -distance
        width = (top - bottom) / error
        p_fails = min(
            1.0, skewed_tail(beyond / error, freedom, skew) + skewed_tail(beyond / error + width, freedom, skew)
        )
    return Finding(
        label="",
        estimate=region.natural(estimate),
        low=region.natural(low),
        high=region.natural(high),
        confidence=1.0 - 2.0 * alpha,
        region=region,
        p_holds=p_holds,
        p_fails=p_fails,
        n=n,
        runs=n,
        method="t test",
        spread=error * math.sqrt(n),
        skewness=max(skewness),
    )


def _rows(values: ArrayLike) -> NDArray[np.float64]:
    rows = np.asarray(values, dtype=np.float64)
    rows = rows[:, None] if rows.ndim == 1 else rows
    if rows.ndim != 2 or not rows.size or not (np.isfinite(rows) & (rows > 0.0)).all():
        raise ValueError("A ratio of means needs positive finite numbers, a row a repetition.")
    return rows
