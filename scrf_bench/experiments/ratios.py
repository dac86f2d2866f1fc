"""Ratios of times that were taken in turns, from a record's raw samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scrf_bench.bench import Point


@dataclass(frozen=True)
class Ratio:
    """Median and quartiles of one ratio over the rounds of one process."""

    median: float
    low: float
    high: float
    rounds: int


def ratio_of(samples: Mapping[str, Sequence[float]], over: str, under: str, clock: str = "cpu") -> Ratio | None:
    """Return the ratio of two tasks round by round, ``over / under``; None where either was not timed.

    A drift of the machine hits both tasks of one round alike, so quartiles of ratios are narrower than those of times.
    """
    numerator, denominator = (samples.get(f"{task}_{clock}_s") for task in (over, under))
    if not numerator or not denominator or len(numerator) != len(denominator):
        return None
    rounds = np.asarray(numerator) / np.maximum(np.asarray(denominator), 1e-12)
    low, median, high = (float(q) for q in np.quantile(rounds, [0.25, 0.5, 0.75]))
    return Ratio(median, low, high, len(rounds))


def passes_gate(point: Point) -> bool:
    """Tell whether the method's features approximate the kernel; what makes no estimate passes."""
    error, bound = point.metrics.get("kernel_rms_error"), point.metrics.get("kernel_rms_bound")
    return error is None or bound is None or point.number("kernel_rms_error") <= point.number("kernel_rms_bound")


def compared_task(samples: Mapping[str, Sequence[float]]) -> str:
    """Name the task that stands for the whole map: into a reused output where it can, into a fresh one otherwise."""
    return "map" if "map_cpu_s" in samples else "map_fresh"


def speedup_over(point: Point, other: str, output: str | None = None) -> Ratio | None:
    """Return how many times faster the point's method is than another timed beside it.

    Parameters
    ----------
    point : Point
        Of an expansion cell.
    other : str
        The method beside it.
    output : {"map", "map_fresh"}, optional
        Whether both write into a reused or into a fresh output; by default what the point's method is judged by.
    """
    task = output or compared_task(point.samples)
    return ratio_of(point.samples, f"{other}_{task}", task)
