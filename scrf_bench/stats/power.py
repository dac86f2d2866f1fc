"""How many samples a test needs, and what a number of samples can show: fixed before looking."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy import integrate, optimize, stats

from scrf_bench.stats.samples import require_positive, require_share
from scrf_bench.stats.skewness import lengthened, skewed_distance

_MOST = 10_000_000


class TooManyNeededError(ValueError):
    """No number of repetitions that anybody could run would do."""


def welch_power(n: int, difference: float, sd_a: float, sd_b: float, alpha: float = 0.05) -> float:
    """Return the probability that Welch's two-sided test on ``n`` values each rejects.

    Parameters
    ----------
    n : int
        Size of each of the two samples, at least 2.
    difference : float
        True difference of the means.
    sd_a, sd_b : float
        True standard deviations.
    alpha : float

    Notes
    -----
    Noncentral t with the Welch-Satterthwaite degrees of freedom; exact for normal samples of equal variance.
    """
    error, freedom = _welch(n, sd_a, sd_b)
    require_share("alpha", alpha)
    critical = float(stats.t.ppf(1.0 - alpha / 2.0, freedom))
    shift = abs(difference) / error
    far = float(stats.nct.sf(critical, freedom, shift))
    wrong_side = float(stats.nct.sf(critical, freedom, -shift))
    # scipy's noncentral t can answer nan in its far tails, where the probability is 0 or 1.
    return min(1.0, (1.0 if np.isnan(far) else far) + (0.0 if np.isnan(wrong_side) else wrong_side))


def tost_power(n: int, margin: float, sd_a: float, sd_b: float, difference: float = 0.0, alpha: float = 0.05) -> float:
    """Return the probability that `mean_equivalence` on ``n`` values each says ``equivalent``.

    Parameters
    ----------
    n : int
        Size of each of the two samples, at least 2.
    margin : float
    sd_a, sd_b : float
        True standard deviations.
    difference : float, default=0
        True difference of the means.
    alpha : float

    Notes
    -----
    Integrates over the estimated standard error, which is chi-distributed (with the Welch-Satterthwaite
    degrees of freedom) and independent of the means: given it, both tests reject if the estimate falls into
    an interval.
    """
    require_positive("margin", margin)
    require_share("alpha", alpha)
    error, freedom = _welch(n, sd_a, sd_b)
    return _both_sides_reject(margin, difference, float(stats.t.isf(alpha, freedom)), error, freedom)


def _both_sides_reject(margin: float, difference: float, critical: float, error: float, freedom: float) -> float:
    up, down = (margin - difference) / error, (-margin - difference) / error
    widest = margin / error / critical  # relative standard error beyond which nothing is equivalent
    scale = float(np.sqrt(freedom))

    def both_reject(q: float) -> float:
        inside = stats.norm.cdf(up - critical * q) - stats.norm.cdf(down + critical * q)
        return float(max(inside, 0.0) * stats.chi.pdf(q * scale, freedom) * scale)

    spread = 8.0 / np.sqrt(2.0 * freedom)  # the integrand lives within some 1 / sqrt(2 df) of 1
    low, high = max(0.0, 1.0 - spread), min(widest, 1.0 + spread)
    if high <= low:
        return 0.0
    return min(1.0, float(integrate.quad(both_reject, low, high, limit=200)[0]))


def welch_sample_size(difference: float, sd_a: float, sd_b: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return the smallest size of each sample for which `welch_power` reaches ``power``.

    Raises
    ------
    ValueError
        If ``difference`` is 0 (no size shows it) or more than ten million values were needed.
    """
    require_positive("abs(difference)", abs(difference))
    require_share("power", power)
    return _smallest(lambda n: welch_power(n, difference, sd_a, sd_b, alpha) >= power)


def tost_sample_size(
    margin: float, sd_a: float, sd_b: float, difference: float = 0.0, power: float = 0.8, alpha: float = 0.05
) -> int:
    """Return the smallest size of each sample for which `tost_power` reaches ``power``.

    Raises
    ------
    ValueError
        If the true difference is not inside the margin (no size shows equivalence), or more than ten million
        values were needed.
    """
    require_share("power", power)
    if abs(difference) >= margin:
        raise ValueError(f"A true difference of {difference!r} is not inside the margin {margin!r}.")
    return _smallest(lambda n: tost_power(n, margin, sd_a, sd_b, difference, alpha) >= power)


def decision_power(
    n: int,
    margin: float,
    sd: float,
    *,
    sides: int = 2,
    alpha: float = 0.05,
    alpha_fails: float | None = None,
    skewness: float = 0.0,
) -> float:
    """Return the probability that the mean of ``n`` repetitions decides a claim, whichever way the truth lies.

    The smaller of two: that the claim is found to hold where the truth is what it claims, and that it is found to
    fail where the truth lies one more margin beyond the margin.

    Parameters
    ----------
    n : int
        Repetitions, at least 2.
    margin : float
        From the claimed value to each end of what the claim allows.
    sd : float
        True standard deviation of one repetition.
    sides : {1, 2}
        1 for "at most" or "at least", 2 for "equal up to the margin".
    alpha, alpha_fails : float
        Levels of the tests of `scrf_bench.stats.findings`; `alpha_fails` is `alpha` unless corrected.
    skewness : float, default=0
        Of one repetition, as large as the tests allow for: they ask for more on every side.
    """
    if n < 2:
        raise ValueError(f"n={n} is too few for a variance; give at least 2.")
    require_positive("margin", margin)
    require_positive("sd", sd)
    require_share("alpha", alpha)
    if sides not in (1, 2):
        raise ValueError(f"sides={sides!r} is neither 1 nor 2.")
    error, freedom = sd / float(np.sqrt(n)), n - 1.0

    def one_side(critical: float) -> float:
        found = float(stats.nct.sf(critical, freedom, margin / error))
        # scipy's noncentral t can answer nan in its far tails, where the probability is 1.
        return 1.0 if np.isnan(found) else found

    level, skew = alpha if alpha_fails is None else alpha_fails, skewness / float(np.sqrt(n))
    if sides == 1:
        return min(one_side(skewed_distance(level_of, freedom, skew)) for level_of in (alpha, level))
    holds = _both_sides_reject(margin, 0.0, skewed_distance(alpha, freedom, skew), error, freedom)
    return min(holds, one_side(lengthened(_critical_beyond(2.0 * margin / error, freedom, level), skew)))


def _critical_beyond(width: float, freedom: float, level: float) -> float:
    """Return how far, in standard errors, an end must be passed for a claim to fail: see `findings`."""
    low, high = (float(stats.t.isf(share, freedom)) for share in (level, level / 2.0))

    def excess(t: float) -> float:
        return float(stats.t.sf(t, freedom) + stats.t.sf(t + width, freedom)) - level

    # At either end of what is possible (ends far apart, ends together) rounding may take the root out of the bracket.
    if excess(low) <= 0.0:
        return low
    return high if excess(high) >= 0.0 else float(optimize.brentq(excess, low, high))


def decision_sample_size(
    margin: float,
    sd: float,
    *,
    power: float = 0.8,
    sides: int = 2,
    alpha: float = 0.05,
    alpha_fails: float | None = None,
    skewness: float = 0.0,
) -> int:
    """Return the smallest number of repetitions for which `decision_power` reaches ``power``.

    It depends on the spread and the margin alone, not on the effect that was seen: planning for the observed effect
    would promise whatever luck showed.

    Raises
    ------
    TooManyNeededError
        If that were more than ten million.
    """
    require_share("power", power)
    return _smallest(
        lambda n: (
            decision_power(n, margin, sd, sides=sides, alpha=alpha, alpha_fails=alpha_fails, skewness=skewness) >= power
        )
    )


def decision_power_table(
    relative_sds: Sequence[float], sizes: Sequence[int], *, sides: int = 2, alpha: float = 0.05
) -> list[dict[str, float]]:
    """Return `decision_power` for standard deviations in units of the margin and numbers of repetitions.

    Returns
    -------
    list of dict
        Keys ``sd_over_margin``, ``n`` and ``power``, in the order given, the sizes running fastest.
    """
    return [
        {"sd_over_margin": sd, "n": n, "power": decision_power(n, 1.0, sd, sides=sides, alpha=alpha)}
        for sd in relative_sds
        for n in sizes
    ]


def _welch(n: int, sd_a: float, sd_b: float) -> tuple[float, float]:
    """Return the standard error of the difference and the degrees of freedom at equal sizes."""
    if n < 2:
        raise ValueError(f"n={n} is too few for a variance; give at least 2.")
    require_positive("sd_a", sd_a)
    require_positive("sd_b", sd_b)
    va, vb = sd_a**2 / n, sd_b**2 / n
    return float(np.sqrt(va + vb)), (va + vb) ** 2 * (n - 1) / (va**2 + vb**2)


def _smallest(enough: Callable[[int], bool]) -> int:
    high = 2
    while not enough(high):
        high *= 2
        if high > _MOST:
            raise TooManyNeededError("More than ten million values would be needed; the effect is too small to show.")
    low = high // 2  # power grows with n: bisect between a size that fails and one that does
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
