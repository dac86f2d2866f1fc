"""What the SCRF paper claims of accuracy, training and prediction, judged from Table 2's and Figure 3's records."""

from __future__ import annotations

import math
from collections.abc import Callable

from scrf_bench.bench import Point
from scrf_bench.experiments.claims import Claim, Evidence
from scrf_bench.experiments.map_cells import method_label
from scrf_bench.stats import Finding, Region, Verdict, mean_finding, not_testable

_TRAINING = ("map_cpu_s", "convert_cpu_s", "train_cpu_s")
_PREDICTION = ("predict_cpu_s",)


def _by_seed(evidence: Evidence, experiment: str, dataset: str, method: str) -> dict[tuple[int, int], Point]:
    """Return one method's points on one set by D (0 for exact kernels) and seed."""
    return {
        (int(p.parameters["D"] or 0), int(p.number("seed"))): p
        for p in evidence.source(experiment).points
        if p.parameters["dataset"] == dataset and p.parameters["method"] == method
    }


def _components(evidence: Evidence, experiment: str, dataset: str) -> list[int]:
    """Return the D that the plan has for a set's maps."""
    cells = evidence.source(experiment).cells
    planned = {D for cell in cells if cell.dataset == dataset for D in cell.parameters.get("components", [])}
    return sorted(planned)


def _same_accuracy(evidence: Evidence, experiment: str, other: str) -> Verdict:
    """Accuracy of SCRF minus another map's, paired by seed, on every set and at every D planned for it."""
    findings: list[Finding] = []
    missing: list[str] = []
    region = Region.around(0.0, evidence.margins.accuracy_points)
    for dataset in evidence.source(experiment).datasets:
        own, others = (_by_seed(evidence, experiment, dataset, name) for name in ("scrf", other))
        grid = _components(evidence, experiment, dataset)
        for D in grid:
            label = dataset if len(grid) == 1 else f"{dataset}, D = {D:,}"
            seeds = {seed: (own[D, seed], others[D, seed]) for k, seed in own if k == D and (D, seed) in others}
            pairs = evidence.repetitions(experiment, seeds)
            if pairs is None:
                missing.append(label)
                continue
            findings.append(
                mean_finding(
                    [100.0 * (a.number("accuracy") - b.number("accuracy")) for a, b in pairs],
                    region,
                    alpha=evidence.alpha,
                    resolution=100.0 / pairs[0][0].number("n_test"),
                    label=label,
                    method="t test of differences paired by seed",
                )
            )
    return evidence.all_of(findings, missing)


def _faster_than_libsvm(evidence: Evidence, stages: tuple[str, ...]) -> Verdict:
    """Seconds of SCRF with the linear learner over exact LIBSVM's, sets in the order of their training rows."""
    findings: list[tuple[float, Finding]] = []
    missing: list[str] = []
    for dataset in evidence.source("table2").datasets:
        own = {seed: p for (_, seed), p in _by_seed(evidence, "table2", dataset, "scrf").items()}
        exact = {seed: p for (_, seed), p in _by_seed(evidence, "table2", dataset, "libsvm").items()}
        pairs = evidence.repetitions("table2", {s: (p, exact.get(s, exact.get(0))) for s, p in own.items()})
        if pairs is None or any(reference is None for _, reference in pairs):
            missing.append(dataset)
            continue
        rows = pairs[0][0].number("n_train")
        finding = mean_finding(
            [math.log(_seconds(a, stages) / _seconds(b, stages)) for a, b in pairs],
            Region.ratio_below(evidence.margins.time_ratio),
            alpha=evidence.alpha,
            label=f"{dataset}, n = {rows:,.0f}",
            method="t test of log ratios over seeds",
        )
        findings.append((rows, finding))
    return evidence.from_some_on([finding for _, finding in sorted(findings, key=lambda f: f[0])], missing)


def _seconds(point: Point, stages: tuple[str, ...]) -> float:
    # Exact LIBSVM maps nothing.
    return sum(point.number(stage) for stage in stages if point.metrics.get(stage) is not None)


def _table2_cells(_: Evidence) -> Verdict:
    return not_testable("The cells of the paper's Table 2, its D, its C and gamma, and four of its sets are not known.")


def _accuracy_claim(experiment: str, other: str) -> Claim:
    place = {"table2": "Table 2", "fig3": "Figure 3"}[experiment]
    where = {
        "table2": "every set of our Table 2 (stand-ins where one cannot be had), at the D stated there (the paper's is "
        "not known)",
        "fig3": "every set and every D of our Figure 3 (the paper states no grid)",
    }[experiment]
    judge: Callable[[Evidence], Verdict] = lambda evidence: _same_accuracy(evidence, experiment, other)  # noqa: E731
    at = "" if experiment == "table2" else " at every D"
    return Claim(
        id=f"scrf-accuracy-equals-{other}" + ("" if experiment == "table2" else f"-{experiment}"),
        paper="scrf",
        place=f"Section 4.3; {place}",
        sentence=f"SCRF's test accuracy equals that of {method_label(other)}{at}",
        quantifier=f"{where}; in the mean over map draws, on these test points",
        test="difference of accuracies, paired by seed, within +-{margins[accuracy_points]:g} points (equivalence)",
        judge=judge,
        experiments=(experiment,),
    )


def _speed_claim(stage: str, stages: tuple[str, ...], place: str) -> Claim:
    return Claim(
        id=f"scrf-{stage}-faster-than-libsvm",
        paper="scrf",
        place=place,
        sentence=f"{stage.capitalize()} with SCRF and a linear learner is faster than exact LIBSVM from some n on",
        quantifier="the sets of our Table 2 by training rows n, at the D stated there (the paper's is not known)",
        test=f"ratio of CPU seconds ({' + '.join(name.removesuffix('_cpu_s') for name in stages)}), LIBSVM timed once "
        "a split, below 1 / (1 + {margins[time_ratio]:g}); from the largest n downwards",
        judge=lambda evidence: _faster_than_libsvm(evidence, stages),
        experiments=("table2",),
    )


TABLE2_CLAIMS = (
    _accuracy_claim("table2", "rks"),
    _accuracy_claim("table2", "fastfood"),
    _speed_claim("training", _TRAINING, "Section 1.1 (contributions); Table 2"),
    _speed_claim("prediction", _PREDICTION, "Section 4.3; Table 2"),
    Claim(
        id="scrf-table2-cells",
        paper="scrf",
        place="Table 2",
        sentence="The accuracies and times printed in Table 2",
        quantifier="the paper's nine sets",
        test="comparison with the paper's cells",
        judge=_table2_cells,
    ),
)
FIG3_CLAIMS = (_accuracy_claim("fig3", "rks"), _accuracy_claim("fig3", "fastfood"))
