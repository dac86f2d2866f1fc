"""The claims of the maps that repair SCRF, on records of known truth; those of OCRF's times are in test_claims."""

import pytest

from scrf_bench.experiments.verdicts import Court, declared_claims
from tests.experiments import test_variance_claims as variance
from tests.experiments.made_up import CONFIGS, accuracies, made_up_configs, made_up_records, times

CLAIMS = {claim.id: claim for claim in declared_claims()}
MAPS = '["rks", "fastfood", "scrf"]'


VARIANCE = variance.CONFIG.replace('"unsigned"', '"unsigned", "column_signed"').replace('"ionosphere"', '"optdigits"')


@pytest.fixture
def judged(tmp_path):
    """Return a function that makes up records of one experiment and judges a claim from them."""

    def judge(claim, experiment, points, maps=MAPS, old="", new=""):
        text = {**CONFIGS, "variance": VARIANCE}[experiment].replace(MAPS, maps)
        assert old in text
        sizes = CONFIGS["claims"].replace("fig1 = 12", "fig1 = 12, variance = 10")
        folder = made_up_configs(tmp_path / "configs", **{"claims": sizes, experiment: text.replace(old, new)})
        made_up_records(experiment, tmp_path / "results", folder, points)
        return Court(tmp_path / "results", "quick", folder).judge(CLAIMS[claim]).verdict

    return judge


def worse(name, data):
    """Accuracies of 88 % for one map on one set, and 90 % for all others."""
    return accuracies(lambda method, dataset: 0.88 if (method, dataset) == (name, data) else 0.9)


@pytest.mark.parametrize(
    ("claim", "points", "word"),
    [
        ("ocrf-accuracy-not-below-fastfood-images", worse("fastfood", "dna"), "holds"),
        ("ocrf-accuracy-not-below-fastfood-images", worse("ocrf", "dna"), "fails"),
        ("ocrf-accuracy-not-below-fastfood-images", worse("ocrf", "ionosphere"), "holds"),
        ("ocrf-accuracy-not-below-rks-others", worse("ocrf", "dna"), "holds"),
        ("ocrf-accuracy-not-below-rks-others", worse("ocrf", "ionosphere"), "fails"),
        ("ocrf-accuracy-not-below-rks-others", accuracies(lambda *_: 0.9, spread=0.02), "undecided"),
        ("ocrf-accuracy-not-below-fastfood-others", worse("ocrf", "ionosphere"), "fails"),
        ("ocrf-accuracy-not-below-fastfood-others", worse("rks", "ionosphere"), "holds"),
        ("column-signed-accuracy-not-below-rks-others", worse("column_signed", "ionosphere"), "fails"),
        ("column-signed-accuracy-not-below-rks-others", worse("rks", "ionosphere"), "holds"),
    ],
)
def test_accuracies_on_images_and_on_other_sets(judged, claim, points, word):
    """The made-up profile has one set that it calls images, dna, and one other."""
    verdict = judged(claim, "fig3-maps", points)
    assert verdict.word == word
    data = "dna" if claim.endswith("images") else "ionosphere"
    assert [part.finding.label for part in verdict.parts] == [f"{data}, D = 16", f"{data}, D = 32"]


def test_a_profile_of_images_alone_says_nothing_of_other_sets(judged):
    verdict = judged(
        "ocrf-accuracy-not-below-rks-others",
        "fig3-maps",
        worse("ocrf", "dna"),
        old='datasets = ["ionosphere", "dna"]',
        new='datasets = ["dna"]',
    )
    assert (verdict.word, verdict.parts) == ("undecided", ())
    assert "no set whose features are no pixels" in verdict.reason


def slow(name):
    """One second for every map but one, which takes nine."""
    return times(lambda which, d: 9.0 if which == name else 1.0, noise=0.003)


def held(**per_column):
    """Bytes: eight a number, of so many numbers a column."""
    return times(lambda *_: 1.0, {"rks": 17, "fastfood": 5, "scrf": 3, **per_column})


@pytest.mark.parametrize(
    ("claim", "experiment", "points", "word"),
    [
        ("ocrf-bytes-below-fastfood", "table1", held(ocrf=5), "holds"),
        ("ocrf-bytes-below-fastfood", "table1", held(ocrf=6), "fails"),
        ("ocrf-bytes-below-fastfood-square", "fig2", held(ocrf=5), "holds"),
        ("ocrf-bytes-below-fastfood-square", "fig2", held(ocrf=6), "fails"),
        ("column-signed-bytes-below-fastfood", "table1", held(column_signed=3), "holds"),
        ("column-signed-bytes-below-fastfood", "table1", held(column_signed=6), "fails"),
        ("column-signed-parameters", "table1", held(column_signed=3), "holds"),
        ("column-signed-parameters", "table1", held(column_signed=4), "fails"),
        ("column-signed-faster-than-rks", "table1", slow("rks"), "holds"),
        ("column-signed-faster-than-fastfood", "table1", slow("fastfood"), "holds"),
        ("column-signed-faster-than-fastfood", "table1", slow("column_signed"), "fails"),
        ("column-signed-time-quasilinear", "fig2", times(lambda name, d: d), "holds"),
        ("column-signed-time-quasilinear", "fig2", times(lambda name, d: d * d), "fails"),
        ("column-signed-memory-linear", "fig2", times(lambda name, d: d), "holds"),
    ],
)
def test_times_and_memory(judged, claim, experiment, points, word):
    maps = '["rks", "fastfood", "scrf", "ocrf", "column_signed"]'
    assert judged(claim, experiment, points, maps).word == word


def test_bytes_are_judged_where_both_maps_are(judged):
    """OCRF at all three d of the grid, Fastfood too: a part each, the factor as it is counted."""
    verdict = judged("ocrf-bytes-below-fastfood", "table1", held(ocrf=6), '["rks", "fastfood", "ocrf"]')
    assert [part.finding.label for part in verdict.parts] == ["d = 16", "d = 20", "d = 32"]
    assert verdict.headline.estimate == pytest.approx(6 / 5)


QUICK_HAS_NONE = [
    name for name, c in CLAIMS.items() if name.startswith("column-signed-") and c.experiments[0] in ("table1", "fig2")
]


@pytest.mark.parametrize("claim", QUICK_HAS_NONE)
def test_what_a_profile_does_not_measure_is_undecided_and_says_so(judged, claim):
    """The quick profile times no column-signed circulant."""
    (experiment,) = CLAIMS[claim].experiments
    verdict = judged(claim, experiment, slow("rks"))
    assert (verdict.word, verdict.parts) == ("undecided", ())
    assert verdict.reason == f"This profile measures it nowhere in {experiment}; the paper profile does."


def one_worse(own, worse_kind, ratio=3.0, spread=0.03):
    """All variances are RKS's, but one map's at one kind of v."""
    of = lambda name, kind: ratio if (name, kind) == (own, worse_kind) else 1.0  # noqa: E731
    return variance.measured(of, spread=spread)


@pytest.mark.parametrize(
    ("claim", "points", "word"),
    [
        ("column-signed-unbiased", variance.measured(), "holds"),
        ("column-signed-unbiased", variance.measured(bias=lambda name, *_: 0.9 * (name == "column_signed")), "fails"),
        ("column-signed-variance-rks-random", one_worse("column_signed", "constant"), "holds"),
        ("column-signed-variance-rks-random", one_worse("column_signed", "random"), "fails"),
        ("column-signed-variance-at-most-rks", one_worse("column_signed", "random", 0.5), "holds"),
        ("column-signed-variance-at-most-rks", one_worse("column_signed", "optdigits"), "fails"),
        ("column-signed-variance-below-scrf-images", one_worse("scrf", "optdigits"), "holds"),
        ("column-signed-variance-below-scrf-images", one_worse("scrf", "random"), "fails"),
    ],
)
def test_variances_of_column_signs(judged, claim, points, word):
    assert judged(claim, "variance", points).word == word
