"""What Cosplay's author says of it: his accuracy, judged from the recipe's records, and his remark on the SVM."""

from __future__ import annotations

from scrf_bench.bench import Point
from scrf_bench.experiments.claims import Claim, Evidence
from scrf_bench.experiments.cosplay.front_rows import FRONT, row_points
from scrf_bench.experiments.cosplay.published import PAPER_DATASET, RECIPE_MAP, paper_figure
from scrf_bench.stats import Region, Verdict, mean_finding, two_sample_finding, undecided

RECIPE = "cosplay"


def _accuracy_as_published(evidence: Evidence) -> Verdict:
    """Points of accuracy between the recipe's seeds and the one figure that is published."""
    source = evidence.source(RECIPE)
    config = source.config
    published = paper_figure("test accuracy")
    if config.dataset != PAPER_DATASET or published is None:
        return undecided(f"The figure is {PAPER_DATASET}'s; this profile has {config.dataset}.")
    own = RECIPE_MAP, config.pca, config.components
    found = {
        int(p.number("seed")): p
        for p in source.points
        if (p.parameters["method"], p.parameters["pca"], p.parameters["D"]) == own
    }
    recipe = evidence.repetitions(RECIPE, found)
    if recipe is None:
        return evidence.all_of([], missing=[evidence.lack(RECIPE, "the recipe", found, of="seeds")])
    difference = mean_finding(
        [100.0 * (p.number("accuracy") - published) for p in recipe],
        Region.around(0.0, evidence.margins.accuracy_points),
        alpha=evidence.alpha,
        resolution=100.0 / recipe[0].number("n_test"),
        label="ours minus published",
        method="t test over seeds",
        unit="points",
        of="seeds",
    )
    return evidence.all_of([difference])


def _total_s(point: Point) -> float:
    return point.number("train_cpu_s") + point.number("predict_cpu_s")


def _approaches_the_svm(evidence: Evidence) -> Verdict:
    """Points of accuracy that the recipe lacks of exact LIBSVM, and the ratio of their times, over seeds."""
    source = evidence.source(FRONT)
    own = {int(p.number("seed")): p for p in row_points(source.config, source.config.rows[0], source.records)}
    exact = {int(p.number("seed")): p for p in source.points if p.parameters["method"] == "libsvm"}
    planned = [int(cell.parameters["seed"]) for cell in source.cells if cell.parameters["map"] == "libsvm"]
    recipe = evidence.repetitions(FRONT, own)
    if recipe is None or not all(seed in exact for seed in planned):
        return undecided("The recipe's planned repetitions and exact LIBSVM are not all there.")
    if len(exact) < 2:
        return undecided("There is one timing of exact LIBSVM.")
    # With an official split there is one exact answer for all seeds.
    answers = [exact.get(int(p.number("seed")), exact[planned[0]]) for p in recipe]
    accuracy = mean_finding(
        [100.0 * (b.number("accuracy") - a.number("accuracy")) for a, b in zip(recipe, answers, strict=True)],
        Region.at_most(0.0, evidence.margins.accuracy_points),
        alpha=evidence.alpha,
        resolution=100.0 / recipe[0].number("n_test"),
        label="accuracy lacking",
        method="t test over seeds",
        unit="points",
        of="seeds",
    )
    time = two_sample_finding(
        [_total_s(p) for p in recipe],
        [_total_s(exact[seed]) for seed in planned],
        Region.ratio_below(evidence.margins.time_ratio),
        alpha=evidence.alpha,
        label="time",
        of="timings",
    )
    return evidence.all_of([accuracy, time])


RECIPE_CLAIMS = (
    Claim(
        id="cosplay-accuracy-as-published",
        paper="cosplay",
        place="Output of the run",
        sentence="The recipe's test accuracy on mnist is the published one, 98.22 %",
        quantifier="mnist, the recipe's PCA, D, prior and iterations; in the mean over our draws of the map, on the "
        "official test rows. What is published is one run, whose own spread is not known",
        test="our mean accuracy within {margins[accuracy_points]:g} points of the published figure, taken for exact",
        judge=_accuracy_as_published,
        experiments=(RECIPE,),
    ),
)

FRONT_CLAIMS = (
    Claim(
        id="cosplay-approaches-svm",
        paper="cosplay",
        place="Closing remark on the run",
        sentence="Random cosines with logistic regression approach the Gaussian SVM at a fraction of the time",
        quantifier="the front's data set (mnist; optdigits in the quick profile), the recipe's D there, exact LIBSVM "
        "at the C and gamma stated there; in the mean over draws of the map, on these test points",
        test="accuracy at most {margins[accuracy_points]:g} points below exact LIBSVM's, and CPU seconds (train + "
        "predict, from pixels), every seed's against every timing of LIBSVM's, below {below[time_ratio]} of its",
        judge=_approaches_the_svm,
        experiments=(FRONT,),
    ),
)
