"""What runs inside a cell's own process: measure, and say what came of it."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from scrf_bench.atomic import write_over
from scrf_bench.bench.canonical import as_text
from scrf_bench.bench.cell import Cell
from scrf_bench.bench.measure import Stopwatch
from scrf_bench.bench.outcome import Outcome
from scrf_bench.bench.record import Point, Status
from scrf_bench.errors import ScrfBenchError, UnavailableError

Measure: TypeAlias = Callable[[Cell], Sequence[Point]]

PARENT_VARIABLE = "SCRF_BENCH_PARENT_PID"
_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


def run_cell(cell: Cell, measure: Measure) -> Outcome:
    """Measure a cell in this process; an error becomes an outcome, never an exception.

    Parameters
    ----------
    cell : Cell
        The cell to measure.
    measure : callable
        Takes the cell, returns its points; what it raises decides the status: UnavailableError gives
        ``unavailable``, MemoryError ``memory``, anything else ``failed``.

    Returns
    -------
    Outcome
        Times are those of `measure`; the peak memory is that of the whole process.
    """
    points: tuple[Point, ...] = ()
    status: Status = "ok"
    words = trace = None
    with Stopwatch() as watch:
        try:
            points = _checked(measure(cell))
        except (Exception, SystemExit) as error:  # noqa: BLE001 -- whatever it is, the record must tell of it
            status, words, trace = _status(error), as_text(_words(error)), as_text(traceback.format_exc())
    return Outcome(
        status=status,
        points=points,
        error=words,
        traceback=trace,
        peak_rss=peak_rss(),
        wall_s=watch.wall_s,
        cpu_s=watch.cpu_s,
    )


def execute_cell_file(cell_path: Path, outcome_path: Path, measure: Measure) -> Outcome:
    """Run the cell of a file and write its outcome to another, atomically.

    The process dies with the run that started it (see :func:`die_with_parent`).

    Raises
    ------
    UserError
        If the cell file is not one, or the outcome cannot be written.
    """
    die_with_parent()
    cell = Cell.read(cell_path)
    outcome = run_cell(cell, measure)
    write_over(outcome_path, json.dumps(outcome.to_json(cell.id), allow_nan=False) + "\n")
    return outcome


def peak_rss() -> int:
    """Return the largest resident memory this process has had, in bytes.

    Linux's ``ru_maxrss`` outlives exec and so starts at the size of the process that forked this one; the
    high water mark in /proc belongs to this program alone. ``ru_maxrss`` serves where there is no /proc.
    """
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    import resource

    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest if sys.platform == "darwin" else largest * 1024


def die_with_parent() -> None:
    """Arrange that this process ends with the run that started it, even when that is killed.

    Does nothing unless a run started it, which the environment variable SCRF_BENCH_PARENT_PID tells. The
    kernel sends the signal where it can (Linux); otherwise a thread looks once a second.
    """
    text = os.environ.pop(PARENT_VARIABLE, "")
    if not text.isdecimal():
        return
    parent = int(text)
    by_kernel = sys.platform == "linux" and _ask_kernel()
    # Asked after the request: a parent that died before it would send no signal any more.
    if by_kernel and os.getppid() == parent:
        return
    _end_if_gone(parent)
    threading.Thread(target=_watch, args=(parent,), name="die-with-parent", daemon=True).start()


def _ask_kernel() -> bool:
    try:
        return bool(ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _end_if_gone(parent: int) -> None:
    try:
        os.kill(parent, 0)
    except ProcessLookupError:
        os._exit(1)
    except PermissionError:
        pass


def _watch(parent: int) -> None:
    while True:
        _end_if_gone(parent)
        time.sleep(1.0)


def _checked(points: Sequence[Point]) -> tuple[Point, ...]:
    """Return the points, built anew so that what was put into them after their making is checked as well."""
    checked = []
    for index, point in enumerate(points):
        if not isinstance(point, Point):
            raise TypeError(f"measure returned a {type(point).__name__} at position {index}: return Points.")
        checked.append(Point(point.parameters, point.metrics, point.samples))
    if not checked:
        raise ValueError("measure returned no point: return at least one.")
    return tuple(checked)


def _status(error: BaseException) -> Status:
    if isinstance(error, UnavailableError):
        return "unavailable"
    return "memory" if isinstance(error, MemoryError) else "failed"


def _words(error: BaseException) -> str:
    if isinstance(error, ScrfBenchError):
        return str(error)
    name = type(error).__name__
    return f"{name}: {error}" if str(error) else name
