"""Tells people how a run goes: a bar on a terminal, one line a cell elsewhere, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TextIO

from scrf_bench.bench.cell import Cell
from scrf_bench.bench.pace import Pace, duration_words
from scrf_bench.bench.record import Record

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID


class Reporter(Protocol):
    """What an executor tells while it works. Every call is made by the thread that runs the cells."""

    def run_started(self, cells: Sequence[Cell], *, done: int, jobs: int) -> None:
        """Say which cells there are to run, besides those done before."""

    def cell_started(self, cell: Cell) -> None:
        """Say that a cell's process runs."""

    def cell_finished(self, record: Record, *, by_other: bool = False) -> None:
        """Say what came of a cell, run here or by another run on the same store."""

    def waiting(self, reason: str) -> None:
        """Say what the run waits for; called once for each reason."""

    def run_finished(self) -> None:
        """Say that nothing more follows, also when the run was interrupted."""


class SilentReporter:
    """Says nothing."""

    def run_started(self, cells: Sequence[Cell], *, done: int, jobs: int) -> None:
        """Say nothing."""

    def cell_started(self, cell: Cell) -> None:
        """Say nothing."""

    def cell_finished(self, record: Record, *, by_other: bool = False) -> None:
        """Say nothing."""

    def waiting(self, reason: str) -> None:
        """Say nothing."""

    def run_finished(self) -> None:
        """Say nothing."""


class LineReporter:
    """One plain line a finished cell, for logs.

    Parameters
    ----------
    stream : TextIO, optional
        Where to; standard error by default.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._pace = Pace((), jobs=1)

    def run_started(self, cells: Sequence[Cell], *, done: int, jobs: int) -> None:
        """Say how many cells there are to run."""
        self._pace = Pace(cells, jobs=jobs)
        if cells:
            self._say(f"{len(cells)} to run, {done} done before; about {duration_words(self._pace.remaining_s())}")

    def cell_started(self, cell: Cell) -> None:
        """Note the time; the line comes when the cell has finished."""
        self._pace.started(cell)

    def cell_finished(self, record: Record, *, by_other: bool = False) -> None:
        """Say what came of the cell, and how long the rest may take."""
        self._pace.finished(record)
        line = f"[{self._pace.done}/{self._pace.total}] {finished_words(record, by_other=by_other)}"
        left = self._pace.remaining_s()
        self._say(f"{line} (about {duration_words(left)} left)" if left else line)

    def waiting(self, reason: str) -> None:
        """Say what the run waits for."""
        self._say(f"Waiting: {reason}")

    def run_finished(self) -> None:
        """Say nothing more: the summary is the caller's to tell."""

    def _say(self, line: str) -> None:
        print(line, file=self._stream, flush=True)


class RichReporter:
    """A bar with the running cells and the time left; only failures leave a line.

    Parameters
    ----------
    console : rich.console.Console, optional
        Where to; standard error by default.
    """

    def __init__(self, console: Console | None = None) -> None:
        self._console = console
        self._pace = Pace((), jobs=1)
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._running: dict[str, str] = {}

    def run_started(self, cells: Sequence[Cell], *, done: int, jobs: int) -> None:
        """Show the bar, if there is anything to run."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._pace = Pace(cells, jobs=jobs)
        if not cells:
            return
        self._progress = Progress(
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            TextColumn("{task.description}", markup=False),
            console=self._console or Console(stderr=True),
            transient=True,
            refresh_per_second=4,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._progress.add_task("", total=done + len(cells), completed=done, left="")
        self._progress.start()
        self._show()

    def cell_started(self, cell: Cell) -> None:
        """Show the cell's name beside the bar."""
        self._pace.started(cell)
        self._running[cell.id] = cell.name
        self._show()

    def cell_finished(self, record: Record, *, by_other: bool = False) -> None:
        """Move the bar on; leave a line if the cell is not ok."""
        self._running.pop(record.cell.id, None)
        self._pace.finished(record)
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task)
            if not record.ok:
                self._progress.console.print(finished_words(record, by_other=by_other), markup=False, highlight=False)
        self._show()

    def waiting(self, reason: str) -> None:
        """Show the reason beside the bar until something runs."""
        self._show(f"waiting: {reason}")

    def run_finished(self) -> None:
        """Take the bar away; the summary is the caller's to tell."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def _show(self, words: str = "") -> None:
        if self._progress is None or self._task is None:
            return
        left = self._pace.remaining_s()
        self._progress.update(
            self._task,
            description=words or ", ".join(self._running.values()),
            left=f"about {duration_words(left)} left" if left else "",
        )


def choose_reporter(stream: TextIO | None = None) -> Reporter:
    """Return the bar for a terminal, plain lines for anything else.

    Parameters
    ----------
    stream : TextIO, optional
        Where to; standard error by default.
    """
    stream = stream or sys.stderr
    if not stream.isatty():
        return LineReporter(stream)
    from rich.console import Console

    return RichReporter(Console(file=stream))


def finished_words(record: Record, *, by_other: bool = False) -> str:
    """Return one line about a record: status, time, the cell's name, and what went wrong."""
    line = f"{record.status:<8} {record.wall_s:8.1f} s  {record.cell.name}"
    if by_other:
        line += " [run by another]"
    if record.error:
        line += f": {record.error.splitlines()[0]}"
    return line
