"""A cell's process, seen from outside: started in a group of its own, watched, stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scrf_bench.bench.record import Status
from scrf_bench.errors import UserError

if TYPE_CHECKING:
    import psutil

_LOOK_S = 0.1
# Finding a process's children means reading all of /proc: too dear to do at every look beside a timing.
_CHILDREN_S = 1.0
_TAIL_BYTES = 8192


class CellProcess:
    """A running command with a limit on wall-clock time and on the resident memory of its process tree.

    Nothing here blocks: call :meth:`look` and :meth:`exited` over and over.

    Parameters
    ----------
    command : sequence of str
        What to run.
    environ : mapping of str to str
        Its environment variables.
    timeout_s : float
        The limit of wall-clock time in seconds.
    memory_limit : int
        The limit of resident memory in bytes.

    Attributes
    ----------
    verdict : tuple of (str, str) or None
        Status and words once a limit was exceeded and the process killed for it.
    peak_rss : int
        The largest resident memory seen, in bytes.
    cpu_s : float
        CPU seconds of the process itself when last seen.

    Raises
    ------
    UserError
        If the command cannot be started.
    """

    def __init__(
        self, command: Sequence[str], environ: Mapping[str, str], *, timeout_s: float, memory_limit: int
    ) -> None:
        import psutil

        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=dict(environ),
                start_new_session=True,
            )
        except OSError as error:
            raise UserError(f"Cannot start a cell with '{command[0]}': {error.strerror or error}.") from error
        self.verdict: tuple[Status, str] | None = None
        self.peak_rss = 0
        self.cpu_s = 0.0
        self._timeout_s = timeout_s
        self._memory_limit = memory_limit
        self._start = time.monotonic()
        self._tail = bytearray()
        self._looked = self._counted = 0.0
        self._tree: list[psutil.Process] = []
        with contextlib.suppress(psutil.Error):
            self._tree = [psutil.Process(self._process.pid)]
        os.set_blocking(self.stderr_fd, False)

    @property
    def pid(self) -> int:
        """The process's number, which is its group's as well."""
        return self._process.pid

    @property
    def stderr_fd(self) -> int:
        """The descriptor its standard error arrives at."""
        if self._process.stderr is None:
            raise RuntimeError("the process was started without a pipe")
        return self._process.stderr.fileno()

    @property
    def wall_s(self) -> float:
        """Seconds since its start."""
        return time.monotonic() - self._start

    @property
    def returncode(self) -> int | None:
        """The exit code, minus the signal's number if one ended it; None before :meth:`close`."""
        return self._process.returncode

    def read_stderr(self) -> bool:
        """Take in what it wrote on standard error, keeping the tail; False at its end."""
        while True:
            try:
                block = os.read(self.stderr_fd, 65536)
            except BlockingIOError:
                return True
            if not block:
                return False
            self._tail += block
            del self._tail[:-_TAIL_BYTES]

    def look(self) -> None:
        """Measure time and memory, unless just done, and kill the group if a limit is exceeded."""
        now = time.monotonic()
        if self.verdict is not None or now - self._looked < _LOOK_S:
            return
        self._looked = now
        rss = self._rss(now)
        self.peak_rss = max(self.peak_rss, rss)
        self.verdict = self._judge(rss)
        if self.verdict is not None:
            self.signal(signal.SIGKILL)

    def _judge(self, rss: int) -> tuple[Status, str] | None:
        """Return status and words if a limit is exceeded."""
        if rss > self._memory_limit:
            reached, limit = _size(rss), _size(self._memory_limit)
            return (
                "memory",
                f"Stopped at {reached} of resident memory; the limit is {limit} (--memory-limit).",
            )
        if self.wall_s > self._timeout_s:
            reached, limit = f"{self.wall_s:.1f} s", f"{self._timeout_s:g} s"
            return "timeout", f"Stopped after {reached} of wall-clock time; the limit is {limit} (--timeout)."
        return None

    def exited(self) -> bool:
        """Tell whether it has ended, without collecting it, so that its number still is its own."""
        if self._process.returncode is not None:
            return True
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.pid, flags) is not None

    def signal(self, number: int) -> None:
        """Send a signal to the whole group, unless the process was collected already."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def close(self) -> None:
        """Kill what is left of the group, collect the process, and take in its last words."""
        if self._process.returncode is None:
            self.signal(signal.SIGKILL)
            self._process.wait()
        if self._process.stderr is not None and not self._process.stderr.closed:
            self.read_stderr()
            self._process.stderr.close()

    def last_words(self) -> str:
        """Return the tail of its standard error."""
        return self._tail.decode("utf-8", errors="replace").strip()

    def ending(self) -> str:
        """Return how it ended: ``ended with exit code 3``, ``was killed by ...``; after :meth:`close`."""
        code = self._process.returncode
        if code >= 0:
            return f"ended with exit code {code}"
        try:
            name = f"signal {-code} ({signal.Signals(-code).name})"
        except ValueError:
            name = f"signal {-code}"
        hint = ": maybe the kernel's out-of-memory killer" if -code == signal.SIGKILL else ""
        return f"was killed by {name}{hint}"

    def _rss(self, now: float) -> int:
        """Return the resident bytes of the process tree."""
        import psutil

        if not self._tree:
            return 0
        if now - self._counted >= _CHILDREN_S:
            self._counted = now
            with contextlib.suppress(psutil.Error):
                self._tree[1:] = self._tree[0].children(recursive=True)
        total = 0
        for process in self._tree:
            with contextlib.suppress(psutil.Error):
                total += process.memory_info().rss
        with contextlib.suppress(psutil.Error):
            times = self._tree[0].cpu_times()
            self.cpu_s = times.user + times.system
        return total


def _size(number: float) -> str:
    """Return bytes in the units that people give a limit in, e.g. ``8.00 GB``."""
    for unit in ("bytes", "kB", "MB"):
        if number < 1000:
            return f"{number:.0f} {unit}"
        number /= 1000
    return f"{number:.2f} GB"
