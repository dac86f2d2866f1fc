"""The variance experiment: estimates against plain inner products, ratios against formulas, and what it shows.

The statistical test goes through a cell as a run does. It allows 4 standard errors, estimated from 2,000 draws; squared
errors are skewed, so a fresh seed would fail one of its 24 comparisons about once in fifty runs. The seed is fixed.
"""

import csv
import math

import numpy as np
import pytest

from scrf_bench.errors import ConfigError, UnknownNameError
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import prepare, render_results
from scrf_bench.experiments.config import load_config
from scrf_bench.experiments.suite.directions import KINDS, base_point, data_directions, directions
from scrf_bench.experiments.suite.estimates import kernel_errors, moments
from scrf_bench.experiments.suite.formulas import formula
from scrf_bench.experiments.suite.variance import Variance, VarianceConfig
from scrf_bench.experiments.suite.variants import VARIANTS, variant
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.maps import MAPS, RandomFeatureMap, theory
from tests.experiments.tiny_study import run_cli, write_configs

CONFIG = """
    [quick]
    maps = ["rks", "scrf", "unsigned", "ocrf"]
    kinds = ["random", "constant"]
    s = [0.5, 1.0, 2.0]
    directions = 2
    places = [
      { d = 16, blocks = [1, 2], repetitions = 30, also = ["ocrf-circulant"] },
      { dataset = "ionosphere", blocks = [1], repetitions = 20, without = ["rks"] },
    ]
    batches = 5
    maps_per_cell = 4
    formula_work = 1e5
    table_s = 1.0
    figure_d = 16
    seed = 7
"""
NAMES = [*(name for name, kind in MAPS.items() if issubclass(kind, RandomFeatureMap)), *VARIANTS]


@pytest.fixture
def configs(tmp_path):
    return write_configs(tmp_path / "configs", variance=CONFIG)


@pytest.mark.parametrize("name", NAMES)
def test_estimates_are_inner_products_of_features(name):
    """One projection a draw serves every s and both embeddings: the same numbers as maps fitted for each."""
    d, F, lengths = 20, 30, (0.5, 2.5)
    V, x = directions("random", d, 3, 1), base_point(d, 1)
    errors = kernel_errors(variant(name), V, x, lengths, F, [4, 5])
    for embedding, columns in (("pair", 2 * F), ("phase", F)):
        for draw, seed in enumerate((4, 5)):
            fitted = variant(name).draw(columns, gamma=0.5, embedding=embedding, seed=seed).fit(V)
            for i, s in enumerate(lengths):
                estimate = fitted.transform(x - s * V) @ fitted.transform(x[np.newaxis])[0]
                expected = estimate - math.exp(-(s**2) / 2)
                np.testing.assert_allclose(errors[embedding][draw, i], expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("d", [16, 60])
def test_row_signs_change_no_estimate(d):
    """Pair embedding: SCRF and the circulants without signs agree draw by draw; phases absorb the signs instead."""
    V = np.vstack([directions(kind, d, 2, 1) for kind in KINDS])
    signed, unsigned = (
        kernel_errors(variant(name), V, base_point(d, 1), (0.5, 3.0), 3 * d, range(5)) for name in ("scrf", "unsigned")
    )
    np.testing.assert_allclose(signed["pair"], unsigned["pair"], rtol=0, atol=1e-11)
    assert np.abs(signed["phase"] - unsigned["phase"]).max() > 0.01


@pytest.mark.statistical
@pytest.mark.parametrize("name", ["scrf", "unsigned"])
def test_measured_ratios_are_those_of_the_formulas(name, tmp_path):
    """Constant v: d times RKS (pair), ``(1/2 + d q)/(1/2 + q)`` (phase); random v: ``1 + A/q`` and the like."""
    text = CONFIG.replace("repetitions = 30", "repetitions = 2000").replace("blocks = [1, 2]", "blocks = [1]")
    configs = write_configs(tmp_path, variance=text)
    config = load_config("variance", "quick", VarianceConfig, configs)
    cell, *_ = Variance().plan(config, Selection(maps=(name,)), Tuning(configs))
    d, found = 16, {(p.parameters["v"], p.parameters["s"]): p for p in Variance().measure(cell)}
    V = directions("random", d, 2, 7)
    for s in (0.5, 1.0, 2.0):
        q = (1 - math.exp(-(s**2))) ** 2 / 2
        for embedding, own in (("pair", 0.0), ("phase", 0.5)):
            excess = np.mean([theory.circulant_excess(s * v) for v in V])
            for kind, exact in (("constant", own + d * q), ("random", own + q + excess)):
                point = found[kind, s]
                assert abs(point.number(f"{embedding}_mse") - exact / d) < 4 * point.number(f"{embedding}_mse_se")
                assert abs(point.number(f"{embedding}_variance") - exact / d) < 4 * point.number(
                    f"{embedding}_variance_se"
                )
                assert abs(point.number(f"{embedding}_bias")) < 4 * point.number(f"{embedding}_bias_se")
                if embedding == "pair":
                    assert point.number("formula_mse") == pytest.approx(exact / d, rel=1e-7)


def test_moments_are_means_over_vectors_with_errors_over_draws():
    errors = np.random.default_rng(0).normal(0.3, 2.0, (40, 3))
    found, kept = moments(errors, batches=4)
    assert found["mse"] == pytest.approx((errors**2).mean(), rel=1e-7)
    assert found["variance"] == pytest.approx(errors.var(axis=0, ddof=1).mean(), rel=1e-7)
    assert found["bias"] == pytest.approx(errors.mean(), rel=1e-7)
    assert found["bias_se"] == pytest.approx(errors.mean(axis=1).std(ddof=1) / math.sqrt(40), rel=1e-7)
    assert found["mse_se"] == pytest.approx((errors**2).mean(axis=1).std(ddof=1) / math.sqrt(40), rel=1e-7)
    assert kept["mse"] == pytest.approx([(errors[i : i + 10] ** 2).mean() for i in (0, 10, 20, 30)], rel=1e-7)
    assert kept["bias"] == pytest.approx([errors[i : i + 10].mean() for i in (0, 10, 20, 30)], rel=1e-7)


@pytest.mark.statistical
def test_the_standard_error_of_a_mean_squared_error_is_right():
    """Over 400 samples of 50 normal draws it is within 10 % of the spread; the spread itself is known to 4 %."""
    errors = np.random.default_rng(1).normal(0.0, 1.0, (400, 50, 1))
    found = [moments(sample, 5)[0] for sample in errors]
    spread = np.std([f["mse"] for f in found])
    assert np.sqrt(np.mean([f["mse_se"] ** 2 for f in found])) == pytest.approx(spread, rel=0.1)


def test_directions_are_unit_vectors_of_their_kind():
    for kind in KINDS:
        V = directions(kind, 16, 3, 1)
        assert V.shape == ((3, 16) if kind == "random" else (1, 16))
        np.testing.assert_allclose(np.linalg.norm(V, axis=1), 1.0, rtol=1e-12)
    assert np.flatnonzero(directions("half_shift", 16, 1, 1)).tolist() == [0, 8]
    assert np.flatnonzero(directions("every_4th", 16, 1, 1)).tolist() == [0, 4, 8, 12]
    assert (directions("random", 16, 3, 1)[:2] == directions("random", 16, 3, 1)[:2]).all()
    X = np.array([[1.0, 2.0], [1.0, 2.0], [4.0, 6.0]])
    np.testing.assert_allclose(np.abs(data_directions("x", X, 5, 1)), [[0.6, 0.8]] * 5)


def test_formulas_know_the_variants():
    v, F = 1.2 * directions("ramp", 16, 1, 1)[0], 16
    assert formula(variant("scrf"), v, F, 1e6) == formula(variant("unsigned"), v, F, 1e6)
    assert formula(variant("ocrf"), v, F, 1e6) == formula(variant("orf"), v, F, 1e6)
    assert formula(variant("qmc"), v, F, 1e6) is None
    assert formula(variant("sorf"), v, F, 100.0) is None
    assert formula(variant("ocrf-circulant"), v, F, 1e4) is None
    with_s, without = (formula(variant(name), v, F, 1e6).variance for name in ("fastfood", "fastfood-no-S"))
    assert with_s == pytest.approx(theory.fastfood_variance(v, F, n_draws=100)[0])
    assert without == pytest.approx(theory.unscaled_fastfood_variance(v, F, n_draws=100)[0])
    order, fresh, shared = (
        formula(variant(name), v, 64 * 16, 1e7).variance
        for name in ("ocrf-no-radial", "ocrf-order-d", "ocrf-shared-signs")
    )
    assert order == pytest.approx(
        theory.ocrf_moments(v, 1024, order=64, blocks_per_group=16, radial=False, n_draws=100).variance
    )
    assert fresh == pytest.approx(theory.ocrf_moments(v, 1024, order=16, blocks_per_group=16, n_draws=100).variance)
    assert shared == pytest.approx(theory.ocrf_moments(v, 1024, order=16, blocks_per_group=64, n_draws=100).variance)


def test_a_run_shows_ratios_formulas_and_figures(tmp_path, configs):
    result = run_cli("run", "variance", "--configs", configs, "--results", tmp_path)
    assert result.exit_code == 0, result.output
    folder = tmp_path / "quick" / "variance"
    assert {path.name for path in folder.glob("*.png")} == {"figure-pair.png", "figure-phase.png", "figure-ocrf.png"}
    with (folder / "records.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    # 5 maps, 2 numbers of blocks, 2 kinds; 3 maps on the dataset; 3 lengths.
    assert len(rows) == (5 * 2 * 2 + 3) * 3
    where = {"map": "scrf", "v": "constant", "blocks": "1", "s": "1.0"}
    (row,) = [row for row in rows if where.items() <= row.items()]
    rks = (1 - math.exp(-1)) ** 2 / 2 / 16
    with (folder / "table-pair.csv").open(newline="") as stream:
        table = list(csv.DictReader(stream))
    shown = next(line for line in table if line["map"] == "SCRF")
    assert float(shown["constant"]) == pytest.approx(float(row["pair_mse"]) / rks)
    with (folder / "table-points.csv").open(newline="") as stream:
        table = list(csv.DictReader(stream))
    shown = next(line for line in table if (line["map"], line["v"]) == ("SCRF", "constant, d = 16, 2 blocks"))
    assert float(shown["pair_formula"]) == pytest.approx(16, rel=1e-6)
    q = 16 * rks
    assert float(shown["phase_formula"]) == pytest.approx((0.5 + 16 * q) / (0.5 + q), rel=1e-6)
    assert {line["map"] for line in table if line["v"].startswith("ionosphere")} == {
        "SCRF",
        "unsigned circulant",
        "OCRF",
    }
    # Nothing to run again, and nothing is lost when it is rendered from records.
    again = run_cli("report", "variance", "--configs", configs, "--results", tmp_path)
    assert "constant" in again.output


def test_a_map_by_name_and_fewer_repetitions(tmp_path, configs):
    prepared = prepare("variance", Selection(maps=("orf",), seeds=3), results=tmp_path, configs=configs)
    assert [cell.parameters["maps"] for cell in prepared.cells] == [["orf"], ["orf"]]
    assert all(cell.parameters["repetitions"] == cell.parameters["batches"] == 3 for cell in prepared.cells)
    _, _, paths = render_results(prepared, ["markdown"])
    assert "n/a" in next(path for path in paths if path.name == "table-pair.md").read_text()


def test_datasets_alone(tmp_path, configs):
    prepared = prepare("variance", Selection(datasets=("ionosphere",)), results=tmp_path, configs=configs)
    assert [cell.dataset for cell in prepared.cells] == ["ionosphere"]
    with pytest.raises(UnknownNameError, match="has no such dataset; it has ionosphere"):
        prepare("variance", Selection(datasets=("dna",)), results=tmp_path, configs=configs)


@pytest.mark.parametrize("name", ["nonsense", "nystroem"])
def test_what_has_no_random_frequencies_is_refused(tmp_path, configs, name):
    with pytest.raises(UnknownNameError, match=name):
        prepare("variance", Selection(maps=(name,)), results=tmp_path, configs=configs)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"constant"]', '"constnat"]', "no kind of v 'constnat'"),
        ("table_s = 1.0", "table_s = 1.1", "table_s is 1.1, which is none of s"),
        ("batches = 5", "batches = 25", "there are 25 batches"),
        ("{ d = 16, ", '{ d = 16, dataset = "dna", ', "either d or dataset"),
        ('"ocrf-circulant"', '"ocrf-circular"', "ocrf-circular"),
    ],
)
def test_faults_of_the_config_are_named(tmp_path, old, new, words):
    assert old in CONFIG
    configs = write_configs(tmp_path / "configs", variance=CONFIG.replace(old, new))
    with pytest.raises((ConfigError, UnknownNameError), match=words):
        prepare("variance", Selection(), results=tmp_path, configs=configs)
