"""A finding's numbers are those of the textbook's tests, and its margins and resolutions mean what they say."""

import math

import numpy as np
import pytest
from scipy import stats

from scrf_bench.stats import (
    Region,
    count_finding,
    exponent_finding,
    fit_power_law,
    mean_finding,
    paired_equivalence,
    rank_finding,
    ratio_of_means_finding,
    two_sample_finding,
)
from scrf_bench.stats.ranks import rank_interval, rank_tail
from scrf_bench.stats.skewness import skewed_distance, skewed_tail

VALUES = np.array([0.1, -0.3, 0.25, 0.0, 0.4, -0.05])


def test_within_two_ends_it_is_the_paired_equivalence_test():
    found = mean_finding(VALUES, Region.around(0.0, 0.5))
    known = paired_equivalence(VALUES, np.zeros(6), 0.5)
    assert (found.estimate, found.low, found.high) == pytest.approx((known.estimate, known.low, known.high))
    assert found.p_holds == pytest.approx(known.p_equivalence)
    assert (found.n, found.runs, found.confidence) == (6, 6, 0.9)


def test_at_one_end_it_is_the_one_sided_t_test():
    found = mean_finding(VALUES, Region.at_most(0.0, 0.5))
    assert found.p_holds == pytest.approx(stats.ttest_1samp(VALUES, 0.5, alternative="less").pvalue)
    assert found.p_fails == pytest.approx(1.0 - found.p_holds)


def test_failing_between_two_ends_counts_both_tails():
    """Ends that coincide make it the two-sided test, ends far apart the one-sided one."""
    narrow = mean_finding(VALUES + 1.0, Region.around(0.0, 1e-9))
    assert narrow.p_fails == pytest.approx(stats.ttest_1samp(VALUES + 1.0, 0.0).pvalue, rel=1e-5)
    wide = mean_finding(VALUES + 1.0, Region.around(-100.0, 100.0))
    assert wide.p_fails == pytest.approx(stats.ttest_1samp(VALUES + 1.0, 0.0, alternative="greater").pvalue)


def test_too_little_to_know_the_spread_decides_nothing():
    for values in ([0.0], [0.0, 0.0, 0.0], [0.3, 0.3]):
        found = mean_finding(values, Region.around(0.0, 0.5))
        assert (found.p_holds, found.p_fails, found.high) == (1.0, 1.0, math.inf)
        assert found.needed(0.05, 0.8) is None


def test_equal_accuracies_are_trusted_no_further_than_their_resolution():
    """Two seeds that agree on 100 test points are no proof to half a point; on 100,000 points they are."""
    coarse = mean_finding([0.0, 0.0], Region.around(0.0, 0.5), resolution=1.0)
    assert coarse.high == pytest.approx(stats.t.ppf(0.95, 1) / math.sqrt(6) / math.sqrt(2))
    assert coarse.p_holds > 0.05
    assert mean_finding([0.0, 0.0], Region.around(0.0, 0.5), resolution=0.001).p_holds < 0.05


def test_the_ratio_of_means_is_that_of_the_table_and_its_error_the_delta_methods():
    rng = np.random.default_rng(0)
    a, b = rng.gamma(9.0, 1.2, 50), rng.gamma(9.0, 1.0, 50)
    found = ratio_of_means_finding(a, b, Region.ratio_within(0.1))
    assert found.estimate == pytest.approx(a.mean() / b.mean())
    assert (found.region.low, found.region.high) == pytest.approx((1 / 1.1, 1.1))
    covariance = np.cov(a, b) / 50
    gradient = np.array([1 / a.mean(), -1 / b.mean()])
    error = math.sqrt(gradient @ covariance @ gradient)
    # The t interval, and Johnson's term for a skewness of five coefficients of variation, the share of each side.
    t = stats.t.ppf(0.95, 49)
    for end, values in ((found.high / found.estimate, a), (found.estimate / found.low, b)):
        own = values.std(ddof=1) / values.mean()
        skew = 5 * own * (own / (error * math.sqrt(50))) ** 3 / math.sqrt(50)
        assert math.log(end) == pytest.approx(error * (t + skew * (t * t / 3 + 1 / 6)))


def test_several_columns_give_the_geometric_mean_of_their_ratios():
    rng = np.random.default_rng(1)
    a, b = rng.gamma(9.0, 1.0, (20, 3)), rng.gamma(9.0, 1.0, (20, 3))
    expected = stats.gmean(a.mean(axis=0) / b.mean(axis=0))
    assert ratio_of_means_finding(a, b, Region.ratio_within(0.1)).estimate == pytest.approx(expected)


def test_against_an_exact_variance_only_the_upper_end_is_corrected():
    """RKS's variance is known: nothing is skewed but the map's own squared errors."""
    a = np.random.default_rng(0).gamma(9.0, 1.0, 20)
    found = ratio_of_means_finding(a, np.full(20, 9.0), Region.ratio_within(0.1))
    error = a.std(ddof=1) / a.mean() / math.sqrt(20)
    assert math.log(found.estimate / found.low) == pytest.approx(error * stats.t.ppf(0.95, 19))
    assert math.log(found.high / found.estimate) > 1.1 * error * stats.t.ppf(0.95, 19)


@pytest.mark.parametrize("skew", [0.0, 0.2, 1.0])
def test_the_corrected_distance_has_the_corrected_tail(skew):
    for level in (0.2, 0.05, 1e-4):
        assert skewed_tail(skewed_distance(level, 9.0, skew), 9.0, skew) == pytest.approx(level)
    assert skewed_distance(0.05, 9.0, 0.0) == pytest.approx(stats.t.isf(0.05, 9))
    assert (skewed_tail(math.inf, 9.0, skew), skewed_tail(-math.inf, 9.0, skew)) == (0.0, 1.0)


def test_values_of_known_skewness_have_wider_intervals_on_both_sides():
    plain, wide = (mean_finding(VALUES, Region.around(0.0, 0.5), skewness=g) for g in (0.0, 1.0))
    t = stats.t.ppf(0.95, 5)
    stretch = 1 + (t * t / 3 + 1 / 6) / math.sqrt(6) / t
    assert (wide.high - wide.estimate) == pytest.approx(stretch * (plain.high - plain.estimate))
    assert (wide.estimate - wide.low) == pytest.approx(stretch * (plain.estimate - plain.low))
    assert wide.p_holds > plain.p_holds


def test_two_sides_of_different_sizes_are_scipys_welch_test_of_logarithms():
    a, b = [2.0, 2.2, 1.9, 2.1, 2.05], [3.0, 3.3, 2.9]
    found = two_sample_finding(a, b, Region.ratio_below(0.1), of="timings")
    end = math.log(1.1)
    known = stats.ttest_ind(np.log(a) + end, np.log(b), equal_var=False, alternative="less")
    assert found.p_holds == pytest.approx(known.pvalue)
    assert found.estimate == pytest.approx(stats.gmean(a) / stats.gmean(b))
    assert (found.n, found.against, found.runs, found.of) == (5, 3, 3, "timings")
    assert two_sample_finding(a, b, Region.ratio_below(0.1), runs=1).runs == 1


def test_one_timing_on_either_side_decides_nothing():
    found = two_sample_finding([2.0, 2.1, 2.2], [9.0], Region.ratio_below(0.1))
    assert (found.p_holds, found.p_fails, found.runs, found.against) == (1.0, 1.0, 1, 1)


def test_what_goes_the_claimed_way_but_not_far_enough_says_so():
    region = Region.ratio_below(0.1)
    assert [count_finding(x, region).short_of_margin for x in (0.95, 1.0, 1.05)] == [True, False, False]
    assert count_finding(1.3, Region(1.5, math.inf, 1.0, log=True)).short_of_margin
    assert not mean_finding(VALUES, Region.around(0.0, 0.01)).short_of_margin


def test_an_exponent_has_the_interval_of_its_fit():
    d = np.array([64.0, 128.0, 256.0, 512.0, 1024.0])
    times = d**1.1 * np.exp([0.02, -0.03, 0.01, 0.02, -0.02])
    found, fit = exponent_finding(d, times, Region.at_most(1.0, 0.15)), fit_power_law(d, times, confidence=0.9)
    assert (found.estimate, found.low, found.high) == pytest.approx((fit.exponent, fit.low, fit.high))
    assert found.p_holds == pytest.approx(stats.t.sf((1.15 - fit.exponent) / fit.standard_error, 3))


@pytest.mark.parametrize(("n", "m"), [(5, 5), (3, 7), (8, 2)])
def test_ranks_are_scipys_exact_mann_whitney(n, m):
    rng = np.random.default_rng(n)
    x, y = rng.normal(0, 1, n), rng.normal(0.5, 1, m)
    for below, side in ((True, "less"), (False, "greater")):
        known = stats.mannwhitneyu(x, y, alternative=side, method="exact").pvalue
        assert rank_tail(x, y, below=below) == pytest.approx(known)


def test_findings_say_which_processes_they_rest_on():
    d = [16.0, 32.0, 64.0, 128.0]
    region = Region.around(1.0, 0.15)
    assert exponent_finding(d, d, region).runs == 4
    assert exponent_finding(d, d, region, runs=1).runs == 1
    assert rank_finding([1.0], [2.0], Region.ratio_below(0.1), process="that").process == "that"


def test_the_interval_of_a_shift_is_where_the_rank_test_does_not_reject():
    rng = np.random.default_rng(3)
    x, y = rng.normal(0.3, 1, 6), rng.normal(0, 1, 7)
    low, _, high = rank_interval(x, y, 0.05)
    for shift, below, rejected in (
        (low - 1e-9, False, True), (low + 1e-9, False, False), (high + 1e-9, True, True), (high - 1e-9, True, False),
    ):  # fmt: skip
        assert (rank_tail(x - shift, y, below=below) <= 0.05) == rejected


def test_ties_count_against_what_is_to_be_shown():
    x = np.array([1.0, 1.0, 1.0, 1.0, 1.0])
    assert rank_tail(x, x, below=True) == rank_tail(x, x, below=False) == pytest.approx(1.0)


@pytest.mark.parametrize("sizes", [(20, 30), (300, 300), (301, 300), (700, 800)])
def test_rank_tails_of_many_values_are_mann_and_whitneys(sizes):
    """Exact up to 300 each, normal beyond; the interval's ends are where a test turns."""
    rng = np.random.default_rng(4)
    x, y = rng.normal(0.05, 1.0, sizes[0]), rng.normal(0.0, 1.0, sizes[1])
    method = "exact" if max(sizes) < 100 else "asymptotic"
    for below, alternative in ((True, "less"), (False, "greater")):
        known = stats.mannwhitneyu(x, y, alternative=alternative, method=method).pvalue
        assert rank_tail(x, y, below=below) == pytest.approx(known, abs=1e-12 if min(sizes) != 300 else 1e-4)
    low, _, high = rank_interval(x, y, 0.05)
    for shift, rejected in ((high + 1e-9, True), (high - 1e-9, False)):
        assert (rank_tail(x - shift, y, below=True) <= 0.05) == rejected
    for shift, rejected in ((low - 1e-9, True), (low + 1e-9, False)):
        assert (rank_tail(x - shift, y, below=False) <= 0.05) == rejected


def test_samples_too_small_for_the_level_have_no_interval():
    found = rank_finding([1.0, 1.1], [2.0, 2.1], Region.ratio_below(0.1))
    assert (found.low, found.high) == (0.0, math.inf)
    assert found.p_holds == pytest.approx(1 / 6)


def test_times_all_apart_are_faster_by_the_margin_and_slower_the_other_way():
    fast, slow = [1.0, 1.1, 1.05, 1.2, 1.15], [2.0, 2.2, 2.1, 2.3, 2.4]
    assert rank_finding(fast, slow, Region.ratio_below(0.1)).p_holds == pytest.approx(1 / 252)
    assert rank_finding(slow, fast, Region.ratio_below(0.1)).p_fails == pytest.approx(1 / 252)
    # With a margin in between, neither order of the ranks is complete.
    assert rank_finding(fast, slow, Region.ratio_below(0.9)).p_holds > 0.05


def test_what_differs_between_processes_is_part_of_a_times_error():
    """Five samples a side, all apart: the ranks give 1/252, the process's own shift says how far that carries."""
    region, fast, slow = Region.ratio_below(0.1), np.exp(np.linspace(-0.14, -0.13, 5)), np.exp(np.linspace(0, 0.01, 5))
    alone = rank_finding(fast, slow, region)
    known = rank_finding(fast, slow, region, process_sd=0.03)
    assert alone.p_holds == pytest.approx(1 / 252)
    # -0.14 lies 0.0447 beyond ln(1/1.1); the two standard errors of means are some 0.0025 together.
    assert known.p_holds == pytest.approx(stats.norm.sf(0.0447 / 0.0301), rel=0.02)
    assert known.p_holds > 0.05 > alone.p_holds
    reach = stats.norm.ppf(0.95) * 0.03
    assert math.log(known.high) - math.log(known.estimate) == pytest.approx(
        math.hypot(reach, math.log(alone.high) - math.log(alone.estimate))
    )
    assert known.needed(0.05, 0.8) is None


@pytest.mark.parametrize(("value", "holds"), [(3.0, True), (3.0 + 1e-12, True), (3.001, False)])
def test_a_count_is_certain_and_its_ends_belong_to_it(value, holds):
    found = count_finding(value, Region.around(3.0, 0.0))
    assert (found.p_holds, found.p_fails) == ((0.0, 1.0) if holds else (1.0, 0.0))
    assert found.runs is None


def test_margins_are_the_unit_of_the_picture():
    two = mean_finding(VALUES, Region.around(0.0, 0.5))
    assert [two.in_margins(x) for x in (-0.5, 0.0, 0.5, 1.0)] == [-1.0, 0.0, 1.0, 2.0]
    below = mean_finding(VALUES, Region.ratio_below(0.1))
    assert below.in_margins(1 / 1.1) == pytest.approx(-1.0)
    assert below.in_margins(0.0) == -math.inf
    assert (below.region.sides, two.region.sides) == (1, 2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mean_finding([], Region.around(0, 1)), "at least 1"),
        (lambda: mean_finding([1.0, 2.0], Region.around(0, 1), alpha=0.5), "alpha=0.5"),
        (lambda: ratio_of_means_finding([1.0, 2.0], [1.0], Region.ratio_within(0.1)), "one shape"),
        (lambda: ratio_of_means_finding([1.0, 0.0], [1.0, 1.0], Region.ratio_within(0.1)), "positive"),
        (lambda: rank_finding([1.0, -1.0], [1.0, 1.0], Region.ratio_below(0.1)), "first sample"),
    ],
)
def test_impossible_samples_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
