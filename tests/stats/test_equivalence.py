"""Equivalence tests err at most at their level at the margin, and find equivalence where it is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scrf_bench.stats import (
    accuracy_equivalence,
    mean_equivalence,
    paired_equivalence,
    proportion_equivalence,
    variance_equivalence,
    welch,
)
from tests.stats.simulation import at_most, plausible

ALPHA = 0.05


def test_the_mean_test_is_two_of_scipys_one_sided_welch_tests():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.1, 1.0, 30), rng.normal(0.0, 2.0, 40)
    result = mean_equivalence(a, b, margin=0.8)
    above = stats.ttest_ind(a + 0.8, b, equal_var=False, alternative="greater").pvalue
    below = stats.ttest_ind(a - 0.8, b, equal_var=False, alternative="less").pvalue
    assert result.p_equivalence == pytest.approx(max(above, below), rel=1e-10)
    interval = welch(a, b, confidence=0.9)
    assert (result.low, result.high) == pytest.approx((interval.low, interval.high), rel=1e-12)


def test_the_paired_test_is_two_of_scipys_one_sided_paired_tests():
    rng = np.random.default_rng(1)
    a = rng.normal(size=12)
    b = a + rng.normal(0.05, 0.1, 12)
    result = paired_equivalence(a, b, margin=0.2)
    above = stats.ttest_1samp(a - b, -0.2, alternative="greater").pvalue
    below = stats.ttest_1samp(a - b, 0.2, alternative="less").pvalue
    assert result.p_equivalence == pytest.approx(max(above, below), rel=1e-10)


@given(shift=st.floats(-3, 3), margin=st.floats(0.05, 2), alpha=st.floats(0.005, 0.3), seed=st.integers(0, 50))
def test_verdict_interval_and_p_values_say_the_same(shift, margin, alpha, seed):
    rng = np.random.default_rng(seed)
    result = mean_equivalence(rng.normal(shift, 1, 9), rng.normal(0, 1, 12), margin, alpha)
    inside = -margin < result.low and result.high < margin
    beyond = result.low > margin or result.high < -margin
    assert result.verdict == ("equivalent" if inside else "different" if beyond else "undecided")
    if abs(result.p_equivalence - alpha) > 1e-9:
        assert (result.p_equivalence < alpha) == inside
    if abs(result.p_different - alpha) > 1e-9:
        assert (result.p_different < alpha) == beyond


def test_a_sure_difference_within_the_margin_is_equivalent_and_across_it_undecided():
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.5, 0.1, 50), rng.normal(0.0, 0.1, 50)
    assert welch(a, b).p_value < 1e-9
    assert mean_equivalence(a, b, margin=1.0).verdict == "equivalent"
    assert mean_equivalence(a, b, margin=float(a.mean() - b.mean())).verdict == "undecided"
    assert mean_equivalence(a, b, margin=0.2).verdict == "different"


def test_few_values_are_undecided_and_never_equivalent_by_silence():
    result = mean_equivalence([0.0, 1.0], [0.1, 0.9], margin=0.5)
    assert result.verdict == "undecided"


def verdicts(trials, draw):
    counts = dict.fromkeys(("equivalent", "different", "undecided"), 0)
    for _ in range(trials):
        counts[draw().verdict] += 1
    return counts


@pytest.mark.statistical
def test_means_a_margin_apart_are_called_equivalent_or_different_at_the_level():
    """At the margin either wrong verdict has probability 0.05 at these sizes; false alarm 1e-6 each."""
    rng = np.random.default_rng(3)
    counts = verdicts(4000, lambda: mean_equivalence(rng.normal(1, 1, 30), rng.normal(0, 2, 40), 1.0))
    assert plausible(counts["equivalent"], 4000, ALPHA)
    assert plausible(counts["different"], 4000, ALPHA)


@pytest.mark.statistical
@pytest.mark.parametrize(("law", "n"), [("laplace", 8000), ("uniform", 2000), ("normal", 2000)])
def test_variances_at_the_margin_are_called_equivalent_at_the_level_whatever_the_tails(law, n):
    """Ratio 1.1, kurtosis 6, 1.8 or 3: either wrong verdict has probability 0.05, give or take 0.01 for the
    asymptotics; false alarm 1e-6 on each side.
    """
    rng = np.random.default_rng(4)
    trials = 1500

    def draw():
        a, b = getattr(rng, law)(size=n), getattr(rng, law)(size=n)
        return variance_equivalence(a * np.sqrt(1.1), b)

    counts = verdicts(trials, draw)
    for wrong in ("equivalent", "different"):
        assert stats.binom(trials, 0.04).ppf(1e-6) <= counts[wrong] <= stats.binom(trials, 0.06).isf(1e-6)


@pytest.mark.statistical
def test_equal_variances_are_found_equivalent_when_the_sample_is_large_enough():
    """Normal, 5,000 values each: the log ratio's error is sqrt(4 / 4999) = 0.0283, the power
    2 Phi(0.0953 / 0.0283 - 1.645) - 1 = 0.915; false alarm 1e-6."""
    rng = np.random.default_rng(5)
    counts = verdicts(500, lambda: variance_equivalence(rng.normal(size=5000), rng.normal(size=5000)))
    assert plausible(counts["equivalent"], 500, 2 * stats.norm.cdf(np.log(1.1) / np.sqrt(4 / 4999) - 1.6449) - 1)


@pytest.mark.statistical
def test_a_variance_can_be_held_against_a_known_one():
    """The variance of sqrt(2) cos(U) is 1. Scaled by 1.1 it is called equivalent at most 0.06 of the time
    (0.05 and the asymptotics' 0.01); false alarm 1e-6.
    """
    rng = np.random.default_rng(6)

    def draw(ratio):
        z = np.sqrt(2.0) * np.cos(rng.uniform(-np.pi, np.pi, 1500))
        return variance_equivalence(z * np.sqrt(ratio), 1.0)

    assert at_most(verdicts(1500, lambda: draw(1.1))["equivalent"], 1500, 0.06)
    assert verdicts(100, lambda: draw(1.0))["equivalent"] >= 99
    result = draw(1.0)
    assert (result.lower_margin, result.upper_margin) == pytest.approx((1 / 1.1, 1.1))


@pytest.mark.statistical
def test_accuracies_half_a_point_apart_are_called_equivalent_at_the_level():
    """5,000 points, a right on 0.5 % more: probability 0.05, up to 0.01 more for the asymptotics; false
    alarm 1e-6.
    """
    rng = np.random.default_rng(7)

    def draw(only_a, only_b):
        kind = rng.choice(3, size=5000, p=[only_a, only_b, 1 - only_a - only_b])
        return accuracy_equivalence(kind != 1, kind != 0)

    counts = verdicts(2000, lambda: draw(0.0125, 0.0075))
    assert at_most(counts["equivalent"], 2000, 0.06)
    assert at_most(counts["different"], 2000, 0.06)
    assert verdicts(50, lambda: draw(0.002, 0.002))["equivalent"] == 50


def test_classifiers_that_never_disagree_are_equivalent_only_on_enough_points():
    right = np.ones(20, dtype=bool)
    assert accuracy_equivalence(right, right).verdict == "undecided"
    right = np.ones(2000, dtype=bool)
    result = accuracy_equivalence(right, right)
    assert (result.verdict, result.estimate) == ("equivalent", 0.0)


@pytest.mark.statistical
def test_independent_proportions_at_the_margin_are_called_equivalent_at_the_level():
    """0.91 against 0.90, margin 0.01: probability at most 0.05, up to 0.01 more for the asymptotics; false
    alarm 1e-6.
    """
    rng = np.random.default_rng(8)
    counts = verdicts(
        4000,
        lambda: proportion_equivalence(
            int(rng.binomial(20_000, 0.91)), 20_000, int(rng.binomial(20_000, 0.90)), 20_000, margin=0.01
        ),
    )
    assert at_most(counts["equivalent"], 4000, 0.06)
    assert at_most(counts["different"], 4000, 0.06)
    assert counts["equivalent"] > 100


def test_the_plain_difference_is_the_estimate():
    assert proportion_equivalence(90, 100, 45, 50).estimate == 0.0
    assert accuracy_equivalence([1, 1, 0, 0], [1, 0, 0, 0]).estimate == 0.25


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mean_equivalence([0.0, 1.0], [0.0, 1.0], margin=0.0), "margin=0.0"),
        (
            lambda: mean_equivalence([0.0, 1.0], [0.0, 1.0], margin=1.0, alpha=0.5),
            "alpha=0.5 leaves no interval",
        ),
        (lambda: variance_equivalence(np.ones(20), np.arange(20.0)), "equal values"),
        (lambda: variance_equivalence(np.arange(5.0), 1.0), "at least 10"),
        (lambda: variance_equivalence(np.arange(20.0), -1.0), "known variance=-1.0"),
        (lambda: accuracy_equivalence([0.5, 1.0], [1.0, 1.0]), "right or wrong"),
        (lambda: accuracy_equivalence([1, 1], [1]), "same test points, got 2 and 1"),
        (lambda: proportion_equivalence(3, 2, 1, 2), "3 successes of 2"),
    ],
)
def test_what_cannot_be_tested_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
