"""Kernel ridge solves its normal equations, equals scikit-learn's, and takes the memory it says."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

from scrf_bench.learners import KernelRidgeClassifier, KernelRidgeRegressor, kernel_ridge_bytes


@pytest.fixture
def wave():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 5))
    return X, np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]], axis=1) + 0.1 * rng.normal(size=(300, 2))


@pytest.mark.parametrize("alpha", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("columns", [0, slice(None)])
def test_it_is_scikit_learns(wave, alpha, columns):
    X, y = wave[0], wave[1][:, columns]
    ours = KernelRidgeRegressor(alpha=alpha, gamma=0.2).fit(X, y)
    theirs = KernelRidge(alpha=alpha, kernel="rbf", gamma=0.2).fit(X, y)
    assert ours.method_ == "cholesky"
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-6, atol=1e-9 / alpha)
    np.testing.assert_allclose(ours.predict(X + 0.2), theirs.predict(X + 0.2), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 511, 513, 1030])
def test_the_normal_equations_hold_whatever_the_blocks(n):
    """(K + alpha I) a = y to 1e-12 of ||K|| ||a||, for sizes around the blocks in which triangles are copied."""
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, 3)), rng.normal(size=n)
    learner = KernelRidgeRegressor(alpha=0.01, gamma=0.5).fit(X, y)
    K = rbf_kernel(X, gamma=0.5)
    residual = K @ learner.dual_coef_ + 0.01 * learner.dual_coef_ - y
    assert np.linalg.norm(residual) <= 1e-12 * np.linalg.norm(K, 2) * np.linalg.norm(learner.dual_coef_)


def test_many_alphas_give_what_each_alone_gives(wave):
    alphas = [0.1, 1e-6, 100.0]
    path = KernelRidgeRegressor(gamma=0.2).fit_path(*wave, alphas)
    for alpha, learner in zip(alphas, path, strict=True):
        alone = KernelRidgeRegressor(alpha=alpha, gamma=0.2).fit(*wave)
        assert learner.get_params() == alone.get_params()
        np.testing.assert_array_equal(learner.dual_coef_, alone.dual_coef_)
        assert learner.solver_ == alone.solver_


def test_a_singular_matrix_gets_the_least_norm_and_says_so(wave):
    """Every row twice and alpha 0: K is singular, the least norm splits each coefficient evenly."""
    X, y = np.vstack([wave[0], wave[0]]), np.vstack([wave[1], wave[1]])
    low, high = KernelRidgeRegressor(gamma=0.2).fit_path(X, y, [0.0, 1.0])
    assert (low.method_, high.method_) == ("eigh", "cholesky")
    assert "singular" in low.solver_
    np.testing.assert_allclose(low.dual_coef_[:300], low.dual_coef_[300:], atol=1e-9 * np.abs(low.dual_coef_).max())
    np.testing.assert_allclose(low.predict(X), y, atol=1e-6)
    np.testing.assert_array_equal(high.dual_coef_, KernelRidgeRegressor(gamma=0.2).fit(X, y).dual_coef_)


def test_on_real_data_it_is_scikit_learns(dna):
    X, y, T = dna.X_train[:700], dna.y_train[:700], dna.X_test[:300]
    ours = KernelRidgeClassifier(alpha=0.1, gamma=0.02).fit(X, y)
    Y = np.where(y[:, None] == np.unique(y), 1.0, -1.0)
    scores = KernelRidge(alpha=0.1, kernel="rbf", gamma=0.02).fit(X, Y).predict(T)
    np.testing.assert_allclose(ours.decision_function(T), scores, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(ours.predict(T), np.unique(y)[scores.argmax(axis=1)])


def test_two_classes_have_one_column_positive_for_the_second(blobs):
    X, y = blobs
    X, y = X[y != "elm"], y[y != "elm"]
    learner = KernelRidgeClassifier(alpha=0.1, gamma=0.2).fit(X, y)
    reference = KernelRidge(alpha=0.1, kernel="rbf", gamma=0.2).fit(X, np.where(y == "oak", 1.0, -1.0))
    np.testing.assert_allclose(learner.decision_function(X), reference.predict(X), rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(learner.predict(X), np.where(reference.predict(X) > 0, "oak", "ash"))


@pytest.mark.parametrize(("n", "d", "k"), [(1500, 10, 1), (2600, 40, 10)])
def test_fitting_takes_the_memory_it_says(n, d, k):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)), rng.normal(size=(n, k))
    tracemalloc.start()
    try:
        KernelRidgeRegressor(gamma=0.05).fit(X, y)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    promised = kernel_ridge_bytes(n, d, k)
    assert 8 * n * n <= peak <= promised


def test_too_many_rows_for_the_memory_are_refused_with_figures(wave):
    with pytest.raises(ValueError, match=r"n=300 training rows is 0\.00\d+ GB, more than max_bytes=1e-05 GB"):
        KernelRidgeRegressor(max_bytes=10_000).fit(*wave)
    assert kernel_ridge_bytes(60_000, 784, 10) > 28e9  # mnist: `memory`, with the figure


def test_float32_and_sparse_rows_give_the_answer_of_float64_rows(wave):
    X, y = np.round(wave[0], 1), wave[1]
    wide = KernelRidgeRegressor(alpha=0.1).fit(X.astype(np.float32).astype(float), y)
    narrow = KernelRidgeRegressor(alpha=0.1).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(narrow.dual_coef_, wide.dual_coef_, rtol=1e-9, atol=1e-9)
    thin = KernelRidgeRegressor(alpha=0.1).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.predict(sparse.csr_array(X)), wide.predict(X), atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"alpha": -1.0}, "alpha=-1.0 is not a finite number of at least 0"),
        ({"alpha": float("inf")}, "alpha=inf"),
        ({"gamma": 0}, "gamma=0 is not a positive"),
        ({"max_bytes": 0}, "max_bytes=0"),
    ],
)
def test_parameters_out_of_range_are_named(wave, settings, words):
    with pytest.raises(ValueError, match=words):
        KernelRidgeRegressor(**settings).fit(*wave)


def test_an_empty_path_is_refused(wave):
    with pytest.raises(ValueError, match="alphas is empty"):
        KernelRidgeRegressor().fit_path(*wave, [])
    with pytest.raises(ValueError, match="alpha=-2"):
        KernelRidgeRegressor().fit_path(*wave, [1.0, -2])
