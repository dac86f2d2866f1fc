"""The worker: how an error becomes a status, and what may not get into a record."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from scrf_bench.bench import Cell, Outcome, Point, execute_cell_file, run_cell
from scrf_bench.errors import DataError, ScrfBenchError, UnavailableError, UserError
from tests.bench.fake_plan import make_cell

CELL = make_cell()


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (UnavailableError("No moon here: fetch it."), "unavailable", "No moon here: fetch it."),
        (MemoryError(), "memory", "MemoryError"),
        (MemoryError("9 GB"), "memory", "MemoryError: 9 GB"),
        (DataError("The moon is cheese."), "failed", "The moon is cheese."),
        (ScrfBenchError("Within."), "failed", "Within."),
        (ValueError("bad D"), "failed", "ValueError: bad D"),
        (SystemExit(3), "failed", "SystemExit: 3"),
        (SystemExit(0), "failed", "SystemExit: 0"),
        (SystemExit(), "failed", "SystemExit"),
        (DataError("no \udce4"), "failed", "no \\udce4"),
    ],
)
def test_errors_become_statuses(error: BaseException, status: str, words: str) -> None:
    """The suite's own errors give their message, others their type as well; the traceback is kept."""

    def measure(cell: Cell) -> Sequence[Point]:
        raise error

    outcome = run_cell(CELL, measure)
    assert (outcome.status, outcome.error, outcome.points) == (status, words, ())
    assert outcome.traceback is not None
    assert "in measure" in outcome.traceback


def test_interrupts_pass() -> None:
    """Ctrl-C in a cell run by hand is no result."""

    def measure(cell: Cell) -> Sequence[Point]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_cell(CELL, measure)


def _late_nan(cell: Cell) -> list[Point]:
    point = Point({}, {"accuracy": 0.5})
    assert isinstance(point.metrics, dict)
    point.metrics["accuracy"] = float("nan")
    return [point]


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (_late_nan, "'accuracy' is nan"),
        (lambda cell: [Point({}, {"accuracy": float("inf")})], "'accuracy' is inf"),
        (lambda cell: [{"accuracy": 1.0}], "a dict at position 0"),
        (lambda cell: [], "no point"),
        (lambda cell: None, "NoneType"),
    ],
)
def test_bad_points_fail_the_cell(measure: object, words: str) -> None:
    """What is no finite number never reaches a record; the cell fails and says which value it was."""
    outcome = run_cell(CELL, measure)  # type: ignore[arg-type]
    assert outcome.status == "failed"
    assert words in str(outcome.error)
    assert outcome.points == ()


def test_cell_file_to_outcome_file(tmp_path: Path) -> None:
    """The outcome file holds what run_cell found, and is read back as such by its cell's id only."""
    cell_path, outcome_path = tmp_path / "cell.json", tmp_path / "outcome.json"
    cell_path.write_text(json.dumps(CELL.to_json()))
    outcome = execute_cell_file(cell_path, outcome_path, lambda cell: [Point({"D": 1}, {"n": 2}, {"t": [1]})])
    assert outcome.status == "ok"
    assert outcome.peak_rss > 2**20
    assert Outcome.read(outcome_path, CELL.id) == outcome
    with pytest.raises(DataError, match="belongs to the cell"):
        Outcome.read(outcome_path, make_cell(number=1).id)
    with pytest.raises(UserError, match=r"nothing\.json"):
        execute_cell_file(tmp_path / "nothing.json", outcome_path, lambda cell: [])


def test_peak_memory_is_the_process_own() -> None:
    """A small process started by a large one does not report the large one's memory.

    (Linux's ru_maxrss would: 200 MB here, inherited over exec.)
    """
    code = "from scrf_bench.bench.worker import peak_rss; print(peak_rss())"
    held = bytearray(os.urandom(1)) * 200_000_000
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len(held) == 200_000_000
    assert 2**20 < int(done.stdout) < 150_000_000


def test_a_worker_whose_run_is_gone_ends(tmp_path: Path) -> None:
    """A cell whose parent died before it could ask to be told ends without measuring."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    code = "from scrf_bench.bench.worker import die_with_parent; die_with_parent(); print('measuring')"
    for parent, printed in ((gone.pid, ""), (os.getpid(), "measuring\n")):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "SCRF_BENCH_PARENT_PID": str(parent)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout == printed
