"""What the SCRF paper claims of time and memory of the expansion, judged from Table 1's and Figure 2's records."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from scrf_bench.bench import Point
from scrf_bench.experiments.claims import Claim, Evidence
from scrf_bench.report import reported
from scrf_bench.stats import (
    Finding,
    Region,
    Verdict,
    count_finding,
    exponent_finding,
    not_testable,
    rank_finding,
    undecided,
)

Points = dict[int, Point]


def _points(evidence: Evidence, experiment: str, name: str) -> Points:
    """Return one map's points by d: in float64, the paper's doubles, where the config has it."""
    source = evidence.source(experiment)
    dtypes = source.config.dtypes
    dtype = "float64" if "float64" in dtypes else dtypes[0]
    points = [p for record in source.records if record.cell.dtype == dtype for p in record.points]
    found = {int(p.number("d")): p for p in points if p.parameters["map"] == name}
    return {d: found[d] for d in source.config.d if d in found}


def _label(d: int) -> str:
    return f"d = {d:,}"


def _missing(evidence: Evidence, experiment: str, measured: Points) -> list[str]:
    return [_label(d) for d in evidence.source(experiment).config.d if d not in measured]


def _time_exponent(
    evidence: Evidence, experiment: str, name: str, work: Callable[[int], float], region: Region, *, all_d: bool
) -> Verdict:
    """Fit time on work over the d that were measured; `all_d` false allows for the dense map's declared limit."""
    config = evidence.source(experiment).config
    points = {d: p for d, p in _points(evidence, experiment, name).items() if d >= getattr(config, "fit_from", 1)}
    wanted = [d for d in config.d if d >= getattr(config, "fit_from", 1)]
    samples = {d: evidence.samples(experiment, p.samples["map_cpu_s"]) for d, p in points.items()}
    times = {d: float(np.median(values)) for d, values in samples.items() if values}
    if len(times) < 3 or (all_d and len(times) < len(wanted)):
        return undecided(f"Only {len(times)} of {len(wanted)} values of d were measured.")
    return evidence.all_of(
        [exponent_finding([work(d) for d in times], list(times.values()), region, alpha=evidence.alpha)]
    )


def _quasilinear_time(evidence: Evidence) -> Verdict:
    region = Region.at_most(1.0, evidence.margins.time_exponent)
    return _time_exponent(evidence, "fig2", "scrf", lambda d: d * np.log2(d), region, all_d=True)


def _rks_quadratic(evidence: Evidence) -> Verdict:
    region = Region.around(2.0, evidence.margins.time_exponent)
    return _time_exponent(evidence, "fig2", "rks", float, region, all_d=False)


def _independent_of_d(evidence: Evidence) -> Verdict:
    region = Region.at_most(0.0, evidence.margins.time_exponent)
    return _time_exponent(evidence, "table1", "scrf", float, region, all_d=True)


def _linear_memory(evidence: Evidence) -> Verdict:
    points = _points(evidence, "fig2", "scrf")
    region = Region.at_most(1.0, evidence.margins.time_exponent)
    steps = [
        count_finding(
            float(np.log(points[b].number("held_bytes") / points[a].number("held_bytes")) / np.log(b / a)),
            region,
            label=f"d = {a:,} to {b:,}",
        )
        for a, b in pairwise(points)
    ]
    return evidence.all_of(steps, missing=_missing(evidence, "fig2", points))


def _three_against_five(evidence: Evidence) -> Verdict:
    D = evidence.source("table1").config.D
    findings: list[Finding] = []
    missing: list[str] = []
    for name, label, each in (("scrf", "SCRF", 3.0), ("fastfood", "Fastfood", 5.0)):
        points = _points(evidence, "table1", name)
        missing += [f"{label}, {where}" for where in _missing(evidence, "table1", points)]
        findings += [
            count_finding(point.number("parameters") / D, Region.around(each, 0.0), label=f"{label}, {_label(d)}")
            for d, point in points.items()
            # A last block that is cut off is still drawn whole: the paper counts where there is none.
            if D % d == 0
        ]
    return evidence.all_of(findings, missing)


def _memory_below_fastfood(evidence: Evidence) -> Verdict:
    claimed = reported("SCRF-IJCAI2015", "Table 1 text", method="SCRF vs Fastfood")
    if claimed is None or not isinstance(claimed.value, float):
        return not_testable("The paper's factor is not known.")
    own, other = _points(evidence, "table1", "scrf"), _points(evidence, "table1", "fastfood")
    both = {d: other[d].number("held_bytes") / own[d].number("held_bytes") for d in own if d in other}
    region = Region(claimed.value, np.inf, 1.0, log=True)
    findings = [count_finding(ratio, region, label=_label(d)) for d, ratio in both.items()]
    return evidence.all_of(findings, [_label(d) for d in evidence.source("table1").config.d if d not in both])


def _faster_than_rks(evidence: Evidence) -> Verdict:
    points = _points(evidence, "table1", "scrf")
    region = Region.ratio_below(evidence.margins.time_ratio)
    findings, measured = [], {}
    for d, point in points.items():
        own = evidence.samples("table1", point.samples["map_cpu_s"])
        reference = evidence.samples("table1", point.samples["reference_map_cpu_s"])
        if own and reference:
            measured[d] = point
            findings.append(rank_finding(own, reference, region, alpha=evidence.alpha, label=_label(d)))
    return evidence.from_some_on(findings, _missing(evidence, "table1", measured))


def _ratios_to_rks(evidence: Evidence, experiment: str, point: Point) -> list[float] | None:
    """Return a map's times over those of RKS measured in turns with them; None if there are too few."""
    own = evidence.samples(experiment, point.samples["map_cpu_s"])
    reference = evidence.samples(experiment, point.samples.get("reference_map_cpu_s", []))
    return [a / b for a, b in zip(own, reference, strict=True)] if own and reference else None


def _faster_than_fastfood(evidence: Evidence) -> Verdict:
    region = Region.ratio_below(evidence.margins.time_ratio)
    own, other = _points(evidence, "table1", "scrf"), _points(evidence, "table1", "fastfood")
    findings, measured = [], {}
    for d in own:
        first = _ratios_to_rks(evidence, "table1", own[d])
        second = _ratios_to_rks(evidence, "table1", other[d]) if d in other else None
        if first and second:
            measured[d] = own[d]
            findings.append(rank_finding(first, second, region, alpha=evidence.alpha, label=_label(d)))
    return evidence.all_of(findings, _missing(evidence, "table1", measured))


def _table1_cells(_: Evidence) -> Verdict:
    return not_testable("The cells of the paper's Table 1 and its values of d are not recoverable.")


_TIMING = "l and D of the paper's Table 1 (quick: fewer points), x in U[0,1]^d, one thread; its d are ours"
_FIG2 = "D = d up to 16,384 (quick: 2,048), x in U[0,1]^d, one thread; the grid is ours"

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
        quantifier=f"{_FIG2}; fitted over d >= 256, as far as its matrix fits",
        test="exponent of CPU time on d within +-{margins[time_exponent]:g} of 2",
        judge=_rks_quadratic,
        experiments=("fig2",),
    ),
    Claim(
        id="scrf-memory-linear",
        paper="scrf",
        place="Lemma 2",
        sentence="SCRF takes O(D) memory",
        quantifier="every step of the grid of D = d from 64 on",
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
        quantifier="every d of the grid that divides D = 8,192",
        test="counted: parameters over D exactly 3 and 5",
        judge=_three_against_five,
        experiments=("table1",),
    ),
    Claim(
        id="scrf-memory-below-fastfood",
        paper="scrf",
        place="Section 4.2; Table 1",
        sentence="SCRF uses around 1.5 times less storage than Fastfood",
        quantifier="every d of the grid, D = 8,192",
        test="counted: bytes that Fastfood holds over those that SCRF holds, at least 1.5",
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
        quantifier=f"every d of the grid; {_TIMING}",
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
