"""One lock for the machine: timing cells run alone, also where several runs share it.

Cells that measure quality hold it shared, a timing cell holds it alone. A second lock, the queue, is held by
whoever wants to be alone, from his first asking on, so that a stream of shared holders cannot keep him out.
Nothing here waits: who is refused asks again, and holds nothing but the queue meanwhile.
"""

from __future__ import annotations

import fcntl
import logging
import os
import tempfile
from pathlib import Path

logger = logging.getLogger(__name__)

PATH_VARIABLE = "SCRF_BENCH_MACHINE_LOCK"


class Slot:
    """The right to run one cell on this machine now; it ends with :meth:`leave` or with the process."""

    def __init__(self, *descriptors: int) -> None:
        self._descriptors = descriptors

    def leave(self) -> None:
        """Give the slot up; doing so twice is harmless."""
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = ()


class MachineLock:
    """Hands out slots, shared or alone.

    Parameters
    ----------
    path : Path, optional
        The lock file; by default that of the environment variable SCRF_BENCH_MACHINE_LOCK, else
        ``scrf-bench.lock`` in the temporary folder.
    """

    def __init__(self, path: Path | None = None) -> None:
        named = os.environ.get(PATH_VARIABLE)
        self.path = path or (Path(named) if named else Path(tempfile.gettempdir()) / "scrf-bench.lock")
        self._queue: int | None = None
        self._broken = False

    def try_enter(self, *, alone: bool) -> Slot | None:
        """Return a slot, or None while another run's cells stand in the way.

        A refused wish to be alone is remembered, so that others let this process go first, until it is
        granted, a shared slot is asked for, or :meth:`give_up` is called.
        """
        try:
            return self._enter_alone() if alone else self._enter_shared()
        except OSError as error:
            # Without the lock a run still gives right results; only times of two runs may disturb each other.
            if not self._broken:
                logger.warning(
                    "Cannot use the machine's lock %s (%s): do not time anything in two runs at once.",
                    self.path,
                    error.strerror or error,
                )
            self._broken = True
            self.give_up()
            return Slot()

    def give_up(self) -> None:
        """Forget the wish to be alone."""
        if self._queue is not None:
            os.close(self._queue)
            self._queue = None

    def _enter_shared(self) -> Slot | None:
        self.give_up()
        queue = _locked(self._queue_path, fcntl.LOCK_SH)
        if queue is None:
            return None
        try:
            room = _locked(self.path, fcntl.LOCK_SH)
        finally:
            os.close(queue)
        return None if room is None else Slot(room)

    def _enter_alone(self) -> Slot | None:
        if self._queue is None:
            self._queue = _locked(self._queue_path, fcntl.LOCK_EX)
        if self._queue is None:
            return None
        room = _locked(self.path, fcntl.LOCK_EX)
        if room is None:
            return None
        slot = Slot(room, self._queue)
        self._queue = None
        return slot

    @property
    def _queue_path(self) -> Path:
        return self.path.with_name(self.path.name + ".queue")


def _locked(path: Path, operation: int) -> int | None:
    """Return a descriptor that holds the lock, or None if it is held otherwise."""
    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _open(path: Path) -> int:
    """Open the lock file for reading, which is enough to lock it and allowed on other users' files."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path, flags)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, flags | os.O_CREAT, 0o644)
        os.fchmod(descriptor, 0o644)  # whatever the umask: other users must be able to open it
        return descriptor
