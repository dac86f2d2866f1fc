"""One method of the CRHS paper on one dataset, in-process: against scikit-learn, and the rules of the search."""

import math

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import r2_score

from scrf_bench.datasets import load, registry
from scrf_bench.experiments.crhs import cells as cells_module
from scrf_bench.experiments.crhs import search as search_module
from scrf_bench.experiments.crhs.cells import SpaceDataset, measure_space, repetitions_of, space_cell
from scrf_bench.experiments.crhs.search import SearchSettings, best_of, search
from scrf_bench.experiments.crhs.spaces import memory_limit_words
from scrf_bench.learners import kernel_ridge_bytes, stratified_folds
from scrf_bench.learners import tuning as tuning_module
from tests.experiments.test_plans import MOVED, plan

SETTINGS = SearchSettings(folds=3, rows=150, seed=1, log2_values=(-7.0, -5.0, -3.0, -1.0, 1.0), stride=2)
SETS = {
    "ionosphere": SpaceDataset("ionosphere", "ours", "none", 32),
    "dna": SpaceDataset("dna", "named", "none", 32),
    "abalone": SpaceDataset("abalone", "ours", "standard", 32),
}


def cell(method, dataset, *, repetitions=(0,), components=(32,), settings=SETTINGS):
    return space_cell(
        "crhs-table3",
        1,
        method,
        SETS[dataset],
        settings,
        components=() if method in ("krr", "ksvm") else components,
        repetitions=repetitions,
        embedding="phase",
        threads=1,
    )


def measured(*arguments, **options):
    found = [dict(p.parameters) | dict(p.metrics) for p in measure_space(cell(*arguments, **options))]
    return [p for p in found if p["stage"] == "search"], [p for p in found if p["stage"] == "test"]


def test_kernel_ridge_on_a_split_is_scikit_learns():
    (chosen,), (tested,) = measured("krr", "ionosphere")
    data = load("ionosphere", split_seed=0)
    gamma, alpha = 2.0 ** chosen["log2_gamma"], 2.0 ** chosen["log2_lambda"]
    exact = KernelRidge(kernel="rbf", gamma=gamma, alpha=alpha).fit(data.X_train, 2.0 * data.y_train - 1.0)
    assert tested["accuracy"] == np.mean((exact.predict(data.X_test) > 0) == data.y_test)
    assert tested["errors"] == round((1 - tested["accuracy"]) * tested["n_test"])


def test_a_regressions_error_is_in_the_targets_own_units():
    _, (tested,) = measured("krr", "abalone")
    data = load("abalone", scaling="standard", split_seed=0)
    mean, deviation = data.y_train.mean(), data.y_train.std()
    exact = KernelRidge(kernel="rbf", gamma=2.0 ** tested["log2_gamma"], alpha=2.0 ** tested["log2_lambda"])
    predicted = mean + deviation * exact.fit(data.X_train, (data.y_train - mean) / deviation).predict(data.X_test)
    assert tested["mse"] == pytest.approx(np.mean((predicted - data.y_test) ** 2), rel=1e-6)
    assert tested["r2"] == pytest.approx(r2_score(data.y_test, predicted), rel=1e-6)
    # Rings: their variance is about 10, and a fit leaves less than two thirds of it.
    assert 2.0 < tested["mse"] < 7.0


def test_the_search_takes_the_least_loss_of_all_that_it_tried_and_of_equals_the_larger_lambda():
    assert best_of({(-1.0, 1.0): 0.2, (-3.0, 3.0): 0.1, (-5.0, 5.0): 0.1, (-7.0, 5.0): 0.1, (0.0, 9.0): 0.3}) == (-7, 5)
    for point in measure_space(cell("rks", "ionosphere")):
        if point.parameters["stage"] == "search":
            tried = dict(
                zip(
                    zip(point.samples["tried_log2_gamma"], point.samples["tried_log2_lambda"], strict=True),
                    point.samples["tried_loss"],
                    strict=True,
                )
            )
            assert best_of(tried) == (point.metrics["log2_gamma"], point.metrics["log2_lambda"])
            assert point.metrics["cv_loss"] == min(tried.values())


def test_coarse_values_first_then_the_neighbours_of_the_best(monkeypatch):
    """Nine values, every second one first: -8 is the best of -8, -4, 0, 4, 8, and lies at the edge."""
    seen = []

    def losses(_cell, _settings, _X, _y, _task, _D, gammas, lambdas):
        seen.append((tuple(gammas), tuple(lambdas)))
        return {(g, penalty): abs(g + 7) + abs(penalty - 3) for g in gammas for penalty in lambdas}

    monkeypatch.setattr(search_module, "_losses", losses)
    settings = SearchSettings(3, 100, 0, (-8.0, -6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0, 8.0), 2)
    choice = search(cell("krr", "dna"), settings, np.zeros((200, 1)), np.zeros(200, int), "classification", None)
    assert seen == [((-8, -4, 0, 4, 8),) * 2, ((-8, -6), (2, 4, 6))]
    # |g + 7| is 1 at -8 and -6, |l - 3| is 1 at 2 and 4: of four equals the larger lambda, then the smaller gamma.
    assert (choice.log2_gamma, choice.log2_lambda, choice.at_edge) == (-8.0, 4.0, True)
    assert len(choice.tried) == 25 + 6 - 1, "one pair is in both"
    assert choice.rows == 100


def test_every_method_searches_the_same_rows_in_the_same_folds(monkeypatch):
    seen = []

    def recorded(*arguments):
        found = stratified_folds(*arguments)
        seen.append([array.tolist() for array in found])
        return found

    monkeypatch.setattr(search_module, "stratified_folds", recorded)
    monkeypatch.setattr(tuning_module, "stratified_folds", recorded)
    for method in ("rks", "fastfood", "krr", "ksvm"):
        before = len(seen)
        measured(method, "dna")
        assert len(seen) == before + 2, "a coarse search and a fine one"
    assert all(found == seen[0] for found in seen)
    assert len(seen[0][0]) == SETTINGS.rows


def test_the_search_sees_training_rows_only_and_a_random_split_is_searched_anew(monkeypatch):
    seen = []
    real = cells_module.search

    def spied(used, settings, X, y, task, D):
        seen.append(X)
        return real(used, settings, X, y, task, D)

    monkeypatch.setattr(cells_module, "search", spied)
    searches, tests = measured("scrf", "ionosphere", repetitions=(0, 3))
    assert [p["repetition"] for p in searches] == [p["repetition"] for p in tests] == [0, 3]
    assert len({p["split"] for p in tests}) == 2
    for seed, X in zip((0, 3), seen, strict=True):
        np.testing.assert_array_equal(X, load("ionosphere", split_seed=seed).X_train)


def test_an_official_split_is_searched_once_and_its_repetitions_are_map_draws():
    searches, tests = measured("scrf", "dna", repetitions=(0, 1, 2), components=(16, 32))
    assert [p["D"] for p in searches] == [16, 32]
    assert [(p["D"], p["repetition"]) for p in tests] == [(D, r) for D in (16, 32) for r in range(3)]
    assert {(p["D"], p["log2_gamma"], p["log2_lambda"]) for p in tests} == {
        (p["D"], p["log2_gamma"], p["log2_lambda"]) for p in searches
    }
    assert len({p["predictions_sha256"] for p in tests}) == 6
    _, again = measured("scrf", "dna", repetitions=(2,), components=(32,))
    assert again[0]["predictions_sha256"] == tests[-1]["predictions_sha256"], "a repetition does not depend on others"


def test_an_exact_method_repeats_on_an_official_split_for_its_times_alone():
    assert repetitions_of("krr", "dna", range(5)) == [0]
    assert repetitions_of("ksvm", "dna", range(5), exact_runs=3) == [0, 1, 2]
    assert repetitions_of("ksvm", "dna", range(1), exact_runs=3) == [0]
    assert repetitions_of("krr", "ionosphere", range(5)) == repetitions_of("scrf", "dna", range(5)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("method", ["rks", "krr", "ksvm"])
def test_every_time_is_there_and_a_model_has_a_size(method):
    (chosen,), (tested,) = measured(method, "ionosphere")
    for name in (
        "train_cpu_s",
        "predict_cpu_s",
        *(("draw_cpu_s", "gram_cpu_s", "solve_cpu_s") if method == "rks" else ()),
    ):
        assert math.isfinite(tested[name])
        assert tested[name] >= 0.0
    assert chosen["cv_cpu_s"] > 0.0
    # Support vectors and coefficients, all training rows and coefficients, or D weights and the map's own numbers.
    n, d = tested["n_train"], tested["d"]
    size = {"krr": 8 * n * (d + 1), "ksvm": 8 * (tested.get("support_vectors", 0) * (d + 1) + 1)}.get(method)
    assert tested["model_bytes"] == size if size else tested["model_bytes"] > 8 * (32 + 1)


def test_the_memory_limit_is_exact_kernel_ridges_alone_and_gives_its_figure():
    spec = registry()["letter"]
    needed = kernel_ridge_bytes(15_000, 16, 26) / 1e9
    assert memory_limit_words("krr", spec, needed) is None
    words = memory_limit_words("krr", spec, 0.999 * needed)
    assert f"n = 15,000 training rows needs {needed:.3g} GB" in words
    assert memory_limit_words("scrf", spec, 1e-9) is None
    assert memory_limit_words("ksvm", spec, 1e-9) is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"folds": 1}, "folds is 1"),
        ({"log2_values": (1.0, -1.0)}, "give ascending values"),
        ({"log2_values": (1.0, 1.0)}, "each once"),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        SearchSettings(**{**vars(SETTINGS), **changes})


def test_golden_identity_of_a_space_cell():
    golden = cell("krr", "dna")
    assert golden.versions == {"experiment": 1, "learner": 1}, MOVED
    assert golden.id == "7fc69ec9b4fdc2af", MOVED


@pytest.mark.parametrize(("profile", "runs"), [("quick", 2), ("paper", 3)])
def test_times_come_from_several_processes(profile, runs):
    """A verdict on times needs two processes; an exact method on an official split has one of its own a timing."""
    planned = {}
    for planned_cell in plan("crhs-table3", profile, datasets=("dna", "abalone")):
        p = planned_cell.parameters
        planned.setdefault((planned_cell.dataset, p["method"]), []).append(p["repetitions"])
    assert planned["dna", "krr"] == planned["dna", "ksvm"] == [[run] for run in range(runs)]
    assert len(planned["dna", "scrf"]) == len(planned["abalone", "krr"]) == 2
