"""Powers are what simulation finds, sample sizes the smallest that reach them."""

import numpy as np
import pytest
from scipy import stats

from scrf_bench.stats import (
    Region,
    decision_power,
    decision_power_table,
    decision_sample_size,
    mean_equivalence,
    mean_finding,
    tost_power,
    tost_sample_size,
    welch,
    welch_power,
    welch_sample_size,
)
from tests.stats.simulation import plausible


def test_sample_sizes_are_the_textbooks():
    """R's power.t.test for d = 0.2, 0.5, 0.8, alpha 0.05, power 0.80: 393.4, 63.8 and 25.5, rounded up."""
    assert [welch_sample_size(d, 1.0, 1.0) for d in (0.2, 0.5, 0.8)] == [394, 64, 26]


@pytest.mark.statistical
@pytest.mark.parametrize(("n", "difference", "sd_b"), [(6, 1.5, 1.0), (25, 0.9, 2.0)])
def test_welch_power_is_what_simulation_finds(n, difference, sd_b):
    """4,000 pairs of normal samples; false alarm 1e-6."""
    rng = np.random.default_rng(0)
    rejected = sum(welch(rng.normal(difference, 1.0, n), rng.normal(0, sd_b, n)).p_value < 0.05 for _ in range(4000))
    assert plausible(rejected, 4000, welch_power(n, difference, 1.0, sd_b))


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("n", "margin", "sd_b", "difference"), [(8, 1.5, 1.0, 0.0), (20, 1.0, 1.0, 0.3), (40, 1.2, 2.0, -0.5)]
)
def test_tost_power_is_what_simulation_finds(n, margin, sd_b, difference):
    """4,000 pairs of normal samples; false alarm 1e-6."""
    rng = np.random.default_rng(1)
    found = sum(
        mean_equivalence(rng.normal(difference, 1, n), rng.normal(0, sd_b, n), margin).verdict == "equivalent"
        for _ in range(4000)
    )
    assert plausible(found, 4000, tost_power(n, margin, 1.0, sd_b, difference))


def test_power_at_no_difference_is_the_level_and_at_the_margin_too():
    assert welch_power(30, 0.0, 1.0, 1.0) == pytest.approx(0.05, rel=1e-6)
    assert tost_power(200, 1.0, 1.0, 1.0, difference=1.0) == pytest.approx(0.05, rel=1e-4)


def test_power_for_many_values_is_the_normal_formula():
    """At a million values t and chi are constants: 2 Phi(margin / error - z) - 1."""
    error = np.sqrt(2 / 1e6)
    expected = 2 * stats.norm.cdf(0.004 / error - stats.norm.isf(0.05)) - 1
    assert tost_power(1_000_000, 0.004, 1.0, 1.0) == pytest.approx(expected, rel=1e-4)
    assert welch_power(100_000, 5.0, 1.0, 1.0) == 1.0
    assert tost_power(5, 0.01, 1.0, 1.0) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_sizes_are_the_smallest_that_reach_the_power(power):
    n = welch_sample_size(0.7, 1.0, 1.5, power)
    assert welch_power(n, 0.7, 1.0, 1.5) >= power > welch_power(n - 1, 0.7, 1.0, 1.5)
    n = tost_sample_size(0.7, 1.0, 1.5, 0.1, power)
    assert tost_power(n, 0.7, 1.0, 1.5, 0.1) >= power > tost_power(n - 1, 0.7, 1.0, 1.5, 0.1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: welch_power(1, 1.0, 1.0, 1.0), "n=1 is too few"),
        (lambda: welch_sample_size(0.0, 1.0, 1.0), "is not a positive"),
        (lambda: welch_sample_size(1e-6, 1.0, 1.0), "ten million"),
        (lambda: tost_sample_size(0.5, 1.0, 1.0, difference=0.5), "not inside the margin 0.5"),
        (lambda: tost_power(10, 1.0, 0.0, 1.0), "sd_a=0.0"),
        (lambda: welch_sample_size(1.0, 1.0, 1.0, power=1.0), "power=1.0"),
    ],
)
def test_impossible_requests_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.statistical
@pytest.mark.parametrize(("sides", "truths"), [(2, (0.0, 2.0)), (1, (0.0, 2.0))])
def test_decision_power_is_the_smaller_of_both_ways(sides, truths):
    """8 repetitions, sd 0.9 margins, 4,000 claims each way; false alarm 1e-6 for the smaller rate."""
    rng = np.random.default_rng(2)
    region = Region.around(0.0, 1.0) if sides == 2 else Region.at_most(0.0, 1.0)
    counts = []
    for truth in truths:
        found = [mean_finding(rng.normal(truth, 0.9, 8), region) for _ in range(4000)]
        counts.append(sum((f.p_fails if truth else f.p_holds) <= 0.05 for f in found))
    assert plausible(min(counts), 4000, decision_power(8, 1.0, 0.9, sides=sides))


def test_decision_sizes_are_the_smallest_and_grow_with_the_corrections():
    for sides in (1, 2):
        n = decision_sample_size(0.5, 1.3, sides=sides)
        assert decision_power(n, 0.5, 1.3, sides=sides) >= 0.8 > decision_power(n - 1, 0.5, 1.3, sides=sides)
    assert decision_sample_size(0.5, 1.3, alpha_fails=0.005) > decision_sample_size(0.5, 1.3)


@pytest.mark.parametrize("sd", [0.01, 0.3, 1.0, 4.2, 40.0])
@pytest.mark.parametrize("alpha_fails", [None, 0.05 / 12])
@pytest.mark.parametrize("sides", [1, 2])
def test_every_spread_has_its_size(sd, alpha_fails, sides):
    """From regions much wider than the noise to much narrower: never fewer than the normal formula's for holding."""
    n = decision_sample_size(1.0, sd, sides=sides, alpha_fails=alpha_fails)
    known = ((stats.norm.isf(0.05) + stats.norm.isf(0.2)) * sd) ** 2
    assert n >= max(2, known)
    assert decision_power(n, 1.0, sd, sides=sides, alpha_fails=alpha_fails) >= 0.8


def test_the_power_table_is_the_normal_formula_for_many_repetitions():
    """One side, sd 100 margins, n = 60,000: Phi(sqrt(n) / 100 - z_0.95)."""
    (row,) = decision_power_table([100.0], [60_000], sides=1)
    expected = stats.norm.cdf(np.sqrt(60_000) / 100 - stats.norm.isf(0.05))
    assert row == {"sd_over_margin": 100.0, "n": 60_000, "power": pytest.approx(expected, rel=1e-3)}
    table = decision_power_table([0.5, 1.0], [5, 10, 20])
    powers = np.array([r["power"] for r in table]).reshape(2, 3)
    assert (np.diff(powers, axis=1) >= 0).all()
    assert (np.diff(powers, axis=0) <= 0).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: decision_power(1, 1.0, 1.0), "n=1 is too few"),
        (lambda: decision_power(5, 1.0, 1.0, sides=3), "sides=3"),
        (lambda: decision_sample_size(1.0, -1.0), "sd=-1.0"),
    ],
)
def test_impossible_decisions_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
