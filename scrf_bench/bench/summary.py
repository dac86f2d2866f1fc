"""What a run came to, and the exception that ends one early."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from scrf_bench.bench.cell import Cell
from scrf_bench.bench.record import STATUSES, Record


@dataclass(frozen=True)
class RunSummary:
    """The state of the planned cells at a run's end.

    Parameters
    ----------
    records : tuple of Record
        The record that stands for each planned cell, in planned order.
    missing : tuple of Cell
        Planned cells without a record; only where a run was interrupted.
    executed : int
        Cells this run ran to an end, whatever it was.
    skipped : int
        Cells that had a record already.
    by_others : int
        Cells that another run on the same store ran meanwhile.
    untried : tuple of Record
        Those of the skipped that are not ``ok`` and would be tried again with ``--retry``.
    """

    records: tuple[Record, ...]
    missing: tuple[Cell, ...] = ()
    executed: int = 0
    skipped: int = 0
    by_others: int = 0
    untried: tuple[Record, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Records per status, in the order of :data:`STATUSES`; statuses without any are left out."""
        counted = Counter(record.status for record in self.records)
        return {status: counted[status] for status in STATUSES if counted[status]}

    @property
    def not_ok(self) -> tuple[Record, ...]:
        """The records that are not ``ok``, those of a declared limit included."""
        return tuple(record for record in self.records if not record.ok)

    @property
    def exit_code(self) -> int:
        """0 if all cells are ``ok`` or short of it only by a declared limit, else 3."""
        return 3 if self.missing or any(not record.declared for record in self.not_ok) else 0

    def words(self) -> str:
        """Return one line for people, e.g. ``12 cells: 11 ok, 1 failed (4 were done before)``."""
        parts = [f"{number} {status}" for status, number in self.counts.items()]
        declared = sum(record.declared for record in self.records)
        parts += [f"{declared} of them by a declared limit"] if declared else []
        parts += [f"{len(self.missing)} not run"] if self.missing else []
        total = len(self.records) + len(self.missing)
        line = f"{total} cell{'' if total == 1 else 's'}: {', '.join(parts) or 'nothing to do'}"
        asides = [f"{self.skipped} done before"] if self.skipped else []
        asides += [f"{self.by_others} done by another run"] if self.by_others else []
        return f"{line} ({', '.join(asides)})" if asides else line

    def advice(self) -> str | None:
        """Return what to do about failures that were not tried again, or None."""
        statuses = sorted({record.status for record in self.untried})
        if not statuses:
            return None
        number = len(self.untried)
        what = "1 cell that ended badly before was" if number == 1 else f"{number} cells that ended badly before were"
        return f"{what} not run again; to do so, add --retry {','.join(statuses)}."


class Interrupted(KeyboardInterrupt):
    """A run was stopped by SIGINT or SIGTERM; everything finished is stored.

    Parameters
    ----------
    summary : RunSummary
        How far it came.
    """

    def __init__(self, summary: RunSummary) -> None:
        self.summary = summary
        done = len(summary.records)
        if summary.missing:
            words = f"{done} of {done + len(summary.missing)} cells done, all of them stored"
        else:
            words = f"all {done} cells done and stored" if done != 1 else "its one cell done and stored"
        super().__init__(f"Interrupted with {words}; run the same command again to go on.")
