"""What the SCRF paper claims of time and memory of the expansion, judged from Table 1's and Figure 2's records."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np

from scrf_bench.bench import Point
from scrf_bench.experiments.claims import Claim, Evidence
from scrf_bench.experiments.ratios import passes_gate
from scrf_bench.experiments.scrf.expansion import REFERENCE
from scrf_bench.report import reported
from scrf_bench.stats import (
    Region,
    Verdict,
    count_finding,
    exponent_finding,
    not_testable,
    rank_finding,
    undecided,
)

_DTYPE = "float64"


class _Expansion:
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


def _time_exponent(
    evidence: Evidence, experiment: str, name: str, work: Callable[[int], float], region: Region
) -> Verdict:
    """Fit time on work over every d that is planned for a map."""
    expansion = _Expansion(evidence, experiment)
    fit_from = getattr(evidence.source(experiment).config, "fit_from", 1)
    wanted = [d for d in expansion.planned(name) if d >= fit_from]
    medians, processes = expansion.medians(name)
    times = {d: medians[d] for d in wanted if d in medians}
    if len(times) < max(3, len(wanted)):
        return undecided(f"Only {len(times)} of {len(wanted)} values of d were measured.")
    label = "" if expansion.dtype == _DTYPE else expansion.dtype
    x, y = [work(d) for d in times], list(times.values())
    return evidence.all_of([exponent_finding(x, y, region, alpha=evidence.alpha, label=label, runs=processes)])


def _quasilinear_time(evidence: Evidence) -> Verdict:
    region = Region.at_most(1.0, evidence.margins.time_exponent)
    return _time_exponent(evidence, "fig2", "scrf", lambda d: d * np.log2(d), region)


def _rks_quadratic(evidence: Evidence) -> Verdict:
    region = Region.around(2.0, evidence.margins.time_exponent)
    return _time_exponent(evidence, "fig2", "rks", float, region)


def _independent_of_d(evidence: Evidence) -> Verdict:
    region = Region.at_most(0.0, evidence.margins.time_exponent)
    return _time_exponent(evidence, "table1", "scrf", float, region)


def _linear_memory(evidence: Evidence) -> Verdict:
    expansion = _Expansion(evidence, "fig2")
    points = expansion.points("scrf")
    region = Region.at_most(1.0, evidence.margins.time_exponent)
    steps = [
        count_finding(
            float(np.log(points[b].number("held_bytes") / points[a].number("held_bytes")) / np.log(b / a)),
            region,
            label=f"d = {a:,} to {expansion.label(b).removeprefix('d = ')}",
        )
        for a, b in pairwise(points)
    ]
    return evidence.all_of(steps, missing=expansion.missing(expansion.planned("scrf"), points))


def _three_against_five(evidence: Evidence) -> Verdict:
    expansion, D = _Expansion(evidence, "table1"), evidence.source("table1").config.D
    findings, missing = [], []
    for name, label, each in (("scrf", "SCRF", 3.0), ("fastfood", "Fastfood", 5.0)):
        points = expansion.points(name)
        missing += [f"{label}, {where}" for where in expansion.missing(expansion.planned(name), points)]
        findings += [
            count_finding(
                point.number("parameters") / D, Region.around(each, 0.0), label=f"{label}, {expansion.label(d)}"
            )
            for d, point in points.items()
            # A last block that is cut off is still drawn whole: the paper counts where there is none.
            if D % d == 0
        ]
    return evidence.all_of(findings, missing)


def _memory_below_fastfood(evidence: Evidence) -> Verdict:
    claimed = reported("SCRF-IJCAI2015", "Table 1 text", method="SCRF vs Fastfood")
    if claimed is None or not isinstance(claimed.value, float):
        return not_testable("The paper's factor is not known.")
    expansion = _Expansion(evidence, "table1")
    own, other = expansion.points("scrf"), expansion.points("fastfood")
    both = {d: other[d].number("held_bytes") / own[d].number("held_bytes") for d in own if d in other}
    region = Region(claimed.value, np.inf, 1.0, log=True)
    findings = [count_finding(ratio, region, label=expansion.label(d)) for d, ratio in both.items()]
    return evidence.all_of(findings, expansion.missing(expansion.planned("scrf", "fastfood"), both))


def _faster_than_rks(evidence: Evidence) -> Verdict:
    expansion = _Expansion(evidence, "table1")
    region = Region.ratio_below(evidence.margins.time_ratio)
    findings = {}
    for d, point in expansion.timed("scrf").items():
        own, reference = expansion.samples(point, "map"), expansion.samples(point, f"{REFERENCE}_map")
        if own and reference:
            findings[d] = rank_finding(
                own,
                reference,
                region,
                alpha=evidence.alpha,
                label=expansion.label(d),
                process=expansion.process("scrf", d),
            )
    return evidence.from_some_on(list(findings.values()), expansion.missing(expansion.planned("scrf"), findings))


def _faster_than_fastfood(evidence: Evidence) -> Verdict:
    expansion = _Expansion(evidence, "table1")
    region = Region.ratio_below(evidence.margins.time_ratio)
    own, other = expansion.timed("scrf"), expansion.timed("fastfood")
    findings = {}
    for d in own:
        first = _ratios_to_rks(expansion, own[d])
        second = _ratios_to_rks(expansion, other[d]) if d in other else None
        if first and second:
            findings[d] = rank_finding(
                first,
                second,
                region,
                alpha=evidence.alpha,
                label=expansion.label(d),
                process=expansion.process("scrf", d),
            )
    missing = expansion.missing(expansion.planned("scrf", "fastfood"), findings)
    return evidence.all_of(list(findings.values()), missing)


def _ratios_to_rks(expansion: _Expansion, point: Point) -> list[float] | None:
    """Return a map's times over those of RKS measured in turns with them; None if there are too few."""
    own, reference = expansion.samples(point, "map"), expansion.samples(point, f"{REFERENCE}_map")
    return [a / b for a, b in zip(own, reference, strict=True)] if own and reference else None


def _table1_cells(_: Evidence) -> Verdict:
    return not_testable("The cells of the paper's Table 1 and its values of d are not recoverable.")


_GRID = "every d of the grid"
_TIMING = (
    "l and D of the paper's Table 1 (quick: fewer points), x in U[0,1]^d, one thread, float64 (quick: float32); its d "
    "are ours"
)
_FIG2 = "D = d up to 16,384 (quick: 2,048), x in U[0,1]^d, one thread, float64 (quick: float32); the grid is ours"

FIG2_CLAIMS = (
    Claim(
        id="scrf-time-quasilinear",
        paper="scrf",
        place="Lemma 2; Figure 2",
        sentence="SCRF takes O(D log d) time",
        quantifier=f"{_FIG2}; fitted over d >= 256",
        test="exponent of CPU time on d log d at most 1 + {margins[time_exponent]:g}",
        judge=_quasilinear_time,
        experiments=("fig2",),
    ),
    Claim(
        id="rks-time-quadratic",
        paper="scrf",
        place="Section 4.2; Figure 2",
        sentence="RKS takes time quadratic in d where D = d",
        quantifier=f"{_FIG2}; fitted over d >= 256, as far as its matrix is within the config's limit",
        test="exponent of CPU time on d within +-{margins[time_exponent]:g} of 2",
        judge=_rks_quadratic,
        experiments=("fig2",),
    ),
    Claim(
        id="scrf-memory-linear",
        paper="scrf",
        place="Lemma 2",
        sentence="SCRF takes O(D) memory",
        quantifier="every step of the grid of D = d from 16 on",
        test="counted: exponent of the bytes held on D at most 1 + {margins[time_exponent]:g} between neighbours",
        judge=_linear_memory,
        experiments=("fig2",),
    ),
)

TABLE1_CLAIMS = (
    Claim(
        id="scrf-time-flat-in-d",
        paper="scrf",
        place="Section 4.2; Table 1",
        sentence="SCRF's time is almost independent of d at fixed D",
        quantifier=_TIMING,
        test="exponent of CPU time on d at most {margins[time_exponent]:g}",
        judge=_independent_of_d,
        experiments=("table1",),
    ),
    Claim(
        id="scrf-parameters",
        paper="scrf",
        place="Section 4.2; Lemma 2",
        sentence="SCRF stores 3D parameters, Fastfood 5D",
        quantifier=f"{_GRID} that divides D = 8,192",
        test="counted: parameters over D exactly 3 and 5",
        judge=_three_against_five,
        experiments=("table1",),
    ),
    Claim(
        id="scrf-memory-below-fastfood",
        paper="scrf",
        place="Section 4.2; Table 1",
        sentence="SCRF uses around 1.5 times less storage than Fastfood",
        quantifier=f"{_GRID} where both are, D = 8,192",
        test="counted: bytes that Fastfood holds over those that SCRF holds, at least 1.5; as this library holds them, "
        "cached spectra included, and both as a dense matrix where d is small",
        judge=_memory_below_fastfood,
        experiments=("table1",),
    ),
    Claim(
        id="scrf-faster-than-rks",
        paper="scrf",
        place="Section 4.2; Table 1",
        sentence="SCRF is faster than RKS from some d on",
        quantifier=_TIMING,
        test="ratio of CPU times of samples taken in turns, below 1 / (1 + {margins[time_ratio]:g}); "
        "from the largest d downwards",
        judge=_faster_than_rks,
        experiments=("table1",),
    ),
    Claim(
        id="scrf-faster-than-fastfood",
        paper="scrf",
        place="Section 4.2; Table 1; Figure 2",
        sentence="SCRF is faster than Fastfood",
        quantifier=f"{_GRID} where both are; {_TIMING}",
        test="ratio of CPU times, each over that of RKS in the same process, below 1 / (1 + {margins[time_ratio]:g})",
        judge=_faster_than_fastfood,
        experiments=("table1",),
    ),
    Claim(
        id="scrf-table1-cells",
        paper="scrf",
        place="Table 1",
        sentence="The speed-ups and memory gains printed in Table 1",
        quantifier="the paper's values of d",
        test="comparison with the paper's cells",
        judge=_table1_cells,
    ),
)
