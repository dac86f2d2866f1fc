"""CPU and wall seconds of a learner's steps, told apart by name."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def timed(times: dict[str, float], step: str) -> Iterator[None]:
    """Store the seconds a block takes as ``times["<step>_cpu_s"]`` and ``times["<step>_wall_s"]``.

    CPU seconds are the whole process's (all threads), wall seconds come from a monotonic clock. A block that
    raises stores nothing.
    """
    cpu, wall = time.process_time(), time.perf_counter()
    yield
    times[f"{step}_cpu_s"] = time.process_time() - cpu
    times[f"{step}_wall_s"] = time.perf_counter() - wall
