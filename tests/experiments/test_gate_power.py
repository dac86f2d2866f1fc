"""Replayed comparisons on made-up records, where false alarms and power are known."""

import json

import numpy as np
import pytest

from scrf_bench.bench import Store
from scrf_bench.errors import UserError
from scrf_bench.experiments.gate.power import Rate, Replay, slowed, turned_over
from scrf_bench.experiments.gate.power_tables import power_layout, study
from scrf_bench.experiments.gate.settings import load_gate
from tests.experiments.gate_records import quality, timing
from tests.experiments.tiny_study import run_cli

SETTINGS = load_gate()


def records(processes=12, seeds=12):
    """SCRF in turns with RKS, and RKS beside another package's map; accuracies of one set."""
    rng = np.random.default_rng(0)
    timed = [timing(n, seed=3) for n in range(processes)]
    beside = [timing(n, name="sklearn", ratio=2.0, seed=4) for n in range(processes)]
    errors = rng.normal(50.0, 3.0, seeds).round()
    return timed + beside + [quality(n, errors=int(e), digest=str(n)) for n, e in enumerate(errors)]


@pytest.fixture(scope="module")
def replay():
    return Replay(records(), SETTINGS)


def test_the_two_sides_share_no_process_and_no_seed(replay):
    rng = np.random.default_rng(1)
    for _ in range(20):
        base, new = replay.sides(rng, 3, 4)
        times = [[p.samples["map_cpu_s"][0] for r in side for p in r.points if p.samples] for side in (base, new)]
        assert len(times[0]) == len(times[1]) == 6
        assert not set(times[0]) & set(times[1])
        seeds = [{r.cell.parameters["seed"] for r in side if "seed" in r.cell.parameters} for side in (base, new)]
        assert len(seeds[0]) == len(seeds[1]) == 4
        assert not seeds[0] & seeds[1]


def test_uneven_sides_are_the_fast_and_the_slow_processes():
    """RKS takes twice as long in every other process, and so does the map: the pace is seen, the ratio the same."""
    slow = [slowed(slowed(timing(n), "rks", 2.0), "scrf", 2.0) if n % 2 else timing(n) for n in range(12)]
    replay = Replay([*slow, *(quality(n) for n in range(4))], SETTINGS)
    paces = replay.paces
    # The median of 21 draws with noise of 3 % is within 5 % of the truth but for a chance of 1e-9.
    assert all(abs(paces[n] / (2.0 if n % 2 else 1.0) - 1.0) < 0.1 for n in range(12))
    base, new = replay.sides(np.random.default_rng(3), 3, 0, uneven=True)
    assert all(np.median(samples(record, "rks_map_cpu_s")) < 1.5 for record in base)
    assert all(np.median(samples(record, "rks_map_cpu_s")) > 1.5 for record in new)
    assert replay.rate("", 12, processes=3, uneven=True).red == 0


def test_one_code_is_green_and_a_slow_map_red(replay):
    """Twelve times in a row: with noise of 3 % a round, both are certain but for one in a million."""
    same = replay.rate("same code", 12, processes=3, seeds=4)
    assert (same.red, same.rows) == (0, 3)
    for name in ("scrf", "rks"):
        assert replay.slower(name, 12, factor=1.6, processes=3).red == 12
        assert replay.slower(name, 12, factor=1.02, processes=3).red == 0


def test_a_slow_map_is_slow_wherever_it_was_timed():
    own, beside = timing(), timing(name="sklearn")
    assert np.allclose(slowed(own, "scrf", 2.0).points[0].samples["map_cpu_s"], 2.0 * samples(own, "map_cpu_s"))
    assert slowed(own, "rks", 2.0).points[0].samples["map_cpu_s"] == own.points[0].samples["map_cpu_s"]
    for record in (own, beside):
        slow = slowed(record, "rks", 2.0)
        assert np.allclose(slow.points[0].samples["rks_map_cpu_s"], 2.0 * samples(record, "rks_map_cpu_s"))


def samples(record, name):
    return np.array(record.points[0].samples[name])


def test_every_changed_prediction_is_red(replay):
    assert replay.changed_prediction(20).red == 20
    rng = np.random.default_rng(2)
    new = [turned_over(quality(), rng).points[0].number("errors") for _ in range(20)]
    assert set(new) == {50, 51}  # a wrong one that is wrong in another way, or a right one lost


def test_the_interval_is_clopper_and_pearsons():
    """None of 300: the upper end of the 95 % interval is 1 - 0.025^(1/300)."""
    low, high = Rate("same code", 3, 5, 10, 300, 0).interval
    assert low == 0.0
    assert np.isclose(high, 1.0 - 0.025 ** (1 / 300))


def test_the_study_has_a_row_a_scenario_and_a_loss_a_map(replay):
    found = study(replay, 3)
    scenarios = [rate.scenario for rate in found.rates]
    assert scenarios.count("same code") == 3  # 1, 3 and 5 processes a side of 12
    assert {"scrf 30 % slower", "rks 30 % slower"} < set(scenarios)
    assert [loss.method for loss in found.losses] == ["scrf"]
    rates, losses = power_layout(found, "").tables
    assert len(rates.rows) == len(found.rates)
    seen = [losses.rows[0][f"n{n}"] for n in (2, 3, 5, 10, 20)]
    assert seen == sorted(seen, reverse=True)
    assert 0.5 < seen[-1] < 3.0


def test_too_few_records_say_what_to_run():
    with pytest.raises(UserError, match="3 processes of gate-times and 12 seeds of table2"):
        Replay(records(processes=3), SETTINGS)


def test_the_command_writes_beside_the_records(tmp_path):
    for record in records(8, 8):
        Store(tmp_path / record.cell.experiment).add(record)
    result = run_cli("gate-power", tmp_path, "--comparisons", "20", "--json")
    assert result.exit_code == 0, result.output
    rates = [json.loads(line) for line in result.stdout.splitlines()]
    assert {rate["scenario"]: rate["red"] for rate in rates}["one prediction changed"] == 20
    assert (tmp_path / "table-rates.md").read_text().startswith("**How often")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
