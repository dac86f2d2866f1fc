"""Streams from the disk: files that leave nothing behind, memory that is measured, limits that are declared."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scrf_bench.bench import Point, Record, run_cell
from scrf_bench.experiments import experiment_by_name
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import prepare, render_results
from scrf_bench.experiments.config import load_config
from scrf_bench.experiments.memory import extra_peak, resident
from scrf_bench.experiments.suite.scale_layout import _fit_words, _growth_words
from scrf_bench.experiments.suite.streaming import one_chunk, rows_on_disk, stream
from scrf_bench.maps import RKS
from tests.bench.fake_plan import ENVIRONMENT
from tests.experiments.tiny_study import write_configs

needs_books = pytest.mark.skipif(extra_peak(lambda: None) is None, reason="the system does not let a peak start anew")


@pytest.fixture
def own_tmp(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_rows_on_disk_are_the_points_of_an_npy_file(own_tmp):
    with rows_on_disk(25, 7, "float32", 3, 10) as X:
        assert (X.shape, X.dtype) == ((25, 7), np.float32)
        assert not X.flags.writeable
        np.testing.assert_array_equal(X[:10], one_chunk(10, 7, "float32", 3))
        np.testing.assert_array_equal(X, np.random.default_rng(3).random((25, 7), dtype=np.float32))


def test_the_file_has_no_name_to_be_left_behind(own_tmp):
    with rows_on_disk(25, 7, "float32", 3, 10):
        assert list(own_tmp.iterdir()) == []
    assert list(own_tmp.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="counts a process's open files in /proc")
def test_a_killed_process_leaves_no_file(tmp_path):
    code = (
        "import time\n"
        "from scrf_bench.experiments.suite.streaming import rows_on_disk\n"
        "with rows_on_disk(1000, 50, 'float32', 0, 100):\n"
        "    print('there', flush=True)\n"
        "    time.sleep(60)\n"
    )
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", code], env=environ, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline().strip() == "there"
            held = [str(link.readlink()) for link in Path(f"/proc/{process.pid}/fd").iterdir()]
            assert any(str(tmp_path) in name for name in held), "the rows are somewhere else"
        finally:
            process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert list(tmp_path.iterdir()) == []


class Recorder:
    """Stands for a fitted map: keeps what it was given, and returns the rows' sums."""

    n_components = 2

    def __init__(self):
        self.seen = []

    def transform(self, X, out):
        self.seen.append(np.array(X))
        out[:] = X.sum(axis=1, keepdims=True)
        return out


def test_a_stream_gives_every_row_to_the_map_once_and_in_order(own_tmp):
    map_ = Recorder()
    with rows_on_disk(95, 4, "float32", 3, 10) as X:
        metrics, samples = stream(map_, X, 10)
        expected = np.array(X)
    # The first call is the warm-up.
    np.testing.assert_array_equal(np.concatenate(map_.seen[1:]), expected)
    assert all(len(chunk) == 10 for chunk in map_.seen[1:-1])
    assert metrics["output_bytes"] == 10 * 2 * 4
    assert len(samples["rows_per_cpu_s"]) == len(samples["rows_per_wall_s"]) == 10
    assert metrics["rows_per_wall_s"] == pytest.approx(95 / metrics["pass_wall_s"])


def test_fewer_chunks_than_samples_are_streamed_as_well(own_tmp):
    map_ = Recorder()
    with rows_on_disk(12, 4, "float32", 3, 10) as X:
        _, samples = stream(map_, X, 10)
    assert [len(chunk) for chunk in map_.seen[1:]] == [10, 2]
    assert len(samples["rows_per_cpu_s"]) == 2


@needs_books
def test_the_peak_of_a_call_is_seen_even_when_it_is_gone_at_the_end():
    out = np.zeros(1 << 20)

    def hungry():
        out.fill(np.ones(4 << 20).sum())

    assert 30 << 20 < extra_peak(hungry) < 40 << 20
    assert extra_peak(lambda: out.fill(1.0)) < 2 << 20


@needs_books
def test_a_stream_is_charged_for_what_its_map_allocates(own_tmp):
    class Hungry(Recorder):
        def transform(self, X, out):
            np.ones(4 << 20)
            return super().transform(X, out)

    with rows_on_disk(40, 4, "float32", 3, 10) as X:
        modest, _ = stream(Recorder(), X, 10)
        hungry, _ = stream(Hungry(), X, 10)
    assert modest["peak_extra_bytes"] < 4 << 20
    assert hungry["peak_extra_bytes"] > 30 << 20


def test_fields_of_proc_that_are_not_there_are_none():
    assert resident("NoSuchField") is None


@pytest.fixture
def plan(tmp_path):
    return prepare("fig-scale", Selection(), results=tmp_path, configs=write_configs(tmp_path / "configs"))


def test_dense_maps_stop_at_the_declared_matrix(plan):
    """8 x 64 float32 take 2,048 bytes, above the 1,100 allowed; RKS at D = 64 is planned and not run."""
    limited = [(c.parameters["map"], c.parameters["D"]) for c in plan.cells if c.declared_limit]
    assert limited == [("rks", [64])]
    wide = {c.parameters["map"]: c.parameters["D"] for c in plan.cells
            if c.parameters["part"] == "components" and not c.declared_limit}  # fmt: skip
    assert wide == {"rks": [16, 32], "scrf": [16, 32, 64]}
    streamed = [(c.parameters["map"], c.parameters["rows"]) for c in plan.cells if c.parameters["part"] == "stream"]
    assert streamed == [("rks", 40), ("scrf", 40), ("rks", 100), ("scrf", 100)]


def made_up(plan, cell):
    """Return points for a cell: times that are exactly linear in D, and memory that does not grow."""
    p = cell.parameters
    if p["part"] == "stream":
        metrics = {"rows_per_cpu_s": 1000.0, "rows_per_wall_s": 500.0, "peak_extra_bytes": 5_000_000,
                   "anonymous_extra_bytes": 1_000_000, "output_bytes": 1920, "held_bytes": 300}  # fmt: skip
        samples = {"rows_per_cpu_s": [900.0, 1000.0, 1100.0], "chunk_cpu_s": [1.0, 1.0], "rks_chunk_cpu_s": [3.0, 5.0]}
        return [Point({"map": p["map"], "rows": p["rows"], "D": p["D"]}, metrics, samples)]
    return [
        Point({"map": p["map"], "D": D, "rows": p["rows"]}, {"map_cpu_s": 1e-3 * D}, {"map_cpu_s": [1e-3 * D] * 3})
        for D in p["D"]
    ]


def test_tables_and_figure_of_made_up_records(plan):
    for cell in plan.cells:
        declared = bool(cell.declared_limit)
        status, points = ("memory", ()) if declared else ("ok", tuple(made_up(plan, cell)))
        plan.store.add(Record(cell, ENVIRONMENT, 1, status, points, declared=declared, error=cell.declared_limit))
    layout, _, paths = render_results(plan, ("csv", "markdown", "latex", "png", "svg"))
    streamed, wide = layout.tables
    rows = {(row["rows"], row["method"]): row for row in streamed.rows}
    assert rows[100, "SCRF"]["speedup"] == 4.0
    assert rows[100, "RKS"]["speedup"] == 1.0
    assert rows[40, "SCRF"]["anonymous"] == 1_000_000
    exponent = wide.rows[-1]["scrf"]
    assert exponent.mean == pytest.approx(1.0)
    assert exponent.se == pytest.approx(0.0, abs=1e-9)
    assert wide.rows[-1]["rks"] == "n/a", "two points give no exponent"
    assert "exceeds the limit of 1.1e-06 GB" in wide.rows[2]["rks"].reason
    assert [path for path in paths if path.name == "figure.png"]


def test_without_records_there_is_a_table_of_nothing_and_no_figure(plan):
    layout, _, _ = render_results(plan, ("markdown",))
    assert not layout.figures
    assert {row["method"] for row in layout.tables[0].rows} == {"RKS", "SCRF"}


def test_cells_measure_what_they_plan(plan, own_tmp):
    for cell in plan.cells:
        if cell.declared_limit:
            continue
        outcome = run_cell(cell, plan.experiment.measure)
        assert outcome.status == "ok", outcome.traceback
        if cell.parameters["part"] == "stream":
            (point,) = outcome.points
            assert point.number("rows_per_cpu_s") > 0
            assert ("rks_chunk_cpu_s" in point.samples) == (cell.parameters["map"] != "rks")
        else:
            assert [point.parameters["D"] for point in outcome.points] == cell.parameters["D"]


def test_a_map_keeps_its_promise_on_a_stream(own_tmp):
    """What is streamed chunk by chunk is what one call gives."""
    map_ = RKS(16, gamma=0.1, random_state=0).fit(np.zeros((1, 8), np.float32))
    with rows_on_disk(50, 8, "float32", 3, 20) as X:
        whole = map_.transform(np.array(X))
        parts = np.concatenate([map_.transform(X[start : start + 20]) for start in range(0, 50, 20)])
    np.testing.assert_array_equal(whole, parts)


def stream_points(peaks, anonymous=0):
    """Return points of streams: {(map, rows): peak in MiB}."""
    return {
        ("stream", name, rows): Point(
            {"map": name, "rows": rows},
            {"peak_extra_bytes": None if peak is None else peak * 2**20, "anonymous_extra_bytes": anonymous},
            {},
        )
        for (name, rows), peak in peaks.items()
    }


def test_memory_is_called_flat_only_if_the_records_say_so(plan):
    """40 and 100 rows, a margin of 4 MiB: RKS by 0.5 MiB, SCRF by 4.0 exactly, and then by 4.1."""
    config = plan.config
    points = stream_points({("rks", 40): 3.0, ("rks", 100): 3.5, ("scrf", 40): 3.0, ("scrf", 100): 7.0})
    words = _growth_words(config, ("rks", "scrf"), points)
    assert "from 40 to 100 rows" in words
    assert "flat within 4 MiB for every map (at most +4.0 MiB, SCRF)" in words
    points |= stream_points({("scrf", 100): 7.1})
    words = _growth_words(config, ("rks", "scrf"), points)
    assert "flat within 4 MiB for RKS (at most +0.5 MiB, RKS); SCRF grew by 4.1 MiB" in words


def test_growth_that_is_not_known_is_not_called_flat(plan):
    points = stream_points({("rks", 40): 3.0, ("rks", 100): 2.0, ("scrf", 40): 3.0})
    words = _growth_words(plan.config, ("rks", "scrf"), points)
    assert "flat within 4 MiB for RKS (at most" in words
    assert "SCRF is not known" in words
    assert "flat" not in _growth_words(plan.config, ("rks", "scrf"), {})
    one = replace(plan.config, stream_rows=(40,))
    assert "flat" not in _growth_words(one, ("rks",), stream_points({("rks", 40): 3.0}))


def test_anonymous_memory_that_grows_is_growth_as_well(plan):
    points = stream_points({("rks", 40): 3.0}) | stream_points({("rks", 100): 3.0}, anonymous=9 << 20)
    assert "RKS grew by 9.0 MiB" in _growth_words(plan.config, ("rks",), points)


def test_the_exponents_say_over_which_columns_they_were_fitted(plan):
    points = {("components", "scrf", D): Point({}, {"map_cpu_s": 1e-3 * D}, {}) for D in (16, 32, 64)}
    points |= {("components", "rks", D): Point({}, {"map_cpu_s": 1e-3 * D}, {}) for D in (16, 32)}
    words = _fit_words(plan.config, ("rks", "scrf"), points)
    assert "Fitted over the 3 D from 16 to 64 (SCRF): below D = 16 " in words
    assert "RKS" not in words
    assert "Too few points" in _fit_words(plan.config, ("rks",), points)


@pytest.mark.parametrize("profile", ["quick", "paper"])
def test_the_packaged_streams_and_fits_have_enough_to_compare(profile):
    """Several chunks at the fewest rows too, or a stream has not settled; three D for every exponent."""
    config = load_config("fig-scale", profile, experiment_by_name("fig-scale").config_type)
    assert min(config.stream_rows) >= 20 * config.stream_chunk
    assert max(config.stream_rows) >= 4 * min(config.stream_rows)
    for name in config.maps:
        fitted = [D for D in config.components if config.fit_from <= D and config.limit(name, D) is None]
        assert len(fitted) >= 3, name
