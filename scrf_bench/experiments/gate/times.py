"""Time rows: ratios of times inside the same processes, on either side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from scrf_bench.bench import Cell, Record
from scrf_bench.bench.canonical import canonical_json
from scrf_bench.bench.measure import quantile
from scrf_bench.experiments.gate.outputs import point_words
from scrf_bench.experiments.gate.pairing import Pair
from scrf_bench.experiments.gate.ratios import time_ratios
from scrf_bench.experiments.gate.rows import Row
from scrf_bench.experiments.gate.settings import GateSettings
from scrf_bench.experiments.map_cells import method_label
from scrf_bench.stats import time_change

_PROCESS = "process"


@dataclass
class _Group:
    """One ratio at one place: the samples of each process."""

    cell: Cell
    task: str
    reference: str
    place: str
    base: list[tuple[float, ...]] = field(default_factory=list)
    new: list[tuple[float, ...]] = field(default_factory=list)
    environments: set[str] = field(default_factory=set)


def time_rows(pairs: Sequence[Pair], settings: GateSettings) -> Iterator[Row]:
    """Yield a row for every ratio of times that both sides have, the processes of one setting taken together.

    A new version of a map is compared like any other: raising it does not excuse slowness.
    """
    groups: dict[str, _Group] = {}
    for pair in pairs:
        for record, fresh in ((pair.base, False), (pair.new, True)):
            if record is not None and record.ok:
                _collect(groups, record, fresh=fresh)
    for group in groups.values():
        if group.base and group.new:
            yield _row(group, settings)


def holds_ratios(pair: Pair) -> bool:
    """Tell whether a cell has times that can be compared."""
    record = pair.new or pair.base
    return record is not None and any(True for point in record.points for _ in time_ratios(record.cell, point))


def _collect(groups: dict[str, _Group], record: Record, *, fresh: bool) -> None:
    cell = record.cell
    fixed = {key: value for key, value in cell.parameters.items() if key != _PROCESS}
    for point in record.points:
        for ratio in time_ratios(cell, point):
            identity = [cell.experiment, cell.dataset, cell.dtype, cell.threads, fixed, dict(point.parameters)]
            key = canonical_json([*identity, ratio.task, ratio.reference])
            place = point_words(point.parameters)
            group = groups.setdefault(key, _Group(cell, ratio.task, ratio.reference, place))
            (group.new if fresh else group.base).append(ratio.values)
            group.environments.add(record.environment.id)


def _row(group: _Group, settings: GateSettings) -> Row:
    cell = group.cell
    tolerances = settings.tolerances_of(cell.experiment, cell.dataset, group.task)
    elsewhere = len(group.environments) > 1
    allowed = tolerances.slower_elsewhere if elsewhere else tolerances.slower
    counts = [sum(len(sample) for sample in side) for side in (group.base, group.new)]
    row = Row(
        experiment=cell.experiment,
        dataset=cell.dataset or "",
        method=group.task,
        kind="time",
        what=f"time over {method_label(group.reference)}, {group.place}, {cell.dtype}",
        verdict="uncertain",
        base=tuple(quantile(sample, 0.5) for sample in group.base),
        new=tuple(quantile(sample, 0.5) for sample in group.new),
        unit="ratio",
    )
    if min(counts) < settings.least_samples:
        words = f"{counts[0]} and {counts[1]} samples; a verdict on times takes {settings.least_samples} a side."
        return replace(row, reason=words)
    change = time_change(
        group.base, group.new, tolerance=allowed, spread=tolerances.process_spread, alpha=settings.alpha_same
    )
    words = f"{len(group.base)} and {len(group.new)} processes, {counts[0]} and {counts[1]} samples"
    if elsewhere:
        words += f"; other processors or libraries, where up to {1.0 + allowed:g} times as slow is let pass"
        if not 1.0 / (1.0 + tolerances.slower) <= change.estimate <= 1.0 + tolerances.slower:
            change = replace(change, p_same=1.0, p_better=1.0)
    return replace(row, reason=f"{words}.", change=change)
