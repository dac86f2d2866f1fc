"""What Cosplay's author claims of it, judged from the front's records."""

from __future__ import annotations

import math

from scrf_bench.bench import Point
from scrf_bench.experiments.claims import Claim, Evidence
from scrf_bench.experiments.cosplay.front_rows import FRONT, row_points
from scrf_bench.stats import Region, Verdict, mean_finding, undecided


def _total_s(point: Point) -> float:
    return point.number("train_cpu_s") + point.number("predict_cpu_s")


def _approaches_the_svm(evidence: Evidence) -> Verdict:
    """Points of accuracy that the recipe lacks of exact LIBSVM, and the ratio of their times, over seeds."""
    source = evidence.source(FRONT)
    own = {int(p.number("seed")): p for p in row_points(source.config, source.config.rows[0], source.records)}
    exact = {int(p.number("seed")): p for p in source.points if p.parameters["method"] == "libsvm"}
    # With an official split there is one exact answer for all seeds.
    pairs = evidence.repetitions(FRONT, {seed: (point, exact.get(seed, exact.get(0))) for seed, point in own.items()})
    if pairs is None or any(reference is None for _, reference in pairs):
        return undecided("The recipe's planned repetitions and exact LIBSVM are not all there.")
    accuracy = mean_finding(
        [100.0 * (b.number("accuracy") - a.number("accuracy")) for a, b in pairs],
        Region.at_most(0.0, evidence.margins.accuracy_points),
        alpha=evidence.alpha,
        resolution=100.0 / pairs[0][0].number("n_test"),
        label="accuracy lacking",
        method="t test over seeds",
    )
    time = mean_finding(
        [math.log(_total_s(a) / _total_s(b)) for a, b in pairs],
        Region.ratio_below(evidence.margins.time_ratio),
        alpha=evidence.alpha,
        label="time",
        method="t test of log ratios over seeds",
    )
    return evidence.all_of([accuracy, time])


FRONT_CLAIMS = (
    Claim(
        id="cosplay-approaches-svm",
        paper="cosplay",
        place="Closing remark on the run",
        sentence="Random cosines with logistic regression approach the Gaussian SVM at a fraction of the time",
        quantifier="the front's data set (mnist; optdigits in the quick profile), the recipe's D there, exact LIBSVM "
        "at the C and gamma stated there; in the mean over draws of the map, on these test points",
        test="accuracy at most {margins[accuracy_points]:g} points below exact LIBSVM's, and CPU seconds (train + "
        "predict, from pixels), LIBSVM timed once a split, below 1 / (1 + {margins[time_ratio]:g}) of its",
        judge=_approaches_the_svm,
        experiments=(FRONT,),
    ),
)
