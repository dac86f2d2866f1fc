"""epsilon-SVR equals scikit-learn's SVR to the support vector, and meets its optimality conditions."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVR

from scrf_bench.learners import LibsvmRegressor


@pytest.fixture
def wave():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(250, 4))
    return X, 3.0 * np.sin(X[:, 0]) + X[:, 1] + 0.2 * rng.normal(size=250)


@pytest.mark.parametrize(("C", "epsilon"), [(0.5, 0.1), (10.0, 0.5), (2.0, 0.0)])
def test_it_is_scikit_learns(wave, C, epsilon):
    X, y = wave
    ours = LibsvmRegressor(C=C, gamma=0.3, epsilon=epsilon).fit(X, y)
    theirs = SVR(C=C, gamma=0.3, epsilon=epsilon).fit(X, y)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_[0], atol=1e-9 * C)
    np.testing.assert_allclose(ours.predict(X + 0.1), theirs.predict(X + 0.1), rtol=1e-6, atol=1e-9)


def test_on_real_data_it_is_scikit_learns(embedded):
    data = embedded("abalone")
    rows = np.random.default_rng(0).permutation(len(data.X_train))[:800]
    X, y = data.X_train[rows], data.y_train[rows]
    ours = LibsvmRegressor(C=8.0, gamma=0.5, epsilon=0.5).fit(X[:500], y[:500])
    theirs = SVR(C=8.0, gamma=0.5, epsilon=0.5).fit(X[:500], y[:500])
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_allclose(ours.predict(X[500:]), theirs.predict(X[500:]), rtol=1e-6)


def test_the_solution_satisfies_its_optimality_conditions(wave):
    """With r = y - f: |r| <= epsilon where beta = 0, r = +-epsilon inside (0, C), beyond it at +-C."""
    X, y = wave
    eps, C, epsilon = 1e-6, 1.5, 0.3
    learner = LibsvmRegressor(C=C, gamma=0.3, epsilon=epsilon, eps=eps).fit(X, y)
    beta = np.zeros(len(y))
    beta[learner.support_] = learner.dual_coef_
    residual = y - learner.predict(X)
    assert abs(beta.sum()) < 1e-9
    assert np.abs(beta).max() <= C
    assert np.abs(residual[beta == 0.0]).max() < epsilon + 2 * eps
    free = (beta != 0.0) & (np.abs(beta) < C)
    assert free.any()
    np.testing.assert_allclose(residual[free], epsilon * np.sign(beta[free]), atol=2 * eps)
    bound = np.abs(beta) == C
    assert (residual[bound] * np.sign(beta[bound])).min() > epsilon - 2 * eps


def test_a_tube_that_holds_every_target_is_a_constant(wave):
    X, y = wave
    learner = LibsvmRegressor(epsilon=100.0).fit(X, y)
    assert learner.n_support_ == 0
    np.testing.assert_array_equal(learner.predict(X), np.full(len(y), learner.intercept_))
    assert abs(learner.intercept_ - y.mean()) < 100.0


def test_sparse_rows_give_the_model_of_dense_rows(wave):
    X, y = wave
    X = np.where(np.abs(X) > 0.7, X, 0.0)
    dense, other = LibsvmRegressor().fit(X, y), LibsvmRegressor().fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(dense.dual_coef_, other.dual_coef_)
    np.testing.assert_allclose(dense.predict(X), other.predict(sparse.csr_array(X)), atol=1e-12)


def test_sizes_and_times_are_those_of_the_model(wave):
    learner = LibsvmRegressor().fit(*wave)
    learner.predict(wave[0])
    assert learner.n_parameters_ == learner.n_support_ * (4 + 1) + 1
    assert learner.model_bytes_ == 8 * learner.n_parameters_
    assert set(learner.stopwatch_) == {
        f"{step}_{clock}_s" for step in ("convert", "train", "predict") for clock in ("cpu", "wall")
    }
    assert "optimization finished" in learner.log_


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"C": 0}, "C=0 is not a positive"),
        ({"epsilon": -0.1}, "epsilon=-0.1 is not a finite number of at least 0"),
        ({"eps": float("nan")}, "eps=nan"),
        ({"n_threads": 0}, "n_threads=0"),
    ],
)
def test_parameters_out_of_range_are_named(wave, settings, words):
    with pytest.raises(ValueError, match=words):
        LibsvmRegressor(**settings).fit(*wave)
