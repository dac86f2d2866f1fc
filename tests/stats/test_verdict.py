"""Verdicts follow the quantifier, keep their level in simulation, and never rest on one run."""

import dataclasses

import numpy as np
import pytest

from scrf_bench.stats import (
    Region,
    all_of,
    any_of,
    count_finding,
    decision_power,
    exponent_finding,
    from_some_on,
    mean_finding,
    not_testable,
    rank_finding,
    ratio_of_means_finding,
    settled,
)
from tests.stats.simulation import at_least, at_most

UNIT = Region.around(0.0, 1.0)
BASE = mean_finding([0.1, -0.1, 0.2], UNIT)


def part(label, p_holds, p_fails, runs=3):
    return dataclasses.replace(BASE, label=label, p_holds=p_holds, p_fails=p_fails, runs=runs)


GOOD, BAD, OPEN = part("good", 0.01, 0.99), part("bad", 0.99, 0.01), part("open", 0.3, 0.6)


def words(verdict):
    return [judged.word for judged in verdict.parts]


def test_one_part_comes_out_three_ways():
    assert [all_of([f]).word for f in (GOOD, BAD, OPEN)] == ["holds", "fails", "undecided"]
    assert [any_of([f]).word for f in (GOOD, BAD, OPEN)] == ["holds", "fails", "undecided"]
    assert [from_some_on([f]).word for f in (GOOD, BAD, OPEN)] == ["holds", "fails", "undecided"]


def test_for_all_needs_every_part_and_fails_with_one():
    assert all_of([GOOD, GOOD]).word == "holds"
    mixed = all_of([GOOD, BAD, OPEN])
    assert (mixed.word, mixed.headline.label, mixed.reason) == ("fails", "bad", "Fails for bad.")
    opened = all_of([GOOD, OPEN])
    assert (opened.word, opened.headline.label, opened.reason) == ("undecided", "open", "Not clear: open.")


def test_for_some_is_its_mirror_image():
    assert any_of([BAD, BAD]).word == "fails"
    assert (any_of([BAD, GOOD]).word, any_of([BAD, GOOD]).reason) == ("holds", "Holds for good.")
    assert any_of([BAD, OPEN]).word == "undecided"


def test_only_the_side_where_one_part_suffices_is_corrected():
    """At 0.03 each of two parts: all hold at 0.05 (no correction), but neither fails (Holm: 0.06); and mirrored."""
    holding, failing = [part("a", 0.03, 0.9), part("b", 0.03, 0.9)], [part("a", 0.9, 0.03), part("b", 0.9, 0.03)]
    assert (all_of(holding).word, all_of(failing).word) == ("holds", "undecided")
    assert (any_of(holding).word, any_of(failing).word) == ("undecided", "fails")
    # As quotations of their own, parts are corrected on both sides.
    assert words(all_of(holding)) == ["undecided", "undecided"]
    assert words(all_of([GOOD, BAD])) == ["holds", "fails"]


def test_from_some_point_on_says_from_where_and_stops_at_the_first_gap():
    verdict = from_some_on([part("d = 1", 0.01, 1), OPEN, part("d = 3", 0.04, 1), part("d = 4", 0.01, 1)])
    assert (verdict.word, verdict.headline.label) == ("holds", "d = 3")
    assert verdict.reason == "From d = 3 on."
    assert from_some_on([GOOD, OPEN]).word == "undecided"
    assert from_some_on([GOOD, BAD]).reason == "Not even at bad, the largest."


def test_what_was_not_measured_keeps_a_universal_claim_from_holding_but_not_from_failing():
    assert all_of([GOOD], missing=["mnist"]).word == "undecided"
    assert "mnist" in all_of([GOOD], missing=["mnist"]).reason
    assert all_of([BAD], missing=["mnist"]).word == "fails"
    assert any_of([GOOD], missing=["mnist"]).word == "holds"
    assert any_of([BAD], missing=["mnist"]).word == "undecided"
    assert from_some_on([GOOD], missing=["mnist"]).word == "undecided"
    for judge in (all_of, any_of, from_some_on):
        assert (judge([], missing=["mnist"]).word, judge([]).reason) == ("undecided", "Nothing was measured.")


def test_no_verdict_rests_on_one_run():
    single = part("one process", 0.001, 1.0, runs=1)
    verdict = all_of([single])
    assert verdict.word == "undecided"
    assert verdict.reason == "It would be 'holds', but rests on one run; at least 2 are asked for."
    assert all_of([single, single]).word == "holds"
    # However many findings one process gives, it is one run; another process is a second.
    first, second = (dataclasses.replace(single, process=name) for name in ("first", "second"))
    for judge in (all_of, from_some_on):
        assert judge([first, first, first]).reason == verdict.reason
        assert judge([first, first, second]).word == "holds"
    assert any_of([first, first]).word == "undecided"
    assert all_of([first, single]).word == "holds"
    # Only the parts that decide count: many others do not lend the failing one their runs.
    assert all_of([GOOD, GOOD, part("bad", 1.0, 0.001, runs=1)]).word == "undecided"
    assert all_of([single], least_runs=1).word == "holds"
    assert all_of([mean_finding([0.5], UNIT)]).reason == "One run tells nothing of the spread."


def test_what_is_counted_needs_no_second_run():
    assert all_of([count_finding(3.0, Region.around(3.0, 0.0))]).word == "holds"
    assert all_of([count_finding(4.0, Region.around(3.0, 0.0))]).word == "fails"


def test_proof_and_untestability_are_words_of_their_own():
    assert (settled("Proof: here.").word, settled("Proof: here.").reason) == ("settled by theory", "Proof: here.")
    assert not_testable("unknown").word == "not testable"


def test_undecided_says_how_many_repetitions_would_decide_whatever_the_effect():
    """The number depends on spread and margin alone, and is the smallest of the stated power."""
    spread = np.array([-1.0, 1.0, -1.0, 1.0]) * np.sqrt(3.0)  # standard deviation 2
    numbers = {all_of([mean_finding(spread + shift, UNIT)]).needed for shift in (0.0, 0.5, 1.2)}
    (n,) = numbers
    assert decision_power(n, 1.0, 2.0) >= 0.8 > decision_power(n - 1, 1.0, 2.0)
    # With two parts the failing side is corrected, and more are needed.
    assert all_of([mean_finding(spread, UNIT, label=name) for name in "ab"]).needed >= n
    assert all_of([mean_finding(spread, UNIT)], power=None).needed is None


# Truths at the edge of what a claim allows are the hardest ones: there each error has its largest probability.
SKEW = 1 / 0.4**2


def equivalence(rng, ratio, n=10):
    a, b = ratio * rng.gamma(SKEW, 1 / SKEW, (n, 4)), rng.gamma(3 * SKEW, 1 / (3 * SKEW), (n, 4))
    return [ratio_of_means_finding(a, b, Region.ratio_within(0.25))]


def accuracies(rng, difference, parts):
    return [mean_finding(rng.normal(difference if i == 0 else 0, 0.4, 8), Region.around(0, 0.5)) for i in range(parts)]


CASES = {
    # name: (draw findings, judge, which word is wrong)
    "equal, truth just beyond the margin": (lambda rng: equivalence(rng, 1.2501), all_of, "holds"),
    "equal, truth just inside": (lambda rng: equivalence(rng, 1.2499), all_of, "fails"),
    "equal, narrow margin": (
        lambda rng: [mean_finding(rng.normal(0.0, 1.0, 6), Region.around(0.0, 0.005))], all_of, "fails"),
    "all of five sets, one just beyond": (lambda rng: accuracies(rng, 0.501, 5), all_of, "holds"),
    "all of five sets, one just inside": (lambda rng: accuracies(rng, 0.499, 5), all_of, "fails"),
    "some of five sets, all just beyond": (
        lambda rng: [mean_finding(rng.normal(0.501, 0.2, 5), Region.at_most(0, 0.5)) for _ in range(5)],
        any_of, "holds"),
    "faster, by a little too little": (
        lambda rng: [
            rank_finding(np.exp(rng.normal(-0.095, 0.1, 5)), np.exp(rng.normal(0, 0.1, 5)), Region.ratio_below(0.1))
            for _ in range(2)
        ], all_of, "holds"),
    "faster from some d on, but not at the last": (
        lambda rng: [mean_finding(rng.normal(m, 0.1, 5), Region.ratio_below(0.1)) for m in (-1, -1, -0.095)],
        from_some_on, "holds"),
    "exponent a little too large": (
        lambda rng: [exponent_finding(2.0 ** np.arange(8), 2.0 ** (1.1501 * np.arange(8)) * np.exp(
            rng.normal(0, 0.1, 8)), Region.at_most(1.0, 0.15))], all_of, "holds"),
}  # fmt: skip


@pytest.mark.statistical
@pytest.mark.parametrize("case", CASES)
def test_at_most_five_in_a_hundred_verdicts_are_wrong(case):
    """2,000 simulated claims of known truth, at the edge; false alarm 1e-6 against a rate of 5 %."""
    draw, judge, wrong = CASES[case]
    rng = np.random.default_rng(7)
    count = sum(judge(draw(rng), power=None).word == wrong for _ in range(2000))
    assert at_most(count, 2000, 0.05), count


# Claims of five parts, the spread of one repetition 1.5 margins: (judge, truths in margins, the right word).
DECIDABLE = {
    "all parts true": (all_of, (0, 0, 0, 0, 0), "holds"),
    "one of all false": (all_of, (0, 0, 2, 0, 0), "fails"),
    "some part true": (any_of, (2, 2, 0, 2, 2), "holds"),
    "no part true": (any_of, (2, 2, 2, 2, 2), "fails"),
    "true from the last on": (from_some_on, (2, 2, 2, 2, 0), "holds"),
    "false at the last": (from_some_on, (0, 0, 0, 0, 2), "fails"),
}


@pytest.mark.statistical
@pytest.mark.parametrize("case", DECIDABLE)
def test_as_many_repetitions_as_an_undecided_claim_asks_for_decide_it(case):
    """The stated power, 80 %, is that of the whole claim: 1,000 simulated ones, false alarm 1e-6.

    The number comes from a first look that was too small, with the true spread, so that luck has no part in it.
    """
    judge, truths, right = DECIDABLE[case]
    first = np.array([-1.0, 1.0, -1.0, 1.0]) * 1.5 * np.sqrt(0.75)  # sample standard deviation 1.5
    look = judge([mean_finding(first + 0.8, UNIT, label=str(i)) for i in range(len(truths))])
    assert look.word == "undecided"
    rng = np.random.default_rng(11)
    found = [
        judge([mean_finding(rng.normal(truth, 1.5, look.needed), UNIT) for truth in truths], power=None).word
        for _ in range(1000)
    ]
    assert at_least(found.count(right), 1000, 0.8), (look.needed, found.count(right))
