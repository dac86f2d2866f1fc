"""Findings about times: exponents of fits, samples taken in turns, and runs of two methods."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from scrf_bench.stats.comparison import welch_error
from scrf_bench.stats.finding import Finding
from scrf_bench.stats.findings import t_finding
from scrf_bench.stats.fits import fit_power_law
from scrf_bench.stats.ranks import rank_interval, rank_tail
from scrf_bench.stats.region import Region
from scrf_bench.stats.samples import as_sample, require_positive


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
    that of the line's residuals: see `fit_power_law` for what it does not know. More repetitions of the same points
    would not change how well a line fits them: how many would decide is not said.
    """
    fit = fit_power_law(x, y, confidence=1.0 - 2.0 * alpha)
    error = fit.standard_error or 0.0
    method = "t test of the exponent of a log-log fit"
    runs = fit.n if runs is None else runs
    found = t_finding(fit.exponent, error, fit.n, fit.n - 2.0, region, alpha)
    return replace(found, label=label, method=method, unit="exponent", of="points of a fit", runs=runs, spread=0.0)


def two_sample_finding(
    a: ArrayLike,
    b: ArrayLike,
    region: Region,
    *,
    alpha: float = 0.05,
    runs: int | None = None,
    label: str = "",
    of: str = "repetitions",
) -> Finding:
    """Hold the ratio of two independent samples of positive times, of any sizes, against a region of ratios.

    Welch's t test on logarithms: the ratio is that of the geometric means. `runs` are by default those of the side
    with fewer values; one value on either side tells nothing of its spread, and decides nothing.
    """
    x, y = np.log(_positive(a, "first sample")), np.log(_positive(b, "second sample"))
    fewer = min(x.size, y.size)
    error, freedom, spread = 0.0, 0.0, 0.0
    if fewer > 1:
        error, freedom = welch_error(x, y)
        spread = float(np.sqrt(x.var(ddof=1) + y.var(ddof=1)))
    found = t_finding(float(x.mean() - y.mean()), error, x.size, freedom, region, alpha)
    return replace(
        found,
        label=label,
        method="Welch's t test of log ratios",
        of=of,
        against=y.size,
        runs=fewer if runs is None else min(runs, fewer),
        spread=spread,
    )


def rank_finding(
    a: ArrayLike,
    b: ArrayLike,
    region: Region,
    *,
    alpha: float = 0.05,
    label: str = "",
    process: str = "",
    process_sd: float = 0.0,
    tie: bool = False,
) -> Finding:
    """Hold the ratio of two samples of positive times against a region of ratios: by ranks, and between processes.

    Parameters
    ----------
    process : str
        Names the process, if it gives several findings: all its samples are one run.
    process_sd : float
        Standard deviation of the log ratio from one process to another, known beforehand.

    Notes
    -----
    Mann-Whitney on logarithms, one sample shifted to each end of the region; exact, ties count against what is to be
    shown; to fail between two ends, twice the smaller p-value counts. The estimate is the median of all ratios
    ``a_i / b_j`` (Hodges and Lehmann 1963), the interval the matching order statistics. But the samples of one process
    share its memory layout and its neighbours, and another process would have other ones: with `process_sd` the larger
    of the ranks' p-value and that of a normal estimate with both variances counts, and the interval is as much wider.
    More samples of the same process would not change that: how many would decide is not said.
    """
    x, y = np.log(_positive(a, "first sample")), np.log(_positive(b, "second sample"))
    low, estimate, high = rank_interval(x, y, alpha)
    pairs = min(x.size, y.size)
    error, spread = process_sd, 0.0
    if pairs > 1:
        error = math.hypot(process_sd, welch_error(x, y)[0])
        spread = float(np.sqrt(x.var(ddof=1) + y.var(ddof=1))) if process_sd == 0.0 else 0.0

    def tail(end: float, *, below: bool) -> float:
        """Return the p-value of the ratio lying on the other side of an end."""
        ranks = rank_tail(x - end, y, below=below)
        if process_sd == 0.0:
            return ranks
        return max(ranks, float(stats.norm.sf((end - estimate if below else estimate - end) / error)))

    bottom, top = region.ends
    outside = [tail(end, below=below) for end, below in ((top, True), (bottom, False)) if np.isfinite(end)]
    inside = [tail(end, below=below) for end, below in ((top, False), (bottom, True)) if np.isfinite(end)]
    reach = float(stats.norm.ppf(1.0 - alpha)) * process_sd
    low, high = estimate - math.hypot(estimate - low, reach), estimate + math.hypot(high - estimate, reach)
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
        method="Mann-Whitney test of ratios of times"
        + (f", and the spread between processes ({100.0 * process_sd:g} %)" if process_sd else ""),
        spread=spread,
        process=process,
        of="samples",
        against=None if x.size == y.size else y.size,
        efficiency=3.0 / math.pi,  # Pitman's, for normal logarithms
        tie=tie,
    )


def _positive(values: ArrayLike | Sequence[float], name: str) -> NDArray[np.float64]:
    sample = as_sample(values, name=name)
    require_positive(f"the least of the {name}", float(sample.min()))
    return sample
