"""From cells to records: run one cell, measure it, store what came of it; run many, stop and go on at will."""

from __future__ import annotations

from scrf_bench.bench.cell import Cell
from scrf_bench.bench.environment import Environment, capture_environment
from scrf_bench.bench.measure import Stopwatch, Timing, interleave
from scrf_bench.bench.record import STATUSES, Point, Record

__all__ = [
    "STATUSES",
    "Cell",
    "Environment",
    "Point",
    "Record",
    "Stopwatch",
    "Timing",
    "capture_environment",
    "interleave",
]
