"""How claims about accuracy, and about seconds of training and prediction, are judged from classification records."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from scrf_bench.experiments.accuracy_curves import points_of, seconds
from scrf_bench.experiments.claims import Evidence
from scrf_bench.stats import Finding, Region, Verdict, mean_finding

TRAINING = ("map_cpu_s", "convert_cpu_s", "train_cpu_s")
PREDICTION = ("predict_cpu_s",)


def components_planned(evidence: Evidence, experiment: str, dataset: str) -> list[int]:
    """Return the D that the plan has for a set's maps."""
    cells = evidence.source(experiment).cells
    planned = {D for cell in cells if cell.dataset == dataset for D in cell.parameters.get("components", [])}
    return sorted(planned)


def accuracy_difference(
    evidence: Evidence,
    experiment: str,
    own: str,
    other: str,
    region: Region,
    *,
    datasets: Sequence[str] | None = None,
    components: Sequence[int] | None = None,
) -> Verdict:
    """Judge one map's accuracy minus another's, in percentage points and paired by seed.

    On every planned set (or those given) and at every D planned for it (or those given).
    """
    findings: list[Finding] = []
    missing: list[str] = []
    for dataset in datasets or evidence.source(experiment).datasets:
        first, second = (points_of(evidence.source(experiment).points, dataset, name) for name in (own, other))
        planned = components_planned(evidence, experiment, dataset)
        for D in components or planned:
            label = dataset if len(planned) == 1 else f"{dataset}, D = {D:,}"
            seeds = {seed: (first[D, seed], second[D, seed]) for k, seed in first if k == D and (D, seed) in second}
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


def faster_than_libsvm(
    evidence: Evidence,
    experiment: str,
    own: str,
    stages: Sequence[str],
    components: Callable[[str], int] | None = None,
) -> Verdict:
    """Judge a map's seconds with the linear learner over exact LIBSVM's, sets in the order of their training rows.

    Parameters
    ----------
    components : callable, optional
        Dataset -> the D to judge at; by default the one that is planned.
    """
    findings: list[tuple[float, Finding]] = []
    missing: list[str] = []
    source = evidence.source(experiment)
    for dataset in source.datasets:
        D = components(dataset) if components else components_planned(evidence, experiment, dataset)[-1]
        mine = {seed: p for (k, seed), p in points_of(source.points, dataset, own).items() if k == D}
        exact = {seed: p for (_, seed), p in points_of(source.points, dataset, "libsvm").items()}
        pairs = evidence.repetitions(experiment, {s: (p, exact.get(s, exact.get(0))) for s, p in mine.items()})
        if pairs is None or any(reference is None for _, reference in pairs):
            missing.append(dataset)
            continue
        rows = pairs[0][0].number("n_train")
        finding = mean_finding(
            [math.log(seconds(a, stages) / seconds(b, stages)) for a, b in pairs],
            Region.ratio_below(evidence.margins.time_ratio),
            alpha=evidence.alpha,
            label=f"{dataset}, n = {rows:,.0f}",
            method="t test of log ratios over seeds",
        )
        findings.append((rows, finding))
    return evidence.from_some_on([finding for _, finding in sorted(findings, key=lambda f: f[0])], missing)
