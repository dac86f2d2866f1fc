"""Cosplay: the recipe's steps against plain formulas, plans, tables of whatever there is, and its claims both ways."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from scrf_bench.bench import Point, Record, run_cell
from scrf_bench.datasets import load
from scrf_bench.errors import ConfigError
from scrf_bench.experiments import experiment_by_name
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import chosen_records, lay_out, prepare, render_results
from scrf_bench.experiments.cosplay.cells import held_out_rows, measure_recipe, recipe_cell
from scrf_bench.experiments.cosplay.published import paper_figure
from scrf_bench.experiments.cosplay.recipe import (
    LogisticSettings,
    Setting,
    logistic_penalty,
    median_gamma,
    principal_axes,
)
from scrf_bench.experiments.verdicts import Court, load_settings
from scrf_bench.learners import LogisticClassifier
from scrf_bench.maps import RKS
from scrf_bench.report import reported_figures
from tests.bench.fake_plan import ENVIRONMENT
from tests.experiments.made_up import made_up_records

LOGISTIC = LogisticSettings(prior=4.2813, prior_reading="precision", iterations=60, features_gb=1.0)
TINY = "{ prior = 4.2813, prior_reading = 'precision', iterations = 20, features_gb = 1.0 }"
CONFIGS = {
    "cosplay": f"""
        [quick]
        dataset = "optdigits"
        pca = 8
        components = 24
        bandwidth_rows = 50
        logistic = {TINY}
        recipe_seeds = 2
        maps = ["rks", "scrf"]
        sweep_components = [16, 24]
        pixels = true
        seeds = 1
        points_per_cell = 2
    """,
    "cosplay_front": f"""
        [quick]
        dataset = "optdigits"
        C = 4.0
        gamma = 0.1
        bandwidth_rows = 50
        logistic = {TINY}
        exact_runs = 2
        share = 0.1
        held_out = 3000
        rows = [
          {{ learner = "logistic", map = "rks", D = 24, pca = 8, seeds = 2 }},
          {{ learner = "ridge", map = "ocrf", D = 32, gamma = 0.1, alphas = [0.3] }},
        ]
        choices = [
          {{ learner = "ridge", map = "ocrf", D = 32, gamma = 0.1, alphas = [0.1, 0.3] }},
          {{ learner = "logistic", map = "rks", D = 24, pca = 8, iterations = 10 }},
        ]
    """,
    "claims": """
        [quick]
        alpha = 0.05
        power = 0.8
        least_runs = 2
        process_sd = 0.03
        sample_sizes = { cosplay = 2, cosplay-front = 2 }

        [quick.margins]
        variance_ratio = 0.10
        error_ratio = 0.05
        accuracy_points = 0.5
        time_ratio = 0.10
        storage_ratio = 0.10
        error_exponent = 0.05
        time_exponent = 0.15
    """,
}
NAMES = ("cosplay", "cosplay-front")


@pytest.fixture(scope="module")
def configs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cosplay-configs")
    for name, text in CONFIGS.items():
        (folder / f"{name.replace('_', '-')}.toml").write_text(text)
    return folder


@pytest.fixture(scope="module")
def outcomes(configs):
    """Every cell of both experiments, measured once in this process."""
    done = {}
    for name in NAMES:
        for cell in plan(name, configs):
            done[cell.id] = run_cell(cell, experiment_by_name(name).measure)
            assert done[cell.id].status == "ok", done[cell.id].traceback
    return done


def plan(name, configs, **selection):
    return prepare(name, Selection(**selection), configs=configs).cells


def filled(name, configs, folder, outcomes, wanted=lambda _: True, **selection):
    """An experiment with the records of the wanted cells."""
    prepared = prepare(name, Selection(**selection), results=folder, configs=configs)
    for cell in filter(wanted, prepared.cells):
        started = "2026-11-30T00:00:00.000+00:00"
        prepared.store.add(Record(cell, ENVIRONMENT, 1, "ok", outcomes[cell.id].points, started=started))
    return prepared


@pytest.fixture(scope="module")
def digits():
    return load("optdigits", scaling="max", dtype=np.float32)


# The recipe's steps


def test_axes_are_those_of_the_uncentred_svd(digits):
    X = digits.X_train[:500].astype(np.float64)
    axes = principal_axes(X, 6)
    singular, right = np.linalg.svd(X, full_matrices=False)[1:]
    np.testing.assert_allclose(np.abs(np.sum(axes * right[:6].T, axis=0)), 1.0, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(X @ axes, axis=0), singular[:6], rtol=1e-10)
    # Centring would throw the first one away, which is nearly the mean image.
    mean = X.mean(axis=0)
    assert abs(mean @ axes[:, 0]) > 0.9 * np.linalg.norm(mean)


def test_axes_keep_float32_and_refuse_what_is_not_there(digits):
    assert principal_axes(digits.X_train, 3).dtype == np.float32
    with pytest.raises(ValueError, match="pca=65: rows of 64"):
        principal_axes(digits.X_train, 65)


def test_the_bandwidth_is_the_median_over_all_pairs_and_each_with_itself(digits):
    X = digits.X_train[:41]
    expected = 0.5 / np.median(cdist(X, X, "sqeuclidean"))
    assert median_gamma(X, 41, seed=3) == pytest.approx(expected, rel=1e-6)
    # A sample of some of the rows, which the seed draws.
    assert len({median_gamma(X, 10, seed) for seed in range(5)}) == 5
    with pytest.raises(ValueError, match="equal"):
        median_gamma(np.ones((9, 2), np.float32), 9, seed=0)


def test_the_penalty_gives_the_model_of_the_recipes_own_features(digits):
    """Features without sqrt(2/D), the prior itself and a constant 1, all weights penalised: the same logits."""
    rows, y, D = digits.X_train[:400].astype(np.float64), digits.y_train[:400], 48
    feature_map = RKS(D, gamma=0.05, random_state=0).fit(rows)
    alpha, column = logistic_penalty(LOGISTIC, D)
    assert (alpha, column) == pytest.approx((4.2813 * 2 / D, math.sqrt(2 / D)))
    ours = LogisticClassifier(
        feature_map, alpha=alpha, intercept_column=column, penalise_intercept=True, max_iter=2000, tol=1e-9
    ).fit(rows, y)
    plain = feature_map.transform(rows) / column
    theirs = LogisticClassifier(alpha=4.2813, penalise_intercept=True, max_iter=2000, tol=1e-9).fit(plain, y)
    assert ours.objective_ == pytest.approx(theirs.objective_, rel=1e-9)
    np.testing.assert_allclose(ours.decision_function(rows), theirs.decision_function(plain), atol=1e-4)


def test_other_readings_of_the_prior_are_other_penalties():
    readings = {
        reading: logistic_penalty(LogisticSettings(4.0, reading, 1, 1.0), 2)[0]
        for reading in ("precision", "variance", "standard deviation")
    }
    assert readings == pytest.approx({"precision": 4.0, "variance": 1 / 4, "standard deviation": 1 / 16})


# Cells


def one_cell(setting, **changes):
    fields = {"dataset": "optdigits", "seed": 0, "threads": 1, "kind": "quality", "logistic": LOGISTIC} | changes
    return recipe_cell("cosplay", 1, [setting], **fields)


def test_features_that_do_not_fit_are_made_anew_with_the_same_answer():
    setting = Setting("logistic", "scrf", 40, 8, 0.0, 100)
    (kept,) = measure_recipe(one_cell(setting))
    small = LogisticSettings(4.2813, "precision", 60, 1e-6)
    (anew,) = measure_recipe(one_cell(setting, logistic=small))
    assert (kept.metrics["features"], anew.metrics["features"]) == ("stored", "regenerated")
    # Blocks of another size sum float32 in another order, so the paths part by rounding alone.
    assert anew.number("objective") == pytest.approx(kept.number("objective"), rel=1e-2)
    assert abs(anew.number("errors") - kept.number("errors")) <= 0.02 * kept.number("n_test")


def test_held_out_rows_are_training_rows_that_were_not_trained_on(digits):
    order = np.arange(len(digits.y_train))
    kept, others = held_out_rows(len(order), 1000, seed=0)
    assert len(others) == 1000
    assert sorted([*kept, *others]) == list(order)
    with pytest.raises(ValueError, match="held_out=5 leaves nothing of 5"):
        held_out_rows(5, 5, seed=0)


def test_test_rows_have_no_say_on_held_out_cells(monkeypatch, digits):
    setting = Setting("ridge", "rks", 30, 0, 0.1, 50)
    cell = one_cell(setting, alphas=[0.1, 1.0], held_out=3000)
    before = measure_recipe(cell)

    def other_test_rows(*args, **kwargs):
        data = load(*args, **kwargs)
        data.X_test[...] = np.nan
        data.y_test[...] = 0
        return data

    monkeypatch.setattr("scrf_bench.experiments.cosplay.cells.load", other_test_rows)
    after = measure_recipe(cell)
    assert [p.metrics["predictions_sha256"] for p in after] == [p.metrics["predictions_sha256"] for p in before]
    assert [p.parameters["n_test"] for p in after] == [3000, 3000]
    assert [p.parameters["alpha"] for p in after] == [0.1, 1.0]


def test_times_are_from_pixels_to_weights(outcomes, configs):
    for name in NAMES:
        for cell in plan(name, configs):
            for point in outcomes[cell.id].points:
                m = point.metrics
                steps = [m[key] for key in m if key in STEPS]
                assert m["train_cpu_s"] >= 0.99 * sum(steps)
                assert m["accuracy"] == pytest.approx(1.0 - m["errors"] / point.parameters["n_test"])


STEPS = ("pca_cpu_s", "bandwidth_cpu_s", "draw_cpu_s", "map_cpu_s", "gram_cpu_s", "solve_cpu_s")


# Plans


def test_the_recipe_runs_first_and_once(configs):
    cells = plan("cosplay", configs)
    places = [
        (c.parameters["map"], c.parameters["seed"], pca, D)
        for c in cells
        for pca, D in zip(c.parameters["pca"], c.parameters["D"], strict=True)
    ]
    assert places[:2] == [("rks", 0, 8, 24), ("rks", 1, 8, 24)]
    assert len(set(places)) == len(places) == 2 + 3 + 4


def test_more_seeds_go_on_from_fewer(configs):
    for name in NAMES:
        few, many = ({cell.id for cell in plan(name, configs, seeds=n)} for n in (2, 4))
        assert few < many


def test_a_test_row_has_one_penalty_and_a_ridge_has_one_at_all(configs, tmp_path):
    text = CONFIGS["cosplay_front"]
    for old, new, words in (
        ("alphas = [0.3]", "alphas = [0.3, 0.5]", "choose one"),
        (", alphas = [0.3]", "", "needs one"),
        ("D = 24, pca = 8, seeds = 2", "D = 24, pca = 8, alphas = [1.0]", "alphas are for a ridge"),
        ("alphas = [0.3]", "alphas = [0.3], iterations = 3", "no iterations"),
    ):
        (tmp_path / "cosplay-front.toml").write_text(text.replace(old, new, 1))
        with pytest.raises(ConfigError, match=words):
            plan("cosplay-front", tmp_path)


def test_every_tested_ridge_was_compared_on_held_out_rows():
    """By map, PCA and gamma: nothing is tested that was not chosen elsewhere."""
    config = prepare("cosplay-front", Selection(), profile="paper").config
    compared = {(c.learner, c.map, c.pca, c.gamma) for c in config.choices}
    for row in (row for row in config.rows if row.learner == "ridge"):
        assert (row.learner, row.map, row.pca, row.gamma) in compared, row


# Tables and figures


@pytest.mark.parametrize("name", NAMES)
def test_without_any_record_the_tables_say_so(name, configs, tmp_path):
    _, _, paths = render_results(prepare(name, Selection(), results=tmp_path, configs=configs), ("markdown", "png"))
    texts = [path.read_text() for path in paths if path.suffix == ".md"]
    assert len(texts) == 2
    assert all("No records." in text and "n/a" in text for text in texts)
    assert not [path for path in paths if path.suffix == ".png"]


@pytest.mark.parametrize("name", NAMES)
def test_rows_do_not_come_and_go_with_records(name, configs, tmp_path, outcomes):
    def rows(prepared):
        return [
            [(r.get("method"), r.get("space"), r.get("D")) for r in table.rows]
            for table in lay_out(prepared, chosen_records(prepared)).tables
        ]

    empty = rows(prepare(name, Selection(), results=tmp_path / "none", configs=configs))
    first = plan(name, configs)[0]
    for number, wanted in enumerate((lambda _: True, lambda c: c.parameters["map"] == "rks", lambda c: c == first)):
        prepared = filled(name, configs, tmp_path / str(number), outcomes, wanted)
        assert rows(prepared) == empty


@pytest.mark.parametrize("name", NAMES)
def test_figures_are_drawn_of_what_there_is(name, configs, tmp_path, outcomes):
    for number, wanted in enumerate((lambda _: True, lambda c: c.parameters["map"] != "rks")):
        _, _, paths = render_results(filled(name, configs, tmp_path / str(number), outcomes, wanted), ("png", "csv"))
        assert [path.name for path in paths if path.suffix == ".png"] == ["figure.png"]


def test_the_papers_row_is_what_the_source_states(configs, tmp_path):
    stated = {f.quantity: f.value for f in reported_figures("cosplay-2013") if f.table == "blog run output"}
    prepared = prepare("cosplay", Selection(), results=tmp_path, configs=configs)
    table = lay_out(prepared, chosen_records(prepared)).tables[0]
    published, ours = table.rows
    assert (published["dataset"], ours["dataset"]) == ("mnist", "optdigits")
    assert published["test"] == pytest.approx(100 * stated["test accuracy"])
    assert published["train"] == pytest.approx(100 * stated["train accuracy"])
    assert published["solve"] == stated["logistic regression time"]
    assert published["features"] == stated["feature map time"]
    assert published["predict"] is published["total"] is None, "nobody states these"
    assert ours["test"] is None, "nothing was measured yet"


def test_the_fronts_accuracies_and_times_are_means_of_the_points(configs, tmp_path, outcomes):
    prepared = filled("cosplay-front", configs, tmp_path, outcomes)
    front, choice = lay_out(prepared, chosen_records(prepared)).tables
    cells = {c.label: outcomes[c.id].points for c in prepared.cells}
    points = [cells[f"optdigits RKS logistic PCA 8 D 24 seed {seed}"][0] for seed in (0, 1)]
    exact = [cells[f"optdigits exact LIBSVM seed {seed}"][0] for seed in (0, 1)]

    def total(point):
        return point.number("train_cpu_s") + point.number("predict_cpu_s")

    row = next(row for row in front.rows if row["method"] == "RKS + logistic")
    assert row["accuracy"].mean == pytest.approx(50.0 * sum(p.number("accuracy") for p in points))
    assert row["total"] == pytest.approx(sum(map(total, points)) / 2)
    assert row["speedup"] == pytest.approx(sum(map(total, exact)) / 2 / row["total"])
    # Two timings of one answer: no error of its accuracy.
    assert (front.rows[0]["accuracy"].n, front.rows[0]["accuracy"].se) == (1, None)
    compared = next(row for row in choice.rows if row["method"] == "OCRF + ridge")
    held = cells["optdigits OCRF ridge pixels D 32 gamma 0.1 held out seed 0"]
    assert [compared["alpha0"], compared["alpha1"]] == pytest.approx([100.0 * p.number("accuracy") for p in held])
    assert next(row for row in choice.rows if row["method"] == "RKS + logistic")["alpha0"] == "–"


# The claims


@pytest.mark.parametrize(("off", "word"), [(0.0, "holds"), (0.2, "holds"), (-1.5, "fails"), (1.5, "fails")])
def test_the_published_accuracy_is_held_against_ours(off, word, configs, tmp_path):
    """Two seeds, a standard deviation of 0.02 points apart, this many points beside the published figure."""
    stated = paper_figure("test accuracy")
    folder = tmp_path / "configs"
    folder.mkdir()
    for path in configs.iterdir():
        text = path.read_text()
        (folder / path.name).write_text(text.replace('"optdigits"', '"mnist"') if path.stem == "cosplay" else text)

    def points(cell, rng):
        p = cell.parameters
        for pca, D in zip(p["pca"], p["D"], strict=True):
            # Only the recipe's own points count.
            own = (p["map"], pca, D) == ("rks", 8, 24)
            accuracy = stated + 0.01 * off + rng.normal(0.0, 0.0002) if own else 0.5
            where = {"method": p["map"], "pca": pca, "D": D, "seed": p["seed"], "n_test": 10_000}
            times = ("pca", "bandwidth", "draw", "map", "solve", "train", "predict")
            rest = {f"{name}_cpu_s": 1.0 for name in times} | {"iterations": 1, "model_bytes": 1, "features": "stored"}
            yield Point(where, rest | {"accuracy": accuracy, "train_accuracy": accuracy})

    made_up_records("cosplay", tmp_path / "results", folder, points)
    (claim,) = experiment_by_name("cosplay").claims
    assert f"{100.0 * stated:.2f} %" in claim.sentence
    found = Court(tmp_path / "results", "quick", folder).judge(claim).verdict
    assert found.word == word
    assert found.headline.estimate == pytest.approx(off, abs=0.06)


def test_another_set_says_nothing_of_the_published_accuracy(configs, tmp_path, outcomes):
    filled("cosplay", configs, tmp_path, outcomes)
    (claim,) = experiment_by_name("cosplay").claims
    found = Court(tmp_path, "quick", configs).judge(claim).verdict
    assert found.word == "undecided"
    assert "mnist's" in found.reason
    assert "optdigits" in found.reason


@pytest.mark.parametrize("profile", ["quick", "paper"])
def test_sample_sizes_are_those_that_the_experiments_plan(profile):
    sizes = load_settings(profile).sample_sizes
    assert sizes["cosplay"] == prepare("cosplay", Selection(), profile=profile).config.recipe_seeds
    assert sizes["cosplay-front"] == prepare("cosplay-front", Selection(), profile=profile).config.rows[0].seeds


def verdict(configs, folder, accuracy, seconds):
    """Judge the claim on records where the recipe has this accuracy and time, exact LIBSVM 98 % in 100 s."""

    def points(cell, rng):
        svm = cell.parameters["map"] == "libsvm"
        value = 0.98 if svm else accuracy + rng.normal(0.0, 0.0002)
        took = 100.0 if svm else seconds * np.exp(rng.normal(0.0, 0.01))
        yield Point(
            {
                "method": cell.parameters["map"],
                "seed": cell.parameters["seed"],
                "n_test": 10_000,
                "alpha": 0.1,
            },
            {
                "accuracy": value,
                "train_accuracy": value,
                "train_cpu_s": 0.9 * took,
                "predict_cpu_s": 0.1 * took,
                "model_bytes": 1,
                "gamma": 0.1,
            },
        )

    made_up_records("cosplay-front", folder, configs, points)
    (claim,) = experiment_by_name("cosplay-front").claims
    return Court(folder, "quick", configs).judge(claim).verdict


@pytest.mark.parametrize(
    ("accuracy", "seconds", "word"),
    [(0.979, 10.0, "holds"), (0.985, 10.0, "holds"), (0.96, 10.0, "fails"), (0.979, 150.0, "fails")],
)
def test_the_claim_is_judged_by_accuracy_and_time(accuracy, seconds, word, configs, tmp_path):
    found = verdict(configs, tmp_path, accuracy, seconds)
    assert found.word == word
    assert {part.finding.label for part in found.parts} == {"accuracy lacking", "time"}


def test_one_timing_of_exact_libsvm_decides_nothing(configs, tmp_path, outcomes):
    wanted = lambda c: (c.parameters["map"], c.parameters["seed"]) != ("libsvm", 1)  # noqa: E731
    filled("cosplay-front", configs, tmp_path, outcomes, wanted)
    (claim,) = experiment_by_name("cosplay-front").claims
    assert Court(tmp_path, "quick", configs).judge(claim).verdict.word == "undecided"


def test_without_exact_libsvm_the_claim_is_open(configs, tmp_path, outcomes):
    filled("cosplay-front", configs, tmp_path, outcomes, lambda c: c.parameters["map"] != "libsvm")
    (claim,) = experiment_by_name("cosplay-front").claims
    assert Court(tmp_path, "quick", configs).judge(claim).verdict.word == "undecided"
