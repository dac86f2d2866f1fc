"""Power laws are recovered, with scipy's errors and the stated coverage."""

import numpy as np
import pytest
from scipy import stats

from scrf_bench.stats import fit_power_law
from tests.stats.simulation import plausible


def test_an_exact_law_is_recovered_without_error():
    x = np.array([64, 128, 256, 512])
    fit = fit_power_law(x, 3e-6 * x**1.5)
    assert (fit.exponent, fit.coefficient) == pytest.approx((1.5, 3e-6), rel=1e-10)
    assert fit.standard_error == pytest.approx(0.0, abs=1e-9)


def test_exponent_and_error_are_scipys():
    rng = np.random.default_rng(0)
    x = 2.0 ** np.arange(6, 14)
    y = x**1.1 * np.exp(rng.normal(0, 0.1, 8))
    fit, line = fit_power_law(x, y, confidence=0.9), stats.linregress(np.log(x), np.log(y))
    assert (fit.exponent, fit.standard_error) == pytest.approx((line.slope, line.stderr), rel=1e-10)
    assert fit.coefficient == pytest.approx(np.exp(line.intercept), rel=1e-10)
    assert fit.high - fit.low == pytest.approx(2 * stats.t.ppf(0.95, 6) * line.stderr, rel=1e-10)


@pytest.mark.statistical
def test_the_interval_covers_the_exponent_at_its_confidence():
    """Exactly 0.95 for log-normal noise; 4,000 fits, false alarm 1e-6."""
    rng = np.random.default_rng(1)
    x = 2.0 ** np.arange(6, 12)
    covered = 0
    for _ in range(4000):
        fit = fit_power_law(x, x**2 * np.exp(rng.normal(0, 0.2, 6)))
        covered += fit.low <= 2.0 <= fit.high
    assert plausible(covered, 4000, 0.95)


def test_two_points_give_an_exponent_without_an_error():
    fit = fit_power_law([1.0, 10.0], [1.0, 100.0])
    assert fit.exponent == pytest.approx(2.0)
    assert (fit.standard_error, fit.low, fit.high) == (None, None, None)


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        ([1.0], [1.0], "at least 2"),
        ([1.0, 2.0], [1.0, 0.0], "positive numbers"),
        ([2.0, 2.0], [1.0, 3.0], "All x are 2"),
        ([1.0, 2.0, 3.0], [1.0, 3.0], "x has 3 values and y 2"),
    ],
)
def test_what_has_no_exponent_is_refused(x, y, words):
    with pytest.raises(ValueError, match=words):
        fit_power_law(x, y)
