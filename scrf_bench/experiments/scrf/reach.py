"""Targets for speed and memory, set in the config: against what a plan times, and against what the records hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from scrf_bench.bench import Point
from scrf_bench.errors import did_you_mean
from scrf_bench.experiments.map_cells import Dtype, method_label
from scrf_bench.experiments.peers import PEERS
from scrf_bench.experiments.ratios import Ratio, passes_gate, ratio_of
from scrf_bench.experiments.scrf.expansion import timed_tasks
from scrf_bench.experiments.scrf.sweeps import Place, Sweep
from scrf_bench.maps import map_names
from scrf_bench.report import Column, Table

Key: TypeAlias = tuple[str, int, str]
"""dtype, d and method of a measured point."""
MEMORY = "memory"
"""What a target is against that asks for the extra memory of one transform."""


@dataclass(frozen=True)
class Target:
    """One target of the config.

    Attributes
    ----------
    map : str
        Whose.
    against : str
        What it is compared with; ``memory`` for the peak of memory of one transform besides its output.
    dtype : str
    d : int, optional
        The width; without it the target holds at every width measured, and the worst one is shown.
    at_least : float, optional
        ``time of against / time of map`` must reach it.
    at_most : float, optional
        ``time of map / time of against``, or bytes in units of 2^20 for ``memory``, must not exceed it.
    output : {"reused", "fresh"}
        What both write into; a peer that takes no output always makes a fresh one.
    within_noise : bool
        Count it as met where the better quartile reaches the target, not the median.
    """

    map: str
    against: str
    dtype: Dtype
    d: int | None = None
    at_least: float | None = None
    at_most: float | None = None
    output: Literal["reused", "fresh"] = "reused"
    within_noise: bool = False

    def __post_init__(self) -> None:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError(f"reach: {self.map} against {self.against} needs either at_least or at_most, not both.")
        if self.against == MEMORY and self.at_most is None:
            raise ValueError(f"reach: {self.map} against memory needs at_most, in MiB.")
        _check_name("map", self.map, (*map_names(), *PEERS))
        _check_name("against", self.against, (*map_names(), *PEERS, MEMORY))

    @property
    def limit(self) -> float:
        """The number to reach, or not to exceed."""
        return self.at_most if self.at_least is None else self.at_least  # type: ignore[return-value]

    @property
    def name(self) -> str:
        """What sets it apart from others, in a few words: ``scrf against rks, float32, d = 64``."""
        width = "every d" if self.d is None else f"d = {self.d}"
        return f"{self.map} against {self.against}, {self.dtype}, {width}"


def _check_name(key: str, name: str, known: Collection[str]) -> None:
    if name not in known:
        there = ", ".join(known)
        raise ValueError(f"there is no '{name}' for '{key}'.{did_you_mean(name, known)} There are: {there}.")


def check_targets(targets: Sequence[Target], sweeps: Sequence[Sweep]) -> None:
    """Refuse a target at a width or of a dtype that no sweep of its config has.

    Raises
    ------
    ValueError
        With the target's place in the list, its value, and the values there are.
    """
    dtypes = list(dict.fromkeys(dtype for sweep in sweeps for dtype in sweep.dtypes))
    for number, target in enumerate(targets):
        if target.dtype not in dtypes:
            raise ValueError(f"reach[{number}].dtype: no sweep has '{target.dtype}'; there is {', '.join(dtypes)}.")
        widths = sorted({d for sweep in sweeps if target.dtype in sweep.dtypes for d in sweep.d})
        if target.d is not None and target.d not in widths:
            near = min(widths, key=lambda width: abs(width - (target.d or 0)))
            raise ValueError(
                f"reach[{number}].d: no sweep of {target.dtype} has the width {target.d}. Did you mean {near}? "
                f"There are: {', '.join(map(str, widths))}."
            )


def unmeasured(targets: Sequence[Target], planned: Sequence[Place]) -> list[Target]:
    """Return the targets that no planned cell can tell anything about."""
    timed = {(place.dtype, d, place.method) for place in planned for d in place.d}
    return [target for target in targets if not any(_is_timed(target, timed, d) for d in _widths(target, timed))]


def _is_timed(target: Target, timed: Collection[Key], d: int) -> bool:
    own = (target.dtype, d, target.map) in timed
    if target.against == MEMORY:
        return own
    other = (target.dtype, d, target.against) in timed
    sides = ((own, target.map, "", f"{target.against}_"), (other, target.against, f"{target.map}_", ""))
    return any(there and _pair(target, timed_tasks(cell), mine, theirs) for there, cell, mine, theirs in sides)


def _pair(target: Target, tasks: Collection[str], mine: str, theirs: str) -> tuple[str, str] | None:
    """Return the tasks whose times a target divides, of a cell that has these; None if one of them is not there."""
    task = "map" if target.output == "reused" else "map_fresh"
    # What cannot write into a given output stands with its fresh one.
    against = task if f"{theirs}{task}" in tasks else "map_fresh"
    pair = (f"{theirs}{against}", f"{mine}{task}")
    if not set(pair) <= set(tasks):
        return None
    return pair if target.at_least is not None else pair[::-1]


def _widths(target: Target, places: Collection[Key]) -> list[int]:
    return sorted({d for dtype, d, _ in places if dtype == target.dtype and target.d in (None, d)})


@dataclass(frozen=True)
class Finding:
    """What the records say of a target at one width."""

    d: int
    value: Ratio
    met: bool


def judge(target: Target, points: Mapping[Key, Point]) -> Finding | None:
    """Return what was measured for a target, at its width or at the width where it is worst; None if nothing was."""
    measured = {d: value for d in _widths(target, points) if (value := _measured(target, points, d)) is not None}
    if not measured:
        return None
    worst: Callable[..., int] = min if target.at_least is not None else max
    d = worst(measured, key=lambda width: measured[width].median)
    return Finding(d, measured[d], all(_met(target, value) for value in measured.values()))


def _met(target: Target, value: Ratio) -> bool:
    if target.at_least is not None:
        return (value.high if target.within_noise else value.median) >= target.limit
    return (value.low if target.within_noise else value.median) <= target.limit


def _measured(target: Target, points: Mapping[Key, Point], d: int) -> Ratio | None:
    """Find the two times in the cell of either method; both are there only if they were taken in turns."""
    own, other = (points.get((target.dtype, d, name)) for name in (target.map, target.against))
    if any(point is not None and not passes_gate(point) for point in (own, other)):
        return None
    if target.against == MEMORY:
        extra = own.metrics.get("transform_extra_bytes") if own else None
        mib = float(extra) / 2**20 if isinstance(extra, (int, float)) else None
        return None if mib is None else Ratio(mib, mib, mib, 1)
    for point, mine, theirs in ((own, "", f"{target.against}_"), (other, f"{target.map}_", "")):
        if point is None:
            continue
        tasks = {key.removesuffix("_cpu_s") for key in point.samples}
        pair = _pair(target, tasks, mine, theirs)
        if pair is not None and (found := ratio_of(point.samples, *pair)) is not None:
            return found
    return None


def reach_table(name: str, title: str, targets: Sequence[Target], points: Mapping[Key, Point]) -> Table:
    """Return the table of targets: what was asked for, what was measured, and whether it is met."""
    return Table(
        name=name,
        title=title,
        columns=[
            Column("claim", "target", align="l"),
            Column("dtype", "dtype"),
            Column("d", "d", align="r"),
            Column("target", "asked for", align="r"),
            Column("measured", "measured", kind="float", digits=3),
            Column("low", "lower quartile", kind="float", digits=3),
            Column("high", "upper quartile", kind="float", digits=3),
            Column("met", "met", align="l"),
        ],
        rows=[_row(target, judge(target, points)) for target in targets],
        notes=[
            (
                "Ratios of CPU times taken in turns in one process, round by round: their median and quartiles; "
                "'faster than' is the other's time over the map's. Memory: the peak of resident memory of one "
                "transform above what was there before, output excluded."
            ),
            (
                "'reused': both write into an output that is there already, but for those that cannot; 'fresh': both "
                "make one. 'every': at every d measured; the worst is shown. 'within noise': met where the better "
                "quartile reaches the number. The numbers asked for are set in configs/table1.toml."
            ),
        ],
    )


def _row(target: Target, finding: Finding | None) -> dict[str, object]:
    if target.against == MEMORY:
        claim = f"{method_label(target.map)}: extra memory of transform (MiB)"
    else:
        verb = "time over that of" if target.at_most is not None else "faster than"
        claim = f"{method_label(target.map)} {verb} {method_label(target.against)}, {_output(target)}"
    sign = "≥" if target.at_least is not None else "≤"
    row: dict[str, object] = {
        "claim": claim,
        "dtype": target.dtype,
        "d": f"{target.d:,d}" if target.d is not None else "every",
        "target": f"{sign} {target.limit:g}" + (" within noise" if target.within_noise else ""),
        "met": "not measured",
    }
    if finding is not None:
        value = finding.value
        row |= {"measured": value.median, "met": "met" if finding.met else "not met"}
        if target.d is None:
            row["d"] = f"every (worst {finding.d:,d})"
        if value.rounds > 1:
            row |= {"low": value.low, "high": value.high}
        else:
            row |= {"low": "–", "high": "–"}
    return row


def _output(target: Target) -> str:
    peer = PEERS.get(target.against)
    if target.output == "reused" and peer is not None and not peer.takes_out:
        return "reused output against its fresh one"
    return f"{target.output} output"
