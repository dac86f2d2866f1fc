"""Time rows: ratios of times inside the same processes, on either side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from scipy.stats import norm

from scrf_bench.bench import Cell, Record
from scrf_bench.bench.canonical import canonical_json
from scrf_bench.bench.measure import quantile
from scrf_bench.experiments.gate.outputs import point_words
from scrf_bench.experiments.gate.pairing import Pair
from scrf_bench.experiments.gate.ratios import TimeRatio, time_ratios
from scrf_bench.experiments.gate.rows import Row
from scrf_bench.experiments.gate.settings import GateSettings
from scrf_bench.experiments.map_cells import method_label
from scrf_bench.stats import Change, time_change

_PROCESS = "process"
_YARDSTICK = "rks"
# At this level a map must seem slower (or faster) than its yardstick's own change explains, to be so beside it.
_DOUBT = 0.2

Samples: TypeAlias = list[tuple[float, ...]]


@dataclass
class _Group:
    """One ratio at one place: on either side, the samples of each process by environment."""

    cell: Cell
    task: str
    reference: str
    place: str
    base: dict[str, Samples] = field(default_factory=dict)
    new: dict[str, Samples] = field(default_factory=dict)
    lost: int = 0
    outdated: bool = False


@dataclass(frozen=True)
class _Match:
    """The processes of one group that are compared: those of one environment, or of different ones (`elsewhere`)."""

    group: _Group
    environment: str
    base: Samples
    new: Samples
    elsewhere: bool

    @property
    def where(self) -> tuple[str, ...]:
        """What a map's ratio and the ratio of its yardstick have in common."""
        return self.group.cell.experiment, self.group.cell.dtype, self.group.place, self.environment


def time_rows(pairs: Sequence[Pair], settings: GateSettings) -> Iterator[Row]:
    """Yield a row for every ratio of times and environment, the processes of one setting taken together.

    A new version of a map is compared like any other: raising it does not excuse slowness. What RKS itself has changed
    beside another package's map is taken out of the ratios to RKS: they are to tell of the other maps.
    """
    groups: dict[str, _Group] = {}
    for pair in pairs:
        _collect(groups, pair)
    matches = [match for group in groups.values() if not group.lost for match in _matches(group)]
    yardsticks: dict[tuple[str, ...], Change] = {}
    for match in matches:
        if match.group.task == _YARDSTICK and (change := _row(match, settings).change) is not None:
            yardsticks.setdefault(match.where, change)
    for group in groups.values():
        if group.lost:
            words = f"The new records of {group.lost} cells are there, but without this time, or with none above 0."
            verdict = replace(_blank(group), reason=words)
            yield verdict if group.outdated else replace(verdict, verdict="worse", red=True)
    for match in matches:
        yield _row(match, settings, yardsticks.get(match.where) if match.group.reference == _YARDSTICK else None)


def holds_ratios(pair: Pair) -> bool:
    """Tell whether a cell has times that can be compared."""
    record = pair.new or pair.base
    return record is not None and any(True for point in record.points for _ in time_ratios(record.cell, point))


def _collect(groups: dict[str, _Group], pair: Pair) -> None:
    """Add a pair's ratios to their groups, and count those that the new record should have and has not."""
    old, new = _ratios(pair.base), _ratios(pair.new)
    for key in {**old, **new}:
        cell, place, ratio = old.get(key) or new[key]
        group = groups.setdefault(key, _Group(cell, ratio.task, ratio.reference, place))
        for found, record, side in ((old, pair.base, group.base), (new, pair.new, group.new)):
            # Two machines in the new store may have one record of the base in common.
            if record is not None and key in found:
                samples = side.setdefault(record.environment.id, [])
                if found[key][2].values not in samples:
                    samples.append(found[key][2].values)
        if pair.both_ok and key not in new:
            group.lost += 1
            group.outdated |= bool(pair.outdated())


def _ratios(record: Record | None) -> dict[str, tuple[Cell, str, TimeRatio]]:
    """Return each ratio of an ``ok`` record by what it is a ratio of, whatever the process."""
    found: dict[str, tuple[Cell, str, TimeRatio]] = {}
    if record is None or not record.ok:
        return found
    cell = record.cell
    fixed = {key: value for key, value in cell.parameters.items() if key != _PROCESS}
    for point in record.points:
        for ratio in time_ratios(cell, point):
            identity = [cell.experiment, cell.dataset, cell.dtype, cell.threads, fixed, dict(point.parameters)]
            key = canonical_json([*identity, ratio.task, ratio.reference])
            found[key] = cell, point_words(point.parameters), ratio
    return found


def _matches(group: _Group) -> Iterator[_Match]:
    """Yield what is compared: like with like, and what the base has no like of with all that it has."""
    for environment, new in group.new.items():
        if here := group.base.get(environment):
            yield _Match(group, environment, here, new, elsewhere=False)
        elif anywhere := [samples for side in group.base.values() for samples in side]:
            yield _Match(group, environment, anywhere, new, elsewhere=True)


def _blank(group: _Group) -> Row:
    cell = group.cell
    return Row(
        experiment=cell.experiment,
        dataset=cell.dataset or "",
        method=group.task,
        kind="time",
        what=f"time over {method_label(group.reference)}, {group.place}, {cell.dtype}",
        verdict="missing",
        base=_medians([samples for side in group.base.values() for samples in side]),
        new=_medians([samples for side in group.new.values() for samples in side]),
        unit="ratio",
    )


def _medians(samples: Samples) -> tuple[float, ...]:
    return tuple(quantile(sample, 0.5) for sample in samples)


def _row(match: _Match, settings: GateSettings, yardstick: Change | None = None) -> Row:
    cell, base, new = match.group.cell, match.base, match.new
    tolerances = settings.tolerances_of(cell.experiment, cell.dataset, match.group.task)
    allowed = tolerances.slower_elsewhere if match.elsewhere else tolerances.slower
    counts = [sum(len(sample) for sample in side) for side in (base, new)]
    row = replace(_blank(match.group), verdict="uncertain", base=_medians(base), new=_medians(new))
    if min(counts) < settings.least_samples:
        words = f"{counts[0]} and {counts[1]} samples; a verdict on times takes {settings.least_samples} a side."
        return replace(row, reason=words)

    def compared(moved: tuple[float, float] = (0.0, 0.0)) -> Change:
        return time_change(
            base,
            new,
            tolerance=allowed,
            spread=tolerances.process_spread,
            freedom=tolerances.process_freedom,
            alpha=settings.alpha_same,
            yardstick=moved,
        )

    change = compared()
    words = f"{len(base)} and {len(new)} processes, {counts[0]} and {counts[1]} samples"
    if yardstick is not None:
        own = compared(_log_and_error(yardstick, settings.alpha_same))
        change = _beside(change, own)
        if change.estimate == own.estimate:
            words += f"; what {method_label(_YARDSTICK)} itself has changed ({yardstick.estimate:.3g}×) is taken out"
    if match.elsewhere:
        words += f"; other processors or libraries, where up to {1.0 + allowed:g} times as slow is let pass"
        if not 1.0 / (1.0 + tolerances.slower) <= change.estimate <= 1.0 + tolerances.slower:
            change = replace(change, p_same=1.0, p_better=1.0)
    return replace(row, reason=f"{words}.", change=change)


def _beside(plain: Change, own: Change) -> Change:
    """Judge a map by its ratio to RKS, and by that without what RKS itself has changed.

    The first knows nothing of RKS's change, the second has its error too. A map is worse (or better) by the second, or
    by the first where the second does not speak against it; two ways, so that p-values are doubled.
    """
    by_first = {name: getattr(plain, name) if getattr(own, name) <= _DOUBT else 1.0 for name in ("p_worse", "p_better")}
    p = {name: min(1.0, 2.0 * min(value, getattr(own, name))) for name, value in by_first.items()}
    agree = own.low <= plain.estimate <= own.high
    shown = plain if agree else own
    return replace(shown, **p, p_same=min(plain.p_same, own.p_same) if agree else own.p_same)


def _log_and_error(change: Change, alpha: float) -> tuple[float, float]:
    """Return the logarithm of a ratio of times and its standard error, as its interval has it."""
    return math.log(change.estimate), math.log(change.high / change.low) / (2.0 * float(norm.isf(alpha)))
