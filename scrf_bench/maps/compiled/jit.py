"""How loops are compiled: one decorator, one cache on disk for the whole folder, and what is in it.

Compiled functions are kept beside the source (or in the user's cache folder where that is read-only, or in
``NUMBA_CACHE_DIR``). Kernels here call functions of other files, so the stamp that decides whether they are up to date
is taken over the whole folder.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import llvmlite.binding  # type: ignore[import-untyped]
import numba
import numpy as np
from numba.core.event import Event, Listener, install_listener

from scrf_bench.maps.compiled.disk_cache import FolderCache, keep

_FOLDER = Path(__file__).parent
_PACKAGE = __name__.rpartition(".")[0]

# Products may fuse with sums. Nothing else may change: reassociation would treat a loop's remainder otherwise than its
# body, and inf and nan must stay what they are.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}

Function = TypeVar("Function", bound=Callable[..., Any])
_kernels: list[Any] = []


@cache
def source_stamp() -> str:
    """Return a hash of all sources of the folder: another one makes every cached function stale."""
    digest = hashlib.sha256()
    for path in sorted(_FOLDER.glob("*.py")):
        digest.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def kernel(function: Function) -> Function:
    """Compile a function at its first call for each set of argument types, without the GIL, and keep it on disk."""
    dispatcher = keep(numba.njit(**_OPTIONS)(function), source_stamp())
    _kernels.append(dispatcher)
    return dispatcher  # type: ignore[no-any-return]


def inline(function: Function) -> Function:
    """Compile a small function into each place of a kernel that calls it."""
    return numba.njit(forceinline=True, **_OPTIONS)(function)  # type: ignore[no-any-return]


def subroutine(function: Function) -> Function:
    """Compile a function along with the kernels that call it."""
    return numba.njit(**_OPTIONS)(function)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class CompileStatus:
    """What is compiled on this machine.

    Attributes
    ----------
    folder : str
        Where the compiled functions are kept; empty if nowhere.
    kernels : dict of str to int
        How many sets of argument types of each kernel are on disk for this CPU.
    nbytes : int
        Size of these files.
    seconds : float or None
        CPU time that compiling all of them took, whichever process did it; None if there are none.
    numba, llvm, cpu : str
        What compiles, and for what.
    """

    folder: str
    kernels: dict[str, int]
    nbytes: int
    seconds: float | None
    numba: str
    llvm: str
    cpu: str


def compile_status() -> CompileStatus:
    """Return what the cache on disk holds; nothing is compiled."""
    _import_all()
    caches = {f"{k.__module__.rpartition('.')[2]}.{k.__name__}": k._cache for k in _kernels}
    kept = {name: c.entries() if isinstance(c, FolderCache) else [] for name, c in caches.items()}
    entries = [entry for several in kept.values() for entry in several]
    return CompileStatus(
        folder=next((c.cache_path for c in caches.values() if isinstance(c, FolderCache)), ""),
        kernels={name: len(several) for name, several in kept.items()},
        nbytes=sum(entry.nbytes for entry in entries),
        seconds=sum(entry.seconds for entry in entries) if entries else None,
        numba=numba.__version__,
        llvm=".".join(str(part) for part in llvmlite.binding.llvm_version_info),
        cpu=llvmlite.binding.get_host_cpu_name(),
    )


def compile_all(begin: Callable[[], None] = lambda: None) -> float | None:
    """Compile (or load) the kernels of every module for float32 and float64.

    A module lists its kernels by a function ``warm(dtype)`` that calls each of them once on small arrays.

    Parameters
    ----------
    begin : callable
        Called before the first kernel is compiled, if any is.

    Returns
    -------
    float or None
        Seconds that it took, None if everything could be loaded.
    """
    start = time.perf_counter()
    compiling = _Compiling(begin)
    with install_listener("numba:compile", compiling):
        for module in _import_all():
            if hasattr(module, "warm"):
                for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
                    module.warm(dtype)
    return time.perf_counter() - start if compiling.begun else None


class _Compiling(Listener):
    """Learns from numba that something is compiled rather than loaded."""

    def __init__(self, begin: Callable[[], None]) -> None:
        self._begin, self.begun = begin, False

    def on_start(self, event: Event) -> None:  # noqa: ARG002 -- numba's signature
        if not self.begun:
            self.begun = True
            self._begin()

    def on_end(self, event: Event) -> None:
        pass


def _import_all() -> list[Any]:
    names = sorted(module.name for module in pkgutil.iter_modules([str(_FOLDER)]))
    return [importlib.import_module(f"{_PACKAGE}.{name}") for name in names]
