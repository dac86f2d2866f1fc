"""Threads over tiles, and BLAS held to one thread while they run."""

from __future__ import annotations

import contextvars
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

Task = TypeVar("Task")


def thread_count() -> int:
    """Return how many threads a map may use.

    It is numba's number (``NUMBA_NUM_THREADS``, ``numba.set_num_threads``, else the cores of this process);
    where only ``OMP_NUM_THREADS`` is set, which numba does not look at, not more than that.
    """
    import numba

    # Asking numba starts its own pool; where only one thread is allowed there is nothing to ask.
    if numba.config.NUMBA_NUM_THREADS == 1:  # type: ignore[attr-defined]
        return 1
    openmp = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    limit = int(openmp) if openmp.isdecimal() and "NUMBA_NUM_THREADS" not in os.environ else 0
    return 1 if limit == 1 else min(limit or sys.maxsize, int(numba.get_num_threads()))


class _SerialBlas:
    """Hold BLAS to one thread while at least one user needs it; the last to leave restores what was.

    The number of BLAS threads belongs to the process: two overlapping calls that each restored what they had
    found would leave it at one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._limiter: Any = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            if self._users == 0:
                self._limiter = _controller().limit(limits=1, user_api="blas")
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0:
                    self._limiter.restore_original_limits()


serial_blas = _SerialBlas()


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class _Shared(Iterator[Task]):
    """An iterator that several threads may draw from, and that can be stopped."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._lock = threading.Lock()
        self._tasks = iter(tasks)

    def __next__(self) -> Task:
        with self._lock:
            return next(self._tasks)

    def stop(self) -> None:
        with self._lock:
            self._tasks = iter(())


def share_out(tasks: Iterable[Task], work: Callable[[Iterator[Task]], None], n_threads: int) -> None:
    """Run ``work(tasks)`` in `n_threads` threads, the caller's among them, that share one iterator.

    Each thread sees the caller's context (numpy's error state). After an error no further task is handed out;
    it is raised again here.
    """
    shared = _Shared(tasks)
    if n_threads <= 1:
        work(shared)
        return

    def guarded() -> None:
        try:
            work(shared)
        except BaseException:
            shared.stop()
            raise

    with ThreadPoolExecutor(n_threads - 1) as pool:
        futures = [pool.submit(contextvars.copy_context().run, guarded) for _ in range(n_threads - 1)]
        guarded()
    for future in futures:
        future.result()
