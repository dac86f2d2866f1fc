"""Times that can be compared across machines: one task's CPU time over another's, round by round in one process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scrf_bench.bench import Cell, Point
from scrf_bench.bench.measure import quantile
from scrf_bench.experiments.peers import PEERS

# A reused output where both can reuse one: that is the method's time, without the page faults of a fresh one.
_TASKS = ("map", "map_fresh", "chunk")


@dataclass(frozen=True)
class TimeRatio:
    """One method's time over a reference's, of one point of one process.

    Attributes
    ----------
    task, reference : str
        The method judged and what it is held against: RKS for our maps; another package's map, whose code is not
        ours to change, for RKS itself and our counterparts.
    values : tuple of float
        One a round.
    """

    task: str
    reference: str
    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median over rounds."""
        return quantile(self.values, 0.5)


def time_ratios(cell: Cell, point: Point) -> Iterator[TimeRatio]:
    """Yield the ratios that a point's raw samples hold; none where nothing was timed in turns.

    Samples are named as the suite names them: ``map_cpu_s`` of the cell's own method, ``rks_map_cpu_s`` of what was
    timed in turns with it. Rounds in which the clock saw no time of the reference give no ratio.
    """
    own = str(cell.parameters.get("map", ""))
    for other in cell.parameters.get("beside", ()):
        task = next((t for t in _TASKS if {f"{t}_cpu_s", f"{other}_{t}_cpu_s"} <= point.samples.keys()), None)
        if task is None:
            continue
        pairs = [(own, point.samples[f"{task}_cpu_s"]), (str(other), point.samples[f"{other}_{task}_cpu_s"])]
        (name, times), (reference, beside) = reversed(pairs) if own in PEERS else pairs
        if own not in PEERS and other != "rks":
            continue
        values = tuple(a / b for a, b in zip(times, beside, strict=False) if a > 0.0 and b > 0.0)
        if values:
            yield TimeRatio(name, reference, values)
