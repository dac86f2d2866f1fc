"""How claims about time and memory of the expansion are judged from Table 1's and Figure 2's records, for any map."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

import numpy as np

from scrf_bench.bench import Point
from scrf_bench.experiments.claims import Evidence
from scrf_bench.experiments.map_cells import method_label
from scrf_bench.experiments.matrices import REFERENCE
from scrf_bench.experiments.ratios import passes_gate
from scrf_bench.report import reported
from scrf_bench.stats import (
    Lack,
    Region,
    Verdict,
    count_finding,
    exponent_finding,
    not_testable,
    rank_finding,
    undecided,
)

_DTYPE = "float64"


class Expansion:
    """One experiment's planned and measured widths, in one dtype: float64 where the first sweep has it.

    Widths of every sweep count, so that a claim about several maps is judged at each d where all of them are planned.
    """

    def __init__(self, evidence: Evidence, experiment: str) -> None:
        self._evidence, self._experiment = evidence, experiment
        self._source = evidence.source(experiment)
        dtypes = self._source.config.dtypes
        self.dtype: str = _DTYPE if _DTYPE in dtypes else dtypes[0]
        self._records = [record for record in self._source.records if record.cell.dtype == self.dtype]

    def planned(self, *names: str) -> list[int]:
        """Return the d at which all these maps are to be measured: none beyond a limit that the config declares."""
        cells = [cell for cell in self._source.cells if cell.dtype == self.dtype and cell.declared_limit is None]
        widths = [
            {d for cell in cells if cell.parameters["map"] == name for d in cell.parameters["d"]} for name in names
        ]
        return sorted(set.intersection(*widths))

    def points(self, name: str) -> dict[int, Point]:
        """Return one map's points by d, in order."""
        found = {int(p.number("d")): p for r in self._records for p in r.points if p.parameters["map"] == name}
        return {d: found[d] for d in self.planned(name) if d in found}

    def timed(self, name: str) -> dict[int, Point]:
        """Return the points of whose times one may speak: features that do not approximate the kernel have no speed."""
        return {d: point for d, point in self.points(name).items() if passes_gate(point)}

    def process(self, name: str, d: int) -> str:
        """Return the name of the process that measured a map at one d, and maybe at others."""
        here = [r for r in self._records for p in r.points if (p.parameters["map"], p.number("d")) == (name, d)]
        return here[-1].name

    def samples(self, point: Point, task: str) -> list[float] | None:
        """Return the CPU times of a task into a reused output; None if there are too few."""
        return self._evidence.samples(self._experiment, point.samples.get(f"{task}_cpu_s", []))

    def medians(self, name: str) -> tuple[dict[int, float], int]:
        """Return a map's time by d, and from how many processes: its own and those that time it beside another map.

        The median of the processes' medians: one process that measures every d is one run, not many.
        """
        found: dict[int, list[float]] = {d: [] for d in self.timed(name)}
        processes = set()
        for record in self._records:
            for point in record.points:
                times = self.samples(point, "map" if point.parameters["map"] == name else f"{name}_map")
                d = int(point.number("d"))
                if times and d in found:
                    found[d].append(float(np.median(times)))
                    processes.add(record.name)
        return {d: float(np.median(values)) for d, values in found.items() if values}, len(processes)

    def label(self, d: int) -> str:
        """Name a part, with the dtype where it is not the one that is asked for."""
        return f"d = {d:,}" + (f" in {self.dtype}" if self.dtype != _DTYPE else "")

    def missing(self, planned: Iterable[int], measured: Iterable[int]) -> list[str]:
        """Name the parts that are planned and not measured."""
        there = set(measured)
        return [self.label(d) for d in planned if d not in there]

    def untimed(self, measured: Iterable[int], *names: str) -> list[Lack]:
        """Say why these maps are not compared at the other planned d: not measured, too few samples, or no kernel."""
        there = set(measured)
        return [self._untimed(d, names) for d in self.planned(*names) if d not in there]

    def _untimed(self, d: int, names: Iterable[str]) -> Lack:
        here = [self.points(name).get(d) for name in names]
        if any(point is not None and not passes_gate(point) for point in here):
            return Lack(self.label(d), why="features that do not approximate the kernel")
        fewest = min(0 if point is None else len(point.samples.get("map_cpu_s", [])) for point in here)
        return self._evidence.lack(self._experiment, self.label(d), range(fewest), "samples")


def _time_exponent(
    evidence: Evidence, experiment: str, name: str, work: Callable[[int], float], region: Region
) -> Verdict:
    """Fit time on work over every d that is planned for a map."""
    expansion = Expansion(evidence, experiment)
    fit_from = getattr(evidence.source(experiment).config, "fit_from", 1)
    wanted = [d for d in expansion.planned(name) if d >= fit_from]
    medians, processes = expansion.medians(name)
    times = {d: medians[d] for d in wanted if d in medians}
    if len(times) < max(3, len(wanted)):
        return undecided(f"Only {len(times)} of {len(wanted)} values of d were measured.")
    label = "" if expansion.dtype == _DTYPE else expansion.dtype
    x, y = [work(d) for d in times], list(times.values())
    return evidence.all_of([exponent_finding(x, y, region, alpha=evidence.alpha, label=label, runs=processes)])


def quasilinear_time(evidence: Evidence, name: str) -> Verdict:
    """Judge the exponent of a map's time on d log d, D = d."""
    region = Region.at_most(1.0, evidence.margins.time_exponent)
    return _time_exponent(evidence, "fig2", name, lambda d: d * np.log2(d), region)


def quadratic_time(evidence: Evidence, name: str) -> Verdict:
    """Judge whether a map's time is quadratic in d where D = d."""
    region = Region.around(2.0, evidence.margins.time_exponent)
    return _time_exponent(evidence, "fig2", name, float, region)


def flat_in_d(evidence: Evidence, name: str) -> Verdict:
    """Judge whether a map's time at fixed D is almost independent of d."""
    region = Region.at_most(0.0, evidence.margins.time_exponent)
    return _time_exponent(evidence, "table1", name, float, region)


def linear_memory(evidence: Evidence, name: str) -> Verdict:
    """Judge the exponent of the bytes held on D = d, between neighbours of the grid."""
    expansion = Expansion(evidence, "fig2")
    points = expansion.points(name)
    region = Region.at_most(1.0, evidence.margins.time_exponent)
    steps = [
        count_finding(
            float(np.log(points[b].number("held_bytes") / points[a].number("held_bytes")) / np.log(b / a)),
            region,
            label=f"d = {a:,} to {expansion.label(b).removeprefix('d = ')}",
            unit="exponent",
        )
        for a, b in pairwise(points)
    ]
    return evidence.all_of(steps, missing=expansion.missing(expansion.planned(name), points))


def parameters_per_column(
    evidence: Evidence, claimed: Mapping[str, Region], *, whole_blocks: bool = False, d_from: int = 1
) -> Verdict:
    """Judge the numbers that maps store, over D.

    Parameters
    ----------
    claimed : mapping
        Map -> what is claimed of its number of parameters over D.
    whole_blocks : bool
        Only at d that divide D: a last block that is cut off is still drawn whole, and a paper counts without.
    d_from : int
        Smallest d.
    """
    expansion, D = Expansion(evidence, "table1"), evidence.source("table1").config.D
    findings, missing = [], []
    for name, region in claimed.items():
        wanted = [d for d in expansion.planned(name) if d >= d_from and not (whole_blocks and D % d)]
        points = expansion.points(name)
        before = f"{method_label(name)}, " if len(claimed) > 1 else ""
        missing += [f"{before}{where}" for where in expansion.missing(wanted, points)]
        findings += [
            count_finding(
                points[d].number("parameters") / D, region, label=f"{before}{expansion.label(d)}", unit="a column"
            )
            for d in wanted
            if d in points
        ]
    return evidence.all_of(findings, missing)


def storage_ratio(evidence: Evidence, metric: str, *, whole_blocks: bool) -> Verdict:
    """Judge Fastfood's storage over SCRF's, in `metric`, against about the factor that the paper's text states."""
    claimed = reported("SCRF-IJCAI2015", "Table 1 text", method="SCRF vs Fastfood")
    if claimed is None or not isinstance(claimed.value, float):
        return not_testable("The paper's factor is not known.")
    expansion, D = Expansion(evidence, "table1"), evidence.source("table1").config.D
    own, other = expansion.points("scrf"), expansion.points("fastfood")
    wanted = [d for d in expansion.planned("scrf", "fastfood") if not (whole_blocks and D % d)]
    both = {d: other[d].number(metric) / own[d].number(metric) for d in wanted if d in own and d in other}
    region = Region(claimed.value / (1.0 + evidence.margins.storage_ratio), np.inf, 1.0, log=True)
    findings = []
    for d, ratio in both.items():
        tie = metric == "held_bytes" and _one_product(own[d], other[d])
        findings.append(count_finding(ratio, region, label=expansion.label(d) + _TIE * tie, tie=tie))
    return evidence.all_of(findings, expansion.missing(wanted, both))


_TIE = " (both one dense product)"


def _one_product(a: Point, b: Point) -> bool:
    """Tell whether two maps are held and computed alike at one d, as dense matrices: nothing can set them apart."""
    first, second = (str(point.metrics.get("algorithm", "")) for point in (a, b))
    return first == second and first.startswith("dense")


def faster_than_reference(evidence: Evidence, name: str) -> Verdict:
    """Judge from which d on a map is faster than RKS, which is timed in turns with it."""
    expansion = Expansion(evidence, "table1")
    region = Region.ratio_below(evidence.margins.time_ratio)
    findings = {}
    for d, point in expansion.timed(name).items():
        own, reference = expansion.samples(point, "map"), expansion.samples(point, f"{REFERENCE}_map")
        if own and reference:
            findings[d] = rank_finding(
                own,
                reference,
                region,
                alpha=evidence.alpha,
                label=expansion.label(d),
                process=expansion.process(name, d),
                process_sd=evidence.settings.process_sd,
            )
    return evidence.from_some_on(list(findings.values()), expansion.untimed(findings, name))


def faster_than_other(evidence: Evidence, name: str, other: str) -> Verdict:
    """Judge whether a map is faster than another at every d, each over RKS in its own process."""
    expansion = Expansion(evidence, "table1")
    region = Region.ratio_below(evidence.margins.time_ratio)
    mine, others = expansion.timed(name), expansion.timed(other)
    findings = {}
    for d in mine:
        first = _ratios_to_rks(expansion, mine[d])
        second = _ratios_to_rks(expansion, others[d]) if d in others else None
        if first and second:
            tie = _one_product(mine[d], others[d])
            findings[d] = rank_finding(
                first,
                second,
                region,
                alpha=evidence.alpha,
                label=expansion.label(d) + _TIE * tie,
                process=expansion.process(name, d),
                process_sd=math.sqrt(2.0) * evidence.settings.process_sd,  # two processes, a ratio each
                tie=tie,
            )
    return evidence.all_of(list(findings.values()), expansion.untimed(findings, name, other))


def _ratios_to_rks(expansion: Expansion, point: Point) -> list[float] | None:
    """Return a map's times over those of RKS measured in turns with them; None if there are too few."""
    own, reference = expansion.samples(point, "map"), expansion.samples(point, f"{REFERENCE}_map")
    return [a / b for a, b in zip(own, reference, strict=True)] if own and reference else None
