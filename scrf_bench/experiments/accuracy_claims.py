"""How claims about accuracy, and about seconds of training and prediction, are judged from classification records."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scrf_bench.bench import Point
from scrf_bench.experiments.accuracy_curves import points_of, seconds
from scrf_bench.experiments.claims import Evidence, Source
from scrf_bench.stats import Finding, Lack, Region, Verdict, mean_finding, two_sample_finding

TRAINING = ("map_cpu_s", "convert_cpu_s", "train_cpu_s")
PREDICTION = ("predict_cpu_s",)


def components_planned(evidence: Evidence, experiment: str, dataset: str) -> list[int]:
    """Return the D that the plan has for a set's maps."""
    cells = evidence.source(experiment).cells
    planned = {D for cell in cells if cell.dataset == dataset for D in cell.parameters.get("components", [])}
    return sorted(planned)


def paired_accuracy(
    pairs: Sequence[tuple[Point, Point]], region: Region, *, alpha: float, label: str, of: str = "repetitions"
) -> Finding:
    """Hold the first points' test accuracies minus the second's, in percentage points, against a region.

    `of` names what a pair shares: seeds, repetitions.
    """
    return mean_finding(
        [100.0 * (a.number("accuracy") - b.number("accuracy")) for a, b in pairs],
        region,
        alpha=alpha,
        resolution=100.0 / pairs[0][0].number("n_test"),
        label=label,
        method=f"t test of differences paired by {of.removesuffix('s')}",
        unit="points",
        of=of,
    )


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
    missing: list[Lack] = []
    for dataset in datasets or evidence.source(experiment).datasets:
        first, second = (points_of(evidence.source(experiment).points, dataset, name) for name in (own, other))
        planned = components_planned(evidence, experiment, dataset)
        for D in components or planned:
            label = dataset if len(planned) == 1 else f"{dataset}, D = {D:,}"
            seeds = {seed: (first[D, seed], second[D, seed]) for k, seed in first if k == D and (D, seed) in second}
            pairs = evidence.repetitions(experiment, seeds)
            if pairs is None:
                missing.append(evidence.lack(experiment, label, seeds, "seeds"))
                continue
            findings.append(paired_accuracy(pairs, region, alpha=evidence.alpha, label=label, of="seeds"))
    return evidence.all_of(findings, missing)


def faster_than_libsvm(
    evidence: Evidence,
    experiment: str,
    own: str,
    stages: Sequence[str],
    components: Callable[[str], int] | None = None,
) -> Verdict:
    """Judge a map's seconds with the linear learner over exact LIBSVM's, sets in the order of their training rows.

    Every planned seed of the map against every planned timing of LIBSVM, unpaired: their numbers may differ.

    Parameters
    ----------
    components : callable, optional
        Dataset -> the D to judge at; by default the one that is planned.
    """
    findings: list[tuple[float, Finding]] = []
    missing: list[Lack] = []
    source = evidence.source(experiment)
    region = Region.ratio_below(evidence.margins.time_ratio)
    for dataset in source.datasets:
        D = components(dataset) if components else components_planned(evidence, experiment, dataset)[-1]
        mine, exact = _timed(source, dataset, own, D), _timed(source, dataset, "libsvm", 0)
        kept = evidence.repetitions(experiment, mine)
        planned = _planned_seeds(source, dataset, "libsvm")
        if kept is None:
            missing.append(evidence.lack(experiment, dataset, mine, "seeds"))
        elif len(exact) < max(1, len(planned)):
            missing.append(Lack(dataset, len(exact), len(planned), "timings of LIBSVM"))
        elif len(exact) < 2:
            missing.append(Lack(dataset, why="one timing of LIBSVM"))
        else:
            rows = kept[0][0].number("n_train")
            finding = two_sample_finding(
                [seconds(point, stages) for point, _ in kept],
                [seconds(point, stages) for point, _ in exact.values()],
                region,
                alpha=evidence.alpha,
                runs=min(len({process for _, process in side}) for side in (kept, exact.values())),
                label=f"{dataset}, n = {rows:,.0f}",
                of="timings",
            )
            findings.append((rows, finding))
    return evidence.from_some_on([finding for _, finding in sorted(findings, key=lambda f: f[0])], missing)


def _timed(source: Source, dataset: str, method: str, D: int) -> dict[int, tuple[Point, str]]:
    """Return one method's points at one D (0 for exact kernels) by seed, each with the process that measured it."""
    return {
        seed: (point, record.name)
        for record in source.records
        for (k, seed), point in points_of(record.points, dataset, method).items()
        if k == D
    }


def _planned_seeds(source: Source, dataset: str, method: str) -> set[int]:
    return {
        seed
        for cell in source.cells
        if cell.dataset == dataset and cell.parameters["method"] == method
        for seed in cell.parameters.get("seeds") or [cell.parameters["seed"]]
    }
