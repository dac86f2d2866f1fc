"""How often the gate is red, and rightly: whole comparisons replayed on real records of one code.

The records are those of ``gate-times`` with many processes and of ``table2`` with many seeds. A run is a block of
consecutive processes, as one call of ``scrf-bench run gate-times`` would have measured them, so that a machine that
drifts between two runs drifts here as well; seeds are drawn at random, half of them as those of another version. What
noise does that comes on one side only is drawn too: the fast processes of the records against the slow ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import stats

from scrf_bench.bench import Point, Record
from scrf_bench.bench.measure import quantile
from scrf_bench.errors import UserError
from scrf_bench.experiments.gate.comparison import Comparison, compare_records
from scrf_bench.experiments.gate.ratios import time_ratios
from scrf_bench.experiments.gate.settings import GateSettings
from scrf_bench.stats import detectable_loss

SLOWER = 1.3
_SEED = 2015


@dataclass(frozen=True)
class Rate:
    """How many comparisons of one kind were red.

    Attributes
    ----------
    scenario : str
    processes, seeds : int
        A side, of each time and each accuracy.
    rows : int
        Rows of one comparison that chance can turn red.
    comparisons, red : int
    """

    scenario: str
    processes: int
    seeds: int
    rows: int
    comparisons: int
    red: int

    @property
    def share(self) -> float:
        """The share that was red."""
        return self.red / self.comparisons

    @property
    def interval(self) -> tuple[float, float]:
        """The exact 95 % interval of the share, as if the comparisons were independent (Clopper and Pearson 1934)."""
        result = stats.binomtest(self.red, self.comparisons).proportion_ci(0.95, method="exact")
        return float(result.low), float(result.high)


@dataclass(frozen=True)
class Loss:
    """What loss of accuracy a number of seeds can see in one set and map."""

    dataset: str
    method: str
    spread: float
    seen: dict[int, float]


class Replay:
    """Draws comparisons from records of one code.

    Parameters
    ----------
    records : sequence of Record
        Of ``gate-times`` and ``table2``, all ``ok`` and of one version.
    settings : GateSettings

    Raises
    ------
    UserError
        If there are too few processes or seeds to draw two sides from.
    """

    def __init__(self, records: Sequence[Record], settings: GateSettings) -> None:
        self.settings = settings
        self._timed: dict[int, list[Record]] = {}
        self._seeds: dict[int, list[Record]] = {}
        for record in records:
            if record.ok and "process" in record.cell.parameters:
                self._timed.setdefault(int(record.cell.parameters["process"]), []).append(record)
            elif record.ok and "seed" in record.cell.parameters:
                self._seeds.setdefault(int(record.cell.parameters["seed"]), []).append(record)
        if len(self._timed) < 4 or len(self._seeds) < 4:
            found = f"{len(self._timed)} processes of gate-times and {len(self._seeds)} seeds of table2"
            raise UserError(f"A replay needs at least 4 of each; there are {found}. Run both with --seeds 20 or more.")

    @property
    def processes(self) -> int:
        """How many processes there are of each map."""
        return len(self._timed)

    @property
    def quality(self) -> list[Record]:
        """The records of accuracies."""
        return [record for seed in sorted(self._seeds) for record in self._seeds[seed]]

    def spread(self) -> float:
        """Return the largest standard deviation between processes of any ratio's logarithm."""
        medians: dict[tuple[object, ...], list[float]] = {}
        for record in (record for records in self._timed.values() for record in records):
            for point in record.points:
                for ratio in time_ratios(record.cell, point):
                    key = (record.cell.parameters["map"], ratio.task, ratio.reference, point.parameters.get("d"))
                    medians.setdefault(key, []).append(math.log(ratio.median))
        return max(float(np.std(values, ddof=1)) for values in medians.values())

    def methods(self) -> list[str]:
        """Return what the gate judges in these records, as the names of maps."""
        found = {
            ratio.task: None
            for records in self._timed.values()
            for record in records
            for point in record.points
            for ratio in time_ratios(record.cell, point)
        }
        return list(found)

    @cached_property
    def paces(self) -> dict[int, float]:
        """How slow the machine was in each process, over the fastest: the geometric mean of RKS's own times."""
        times: dict[tuple[object, object], dict[int, float]] = {}
        for process, records in self._timed.items():
            for record in records:
                for point in record.points:
                    if taken := point.samples.get("rks_map_cpu_s"):
                        key = (record.cell.parameters["map"], point.parameters.get("d"))
                        times.setdefault(key, {})[process] = math.log(quantile(taken, 0.5))
        logs = {p: float(np.mean([seen[p] for seen in times.values() if p in seen])) for p in self._timed}
        least = min(logs.values())
        return {process: math.exp(value - least) for process, value in logs.items()}

    def sides(
        self, rng: np.random.Generator, processes: int, seeds: int, *, uneven: bool = False
    ) -> tuple[list[Record], list[Record]]:
        """Draw the records of two runs of one code that share no process, and (with `seeds`) no seed.

        Accuracies of the second side are given another version of the map: the same law, drawn anew. With `uneven`, the
        first side's processes are from the faster half, and the second's from the slower.
        """
        if uneven:
            ranked = sorted(self.paces, key=self.paces.__getitem__)
            half = len(ranked) // 2
            chosen = [rng.choice(part, processes, replace=False).tolist() for part in (ranked[:half], ranked[half:])]
        else:
            order = sorted(self._timed)
            starts = range(len(order) - processes + 1)
            apart = [(a, b) for a in starts for b in starts if abs(a - b) >= processes]
            chosen = [order[start : start + processes] for start in apart[int(rng.integers(len(apart)))]]
        base, new = (self._run(numbers) for numbers in chosen)
        if seeds:
            drawn = rng.permutation(sorted(self._seeds))
            base += [record for seed in drawn[:seeds] for record in self._seeds[int(seed)]]
            new += [_another_version(record) for seed in drawn[seeds : 2 * seeds] for record in self._seeds[int(seed)]]
        return base, new

    def _run(self, chosen: Sequence[int]) -> list[Record]:
        return [
            _with_parameter(record, "process", number)
            for number, process in enumerate(chosen)
            for record in self._timed[process]
        ]

    def rate(
        self,
        scenario: str,
        comparisons: int,
        *,
        processes: int,
        seeds: int = 0,
        uneven: bool = False,
        change: Callable[[list[Record], np.random.Generator], list[Record]] | None = None,
        counts: Callable[[Comparison], bool] = lambda comparison: bool(comparison.red),
    ) -> Rate:
        """Return how many of the comparisons drawn count (are red), `change` applied to the new side."""
        rng = np.random.default_rng([_SEED, processes, seeds])
        red = rows = 0
        for _ in range(comparisons):
            base, new = self.sides(rng, processes, seeds, uneven=uneven)
            comparison = compare_records(base, change(new, rng) if change else new, self.settings)
            red += counts(comparison)
            rows = sum(row.change is not None for row in comparison.rows)
        return Rate(scenario, processes, seeds, rows, comparisons, red)

    def slower(self, name: str, comparisons: int, *, factor: float = SLOWER, processes: int, seeds: int = 0) -> Rate:
        """Return how often a map that takes `factor` times as long is red as itself."""
        return self.rate(
            f"{name} {100 * (factor - 1):.0f} % slower",
            comparisons,
            processes=processes,
            seeds=seeds,
            change=lambda new, rng: [slowed(record, name, factor) for record in new],  # noqa: ARG005
            counts=lambda comparison: any(row.method == name and row.kind == "time" for row in comparison.red),
        )

    def changed_prediction(self, comparisons: int) -> Rate:
        """Return how often one prediction of one cell, turned over, is red: a seed's cells on both sides."""
        rng = np.random.default_rng(_SEED)
        red = 0
        for _ in range(comparisons):
            records = self._seeds[int(rng.choice(sorted(self._seeds)))]
            touched = int(rng.integers(len(records)))
            new = [turned_over(record, rng) if i == touched else record for i, record in enumerate(records)]
            red += bool(compare_records(records, new, self.settings).red)
        return Rate("one prediction changed", 0, 1, 0, comparisons, red)

    def losses(self, sizes: Sequence[int], rows: int, power: float = 0.95) -> list[Loss]:
        """Return, for each set and map, the loss in points that a number of seeds sees with `power`.

        Every row at its share of alpha among `rows`, which is what Holm's correction asks of the first to be red.
        """
        groups: dict[tuple[str, str], list[float]] = {}
        for record in self.quality:
            for point in record.points:
                key = str(record.cell.dataset), str(record.cell.parameters["method"])
                groups.setdefault(key, []).append(100.0 * point.number("accuracy"))
        level = self.settings.alpha / rows
        found = []
        for (dataset, method), values in groups.items():
            tolerance = self.settings.tolerances_of("table2", dataset, method).accuracy_points
            spread = float(np.std(values, ddof=1))
            seen = {n: detectable_loss(n, spread, tolerance, level=level, power=power) for n in sizes}
            found.append(Loss(dataset, method, spread, seen))
        return found


def slowed(record: Record, name: str, factor: float) -> Record:
    """Return a record in which one map's CPU and wall times are longer by a factor, wherever it was timed."""
    own = record.cell.parameters.get("map") == name

    def mine(task: str) -> bool:
        return task.startswith(f"{name}_map") or (own and task.startswith("map"))

    points = [
        replace(
            point,
            samples={
                task: [factor * value for value in values] if mine(task) else values
                for task, values in point.samples.items()
            },
        )
        for point in record.points
    ]
    return replace(record, points=tuple(points))


def turned_over(record: Record, rng: np.random.Generator) -> Record:
    """Return a record in which one prediction of one point is another: right becomes wrong, or wrong another wrong."""
    chosen = int(rng.integers(len(record.points)))
    points = list(record.points)
    old = points[chosen]
    wrong = int(rng.integers(2))
    errors = int(old.number("errors")) + wrong
    tested = int(old.number("n_test"))
    metrics: dict[str, Any] = {
        **old.metrics,
        "errors": errors,
        "accuracy": 1.0 - errors / tested if wrong else old.metrics["accuracy"],
        "predictions_sha256": "0" * 16,
    }
    points[chosen] = Point(old.parameters, metrics, old.samples)
    return replace(record, points=tuple(points))


def _with_parameter(record: Record, name: str, value: object) -> Record:
    cell = replace(record.cell, parameters={**record.cell.parameters, name: value})
    return replace(record, cell=cell)


def _another_version(record: Record) -> Record:
    versions = {**record.cell.versions, "map": record.cell.versions.get("map", 0) + 1}
    return replace(record, cell=replace(record.cell, versions=versions))
