"""How cells are run: limits, what to try again, and what a cell's process is started with."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scrf_bench.bench.cell import Cell
from scrf_bench.bench.record import STATUSES, Status
from scrf_bench.bench.worker import PARENT_VARIABLE
from scrf_bench.errors import UserError

DEFAULT_TIMEOUT_S = 6 * 3600.0
DEFAULT_MEMORY_LIMIT = 8 * 1024**3

# Every library that starts threads of its own reads one of these when it is loaded.
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


@dataclass(frozen=True)
class RunOptions:
    """The settings of one run.

    Parameters
    ----------
    jobs : int
        How many quality cells may run at once; timing cells run alone.
    timeout_s : float, optional
        Wall-clock limit of every cell in seconds; without it each cell's own, else six hours.
    memory_limit : int, optional
        Limit of every cell's resident memory in bytes; without it each cell's own, else 8 GiB.
    retry : frozenset of str
        Statuses to try again (``failed``, ``timeout``, ``memory``); ``unavailable`` always is.
    force : bool
        Run every cell, also those that are ``ok``; old records stay.
    command : tuple of str
        What starts a cell. Called as ``COMMAND CELL_FILE --outcome OUTCOME_FILE [--plugin FILE]...``.
    environ : mapping of str to str
        Environment variables for the cells, besides those of this process.
    plugins : tuple of Path
        Files to hand on with ``--plugin``.
    machine_lock : Path, optional
        See :class:`~scrf_bench.bench.machine_lock.MachineLock`.

    Raises
    ------
    UserError
        If a value makes no sense.
    """

    jobs: int = 1
    timeout_s: float | None = None
    memory_limit: int | None = None
    retry: frozenset[Status] = frozenset()
    force: bool = False
    command: tuple[str, ...] = (sys.executable, "-m", "scrf_bench", "cell")
    environ: Mapping[str, str] = field(default_factory=dict)
    plugins: tuple[Path, ...] = ()
    machine_lock: Path | None = None

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise UserError(f"--jobs is {self.jobs}: give 1 or more.")
        if self.timeout_s is not None and not self.timeout_s > 0:
            raise UserError(f"--timeout is {self.timeout_s}: give seconds above 0.")
        if self.memory_limit is not None and not self.memory_limit > 0:
            raise UserError(f"--memory-limit is {self.memory_limit}: give bytes above 0.")
        unknown = sorted(set(self.retry) - (set(STATUSES) - {"ok"}))
        if unknown:
            raise UserError(
                f"--retry cannot be '{unknown[0]}': choose among failed, timeout, memory, unavailable "
                "(--force runs finished cells again)."
            )

    def timeout_for(self, cell: Cell) -> float:
        """Return the cell's limit of wall-clock time in seconds."""
        return self.timeout_s or cell.timeout_s or DEFAULT_TIMEOUT_S

    def memory_for(self, cell: Cell) -> int:
        """Return the cell's limit of resident memory in bytes."""
        return self.memory_limit or cell.memory_limit or DEFAULT_MEMORY_LIMIT

    def command_for(self, cell_path: Path, outcome_path: Path) -> list[str]:
        """Return the command that runs a cell's file."""
        plugins = [word for plugin in self.plugins for word in ("--plugin", str(plugin))]
        return [*self.command, str(cell_path), "--outcome", str(outcome_path), *plugins]

    def environ_for(self, cell: Cell) -> dict[str, str]:
        """Return the environment variables of the cell's process: threads pinned, nothing left to chance."""
        return {
            **os.environ,
            "MPLBACKEND": "Agg",
            "PYTHONHASHSEED": "0",
            **self.environ,
            **dict.fromkeys(_THREADS, str(cell.threads)),
            # libsvm's OpenMP loops are tiny; threads that spin between them cost a hundredfold.
            "OMP_WAIT_POLICY": "passive",
            PARENT_VARIABLE: str(os.getpid()),
        }
