"""Compiled functions on disk, each in a file that proves itself: whatever is damaged counts as not there.

numba's own cache unpickles its files unseen and links their machine code: a file cut short ends the caller with a
traceback, one flipped byte can end the process. Its index is rewritten by every process that compiles, so two of them
can leave an entry that points to another's code. Here a file stands alone, named after the CPU and the argument types,
and begins with a digest over what made it and what it holds; nothing is unpickled or linked before that agrees.
"""

from __future__ import annotations

import hashlib
import inspect
import pickle
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import numba
from numba.core.caching import CompileResultCacheImpl, NullCache, _Cache
from numba.core.registry import cpu_target
from numba.core.serialize import dumps

from scrf_bench.atomic import sweep, write_over
from scrf_bench.errors import UserError

REMEDY = "set NUMBA_CACHE_DIR to a folder that can be written"


@dataclass(frozen=True)
class Entry:
    """One compiled function of a cache.

    Attributes
    ----------
    seconds : float
        CPU time that compiling it took.
    payload : bytes
        What numba links, pickled.
    nbytes : int
        Size of the file.
    """

    seconds: float
    payload: bytes
    nbytes: int


class FolderCache(_Cache):
    """The cache of one function, in the folder that numba would choose.

    That is ``NUMBA_CACHE_DIR`` if given, else ``__pycache__`` beside the source, else the user's cache folder.

    Parameters
    ----------
    function : callable
        The Python function.
    stamp : str, optional
        A hash of all sources that go into the compiled code; by default of the function's own file. Versions of
        Python, numba and llvmlite, the CPU and the argument types are taken into account anyway.

    Raises
    ------
    RuntimeError
        If no folder can be written.
    """

    def __init__(self, function: Callable[..., Any], stamp: str | None = None) -> None:
        self._impl: Any = CompileResultCacheImpl(function)  # type: ignore[no-untyped-call]
        self._folder = Path(self._impl.locator.get_cache_path())
        stamp = stamp or repr(self._impl.locator.get_source_stamp())
        self._made_by = "\0".join((stamp, sys.version, numba.__version__, llvmlite.__version__))
        self._started: dict[Any, float] = {}
        self._enabled = True

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function for these argument types, None if the disk holds no sound one."""
        target_context.refresh()
        # numba holds its lock from here until it saves what it compiled: this thread's time between is the compiler's.
        self._started[sig] = time.thread_time()
        entry = self._read(self._path(sig, target_context.codegen())) if self._enabled else None
        if entry is None:
            return None
        try:
            return self._impl.rebuild(target_context, pickle.loads(entry.payload))  # noqa: S301 -- we wrote it
        except Exception:  # noqa: BLE001 -- sound, yet of no use here: whatever the reason, compiling mends it
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function; where it cannot be written, warn: this process has it, others compile anew."""
        seconds = time.thread_time() - self._started.pop(sig, time.thread_time())
        if not self._enabled or not self._impl.check_cachable(data):
            return
        path = self._path(sig, data.codegen)
        payload = dumps(self._impl.reduce(data))  # type: ignore[no-untyped-call]
        head = f"{seconds:.3f}"
        content = f"{self._digest(path.name, head, payload)} {head}\n".encode() + payload
        try:
            with suppress(OSError):
                path.rmdir()  # an empty folder in the file's place
            write_over(path, content)
            sweep(self._folder)
        except UserError as error:
            cause = error.__cause__
            reason = (
                (cause.strerror or cause)
                if isinstance(cause, OSError)
                else "a folder stands in a file's place: remove it"
            )
            warn_unkept(f"in {self._folder} ({reason})")

    def entries(self) -> list[Entry]:
        """Return what the disk holds for this CPU, damaged and outdated files left out."""
        entries = [self._read(path) for path in self._files()]
        return [entry for entry in entries if entry is not None]

    def enable(self) -> None:
        """Use the disk (again)."""
        self._enabled = True

    def disable(self) -> None:
        """Neither read nor write."""
        self._enabled = False

    def flush(self) -> None:
        """Remove what the disk holds for this CPU."""
        for path in self._files():
            with suppress(OSError):
                path.unlink()

    def _files(self) -> Iterator[Path]:
        cpu = _short(cpu_target.target_context.codegen().magic_tuple(), 8)
        return self._folder.glob(f"{self._impl.filename_base}.{cpu}-*.nbc")

    def _path(self, sig: Any, codegen: Any) -> Path:
        cpu = _short(codegen.magic_tuple(), 8)
        return self._folder / f"{self._impl.filename_base}.{cpu}-{_short(sig, 24)}.nbc"

    def _read(self, path: Path) -> Entry | None:
        try:
            content = path.read_bytes()
            head, _, payload = content.partition(b"\n")
            digest, seconds = head.decode("ascii").split(" ")
            if digest != self._digest(path.name, seconds, payload):
                return None
            return Entry(float(seconds), payload, len(content))
        except (OSError, ValueError):
            return None

    def _digest(self, name: str, head: str, payload: bytes) -> str:
        # The name stands for CPU and argument types: a file under another's name is not sound either.
        return hashlib.sha256(f"{self._made_by}\0{name}\0{head}\0".encode() + payload).hexdigest()


class NoCache(NullCache):
    """The cache of a function that no folder can hold: it says so when something was compiled.

    Parameters
    ----------
    source : Path
        The folder of the function's source.
    """

    def __init__(self, source: Path) -> None:
        self._source = source

    def save_overload(self, sig: Any, cres: Any) -> None:  # noqa: ARG002 -- numba's signature
        """Warn."""
        warn_unkept(f"in {self._source / '__pycache__'} or another folder (none can be written)")


def keep(dispatcher: Any, stamp: str | None = None) -> Any:
    """Let what ``numba.njit`` returned keep its compiled code on disk (instead of ``cache=True``), and return it.

    Where no folder can be written, every process compiles anew; `stamp` is as in :class:`FolderCache`.

    Raises
    ------
    UserError
        If numba was told not to compile.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise UserError("NUMBA_DISABLE_JIT is set, but the maps' loops only exist compiled. Unset it.")
    try:
        dispatcher._cache = FolderCache(dispatcher.py_func, stamp)
    except RuntimeError:
        dispatcher._cache = NoCache(Path(inspect.getfile(dispatcher.py_func)).parent)
    return dispatcher


def warn_unkept(where: str) -> None:
    """Warn that compiled functions cannot be kept; Python shows the same words once a process."""
    # The warning is tied to this line, not to the caller's, so that it comes once for all functions.
    warnings.warn(
        f"The compiled loops cannot be kept {where}: every process compiles anew what it uses, some 20 s for all; "
        f"{REMEDY}.",
        RuntimeWarning,
        stacklevel=1,
    )


def _short(thing: object, digits: int) -> str:
    """Return the beginning of a hash of what a thing says of itself; numba's types say all that tells them apart."""
    return hashlib.sha256(repr(thing).encode()).hexdigest()[:digits]
