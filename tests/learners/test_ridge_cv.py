"""Cross-validation from subtracted sums finds what training fold by fold finds."""

import functools

import numpy as np
import pytest
from scipy import sparse

from scrf_bench.learners import (
    FeatureRidgeClassifier,
    FeatureRidgeRegressor,
    KernelRidgeClassifier,
    KernelRidgeRegressor,
    RidgeCrossValidation,
    gram_bytes,
    kernel_ridge_cv,
    ridge_cv,
    shuffled_folds,
    stratified_folds,
)
from scrf_bench.maps import RKS

ALPHAS, GAMMAS = [1.0, 0.01, 10.0], [0.2, 0.05]
GRID = {"gammas": GAMMAS, "alphas": ALPHAS}


def make_map(gamma):
    return RKS(n_components=50, gamma=gamma, random_state=4)


@pytest.fixture
def wave():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(210, 5))
    return X, np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]], axis=1) + 0.1 * rng.normal(size=(210, 2)) + 5.0


def by_hand(make_learner, X, y, fold, loss):
    """Return the mean loss over rows for each gamma and alpha, each model trained on its own rows."""
    table = [
        [
            sum(
                loss(make_learner(gamma, alpha).fit(X[fold != f], y[fold != f]).predict(X[fold == f]), y[fold == f])
                for f in range(fold.max() + 1)
            )
            / len(y)
            for alpha in sorted(ALPHAS)
        ]
        for gamma in sorted(GAMMAS)
    ]
    return np.array(table)


def squared(predicted, y):
    return ((predicted - y) ** 2).sum() / (y.shape[1] if y.ndim == 2 else 1)


def errors(predicted, y):
    return int((predicted != y).sum())


@pytest.mark.parametrize("max_bytes", [10**9, gram_bytes(50, 2, matrices=2)])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("columns", [0, slice(None)])
def test_regression_is_that_of_each_fold_by_itself(wave, columns, fit_intercept, max_bytes):
    X, y = wave[0], wave[1][:, columns]
    fold = shuffled_folds(len(X), 5, 0)[1]
    result = ridge_cv(make_map, X, y, fold, **GRID, task="regression", fit_intercept=fit_intercept, max_bytes=max_bytes)
    expected = by_hand(
        lambda g, a: FeatureRidgeRegressor(make_map(g), alpha=a, fit_intercept=fit_intercept), X, y, fold, squared
    )
    np.testing.assert_allclose(result.losses, expected, rtol=1e-8)
    assert (result.gammas, result.alphas) == ((0.05, 0.2), (0.01, 1.0, 10.0))
    assert (result.folds, result.rows) == (5, 210)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classification_is_that_of_each_fold_by_itself(blobs, n_classes):
    X, y = blobs
    X, y = (X, y) if n_classes == 3 else (X[y != "elm"], y[y != "elm"])
    fold = stratified_folds(np.unique(y, return_inverse=True)[1], 4, 1)[1]
    result = ridge_cv(make_map, X, y, fold, **GRID, task="classification")
    expected = by_hand(lambda g, a: FeatureRidgeClassifier(make_map(g), alpha=a), X, y, fold, errors)
    np.testing.assert_allclose(result.losses, expected, rtol=1e-12)
    exact = kernel_ridge_cv(X, y, fold, **GRID, task="classification")
    expected = by_hand(lambda g, a: KernelRidgeClassifier(gamma=g, alpha=a), X, y, fold, errors)
    np.testing.assert_allclose(exact.losses, expected, rtol=1e-12)


def test_the_exact_kernel_is_that_of_each_fold_by_itself(wave):
    X, y = wave
    fold = shuffled_folds(len(X), 3, 0)[1]
    result = kernel_ridge_cv(X, y, fold, **GRID, task="regression")
    expected = by_hand(lambda g, a: KernelRidgeRegressor(gamma=g, alpha=a), X, y, fold, squared)
    np.testing.assert_allclose(result.losses, expected, rtol=1e-8)


def test_rows_far_from_zero_survive_the_subtraction(wave):
    """Columns at 1e6: sums about 0 would leave 1e-4 of the spread, and less after a subtraction."""
    X, y = wave
    fold = shuffled_folds(len(X), 5, 0)[1]
    near, far = (
        ridge_cv(lambda gamma: None, rows, y, fold, gammas=[1.0], alphas=ALPHAS, task="regression")
        for rows in (X, X + 1e6)
    )
    np.testing.assert_allclose(far.losses, near.losses, rtol=1e-8)


def test_each_row_is_mapped_once_for_the_sums_and_once_for_its_prediction(wave):
    seen = []

    class Counting(RKS):
        def transform(self, X, out=None):
            seen.append(len(X))
            return super().transform(X, out)

        def gram(self, X, y=None):
            Phi = self.transform(X)
            return Phi.T @ Phi, Phi.T @ y

        def map_dot(self, X, W):
            return self.transform(X) @ W

    X, y = wave
    fold = shuffled_folds(len(X), 7, 0)[1]
    make = lambda gamma: Counting(n_components=20, gamma=gamma, random_state=0)  # noqa: E731
    ridge_cv(make, X, y, fold, gammas=[0.1], alphas=[0.1] * 10 + ALPHAS, task="regression")
    assert sum(seen) == 2 * len(X)
    seen.clear()
    tight = gram_bytes(20, 2, matrices=2)
    ridge_cv(make, X, y, fold, gammas=[0.1], alphas=ALPHAS, task="regression", max_bytes=tight)
    assert sum(seen) == 3 * len(X)


@pytest.mark.parametrize("function", [functools.partial(ridge_cv, make_map), kernel_ridge_cv])
def test_sparse_rows_and_progress(wave, function):
    X, y = np.where(np.abs(wave[0]) > 0.8, wave[0], 0.0), wave[1]
    fold = shuffled_folds(len(X), 3, 0)[1]
    seen = []
    dense = function(X, y, fold, **GRID, task="regression")
    thin = function(
        sparse.csr_array(X), y, fold, **GRID, task="regression", progress=lambda i, of: seen.append((i, of))
    )
    np.testing.assert_allclose(thin.losses, dense.losses, rtol=1e-9)
    assert seen == [(i, 6) for i in range(1, 7)]


def test_of_equals_the_larger_alpha_and_then_the_smaller_gamma_is_best():
    tied = RidgeCrossValidation((0.1, 1.0), (1.0, 2.0, 3.0), ((0.5, 0.2, 0.4), (0.2, 0.2, 0.3)), 5, 100)
    assert tied.best == (0.1, 2.0)
    assert RidgeCrossValidation((0.1, 1.0), (1.0, 2.0), ((0.5, 0.4), (0.5, 0.1)), 5, 100).best == (1.0, 2.0)


def test_shuffled_folds_are_even_and_depend_on_the_seed_alone():
    rows, fold = shuffled_folds(103, 5, 7)
    np.testing.assert_array_equal(rows, np.arange(103))
    assert set(np.bincount(fold)) == {20, 21}
    np.testing.assert_array_equal(fold, shuffled_folds(103, 5, 7)[1])
    assert not np.array_equal(fold, shuffled_folds(103, 5, 8)[1])
    some, fold = shuffled_folds(103, 5, 7, max_rows=40)
    assert len(np.unique(some)) == 40
    np.testing.assert_array_equal(np.bincount(fold), [8] * 5)
    with pytest.raises(ValueError, match="4 rows are fewer than folds=5"):
        shuffled_folds(4, 5, 0)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"alphas": []}, "grid is empty"),
        ({"gammas": [0.0]}, r"gamma=0\.0"),
        ({"alphas": [-1.0]}, r"alpha=-1\.0"),
        ({"task": "ranking"}, "task='ranking' is neither"),
        ({"fold": np.zeros(210, dtype=int)}, r"fold holds the numbers \[0\]; it needs 0\.\.K-1"),
        ({"fold": np.repeat([0, 2], 105)}, r"fold holds the numbers \[0, 2\]"),
        ({"fold": np.arange(9)}, "inconsistent numbers of samples"),
    ],
)
def test_what_makes_no_sense_is_named(wave, settings, words):
    arguments = {"fold": shuffled_folds(210, 3, 0)[1], "task": "regression", **GRID} | settings
    with pytest.raises(ValueError, match=words):
        ridge_cv(make_map, *wave, **arguments)
    with pytest.raises(ValueError, match=words):
        kernel_ridge_cv(*wave, **arguments)


def test_too_many_features_are_refused_with_figures(wave):
    with pytest.raises(ValueError, match=r"cross-validating ridge on D=50 .* more than max_bytes=1e-05 GB"):
        ridge_cv(make_map, *wave, shuffled_folds(210, 3, 0)[1], **GRID, task="regression", max_bytes=10_000)
