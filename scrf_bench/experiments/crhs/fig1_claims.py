"""What the paper claims of accuracy against D, judged from Figure 1's records."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scrf_bench.bench import Point
from scrf_bench.experiments.accuracy_claims import paired_accuracy
from scrf_bench.experiments.claims import Claim, Evidence
from scrf_bench.experiments.crhs.cells import TEST
from scrf_bench.experiments.crhs.spaces import space_label
from scrf_bench.stats import Finding, Lack, Region, Verdict

NAME = "crhs-fig1"


def _points(evidence: Evidence, dataset: str, method: str, D: int) -> dict[int, Point]:
    """Return one method's test points on one set at one D by repetition."""
    wanted = {"dataset": dataset, "method": method, "D": D, "stage": TEST}
    return {
        int(p.number("repetition")): p
        for p in evidence.source(NAME).points
        if all(p.parameters[key] == value for key, value in wanted.items())
    }


def _differences(
    evidence: Evidence, own: str, other: str, region: Region, chosen: Callable[[Sequence[int]], Sequence[int]]
) -> Verdict:
    """Accuracy of one space minus another's in points, paired by repetition, on every set at the D chosen."""
    source = evidence.source(NAME)
    findings: list[Finding] = []
    missing: list[Lack] = []
    for dataset in source.datasets:
        for D in chosen(source.config.components):
            label = f"{dataset}, D = {D:,}"
            first, second = (_points(evidence, dataset, method, D) for method in (own, other))
            pairs = evidence.repetitions(NAME, {r: (first[r], second[r]) for r in first if r in second})
            if pairs is None:
                missing.append(evidence.lack(NAME, label, [r for r in first if r in second]))
                continue
            findings.append(paired_accuracy(pairs, region, alpha=evidence.alpha, label=label))
    return evidence.all_of(findings, missing)


def _same_at_every_D(evidence: Evidence) -> Verdict:
    region = Region.around(0.0, evidence.margins.accuracy_points)
    return _differences(evidence, "scrf", "rks", region, lambda grid: grid)


def _worse_at_low_D(other: str) -> Callable[[Evidence], Verdict]:
    def judge(evidence: Evidence) -> Verdict:
        low = evidence.source(NAME).config.low_components
        # Worse by the margin at least: what is smaller counts as no difference elsewhere.
        region = Region.at_most(0.0, -evidence.margins.accuracy_points)
        return _differences(evidence, "fastfood", other, region, lambda grid: [D for D in grid if low >= D])

    return judge


def _same_at_high_D(evidence: Evidence) -> Verdict:
    region = Region.around(0.0, evidence.margins.accuracy_points)
    return _differences(evidence, "fastfood", "rks", region, lambda grid: grid[-1:])


_WHERE = "in the mean over map draws, on these test points; ridge regression, gamma and lambda per space and D"
_SAME = "difference of accuracies, paired by repetition, within +-{margins[accuracy_points]:g} points (equivalence)"


def _claim(name: str, sentence: str, quantifier: str, test: str, judge: Callable[[Evidence], Verdict]) -> Claim:
    return Claim(
        id=name,
        paper="crhs",
        place="Section 5; Figure 1",
        sentence=sentence,
        quantifier=f"{quantifier}; {_WHERE}",
        test=test,
        judge=judge,
        experiments=(NAME,),
    )


FIG1_CLAIMS = (
    _claim(
        "crhs-accuracy-equals-rrhs-at-every-d",
        "CRHS's test accuracy equals RRHS's at every D",
        "every set and every D of our Figure 1 (the paper states no grid)",
        _SAME,
        _same_at_every_D,
    ),
    *(
        _claim(
            f"frhs-worse-than-{space_label(other).lower()}-at-low-d",
            f"FRHS's test accuracy is below {space_label(other)}'s where D is low",
            "every set of our Figure 1 at every D up to its config's low_components (what is low is ours to say)",
            "difference of accuracies, paired by repetition, below -{margins[accuracy_points]:g} points",
            _worse_at_low_D(other),
        )
        for other in ("rks", "scrf")
    ),
    _claim(
        "frhs-accuracy-equals-rrhs-at-high-d",
        "FRHS's test accuracy equals RRHS's where D is high",
        "every set of our Figure 1 at its largest D",
        _SAME,
        _same_at_high_D,
    ),
)
