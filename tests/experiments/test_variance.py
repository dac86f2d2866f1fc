"""The variance experiment: estimates against plain inner products, ratios against formulas, and what it shows.

The statistical test goes through a cell as a run does. It allows 4 standard errors, estimated from 2,000 draws; squared
errors are skewed, so a fresh seed would fail one of its 24 comparisons about once in fifty runs. The seed is fixed.
"""

import csv
import math
import zlib

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

from scrf_bench.bench import Record
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
from tests.bench.fake_plan import ENVIRONMENT
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


SHAPES = {
    "one_hot": np.eye(16)[0],
    "constant": np.full(16, 0.25),
    "alternating": np.resize([0.25, -0.25], 16),
    "ramp": np.arange(1, 17) / math.sqrt(16 * 17 * 33 / 6),
    "half_shift": (np.eye(16)[0] + np.eye(16)[8]) / math.sqrt(2),
    "every_4th": np.resize([0.5, 0, 0, 0], 16),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_a_kind_of_v_is_the_vector_that_it_names(kind):
    assert set(KINDS) == {"random", *SHAPES}
    np.testing.assert_allclose(directions(kind, 16, 3, 1), [SHAPES[kind]], rtol=0, atol=1e-15)


def test_random_directions_are_those_of_their_seed():
    """Normal vectors of numpy's generator, keyed by the kind, d and the seed: the same in every process."""
    Z = np.random.default_rng([zlib.crc32(b"random"), 16, 1]).standard_normal((3, 16))
    V = directions("random", 16, 3, 1)
    np.testing.assert_allclose(V, Z / np.linalg.norm(Z, axis=1, keepdims=True), rtol=1e-12)
    assert np.abs(V - directions("random", 16, 3, 2)).min() > 0


def test_data_directions_are_differences_of_different_rows():
    """Rows 0 and 1 are equal, so that only their difference from row 2 is left, in either order."""
    X = np.array([[1.0, 2.0], [1.0, 2.0], [4.0, 6.0]])
    V = data_directions("x", X, 20, 1)
    assert {tuple(np.round(v, 12)) for v in V} == {(0.6, 0.8), (-0.6, -0.8)}


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


@pytest.mark.parametrize(
    ("F", "over_orf", "over_rks"), [(128, (0.99, 1.14), (0.02, 1.01)), (64, (0.99, 22.0), (0.51, 1.01))]
)
def test_ocrf_gains_with_whole_blocks_what_its_docstring_says(F, over_orf, over_rks):
    """Order 128 at d = 64: like ORF of its own order with a whole block; with half of one far above ORF of order d."""
    d, ratios = 64, []
    for kind, s in (("half_shift", 1.0), ("half_shift", 1.5), ("ramp", 0.25), ("ramp", 0.5), ("every_4th", 3.0)):
        exact = formula(variant("ocrf"), s * directions(kind, d, 1, 1)[0], F, 5e6)
        mse = exact.variance + (exact.mean - math.exp(-(s**2) / 2)) ** 2
        orf = theory.orf_moments(s, max(d, F), F)
        ratios.append((mse / orf.variance, mse / theory.rks_variance(s, F)))
        assert abs(exact.mean - math.exp(-(s**2) / 2)) < 0.06 * math.sqrt(exact.variance)
    for found, (low, high) in zip(zip(*ratios, strict=True), (over_orf, over_rks), strict=True):
        assert low < min(found) <= max(found) < high
    # The bounds are no mere room: the worst case comes close.
    assert max(over for over, _ in ratios) > 0.85 * over_orf[1]


def read(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_run_shows_measured_ratios_beside_formulas(tmp_path, configs):
    """What the tables print is the mean over draws made here, over the formula written out here."""
    result = run_cli("run", "variance", "--configs", configs, "--results", tmp_path)
    assert result.exit_code == 0, result.output
    folder = tmp_path / "quick" / "variance"
    # 5 maps, 2 numbers of blocks, 2 kinds; 3 maps on the dataset; 3 lengths.
    assert len(read(folder / "records.csv")) == (5 * 2 * 2 + 3) * 3
    d, rks = 16, {"pair": (1 - math.exp(-1)) ** 2 / 2, "phase": 0.5 + (1 - math.exp(-1)) ** 2 / 2}
    V, x = directions("constant", d, 1, 7), base_point(d, 7)
    for blocks in (1, 2):
        errors = kernel_errors(variant("scrf"), V, x, (1.0,), blocks * d, range(7, 37))
        for embedding in ("pair", "phase"):
            ratio = np.mean(errors[embedding] ** 2) / (rks[embedding] / (blocks * d))
            where = {"map": "SCRF", "place": f"d = 16, {blocks} block{'s' if blocks > 1 else ''}"}
            (row,) = (row for row in read(folder / f"table-{embedding}.csv") if where.items() <= row.items())
            assert float(row["constant"]) == pytest.approx(ratio, rel=1e-6)
    points = {(row["map"], row["v"]): row for row in read(folder / "table-points.csv")}
    assert len(points) == 5 * 2 + 3
    assert {name for name, v in points if v == "ionosphere, d = 34, 1 block"} == {"SCRF", "Circulant, no signs", "OCRF"}
    shown = points["SCRF", "constant, d = 16, 2 blocks"]
    assert float(shown["pair_formula"]) == pytest.approx(16, rel=1e-6)
    assert float(shown["phase_formula"]) == pytest.approx((0.5 + 16 * rks["pair"]) / rks["phase"], rel=1e-6)
    # What is rendered from records alone is the same to the byte, the pictures too.
    files = {path.name: path.read_bytes() for path in folder.glob("[tf]*.*")}
    assert {name for name in files if name.endswith(".png")} == {
        "figure-pair.png",
        "figure-phase.png",
        "figure-ocrf.png",
    }
    for name in files:
        (folder / name).unlink()
    assert run_cli("report", "variance", "--configs", configs, "--results", tmp_path).exit_code == 0
    assert {path.name: path.read_bytes() for path in folder.glob("[tf]*.*")} == files


def measured(tmp_path, configs, **selection):
    """Lay out records of cells that are measured in this process."""
    prepared = prepare("variance", Selection(**selection), results=tmp_path, configs=configs)
    for cell in prepared.cells:
        prepared.store.add(
            Record(
                cell,
                ENVIRONMENT,
                1,
                "ok",
                tuple(prepared.experiment.measure(cell)),
                started="2026-11-30T00:00:00.000+00:00",
            )
        )
    layout, _, _ = render_results(prepared, [])
    return layout


def test_figures_call_maps_what_tables_call_them(tmp_path, configs):
    """And draw a panel a kind of v, formulas as lines: for SCRF and constant v that is d at every s."""
    layout = measured(tmp_path, configs, seeds=4)
    tables = {table.name: table for table in layout.tables}
    names = {row["map"] for row in tables["points"].rows}
    for figure in layout.figures:
        canvas = Canvas(figsize=(figure.width, figure.height))
        figure.draw(canvas)
        (legend,) = canvas.legends
        assert {text.get_text() for text in legend.get_texts()} <= names, figure.name
        panels = {ax.get_title(): ax for ax in canvas.axes if ax.get_title()}
        assert {"random, d = 16, 2 blocks", "constant, d = 16, 2 blocks"} <= set(panels)
        assert ("ionosphere, d = 34, 1 block" in {t.replace("one", "1") for t in panels}) == (figure.name != "ocrf")
        if figure.name == "pair":
            drawn = [list(line.get_ydata()) for line in panels["constant, d = 16, 2 blocks"].lines]
            assert pytest.approx([16.0] * 3) in drawn


def test_the_table_says_whose_blocks_are_cut_off(tmp_path, configs):
    """OCRF's circulants have order 64 at d = 16: one or two blocks of d are a quarter or half of one of its own."""
    (note,) = (note for note in measured(tmp_path, configs, seeds=2).tables[0].notes if "whole block" in note)
    assert "d = 16, 1 block (16 of 64 frequencies): 'OCRF, never dense'" in note
    assert "d = 16, 2 blocks (32 of 64 frequencies): 'OCRF, never dense'" in note
    assert "'OCRF'" not in note


def test_a_single_draw_has_no_error_and_no_variance(tmp_path, configs):
    layout = measured(tmp_path, configs, datasets=("ionosphere",), maps=("scrf", "ocrf"), seeds=1)
    points, checks = layout.tables
    for row in points.rows:
        assert (row["pair_ratio"].se, row["pair_ratio"].n, row["pair_bias"]) == (None, 1, None)
        assert row["pair_ratio"].mean > 0
    # No error, and so no number of errors that it is off.
    assert {row["pair_within"] for row in checks.rows} == {"–"}


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
