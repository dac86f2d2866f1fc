"""The gate on made-up records: each verdict where it is due, and red for the right reason only."""

import dataclasses

import numpy as np
import pytest

from scrf_bench.bench import Point
from scrf_bench.errors import ConfigError
from scrf_bench.experiments.gate import page
from scrf_bench.experiments.gate.comparison import compare_records
from scrf_bench.experiments.gate.ratios import time_ratios
from scrf_bench.experiments.gate.settings import load_gate
from tests.bench.fake_plan import ENVIRONMENT
from tests.experiments.gate_records import ELSEWHERE, quality, record, times, timing

SETTINGS = load_gate()


def rows(base, new, kind=None, settings=SETTINGS):
    found = compare_records(base, new, settings).rows
    return [row for row in found if kind is None or row.kind == kind]


def only(base, new, kind=None, **more):
    (row,) = rows(base, new, kind, **more)
    return row


# --- outputs of a fixed seed ---


def test_the_same_outputs_are_the_same():
    row = only([quality()], [quality()])
    assert (row.kind, row.verdict, row.red) == ("outputs", "same", False)


@pytest.mark.parametrize("changed", [{"digest": "bb"}, {"errors": 51, "digest": "bb"}, {"errors": 40, "digest": "bb"}])
def test_a_changed_prediction_is_red_in_the_same_environment_for_better_or_worse(changed):
    """The version says that the results are those of before; one prediction too many breaks that."""
    comparison = compare_records([quality()], [quality(**changed)], SETTINGS)
    (row,) = comparison.red
    assert (row.kind, row.verdict) == ("outputs", "worse")
    assert "1 of 1 points differ" in row.reason
    assert comparison.exit_code(strict=False) == 4


def test_elsewhere_rounding_may_move_a_prediction_but_not_the_accuracy():
    moved = quality(errors=52, digest="bb", environment=ELSEWHERE)
    assert only([quality()], [moved]).verdict == "same"
    lost = only([quality()], [quality(errors=57, digest="cc", environment=ELSEWHERE)])
    assert lost.red
    assert lost.base == (0.95,)
    assert lost.new == (0.943,)


def test_a_golden_output_may_differ_by_rounding_and_no_more():
    old, new, wrong = (dataclasses.replace(timing(), points=(point(value),)) for value in (0.5, 0.5004, 0.52))
    assert only([old], [new], "outputs").verdict == "same"  # float32
    row = only([old], [wrong], "outputs")
    assert row.red
    assert "kernel_rms_error at d=64: 0.5 -> 0.52" in row.reason


def point(error):
    return Point({"map": "scrf", "d": 64}, {"kernel_rms_error": error})


def test_a_new_metric_does_not_make_an_old_record_wrong():
    new = quality()
    more = dataclasses.replace(new.points[0], metrics={**new.points[0].metrics, "other_error": 1.0})
    assert only([quality()], [dataclasses.replace(new, points=(more,))]).verdict == "same"


def test_a_lost_metric_is_red():
    new = quality()
    less = {name: value for name, value in new.points[0].metrics.items() if name != "predictions_sha256"}
    row = only([quality()], [dataclasses.replace(new, points=(dataclasses.replace(new.points[0], metrics=less),))])
    assert row.red
    assert "predictions_sha256 at D=64: aa -> not there" in row.reason
    none = dataclasses.replace(new, points=(dataclasses.replace(new.points[0], metrics={}),))
    assert only([quality()], [none]).red


def test_a_better_result_of_a_fixed_seed_is_red_and_says_why():
    row = only([quality()], [quality(errors=20, digest="bb")])
    assert row.red
    assert "Better or not, a fixed seed gives the same until a version is raised." in row.reason


def test_elsewhere_a_few_test_points_may_turn_over():
    """Two of 1,000 by the 0.2 points of configs/gate.toml, three not; and two however small the test set."""
    for errors, red in ((52, False), (53, True)):
        assert only([quality()], [quality(errors=errors, environment=ELSEWHERE)]).red is red
    small = [quality(errors=e, environment=place) for e, place in ((50, ENVIRONMENT), (52, ELSEWHERE))]
    small = [
        dataclasses.replace(r, points=(dataclasses.replace(p, parameters={**p.parameters, "n_test": 100}, metrics=m),))
        for r, accuracy in zip(small, (0.5, 0.48), strict=True)
        for p in r.points
        for m in [{**p.metrics, "accuracy": accuracy}]
    ]
    assert not only(small[:1], small[1:]).red


def test_a_base_of_several_machines_is_compared_on_the_new_ones_own():
    """The other machine's record is the newer one, and would let the changed predictions pass."""
    later = quality(digest="zz", environment=ELSEWHERE, started="2026-12-24T00:00:00.000+00:00")
    row = only([quality(), later], [quality(digest="bb", errors=51)])
    assert row.red
    assert "errors 50 -> 51" in row.reason


def test_a_lost_point_is_red():
    old = quality()
    two = dataclasses.replace(old, points=(*old.points, Point({"D": 128}, {"accuracy": 0.9})))
    assert "1 points are gone" in only([two], [old]).reason
    assert only([two], [old]).red


def test_a_raised_version_is_stale_and_not_red():
    row = only([quality()], [quality(version=2, errors=500, digest="x")], "outputs")
    assert (row.verdict, row.red) == ("stale", False)
    assert "version of map 1 -> 2" in row.reason


# --- cells that were not measured on both sides ---


def test_missing_new_and_failed_cells_are_told_apart():
    failed = quality(2, status="failed", error="ValueError: no")
    found = compare_records([quality(0), quality(1), quality(2)], [quality(0), failed, quality(3)], SETTINGS)
    # Seed 3 is new as a cell, and a fresh seed of the same thing.
    assert {row.what: row.verdict for row in found.rows if row.kind in ("cell", "outputs")} == {
        "dna scrf seed 0": "same",
        "dna scrf seed 1": "missing",
        "dna scrf seed 2": "failed",
        "dna scrf seed 3": "new",
    }
    assert [row.what for row in found.red] == ["dna scrf seed 2"]
    assert "ValueError: no" in found.red[0].reason


@pytest.mark.parametrize("status", ["failed", "timeout", "memory"])
def test_only_a_new_failure_is_red(status):
    bad = quality(status=status, error="why")
    assert only([quality()], [bad]).red
    assert only([], [bad]).red
    before = only([bad], [bad])
    assert (before.verdict, before.red) == ("failed", False)
    assert only([bad], [quality()]).verdict == "new"


def test_what_cannot_be_had_or_is_over_a_declared_limit_is_no_failure():
    unavailable = quality(status="unavailable", error="install fht-cpu")
    limited = quality(status="memory", error="over 1 GB", declared=True)
    for bad in (unavailable, limited):
        assert only([quality()], [bad]).verdict == "missing"
        assert only([bad], [bad]).verdict == "same"
        assert not compare_records([quality()], [bad], SETTINGS).red


def test_missing_is_red_only_when_strict():
    comparison = compare_records([quality(0), quality(1)], [quality(0)], SETTINGS)
    assert (comparison.exit_code(strict=False), comparison.exit_code(strict=True)) == (0, 4)


def test_an_older_success_does_not_hide_a_newer_failure():
    late = "2026-12-01T00:00:00.000+00:00"
    bad = quality(status="failed", error="why", started=late)
    assert only([quality()], [quality(), bad]).red
    # In the base the success speaks: what fails now did work.
    assert only([quality(), bad], [quality()]).verdict == "same"


# --- accuracies over seeds ---


def accuracies(errors, **changes):
    return [quality(seed, errors=e, digest=str(e), **changes) for seed, e in enumerate(errors)]


BEFORE = [50, 52, 49, 51, 50, 48, 51, 50]


def test_another_version_must_keep_the_accuracy():
    row = only(accuracies(BEFORE), accuracies([e + 30 for e in BEFORE], version=2), "quality")
    assert (row.verdict, row.red, row.unit) == ("worse", True, "points")
    assert np.isclose(row.change.estimate, -3.0)
    assert only(accuracies(BEFORE), accuracies(BEFORE, version=2), "quality").verdict == "same"
    assert only(accuracies(BEFORE), accuracies([e - 30 for e in BEFORE], version=2), "quality").verdict == "better"


def test_few_seeds_are_uncertain_and_say_so():
    row = only(accuracies([50]), accuracies([90], version=2), "quality")
    assert (row.verdict, row.red) == ("uncertain", False)
    assert "too few" in row.reason


def test_fresh_seeds_of_the_same_version_are_compared_and_shared_ones_are_not_counted_twice():
    shared = accuracies(BEFORE[:4])
    fresh = [quality(seed, errors=90, digest="x") for seed in range(4, 8)]
    row = only(shared, [*shared, *fresh], "quality")
    assert len(row.base) == len(row.new) == 4
    assert rows(shared, shared, "quality") == []


def test_all_seeds_fresh_are_neither_missing_nor_new():
    base, new = accuracies(BEFORE), [quality(seed, errors=50 + seed % 3, digest="x") for seed in range(10, 18)]
    comparison = compare_records(base, new, SETTINGS)
    assert [row.kind for row in comparison.rows] == ["quality"]
    assert comparison.exit_code(strict=True) == 0


def test_random_splits_are_paired_by_seed():
    """Splits that differ by 10 points hide a loss of 2 from Welch, and not from pairs."""
    errors = np.array([100, 300, 150, 250, 200, 120, 280, 180])
    for split, verdict in (("seed", "worse"), ("official split", "uncertain")):
        new = accuracies([int(e) + 20 + i % 3 for i, e in enumerate(errors)], version=2, split=split)
        assert only(accuracies([int(e) for e in errors], split=split), new, "quality").verdict == verdict


def test_tolerances_can_be_set_for_some_rows(tmp_path):
    path = tmp_path / "gate.toml"
    path.write_text('[[rules]]\ndataset = "dna"\nmap = "scrf"\ntolerances = { accuracy_points = 5.0 }\n')
    settings = load_gate(path)
    new = accuracies([e + 30 for e in BEFORE], version=2)
    assert only(accuracies(BEFORE), new, "quality", settings=settings).verdict == "same"
    assert settings.tolerances_of("table2", "dna", "rks").accuracy_points == SETTINGS.tolerances.accuracy_points


# --- times ---


def test_times_three_ways():
    assert only(times(), times(seed=1), "time").verdict in ("same", "uncertain")
    slower = only(times(), times(seed=1, ratio=0.75), "time")
    assert (slower.verdict, slower.red) == ("worse", True)
    assert 1.4 < slower.change.estimate < 1.6
    assert len(slower.base) == len(slower.new) == 3
    assert only(times(), times(seed=1, ratio=0.3), "time").verdict == "better"
    assert only(times(9), times(9, seed=1), "time").verdict == "same"


def test_a_faster_machine_changes_no_ratio():
    """Seconds are never compared: both halves of a ratio halve."""
    new = [
        dataclasses.replace(r, points=tuple(dataclasses.replace(p, samples=halved(p.samples)) for p in r.points))
        for r in times(9)
    ]
    row = only(times(9), new, "time")
    assert row.change.estimate == 1.0
    assert row.verdict == "same"


def halved(samples):
    return {name: [value / 2 for value in values] for name, values in samples.items()}


def test_no_verdict_on_times_below_fifteen_samples_a_side():
    row = only([timing(samples=14)], [timing(samples=14, ratio=5.0)], "time")
    assert (row.verdict, row.change) == ("uncertain", None)
    assert "14 and 14 samples" in row.reason
    assert only([timing(samples=15)], [timing(samples=15, ratio=5.0)], "time").verdict == "worse"
    # Several processes fill them up together.
    assert only(times(3, samples=5), times(3, samples=5, ratio=5.0), "time").verdict == "worse"


def test_on_another_processor_only_a_factor_is_red():
    there = {"environment": ELSEWHERE, "seed": 1}
    slower = only(times(), times(ratio=0.75, **there), "time")
    assert (slower.verdict, slower.red) == ("uncertain", False)
    assert "other processors" in slower.reason
    assert only(times(), times(ratio=2.0, **there), "time").red


def test_each_machine_is_held_to_its_own():
    """Five of the same machine are 1.5 times as slow: one of another must not loosen what they are held to."""
    slow = times(5, seed=1, ratio=0.75)
    new = [*slow[:4], timing(4, seed=1, ratio=0.75, environment=ELSEWHERE)]
    assert only(times(5), slow, "time").red
    mixed = rows(times(5), new, "time")
    assert [row.red for row in mixed] == [True, False]
    assert [len(row.new) for row in mixed] == [4, 1]
    assert "other processors or libraries" in mixed[1].reason


@pytest.mark.parametrize("values", [[], [0.0] * 21, [-1.0] * 21])
def test_a_time_that_vanished_is_red(values):
    new = [
        dataclasses.replace(r, points=tuple(dataclasses.replace(p, samples=lost(p.samples, values)) for p in r.points))
        for r in times()
    ]
    row = only(times(), new, "time")
    assert (row.verdict, row.red) == ("worse", True)
    assert "without this time" in row.reason
    # One process of three is as bad; of another version it is said, and of a missing cell the cell's row tells.
    assert only(times(), [*times(2), new[2]], "time").red
    other = [dataclasses.replace(r, cell=timing(n, version=2).cell) for n, r in enumerate(new)]
    row = only(times(), other, "time")
    assert (row.verdict, row.red) == ("missing", False)
    assert rows(times(), [], "time") == []


def lost(samples, values):
    return {name: values if name == "map_cpu_s" else taken for name, taken in samples.items()}


def beside_rks(rks, fastfood, seed):
    """RKS beside sklearn, and SCRF and Fastfood beside RKS, nine processes each; times in SCRF's doubled."""
    beside = times(9, name="sklearn", ratio=2.0 / rks, seed=seed)
    scrf, other = times(9, ratio=0.5 / rks, seed=seed), times(9, name="fastfood", ratio=fastfood / rks, seed=seed)
    return [*beside, *scrf, *other]


def test_another_machines_success_hides_no_failure():
    """In the new store, as in the base: what is red on one machine stays red when another's records are added."""
    base = [quality(), *times(4), quality(environment=ELSEWHERE), *times(4, environment=ELSEWHERE)]
    bad = [quality(digest="bb", errors=60), *times(4, seed=1, ratio=0.75)]
    later = "2026-12-24T00:00:00.000+00:00"
    good = [quality(environment=ELSEWHERE, started=later), *times(4, seed=2, environment=ELSEWHERE, started=later)]
    alone, mixed = (compare_records(base, new, SETTINGS).red for new in (bad, [*bad, *good]))
    assert [row.what for row in mixed] == [row.what for row in alone]
    assert len(mixed) == 2


def test_what_rks_gained_is_no_loss_of_the_others():
    """RKS takes half as long beside sklearn: every ratio to it doubles, and only Fastfood, slower by 1.6, is red."""

    found = compare_records(beside_rks(1.0, 0.5, 0), beside_rks(0.5, 0.8, 1), SETTINGS)
    verdicts = {row.method: row.verdict for row in found.rows if row.kind == "time"}
    assert verdicts == {"rks": "better", "scrf": "same", "fastfood": "worse"}
    (red,) = found.red
    assert 1.4 < red.change.estimate < 1.8
    assert "what RKS itself has changed (0.5×) is taken out" in red.reason.replace("0.499", "0.5")
    # And the other way round: with RKS and Fastfood both slower, both are red.
    found = compare_records(beside_rks(1.0, 0.5, 0), beside_rks(2.0, 1.0, 1), SETTINGS)
    assert {row.method for row in found.red} == {"rks", "fastfood"}


@pytest.mark.parametrize("rks", [0.8, 0.87, 1.07, 1.13, 1.25])
def test_a_small_change_of_rks_neither_blames_nor_hides_another(rks):
    """RKS within or near its tolerance: SCRF, unchanged, is never red, and Fastfood, slower by a half, is."""
    found = compare_records(beside_rks(1.0, 0.5, 0), beside_rks(rks, 0.75, 1), SETTINGS)
    assert {row.method for row in found.red} - {"rks"} == {"fastfood"}


def test_a_new_version_does_not_excuse_slowness():
    assert only(times(), times(ratio=0.75, version=2), "time").red


def test_beside_another_packages_map_ours_is_judged():
    record_of_peer = timing(name="sklearn", ratio=2.0)
    (ratio,) = time_ratios(record_of_peer.cell, record_of_peer.points[0])
    assert (ratio.task, ratio.reference) == ("rks", "sklearn")
    assert np.isclose(ratio.median, 0.5, rtol=0.1)
    # sklearn's own time over RKS falls where RKS becomes slower.
    slower = [timing(process, name="sklearn", ratio=2.0 / 1.5, seed=1) for process in range(3)]
    row = only([timing(process, name="sklearn", ratio=2.0) for process in range(3)], slower, "time")
    assert (row.method, row.verdict) == ("rks", "worse")


def test_a_cell_that_holds_nothing_to_compare_is_named():
    nothing = record(quality().cell, Point({}, {"seconds_s": 1.0}))
    row = only([nothing], [nothing])
    assert (row.verdict, row.kind) == ("uncertain", "cell")
    assert any("nothing that the gate compares" in line for line in page.unmeasured_words([row]))


# --- all rows together ---


@pytest.mark.statistical
def test_many_rows_are_falsely_red_together_no_more_often_than_alpha():
    """Forty accuracies that no version changed: at 0.01 a row, 33 of 100 comparisons would be red.

    The bound is Holm's, of rows at their tolerance's end; here the truth is well within it. False alarms: none.
    """
    rng = np.random.default_rng(8)

    def side(version):
        return [
            quality(seed, errors=int(e), method=f"m{number}", version=version, digest=f"{e}")
            for number in range(40)
            for seed, e in enumerate(rng.normal(50.0, 4.0, 3).round())
        ]

    assert sum(bool(compare_records(side(1), side(2), SETTINGS).red) for _ in range(30)) == 0


def test_a_red_row_is_explained_with_both_samples():
    comparison = compare_records(times(), times(seed=1, ratio=0.75), SETTINGS)
    text = page.explain(comparison.red[0])
    assert "gate-times scrf: time over RKS, d=64, float32" in text
    assert "63 and 63 samples" in text
    base, new = text.splitlines()[-2:]
    assert base.strip().startswith("base: 0.")
    assert "median of each process, n = 3" in new


def test_the_comment_shows_red_rows_first_and_folds_the_rest():
    base = [*times(), quality(1), quality(1, method="rks")]
    comparison = compare_records(base, [*times(seed=1, ratio=0.75), quality(2)], SETTINGS)
    text = page.markdown_comment(comparison, "base", "new")
    assert text.startswith("### 🔴 scrf-bench: Regression: 1 of")
    order = ["Red rows", "The two samples", "Rows of each verdict", "missing: table2"]
    assert sorted(order, key=text.index) == order
    assert text.count("<details>") == text.count("</details>")
    assert text.count("Regression: 1 of") == 1
    green = page.markdown_comment(compare_records(times(), times(), SETTINGS), "base", "new")
    assert green.startswith("### 🟢 scrf-bench: No regression")
    assert "Red rows" not in green


def test_no_error_breaks_or_swells_the_comment():
    """A page of an error a cell, with fences and mentions in it: GitHub takes 65,536 characters."""
    error = "```\n</details> @someone " + 5_000 * "x"
    failed = [quality(n, status="failed", error=error) for n in range(300)]
    comparison = compare_records([quality(n) for n in range(300)], failed, SETTINGS)
    text = page.markdown_comment(comparison, "base", "new", [f"file {n}: damaged" for n in range(300)])
    assert len(text) < 65_536
    assert "Regression: 300 of 300 rows are red" in text
    opened, inside, after = text.split("````")
    assert opened.endswith("<details><summary>The two samples of each red row</summary>\n\n")
    assert inside.startswith("text\n")
    assert "</details>" in inside
    assert after.count("<details>") + 1 == after.count("</details>")
    assert "unreadable: file 0: damaged" in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[rules]]\nmap = "SCRF"\ntolerances = { slower = 0.2 }', "there is no map 'SCRF'. Did you mean 'scrf'?"),
        ('[[rules]]\nexperiment = "tabel2"\ntolerances = { slower = 0.2 }', "no experiment 'tabel2'. Did you mean"),
        ('[[rules]]\ndataset = "nosuch"\ntolerances = { slower = 0.2 }', "there is no dataset 'nosuch'."),
        ('[[rules]]\nmap = "scrf"\ntolerances = {}', "rules[0]: it sets no tolerance; there are slower,"),
        ("alpha = 0.7", "alpha is 0.7"),
        ("[tolerances]\nslowr = 0.1", "tolerances.slowr: unknown key. Did you mean 'slower'"),
        ("least_samples = 1.5", "least_samples: expected int"),
        ("tolerances = 3", "tolerances: expected a table"),
        ("[[rules]]\ntolerances = { slower = 0.2 }", "rules[0]: name an experiment"),
    ],
)
def test_a_wrong_gate_file_names_the_key(tmp_path, text, words):
    path = tmp_path / "gate.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_gate(path)
    assert words in str(caught.value)
    assert "gate.toml" in str(caught.value)


def test_a_gate_file_of_ones_own_says_only_what_is_different(tmp_path):
    path = tmp_path / "gate.toml"
    path.write_text("[tolerances]\nslower = 0.5\n")
    settings = load_gate(path)
    assert settings.tolerances == dataclasses.replace(SETTINGS.tolerances, slower=0.5)
    assert settings.golden == SETTINGS.golden
