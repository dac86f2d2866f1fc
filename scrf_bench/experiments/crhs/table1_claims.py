"""What the paper claims of the spaces' complexities, judged from Table 1's records."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from scrf_bench.bench import Point
from scrf_bench.experiments.claims import Claim, Evidence
from scrf_bench.stats import (
    PowerLaw,
    Region,
    Verdict,
    count_finding,
    exponent_finding,
    fit_power_law,
    undecided,
)

NAME = "crhs-table1"


def medians(points: Sequence[Point], name: str, sweep: str) -> dict[int, list[float]]:
    """Return the median CPU seconds of each process by size along one grid, ascending."""
    found: dict[int, list[float]] = {}
    for point in points:
        if (point.parameters["map"], point.parameters["sweep"]) == (name, sweep):
            found.setdefault(int(point.number(sweep)), []).append(point.number("map_cpu_s"))
    return dict(sorted(found.items()))


def fit_of(points: Sequence[Point], name: str, sweep: str) -> PowerLaw | None:
    """Fit log time on log size through the processes' medians; None with fewer than three sizes."""
    found = medians(points, name, sweep)
    if len(found) < 3:
        return None
    return fit_power_law(list(found), [float(np.median(values)) for values in found.values()])


def _exponent(name: str, sweep: str, region: Callable[[Sequence[int], float], Region]) -> Callable[[Evidence], Verdict]:
    def judge(evidence: Evidence) -> Verdict:
        source = evidence.source(NAME)
        processes: dict[int, list[Point]] = {}
        for point in source.points:
            processes.setdefault(int(point.number("process")), []).append(point)
        chosen = evidence.repetitions(NAME, processes)
        if chosen is None:
            return undecided("The planned processes are not all there.")
        found = medians([point for points in chosen for point in points], name, sweep)
        grid = getattr(source.config, sweep)
        if any(len(found.get(size, [])) < len(chosen) for size in grid):
            return undecided(f"Not every {sweep} of the grid was measured by every process.")
        times = [float(np.median(found[size])) for size in grid]
        allowed = region(grid, evidence.margins.time_exponent)
        return evidence.all_of([exponent_finding(grid, times, allowed, alpha=evidence.alpha, runs=len(chosen))])

    return judge


def _parameters(evidence: Evidence) -> Verdict:
    """Count, at the size where all grids meet and wherever D is whole blocks of d."""
    expected: dict[str, Callable[[int, int], float]] = {
        "rks": lambda d, D: D * d + D,
        "fastfood": lambda _, D: 5 * D,
        "scrf": lambda _, D: 3 * D,
    }
    words = {"rks": "RRHS, dD + D", "fastfood": "FRHS, 5D", "scrf": "CRHS, 3D"}
    found: dict[tuple[str, int, int], float] = {}
    for point in evidence.source(NAME).points:
        name, d, D = str(point.parameters["map"]), int(point.number("d")), int(point.number("D"))
        if name in expected and D % d == 0:
            found[name, d, D] = point.number("parameters") / expected[name](d, D)
    findings = [
        count_finding(ratio, Region.around(1.0, 0.0), label=f"{words[name]}, d = {d:,}, D = {D:,}")
        for (name, d, D), ratio in found.items()
    ]
    return evidence.all_of(findings, [words[name] for name in expected if name not in {key for key, *_ in found}])


_SETTING = "x in U[0,1]^d, one thread, the grids of our Table 1 (the paper states none)"


def _claim(name: str, sentence: str, test: str, judge: Callable[[Evidence], Verdict]) -> Claim:
    return Claim(
        id=name,
        paper="crhs",
        place="Table 1; Section 3",
        sentence=sentence,
        quantifier=_SETTING,
        test=test,
        judge=judge,
        experiments=(NAME,),
    )


_FLAT = "exponent of CPU time on d at most {margins[time_exponent]:g} above that of log d along the same grid"
_LINEAR = "exponent of CPU time on {size} at most 1 + {{margins[time_exponent]:g}}"


def _linear(_: Sequence[int], margin: float) -> Region:
    return Region.around(1.0, margin)


def _logarithmic(grid: Sequence[int], margin: float) -> Region:
    """Allow what a logarithm itself looks like on the grid: of d in 256 .. 2048 an exponent of 0.15, not 0."""
    return Region.at_most(fit_power_law(grid, np.log(grid)).exponent, margin)


def _at_most_linear(_: Sequence[int], margin: float) -> Region:
    return Region.at_most(1.0, margin)


TABLE1_CLAIMS = (
    _claim(
        "crhs-rrhs-time-linear-in-d",
        "Constructing RRHS takes time linear in d at fixed D",
        "exponent of CPU time on d within +-{margins[time_exponent]:g} of 1",
        _exponent("rks", "d", _linear),
    ),
    _claim(
        "crhs-time-logarithmic-in-d",
        "Constructing CRHS takes time logarithmic in d at fixed D",
        _FLAT,
        _exponent("scrf", "d", _logarithmic),
    ),
    _claim(
        "crhs-frhs-time-logarithmic-in-d",
        "Constructing FRHS takes time logarithmic in d at fixed D",
        _FLAT,
        _exponent("fastfood", "d", _logarithmic),
    ),
    _claim(
        "crhs-time-linear-in-components",
        "Constructing CRHS takes time at most linear in D",
        _LINEAR.format(size="D"),
        _exponent("scrf", "D", _at_most_linear),
    ),
    _claim(
        "crhs-time-linear-in-points",
        "Constructing CRHS takes time at most linear in the number of points l",
        _LINEAR.format(size="l"),
        _exponent("scrf", "l", _at_most_linear),
    ),
    _claim(
        "crhs-parameters",
        "RRHS stores O(dD) numbers, FRHS and CRHS O(D)",
        "counted: exactly dD + D, 5D and 3D wherever d divides D",
        _parameters,
    ),
)
