"""Worse, better or the same: known truths, and the errors of each verdict."""

import math

import numpy as np
import pytest
from scipy import stats

from scrf_bench.stats import detectable_loss, mean_change, time_change
from tests.stats.simulation import at_most, plausible

TIMES = {"tolerance": 0.10, "spread": 0.04}


def processes(rng, count, *, factor=1.0, between=0.04, within=0.05, samples=21):
    return [
        factor * np.exp(rng.normal(0.0, between) + rng.normal(0.0, within, samples)) for _ in range(count)
    ]  # fmt: skip


def test_a_plain_slowdown_is_worse_and_its_mirror_better():
    rng = np.random.default_rng(0)
    before, after = processes(rng, 3), processes(rng, 3, factor=1.5)
    slower, faster = time_change(before, after, **TIMES), time_change(after, before, **TIMES)
    assert slower.p_worse < 1e-4 < 0.9 < slower.p_better
    assert math.isclose(slower.estimate, 1.0 / faster.estimate)
    assert math.isclose(slower.p_worse, faster.p_better)
    assert math.isclose(slower.low, 1.0 / faster.high)
    assert slower.low < 1.5 < slower.high


def test_what_the_yardstick_moved_is_taken_out_with_its_error():
    """Ratios to a yardstick that takes half as long are doubled; known to within 0.1, that is no proof of anything."""
    rng = np.random.default_rng(3)
    before, after = processes(rng, 5), processes(rng, 5, factor=2.0)
    plain = time_change(before, after, **TIMES)
    known = time_change(before, after, **TIMES, yardstick=(math.log(0.5), 0.01))
    vague = time_change(before, after, **TIMES, yardstick=(math.log(0.5), 0.1))
    assert plain.p_worse < 1e-6 < 0.5 < known.p_worse
    assert math.isclose(known.estimate, plain.estimate / 2.0)
    assert known.p_same < 0.05 < vague.p_same
    half = [math.log(change.high / change.low) for change in (plain, vague)]
    # Five and five processes, and six degrees of what is known beforehand.
    assert math.isclose(half[1] ** 2 - half[0] ** 2, (2.0 * stats.t.isf(0.05, 14) * 0.1) ** 2)


def test_equal_samples_are_the_same_and_nothing_else():
    same = [np.linspace(1.0, 1.02, 21)] * 5
    change = time_change(same, same, **TIMES)
    assert change.p_same < 0.001
    assert min(change.p_worse, change.p_better) > 0.9
    assert change.estimate == 1.0


def test_many_samples_of_one_process_do_not_outvote_the_spread_between_processes():
    """One shifted process of 100 rounds is no proof where processes are known to differ by as much."""
    rng = np.random.default_rng(1)
    before, after = [rng.normal(1.0, 0.01, 100)], [rng.normal(1.2, 0.01, 100)]
    assert time_change(before, after, tolerance=0.10, spread=0.1).p_worse > 0.05
    assert time_change(before, after, tolerance=0.10, spread=0.005).p_worse < 1e-4


@pytest.mark.parametrize(("freedom", "seen"), [(0.0, 0.0), (6.0, 0.01), (6.0, 0.1)])
def test_the_spread_seen_is_moderated_by_what_is_known(freedom, seen):
    """Smyth's variance and degrees of freedom, by his formula; with none known beforehand, the pooled t test."""
    before, after = ([[math.exp(center + seen * z)] * 30 for z in (-1.0, 0.5, 1.5)] for center in (0.0, 0.3))
    if not seen:
        before, after = ([[math.exp(center + 0.02 * z)] * 30 for z in (-1.0, 0.5, 1.5)] for center in (0.0, 0.3))
    logs = [[math.log(sample[0]) for sample in side] for side in (before, after)]
    pooled = (np.var(logs[0], ddof=1) + np.var(logs[1], ddof=1)) / 2.0
    variance, degrees = (freedom * 0.04**2 + 4 * pooled) / (freedom + 4), freedom + 4
    error = math.sqrt(variance * 2.0 / 3.0)
    change = time_change(before, after, **TIMES, freedom=freedom)
    assert math.isclose(math.log(change.high / change.low), 2.0 * stats.t.isf(0.05, degrees) * error)
    if not freedom:
        known = stats.ttest_ind(logs[1], [value + math.log1p(0.1) for value in logs[0]], alternative="greater").pvalue
        assert math.isclose(change.p_worse, max(known, 0.0), rel_tol=1e-9)


def test_a_few_samples_do_not_outvote_their_ranks():
    """Three against three samples cannot be significant at 0.01 however far apart they are: 1 / C(6, 3) = 0.05."""
    change = time_change([[1.0, 1.0, 1.0]], [[9.0, 9.0, 9.0]], tolerance=0.1, spread=0.001)
    assert math.isclose(change.p_worse, 0.05)


@pytest.mark.statistical
@pytest.mark.parametrize("factor", [1.0, 1.10])
def test_a_time_within_the_tolerance_is_worse_at_most_at_the_level(factor):
    """Also at its very end; false alarms of this test: 1e-6."""
    rng = np.random.default_rng(2)
    p = [time_change(processes(rng, 3), processes(rng, 3, factor=factor), **TIMES).p_worse for _ in range(2000)]
    # The spread that is seen replaces the known one only where it is larger, which makes p-values larger.
    assert at_most(sum(value <= 0.01 for value in p), len(p), 0.01)


@pytest.mark.statistical
def test_thirty_per_cent_slower_is_found():
    """Power of the normal test alone, which is the weaker: from its formula; false alarms of this test: 1e-6."""
    rng = np.random.default_rng(3)
    level, trials = 0.001, 1000
    found = sum(
        time_change(processes(rng, 4), processes(rng, 4, factor=1.3), **TIMES).p_worse <= level for _ in range(trials)
    )
    # A median of 21 adds sqrt(pi / 2 / 21) of the spread within; what is estimated larger costs some.
    error = 0.04 * math.sqrt(2.0 / 4.0)
    best = stats.norm.sf(stats.norm.isf(level) - math.log(1.3 / 1.1) / error)
    assert 0.85 * best * trials <= found


@pytest.mark.parametrize("sample", [[], [[]], [[1.0, 0.0]], [[1.0, math.nan]], [[-1.0]]])
def test_times_must_be_positive_numbers(sample):
    with pytest.raises(ValueError):
        time_change([[1.0, 2.0]], sample, **TIMES)


ACCURACY = {"tolerance": 0.5, "higher_is_better": True}


def test_welch_against_scipy():
    rng = np.random.default_rng(4)
    before, after = rng.normal(90.0, 0.4, 9), rng.normal(88.0, 0.7, 6)
    change = mean_change(before, after, **ACCURACY)
    expected = stats.ttest_ind(after + 0.5, before, equal_var=False, alternative="less").pvalue
    assert math.isclose(change.p_worse, expected, rel_tol=1e-9)
    assert math.isclose(change.estimate, after.mean() - before.mean())
    interval = stats.ttest_ind(after, before, equal_var=False).confidence_interval(0.9)
    assert np.allclose([change.low, change.high], [interval.low, interval.high])


def test_pairs_against_scipy():
    rng = np.random.default_rng(5)
    before = rng.normal(90.0, 4.0, 8)
    after = before - rng.normal(1.0, 0.2, 8)
    change = mean_change(before, after, pairs=True, **ACCURACY)
    expected = stats.ttest_1samp(after - before, -0.5, alternative="less").pvalue
    assert math.isclose(change.p_worse, expected, rel_tol=1e-9)
    assert change.p_worse < 0.01 < mean_change(before, after, **ACCURACY).p_worse


def test_what_is_worse_depends_on_the_direction():
    before, after = [1.0, 1.1, 0.9], [5.0, 5.1, 4.9]
    assert mean_change(before, after, tolerance=0.5, higher_is_better=True).p_better < 0.01
    assert mean_change(before, after, tolerance=0.5, higher_is_better=False).p_worse < 0.01


def test_one_seed_or_no_spread_says_nothing():
    assert mean_change([90.0], [80.0], **ACCURACY).p_worse == 1.0
    assert mean_change([90.0, 90.0], [80.0, 80.0], **ACCURACY).p_worse == 1.0


def test_two_equal_accuracies_are_no_certainty_but_the_step_of_measurement():
    """On 100 points accuracies come in whole percentage points: equal ones may still be half a point apart."""
    change = mean_change([90.0, 90.0], [89.0, 89.0], resolution=1.0, **ACCURACY)
    assert 0.01 < change.p_worse < 0.5
    assert change.low < -1.0 < change.high


@pytest.mark.statistical
@pytest.mark.parametrize("n", [2, 3, 10])
def test_a_loss_within_the_tolerance_is_worse_at_the_level(n):
    """Exact for normal values at the tolerance's end; false alarms of this test: 1e-6."""
    rng = np.random.default_rng(6)
    p = [
        mean_change(rng.normal(90.0, 0.6, n), rng.normal(89.5, 0.6, n), **ACCURACY).p_worse for _ in range(3000)
    ]  # fmt: skip
    assert at_most(sum(value <= 0.05 for value in p), len(p), 0.055)


@pytest.mark.statistical
@pytest.mark.parametrize("n", [2, 3, 20])
def test_the_detectable_loss_is_detected_as_often_as_it_says(n):
    """Exact but for the grid; false alarms of this test: 1e-6."""
    rng = np.random.default_rng(7)
    sd, level, trials = 0.6, 0.01, 2000
    loss = detectable_loss(n, sd, 0.5, level=level)
    found = sum(
        mean_change(rng.normal(90.0, sd, n), rng.normal(90.0 - loss, sd, n), **ACCURACY).p_worse <= level
        for _ in range(trials)
    )
    assert plausible(found, trials, 0.95)


def test_more_seeds_see_smaller_losses_down_to_the_tolerance():
    losses = [detectable_loss(n, 0.6, 0.5, level=0.001) for n in (2, 3, 5, 10, 100, 10_000)]
    assert losses == sorted(losses, reverse=True)
    assert 0.5 < losses[-1] < 0.55
    with pytest.raises(ValueError, match="too few"):
        detectable_loss(1, 0.6, 0.5, level=0.01)
