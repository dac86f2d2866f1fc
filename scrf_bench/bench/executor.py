"""The local executor: each cell in a fresh process, watched from outside; killable and resumable at any
moment.

Two rules keep several runs on one store, or one machine, from harming each other. A cell runs only under a
claim (:meth:`Store.try_claim`) and only if no record of it has appeared since the run was planned; and it
runs only in a slot of the machine's lock, which a timing cell has to itself. Neither is ever held while
waiting for the other.
"""

from __future__ import annotations

import selectors
import signal
import time
from collections.abc import Sequence

from scrf_bench.bench.cell import Cell
from scrf_bench.bench.environment import capture_environment
from scrf_bench.bench.interrupts import Interrupts
from scrf_bench.bench.machine_lock import MachineLock, Slot
from scrf_bench.bench.options import RunOptions
from scrf_bench.bench.progress import Reporter, SilentReporter
from scrf_bench.bench.record import Record
from scrf_bench.bench.running import RunningCell, unrun_record
from scrf_bench.bench.store import Store
from scrf_bench.bench.summary import Interrupted, RunSummary

_POLL_S = 0.1
_ASK_AGAIN_S = 0.5
_GRACE_S = 3.0


def run_cells(
    cells: Sequence[Cell], store: Store, options: RunOptions | None = None, reporter: Reporter | None = None
) -> RunSummary:
    """Run those of the cells that have no record yet, and return how all of them stand.

    Quality cells run in the order given, `options.jobs` at once; then the timing cells, each alone. A cell
    whose record here (same environment) is ``ok`` is never run again without `options.force`, one that is
    ``unavailable`` always, another only with `options.retry`.

    Parameters
    ----------
    cells : sequence of Cell
        The plan; a cell named twice runs once.
    store : Store
        Where records are and go; other runs may use it at the same time.
    options : RunOptions, optional
        Limits and settings.
    reporter : Reporter, optional
        Is told how it goes; nobody is by default.

    Returns
    -------
    RunSummary
        With a record for each cell.

    Raises
    ------
    Interrupted
        On SIGINT or SIGTERM, also where every cell is done by then, so that the caller stops as well; after
        stopping the cells that ran (at once on a second signal). Those leave no record, finished ones do.
    UserError
        If a record cannot be written (full disk), or a cell's process cannot start or ends with exit code 2
        without an outcome, which says that something about the run itself is to be mended.
    """
    run = _LocalRun(cells, store, options or RunOptions(), reporter or SilentReporter())
    with Interrupts() as interrupts:
        summary = run.go(interrupts)
    # Asked when the signals' handlers are the caller's again, so that none is lost in between.
    if interrupts.count:
        raise Interrupted(summary)
    return summary


class _LocalRun:
    """The state of one call of :func:`run_cells`."""

    def __init__(self, cells: Sequence[Cell], store: Store, options: RunOptions, reporter: Reporter) -> None:
        self._cells = list({cell.id: cell for cell in cells}.values())
        self._store = store
        self._options = options
        self._reporter = reporter
        self._machine = MachineLock(options.machine_lock)
        self._selector = selectors.DefaultSelector()
        self._standing: dict[str, Record] = {}
        self._untried: list[Record] = []
        self._known: dict[str, frozenset[str]] = {}
        self._queue: list[Cell] = []
        self._not_before: dict[str, float] = {}
        self._running: dict[str, RunningCell] = {}
        self._executed = self._skipped = self._by_others = 0
        self._reason = ""

    def go(self, interrupts: Interrupts) -> RunSummary:
        """Run everything; whatever happens, no process is left behind."""
        self._store.sweep()
        self._sort_out()
        self._reporter.run_started(self._queue, done=self._skipped, jobs=self._options.jobs)
        try:
            while (self._queue or self._running) and not interrupts.count:
                self._start_what_fits()
                self._wait()
                self._collect()
            if interrupts.count:
                self._stop(interrupts)
        finally:
            for running in self._running.values():
                running.let_go()
            self._machine.give_up()
            self._selector.close()
            self._reporter.run_finished()
        return self._summary()

    def _sort_out(self) -> None:
        """Part the cells that are done from those to run, timing cells last."""
        for cell in self._cells:
            environment_id = self._environment_id(cell)
            self._known[cell.id] = self._store.names(cell, environment_id)
            record = self._store.finished(cell, environment_id) if self._known[cell.id] else None
            if record is None or self._again(cell, record):
                self._queue.append(cell)
                continue
            self._standing[cell.id] = record
            self._skipped += 1
            if not (record.ok or record.declared or cell.unavailable):
                self._untried.append(record)
        self._queue.sort(key=lambda cell: cell.kind == "timing")

    def _again(self, cell: Cell, record: Record) -> bool:
        """Tell whether a cell is to be run although this record stands for it."""
        if record.ok or self._options.force:
            return self._options.force
        if record.declared or cell.declared_limit:
            # Run when the configuration no longer declares the limit; record it when it has begun to.
            return not (record.declared and cell.declared_limit)
        if record.status == "unavailable":
            return record.error != cell.unavailable
        return record.status in self._options.retry and not cell.unavailable

    def _start_what_fits(self) -> None:
        now = time.monotonic()
        for cell in list(self._queue):
            if self._not_before.get(cell.id, 0.0) > now or not self._room(cell):
                continue
            slot = self._machine.try_enter(alone=cell.kind == "timing") if _is_run(cell) else Slot()
            if slot is None:
                self._say_waiting("another run on this machine (a timing cell runs alone)")
                return
            self._try_start(cell, slot)
        if self._queue and not self._running:
            self._say_waiting(f"another run on this store (cells in its hands: {len(self._queue)})")

    def _room(self, cell: Cell) -> bool:
        """Tell whether this run itself leaves room for the cell beside those that run."""
        if not _is_run(cell):
            return True
        if cell.kind == "timing":
            return not self._running
        timing = any(running.cell.kind == "timing" for running in self._running.values())
        return not timing and len(self._running) < self._options.jobs

    def _try_start(self, cell: Cell, slot: Slot) -> None:
        """Start a cell in the slot if it is free and still to be done; else give the slot back."""
        claim = None
        try:
            claim = self._store.try_claim(cell)
            if claim is None:
                self._not_before[cell.id] = time.monotonic() + _ASK_AGAIN_S
                return
            self._queue.remove(cell)
            if self._appeared(cell):
                return
            unrun = unrun_record(cell)
            if unrun is not None:
                self._file(unrun)
                return
            running = RunningCell(cell, self._store, self._options, claim, slot)
            self._running[cell.id] = running
        finally:
            if cell.id not in self._running:
                slot.leave()
                if claim is not None:
                    claim.release()
        self._selector.register(running.process.stderr_fd, selectors.EVENT_READ, running)
        self._reason = ""
        self._reporter.cell_started(cell)

    def _appeared(self, cell: Cell) -> bool:
        """Take over the record that another run has written since this one was planned, if there is one."""
        environment_id = self._environment_id(cell)
        new = self._store.names(cell, environment_id) - self._known[cell.id]
        records = [record for record in self._store.records(cell, environment_id) if record.name in new]
        if not records:
            return False
        record = max(records, key=lambda record: (record.ok, record.attempt))
        self._standing[cell.id] = record
        self._by_others += 1
        self._reporter.cell_finished(record, by_other=True)
        return True

    def _wait(self) -> None:
        """Wait a moment, or less if a process says or ends something."""
        for key, _ in self._selector.select(_POLL_S):
            if not key.data.process.read_stderr():
                self._selector.unregister(key.fd)

    def _collect(self) -> None:
        """Look after each process, and store the outcome of those that have ended."""
        for running in list(self._running.values()):
            running.process.look()
            if running.process.exited():
                self._settle(running)

    def _settle(self, running: RunningCell) -> None:
        """Store what came of a process that has ended, then give back what it held."""
        self._forget_stderr(running)
        running.process.close()
        self._file(running.record(running.outcome()))
        del self._running[running.cell.id]
        running.let_go()

    def _forget_stderr(self, running: RunningCell) -> None:
        for key in list(self._selector.get_map().values()):
            if key.data is running:
                self._selector.unregister(key.fd)

    def _file(self, record: Record) -> None:
        """Store a record of this run, and tell."""
        record = self._store.add(record)
        self._standing[record.cell.id] = record
        self._executed += _is_run(record.cell)
        self._reporter.cell_finished(record)

    def _stop(self, interrupts: Interrupts) -> None:
        """Ask the processes to end, make them after a grace, and store what was finished nevertheless."""
        for running in self._running.values():
            running.process.signal(signal.SIGTERM)
        deadline = time.monotonic() + _GRACE_S
        while time.monotonic() < deadline and interrupts.count < 2:
            if all(running.process.exited() for running in self._running.values()):
                break
            self._wait()
        for running in list(self._running.values()):
            self._forget_stderr(running)
            running.process.close()
            outcome = running.written_outcome()
            if outcome is not None:
                self._file(running.record(outcome))

    def _environment_id(self, cell: Cell) -> str:
        return capture_environment(cell.threads).id

    def _say_waiting(self, reason: str) -> None:
        kind = reason.partition("(")[0]
        if kind != self._reason:
            self._reporter.waiting(reason)
        self._reason = kind

    def _summary(self) -> RunSummary:
        return RunSummary(
            records=tuple(self._standing[cell.id] for cell in self._cells if cell.id in self._standing),
            missing=tuple(cell for cell in self._cells if cell.id not in self._standing),
            executed=self._executed,
            skipped=self._skipped,
            by_others=self._by_others,
            untried=tuple(self._untried),
        )


def _is_run(cell: Cell) -> bool:
    """Tell whether a cell gets a process; otherwise its record is made at once."""
    return not (cell.declared_limit or cell.unavailable)
