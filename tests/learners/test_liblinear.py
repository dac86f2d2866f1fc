"""The LIBLINEAR adapter gives the official binding's weights, the optimum, and scikit-learn's conventions."""

import ctypes
import threading

import numpy as np
import pytest
from liblinear import liblinear, liblinearutil
from scipy import sparse
from sklearn.svm import LinearSVC

from scrf_bench.learners import LiblinearClassifier

SOLVERS = {
    0: ("logistic", False),
    1: ("squared_hinge", True),
    2: ("squared_hinge", False),
    3: ("hinge", True),
    7: ("logistic", True),
}


def official_weights(X, y, *, solver, C, eps, bias, seed):
    """Train through the package's own ``problem`` on rows sorted by class; return (k or 1, d [+ 1])."""
    classes, codes = np.unique(y, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    problem = liblinear.problem(codes[order].astype(float), X[order], bias)
    parameter = liblinear.parameter(f"-s {solver} -c {C} -e {eps} -q")
    ctypes.CDLL(None).srand(seed)
    model = liblinear.toPyModel(liblinear.liblinear.train(problem, parameter))
    k = len(classes)
    weights = np.ctypeslib.as_array(model.w, (problem.n, 1 if k == 2 else k)).T.copy()
    return -weights if k == 2 else weights


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_weights_are_bit_identical_to_the_official_binding(blobs, solver, n_classes, make):
    X, y = blobs
    X, y = (X, y) if n_classes == 3 else (X[y != "elm"], y[y != "elm"])
    X = make(X)
    loss, dual = SOLVERS[solver]
    ours = LiblinearClassifier(C=0.7, loss=loss, dual=dual, eps=0.01, bias=1.5, random_state=3).fit(X, y)
    theirs = official_weights(X, y, solver=solver, C=0.7, eps=0.01, bias=1.5, seed=3)
    np.testing.assert_array_equal(ours.coef_, theirs[:, :-1])
    np.testing.assert_array_equal(ours.intercept_, theirs[:, -1] * 1.5)
    assert f"-s {solver} " in ours.solver_


def test_weights_are_bit_identical_on_real_data_with_zeros(dna):
    X, y = dna.X_train, dna.y_train
    ours = LiblinearClassifier(C=1.0, random_state=1).fit(X, y)
    theirs = official_weights(X, y, solver=3, C=1.0, eps=0.1, bias=1.0, seed=1)
    np.testing.assert_array_equal(ours.coef_, theirs[:, :-1])


def test_a_training_does_not_depend_on_what_was_drawn_before(blobs):
    X, y = blobs
    first = LiblinearClassifier(random_state=4).fit(X, y).coef_
    ctypes.CDLL(None).rand()
    np.testing.assert_array_equal(LiblinearClassifier(random_state=4).fit(X, y).coef_, first)
    assert (LiblinearClassifier(random_state=5).fit(X, y).coef_ != first).any()


def test_trainings_in_threads_give_the_bits_of_trainings_in_a_row(blobs):
    X, y = blobs
    alone = [LiblinearClassifier(random_state=seed).fit(X, y).coef_ for seed in range(4)]
    together = [LiblinearClassifier(random_state=seed) for seed in range(4)]
    threads = [threading.Thread(target=learner.fit, args=(X, y)) for learner in together]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for learner, expected in zip(together, alone, strict=True):
        np.testing.assert_array_equal(learner.coef_, expected)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_solution_is_the_optimum_that_scikit_learn_finds(blobs, loss, n_classes):
    """Both solve one strictly convex problem: at eps 1e-6 the primal objectives agree to 1e-5."""
    X, y = blobs
    X, y = (X, y) if n_classes == 3 else (X[y != "elm"], y[y != "elm"])
    ours = LiblinearClassifier(C=0.05, loss=loss, eps=1e-6, bias=1.0).fit(X, y)
    theirs = LinearSVC(
        C=0.05, loss=loss, dual=True, tol=1e-6, intercept_scaling=1.0, max_iter=100_000, random_state=0
    ).fit(X, y)
    assert ours.converged_
    power = 1 if loss == "hinge" else 2

    def objective(model):
        signs = np.where(y[:, None] == (model.classes_ if n_classes == 3 else model.classes_[1:]), 1.0, -1.0)
        slack = np.maximum(0.0, 1.0 - signs * (X @ model.coef_.T + model.intercept_)) ** power
        return 0.5 * ((model.coef_**2).sum(axis=1) + model.intercept_**2) + 0.05 * slack.sum(axis=0)

    np.testing.assert_allclose(objective(ours), objective(theirs), rtol=1e-5)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("name", ["dna", "splice"])
def test_predictions_are_those_of_liblinear_itself_on_real_data(embedded, name):
    data = embedded(name)
    ours = LiblinearClassifier(C=1.0, random_state=0).fit(data.X_train, data.y_train)
    order = np.argsort(data.y_train, kind="stable")
    problem = liblinear.problem(data.y_train[order].astype(float), sparse.csr_matrix(data.X_train[order]), 1.0)
    ctypes.CDLL(None).srand(0)
    model = liblinearutil.train(problem, "-s 3 -c 1 -e 0.1 -B 1 -q")
    theirs, _, _ = liblinearutil.predict([], sparse.csr_matrix(data.X_test), model, "-q")
    np.testing.assert_array_equal(ours.predict(data.X_test), theirs)
    assert ours.score(data.X_test, data.y_test) > (0.9 if name == "dna" else 0.8)


def test_the_positive_side_is_the_larger_label_whatever_comes_first():
    X = np.array([[2.0], [1.5], [-1.0], [-2.0]])
    for y in ([5, 5, 3, 3], [3, 3, 5, 5], [1, 1, -1, -1]):
        learner = LiblinearClassifier(C=10.0).fit(X, y)
        np.testing.assert_array_equal(learner.predict(X), y)
        np.testing.assert_array_equal(learner.decision_function(X) > 0, np.array(y) == max(y))


def test_float32_rows_give_float32_scores_and_the_labels_of_float64(dna):
    learner = LiblinearClassifier().fit(dna.X_train.astype(np.float32), dna.y_train)
    double = LiblinearClassifier().fit(dna.X_train, dna.y_train)
    np.testing.assert_array_equal(learner.coef_, double.coef_)  # dna is 0 and 1: exact in both
    scores = learner.decision_function(dna.X_test.astype(np.float32))
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, double.decision_function(dna.X_test), rtol=0, atol=2e-5)


def test_the_solver_is_heard_but_does_not_speak_and_the_hook_is_put_back(blobs, capfd):
    X, y = blobs
    learner = LiblinearClassifier().fit(X, y)
    assert "optimization finished" in learner.log_
    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr() == ("", "")
    problem = liblinear.problem(np.array([0.0, 1.0]), np.eye(2))
    parameter = liblinear.parameter.__new__(liblinear.parameter)
    parameter.set_to_default_values()
    parameter.eps = 0.1
    liblinear.liblinear.free_and_destroy_model(ctypes.byref(liblinear.liblinear.train(problem, parameter)))
    ctypes.CDLL(None).fflush(None)
    assert "optimization finished" in capfd.readouterr().out


def test_reaching_the_iteration_limit_is_flagged(blobs):
    X, y = blobs
    assert LiblinearClassifier(C=1e-3).fit(X, y).converged_
    stuck = LiblinearClassifier(C=1e4, eps=1e-9).fit(X, y)
    assert not stuck.converged_
    assert "max number of iterations" in stuck.log_


def test_a_dual_solver_that_hands_over_to_the_primal_one_counts_as_converged(blobs):
    X, y = blobs
    learner = LiblinearClassifier(C=1e3, loss="squared_hinge", eps=1e-3).fit(X, y)
    assert "Switching to use -s 2" in learner.log_
    assert learner.converged_


def test_without_a_bias_there_is_no_intercept(blobs):
    X, y = blobs
    learner = LiblinearClassifier(bias=-1.0).fit(X, y)
    np.testing.assert_array_equal(learner.intercept_, 0.0)
    assert learner.n_parameters_ == 3 * 6
    assert "no bias" in learner.solver_


def test_sizes_and_times_are_those_of_the_model(blobs):
    X, y = blobs
    learner = LiblinearClassifier().fit(X, y)
    assert set(learner.stopwatch_) == {
        f"{step}_{clock}_s" for step in ("convert", "train") for clock in ("cpu", "wall")
    }
    learner.predict(X)
    assert {"predict_cpu_s", "predict_wall_s"} < set(learner.stopwatch_)
    assert all(value >= 0 for value in learner.stopwatch_.values())
    assert learner.n_parameters_ == 3 * 7
    assert learner.model_bytes_ == 3 * 7 * 8


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"C": 0.0}, "C=0.0 is not a positive"),
        ({"C": float("nan")}, "C=nan"),
        ({"eps": -1.0}, "eps=-1.0"),
        ({"bias": float("inf")}, "bias=inf"),
        ({"loss": "huber"}, "loss='huber' is unknown; choose one of hinge"),
        ({"loss": "hinge", "dual": False}, "no solver for loss='hinge' with dual=False"),
    ],
)
def test_parameters_out_of_range_are_named(blobs, settings, words):
    with pytest.raises(ValueError, match=words):
        LiblinearClassifier(**settings).fit(*blobs)
