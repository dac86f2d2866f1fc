"""Quality rows: accuracies and errors over seeds, where the two sides are not the same cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.bench.canonical import canonical_json
from scrf_bench.experiments.gate.outputs import method_of, point_words
from scrf_bench.experiments.gate.pairing import Pair
from scrf_bench.experiments.gate.rows import Row
from scrf_bench.experiments.gate.settings import GateSettings
from scrf_bench.stats import mean_change

# What distinguishes two draws of one thing.
_DRAW = ("seed", "split")
OFFICIAL = "official split"


@dataclass
class _Group:
    """One metric of one method at one place, over seeds."""

    cell: Cell
    point: Point
    metric: str
    base: dict[int, float] = field(default_factory=dict)
    new: dict[int, float] = field(default_factory=dict)
    cells: set[str] = field(default_factory=set)
    repeated: bool = False
    random_split: bool = True


def quality_rows(pairs: Sequence[Pair], settings: GateSettings) -> tuple[list[Row], set[str]]:
    """Return a row for every accuracy and error that fresh seeds or another version give anew.

    Where a cell is on both sides, its outputs were compared already, and nothing is left to chance. Beside the rows,
    the ids of the cells that stand against other seeds of the same thing, all of the new ones being fresh.
    """
    groups = _grouped(pairs, settings)
    fresh = {cell for group in groups if not group.repeated for cell in group.cells}
    return [_row(group, settings) for group in groups], fresh


def _grouped(pairs: Sequence[Pair], settings: GateSettings) -> list[_Group]:
    known = {pair.base.cell.id for pair in pairs if pair.base is not None and pair.base.ok}
    groups: dict[str, _Group] = {}
    for pair in pairs:
        if pair.base is not None and pair.base.ok:
            _collect(groups, pair.base, settings, fresh=False, repeated=pair.new is not None)
        if pair.new is not None and pair.new.ok and pair.new.cell.id not in known:
            _collect(groups, pair.new, settings, fresh=True)
    return [group for group in groups.values() if group.base and group.new]


def _collect(
    groups: dict[str, _Group], record: Record, settings: GateSettings, *, fresh: bool, repeated: bool = False
) -> None:
    cell = record.cell
    if "seed" not in cell.parameters:
        return
    fixed = {key: value for key, value in cell.parameters.items() if key not in _DRAW}
    for point in record.points:
        place = {key: value for key, value in point.parameters.items() if key not in _DRAW}
        for metric, value in point.metrics.items():
            if isinstance(value, str) or value is None:
                continue
            if not (settings.is_accuracy(metric) or settings.is_error(metric)):
                continue
            key = canonical_json([cell.experiment, cell.dataset, cell.dtype, cell.threads, fixed, place, metric])
            group = groups.setdefault(key, _Group(cell, point, metric))
            (group.new if fresh else group.base)[int(cell.parameters["seed"])] = float(value)
            group.cells.add(cell.id)
            group.repeated |= repeated
            group.random_split &= point.parameters.get("split", OFFICIAL) != OFFICIAL


def _row(group: _Group, settings: GateSettings) -> Row:
    cell, point = group.cell, group.point
    tolerances = settings.tolerances_of(cell.experiment, cell.dataset, method_of(cell))
    pairs = group.random_split and group.base.keys() == group.new.keys()
    seeds = [sorted(side) for side in (group.base, group.new)]
    old, new = ([side[seed] for seed in order] for side, order in zip((group.base, group.new), seeds, strict=True))
    share = settings.is_accuracy(group.metric)
    tested = point.parameters.get("n_test")
    if share:
        before, after = [100.0 * v for v in old], [100.0 * v for v in new]
        tolerance, resolution = tolerances.accuracy_points, 100.0 / int(tested) if isinstance(tested, int) else 0.0
    else:
        before, after = ([math.log(max(v, 1e-300)) for v in side] for side in (old, new))
        tolerance, resolution = math.log1p(tolerances.error_ratio), 0.0
    change = mean_change(
        before,
        after,
        tolerance=tolerance,
        higher_is_better=share,
        pairs=pairs,
        resolution=resolution,
        alpha=settings.alpha_same,
    )
    place = point_words(point.parameters, without=frozenset(_DRAW))
    few = f"{len(old)} and {len(new)} seeds"
    return Row(
        experiment=cell.experiment,
        dataset=cell.dataset or "",
        method=method_of(cell),
        kind="quality",
        what=f"{group.metric}{f', {place}' if place else ''}",
        verdict="uncertain",
        reason=f"{few}: too few to tell." if min(len(old), len(new)) < 2 else f"{few}.",
        change=change,
        base=tuple(before if share else old),
        new=tuple(after if share else new),
        unit="points" if share else "log ratio",
    )
