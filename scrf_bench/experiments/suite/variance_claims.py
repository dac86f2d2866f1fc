"""What the SCRF paper claims of bias and variance, and what this project asks of its repairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from scrf_bench.experiments.claims import Claim, Evidence
from scrf_bench.experiments.suite.directions import RANDOM
from scrf_bench.experiments.suite.estimates import EMBEDDINGS
from scrf_bench.experiments.suite.variance_judges import EXPERIMENT, against_rks, below, unbiased
from scrf_bench.stats import Verdict

_WHERE = "d = 16, 64, 180, 784 (quick: 16, 64), one block and many, and the datasets' d"
_EVERY = f"random, structured and real v (table-pair, table-points); {_WHERE}; s from 0.25 to 3"
_RANDOM = f"v uniform on the sphere; {_WHERE}; s from 0.25 to 3"
_UNIT = "; n counts batches of draws"
_BIAS = (
    "bias at each v, s and embedding by itself within +-sqrt({margins[variance_ratio]:g}) standard deviations (sd) of "
    "the estimate (equivalence)" + _UNIT
)
_EQUAL = (
    "ratio of the mean squared error to RKS's exact variance, geometric mean over s, within a factor of "
    "1 + {margins[variance_ratio]:g} (equivalence); the formula's beside it" + _UNIT
)
_LESS = "ratio of mean squared errors, geometric mean over s, below {below[variance_ratio]}" + _UNIT
_NOT_MORE = (
    "ratio of the mean squared error to RKS's exact variance, geometric mean over s, at most "
    "1 + {margins[variance_ratio]:g}" + _UNIT
)
_OWN = "README, Two repairs"
# Datasets of the experiment whose features are pixels in their order.
_IMAGES = ("optdigits", "mnist", "cifar10_subset")


def _claim(
    name: str, sentence: str, quantifier: str, test: str, judge: Callable[[Evidence], Verdict], place: str = _OWN
) -> Claim:
    return Claim(
        id=name,
        paper="suite" if place == _OWN else "scrf",
        place=place,
        sentence=sentence,
        quantifier=quantifier,
        test=test,
        judge=judge,
        experiments=(EXPERIMENT,),
    )


def _below(
    name: str, other: str, kinds: Sequence[str] | None, embeddings: Sequence[str] = EMBEDDINGS
) -> partial[Verdict]:
    return partial(below, name=name, other=other, kinds=kinds, embeddings=embeddings)


def _to_rks(
    name: str, region: str, kinds: Sequence[str] | None, embeddings: Sequence[str] = EMBEDDINGS
) -> partial[Verdict]:
    return partial(against_rks, name=name, region=region, kinds=kinds, embeddings=embeddings)


_SCRF_CLAIMS = (
    _claim("scrf-unbiased", "SCRF's estimate is unbiased", _EVERY, _BIAS, partial(unbiased, name="scrf"), "Lemma 3"),
    _claim(
        "scrf-variance-rks-random",
        "SCRF's variance equals that of RKS for random x - y",
        f"{_RANDOM}; both embeddings",
        _EQUAL,
        _to_rks("scrf", "within", (RANDOM,)),
        "Theorem 2; Corollary 2",
    ),
    _claim(
        "scrf-variance-rks",
        "SCRF's variance equals that of RKS",
        f"{_EVERY}; both embeddings",
        _EQUAL,
        _to_rks("scrf", "within", None),
        "Theorem 2; Corollary 2",
    ),
    _claim(
        "scrf-variance-below-fastfood",
        "SCRF's variance is below Fastfood's",
        f"{_EVERY}; both embeddings; Fastfood with S, the one of 5D parameters",
        _LESS,
        _below("scrf", "fastfood", None),
        "Corollary 2 and what follows it",
    ),
    _claim(
        "scrf-variance-below-fastfood-no-S",
        "SCRF's variance is below that of Fastfood without S",
        f"{_EVERY}; both embeddings; the variant of Fastfood's own Corollary 10",
        _LESS,
        _below("scrf", "fastfood-no-S", None),
        "Corollary 2 and what follows it",
    ),
    _claim(
        "scrf-variance-below-fastfood-no-S-random",
        "SCRF's variance is below that of Fastfood without S for random x - y",
        f"{_RANDOM}; pair embedding, the one of Fastfood's Corollary 10",
        _LESS,
        _below("scrf", "fastfood-no-S", (RANDOM,), ("pair",)),
        "Corollary 2 and what follows it",
    ),
    _claim(
        "scrf-row-signs-lower-variance",
        "Random row signs lower the variance of a circulant map",
        f"{_EVERY}; both embeddings; SCRF and the same circulants without signs, from the same seeds",
        _LESS + "; what is equal draw by draw is counted",
        _below("scrf", "unsigned", None),
        "Remark 1",
    ),
)

_OCRF_CLAIMS = (
    _claim("ocrf-unbiased", "OCRF's bias does not matter", _EVERY, _BIAS, partial(unbiased, name="ocrf")),
    _claim(
        "ocrf-variance-below-rks",
        "OCRF's error is below that of RKS in the pair embedding, in the mean over distances",
        _EVERY,
        _LESS,
        _to_rks("ocrf", "below", None, ("pair",)),
    ),
    _claim(
        "ocrf-variance-at-most-rks",
        "OCRF's error is no larger than that of RKS in the phase embedding, in the mean over distances",
        _EVERY,
        _NOT_MORE,
        _to_rks("ocrf", "at most", None, ("phase",)),
    ),
    _claim(
        "ocrf-variance-below-fastfood",
        "OCRF's error is below Fastfood's in the pair embedding, in the mean over distances",
        f"{_EVERY}; Fastfood with S",
        _LESS,
        _below("ocrf", "fastfood", None, ("pair",)),
    ),
    _claim(
        "ocrf-variance-below-fastfood-no-S",
        "OCRF's error is below that of Fastfood without S in the pair embedding, in the mean over distances",
        _EVERY,
        _LESS,
        _below("ocrf", "fastfood-no-S", None, ("pair",)),
    ),
    _claim(
        "ocrf-variance-below-scrf",
        "OCRF's error is below SCRF's in the pair embedding, in the mean over distances",
        _EVERY,
        _LESS,
        _below("ocrf", "scrf", None, ("pair",)),
    ),
)

_COLUMN_SIGNED_CLAIMS = (
    _claim(
        "column-signed-unbiased",
        "The column-signed circulant's estimate is unbiased",
        _EVERY,
        _BIAS,
        partial(unbiased, name="column_signed"),
    ),
    _claim(
        "column-signed-variance-rks-random",
        "The column-signed circulant's variance equals that of RKS for random x - y",
        f"{_RANDOM}; both embeddings",
        _EQUAL,
        _to_rks("column_signed", "within", (RANDOM,)),
    ),
    _claim(
        "column-signed-variance-at-most-rks",
        "The column-signed circulant's variance is no larger than that of RKS, in the mean over distances",
        f"{_EVERY}; both embeddings",
        _NOT_MORE,
        _to_rks("column_signed", "at most", None),
    ),
    _claim(
        "column-signed-variance-below-scrf-images",
        "The column-signed circulant's variance is below SCRF's at differences of images in the pair embedding, in the "
        "mean over distances",
        f"pairs of rows of {', '.join(_IMAGES)} (quick: optdigits); s from 0.25 to 3",
        _LESS,
        _below("column_signed", "scrf", _IMAGES, ("pair",)),
    ),
)

CLAIMS = (*_SCRF_CLAIMS, *_OCRF_CLAIMS, *_COLUMN_SIGNED_CLAIMS)
