"""Is there no difference worth speaking of: two one-sided tests against a margin fixed beforehand.

The verdicts, at level alpha, from the interval of confidence ``1 - 2 alpha``:

``equivalent``
    The interval lies inside the margins: both one-sided tests reject. If the truth is at a margin or beyond
    it, this happens with probability at most alpha (Schuirmann 1987).
``different``
    The interval lies wholly beyond one margin: the difference is not merely there, it is larger than the
    margin. If the truth is within the margins, this happens with probability at most alpha, or little more, where
    the margins are wide against the standard error; up to 2 alpha where they are narrow. Verdicts on claims
    (`scrf_bench.stats.findings`) keep alpha in every case.
``undecided``
    Anything else, also a difference that is surely not 0 but may be within the margins. More data may decide
    it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from scrf_bench.stats.comparison import paired_differences, welch_error
from scrf_bench.stats.samples import as_outcomes, as_sample, require_positive, require_share

Verdict = Literal["equivalent", "different", "undecided"]


@dataclass(frozen=True)
class Equivalence:
    """The outcome of two one-sided tests.

    Attributes
    ----------
    estimate, low, high : float
        The difference (or ratio) and its interval of confidence ``1 - 2 alpha``.
    lower_margin, upper_margin : float
        What it was held against, on the same scale.
    alpha : float
        Level of each one-sided test.
    p_equivalence : float
        The larger of the two one-sided p-values; at most alpha means ``equivalent``.
    p_different : float
        Of the truth being within the margins; at most alpha means ``different``.
    verdict : {"equivalent", "different", "undecided"}
        As the module describes them.
    method : str
    """

    estimate: float
    low: float
    high: float
    lower_margin: float
    upper_margin: float
    alpha: float
    p_equivalence: float
    p_different: float
    verdict: Verdict
    method: str


def mean_equivalence(a: ArrayLike, b: ArrayLike, margin: float, alpha: float = 0.05) -> Equivalence:
    """Hold the difference of two independent means, ``mean(a) - mean(b)``, against ``+-margin`` (Welch).

    Parameters
    ----------
    a, b : (n,) and (m,) numbers, at least two each
    margin : float
        In the samples' unit.
    alpha : float

    Raises
    ------
    ValueError
        For samples too short or not finite, or a margin or alpha out of range.
    """
    require_positive("margin", margin)
    a, b = as_sample(a, at_least=2, name="first sample"), as_sample(b, at_least=2, name="second sample")
    error, freedom = welch_error(a, b)
    return _two_one_sided(float(a.mean() - b.mean()), error, freedom, (-margin, margin), alpha, "Welch TOST")


def paired_equivalence(a: ArrayLike, b: ArrayLike, margin: float, alpha: float = 0.05) -> Equivalence:
    """Hold the mean of paired differences (the same seeds, the same splits) against ``+-margin``."""
    require_positive("margin", margin)
    d = paired_differences(a, b)
    error = float(d.std(ddof=1) / np.sqrt(d.size))
    return _two_one_sided(float(d.mean()), error, d.size - 1.0, (-margin, margin), alpha, "paired TOST")


def variance_equivalence(a: ArrayLike, b: ArrayLike | float, margin: float = 0.10, alpha: float = 0.05) -> Equivalence:
    """Hold the ratio of two variances against ``1 / (1 + margin) .. 1 + margin``.

    Parameters
    ----------
    a : (n,) numbers, at least ten
    b : (m,) numbers, at least ten, or a single positive number
        The second sample, or a variance known from theory.
    margin : float, default=0.10
        0.10 means +-10 %, the same distance up and down on the log scale.
    alpha : float

    Returns
    -------
    Equivalence
        ``estimate``, ``low``, ``high`` and the margins are ratios ``var(a) / var(b)``.

    Raises
    ------
    ValueError
        For samples too short, constant or not finite, or a margin or alpha out of range.

    Notes
    -----
    Tests log ratios with normal quantiles. The variance of ``log s^2`` is ``(kappa - (n - 3) / n) / (n - 1)``
    with the kurtosis estimated about a trimmed mean, so that it holds for samples far from normal, as
    products of cosines are (Bonett, "Approximate confidence interval for standard deviation of nonnormal
    distributions", Computational Statistics & Data Analysis 50, 2006). It is an asymptotic test: use hundreds
    of values.
    """
    require_positive("margin", margin)
    log_a, squared_error_a = _log_variance(as_sample(a, at_least=10, name="first sample"))
    if np.ndim(b) == 0:
        known: Any = b
        require_positive("the known variance", known)
        log_b, squared_error_b, method = float(np.log(known)), 0.0, "log variance against a known one, TOST"
    else:
        log_b, squared_error_b = _log_variance(as_sample(b, at_least=10, name="second sample"))
        method = "log variance ratio, TOST"
    reach = float(np.log1p(margin))
    error = float(np.sqrt(squared_error_a + squared_error_b))
    return _two_one_sided(log_a - log_b, error, np.inf, (-reach, reach), alpha, method, logarithmic=True)


def _log_variance(sample: NDArray[np.float64]) -> tuple[float, float]:
    """Return ``log s^2`` and the square of its standard error."""
    n = sample.size
    variance = float(sample.var(ddof=1))
    if variance == 0.0:
        raise ValueError("A sample of equal values has variance 0; its ratio to another is no number.")
    centre = stats.trim_mean(sample, 1.0 / (2.0 * np.sqrt(n - 4.0)))
    kurtosis = n * float(((sample - centre) ** 4).sum()) / ((n - 1) * variance) ** 2
    return float(np.log(variance)), (kurtosis - (n - 3.0) / n) / (n - 1.0)


def accuracy_equivalence(
    correct_a: ArrayLike, correct_b: ArrayLike, margin: float = 0.005, alpha: float = 0.05
) -> Equivalence:
    """Hold the difference in accuracy of two classifiers on the same test points against ``+-margin``.

    Parameters
    ----------
    correct_a, correct_b : (n,) of right or wrong
        Of the same points in the same order.
    margin : float, default=0.005
        0.005 is half a percentage point.

    Notes
    -----
    Adjusted Wald interval for paired proportions: one is added to each kind of disagreement (Bonett and
    Price, "Adjusted Wald confidence interval for a difference of binomial proportions based on paired data",
    Journal of Educational and Behavioral Statistics 37, 2012), so that classifiers that never disagree are
    not taken for certain. ``estimate`` is the plain difference. It is about these two classifiers and this
    population of test points; what another seed would change it does not know.
    """
    require_positive("margin", margin)
    a, b = as_outcomes(correct_a, name="first outcomes"), as_outcomes(correct_b, name="second outcomes")
    if a.size != b.size:
        raise ValueError(f"Outcomes must be of the same test points, got {a.size} and {b.size}.")
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    pa, pb = (only_a + 1.0) / (a.size + 2.0), (only_b + 1.0) / (a.size + 2.0)
    error = float(np.sqrt((pa + pb - (pa - pb) ** 2) / (a.size + 2.0)))
    result = _two_one_sided(pa - pb, error, np.inf, (-margin, margin), alpha, "paired proportions, TOST")
    return replace(result, estimate=(only_a - only_b) / a.size)


def proportion_equivalence(
    successes_a: int, n_a: int, successes_b: int, n_b: int, margin: float = 0.005, alpha: float = 0.05
) -> Equivalence:
    """Hold the difference of two independent proportions against ``+-margin``.

    Notes
    -----
    One success and one failure are added to each sample (Agresti and Caffo, "Simple and effective confidence
    intervals for proportions and differences of proportions", American Statistician 54, 2000). ``estimate``
    is the plain difference.

    Raises
    ------
    ValueError
        For counts that are not ``0 <= successes <= n``, ``n >= 1``.
    """
    require_positive("margin", margin)
    for successes, n in ((successes_a, n_a), (successes_b, n_b)):
        if not (n >= 1 and 0 <= successes <= n):
            raise ValueError(f"{successes} successes of {n} is no proportion.")
    pa, pb = (successes_a + 1.0) / (n_a + 2.0), (successes_b + 1.0) / (n_b + 2.0)
    error = float(np.sqrt(pa * (1.0 - pa) / (n_a + 2.0) + pb * (1.0 - pb) / (n_b + 2.0)))
    method = "independent proportions, TOST"
    result = _two_one_sided(pa - pb, error, np.inf, (-margin, margin), alpha, method)
    return replace(result, estimate=successes_a / n_a - successes_b / n_b)


def _two_one_sided(
    estimate: float,
    error: float,
    freedom: float,
    margins: tuple[float, float],
    alpha: float,
    method: str,
    *,
    logarithmic: bool = False,
) -> Equivalence:
    require_share("alpha", alpha)
    if alpha >= 0.5:
        raise ValueError(f"alpha={alpha!r} leaves no interval of confidence 1 - 2 alpha; give less than 0.5.")
    lower, upper = margins
    reach = float(stats.t.ppf(1.0 - alpha, freedom)) * error
    low, high = estimate - reach, estimate + reach
    verdict: Verdict = "undecided"
    if lower < low and high < upper:
        verdict = "equivalent"
    elif low > upper or high < lower:
        verdict = "different"
    above, below = (
        _upper_tail(estimate - lower, error, freedom),
        _upper_tail(upper - estimate, error, freedom),
    )
    over, under = _upper_tail(estimate - upper, error, freedom), _upper_tail(lower - estimate, error, freedom)
    scale: Any = np.exp if logarithmic else float
    return Equivalence(
        estimate=float(scale(estimate)),
        low=float(scale(low)),
        high=float(scale(high)),
        lower_margin=float(scale(lower)),
        upper_margin=float(scale(upper)),
        alpha=alpha,
        p_equivalence=max(above, below),
        p_different=min(over, under),
        verdict=verdict,
        method=method,
    )


def _upper_tail(distance: float, error: float, freedom: float) -> float:
    if error == 0.0:  # constant samples: certain, as far as they can tell
        return 0.0 if distance > 0.0 else 1.0
    return float(stats.t.sf(distance / error, freedom))
