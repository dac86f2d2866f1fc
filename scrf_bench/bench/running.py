"""A cell that runs: its process, what it holds meanwhile, and the record its end makes."""

from __future__ import annotations

import dataclasses
import json
import shutil
from datetime import UTC, datetime

from scrf_bench.atomic import write_over
from scrf_bench.bench.cell import Cell
from scrf_bench.bench.environment import capture_environment
from scrf_bench.bench.machine_lock import Slot
from scrf_bench.bench.options import RunOptions
from scrf_bench.bench.outcome import Outcome
from scrf_bench.bench.process import CellProcess
from scrf_bench.bench.record import Record
from scrf_bench.bench.store import Claim, Store
from scrf_bench.errors import DataError, UserError


class RunningCell:
    """Starts a cell's process, and holds its claim and slot until :meth:`let_go`.

    Parameters
    ----------
    cell : Cell
        The cell.
    store : Store
        Where its working files go.
    options : RunOptions
        Its command, variables and limits.
    claim : Claim
        The claim on the cell.
    slot : Slot
        The slot on the machine.

    Raises
    ------
    UserError
        If its files cannot be written or its process cannot be started; claim and slot are then the caller's.
    """

    def __init__(self, cell: Cell, store: Store, options: RunOptions, claim: Claim, slot: Slot) -> None:
        self.cell = cell
        self._claim = claim
        self._slot = slot
        self._scratch = store.make_scratch(cell)
        self._outcome_path = self._scratch / "outcome.json"
        cell_path = self._scratch / "cell.json"
        write_over(cell_path, json.dumps(cell.to_json(), indent=1) + "\n")
        self._started = _now()
        self.process = CellProcess(
            options.command_for(cell_path, self._outcome_path),
            options.environ_for(cell),
            timeout_s=options.timeout_for(cell),
            memory_limit=options.memory_for(cell),
        )

    def let_go(self) -> None:
        """End the process, if it has not ended, and give everything back."""
        self.process.close()
        shutil.rmtree(self._scratch, ignore_errors=True)
        self._claim.release()
        self._slot.leave()

    def written_outcome(self) -> Outcome | None:
        """Return the outcome its process has written, or None."""
        try:
            return Outcome.read(self._outcome_path, self.cell.id)
        except DataError:
            return None

    def outcome(self) -> Outcome:
        """Return the outcome its process has written, or one that says why there is none; once it has ended.

        A process that wrote its outcome has finished, whatever befell it afterwards.

        Raises
        ------
        UserError
            If the process wrote nothing and ended with exit code 2, by which a command says that its call,
            its files or the disk are at fault, and not the cell.
        """
        try:
            return Outcome.read(self._outcome_path, self.cell.id)
        except DataError as error:
            unreadable = str(error).rstrip(".") if self._outcome_path.exists() else ""
        process = self.process
        tail = process.last_words()
        seen = Outcome(
            status="failed",
            traceback=tail or None,
            peak_rss=process.peak_rss,
            wall_s=process.wall_s,
            cpu_s=process.cpu_s,
        )
        if process.verdict is not None:
            status, words = process.verdict
            return dataclasses.replace(seen, status=status, error=words)
        if process.returncode == 2 and not unreadable:
            raise UserError(f"The cell '{self.cell.name}' could not be run. {tail or 'It did not say why.'}")
        words = f"The cell's process {process.ending()}; {unreadable or 'it wrote no outcome'}."
        if tail:
            words += f" Its last words: {tail.splitlines()[-1]}"
        return dataclasses.replace(seen, error=words)

    def record(self, outcome: Outcome) -> Record:
        """Return the record of an outcome, to be numbered by the store."""
        return Record(
            cell=self.cell,
            environment=capture_environment(self.cell.threads),
            attempt=1,
            status=outcome.status,
            points=outcome.points,
            error=outcome.error,
            peak_rss=max(outcome.peak_rss, self.process.peak_rss),
            wall_s=outcome.wall_s,
            cpu_s=outcome.cpu_s,
            started=self._started,
            traceback=outcome.traceback,
        )


def unrun_record(cell: Cell) -> Record | None:
    """Return the record of a cell that is not to be run: by a declared limit, or for want of something.

    None if it is to be run.
    """
    words = cell.declared_limit or cell.unavailable
    if not words:
        return None
    return Record(
        cell=cell,
        environment=capture_environment(cell.threads),
        attempt=1,
        status="memory" if cell.declared_limit else "unavailable",
        error=words,
        started=_now(),
        declared=bool(cell.declared_limit),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
