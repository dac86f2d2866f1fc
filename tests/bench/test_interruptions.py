"""Runs that are killed, stopped, or run beside each other: nothing is lost, doubled, or left behind."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from scrf_bench.bench import Cell, Store
from scrf_bench.bench.machine_lock import MachineLock
from tests.bench.fake_plan import ROOT, make_cell, starts, traced_pids

PATIENCE_S = 60.0


@contextmanager
def running(folder: Path, cells: list[Cell], jobs: int = 1) -> Iterator[subprocess.Popen[str]]:
    """A run in a process of its own, as from a shell; killed if the test leaves it behind."""
    folder.mkdir(parents=True, exist_ok=True)
    plan = folder / "plan.json"
    plan.write_text(json.dumps([cell.to_json() for cell in cells]))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.run_fake", str(folder), str(jobs), str(plan)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def wait_until(condition: object) -> None:
    """Wait for something that must come about."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.01)


def results(folder: Path) -> dict[str, tuple[str, object]]:
    """Status and points of every cell in the store; each must have one record that is whole."""
    store = Store(folder / "store")
    records = store.all()
    assert store.damaged == {}
    assert max(Counter(record.cell.id for record in records).values()) == 1
    return {record.cell.id: (record.status, record.points) for record in records}


def alive(folder: Path) -> list[int]:
    """The fake cells that still run; one that nobody collected (a container without init) does not."""

    def runs(pid: int) -> bool:
        try:
            return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    return [pid for pid in traced_pids(folder) if runs(pid)]


def test_killed_at_random_and_restarted(tmp_path: Path) -> None:
    """A run killed with SIGKILL five times at random ends with the records of an undisturbed one.

    No cell that had an ``ok`` record is run again, and no cell outlives its run. The moments are drawn with a
    fixed seed, but what they hit depends on the machine: any moment must do.
    """
    cells = [make_cell("ok", number, parameters={"seconds": 0.05}) for number in range(14)]
    cells += [make_cell("ok", number, kind="timing") for number in range(14, 17)] + [make_cell("failing", 17)]
    with running(tmp_path / "calm", cells, jobs=2) as process:
        assert process.wait(PATIENCE_S) == 3
    expected = results(tmp_path / "calm")
    assert len(expected) == len(cells)

    folder, moments = tmp_path / "killed", random.Random(7)
    for _ in range(5):
        before = len(starts(folder))
        with running(folder, cells, jobs=2) as process:
            wait_until(
                lambda process=process, before=before: len(starts(folder)) > before or process.poll() is not None
            )
            time.sleep(moments.uniform(0.0, 0.6))
            process.kill()
        wait_until(lambda: not alive(folder))
    with running(folder, cells, jobs=2) as process:
        assert process.wait(PATIENCE_S) == 3
    assert results(folder) == expected
    assert list((folder / "traces").glob("*.again")) == []


def test_a_cell_dies_with_its_run(tmp_path: Path) -> None:
    """When the run is killed, a long cell ends at once, leaves no record, and the next run can take it."""
    cells = [make_cell("sleep", parameters={"seconds": 600})]
    with running(tmp_path, cells) as process:
        wait_until(lambda: starts(tmp_path))
        assert len(alive(tmp_path)) == 1
        process.kill()
        process.wait()
        wait_until(lambda: not alive(tmp_path))
    store = Store(tmp_path / "store")
    assert store.all() == []
    with store.claim(cells[0]) as mine:
        assert mine


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_politely(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C and SIGTERM keep what is finished, leave no record of what was running, and say how to go on."""
    cells = [make_cell("ok"), make_cell("sleep", 1, parameters={"seconds": 600}), make_cell("ok", 2)]
    with running(tmp_path, cells) as process:
        wait_until(lambda: len(starts(tmp_path)) == 2)
        process.send_signal(number)
        _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "Interrupted with 1 of 3 cells done" in said
    assert "run the same command again" in said
    assert alive(tmp_path) == []
    assert results(tmp_path).keys() == {cells[0].id}
    assert list((tmp_path / "store" / ".work").iterdir()) == []


def test_second_interrupt_does_not_wait(tmp_path: Path) -> None:
    """A cell that ignores SIGTERM is killed at the second Ctrl-C, or after the grace; it never survives."""
    with running(tmp_path, [make_cell("stubborn")]) as process:
        wait_until(lambda: starts(tmp_path))
        time.sleep(0.2)  # let it install its handler
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
    assert alive(tmp_path) == []
    assert Store(tmp_path / "store").all() == []


def test_what_is_finished_at_the_last_moment_is_stored(tmp_path: Path) -> None:
    """A cell that reaches its end within the grace after Ctrl-C leaves its record."""
    cells = [make_cell("finisher"), make_cell("ok", 1)]
    with running(tmp_path, cells) as process:
        wait_until(lambda: starts(tmp_path))
        time.sleep(0.3)  # let it install its handler
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 130
    assert {key: status for key, (status, _) in results(tmp_path).items()} == {cells[0].id: "ok"}


def test_two_runs_on_one_store(tmp_path: Path) -> None:
    """Two runs started together share the work: every cell is run once, and both end with all records."""
    cells = [make_cell("ok", number, parameters={"seconds": 0.05}) for number in range(10)]
    cells += [make_cell("ok", number, kind="timing") for number in range(10, 14)]
    cells += [make_cell("ok", 14, declared_limit="too large")]
    with running(tmp_path, cells, jobs=2) as one, running(tmp_path, cells, jobs=2) as two:
        outputs = [process.communicate(timeout=PATIENCE_S)[0] for process in (one, two)]
        assert [one.returncode, two.returncode] == [0, 0]
    first, second = (json.loads(output) for output in outputs)
    assert first["executed"] + second["executed"] == 14
    assert starts(tmp_path) == sorted(cell.id for cell in cells[:14])
    assert len(results(tmp_path)) == 15


def test_a_killed_run_hands_its_cell_to_the_other(tmp_path: Path) -> None:
    """A run that waits for a cell in another's hands takes it over when the other is killed."""
    cells = [make_cell("sleep", parameters={"seconds": 3})]
    with running(tmp_path, cells) as one:
        wait_until(lambda: starts(tmp_path))
        with running(tmp_path, cells) as two:
            assert two.stderr is not None
            wait_until(lambda: "another run on this store" in two.stderr.readline())
            one.kill()
            output, _ = two.communicate(timeout=PATIENCE_S)
    assert json.loads(output) == {"executed": 1, "skipped": 0, "by_others": 0}
    assert len(results(tmp_path)) == 1


def test_a_timing_cell_waits_for_another_run(tmp_path: Path) -> None:
    """While another run holds the machine, a timing cell waits and says so; then it runs."""
    other = MachineLock(tmp_path / "machine.lock")
    slot = other.try_enter(alone=False)
    assert slot is not None
    with running(tmp_path, [make_cell("ok", kind="timing")]) as process:
        assert process.stderr is not None
        wait_until(lambda: "Waiting: another run on this machine" in process.stderr.readline())
        assert other.try_enter(alone=False) is None  # a newcomer must not overtake it
        assert starts(tmp_path) == []
        slot.leave()
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0
    assert len(results(tmp_path)) == 1
