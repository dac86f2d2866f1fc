"""What the paper claims of accuracies, errors and times, judged from Table 3's records."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from scrf_bench.bench import Point
from scrf_bench.datasets import registry
from scrf_bench.experiments.accuracy_claims import paired_accuracy
from scrf_bench.experiments.claims import Claim, Evidence
from scrf_bench.experiments.crhs.cells import TEST, computed_once
from scrf_bench.experiments.crhs.spaces import PAPER, SPACES, space_label
from scrf_bench.report import reported
from scrf_bench.stats import (
    Finding,
    Lack,
    Region,
    Verdict,
    not_testable,
    ratio_of_means_finding,
    two_sample_finding,
)

NAME = "crhs-table3"
_HIGH_DIMENSIONAL = ("mnist", "ct_slices")
Pair = tuple[Point, Point]


def _points(evidence: Evidence, dataset: str, method: str) -> dict[int, Point]:
    """Return one method's test points on one set by repetition."""
    return {
        int(p.number("repetition")): p
        for p in evidence.source(NAME).points
        if (p.parameters["dataset"], p.parameters["method"], p.parameters["stage"]) == (dataset, method, TEST)
    }


def _datasets(evidence: Evidence, *methods: str) -> list[str]:
    """Return the sets for which these methods are planned, none beyond a limit that the config declares."""
    planned = {
        (cell.dataset, cell.parameters["method"]) for cell in evidence.source(NAME).cells if cell.declared_limit is None
    }
    return [name for name in evidence.source(NAME).datasets if all((name, method) in planned for method in methods)]


def _pairs(evidence: Evidence, dataset: str, own: str, other: str) -> list[Pair] | None:
    """Return the points of two methods, paired by repetition; an exact method's one run on a split goes with all."""
    first, second = _points(evidence, dataset, own), _points(evidence, dataset, other)
    once = computed_once(other, dataset)
    pairs = {r: (p, second[0 if once else r]) for r, p in first.items() if (0 if once else r) in second}
    return evidence.repetitions(NAME, pairs)


def _score_finding(evidence: Evidence, dataset: str, pairs: list[Pair], *, one_sided: bool) -> Finding:
    """Hold one method's accuracy against another's (difference) or its error (ratio); one-sided: at least as good."""
    points, errors = evidence.margins.accuracy_points, evidence.margins.variance_ratio
    if registry()[dataset].task == "regression":
        region = Region(0.0, 1.0 + errors, 1.0, log=True) if one_sided else Region.ratio_within(errors)
        own, other = ([p.number("mse") for p in side] for side in zip(*pairs, strict=True))
        return ratio_of_means_finding(own, other, region, alpha=evidence.alpha, label=dataset)
    region = Region.at_least(0.0, points) if one_sided else Region.around(0.0, points)
    return paired_accuracy(pairs, region, alpha=evidence.alpha, label=dataset)


def _scores(evidence: Evidence, own: str, other: str, *, one_sided: bool) -> Verdict:
    findings: list[Finding] = []
    missing: list[Lack] = []
    for dataset in _datasets(evidence, own, other):
        pairs = _pairs(evidence, dataset, own, other)
        if pairs is None:
            missing.append(evidence.lack(NAME, dataset, _points(evidence, dataset, own)))
        else:
            findings.append(_score_finding(evidence, dataset, pairs, one_sided=one_sided))
    return evidence.all_of(findings, missing)


def _ratios(
    evidence: Evidence, own: str, other: str, stage: str, datasets: Iterable[str]
) -> tuple[list[tuple[float, Finding]], list[Lack | str]]:
    """Return (training rows, finding) of the ratio of CPU seconds on each set, and the sets that lack."""
    findings: list[tuple[float, Finding]] = []
    missing: list[Lack | str] = []
    for dataset in datasets:
        sides = [_timings(evidence, dataset, method) for method in (own, other)]
        if lacks := [side for side in sides if isinstance(side, Lack)]:
            missing.append(lacks[0])
            continue
        first, second = (side for side in sides if not isinstance(side, Lack))
        if len(second) < 2:
            missing.append(f"{dataset} (one timing of {space_label(other)})")
            continue
        rows = first[0][0].number("n_train")
        finding = two_sample_finding(
            [p.number(f"{stage}_cpu_s") for p, _ in first],
            [p.number(f"{stage}_cpu_s") for p, _ in second],
            Region.ratio_below(evidence.margins.time_ratio),
            alpha=evidence.alpha,
            runs=min(len({process for _, process in side}) for side in (first, second)),
            label=f"{dataset}, n = {rows:,.0f}",
            of="timings",
        )
        findings.append((rows, finding))
    return findings, missing


def _timings(evidence: Evidence, dataset: str, method: str) -> list[tuple[Point, str]] | Lack:
    """Return one method's test points on one set, each with the process that measured it, or what is lacking.

    As many as the sample size fixes; of what is computed once, as many as are planned.
    """
    source = evidence.source(NAME)
    found = {
        int(p.number("repetition")): (p, record.name)
        for record in source.records
        for p in record.points
        if (p.parameters["dataset"], p.parameters["method"], p.parameters["stage"]) == (dataset, method, TEST)
    }
    if not computed_once(method, dataset):
        return evidence.repetitions(NAME, found) or evidence.lack(NAME, dataset, found)
    planned = [
        repetition
        for cell in source.cells
        if (cell.dataset, cell.parameters["method"]) == (dataset, method)
        for repetition in cell.parameters["repetitions"]
    ]
    if all(repetition in found for repetition in planned):
        return [found[repetition] for repetition in planned]
    return Lack(dataset, len(found), len(planned), f"timings of {space_label(method)}")


def _faster_than_exact(stage: str) -> Callable[[Evidence], Verdict]:
    def judge(evidence: Evidence) -> Verdict:
        findings, missing = _ratios(evidence, "scrf", "krr", stage, _datasets(evidence, "scrf", "krr"))
        return evidence.from_some_on([finding for _, finding in sorted(findings, key=lambda f: f[0])], missing)

    return judge


def _wide_d() -> float | None:
    """Return the dimension above which the paper says that CRHS pays."""
    figure = reported(PAPER, "Section 5", quantity="d above which CRHS is said to pay")
    return figure.value if figure and isinstance(figure.value, float) else None


def _pays_for_wide_data(stage: str) -> Callable[[Evidence], Verdict]:
    def judge(evidence: Evidence) -> Verdict:
        least = _wide_d()
        if least is None:
            return not_testable("The paper's d is not known.")
        wide = [name for name in _datasets(evidence, "scrf", "rks") if registry()[name].n_features > least]
        findings, missing = _ratios(evidence, "scrf", "rks", stage, wide)
        return evidence.all_of([finding for _, finding in findings], missing)

    return judge


def _frhs_slower(stage: str) -> Callable[[Evidence], Verdict]:
    def judge(evidence: Evidence) -> Verdict:
        others = [name for name in _datasets(evidence, "scrf", "fastfood") if name not in _HIGH_DIMENSIONAL]
        findings, missing = _ratios(evidence, "scrf", "fastfood", stage, others)
        return evidence.all_of([finding for _, finding in findings], missing)

    return judge


def _cells(_: Evidence) -> Verdict:
    return not_testable("The cells of the paper's Tables 2 to 5, its D and most of its sets are not recoverable.")


def _claim(name: str, place: str, sentence: str, sets: str, test: str, judge: Callable[[Evidence], Verdict]) -> Claim:
    return Claim(
        id=name,
        paper="crhs",
        place=place,
        sentence=sentence,
        quantifier=f"{sets} of our Table 3 (most of the paper's are not known), at the D stated there; ridge, "
        "gamma and lambda per method; in the mean over map draws",
        test=test,
        judge=judge,
        experiments=(NAME,),
    )


_SAME = (
    "difference of accuracies within +-{margins[accuracy_points]:g} points, ratio of mean squared errors within "
    "1 / (1 + {margins[variance_ratio]:g}) .. 1 + {margins[variance_ratio]:g} (equivalence), paired by repetition"
)
_AS_GOOD = (
    "accuracy at most {margins[accuracy_points]:g} points below KRR's, mean squared error at most "
    "{margins[variance_ratio]:g} above it relatively, paired by repetition (one-sided)"
)
_FASTER = "ratio of CPU seconds below {below[time_ratio]}, every repetition of both, unpaired"
_STAGES = {"train": ("training", "Table 4"), "predict": ("predicting", "Table 5")}

TABLE3_CLAIMS = (
    *(
        _claim(
            f"{label.lower()}-matches-exact-kernel",
            "Section 5; Table 3",
            f"{label}'s test accuracy or error is the exact kernel's, or better",
            "every set (the paper: nearly every) within KRR's memory limit",
            _AS_GOOD,
            lambda evidence, method=method: _scores(evidence, method, "krr", one_sided=True),  # type: ignore[misc]
        )
        for method, label in SPACES.items()
    ),
    *(
        _claim(
            f"crhs-score-equals-{space_label(other).lower()}",
            "Section 5; Table 3",
            f"CRHS's test accuracy or error equals {space_label(other)}'s at a high D",
            "every set",
            _SAME,
            lambda evidence, other=other: _scores(evidence, "scrf", other, one_sided=False),  # type: ignore[misc]
        )
        for other in ("rks", "fastfood")
    ),
    *(
        _claim(
            f"crhs-{words}-faster-than-exact-kernel",
            f"Section 5; {place}",
            f"{words.capitalize()} is faster with CRHS than with the exact kernel",
            "the sets within KRR's memory limit, by training rows n, from some n on (the paper: nearly every set)",
            f"{_FASTER}; from the largest n downwards",
            _faster_than_exact(stage),
        )
        for stage, (words, place) in _STAGES.items()
    ),
    *(
        _claim(
            f"crhs-{words}-pays-for-wide-data",
            f"Section 5; {place}",
            f"Where d > 100, {words} is faster with CRHS than with RRHS",
            "every set with d > 100",
            _FASTER,
            _pays_for_wide_data(stage),
        )
        for stage, (words, place) in _STAGES.items()
    ),
    *(
        _claim(
            f"frhs-{words}-slower-than-crhs",
            f"Section 5; {place}",
            f"{words.capitalize()} is slower with FRHS than with CRHS, mnist and CT slices excepted",
            "every set but mnist and CT slices",
            "ratio of CRHS's CPU seconds to FRHS's below {below[time_ratio]}, every repetition of both, unpaired",
            _frhs_slower(stage),
        )
        for stage, (words, place) in _STAGES.items()
    ),
    Claim(
        id="crhs-tables-cells",
        paper="crhs",
        place="Tables 2 to 5",
        sentence="The characteristics, accuracies and times printed in Tables 2 to 5",
        quantifier="the paper's sets",
        test="comparison with the paper's cells",
        judge=_cells,
    ),
)
