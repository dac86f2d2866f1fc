"""How long the rest of a run may take, from what the plan expected and what it took so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from scrf_bench.bench.cell import Cell
from scrf_bench.bench.record import Record


class Pace:
    """Weighs the cells that are left by their expected time, corrected by the pace of those that finished.

    Parameters
    ----------
    cells : sequence of Cell
        The cells to run.
    jobs : int
        How many quality cells run at once; timing cells run alone.
    clock : callable
        Returns seconds; another one serves tests.
    """

    def __init__(self, cells: Sequence[Cell], *, jobs: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.total = len(cells)
        self._left = {cell.id: cell for cell in cells}
        self._since: dict[str, float] = {}
        self._jobs = jobs
        self._clock = clock
        self._expected_s = 0.0
        self._taken_s = 0.0

    @property
    def done(self) -> int:
        """How many of the cells have finished."""
        return self.total - len(self._left)

    def started(self, cell: Cell) -> None:
        """Note when a cell's process started: its start and imports count as well."""
        self._since[cell.id] = self._clock()

    def finished(self, record: Record) -> None:
        """Take a finished cell off; only one that ran here to a good end tells about the pace."""
        cell = self._left.pop(record.cell.id, None)
        since = self._since.pop(record.cell.id, None)
        if cell is not None and since is not None and record.ok:
            self._expected_s += cell.expected_s
            self._taken_s += self._clock() - since

    def remaining_s(self) -> float:
        """Return the expected seconds until the end."""
        alone = sum(self._share_s(cell) for cell in self._left.values() if cell.kind == "timing")
        shared = sum(self._share_s(cell) for cell in self._left.values() if cell.kind != "timing")
        return alone + shared / self._jobs

    def _share_s(self, cell: Cell) -> float:
        """Return what is left of one cell; one that takes longer than expected counts as about to end."""
        ratio = self._taken_s / self._expected_s if self._taken_s else 1.0
        since = self._since.get(cell.id)
        elapsed = 0.0 if since is None else self._clock() - since
        return max(0.0, ratio * cell.expected_s - elapsed)


def duration_words(seconds: float) -> str:
    """Return a duration as people say it: ``45 s``, ``3 min 20 s``, ``2 h 05 min``."""
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
