"""Is there a difference: t tests, bootstrap intervals, and Holm's correction for asking several times.

A difference that is not significant is not "no difference": for that see `scrf_bench.stats.equivalence`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from scrf_bench.stats.samples import as_sample, require_share


@dataclass(frozen=True)
class Comparison:
    """A difference, first sample minus second.

    Attributes
    ----------
    estimate, low, high : float
        The difference of the means and its confidence interval.
    confidence : float
        Of the interval.
    p_value : float or None
        Two-sided, of no difference; None where a method gives only an interval.
    degrees_of_freedom : float or None
    method : str
    """

    estimate: float
    low: float
    high: float
    confidence: float
    p_value: float | None
    degrees_of_freedom: float | None
    method: str

    @property
    def excludes_zero(self) -> bool:
        """True if the interval lies on one side of 0."""
        return self.low > 0.0 or self.high < 0.0


def welch(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Comparison:
    """Compare the means of two independent samples whose variances may differ.

    Parameters
    ----------
    a, b : (n,) and (m,) numbers, at least two each
    confidence : float

    Raises
    ------
    ValueError
        For samples too short or not finite.

    References
    ----------
    Welch, "The generalization of Student's problem when several different population variances are involved",
    Biometrika 34, 1947.
    """
    require_share("confidence", confidence)
    a, b = as_sample(a, at_least=2, name="first sample"), as_sample(b, at_least=2, name="second sample")
    error, freedom = welch_error(a, b)
    return _t_comparison(float(a.mean() - b.mean()), error, freedom, confidence, "Welch t")


def paired(a: ArrayLike, b: ArrayLike, confidence: float = 0.95) -> Comparison:
    """Compare two measurements of the same things (the same seeds, the same splits) by the paired t test.

    Raises
    ------
    ValueError
        For lengths that differ, fewer than two pairs, or values not finite.
    """
    require_share("confidence", confidence)
    d = paired_differences(a, b)
    error = float(d.std(ddof=1) / np.sqrt(d.size))
    return _t_comparison(float(d.mean()), error, d.size - 1.0, confidence, "paired t")


def paired_differences(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Return ``a - b`` of at least two pairs."""
    a, b = as_sample(a, at_least=2, name="first sample"), as_sample(b, at_least=2, name="second sample")
    if a.size != b.size:
        raise ValueError(f"Pairs need samples of one length, got {a.size} and {b.size} values.")
    return a - b


def welch_error(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[float, float]:
    """Return the standard error of ``mean(a) - mean(b)`` and the Welch-Satterthwaite degrees of freedom."""
    va, vb = float(a.var(ddof=1)) / a.size, float(b.var(ddof=1)) / b.size
    if va + vb == 0.0:
        return 0.0, float(a.size + b.size - 2)
    # Shares first: the squares of tiny variances would underflow.
    share = va / (va + vb)
    freedom = 1.0 / (share**2 / (a.size - 1) + (1.0 - share) ** 2 / (b.size - 1))
    return float(np.sqrt(va + vb)), freedom


def _t_comparison(estimate: float, error: float, freedom: float, confidence: float, method: str) -> Comparison:
    if error == 0.0:  # both samples constant: certain, as far as they can tell
        p = 1.0 if estimate == 0.0 else 0.0
        return Comparison(estimate, estimate, estimate, confidence, p, freedom, method)
    reach = float(stats.t.ppf(0.5 + confidence / 2.0, freedom)) * error
    p = float(2.0 * stats.t.sf(abs(estimate) / error, freedom))
    return Comparison(estimate, estimate - reach, estimate + reach, confidence, p, freedom, method)


def bootstrap_mean_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    method: Literal["percentile", "BCa"] = "BCa",
    n_resamples: int = 9999,
    seed: int = 0,
) -> Comparison:
    """Bootstrap the difference of two independent means.

    Percentile intervals of fewer than about twenty values are too narrow; prefer `welch` there.

    Returns
    -------
    Comparison
        Without a p-value.
    """
    require_share("confidence", confidence)
    a, b = as_sample(a, at_least=2, name="first sample"), as_sample(b, at_least=2, name="second sample")
    estimate = float(a.mean() - b.mean())
    if np.ptp(a) == 0.0 and np.ptp(b) == 0.0:
        return Comparison(estimate, estimate, estimate, confidence, None, None, f"{method} bootstrap")

    def difference(x: NDArray[Any], y: NDArray[Any], axis: int = -1) -> NDArray[Any]:
        result: NDArray[Any] = x.mean(axis=axis) - y.mean(axis=axis)
        return result

    interval = stats.bootstrap(
        (a, b),
        difference,
        n_resamples=n_resamples,
        confidence_level=confidence,
        method=method,
        vectorized=True,
        batch=max(1, 10_000_000 // (a.size + b.size)),
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Comparison(
        estimate, float(interval.low), float(interval.high), confidence, None, None, f"{method} bootstrap"
    )


def bootstrap_accuracy_difference(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    confidence: float = 0.95,
    n_resamples: int = 9999,
    seed: int = 0,
) -> Comparison:
    """Bootstrap, over test points, the difference in accuracy of two classifiers on the same test set.

    Parameters
    ----------
    scores_a, scores_b : (n,) numbers
        For each test point 1 for right and 0 for wrong, or the share of seeds that got it right.

    Returns
    -------
    Comparison
        Percentile interval, without a p-value.

    Notes
    -----
    The differences take few distinct values, so a resample is one multinomial draw of how often each occurs:
    the same distribution as drawing points, at a cost that does not grow with the test set.
    """
    require_share("confidence", confidence)
    d = paired_differences(scores_a, scores_b)
    values, counts = np.unique(d, return_counts=True)
    draws = np.random.default_rng(seed).multinomial(d.size, counts / d.size, size=n_resamples)
    means = draws @ values / d.size
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(means, (tail, 1.0 - tail))
    return Comparison(
        float(d.mean()),
        float(low),
        float(high),
        confidence,
        None,
        None,
        "percentile bootstrap over test points",
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for several questions asked together, in the order given (Holm 1979).

    An adjusted value at most alpha means rejection; the chance of any false rejection is then at most alpha,
    whatever the dependence between the tests.

    Raises
    ------
    ValueError
        For a value outside [0, 1].
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0.0) & (p <= 1.0)).all():
        raise ValueError(f"p-values must be numbers between 0 and 1, got {list(p_values)}.")
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * (p.size - np.arange(p.size)))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return [float(value) for value in adjusted]
