"""The local executor: what each ending of a cell becomes, what is run again, what a cell starts with."""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

import psutil
import pytest

from scrf_bench.bench import Cell, Interrupted, Record, RunOptions, RunSummary, Store, capture_environment, run_cells
from scrf_bench.errors import UserError
from tests.bench.fake_plan import make_cell, make_options, starts, traced_pids


def run(folder: Path, *cells: Cell, reporter: object = None, **changes: object) -> RunSummary:
    return run_cells(cells, Store(folder / "store"), make_options(folder, **changes), reporter)  # type: ignore[arg-type]


def run_one(folder: Path, act: str, **changes: object) -> Record:
    """Run one cell that does `act`; its working files and its process must be gone afterwards."""
    cell_changes: dict[str, Any] = {key: changes.pop(key) for key in ("parameters", "kind") if key in changes}
    (record,) = run(folder, make_cell(act, **cell_changes), **changes).records
    assert Store(folder / "store").all() == [record]
    assert list((folder / "store" / ".work").iterdir()) == []
    assert not any(psutil.pid_exists(pid) for pid in traced_pids(folder))
    return record


def test_ok(tmp_path: Path) -> None:
    """The points a cell measured come back, with the environment, times and memory."""
    record = run_one(tmp_path, "ok")
    assert (record.status, record.error, record.traceback, record.declared) == ("ok", None, None, False)
    assert [point.parameters for point in record.points] == [{"D": 1}, {"D": 2}]
    assert [point.metrics for point in record.points] == [{"accuracy": 1 / 2}, {"accuracy": 1 / 3}]
    assert record.environment == capture_environment(1)
    assert record.peak_rss > 2**20
    assert record.started.endswith("+00:00")


def test_timeout(tmp_path: Path) -> None:
    """A cell that takes too long is killed; the record names the limit and what was reached."""
    record = run_one(tmp_path, "sleep", parameters={"seconds": 600}, timeout_s=0.8)
    assert record.status == "timeout"
    assert "the limit is 0.8 s (--timeout)" in str(record.error)
    assert 0.8 < record.wall_s < 600
    assert record.peak_rss > 2**20


@pytest.mark.parametrize("act", ["hog", "child_hog"])
def test_memory_limit(tmp_path: Path, act: str) -> None:
    """A cell that takes too much memory, or whose child does, is killed; limit and figure are named."""
    record = run_one(tmp_path, act, memory_limit=200 * 10**6, timeout_s=60)
    assert record.status == "memory"
    assert re.fullmatch(
        r"Stopped at \d+ MB of resident memory; the limit is 200 MB \(--memory-limit\)\.", str(record.error)
    )
    assert record.peak_rss > 200 * 10**6


def test_a_stubborn_cell_is_killed(tmp_path: Path) -> None:
    """A cell that ignores SIGTERM does not outlive its limit."""
    assert run_one(tmp_path, "stubborn", timeout_s=0.8).status == "timeout"


def test_death_by_signal(tmp_path: Path) -> None:
    """A crash names the signal and the last words; SIGKILL hints at the kernel's out-of-memory killer."""
    crash = run_one(tmp_path / "a", "crash", parameters={"signal": "SIGSEGV"})
    assert crash.status == "failed"
    assert "killed by signal 11 (SIGSEGV); it wrote no outcome" in str(crash.error)
    assert str(crash.error).endswith("Its last words: about to touch forbidden memory")
    kill = run_one(tmp_path / "b", "crash", parameters={"signal": "SIGKILL"})
    assert "signal 9 (SIGKILL): maybe the kernel's out-of-memory killer" in str(kill.error)


def test_a_flood_of_messages_is_cut(tmp_path: Path) -> None:
    """Of half a megabyte on standard error the end is kept, and the cell is not held up by it."""
    record = run_one(tmp_path, "chatty")
    assert "line 19999 of far too many" in str(record.error)
    assert len(str(record.traceback)) <= 8192


@pytest.mark.parametrize(
    ("act", "words"), [("garbage", "not valid JSON"), ("foreign", "not a scrf-bench outcome file")]
)
def test_garbage_for_an_outcome(tmp_path: Path, act: str, words: str) -> None:
    """An outcome file that is none fails the cell and says why."""
    record = run_one(tmp_path, act)
    assert record.status == "failed"
    assert "ended with exit code 0" in str(record.error)
    assert words in str(record.error)


def test_a_crash_after_the_outcome_loses_nothing(tmp_path: Path) -> None:
    """A library that crashes while the interpreter shuts down does not take the result with it."""
    record = run_one(tmp_path, "crash_later")
    assert record.status == "ok"
    assert len(record.points) == 2


@pytest.mark.parametrize(
    ("act", "status", "words"),
    [
        ("unavailable", "unavailable", "The dataset 'moon' is not here: fetch it."),
        ("failing", "failed", "The dataset 'moon' is made of cheese."),
        ("out_of_memory", "memory", "MemoryError"),
    ],
)
def test_exceptions_in_a_cell(tmp_path: Path, act: str, status: str, words: str) -> None:
    """What the cell's process found out about its error is what the record says."""
    record = run_one(tmp_path, act)
    assert (record.status, record.error) == (status, words)
    assert "Traceback" in str(record.traceback)


def test_exit_code_2_is_the_runs_fault(tmp_path: Path) -> None:
    """A command that cannot run any cell ends the run with its message, and fails no cell."""
    with pytest.raises(UserError, match=r"could not be run\. The plugin 'nothing.py' is not there"):
        run(tmp_path, make_cell("exit2"), make_cell("ok"))
    assert Store(tmp_path / "store").all() == []
    with pytest.raises(UserError, match="Cannot start a cell with '/no/such/python'"):
        run(tmp_path, make_cell("ok"), command=("/no/such/python",))


def test_what_is_run_again(tmp_path: Path) -> None:
    """ok never, unavailable always, failed only with retry, everything with force; old records stay."""
    good, failing, moon = make_cell("ok"), make_cell("failing"), make_cell("unavailable")
    plan = (good, failing, moon)

    first = run(tmp_path, *plan)
    assert first.counts == {"ok": 1, "failed": 1, "unavailable": 1}
    assert (first.executed, first.skipped, first.exit_code, first.advice()) == (3, 0, 3, None)

    (tmp_path / "traces" / "now_available").touch()
    second = run(tmp_path, *plan)
    assert second.counts == {"ok": 2, "failed": 1}
    assert (second.executed, second.skipped, second.exit_code) == (1, 2, 3)
    assert [record.cell for record in second.not_ok] == [failing]
    assert "add --retry failed" in str(second.advice())

    assert run(tmp_path, *plan, retry=frozenset({"timeout"})).executed == 0
    third = run(tmp_path, *plan, retry=frozenset({"failed"}))
    assert (third.executed, third.skipped, third.advice()) == (1, 2, None)

    fourth = run(tmp_path, good, moon, force=True)
    assert (fourth.executed, fourth.exit_code) == (2, 0)
    counts = [len(Store(tmp_path / "store").records(cell)) for cell in plan]
    assert counts == [2, 2, 3]
    assert [starts(tmp_path).count(cell.id) for cell in plan] == counts


def test_a_plan_may_name_a_cell_twice(tmp_path: Path) -> None:
    """The same cell twice is one cell."""
    summary = run(tmp_path, make_cell("ok"), make_cell("ok", label="again"))
    assert (summary.executed, len(summary.records)) == (1, 1)


def test_declared_limits(tmp_path: Path) -> None:
    """A cell beyond a declared limit is recorded, not run, once; dropping the declaration runs it."""
    limited = make_cell("ok", declared_limit="the matrix needs 16 GiB, more than memory_limit = 8 GiB")
    summary = run(tmp_path, limited, make_cell("ok", 1))
    record = summary.records[0]
    assert (record.status, record.declared, record.error) == ("memory", True, limited.declared_limit)
    assert starts(tmp_path) == [make_cell("ok", 1).id]
    assert (summary.exit_code, summary.executed) == (0, 1)
    assert summary.words() == "2 cells: 1 ok, 1 memory, 1 of them by a declared limit"

    again = run(tmp_path, limited)
    assert (again.records, again.exit_code, again.advice()) == ((record,), 0, None)
    assert len(Store(tmp_path / "store").all()) == 2

    free = run(tmp_path, make_cell("ok"))
    assert (free.executed, free.counts) == (1, {"ok": 1})
    assert run(tmp_path, limited).counts == {"ok": 1}


def test_a_declaration_replaces_a_failure(tmp_path: Path) -> None:
    """A cell that exceeded the memory limit for real, and is declared to since, ends a run well."""
    hog = make_cell("hog")
    assert run(tmp_path, hog, memory_limit=100 * 2**20).exit_code == 3
    declared = run(tmp_path, make_cell("hog", declared_limit="too large"))
    assert (declared.exit_code, declared.records[0].declared, declared.records[0].attempt) == (0, True, 2)


def test_known_to_be_unavailable(tmp_path: Path) -> None:
    """A cell that cannot be had is recorded, not run, and once for the same reason; later it runs."""
    without = make_cell("ok", unavailable="The dataset 'moon' cannot be had.")
    for _ in range(2):
        summary = run(tmp_path, without)
        assert [(r.status, r.error, r.declared) for r in summary.records] == [
            ("unavailable", "The dataset 'moon' cannot be had.", False)
        ]
        assert (summary.exit_code, summary.executed, summary.advice()) == (3, 0, None)
        assert len(Store(tmp_path / "store").all()) == 1
    assert run(tmp_path, make_cell("ok", unavailable="The site is down.")).records[0].attempt == 2
    assert starts(tmp_path) == []
    assert run(tmp_path, make_cell("ok")).counts == {"ok": 1}
    assert run(tmp_path, without).counts == {"ok": 1}


class Watcher:
    """Notes, at each start, which cells are running."""

    def __init__(self) -> None:
        self.running: list[Cell] = []
        self.order: list[str] = []
        self.together: list[set[str]] = []
        self.reasons: list[str] = []

    def run_started(self, cells: object, *, done: int, jobs: int) -> None:
        self.planned = list(cells)  # type: ignore[call-overload]

    def cell_started(self, cell: Cell) -> None:
        self.running.append(cell)
        self.order.append(cell.label)
        self.together.append({each.label for each in self.running})

    def cell_finished(self, record: Record, *, by_other: bool = False) -> None:
        self.running.remove(record.cell)

    def waiting(self, reason: str) -> None:
        self.reasons.append(reason)

    def run_finished(self) -> None:
        self.ended = True


def test_timing_cells_run_alone_and_last(tmp_path: Path) -> None:
    """With three jobs, quality cells share the machine; every timing cell has it to itself."""
    short = {"parameters": {"seconds": 0.4}}
    plan = [
        make_cell("ok", 0, kind="timing", **short),
        make_cell("ok", 1, **short),
        make_cell("ok", 2, **short),
        make_cell("ok", 3, kind="timing", **short),
        make_cell("ok", 4, **short),
    ]
    watcher = Watcher()
    summary = run(tmp_path, *plan, jobs=3, reporter=watcher)
    assert watcher.order == ["ok 1", "ok 2", "ok 4", "ok 0", "ok 3"]
    assert watcher.together[2] == {"ok 1", "ok 2", "ok 4"}
    assert watcher.together[3:] == [{"ok 0"}, {"ok 3"}]
    assert [record.cell for record in summary.records] == plan
    assert watcher.ended
    assert watcher.reasons == []


def test_what_a_cell_starts_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads are pinned whatever the shell says; command and plugins are as documented."""
    monkeypatch.setenv("OMP_NUM_THREADS", "64")
    monkeypatch.setenv("SOME_SETTING", "kept")
    options = RunOptions(plugins=(tmp_path / "mine.py",), environ={"SCRF_BENCH_OFFLINE": "1", "MKL_NUM_THREADS": "9"})
    environ = options.environ_for(make_cell(threads=3))
    for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "NUMBA"):
        assert environ[f"{name}_NUM_THREADS"] == "3"
    expected = {
        "OMP_WAIT_POLICY": "passive",
        "MPLBACKEND": "Agg",
        "PYTHONHASHSEED": "0",
        "SOME_SETTING": "kept",
        "SCRF_BENCH_OFFLINE": "1",
        "SCRF_BENCH_PARENT_PID": str(os.getpid()),
    }
    assert {name: environ[name] for name in expected} == expected
    command = options.command_for(Path("c.json"), Path("o.json"))
    assert command[:4] == [sys.executable, "-m", "scrf_bench", "cell"]
    assert command[4:] == ["c.json", "--outcome", "o.json", "--plugin", str(tmp_path / "mine.py")]


def test_whose_limit_holds() -> None:
    """The run's limit goes before the cell's, the cell's before the default."""
    plain, own = make_cell(), make_cell(timeout_s=5.0, memory_limit=7)
    default, strict = RunOptions(), RunOptions(timeout_s=2.0, memory_limit=3)
    assert [options.timeout_for(cell) for options in (default, strict) for cell in (plain, own)] == [
        21600,
        5,
        2,
        2,
    ]
    assert [options.memory_for(cell) for options in (default, strict) for cell in (plain, own)] == [
        2**33,
        7,
        3,
        3,
    ]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"jobs": 0}, "--jobs is 0"),
        ({"timeout_s": 0.0}, "--timeout is 0"),
        ({"memory_limit": -1}, "--memory-limit is -1"),
        ({"retry": frozenset({"ok"})}, "--retry cannot be 'ok'"),
        ({"retry": frozenset({"crashed"})}, "--retry cannot be 'crashed'"),
    ],
)
def test_senseless_options_are_refused(settings: dict[str, object], words: str) -> None:
    """The message names the option and the value."""
    with pytest.raises(UserError, match=words):
        RunOptions(**settings)  # type: ignore[arg-type]


def test_full_disk_ends_the_run_and_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a record cannot be written the run stops with one message; records before it stay."""
    link, calls = os.link, []

    def full_later(*paths: str) -> None:
        calls.append(paths)
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        link(*paths)

    monkeypatch.setattr(os, "link", full_later)
    plan = [make_cell("ok", 0), make_cell("ok", 1), make_cell("sleep", 2, parameters={"seconds": 600})]
    with pytest.raises(UserError, match="No space left"):
        run(tmp_path, plan[0], plan[2], plan[1], jobs=2)
    assert [record.cell for record in Store(tmp_path / "store").all()] == [plan[0]]
    assert not any(psutil.pid_exists(pid) for pid in traced_pids(tmp_path))
    monkeypatch.undo()
    assert run(tmp_path, *plan[:2]).executed == 1


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ([make_cell("ok")], "its one cell done and stored"),
        ([make_cell("ok"), make_cell("ok", 1)], "all 2 cells done and stored"),
    ],
)
def test_a_signal_when_all_is_done_still_stops(tmp_path: Path, plan: list[Cell], words: str) -> None:
    """Ctrl-C after the last cell, or where all were done before, reaches the caller, who may have more to run."""

    class Late(Watcher):
        def run_finished(self) -> None:
            os.kill(os.getpid(), signal.SIGINT)

    for executed in (len(plan), 0):
        with pytest.raises(Interrupted, match=f"^Interrupted with {words}; run the same command again") as caught:
            run(tmp_path, *plan, reporter=Late())
        assert (caught.value.summary.executed, caught.value.summary.missing) == (executed, ())


def test_nothing_is_left_when_the_reporter_breaks(tmp_path: Path) -> None:
    """An error in the run itself ends the running cells as well."""

    class Broken(Watcher):
        def cell_started(self, cell: Cell) -> NoReturn:
            raise RuntimeError("no more paper")

    before = psutil.Process().children()
    with pytest.raises(RuntimeError, match="no more paper"):
        run(tmp_path, make_cell("sleep", parameters={"seconds": 600}), reporter=Broken())
    assert not any(psutil.pid_exists(pid) for pid in traced_pids(tmp_path))
    assert psutil.Process().children() == before
