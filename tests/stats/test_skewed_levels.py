"""The levels for few batches of squared errors, and of biases, in the shapes and numbers that `variance` has.

Truths at the edge of what a claim allows, where a wrong verdict is likeliest. A rate of 5 % is refuted by as many as a
binomial law of it exceeds with probability 1e-6.
"""

import numpy as np
import pytest

from scrf_bench.stats import Region, mean_finding, ratio_of_means_finding
from tests.stats.simulation import at_most

S = np.array([0.25, 0.5, 1.0, 1.5, 2.0, 3.0])
KERNEL = np.exp(-(S**2) / 2)
TRIALS = 1500


def squared_errors(frequencies):
    """Errors of the mean of cosines at each s over so many frequencies, over their exact mean squares."""

    def draw(rng, *size):
        z = rng.standard_normal((*size, frequencies))
        errors = np.stack([np.cos(s * z).mean(axis=-1) - k for s, k in zip(S, KERNEL, strict=True)], axis=-1)
        return errors**2 / (((1 + KERNEL**4) / 2 - KERNEL**2) / frequencies)

    return draw


SHAPES = {
    "constant v: one frequency": squared_errors(1),
    "four frequencies": squared_errors(4),
    "chi-squared": lambda rng, *size: rng.standard_normal((*size, 1)) ** 2,
    "(z^2 - 1)^2": lambda rng, *size: (rng.standard_normal((*size, 1)) ** 2 - 1) ** 2 / 2,
}
# As configs/variance.toml has them: quick 10 batches of 10; paper 20 of 10 (cifar10_subset) to 50, and of 3 for maps
# that draw a whole matrix: many frequencies, and no claim is about them.
CASES = [
    (shape, *sizes)
    for shape in ("constant v: one frequency", "four frequencies", "chi-squared")
    for sizes in ((10, 10), (20, 10), (20, 15), (20, 50))
] + [("four frequencies", 20, 3), ("chi-squared", 20, 3), ("(z^2 - 1)^2", 20, 15), ("(z^2 - 1)^2", 20, 30)]


def batches(shape, n, draws, rng):
    return SHAPES[shape](rng, n, draws).mean(axis=1)


@pytest.mark.statistical
@pytest.mark.parametrize(("shape", "n", "draws"), CASES)
def test_below_holds_wrongly_at_most_five_times_in_a_hundred(shape, n, draws):
    """A ratio to the exact variance that lies at the edge of "below by 10 %"."""
    rng = np.random.default_rng(5)
    region = Region.ratio_below(0.1)
    wrong = 0
    for _ in range(TRIALS):
        own = batches(shape, n, draws, rng) * region.high
        wrong += ratio_of_means_finding(own, np.ones_like(own), region).p_holds <= 0.05
    assert at_most(wrong, TRIALS, 0.05), wrong / TRIALS


@pytest.mark.statistical
@pytest.mark.parametrize("n", [10, 20])
def test_a_skewed_denominator_fails_a_claim_wrongly_no_more_often(n):
    """Against another map that is measured too, "below by 10 %" true at its very edge: the mirror image."""
    rng = np.random.default_rng(6)
    region = Region.ratio_below(0.1)
    wrong = 0
    for _ in range(TRIALS):
        own = batches("four frequencies", n, 10, rng) * region.high
        other = batches("constant v: one frequency", n, 10, rng)
        wrong += ratio_of_means_finding(own, other, region).p_fails <= 0.05
    assert at_most(wrong, TRIALS, 0.05), wrong / TRIALS


@pytest.mark.statistical
@pytest.mark.parametrize(("n", "draws"), [(10, 10), (20, 10), (20, 15), (20, 50)])
def test_a_bias_at_the_margin_is_taken_for_none_at_most_five_times_in_a_hundred(n, draws):
    """``1 - z^2``, an error at one frequency for s near 0: the most skewed one; the margin is sqrt(0.1) sd."""
    rng = np.random.default_rng(7)
    margin = np.sqrt(0.1)
    z = rng.standard_normal((TRIALS, n, draws))
    values = ((1 - z**2) / np.sqrt(2)).mean(axis=2) - margin
    skewness = 4.0 / np.sqrt(draws)
    found = [mean_finding(row, Region.around(0.0, margin), skewness=skewness) for row in values]
    wrong = sum(f.p_holds <= 0.05 for f in found)
    assert at_most(wrong, TRIALS, 0.05), wrong / TRIALS


@pytest.mark.statistical
def test_the_correction_leaves_power():
    """600 draws of chi-squared in 20 batches, truly equal: found within +-25 % more than 8 times in 10.

    The standard error of the log ratio is sqrt(2 / 600) = 0.058, the margin 0.223 or 3.9 of them.
    """
    rng = np.random.default_rng(8)
    found = 0
    for _ in range(300):
        own = batches("chi-squared", 20, 30, rng)
        found += ratio_of_means_finding(own, np.ones_like(own), Region.ratio_within(0.25)).p_holds <= 0.05
    assert not at_most(found, 300, 0.8)
