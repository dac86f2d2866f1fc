"""Time rows: ratios of times inside the same processes, on either side."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from scipy.stats import norm

from scrf_bench.bench import Cell, Record
from scrf_bench.bench.canonical import canonical_json
from scrf_bench.bench.measure import quantile
from scrf_bench.experiments.gate.outputs import point_words
from scrf_bench.experiments.gate.pairing import Pair
from scrf_bench.experiments.gate.ratios import time_ratios
from scrf_bench.experiments.gate.rows import Row
from scrf_bench.experiments.gate.settings import GateSettings
from scrf_bench.experiments.map_cells import method_label
from scrf_bench.stats import Change, time_change

_PROCESS = "process"
_YARDSTICK = "rks"


@dataclass(frozen=True)
class _Process:
    """The samples of one process, and where it ran."""

    environment: str
    values: tuple[float, ...]


@dataclass
class _Group:
    """One ratio at one place: its processes on either side, and whether its cells were measured on both."""

    cell: Cell
    task: str
    reference: str
    place: str
    base: list[_Process] = field(default_factory=list)
    new: list[_Process] = field(default_factory=list)
    remeasured: bool = False

    def where(self) -> tuple[str, str, str]:
        """Return what a map's ratio and the ratio of its yardstick have in common."""
        return self.cell.experiment, self.cell.dtype, self.place


def time_rows(pairs: Sequence[Pair], settings: GateSettings) -> Iterator[Row]:
    """Yield a row for every ratio of times, the processes of one setting taken together.

    A new version of a map is compared like any other: raising it does not excuse slowness. Where RKS itself has changed
    beside another package's map, that change is taken out of the ratios to RKS: they are to tell of the other maps.
    """
    groups: dict[str, _Group] = {}
    for pair in pairs:
        for record, fresh in ((pair.base, False), (pair.new, True)):
            if record is not None and record.ok:
                _collect(groups, record, fresh=fresh, remeasured=pair.both_ok and not pair.outdated())
    both = [group for group in groups.values() if group.base and group.new]
    yardsticks: dict[tuple[str, str, str], Change] = {}
    for group in both:
        if group.task == _YARDSTICK and (change := _row(group, settings).change) is not None:
            yardsticks.setdefault(group.where(), change)
    for group in groups.values():
        if group.base and group.new:
            moved = yardsticks.get(group.where()) if group.reference == _YARDSTICK else None
            yield _row(group, settings, moved)
        elif group.base and group.remeasured:
            words = "The base has this time; the new record is there, but without it (or with a time of 0)."
            yield replace(_blank(group), verdict="worse", red=True, reason=words)


def holds_ratios(pair: Pair) -> bool:
    """Tell whether a cell has times that can be compared."""
    record = pair.new or pair.base
    return record is not None and any(True for point in record.points for _ in time_ratios(record.cell, point))


def _collect(groups: dict[str, _Group], record: Record, *, fresh: bool, remeasured: bool) -> None:
    cell = record.cell
    fixed = {key: value for key, value in cell.parameters.items() if key != _PROCESS}
    for point in record.points:
        for ratio in time_ratios(cell, point):
            identity = [cell.experiment, cell.dataset, cell.dtype, cell.threads, fixed, dict(point.parameters)]
            key = canonical_json([*identity, ratio.task, ratio.reference])
            place = point_words(point.parameters)
            group = groups.setdefault(key, _Group(cell, ratio.task, ratio.reference, place))
            (group.new if fresh else group.base).append(_Process(record.environment.id, ratio.values))
            group.remeasured |= remeasured


def _alike(group: _Group) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]], int]:
    """Return the processes of the environment that both sides have most of, and how many others are left out.

    Where they have none in common, all of them.
    """
    counts = [Counter(process.environment for process in side) for side in (group.base, group.new)]
    common = counts[0] & counts[1]
    if not common:
        return [p.values for p in group.base], [p.values for p in group.new], 0
    chosen, _ = common.most_common(1)[0]
    base, new = ([p.values for p in side if p.environment == chosen] for side in (group.base, group.new))
    return base, new, len(group.base) + len(group.new) - len(base) - len(new)


def _blank(group: _Group) -> Row:
    cell = group.cell
    return Row(
        experiment=cell.experiment,
        dataset=cell.dataset or "",
        method=group.task,
        kind="time",
        what=f"time over {method_label(group.reference)}, {group.place}, {cell.dtype}",
        verdict="uncertain",
        base=_medians(process.values for process in group.base),
        new=_medians(process.values for process in group.new),
        unit="ratio",
    )


def _medians(samples: Iterable[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(quantile(sample, 0.5) for sample in samples)


def _row(group: _Group, settings: GateSettings, yardstick: Change | None = None) -> Row:
    cell = group.cell
    tolerances = settings.tolerances_of(cell.experiment, cell.dataset, group.task)
    base, new, others = _alike(group)
    elsewhere = not {p.environment for p in group.base} & {p.environment for p in group.new}
    allowed = tolerances.slower_elsewhere if elsewhere else tolerances.slower
    counts = [sum(len(sample) for sample in side) for side in (base, new)]
    row = replace(_blank(group), base=_medians(base), new=_medians(new))
    if min(counts) < settings.least_samples:
        words = f"{counts[0]} and {counts[1]} samples; a verdict on times takes {settings.least_samples} a side."
        return replace(row, reason=words)
    moved = yardstick if yardstick and min(yardstick.p_worse, yardstick.p_better) <= settings.alpha else None
    change = time_change(
        base,
        new,
        tolerance=allowed,
        spread=tolerances.process_spread,
        alpha=settings.alpha_same,
        yardstick=(0.0, 0.0) if moved is None else _log_and_error(moved, settings.alpha_same),
    )
    words = f"{len(base)} and {len(new)} processes, {counts[0]} and {counts[1]} samples"
    if others:
        words += f"; {others} of other processors or libraries left out"
    if moved is not None:
        words += f"; {method_label(_YARDSTICK)} itself now takes {moved.estimate:.3g} times as long, which is taken out"
    if elsewhere:
        words += f"; other processors or libraries, where up to {1.0 + allowed:g} times as slow is let pass"
        if not 1.0 / (1.0 + tolerances.slower) <= change.estimate <= 1.0 + tolerances.slower:
            change = replace(change, p_same=1.0, p_better=1.0)
    return replace(row, reason=f"{words}.", change=change)


def _log_and_error(change: Change, alpha: float) -> tuple[float, float]:
    """Return the logarithm of a ratio of times and its standard error, as its interval has it."""
    return math.log(change.estimate), math.log(change.high / change.low) / (2.0 * float(norm.isf(alpha)))
