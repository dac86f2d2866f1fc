"""The exact kernel against its definition, near and far from the origin."""

import doctest

import numpy as np
import pytest
from scipy import sparse

import scrf_bench.kernels.gaussian as module
from scrf_bench.kernels import gaussian_kernel, gaussian_kernel_blocks, gaussian_kernel_dot, pairs


def by_definition(X, Y, gamma):
    return np.exp(-gamma * ((X[:, np.newaxis] - Y[np.newaxis]) ** 2).sum(axis=2))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Blocks of a few rows, so that these small matrices have several."""
    monkeypatch.setattr(pairs, "_BLOCK_VALUES", 200)


@pytest.fixture
def data():
    rng = np.random.RandomState(0)
    return rng.standard_normal((53, 7)), rng.standard_normal((31, 7))


def test_equals_definition(data):
    X, Y = data
    np.testing.assert_allclose(gaussian_kernel(X, Y, gamma=0.3), by_definition(X, Y, 0.3), rtol=0, atol=1e-14)


def test_own_kernel_is_symmetric_with_unit_diagonal(data):
    X, _ = data
    K = gaussian_kernel(X, gamma=0.3)
    np.testing.assert_allclose(K, by_definition(X, X, 0.3), rtol=0, atol=1e-14)
    assert np.array_equal(K, K.T)
    assert np.array_equal(np.diag(K), np.ones(len(X)))


def test_near_points_far_from_the_origin():
    """Expanding ||x - y||^2 about the origin would lose every digit here: ||x||^2 eps = 2e-2."""
    rng = np.random.RandomState(1)
    X = 1e7 + rng.standard_normal((20, 5))
    X[1] = X[0]
    X[3] = X[2] + 1e-3
    K = gaussian_kernel(X, X.copy(), gamma=0.5)
    np.testing.assert_allclose(K, by_definition(X, X, 0.5), rtol=0, atol=1e-13)
    assert K.max() <= 1.0


def test_float32_input_is_computed_in_float64(data):
    X = data[0].astype(np.float32)
    expected = by_definition(X.astype(np.float64), X.astype(np.float64), 0.3)
    np.testing.assert_allclose(gaussian_kernel(X, gamma=0.3), expected, rtol=0, atol=1e-14)
    K = gaussian_kernel(X, gamma=0.3, dtype=np.float32)
    assert K.dtype == np.float32
    np.testing.assert_allclose(K, expected, rtol=0, atol=1e-7)


def test_sparse_equals_dense(data):
    X, Y = (np.where(A > 0, A, 0.0) for A in data)
    K = gaussian_kernel(sparse.csr_matrix(X), sparse.csr_matrix(Y), gamma=0.3)
    assert np.array_equal(K, gaussian_kernel(X, Y, gamma=0.3))


@pytest.mark.parametrize("rows", [None, 1, 10, 100])
def test_blocks_cover_the_matrix_once(data, rows):
    X, Y = data
    for other in (None, Y):
        blocks = list(gaussian_kernel_blocks(X, other, gamma=0.3, rows=rows, dtype=np.float32))
        covered = np.concatenate([np.arange(len(X))[rows] for rows, _ in blocks])
        assert np.array_equal(covered, np.arange(len(X)))
        K = np.vstack([K for _, K in blocks])
        assert K.dtype == np.float32
        np.testing.assert_allclose(K, gaussian_kernel(X, other, gamma=0.3), rtol=0, atol=1e-7)
    own = np.vstack([K for _, K in gaussian_kernel_blocks(X, gamma=0.3, rows=rows)])
    assert np.array_equal(np.diag(own), np.ones(len(X)))


@pytest.mark.parametrize("shape", [(31,), (31, 4)])
def test_dot_equals_product(data, shape):
    X, Y = data
    w = np.random.RandomState(2).standard_normal(shape)
    np.testing.assert_allclose(gaussian_kernel_dot(X, Y, w, 0.3), by_definition(X, Y, 0.3) @ w, atol=1e-13)
    w_own = np.ones(len(X))
    np.testing.assert_allclose(gaussian_kernel_dot(X, None, w_own, 0.3), by_definition(X, X, 0.3) @ w_own)


def test_errors_name_the_value(data):
    X, Y = data
    with pytest.raises(ValueError, match="gamma=0"):
        gaussian_kernel(X, gamma=0)
    with pytest.raises(ValueError, match=r"7 columns and Y has 6"):
        gaussian_kernel(X, Y[:, :6], gamma=1)
    with pytest.raises(ValueError, match="X has 1 dimensions"):
        gaussian_kernel(X[0], gamma=1)
    with pytest.raises(ValueError, match=r"w has shape \(30,\)"):
        gaussian_kernel_dot(X, Y, np.ones(30), 1.0)
    with pytest.raises(ValueError, match="rows=0"):
        gaussian_kernel_blocks(X, gamma=1, rows=0)


def test_doctests():
    assert doctest.testmod(module).failed == 0
