"""Claims of accuracy at low D, each map tuned for itself: the SCRF paper's, and ours of the repaired maps."""

from __future__ import annotations

from functools import partial

from scrf_bench.experiments.accuracy_claims import PREDICTION, TRAINING, accuracy_difference, faster_than_libsvm
from scrf_bench.experiments.claims import Claim, Evidence
from scrf_bench.experiments.map_cells import method_label
from scrf_bench.stats import Region, Verdict, undecided

_NAME = "fig3-maps"
_IMAGES = (
    "mnist (10,000 random training rows), cifar10_subset, optdigits and usps_esl at D = 256 and 1,024 (quick: "
    "optdigits at 32 and 128)"
)
_OTHERS = "dna, satimage and letter, whose features are no pixels, at D = 256 and 1,024 (quick: none of them)"
_TUNED = (
    "phase embedding, each map tuned for itself with the same effort; in the mean over map draws, on these test points"
)
_WHERE = "README, Two repairs"


def _on_images(evidence: Evidence, own: str, other: str, region: Region) -> Verdict:
    config = evidence.source(_NAME).config
    return accuracy_difference(
        evidence, _NAME, own, other, region, datasets=config.images, components=config.low_components
    )


def _at_least_on_others(evidence: Evidence, own: str, other: str) -> Verdict:
    config = evidence.source(_NAME).config
    others = [name for name in config.datasets if name not in config.images]
    if not others:
        return undecided("This profile has no set whose features are no pixels; the paper profile has.")
    region = Region.at_least(0.0, evidence.margins.accuracy_points)
    return accuracy_difference(evidence, _NAME, own, other, region, datasets=others, components=config.low_components)


def _equal(evidence: Evidence, own: str, other: str) -> Verdict:
    return _on_images(evidence, own, other, Region.around(0.0, evidence.margins.accuracy_points))


def _at_least(evidence: Evidence, own: str, other: str) -> Verdict:
    return _on_images(evidence, own, other, Region.at_least(0.0, evidence.margins.accuracy_points))


def _above(evidence: Evidence, own: str, other: str) -> Verdict:
    return _on_images(evidence, own, other, Region.above(0.0, evidence.margins.accuracy_points))


def _faster(evidence: Evidence, own: str, stages: tuple[str, ...]) -> Verdict:
    D = max(evidence.source(_NAME).config.low_components)
    return faster_than_libsvm(evidence, _NAME, own, stages, lambda _: D)


def _scrf_equals(other: str) -> Claim:
    return Claim(
        id=f"scrf-accuracy-equals-{other}-images",
        paper="scrf",
        place="Section 4.3; Figure 3; Table 2",
        sentence=f"SCRF's test accuracy equals that of {method_label(other)} on images at low D",
        quantifier=f"on our setting: {_IMAGES}; {_TUNED}",
        test="difference of accuracies, paired by seed, within +-{margins[accuracy_points]:g} points (equivalence)",
        judge=partial(_equal, own="scrf", other=other),
        experiments=(_NAME,),
    )


def _not_below(own: str, other: str, *, images: bool) -> Claim:
    kind, sets = ("images", "images") if images else ("others", "sets that are no images")
    return Claim(
        id=f"{own.replace('_', '-')}-accuracy-not-below-{other}-{kind}",
        paper="suite",
        place=_WHERE,
        sentence=f"{method_label(own)}: test accuracy is not below {method_label(other)}'s on {sets} at low D",
        quantifier=f"{_IMAGES if images else _OTHERS}; {_TUNED}",
        test="difference of accuracies, paired by seed, above -{margins[accuracy_points]:g} points (non-inferiority)",
        judge=partial(_at_least if images else _at_least_on_others, own=own, other=other),
        experiments=(_NAME,),
    )


def _above_scrf(own: str) -> Claim:
    return Claim(
        id=f"{own.replace('_', '-')}-accuracy-above-scrf-images",
        paper="suite",
        place=_WHERE,
        sentence=f"{method_label(own)}: test accuracy is above SCRF's on images at low D",
        quantifier=f"{_IMAGES}; {_TUNED}",
        test="difference of accuracies, paired by seed, above {margins[accuracy_points]:g} points",
        judge=partial(_above, own=own, other="scrf"),
        experiments=(_NAME,),
    )


def _ocrf_faster(stage: str, stages: tuple[str, ...]) -> Claim:
    return Claim(
        id=f"ocrf-{stage}-faster-than-libsvm",
        paper="suite",
        place=_WHERE,
        sentence=f"{stage.capitalize()} with OCRF and a linear learner is faster than exact LIBSVM from some n on",
        quantifier="the sets of fig3-maps by training rows n, at D = 1,024 (quick: 128); hyper-parameters given",
        test=f"ratio of CPU seconds ({' + '.join(name.removesuffix('_cpu_s') for name in stages)}), each map at the C "
        "and gamma of its own search, below {below[time_ratio]}; from the largest n downwards",
        judge=partial(_faster, own="ocrf", stages=stages),
        experiments=(_NAME,),
    )


CLAIMS = (
    _scrf_equals("rks"),
    _scrf_equals("fastfood"),
    _not_below("column_signed", "rks", images=True),
    _not_below("ocrf", "rks", images=True),
    _not_below("ocrf", "fastfood", images=True),
    _above_scrf("column_signed"),
    _above_scrf("ocrf"),
    _not_below("column_signed", "rks", images=False),
    _not_below("ocrf", "rks", images=False),
    _not_below("ocrf", "fastfood", images=False),
    _ocrf_faster("training", TRAINING),
    _ocrf_faster("prediction", PREDICTION),
)
