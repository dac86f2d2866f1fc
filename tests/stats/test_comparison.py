"""Tests of difference: scipy's numbers, the stated error rates, and Holm's guarantee."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scrf_bench.stats import bootstrap_accuracy_difference, bootstrap_mean_difference, holm, paired, welch
from tests.stats.simulation import at_most, plausible


@pytest.mark.parametrize("confidence", [0.9, 0.99])
def test_welch_is_scipys(confidence):
    rng = np.random.default_rng(1)
    a, b = rng.normal(1.0, 1.0, 7), rng.normal(0.3, 3.0, 12)
    ours, theirs = welch(a, b, confidence), stats.ttest_ind(a, b, equal_var=False)
    interval = theirs.confidence_interval(confidence)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    assert ours.degrees_of_freedom == pytest.approx(theirs.df, rel=1e-12)
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high), rel=1e-12)
    assert ours.excludes_zero == (ours.p_value < 1 - confidence)


def test_the_paired_test_is_scipys():
    rng = np.random.default_rng(2)
    a = rng.normal(size=9)
    b = a + rng.normal(0.2, 0.1, 9)
    ours, theirs = paired(a, b), stats.ttest_rel(a, b)
    interval = theirs.confidence_interval(0.95)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high), rel=1e-12)


def test_constant_samples_are_certain_and_tiny_variances_do_not_underflow():
    assert welch([2.0, 2.0], [2.0, 2.0]).p_value == 1.0
    apart = welch([2.0, 2.0], [1.0, 1.0])
    assert (apart.p_value, apart.low, apart.high) == (0.0, 1.0, 1.0)
    scaled = welch(np.array([1.0, 2.0, 4.0]) * 1e-120, np.array([2.0, 5.0, 3.0]) * 1e-120)
    assert scaled.p_value == pytest.approx(welch([1.0, 2.0, 4.0], [2.0, 5.0, 3.0]).p_value, rel=1e-9)


@pytest.mark.statistical
def test_welch_rejects_five_percent_of_true_nulls_with_unequal_variances():
    """Rate 0.05 (Welch's approximation is within 0.001 of it here); false alarm 1e-6."""
    rng = np.random.default_rng(3)
    trials = 4000
    rejected = sum(welch(rng.normal(0, 1, 10), rng.normal(0, 4, 15)).p_value < 0.05 for _ in range(trials))
    assert plausible(rejected, trials, 0.05)


@pytest.mark.statistical
@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_a_bootstrap_interval_of_many_values_is_welchs(method):
    """At n = 400 an end lies within 10 % of the half-width of Welch's: its Monte Carlo error is 2 % of it
    (9,999 resamples), so that the alarm would be false less than once in 10^5.
    """
    rng = np.random.default_rng(4)
    a, b = rng.normal(1.0, 1.0, 400), rng.normal(0.0, 2.0, 400)
    ours, theirs = bootstrap_mean_difference(a, b, method=method, seed=0), welch(a, b)
    half = (theirs.high - theirs.low) / 2
    assert ours.estimate == theirs.estimate
    assert abs(ours.low - theirs.low) < 0.1 * half
    assert abs(ours.high - theirs.high) < 0.1 * half
    assert ours.p_value is None
    assert ours == bootstrap_mean_difference(a, b, method=method, seed=0)


def test_constant_samples_have_a_bootstrap_interval_of_no_width():
    result = bootstrap_mean_difference([1.0, 1.0], [0.5, 0.5])
    assert (result.low, result.high) == (0.5, 0.5)


@pytest.mark.statistical
def test_the_multinomial_bootstrap_over_points_is_the_bootstrap_over_points():
    """Ends agree with scipy's to 4 points' worth: quantiles of 9,999 resamples have a standard error of some
    0.3 points each, so that the false-alarm rate is below 1e-9.
    """
    rng = np.random.default_rng(5)
    a, b = (rng.random(300) < 0.9).astype(float), rng.integers(0, 6, 300) / 5.0
    ours = bootstrap_accuracy_difference(a, b)
    theirs = stats.bootstrap(
        (a, b),
        lambda x, y, axis=-1: (x - y).mean(axis=axis),
        paired=True,
        method="percentile",
        rng=np.random.default_rng(0),
        batch=1000,
    ).confidence_interval
    assert ours.estimate == pytest.approx((a - b).mean())
    assert abs(ours.low - theirs.low) < 4 / 300
    assert abs(ours.high - theirs.high) < 4 / 300


@pytest.mark.statistical
def test_the_bootstrap_over_points_covers_the_true_difference():
    """Coverage 0.95, less up to 0.01 for the asymptotics at 500 points; false alarm 1e-6 on either side."""
    rng = np.random.default_rng(6)
    trials, missed = 2000, 0
    for _ in range(trials):
        both = rng.choice(4, size=500, p=[0.85, 0.06, 0.04, 0.05])  # both right, only a, only b, neither
        result = bootstrap_accuracy_difference(both <= 1, (both == 0) | (both == 2), n_resamples=999)
        missed += not result.low <= 0.02 <= result.high
    assert at_most(missed, trials, 0.06)
    assert at_most(trials - missed, trials, 0.96)


def test_holm_is_the_textbooks():
    """Holm (1979) by hand: 4 x 0.01, 3 x 0.015, 2 x 0.02 (kept at least 0.045), 1 x 0.04 (the same)."""
    assert holm([0.04, 0.01, 0.02, 0.015]) == pytest.approx([0.045, 0.04, 0.045, 0.045])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_holm_never_helps_keeps_the_order_and_is_milder_than_bonferroni(p):
    adjusted = np.array(holm(p))
    assert (adjusted >= np.array(p) - 1e-15).all()
    assert (adjusted <= np.minimum(1.0, len(p) * np.array(p)) + 1e-15).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()


@pytest.mark.statistical
def test_holm_holds_the_chance_of_any_false_rejection_for_dependent_tests():
    """Five true nulls sharing one noise: any rejection at most 0.05 of the time; false alarm 1e-6."""
    rng = np.random.default_rng(7)
    trials = 4000
    z = rng.normal(size=(trials, 1)) * 0.6 + rng.normal(size=(trials, 5)) * 0.8
    families = 2 * stats.norm.sf(np.abs(z))
    assert at_most(sum(min(holm(p)) <= 0.05 for p in families), trials, 0.05)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: welch([1.0], [1.0, 2.0]), "first sample has 1 value"),
        (lambda: welch([1.0, 2.0], [1.0, np.inf]), "second sample holds nan or infinite"),
        (lambda: paired([1.0, 2.0], [1.0, 2.0, 3.0]), "one length, got 2 and 3"),
        (lambda: welch([1.0, 2.0], [1.0, 2.0], confidence=95), "confidence=95"),
        (lambda: holm([0.1, 1.2]), "between 0 and 1"),
    ],
)
def test_what_cannot_be_compared_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
