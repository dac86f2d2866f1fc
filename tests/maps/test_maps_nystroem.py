"""Nystroem maps: scikit-learn's result, the error of randomly pivoted Cholesky, and the common contract."""

import math

import numpy as np
import pytest
import sklearn.kernel_approximation
from numpy.random import RandomState
from scipy import sparse
from sklearn.utils.estimator_checks import check_estimator

from scrf_bench.kernels import gaussian_kernel, matern_kernel
from scrf_bench.maps import Nystroem, RPCholeskyNystroem
from scrf_bench.maps.pivoting import _draw

BOTH = [Nystroem, RPCholeskyNystroem]


def data(n=200, d=6):
    return RandomState(0).standard_normal((n, d))


def outliers(n=400):
    """A dense cluster and a few points far out: uniform landmarks miss the latter."""
    X = 0.05 * RandomState(0).standard_normal((n, 3))
    X[:25] += 6 * RandomState(1).standard_normal((25, 3))
    return X


@pytest.mark.filterwarnings("ignore:n_components=512 landmarks")
@pytest.mark.parametrize("options", [{}, {"kernel": "matern", "nu": 0.5}], ids=str)
@pytest.mark.parametrize("cls", BOTH)
def test_scikit_learn_checks(cls, options):
    """All of scikit-learn's estimator checks pass; only the array-API one may be skipped."""
    results = check_estimator(cls(**options), on_skip=None)
    assert len(results) > 40
    assert {r["check_name"] for r in results if r["status"] != "passed"} <= {"check_array_api_input"}


@pytest.mark.parametrize("m", [1, 20, 60])
def test_nystroem_equals_scikit_learns(m):
    """Same landmarks, same features to rounding (K_mm is well conditioned here)."""
    X = data()
    fitted = Nystroem(m, gamma=0.5, random_state=1).fit(X)
    original = sklearn.kernel_approximation.Nystroem(
        gamma=0.5, n_components=m, random_state=RandomState(fitted.seed_)
    ).fit(X)
    assert np.array_equal(fitted.component_indices_, original.component_indices_)
    np.testing.assert_allclose(fitted.transform(X), original.transform(X), rtol=0, atol=1e-12)


def exact(X, landmarks, kernel, nu):
    """``K_nm K_mm^{-1} K_mn`` by the definition."""
    function = (
        gaussian_kernel if kernel == "gaussian" else lambda *args, gamma: matern_kernel(*args, gamma=gamma, nu=nu)
    )
    K_nm = function(X, landmarks, gamma=0.3)
    return K_nm @ np.linalg.solve(function(landmarks, gamma=0.3), K_nm.T)


@pytest.mark.parametrize(("kernel", "nu"), [("gaussian", 1.5), ("matern", 0.5), ("matern", 2.2)])
@pytest.mark.parametrize("cls", BOTH)
def test_inner_products_are_the_projected_kernel(cls, kernel, nu):
    X = data()
    fitted = cls(40, gamma=0.3, kernel=kernel, nu=nu, random_state=1).fit(X)
    Phi = fitted.transform(X)
    assert np.array_equal(fitted.components_, X[fitted.component_indices_])
    assert len(set(fitted.component_indices_)) == 40
    # exp(-r) is not smooth at 0: a squared distance of 1e-15 in place of 0 shows as its root.
    tolerance = 1e-6 if nu == 0.5 else 1e-9
    np.testing.assert_allclose(Phi @ Phi.T, exact(X, fitted.components_, kernel, nu), rtol=0, atol=tolerance)


@pytest.mark.parametrize("cls", BOTH)
def test_residual_is_positive_semidefinite_and_zero_at_landmarks(cls):
    X = data()
    K = gaussian_kernel(X, gamma=0.3)
    fitted = cls(40, gamma=0.3, random_state=1).fit(X)
    residual = K - fitted.transform(X) @ fitted.transform(X).T
    assert np.linalg.eigvalsh(residual).min() > -1e-9
    assert np.abs(residual[fitted.component_indices_]).max() < 1e-9


@pytest.mark.parametrize("cls", BOTH)
def test_all_rows_reproduce_the_kernel(cls):
    X = data(50)
    Phi = cls(50, gamma=1.0, random_state=0).fit_transform(X)
    np.testing.assert_allclose(Phi @ Phi.T, gaussian_kernel(X, gamma=1.0), rtol=0, atol=1e-10)


@pytest.mark.parametrize("cls", BOTH)
def test_more_landmarks_than_rows_are_cut_with_a_warning(cls):
    X = data(10)
    with pytest.warns(UserWarning, match=r"n_components=12 landmarks, but X has 10 rows.*10 columns"):
        fitted = cls(12, random_state=0).fit(X)
    assert fitted.transform(X).shape == (10, 10)
    assert len(fitted.get_feature_names_out()) == 10


def test_repeated_rows_leave_zero_columns():
    """5 different rows, each 10 times: after 5 pivots nothing is left to choose from."""
    X = np.repeat(data(5), 10, axis=0)
    fitted = RPCholeskyNystroem(20, gamma=0.3, random_state=0).fit(X)
    Phi = fitted.transform(X)
    assert Phi.shape == (50, 20)
    assert len(fitted.components_) == 5
    assert not Phi[:, 5:].any()
    np.testing.assert_allclose(Phi @ Phi.T, gaussian_kernel(X, gamma=0.3), rtol=0, atol=1e-10)


@pytest.mark.statistical
def test_randomly_pivoted_cholesky_meets_its_bound():
    """Mean trace of ``K - Phi Phi'`` over 40 seeds against Theorem 3.1: at most ``1 + eps`` times the tail.

    For m landmarks the bound is taken at the best r with ``r/eps + r log(1/(eps eta)) <= m``. It holds for the
    expectation; 5 standard errors on top make false alarms rarer than 1e-6.
    """
    X = outliers()
    K = gaussian_kernel(X, gamma=0.5)
    eigenvalues = np.sort(np.linalg.eigvalsh(K))[::-1]
    tails = np.trace(K) - np.cumsum(np.concatenate([[0.0], eigenvalues]))
    for m in (20, 60):
        errors = [trace_error(RPCholeskyNystroem, X, m, seed) for seed in range(40)]
        bounds = [
            (1 + eps) * tails[r]
            for r in range(1, m)
            for eps in np.geomspace(0.05, 50, 40)
            if r / eps + max(0.0, r * math.log(len(X) / (eps * tails[r]))) <= m
        ]
        assert bounds, m
        assert np.mean(errors) - 5 * np.std(errors) / math.sqrt(40) < min(bounds)
        assert min(errors) > tails[m] * (1 - 1e-9)  # no approximation of rank m is better


def trace_error(cls, X, m, seed):
    Phi = cls(m, gamma=0.5, random_state=seed).fit_transform(X)
    return len(X) - (Phi**2).sum()


def test_random_pivots_beat_uniform_landmarks():
    """On a cluster with outliers, at 30 landmarks: the worst of 10 seeds is better than the best by uniform ones."""
    X = outliers()
    pivoted, uniform = ([trace_error(cls, X, 30, seed) for seed in range(10)] for cls in (RPCholeskyNystroem, Nystroem))
    assert max(pivoted) < min(uniform) / 2


@pytest.mark.statistical
def test_pivots_are_drawn_in_proportion():
    """20,000 draws from four weights, one of them 0: each share within 5 standard errors (false alarms 2e-6)."""
    weights = np.array([0.1, 0.0, 0.6, 0.3])
    rng = RandomState(0)
    counts = np.bincount([_draw(weights, rng) for _ in range(20_000)], minlength=4)
    deviations = np.sqrt(20_000 * weights * (1 - weights))
    assert (np.abs(counts - 20_000 * weights) <= 5 * deviations).all()
    assert _draw(np.zeros(3), rng) == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("cls", BOTH)
def test_rows_dtypes_and_sparse_input(cls, dtype):
    """One row alone, CSR and `out` give the same bits; float32 features are the float64 ones, rounded."""
    X = np.where(data() > 0, data(), 0.0).astype(np.float32).astype(dtype)
    fitted = cls(30, gamma=0.3, random_state=1).fit(X)
    Phi = fitted.transform(X)
    assert Phi.dtype == dtype
    for i in (0, 100, 199):
        assert np.array_equal(fitted.transform(X[i : i + 1]), Phi[i : i + 1])
    assert np.array_equal(fitted.transform(sparse.csr_matrix(X)), Phi)
    assert np.array_equal(cls(30, gamma=0.3, random_state=1).fit(sparse.csr_matrix(X)).transform(X), Phi)
    out = np.empty((200, 30), dtype)
    assert fitted.transform(X, out=out) is out
    assert np.array_equal(out, Phi)
    double = fitted.transform(X.astype(np.float64))
    np.testing.assert_allclose(Phi, double, rtol=1e-6 if dtype == np.float32 else 0, atol=1e-9)


@pytest.mark.parametrize("cls", BOTH)
def test_what_is_held(cls):
    fitted = cls(32, gamma=0.3, random_state=1).fit(data())
    assert fitted.n_parameters_ == 32 * 6
    assert fitted.nbytes_ >= 8 * (32 * 6 + 32 * 32) * 2
    assert fitted.algorithm_
