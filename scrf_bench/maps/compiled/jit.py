"""How loops are compiled: one decorator, one cache on disk for the whole folder, and what is in it.

numba keeps compiled functions beside the source (or in the user's cache folder where that is read-only, or in
``NUMBA_CACHE_DIR``) and throws them away when *their own* file changes. Kernels here call functions of other files,
so the stamp that decides is taken over the whole folder.
"""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import llvmlite.binding  # type: ignore[import-untyped]
import numba
import numpy as np
from numba.core.caching import FunctionCache

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


class FolderCache(FunctionCache):
    """numba's cache of one function, fresh as long as the whole folder is unchanged."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._cache_file._source_stamp = source_stamp()

    def signatures(self) -> list[tuple[Any, ...]]:
        """Return the argument types for which the disk holds code of this CPU."""
        cpu = numba.core.registry.cpu_target.target_context.codegen().magic_tuple()
        return [key[0] for key in self._cache_file._load_index() if key[1] == cpu]  # type: ignore[no-untyped-call]


def kernel(function: Function) -> Function:
    """Compile a function at its first call for each set of argument types, without the GIL, and keep it on disk."""
    dispatcher = numba.njit(**_OPTIONS)(function)
    # Where no folder can be written, every process compiles anew.
    with suppress(RuntimeError):
        dispatcher._cache = FolderCache(function)
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
    numba, llvm, cpu : str
        What compiles, and for what.
    """

    folder: str
    kernels: dict[str, int]
    nbytes: int
    numba: str
    llvm: str
    cpu: str


def compile_status() -> CompileStatus:
    """Return what the cache on disk holds; nothing is compiled."""
    _import_all()
    caches = {f"{k.__module__.rpartition('.')[2]}.{k.__name__}": k._cache for k in _kernels}
    on_disk = {name: kept for name, kept in caches.items() if isinstance(kept, FolderCache)}
    return CompileStatus(
        folder=next((kept.cache_path for kept in on_disk.values()), ""),
        kernels={name: len(on_disk[name].signatures()) if name in on_disk else 0 for name in caches},
        nbytes=sum(path.stat().st_size for kept in on_disk.values() for path in _files(kept)),
        numba=numba.__version__,
        llvm=".".join(str(part) for part in llvmlite.binding.llvm_version_info),
        cpu=llvmlite.binding.get_host_cpu_name(),
    )


def compile_all() -> float:
    """Compile (or load) the kernels of every module for float32 and float64; return the seconds it took.

    A module lists its kernels by a function ``warm(dtype)`` that calls each of them once on small arrays.
    """
    start = time.perf_counter()
    for module in _import_all():
        if hasattr(module, "warm"):
            for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
                module.warm(dtype)
    return time.perf_counter() - start


def _import_all() -> list[Any]:
    names = sorted(module.name for module in pkgutil.iter_modules([str(_FOLDER)]))
    return [importlib.import_module(f"{_PACKAGE}.{name}") for name in names]


def _files(kept: FolderCache) -> list[Path]:
    return list(Path(kept.cache_path).glob(f"{kept._impl.filename_base}.*"))
