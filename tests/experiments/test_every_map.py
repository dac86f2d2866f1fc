"""Every map of the package runs in every experiment that times maps, also those that learn from as many rows as D."""

import numpy as np
import pytest

from scrf_bench.bench import run_cell
from scrf_bench.errors import UserError
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import prepare, render_results
from scrf_bench.experiments.map_cells import draw_map, uniform_points
from scrf_bench.experiments.matrices import keeps_landmarks, matrix_limit, parts_within, rows_to_fit_on
from scrf_bench.maps import MAPS
from tests.experiments.tiny_study import CONFIGS, write_configs

OWN = tuple(MAPS)
LANDMARKS = ("nystroem", "rpc_nystroem")
# Fewer rows than columns in each; no matrix is too large.
FEW_ROWS = {
    "table1": CONFIGS["table1"].replace("rows = 50", "rows = 20"),
    "fig2": CONFIGS["fig2"].replace("0.00001", "1.0"),
    "fig-scale": CONFIGS["fig-scale"].replace("stream_components = 16", "stream_components = 64")
    .replace("0.0000011", "1.0"),
}  # fmt: skip


@pytest.mark.parametrize("experiment", FEW_ROWS)
@pytest.mark.parametrize("name", OWN)
def test_every_map_runs_with_more_columns_than_rows(name, experiment, tmp_path):
    """Its output has all of D columns, and its features approximate the kernel."""
    configs = write_configs(tmp_path / "configs", **FEW_ROWS)
    plan = prepare(experiment, Selection(maps=(name,)), results=tmp_path, configs=configs)
    for cell in plan.cells:
        outcome = run_cell(cell, plan.experiment.measure)
        assert outcome.status == "ok", outcome.traceback
        for point in outcome.points:
            if "kernel_rms_error" in point.metrics:
                assert point.number("kernel_rms_error") <= point.number("kernel_rms_bound")
            if "output_bytes" in point.metrics:
                assert point.metrics["output_bytes"] == cell.parameters["chunk"] * 64 * 4


def test_the_names_of_those_that_keep_landmarks():
    assert {name for name in OWN if keeps_landmarks(name)} == set(LANDMARKS)
    assert not keeps_landmarks("sklearn")


@pytest.mark.parametrize("name", LANDMARKS)
def test_landmarks_are_points_of_the_same_cube_apart_from_the_rows(name):
    X = uniform_points(10, 3, 7).astype(np.float32)
    rows = rows_to_fit_on(name, X, 40, 7)
    assert (rows.shape, rows.dtype) == ((40, 3), np.float32)
    assert rows.min() >= 0.0
    assert rows.max() <= 1.0
    assert not (rows[:, None, :] == X).all(axis=2).any()
    map_ = draw_map(name, n_components=40, gamma=1.0, embedding="phase", seed=0).fit(rows)
    assert map_.transform(X).shape == (10, 40)
    assert len(rows_to_fit_on(name, uniform_points(50, 3, 7), 40, 7)) == 50
    assert rows_to_fit_on("scrf", X, 40, 7) is X


def test_the_matrix_of_landmarks_counts_against_the_limit():
    """1,000 x 1,000 float64 take 8 MB, whatever d and the dtype; a dense float32 map of d = 100 takes 0.4 MB."""
    at = {"d": 100, "D": 1000, "dtype": "float32"}
    assert matrix_limit("nystroem", **at, limit_gb=0.008) is None
    assert "1000 x 1000 matrix of 0.01 GB" in matrix_limit("nystroem", **at, limit_gb=0.0079)
    assert matrix_limit("rks", **at, limit_gb=0.0004) is None
    assert "dense 1000 x 100 matrix" in matrix_limit("rks", **at, limit_gb=0.00039)
    assert matrix_limit("scrf", **at, limit_gb=1e-9) is None


def test_sizes_beyond_a_limit_stand_alone_with_their_reason():
    def limit(size):
        return f"{size} is too large" if size > 5 else None

    assert list(parts_within((3, 9, 4, 8), limit)) == [
        ((3, 4), None),
        ((9,), "9 is too large"),
        ((8,), "8 is too large"),
    ]
    assert list(parts_within((9,), limit)) == [((9,), "9 is too large")]


@pytest.mark.parametrize("name", LANDMARKS)
@pytest.mark.parametrize("profile", ["quick", "paper"])
def test_table_1_refuses_eight_thousand_landmarks_when_it_is_planned(name, profile, tmp_path):
    """Alone they are an error at once; beside others they are rows that say why."""
    with pytest.raises(UserError, match=f"nothing to run with --maps {name}: .*8192 x 8192 .*matrix_limit_gb"):
        prepare("table1", Selection(maps=(name,)), profile=profile, results=tmp_path)
    plan = prepare("table1", Selection(maps=("scrf", name)), profile=profile, results=tmp_path)
    limited = {cell.parameters["map"] for cell in plan.cells if cell.declared_limit}
    assert limited == {name}
    _, _, paths = render_results(plan, ("markdown",))
    assert any("over limit [1]" in path.read_text() for path in paths if path.suffix == ".md")


def test_no_other_map_meets_table_1s_limit(tmp_path):
    for profile in ("quick", "paper"):
        assert not any(
            cell.declared_limit for cell in prepare("table1", Selection(), profile=profile, results=tmp_path).cells
        )


@pytest.mark.parametrize("name", ["sklearn", "libsvm", "zebra"])
def test_the_scale_study_streams_through_maps_only(name, tmp_path):
    with pytest.raises(UserError, match=f"no map named '{name}'"):
        prepare("fig-scale", Selection(maps=(name,)), results=tmp_path)
