"""The store: a folder of record files, each written once and complete in itself.

Stores merge by copying files. Several runs may use one store at once: a claim on a cell keeps the others off
it, and a record never takes another's name.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scrf_bench import atomic
from scrf_bench.bench.cell import Cell
from scrf_bench.bench.record import Record
from scrf_bench.errors import DataError

if TYPE_CHECKING:
    from filelock import FileLock

logger = logging.getLogger(__name__)


class Claim:
    """The right to run one cell, which one process at a time has; it ends with :meth:`release` or death."""

    def __init__(self, lock: FileLock) -> None:
        self._lock = lock

    def release(self) -> None:
        """Give the cell up; doing so twice is harmless."""
        self._lock.release()


class Store:
    """Records in ``<folder>/records``; nothing is created before something is written.

    Parameters
    ----------
    folder : Path or str
        The store, e.g. ``results/quick/table2``.

    Attributes
    ----------
    damaged : dict of Path to str
        Files among the records that could not be read, with the reason (without the path); each is skipped
        and left as it is. Who shows a store's records shows these as well: the log tells of them at DEBUG only.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.records_folder = self.folder / "records"
        self.damaged: dict[Path, str] = {}
        self._read: dict[Path, Record] = {}

    def all(self) -> list[Record]:
        """Return all readable records, in the order of their file names.

        Raises
        ------
        UserError
            If the folder cannot be looked into, e.g. because its name is too long; so do all that look.
        """
        return self._matching("*")

    def records(self, cell: Cell, environment_id: str | None = None) -> list[Record]:
        """Return the records of a cell (in one environment), by start time and attempt."""
        found = self._matching(f"{cell.id}-{environment_id or '*'}-*")
        # A file copied under a wrong name does not become another cell's record.
        mine = [
            record for record in found if record.cell.id == cell.id and environment_id in {None, record.environment.id}
        ]
        return sorted(mine, key=lambda record: (record.started, record.attempt))

    def latest(self, cell: Cell) -> Record | None:
        """Return the record of the cell that was started last, whatever came of it, or None."""
        return max(self.records(cell), key=lambda record: (record.started, record.attempt), default=None)

    def finished(self, cell: Cell, environment_id: str) -> Record | None:
        """Return what stands for the cell in an environment: its newest ``ok`` record, else its newest, or
        None.

        Whether a record that is not ``ok`` should be tried again is for the executor to say.
        """
        found = self.records(cell, environment_id)
        return max(found, key=lambda record: (record.ok, record.attempt), default=None)

    def names(self, cell: Cell, environment_id: str) -> frozenset[str]:
        """Return the names of the cell's record files in an environment, read or not."""
        return frozenset(path.stem for path in self._paths(f"{cell.id}-{environment_id}-*"))

    def add(self, record: Record) -> Record:
        """Write a record under the next free attempt number, and return it with that number.

        Raises
        ------
        UserError
            If the disk is full or the folder cannot be written to; records written before are untouched.
        """
        attempt = self._next_attempt(record)
        while True:
            numbered = dataclasses.replace(record, attempt=attempt)
            path = self.records_folder / f"{numbered.name}.json"
            text = json.dumps(numbered.to_json(), indent=1, allow_nan=False) + "\n"
            try:
                atomic.write_new(path, text)
            except FileExistsError:
                attempt += 1
            else:
                self._read[path] = numbered
                return numbered

    def try_claim(self, cell: Cell) -> Claim | None:
        """Claim a cell for this process without waiting; None if another holds it.

        Raises
        ------
        UserError
            If the lock file cannot be created.
        """
        from filelock import FileLock, Timeout

        path = self.folder / ".locks" / f"{cell.id}.lock"
        try:
            with atomic.mendable(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                lock = FileLock(path)
                lock.acquire(blocking=False)
        except Timeout:
            return None
        return Claim(lock)

    @contextlib.contextmanager
    def claim(self, cell: Cell) -> Iterator[bool]:
        """Hold a cell during a ``with`` block; gives False, and holds nothing, if another process has it."""
        claim = self.try_claim(cell)
        try:
            yield claim is not None
        finally:
            if claim is not None:
                claim.release()

    def make_scratch(self, cell: Cell) -> Path:
        """Return a new empty folder for a cell's working files; only for the holder of its claim.

        Raises
        ------
        UserError
            If it cannot be created.
        """
        folder = self.folder / ".work" / cell.id
        shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
        with atomic.mendable(folder):
            folder.mkdir(parents=True)
        return folder

    def sweep(self) -> None:
        """Remove temporary files that killed runs left long ago."""
        with atomic.readable(self.records_folder):
            if self.records_folder.is_dir():
                atomic.sweep(self.records_folder)

    def _paths(self, pattern: str) -> list[Path]:
        with atomic.readable(self.records_folder):
            return sorted(self.records_folder.glob(f"{pattern}.json"))

    def _next_attempt(self, record: Record) -> int:
        numbers = [name.rpartition("-")[2] for name in self.names(record.cell, record.environment.id)]
        return 1 + max((int(number) for number in numbers if number.isdecimal()), default=0)

    def _matching(self, pattern: str) -> list[Record]:
        return [record for path in self._paths(pattern) if (record := self._load(path)) is not None]

    def _load(self, path: Path) -> Record | None:
        """Read a record file once; it is never rewritten."""
        if path in self._read:
            return self._read[path]
        try:
            record = Record.read(path)
        except DataError as error:
            reason = str(error).removeprefix(f"{path}: ")
            if path not in self.damaged:
                logger.debug("skipped record %s: %s", path, reason)
            self.damaged[path] = reason
            return None
        self.damaged.pop(path, None)
        self._read[path] = record
        return record
