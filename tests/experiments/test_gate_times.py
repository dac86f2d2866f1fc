"""The gate's own timing cells, tiny, run for real; and what their plan holds."""

import json

import pytest

from scrf_bench.errors import UserError
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import prepare
from tests.experiments.tiny_study import record_files, run_cli, write_configs


@pytest.fixture(scope="module")
def configs(tmp_path_factory):
    return write_configs(tmp_path_factory.mktemp("configs"))


def cells(configs, tmp_path, **selection):
    return prepare("gate-times", Selection(**selection), configs=configs, results=tmp_path).cells


def test_the_processes_of_a_method_are_cells_of_their_own_and_spread_over_the_run(configs, tmp_path):
    plan = cells(configs, tmp_path)
    assert [(c.parameters["map"], c.parameters["process"]) for c in plan] == [
        ("scrf", 0), ("sklearn", 0), ("scrf", 1), ("sklearn", 1),
    ]  # fmt: skip
    assert len({c.id for c in plan}) == 4
    # More processes keep those that there are.
    assert {c.id for c in plan} < {c.id for c in cells(configs, tmp_path, seeds=5)}


def test_maps_narrow_it_down_and_another_map_joins(configs, tmp_path):
    assert {c.parameters["map"] for c in cells(configs, tmp_path, maps=("orf", "rks"))} == {"orf"}
    with pytest.raises(UserError, match="libsvm"):
        cells(configs, tmp_path, maps=("libsvm",))
    with pytest.raises(UserError, match="nothing to do with --maps rks"):
        cells(configs, tmp_path, maps=("rks",))


def test_a_run_compared_with_itself_is_the_same_and_every_ratio_has_its_samples(configs, tmp_path):
    result = run_cli("run", "gate-times", "--seeds", "1", "--configs", configs, "--results", tmp_path)
    assert result.exit_code == 0, result.output
    # SCRF over RKS; RKS and SCRF over scikit-learn's map; at two widths.
    table = (tmp_path / "quick" / "gate-times" / "table.csv").read_text().splitlines()
    assert len(table) == 1 + 6
    for found in record_files(tmp_path / "quick" / "gate-times"):
        for point in found["points"]:
            assert {len(values) for name, values in point["samples"].items() if "map" in name} == {15}
    compared = run_cli("compare", tmp_path / "quick", tmp_path / "quick", "--json")
    assert compared.exit_code == 0
    rows = json.loads(compared.stdout)["rows"]
    times = [row for row in rows if row["kind"] == "time"]
    assert {(row["method"], row["estimate"], row["red"]) for row in times} == {
        ("scrf", 1.0, False),
        ("rks", 1.0, False),
    }
    assert len(times) == 6
    assert all(row["p_worse"] > 0.5 for row in times)
    assert {row["verdict"] for row in rows if row["kind"] == "outputs"} == {"same"}
