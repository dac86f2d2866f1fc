"""Timing: a stopwatch, and several tasks timed in turn so that a drift of the machine hits all alike."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TypeAlias

Task: TypeAlias = Callable[[], object]

# Long against the scheduler's tick and the clock's resolution, short against a whole measurement.
SHORTEST_SAMPLE_S = 0.005
_MOST_LOOPS = 10_000_000


class Stopwatch:
    """Measures the CPU and wall-clock seconds of a ``with`` block.

    CPU time is the whole process's, all its threads together.

    Examples
    --------
    >>> with Stopwatch() as watch:
    ...     total = sum(range(1000))
    >>> watch.cpu_s >= 0.0 and watch.wall_s >= 0.0
    True
    """

    def __init__(self) -> None:
        self.cpu_s = 0.0
        self.wall_s = 0.0
        self._cpu_start = 0.0
        self._wall_start = 0.0

    def __enter__(self) -> Self:
        self._wall_start = time.perf_counter()
        self._cpu_start = time.process_time()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cpu_s = time.process_time() - self._cpu_start
        self.wall_s = time.perf_counter() - self._wall_start


@dataclass(frozen=True)
class Timing:
    """Raw samples of one task, in seconds per call and in the order taken.

    Parameters
    ----------
    cpu_s, wall_s : tuple of float
        One CPU and one wall-clock time a sample.
    loops : int
        Calls a sample was averaged over.
    """

    cpu_s: tuple[float, ...]
    wall_s: tuple[float, ...]
    loops: int = 1

    @property
    def cpu_median(self) -> float:
        """Median CPU seconds per call."""
        return quantile(self.cpu_s, 0.5)

    @property
    def wall_median(self) -> float:
        """Median wall-clock seconds per call."""
        return quantile(self.wall_s, 0.5)

    @property
    def cpu_quartiles(self) -> tuple[float, float]:
        """First and third quartile of the CPU seconds per call."""
        return quantile(self.cpu_s, 0.25), quantile(self.cpu_s, 0.75)

    @property
    def wall_quartiles(self) -> tuple[float, float]:
        """First and third quartile of the wall-clock seconds per call."""
        return quantile(self.wall_s, 0.25), quantile(self.wall_s, 0.75)

    def ratios_to(self, reference: Timing) -> tuple[float, ...]:
        """Return this task's CPU time over the reference's, round by round.

        Raises
        ------
        ValueError
            If the two were not timed in the same rounds, or the reference took no CPU time.
        """
        if len(self.cpu_s) != len(reference.cpu_s):
            raise ValueError(f"{len(self.cpu_s)} samples cannot be paired with {len(reference.cpu_s)}.")
        if min(reference.cpu_s) <= 0:
            raise ValueError("The reference took no CPU time in some round: there is no ratio to it.")
        return tuple(mine / other for mine, other in zip(self.cpu_s, reference.cpu_s, strict=True))

    def metrics(self, name: str) -> dict[str, float | int]:
        """Return medians and quartiles under the suite's names, e.g. ``map_cpu_s`` and ``map_cpu_q1_s``."""
        result: dict[str, float | int] = {}
        for clock, samples in (("cpu", self.cpu_s), ("wall", self.wall_s)):
            result[f"{name}_{clock}_s"] = quantile(samples, 0.5)
            result[f"{name}_{clock}_q1_s"] = quantile(samples, 0.25)
            result[f"{name}_{clock}_q3_s"] = quantile(samples, 0.75)
        result[f"{name}_loops"] = self.loops
        return result

    def samples(self, name: str) -> dict[str, list[float]]:
        """Return the raw samples under the suite's names, ``<name>_cpu_s`` and ``<name>_wall_s``."""
        return {f"{name}_cpu_s": list(self.cpu_s), f"{name}_wall_s": list(self.wall_s)}


def quantile(samples: Sequence[float], fraction: float) -> float:
    """Return the quantile by linear interpolation between order statistics (NumPy's default)."""
    if not samples:
        raise ValueError("There is no quantile of no samples.")
    ordered = sorted(samples)
    position = fraction * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (position - low) * (ordered[high] - ordered[low])


def interleave(
    tasks: Mapping[str, Task], *, samples: int = 5, warmup: int = 1, min_time_s: float = SHORTEST_SAMPLE_S
) -> dict[str, Timing]:
    """Time several tasks in turn: A B C, A B C, and so on.

    A machine whose speed drifts, or that is disturbed for a while, then treats all tasks alike, and the
    ratios of one round stay meaningful. A task too short for the CPU clock is called in a loop, and its
    samples are per call. Each call makes its result anew and drops it at once. The garbage collector rests
    while samples are taken.

    Parameters
    ----------
    tasks : mapping of str to callable
        What to time; each is called without arguments.
    samples : int
        Rounds, that is samples per task.
    warmup : int
        Calls of each task before anything counts (compilation, FFT plans, caches).
    min_time_s : float
        The least CPU time a sample should last; 0 turns looping off.

    Returns
    -------
    dict of str to Timing
        In the order of `tasks`.

    Raises
    ------
    ValueError
        If there are no tasks or fewer than one sample.
    """
    if not tasks:
        raise ValueError("There is nothing to time: give at least one task.")
    if samples < 1 or warmup < 0:
        raise ValueError(f"Timing takes at least 1 sample and 0 warm-up calls, not {samples} and {warmup}.")
    for task in tasks.values():
        for _ in range(warmup):
            task()
    loops = {name: _calibrate(task, min_time_s) for name, task in tasks.items()}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in tasks}
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for _ in range(samples):
            for name, task in tasks.items():
                taken[name].append(_time(task, loops[name]))
    finally:
        if collecting:
            gc.enable()
    return {
        name: Timing(
            cpu_s=tuple(cpu / loops[name] for cpu, _ in pairs),
            wall_s=tuple(wall / loops[name] for _, wall in pairs),
            loops=loops[name],
        )
        for name, pairs in taken.items()
    }


def _time(task: Task, loops: int) -> tuple[float, float]:
    """Return CPU and wall seconds of `loops` calls."""
    with Stopwatch() as watch:
        for _ in range(loops):
            task()
    return watch.cpu_s, watch.wall_s


def _calibrate(task: Task, min_time_s: float) -> int:
    """Return how often to call `task` for a sample of at least `min_time_s` CPU seconds."""
    if min_time_s <= 0:
        return 1
    loops = 1
    while loops < _MOST_LOOPS:
        cpu, wall = _time(task, loops)
        # A task that mostly waits would never fill its CPU time: its wall-clock time then decides.
        if cpu >= min_time_s or wall >= 10 * min_time_s:
            break
        enough = math.ceil(1.2 * loops * min_time_s / cpu) if cpu > 0 else 10 * loops
        loops = min(max(enough, loops + 1), 10 * loops)
    return loops
