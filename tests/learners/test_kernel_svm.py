"""The control row is LIBLINEAR's learner on features whose inner products are exactly the kernel."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from scrf_bench.learners import LiblinearClassifier, OneVsRestKernelSVM, kernel_svm


def exact_features(X, gamma):
    """Return R with R R' equal to the kernel matrix of X (to rounding), by its eigenvectors."""
    values, vectors = np.linalg.eigh(rbf_kernel(X, gamma=gamma))
    return vectors * np.sqrt(np.maximum(values, 0.0))


def primal(learner, R, y, C, bias):
    signs = np.where(y[:, None] == (learner.classes_ if len(learner.classes_) > 2 else learner.classes_[1:]), 1, -1)
    scores = R @ learner.coef_.T + learner.intercept_
    return 0.5 * ((learner.coef_**2).sum(axis=1) + (learner.intercept_ / (bias or 1.0)) ** 2) + C * np.maximum(
        0.0, 1.0 - signs * scores
    ).sum(axis=0)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("bias", [1.0, 2.0, 0.0])
def test_it_is_liblinear_on_the_kernels_own_features(blobs, n_classes, bias):
    """At eps 1e-4 both are within 1e-3 of the optimum of the same problem, and classify new rows alike."""
    X, y = blobs
    X, y = (X, y) if n_classes == 3 else (X[y != "elm"], y[y != "elm"])
    new = X[::2] + 0.01
    R = exact_features(np.vstack([X, new]), 0.2)
    linear = LiblinearClassifier(C=0.5, eps=1e-4, bias=bias if bias else -1.0).fit(R[: len(X)], y)
    control = OneVsRestKernelSVM(C=0.5, gamma=0.2, eps=1e-4, bias=bias).fit(X, y)
    assert control.converged_
    np.testing.assert_allclose(control.primal_objective_, primal(linear, R[: len(X)], y, 0.5, bias), rtol=1e-3)
    np.testing.assert_allclose(control.decision_function(new), linear.decision_function(R[len(X) :]), atol=5e-3)
    sure = np.sort(np.atleast_2d(control.decision_function(new).T).T, axis=1)
    clear = np.abs(sure[:, 0]) > 1e-2 if n_classes == 2 else sure[:, -1] - sure[:, -2] > 1e-2
    np.testing.assert_array_equal(control.predict(new)[clear], linear.predict(R[len(X) :])[clear])


def test_on_dna_it_classifies_as_liblinear_does(dna):
    X, y, T = dna.X_train[:800], dna.y_train[:800], dna.X_test[:600]
    R = exact_features(np.vstack([X, T]), 0.01)
    linear = LiblinearClassifier(C=10.0, eps=0.01).fit(R[:800], y)
    control = OneVsRestKernelSVM(C=10.0, gamma=0.01, eps=0.01).fit(X, y)
    np.testing.assert_array_equal(control.predict(T), linear.predict(R[800:]))


@pytest.mark.parametrize("C", [0.1, 3.0, 100.0])
def test_the_duality_gap_closes_and_the_optimality_conditions_hold(blobs, C):
    """0 <= alpha <= C, and the gradient y f - 1 is >= -eps at 0, <= eps at C, within eps between."""
    X, y = blobs
    eps = 1e-5
    learner = OneVsRestKernelSVM(C=C, gamma=0.2, eps=eps, max_iter=20_000).fit(X, y)
    assert learner.converged_
    gap = learner.primal_objective_ - learner.dual_objective_
    assert (gap >= -1e-9 * learner.primal_objective_).all()
    assert (gap <= 2 * eps * C * len(y)).all()
    for row, label in enumerate(learner.classes_):
        sign = np.where(y == label, 1.0, -1.0)
        alpha = np.zeros(len(y))
        alpha[learner.support_] = learner.dual_coef_[row] * sign[learner.support_]
        gradient = sign * learner.decision_function(X)[:, row] - 1.0
        assert alpha.min() >= 0.0
        assert alpha.max() <= C
        assert gradient[alpha == 0.0].min(initial=0.0) > -2 * eps
        assert gradient[alpha == C].max(initial=0.0) < 2 * eps
        assert np.abs(gradient[(alpha > 0.0) & (alpha < C)]).max(initial=0.0) < 2 * eps


def test_the_same_seed_gives_the_same_bits_and_another_the_same_optimum(blobs):
    X, y = blobs
    first, again, other = (OneVsRestKernelSVM(gamma=0.2, eps=1e-5, random_state=seed).fit(X, y) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.dual_coef_, again.dual_coef_)
    assert not np.array_equal(first.dual_objective_, other.dual_objective_)
    np.testing.assert_allclose(first.dual_objective_, other.dual_objective_, rtol=1e-5)


def test_many_rows_are_kept_in_float32_with_nearly_the_same_answer(blobs, monkeypatch):
    X, y = blobs
    double = OneVsRestKernelSVM(gamma=0.2, eps=1e-4).fit(X, y)
    monkeypatch.setattr(kernel_svm, "FLOAT64_ROWS", 100)
    single = OneVsRestKernelSVM(gamma=0.2, eps=1e-4).fit(X, y)
    assert (double.kernel_dtype_, single.kernel_dtype_) == (np.float64, np.float32)
    np.testing.assert_allclose(single.dual_objective_, double.dual_objective_, rtol=1e-4)
    np.testing.assert_allclose(single.decision_function(X), double.decision_function(X), atol=5e-3)


def test_a_kernel_matrix_beyond_the_limit_is_refused_with_the_remedy(blobs):
    X, y = blobs  # 240 rows: 460,800 bytes in float64
    with pytest.raises(ValueError, match=r"n=240 training rows takes .* \(train_rows=158 or less\)"):
        OneVsRestKernelSVM(max_bytes=200_000).fit(X, y)
    OneVsRestKernelSVM(max_bytes=200_000).fit(X[:158], y[:158])
    learner = OneVsRestKernelSVM()
    with pytest.raises(ValueError, match=r"n=40000 .* 6\.4 GB, more than max_bytes=4 GB"):
        learner._affordable_dtype(40_000)


def test_too_few_passes_are_flagged(blobs):
    X, y = blobs
    learner = OneVsRestKernelSVM(C=100.0, gamma=0.2, eps=1e-8, max_iter=2).fit(X, y)
    assert not learner.converged_
    np.testing.assert_array_equal(learner.n_iter_, 2)


def test_sparse_rows_give_the_answer_of_dense_rows(blobs):
    X, y = blobs
    X = np.where(np.abs(X) > 1.0, X, 0.0)
    dense = OneVsRestKernelSVM(gamma=0.2, eps=1e-6, max_iter=5000).fit(X, y)
    other = OneVsRestKernelSVM(gamma=0.2, eps=1e-6, max_iter=5000).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(other.decision_function(sparse.csr_array(X)), dense.decision_function(X), atol=1e-4)
    assert other.model_bytes_ != dense.model_bytes_


def test_sizes_and_times_are_those_of_the_model(blobs):
    X, y = blobs
    learner = OneVsRestKernelSVM(gamma=0.2).fit(X, y)
    learner.predict(X)
    assert set(learner.stopwatch_) == {
        f"{step}_{clock}_s" for step in ("convert", "train", "predict") for clock in ("cpu", "wall")
    }
    assert learner.n_parameters_ == learner.n_support_ * (6 + 3) + 3
    assert learner.model_bytes_ == 8 * learner.n_parameters_


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"C": 0}, "C=0 is not"),
        ({"gamma": -1}, "gamma=-1"),
        ({"max_iter": 0}, "max_iter=0"),
        ({"max_bytes": 0}, "max_bytes=0"),
        ({"bias": float("nan")}, "bias=nan"),
    ],
)
def test_parameters_out_of_range_are_named(blobs, settings, words):
    with pytest.raises(ValueError, match=words):
        OneVsRestKernelSVM(**settings).fit(*blobs)
