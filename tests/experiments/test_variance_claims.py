"""The claims about bias and variance, on records of known truth."""

import zlib

import numpy as np
import pytest

from scrf_bench.bench import Point
from scrf_bench.experiments.suite.estimates import EMBEDDINGS, rks_variance
from scrf_bench.experiments.verdicts import Court, declared_claims
from tests.experiments.made_up import CONFIGS, made_up_configs, made_up_records

CLAIMS = {claim.id: claim for claim in declared_claims()}
CONFIG = """
    [quick]
    maps = ["rks", "scrf", "unsigned", "fastfood", "fastfood-no-S", "ocrf"]
    kinds = ["random", "constant"]
    s = [0.5, 2.0]
    directions = 2
    places = [
      { d = 16, blocks = [1, 2], repetitions = 100 },
      { dataset = "ionosphere", blocks = [1], repetitions = 100 },
    ]
    batches = 10
    maps_per_cell = 9
    formula_work = 1e5
    table_s = 0.5
    figure_d = 16
    seed = 7
"""


def measured(ratio=lambda name, kind: 1.0, bias=lambda name, kind, s: 0.0, spread=0.05, twins=()):
    """Mean squared errors ``ratio * RKS's`` with a relative spread over batches; biases in standard deviations."""

    def points(cell, rng):
        p = cell.parameters
        for name in p["maps"]:
            for blocks in p["blocks"]:
                for kind in p["kinds"]:
                    for s in p["s"]:
                        metrics, samples = {"repetitions": p["repetitions"], "formula_mse_se": 0.0}, {}
                        # Twins are the same draws.
                        key = f"{twins[0] if name in twins else name} {blocks} {kind} {s}"
                        draws = np.random.default_rng(zlib.crc32(key.encode()))
                        for embedding in EMBEDDINGS:
                            value = ratio(name, kind) * rks_variance(s, blocks * p["d"], embedding)
                            batches = value * np.exp(draws.normal(0.0, spread, p["batches"]))
                            biases = np.sqrt(value) * (bias(name, kind, s) + draws.normal(0.0, spread, p["batches"]))
                            samples |= {f"{embedding}_mse": list(batches), f"{embedding}_bias": list(biases)}
                            for metric in ("mse", "variance"):
                                metrics |= {f"{embedding}_{metric}": value, f"{embedding}_{metric}_se": 0.01 * value}
                            metrics |= {f"{embedding}_bias": 0.0, f"{embedding}_bias_se": 1.0}
                        metrics["formula_mse"] = metrics["pair_mse"]
                        yield Point({"map": name, "d": p["d"], "blocks": blocks, "v": kind, "s": s}, metrics, samples)

    return points


@pytest.fixture
def judged(tmp_path):
    """Return a function that makes records up and judges a claim from them."""

    def judge(claim, points, wanted=lambda _: True):
        claims = CONFIGS["claims"].replace("fig1 = 12", "fig1 = 12, variance = 10")
        folder = made_up_configs(tmp_path / "configs", variance=CONFIG, claims=claims)
        made_up_records("variance", tmp_path / "results", folder, points, wanted)
        return Court(tmp_path / "results", "quick", folder).judge(CLAIMS[claim]).verdict

    return judge


def circulant(name, kind):
    return 16.0 if name in ("scrf", "unsigned") and kind == "constant" else 1.0


@pytest.mark.parametrize(
    ("claim", "points", "word"),
    [
        ("scrf-unbiased", measured(), "holds"),
        ("scrf-unbiased", measured(bias=lambda *_: 0.5), "fails"),
        ("scrf-unbiased", measured(spread=2.0), "undecided"),
        ("scrf-variance-rks-random", measured(spread=0.03), "holds"),
        ("scrf-variance-rks-random", measured(circulant, spread=0.03), "holds"),
        ("scrf-variance-rks-random", measured(lambda name, kind: 1.6), "fails"),
        ("scrf-variance-rks", measured(spread=0.03), "holds"),
        ("scrf-variance-rks", measured(circulant), "fails"),
        ("scrf-variance-rks", measured(spread=1.0), "undecided"),
        ("scrf-variance-below-fastfood", measured(lambda name, kind: 2.0 if name == "fastfood" else 1.0), "holds"),
        ("scrf-variance-below-fastfood", measured(), "fails"),
        ("scrf-variance-below-fastfood-no-S", measured(lambda name, kind: 2.0 if "no-S" in name else 1.0), "holds"),
        ("scrf-variance-below-fastfood-no-S", measured(circulant), "fails"),
        ("scrf-variance-below-fastfood-no-S-random", measured(lambda name, kind: 2.0 if "S" in name else 1.0), "holds"),
        ("scrf-row-signs-lower-variance", measured(lambda name, kind: 2.0 if name == "unsigned" else 1.0), "holds"),
        ("scrf-row-signs-lower-variance", measured(twins=("scrf", "unsigned")), "fails"),
        ("scrf-row-signs-lower-variance", measured(), "fails"),
        ("ocrf-unbiased", measured(), "holds"),
        ("ocrf-variance-below-rks", measured(lambda name, kind: 0.5), "holds"),
        ("ocrf-variance-below-rks", measured(), "fails"),
        ("ocrf-variance-at-most-rks", measured(spread=0.03), "holds"),
        ("ocrf-variance-at-most-rks", measured(lambda name, kind: 1.5), "fails"),
        ("ocrf-variance-below-scrf", measured(circulant), "fails"),
        ("ocrf-variance-below-scrf", measured(lambda name, kind: 1.0 if name == "ocrf" else 3.0), "holds"),
        ("ocrf-variance-below-fastfood", measured(lambda name, kind: 1.0 if name == "ocrf" else 3.0), "holds"),
        ("ocrf-variance-below-fastfood-no-S", measured(lambda name, kind: 1.0 if name == "ocrf" else 3.0), "holds"),
    ],
)
def test_truth_both_ways(judged, claim, points, word):
    assert judged(claim, points).word == word


def test_the_failure_says_for_which_v_and_what_the_formula_gives(judged):
    verdict = judged("scrf-variance-rks", measured(circulant, spread=0.03))
    assert verdict.reason.startswith("Fails for constant v, d = 16, 1 block, pair, exact: 16; ")
    words = {part.finding.label.split(", exact")[0]: part.word for part in verdict.parts}
    assert words["random v, d = 16, 2 blocks, pair"] == "holds"
    assert words["ionosphere v, d = 34, 1 block, phase"] == "holds"
    assert len(words) == (2 * 2 + 1) * 2
    assert verdict.headline.estimate == pytest.approx(16, rel=0.1)


@pytest.mark.parametrize(
    "bias",
    [
        lambda name, kind, s: 0.7 if s == 2.0 else -0.7,
        lambda name, kind, s: 0.7 if kind == "random" else -0.7,
        lambda name, kind, s: 0.7 if (kind, s) == ("constant", 2.0) else 0.0,
    ],
    ids=["cancels over s", "cancels over v", "one v and s"],
)
def test_no_bias_hides_behind_another(judged, bias):
    """Of opposite signs, or at one place of many: each v and each s is judged by itself."""
    verdict = judged("scrf-unbiased", measured(bias=bias))
    assert verdict.word == "fails"
    assert abs(verdict.headline.estimate) == pytest.approx(0.7, abs=0.1)
    assert verdict.headline.unit == "sd"
    assert len(verdict.parts) == (2 * 2 + 1) * 2 * 2


def test_a_batch_is_called_what_it_is(judged):
    verdict = judged("scrf-variance-rks", measured(spread=1.0))
    assert verdict.need.of == verdict.headline.of == "batches of 10 draws"
    assert verdict.needed > 10


def test_equal_draws_are_counted_and_not_tested(judged):
    verdict = judged("scrf-row-signs-lower-variance", measured(twins=("scrf", "unsigned")))
    assert {part.finding.method for part in verdict.parts} == {"counted"}
    assert verdict.headline.estimate == 1.0


def test_what_was_not_measured_is_named(judged):
    verdict = judged("scrf-variance-rks-random", measured(spread=0.03), lambda cell: cell.dataset is not None)
    assert verdict.word == "undecided"
    assert verdict.reason.startswith("Not measured: random v, d = 16, 1 block, pair")
