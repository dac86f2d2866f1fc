"""Targets are judged by what was measured in one process, and by nothing else."""

import pytest

from scrf_bench.bench import Point, run_cell
from scrf_bench.experiments import experiment_by_name
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.config import load_config
from scrf_bench.experiments.peers import PEERS
from scrf_bench.experiments.scrf.expansion import expansion_cell, measure_expansion, timed_tasks
from scrf_bench.experiments.scrf.reach import Target, judge, reach_table, unmeasured
from scrf_bench.experiments.scrf.sweeps import Sweep, places
from tests.experiments.tiny_study import CONFIGS, run_cli, write_configs


def point(samples, error=0.01, **metrics):
    gate = {"kernel_rms_error": error, "kernel_rms_bound": 0.05}
    return Point({}, gate | metrics, {f"{task}_cpu_s": values for task, values in samples.items()})


SCRF = point({"map": [1.0, 1.0, 1.0, 1.1, 1.0], "rks_map": [4.0, 4.4, 3.6, 4.4, 3.9]}, transform_extra_bytes=3 << 20)


def verdict(target, points):
    found = judge(target, points)
    return None if found is None else (found.d, round(found.value.median, 6), found.met)


@pytest.mark.parametrize(("at_least", "met"), [(3.9, True), (4.0, True), (4.1, False)])
def test_the_median_of_the_rounds_decides(at_least, met):
    """Rounds 4, 4.4, 3.6, 4, 3.9: the median is 4, exactly the number asked for in the second case."""
    target = Target("scrf", "rks", "float32", d=64, at_least=at_least)
    assert verdict(target, {("float32", 64, "scrf"): SCRF}) == (64, 4.0, met)


def test_at_most_asks_for_the_inverse():
    points = {("float32", 64, "fill"): point({"map": [1.0] * 5, "scrf_map": [5.0, 3.9, 3.8, 4.1, 3.5]})}
    assert verdict(Target("scrf", "fill", "float32", d=64, at_most=4.0), points) == (64, 3.9, True)
    assert verdict(Target("scrf", "fill", "float32", d=64, at_most=3.8), points) == (64, 3.9, False)


def test_noise_is_granted_only_where_the_config_says_so():
    """Quartiles of 0.9, 0.95, 0.99, 1.01, 1.2: the upper one is 1.01, the median 0.99."""
    points = {("float32", 16, "scrf"): point({"map": [1.0] * 5, "rks_map": [0.9, 0.95, 0.99, 1.01, 1.2]})}
    strict = Target("scrf", "rks", "float32", at_least=1.0)
    assert verdict(strict, points) == (16, 0.99, False)
    assert verdict(Target("scrf", "rks", "float32", at_least=1.0, within_noise=True), points) == (16, 0.99, True)


def test_every_width_must_reach_it_and_the_worst_is_shown():
    points = {
        ("float32", d, "scrf"): point({"map": [1.0] * 5, "rks_map": [ratio] * 5})
        for d, ratio in ((16, 1.2), (64, 0.8), (128, 3.0))
    }
    # Another dtype has no say.
    points["float64", 16, "scrf"] = point({"map": [1.0], "rks_map": [0.1]})
    assert verdict(Target("scrf", "rks", "float32", at_least=1.0), points) == (64, 0.8, False)
    del points["float32", 64, "scrf"]
    assert verdict(Target("scrf", "rks", "float32", at_least=1.0), points) == (16, 1.2, True)


def test_memory_is_judged_in_mib():
    points = {("float32", 64, "scrf"): SCRF, ("float32", 128, "scrf"): point({}, transform_extra_bytes=17 << 20)}
    assert verdict(Target("scrf", "memory", "float32", d=64, at_most=16.0), points) == (64, 3.0, True)
    assert verdict(Target("scrf", "memory", "float32", at_most=16.0), points) == (128, 17.0, False)
    unknown = {("float32", 64, "scrf"): point({}, transform_extra_bytes=None)}
    assert verdict(Target("scrf", "memory", "float32", d=64, at_most=16.0), unknown) is None


def test_times_of_two_processes_are_never_divided():
    """Both were measured, but not in turns: there is no ratio, and the table says so."""
    points = {
        ("float32", 64, "scrf"): point({"map": [1.0] * 5}),
        ("float32", 64, "sklearn"): point({"map_fresh": [9.0] * 5}),
    }
    target = Target("scrf", "sklearn", "float32", d=64, at_least=4.0)
    assert judge(target, points) is None
    (row,) = reach_table("t", "t", [target], points).rows
    assert row["met"] == "not measured"
    assert "measured" not in row


def test_reused_and_fresh_outputs_are_told_apart():
    """RBFSampler makes a fresh output; ours is judged by its reused one, or by its fresh one where that is asked."""
    samples = {"map_fresh": [8.0] * 5, "scrf_map": [1.0] * 5, "scrf_map_fresh": [4.0] * 5}
    points = {("float64", 64, "sklearn"): point(samples)}
    assert verdict(Target("scrf", "sklearn", "float64", d=64, at_least=3.0), points) == (64, 8.0, True)
    fresh = Target("scrf", "sklearn", "float64", d=64, at_least=3.0, output="fresh")
    assert verdict(fresh, points) == (64, 2.0, False)


def test_a_map_that_misses_the_kernel_meets_nothing():
    bad = point({"map": [1.0] * 5, "rks_map": [100.0] * 5}, error=0.5)
    assert judge(Target("scrf", "rks", "float32", d=64, at_least=4.0), {("float32", 64, "scrf"): bad}) is None


def test_the_table_says_met_and_not_met():
    targets = [Target("scrf", "rks", "float32", d=64, at_least=value) for value in (3.0, 5.0)]
    rows = reach_table("t", "t", targets, {("float32", 64, "scrf"): SCRF}).rows
    assert [(row["target"], row["met"]) for row in rows] == [("≥ 3", "met"), ("≥ 5", "not met")]
    assert rows[0]["measured"] == 4.0
    assert rows[0]["low"] <= 4.0 <= rows[0]["high"]


@pytest.mark.parametrize("limits", [{}, {"at_least": 1.0, "at_most": 2.0}])
def test_a_target_needs_one_number(limits):
    with pytest.raises(ValueError, match="either at_least or at_most"):
        Target("scrf", "rks", "float32", **limits)


@pytest.mark.parametrize("profile", ["quick", "paper"])
def test_every_packaged_target_is_measured_by_the_packaged_plan(profile):
    """A target whose cells are not planned would stay 'not measured' for ever."""
    from scrf_bench.experiments.scrf.expansion import companions

    config = load_config("table1", profile, experiment_by_name("table1").config_type)
    planned = {(p.dtype, d, p.method) for p in places(config.sweeps(), Selection()) for d in p.d}
    assert config.reach
    assert unmeasured(config.reach, places(config.sweeps(), Selection())) == []
    for target in config.reach:
        widths = {d for dtype, d, method in planned if dtype == target.dtype and target.d in (None, d)}
        assert any(
            ((target.dtype, d, target.map) in planned and target.against in (*companions(target.map), "memory"))
            or ((target.dtype, d, target.against) in planned and target.map in companions(target.against))
            for d in widths
        ), target


def with_reach(tmp_path, *targets):
    """Write the tiny Table 1, float64 at d = 16 and 20, with targets, and return the folder."""
    lines = ", ".join("{ " + target + " }" for target in targets)
    return write_configs(tmp_path / "configs", table1=CONFIGS["table1"] + f"reach = [{lines}]")


GOOD = 'map = "scrf", against = "rks", dtype = "float64", d = 16, at_least = 1.0'


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (('"scrf"', '"scfr"'), ["reach[1]", "no 'scfr' for 'map'", "Did you mean 'scrf'?", "fastfood"]),
        (('"rks"', '"skleran"'), ["reach[1]", "no 'skleran' for 'against'", "Did you mean 'sklearn'?", "memory"]),
        (("d = 16", "d = 15"), ["reach[1].d", "width 15", "Did you mean 16?", "16, 20"]),
        (('"float64"', '"float46"'), ["reach[1].dtype", "'float46'", "float32, float64"]),
        (('"float64"', '"float32"'), ["reach[1].dtype", "'float32'", "float64"]),
    ],
)
@pytest.mark.parametrize("command", [["run"], ["run", "--dry-run"], ["status"], ["report"]])
def test_a_mistyped_target_is_refused_with_the_config(wrong, words, command, tmp_path):
    """Exit code 2 with the place, the value and what there is, before any cell runs."""
    configs = with_reach(tmp_path, GOOD, GOOD.replace(*wrong))
    result = run_cli(command[0], "table1", *command[1:], "--configs", configs, "--results", tmp_path / "results")
    assert result.exit_code == 2, result.output
    for word in ("table1.toml", *words):
        assert word in result.stderr
    assert not (tmp_path / "results").exists()


def test_targets_that_the_plan_leaves_out_are_named_before_anything_runs(tmp_path):
    configs = with_reach(tmp_path, GOOD, GOOD.replace('"rks"', '"sklearn"'), GOOD.replace('"scrf"', '"ocrf"'))
    arguments = ["run", "table1", "--dry-run", "--configs", configs, "--results", tmp_path]
    (line,) = [line for line in run_cli(*arguments).stderr.splitlines() if "targets" in line]
    # OCRF is a map, but this config does not time it.
    assert line == "table1: 1 of 3 targets will stay 'not measured' by this plan: ocrf against rks, float64, d = 16."
    (line,) = [line for line in run_cli(*arguments, "--maps", "scrf").stderr.splitlines() if "targets" in line]
    assert "2 of 3 targets" in line
    assert "scrf against sklearn" in line


def test_the_table_keeps_the_targets_that_a_narrowed_plan_leaves_out(tmp_path):
    from scrf_bench.experiments.campaign import prepare, render_results

    configs = with_reach(tmp_path, GOOD, GOOD.replace('"rks"', '"sklearn"'))
    plan = prepare("table1", Selection(maps=("scrf",)), results=tmp_path, configs=configs)
    layout, _, _ = render_results(plan, ("markdown",))
    (table,) = [table for table in layout.tables if table.name == "table1-reach"]
    assert [row["met"] for row in table.rows] == ["not measured"] * 2


def test_what_a_plan_can_measure_follows_from_what_its_cells_time():
    found = places((Sweep(maps=("scrf",), peers=("sklearn",), d=(16,), dtypes=("float32",)),), Selection())
    measured = [
        Target("scrf", "rks", "float32", at_least=1.0),
        Target("scrf", "sklearn", "float32", d=16, at_least=1.0),
        Target("scrf", "sklearn", "float32", d=16, at_least=1.0, output="fresh"),
        Target("scrf", "memory", "float32", at_most=1.0),
    ]
    # RKS beside SCRF writes into the reused output only; OCRF and fht-cpu are not there; 64 is no width of theirs.
    lost = [
        Target("scrf", "rks", "float32", at_least=1.0, output="fresh"),
        Target("ocrf", "memory", "float32", at_most=1.0),
        Target("scrf", "fht-cpu", "float32", at_least=1.0),
        Target("scrf", "rks", "float32", d=64, at_least=1.0),
        Target("scrf", "rks", "float64", at_least=1.0),
    ]
    assert unmeasured([*measured, *lost], found) == lost


@pytest.mark.parametrize("name", ["rks", "scrf", *PEERS])
def test_a_cell_times_what_its_plan_is_judged_by(name):
    if name in PEERS:
        pytest.importorskip(PEERS[name].module, reason=f"{PEERS[name].package} is not installed")
    cell = expansion_cell(
        "table1", 2, name, d=[16], D=[64], rows=20, dtype="float32", samples=2, seed=1, threads=1, stages=False
    )
    outcome = run_cell(cell, measure_expansion)
    assert outcome.status == "ok", outcome.traceback
    (point,) = outcome.points
    timed = {key.removesuffix("_cpu_s") for key in point.samples if key.endswith("_cpu_s")}
    assert timed == timed_tasks(name) | {"draw"}
