"""Figure 3 with every map: what is planned first, what a cell measures, and what the table says of it."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure as Canvas

from scrf_bench.datasets import load
from scrf_bench.errors import ConfigError
from scrf_bench.experiments import experiment_by_name
from scrf_bench.experiments.accuracy_curves import mean_times, pareto_front, points_of
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import prepare
from scrf_bench.experiments.classification import map_metrics
from scrf_bench.experiments.config import load_config
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.report import NotMeasured
from tests.experiments.made_up import accuracies, made_up_configs, made_up_records
from tests.experiments.tiny_study import CONFIGS, write_configs

NAME = "fig3-maps"


@pytest.fixture
def tiny(tmp_path):
    return prepare(NAME, Selection(), results=tmp_path, configs=write_configs(tmp_path / "configs"))


def test_the_cells_that_matter_most_come_first():
    """mnist and cifar10_subset at D = 256 and 1,024, seed by seed: RKS, SCRF and its two repairs before the others."""
    experiment = experiment_by_name(NAME)
    config = load_config(NAME, "paper", experiment.config_type)
    cells = experiment.plan(config, Selection(maps=("rks", "scrf", "column_signed", "ocrf")), Tuning())
    first = [(c.dataset, c.parameters["method"], c.parameters["seeds"]) for c in cells[:80]]
    assert first == [
        (data, name, [seed])
        for data in ("mnist", "cifar10_subset")
        for seed in range(10)
        for name in ("rks", "scrf", "column_signed", "ocrf")
    ]
    assert {tuple(c.parameters["components"]) for c in cells[:80]} == {(256, 1024)}
    assert config.maps[:4] == ("rks", "scrf", "column_signed", "ocrf")


def test_exact_kernels_see_every_split_and_subsample(tmp_path):
    experiment = experiment_by_name(NAME)
    config = load_config(NAME, "paper", experiment.config_type)
    cells = experiment.plan(config, Selection(maps=("control", "libsvm")), Tuning())
    seeds = {}
    for cell in cells:
        seeds.setdefault((cell.dataset, cell.parameters["method"]), []).append(cell.parameters["seed"])
    # mnist trains on random rows; dna has an official split.
    assert seeds["mnist", "control"] == seeds["mnist", "libsvm"] == list(range(10))
    assert seeds["dna", "control"] == [0]


def test_a_cell_tunes_the_map_that_it_tests(tiny):
    """Each point is the map of its seed and D at the C and gamma of its own search, which lie on the declared grid."""
    cell = next(c for c in tiny.cells if c.parameters.get("seeds") == [1] and c.parameters["method"] == "scrf")
    points = tiny.experiment.measure(cell)
    assert [(p.parameters["seed"], p.parameters["D"]) for p in points] == [(1, 32), (1, 16)]
    data = load("ionosphere", scaling="none", split_seed=1)
    for point in points:
        assert (point.metrics["log2_C"], point.metrics["log2_gamma"]) in {(C, g) for C in (-1, 3) for g in (-4, -2)}
        assert point.metrics["cv_rows"] == 60
        again = map_metrics(
            cell.parameters, data, point.parameters["D"], 1, point.metrics["log2_C"], point.metrics["log2_gamma"]
        )
        assert again["predictions_sha256"] == point.metrics["predictions_sha256"]


def test_nystroem_learns_its_landmarks_from_all_training_rows(tiny):
    """More landmarks than the search has rows: the search may not shrink the map that is tested."""
    (cell, *_) = (c for c in tiny.cells if "seeds" in c.parameters)
    wide = replace(cell, parameters={**cell.parameters, "method": "nystroem", "components": [100]})
    (point,) = tiny.experiment.measure(wide)
    assert point.metrics["accuracy"] > 0.6


def laid_out(tmp_path, points, wanted=lambda _: True):
    """Return the table's rows, the layout, and the points that both were made of."""
    configs = made_up_configs(tmp_path / "configs")
    made_up_records(NAME, tmp_path, configs, points, wanted)
    plan = prepare(NAME, Selection(), results=tmp_path, configs=configs)
    records = [record for record in plan.store.all() if record.ok]
    layout = plan.experiment.layout(plan.config, records, plan.selection)
    rows = {(row["dataset"], row["D"], row["method"]): row for row in layout.tables[0].rows}
    return rows, layout, [point for record in records for point in record.points]


def test_the_table_compares_with_rks_and_the_exact_kernel(tmp_path):
    of = {"scrf": 0.88, "control": 0.95, "rks": 0.9}
    rows, layout, _ = laid_out(tmp_path, accuracies(lambda method, _: of.get(method, 0.92), spread=0.0))
    scrf = rows["dna", 16, "SCRF"]
    assert scrf["accuracy"].mean == pytest.approx(88.0)
    assert scrf["excess"].mean == pytest.approx(7.0)
    assert rows["dna", 16, "RKS"]["against"] == "–"
    assert rows["dna", 16, "OCRF"]["against"] == "+2.00"
    assert rows["dna", "–", "exact, 1-vs-rest"]["excess"].mean == 0.0
    # Four stages of about a second each.
    assert scrf["total"] == pytest.approx(4.0, rel=0.05)
    assert [figure.name for figure in layout.figures] == ["accuracy", "time"]


def test_the_difference_has_the_interval_of_its_pairs(tmp_path):
    """Four pairs: the mean +- t(0.95; 3) = 2.353 standard errors of the differences."""
    rows, _, points = laid_out(tmp_path, accuracies(lambda method, _: 0.88 if method == "scrf" else 0.9, spread=0.003))
    of = {name: points_of(points, "dna", name) for name in ("scrf", "rks")}
    differences = [100 * (of["scrf"][32, i].number("accuracy") - of["rks"][32, i].number("accuracy")) for i in range(4)]
    mean, reach = np.mean(differences), 2.3534 * np.std(differences, ddof=1) / 2
    assert rows["dna", 32, "SCRF"]["against"] == f"{mean:+.2f} [{mean - reach:+.2f}, {mean + reach:+.2f}]"


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (lambda p: p["method"] != "control", "has not been run on ionosphere"),
        (lambda p: p["method"] != "control" or p["seed"] in (0, 2), "lacks some of the seeds on ionosphere"),
    ],
)
def test_an_unknown_excess_says_what_would_give_it(tmp_path, wanted, words):
    """ionosphere has no official split: the exact kernel of another seed is none to compare with."""
    rows, _, _ = laid_out(tmp_path, accuracies(lambda *_: 0.9), lambda cell: wanted(cell.parameters))
    unknown = rows["ionosphere", 16, "SCRF"]["excess"]
    assert isinstance(unknown, NotMeasured)
    assert words in unknown.reason
    assert "scrf-bench run fig3-maps --maps control --datasets ionosphere" in unknown.reason


def drawn(layout, name):
    """Draw one of the figures; return its panels by title."""
    (figure,) = (figure for figure in layout.figures if figure.name == name)
    canvas = Canvas(figsize=(figure.width, figure.height))
    figure.draw(canvas)
    return {ax.get_title(): ax for ax in canvas.axes if ax.get_title()}


def test_a_map_with_some_of_its_seeds_beats_nobody(tmp_path):
    """The best map of all, but with two of four seeds: hollow, and the front is that of the others."""
    of = {"scrf": 0.99, "ocrf": 0.95}
    rows, layout, _ = laid_out(
        tmp_path,
        accuracies(lambda method, _: of.get(method, 0.9), spread=0.0),
        lambda cell: cell.parameters["method"] != "scrf" or cell.parameters["seeds"] == [0, 1],
    )
    fronts = {(method, D) for (data, D, method), row in rows.items() if data == "dna" and row["front"] == "yes"}
    assert "OCRF" in {method for method, _ in fronts}
    assert "SCRF" not in {method for method, _ in fronts}
    ax = drawn(layout, "time")["dna"]
    hollow = [line for line in ax.lines if line.get_markerfacecolor() == "none" and len(line.get_xdata())]
    assert [list(line.get_ydata()) for line in hollow] == [pytest.approx([99.0] * 3)]
    (front,) = (line for line in ax.lines if line.get_label().startswith("front"))
    assert max(front.get_ydata()) == pytest.approx(95.0)


def test_a_single_map_has_no_front(tmp_path):
    rows, layout, _ = laid_out(tmp_path, accuracies(lambda *_: 0.9), lambda cell: cell.parameters["method"] == "rks")
    assert {row["front"] for row in rows.values()} == {""}
    panels = drawn(layout, "time")
    assert set(panels) == {"ionosphere: 1 of 5 maps so far", "dna: 1 of 5 maps so far"}
    assert not any(line.get_label().startswith("front") for ax in panels.values() for line in ax.lines)
    assert set(drawn(layout, "accuracy")) == set(panels)


def test_the_front_has_what_nothing_beats():
    places = {("a", 1): (1.0, 80.0), ("a", 2): (2.0, 85.0), ("b", 1): (2.0, 84.0), ("b", 2): (1.5, 80.0)}
    assert pareto_front(places) == [("a", 1), ("a", 2)]
    assert pareto_front({}) == []


def test_mean_times_add_up_every_stage_that_a_method_has(tmp_path):
    _, _, points = laid_out(tmp_path, accuracies(lambda *_: 0.9, lambda *_: 2.0, spread=0.0))
    found = mean_times(points, "dna")
    # Exact LIBSVM maps nothing: three stages.
    assert found["libsvm", 0][0] == pytest.approx(6.0, rel=0.05)
    assert found["scrf", 16][0] == pytest.approx(8.0, rel=0.05)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('images = ["ionosphere"]', 'images = ["dna"]', "images has dna, which is not in datasets"),
        ("low_components = [16]", "low_components = [17]", "low_components has 17, which is not in components"),
    ],
)
def test_parts_of_nothing_are_refused(tmp_path, old, new, words):
    folder = write_configs(tmp_path, **{NAME: CONFIGS[NAME].replace(old, new)})
    with pytest.raises(ConfigError, match=words):
        load_config(NAME, "quick", experiment_by_name(NAME).config_type, folder)
