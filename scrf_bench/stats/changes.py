"""Has a quantity become worse, become better, or stayed the same, up to a tolerance: one estimate, three p-values.

Each p-value is that of the truth being otherwise: `p_worse` of the change being within the tolerance or for the better,
`p_better` of it being within the tolerance or for the worse, `p_same` of it lying beyond the tolerance on either side
(two one-sided tests). All three at 1 say that nothing can be said.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, stats

from scrf_bench.stats.comparison import paired_differences
from scrf_bench.stats.ranks import rank_tail
from scrf_bench.stats.samples import as_sample, require_positive, require_share

_GRID = 200  # quantiles of each variance: the loss is right to three digits


@dataclass(frozen=True)
class Change:
    """The second state against the first.

    Attributes
    ----------
    estimate, low, high : float
        Difference of the means, or ratio of the times, with an interval of confidence ``1 - 2 alpha``.
    p_worse, p_better, p_same : float
        As the module says.
    method : str
    """

    estimate: float
    low: float
    high: float
    p_worse: float
    p_better: float
    p_same: float
    method: str


def time_change(
    before: Sequence[ArrayLike],
    after: Sequence[ArrayLike],
    *,
    tolerance: float,
    spread: float,
    freedom: float = 6.0,
    alpha: float = 0.05,
    yardstick: tuple[float, float] = (0.0, 0.0),
) -> Change:
    """Compare times (or ratios of times) of several processes each, by ranks and by process.

    Parameters
    ----------
    before, after : sequence of (n,) positive numbers
        The samples of one process each.
    tolerance : float
        0.10 means that up to 1.10 times (or down to 1 / 1.10) is the same.
    spread : float
        What is known of how processes of one code differ: the standard deviation of the logarithm of a process's
        median. It counts as much as that of `freedom` + 1 processes seen here.
    freedom : float, default=6
        Degrees of freedom that `spread` is worth; 0 for nothing.
    alpha : float
    yardstick : tuple of float, default=(0, 0)
        By how much the logarithm of what the times are divided by has itself changed, and the standard error of that:
        added to the logarithms after, and to the error.

    Returns
    -------
    Change
        ``estimate`` is the ratio after / before.

    Raises
    ------
    ValueError
        For empty samples or values not positive.

    Notes
    -----
    Samples of one process share its memory layout and its neighbours on the machine, so that a rank test alone takes
    two processes of one code for different, however many samples confirm it. Both have to agree: Mann and Whitney's
    test on all samples, shifted by the tolerance, and a t test on the processes' median logarithms, whose variance is
    that which is seen, moderated by what is known (Smyth 2004): few processes may agree, or be far off, by chance. The
    larger p-value counts.
    """
    require_positive("tolerance", tolerance)
    require_positive("spread", spread)
    require_share("alpha", alpha)
    olds = [_logs(sample, "a sample before") for sample in before]
    news = [_logs(sample, "a sample after") for sample in after]
    if not olds or not news:
        raise ValueError("A comparison of times needs a process on either side.")
    reach = math.log1p(tolerance)
    moved, uncertainty = yardstick
    news = [sample + moved for sample in news]
    shift, error, degrees = _between(olds, news, spread, freedom)
    error = math.hypot(error, uncertainty)
    x, y = np.concatenate(news), np.concatenate(olds)
    ranks = {
        "worse": rank_tail(x - reach, y, below=False),
        "better": rank_tail(x + reach, y, below=True),
        "below": rank_tail(x - reach, y, below=True),
        "above": rank_tail(x + reach, y, below=False),
    }
    distances = {"worse": shift - reach, "better": -shift - reach, "below": reach - shift, "above": reach + shift}
    p = {word: max(ranks[word], float(stats.t.sf(distances[word] / error, degrees))) for word in ranks}
    half = float(stats.t.isf(alpha, degrees)) * error
    return Change(
        estimate=math.exp(shift),
        low=math.exp(shift - half),
        high=math.exp(shift + half),
        p_worse=p["worse"],
        p_better=p["better"],
        p_same=max(p["below"], p["above"]),
        method="Mann-Whitney test on all samples, and moderated t test on the medians of processes",
    )


def _logs(sample: ArrayLike, name: str) -> NDArray[np.float64]:
    values = as_sample(sample, name=name)
    require_positive(f"the least of {name}", float(values.min()))
    return np.log(values)


def _between(
    olds: Sequence[NDArray[np.float64]], news: Sequence[NDArray[np.float64]], spread: float, freedom: float
) -> tuple[float, float, float]:
    """Return the mean shift of the processes' medians, its standard error, and the degrees of freedom of that."""
    a, b = (np.array([float(np.median(sample)) for sample in side]) for side in (olds, news))
    degrees = freedom + a.size + b.size - 2
    variance = (freedom * spread**2 + float(a.var() * a.size + b.var() * b.size)) / degrees
    return float(b.mean() - a.mean()), math.sqrt(variance * (1.0 / a.size + 1.0 / b.size)), degrees


def mean_change(
    before: ArrayLike,
    after: ArrayLike,
    *,
    tolerance: float,
    higher_is_better: bool,
    pairs: bool = False,
    resolution: float = 0.0,
    alpha: float = 0.05,
) -> Change:
    """Compare means over seeds: Welch's t test, or the paired one where seeds share a split.

    Parameters
    ----------
    before, after : (n,) and (m,) numbers
        One a seed; in the same order of seeds if `pairs`.
    tolerance : float
        In the samples' unit.
    higher_is_better : bool
    pairs : bool, default=False
    resolution : float, default=0
        The step in which values come (1/m for an accuracy on m points): no value's standard deviation is taken for
        less than what rounding to it gives, ``resolution / sqrt(12)``. Few seeds that happen to agree are then not
        taken for certain.
    alpha : float

    Returns
    -------
    Change
        ``estimate`` is mean(after) - mean(before). With fewer than two values a side, or no spread at all, every
        p-value is 1.
    """
    require_positive("tolerance", tolerance)
    require_share("alpha", alpha)
    a, b = as_sample(before, name="sample before"), as_sample(after, name="sample after")
    estimate = float(b.mean() - a.mean())
    method = "paired t test over seeds" if pairs else "Welch's t test over seeds"
    if min(a.size, b.size) < 2:
        return Change(estimate, -math.inf, math.inf, 1.0, 1.0, 1.0, method)
    error, freedom = _paired_error(b, a, resolution) if pairs else _welch_error(a, b, resolution)
    if error == 0.0:
        return Change(estimate, -math.inf, math.inf, 1.0, 1.0, 1.0, method)

    def tail(distance: float) -> float:
        return float(stats.t.sf(distance / error, freedom))

    half = float(stats.t.isf(alpha, freedom)) * error
    up, down = tail(estimate - tolerance), tail(-estimate - tolerance)
    return Change(
        estimate=estimate,
        low=estimate - half,
        high=estimate + half,
        p_worse=down if higher_is_better else up,
        p_better=up if higher_is_better else down,
        p_same=max(tail(tolerance - estimate), tail(tolerance + estimate)),
        method=method,
    )


def _paired_error(a: NDArray[np.float64], b: NDArray[np.float64], resolution: float) -> tuple[float, float]:
    d = paired_differences(a, b)
    variance = max(float(d.var(ddof=1)), resolution**2 / 6.0)
    return math.sqrt(variance / d.size), d.size - 1.0


def _welch_error(a: NDArray[np.float64], b: NDArray[np.float64], resolution: float) -> tuple[float, float]:
    """Return the standard error and degrees of freedom of Welch and Satterthwaite, rounding counted in."""
    va, vb = (max(float(s.var(ddof=1)), resolution**2 / 12.0) / s.size for s in (a, b))
    if va + vb == 0.0:
        return 0.0, 1.0
    share = va / (va + vb)
    return math.sqrt(va + vb), 1.0 / (share**2 / (a.size - 1) + (1.0 - share) ** 2 / (b.size - 1))


def detectable_loss(n: int, sd: float, tolerance: float, *, level: float, power: float = 0.95) -> float:
    """Return the smallest true loss that `mean_change` calls worse with probability `power`, ``n`` seeds a side.

    Parameters
    ----------
    n : int
        At least 2.
    sd : float
        True standard deviation over seeds, the same on both sides.
    tolerance : float
    level : float
        Of the one-sided test; where several rows share a comparison's, each one's share.
    power : float

    Notes
    -----
    For normal values. Given the two estimated variances, Welch's test rejects where the estimate passes a known point,
    with a normal probability; the variances are chi-squared, independent of the means and of each other, and are
    summed over a grid of their quantiles.
    """
    if n < 2:
        raise ValueError(f"n={n} is too few for a variance; give at least 2.")
    require_positive("sd", sd)
    require_share("level", level)
    require_share("power", power)
    shares = (np.arange(_GRID) + 0.5) / _GRID
    variances = stats.chi2.ppf(shares, n - 1) / (n - 1)
    va, vb = variances[:, None], variances[None, :]
    share = va / (va + vb)
    freedom = (n - 1) / (share**2 + (1.0 - share) ** 2)
    # In units of the true standard error of the difference.
    passed = stats.t.isf(level, freedom) * np.sqrt((va + vb) / 2.0)

    def lacking(shift: float) -> float:
        return float(stats.norm.cdf(shift - passed).mean()) - power

    return tolerance + sd * math.sqrt(2.0 / n) * float(optimize.brentq(lacking, 0.0, float(passed.max()) + 10.0))
