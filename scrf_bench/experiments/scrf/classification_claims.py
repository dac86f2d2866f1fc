"""What the SCRF paper claims of accuracy, training and prediction, judged from Table 2's and Figure 3's records."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scrf_bench.experiments.accuracy_claims import PREDICTION, TRAINING, accuracy_difference, faster_than_libsvm
from scrf_bench.experiments.claims import Claim, Evidence
from scrf_bench.experiments.map_cells import method_label
from scrf_bench.stats import Region, Verdict, not_testable


def _same_accuracy(evidence: Evidence, experiment: str, other: str) -> Verdict:
    region = Region.around(0.0, evidence.margins.accuracy_points)
    return accuracy_difference(evidence, experiment, "scrf", other, region)


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


def _speed_claim(stage: str, stages: Sequence[str], place: str) -> Claim:
    return Claim(
        id=f"scrf-{stage}-faster-than-libsvm",
        paper="scrf",
        place=place,
        sentence=f"{stage.capitalize()} with SCRF and a linear learner is faster than exact LIBSVM from some n on",
        quantifier="the sets of our Table 2 by training rows n, at the D stated there (the paper's is not known)",
        test=f"ratio of CPU seconds ({' + '.join(name.removesuffix('_cpu_s') for name in stages)}), each seed's "
        "and each timing of LIBSVM (Welch on logarithms), below {below[time_ratio]}; from the largest n downwards",
        judge=lambda evidence: faster_than_libsvm(evidence, "table2", "scrf", stages),
        experiments=("table2",),
    )


TABLE2_CLAIMS = (
    _accuracy_claim("table2", "rks"),
    _accuracy_claim("table2", "fastfood"),
    _speed_claim("training", TRAINING, "Section 1.1 (contributions); Table 2"),
    _speed_claim("prediction", PREDICTION, "Section 4.3; Table 2"),
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
