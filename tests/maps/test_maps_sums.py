"""``map_dot`` and ``gram``: what they return, and that they never hold the features."""

import tracemalloc
from typing import ClassVar

import numpy as np
import pytest
from numpy.random import RandomState
from scipy import sparse
from sklearn.linear_model import Ridge

from scrf_bench.maps import RKS, SCRF
from scrf_bench.maps.feature_map import FeatureMap, TileMap
from tests.maps.variants import ALL, EMBEDDED, embedded_id

over_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])
over_embedded = pytest.mark.parametrize(("name", "options"), EMBEDDED, ids=embedded_id)


class _Powers(TileMap):
    algorithm = "powers"
    n_parameters = 0
    nbytes = 0

    def __init__(self, n_features, n_components, dtype):
        self.dtype, self.tile_rows, self.tile_columns, self.degree = dtype, 16, n_features, n_components

    def write(self, tile, n_rows, out, work):
        out[...] = tile[:n_rows, :1] ** np.arange(self.degree, dtype=self.dtype)


class Powers(FeatureMap):
    """Powers of the first feature: a map of no random frequencies, known without computing it."""

    name: ClassVar[str] = "powers"
    label: ClassVar[str] = "Powers"

    def _tile_map(self, dtype):
        return _Powers(self.n_features_in_, self.n_components, dtype)


def data(n_rows, d, dtype=np.float64):
    X = np.maximum(RandomState(0).standard_normal((n_rows, d)), 0)
    return X.astype(dtype), RandomState(1).standard_normal((n_rows, 3))


def fitted_map(name, options, d, dtype, D=514):
    return ALL[name](D, gamma=0.5 / d, random_state=7, **options).fit(data(600, d, dtype)[0])


def dot_bound(Phi, W, dtype):
    """Rounding of sums of 512 products in `dtype`, of the weights and of the result."""
    return 514 * np.finfo(dtype).eps * (np.abs(Phi) @ np.abs(W)) + np.finfo(dtype).tiny


@over_dtypes
@over_embedded
def test_map_dot_is_the_product(name, options, dtype):
    """Within the rounding error of the stated sums, for vectors and matrices of weights."""
    X, _ = data(700, 60, dtype)
    fitted = fitted_map(name, options, 60, dtype)
    Phi = fitted.transform(X).astype(np.float64)
    W = RandomState(2).standard_normal((Phi.shape[1], 18))
    result = fitted.map_dot(X, W)
    assert (result.shape, result.dtype) == ((700, 18), dtype)
    assert (np.abs(result - Phi @ W) <= dot_bound(Phi, W, dtype)).all()
    assert np.array_equal(fitted.map_dot(X, W[:, 0].tolist()), fitted.map_dot(X, W[:, :1])[:, 0])
    assert fitted.map_dot(X[:3], W[:, 0]).shape == (3,)
    assert fitted.map_dot(X[:3], W[:, :0]).shape == (3, 0)


@over_dtypes
@over_embedded
def test_map_dot_sees_one_row_at_a_time(name, options, dtype, tmp_path):
    """Permuted, single and sparse rows and rows of a file give the same bits."""
    X, _ = data(601, 60, dtype)
    fitted = fitted_map(name, options, 60, dtype)
    W = RandomState(2).standard_normal((fitted.get_feature_names_out().size, 2))
    result = fitted.map_dot(X, W)
    order = RandomState(1).permutation(len(X))
    assert np.array_equal(fitted.map_dot(X[order], W), result[order])
    for i in (0, 1, 63, 300, 600):
        assert np.array_equal(fitted.map_dot(X[i : i + 1], W), result[i : i + 1])
    assert np.array_equal(fitted.map_dot(X[77:], W), result[77:])
    assert np.array_equal(fitted.map_dot(sparse.csr_matrix(X), W), result)
    np.save(tmp_path / "X.npy", X)
    assert np.array_equal(fitted.map_dot(np.load(tmp_path / "X.npy", mmap_mode="r"), W), result)


@over_dtypes
@over_embedded
def test_gram_is_the_sum_of_products(name, options, dtype, tmp_path):
    """``Phi'Phi`` within the stated rounding error and exactly symmetric, ``Phi'y`` to float64's."""
    X, Y = data(2500, 60, dtype)
    fitted = fitted_map(name, options, 60, dtype)
    Phi = fitted.transform(X).astype(np.float64)
    gram, dot = fitted.gram(X, Y)
    assert (gram.dtype, dot.dtype) == (np.float64, np.float64)
    assert (np.abs(gram - Phi.T @ Phi) <= 1025 * np.finfo(dtype).eps * (np.abs(Phi).T @ np.abs(Phi))).all()
    assert np.array_equal(gram, gram.T)
    np.testing.assert_allclose(dot, Phi.T @ Y, rtol=0, atol=2500 * 2.3e-16 * (np.abs(Phi).T @ np.abs(Y)).max())

    again, none = fitted.gram(sparse.csr_matrix(X))
    assert none is None
    assert np.array_equal(again, gram)
    np.save(tmp_path / "X.npy", X)
    again, dot_first = fitted.gram(np.load(tmp_path / "X.npy", mmap_mode="r"), Y[:, 0].tolist())
    assert np.array_equal(again, gram)
    assert dot_first.shape == (gram.shape[0],)
    np.testing.assert_allclose(dot_first, dot[:, 0], rtol=1e-12, atol=1e-12)


def test_float32_sums_are_far_better_than_their_bound():
    """Rounding errors of products in float32 average out: the Gram matrix keeps six digits of its largest
    eigenvalue, so that a ridge of 1e-6 of it is safe.
    """
    X, _ = data(20_000, 60, np.float32)
    fitted = RKS(256, gamma=0.5 / 60, random_state=0).fit(X)
    gram, _ = fitted.gram(X)
    Phi = fitted.transform(X).astype(np.float64)
    exact = Phi.T @ Phi
    assert np.linalg.norm(gram - exact, 2) < 1e-6 * np.linalg.norm(exact, 2)


def test_maps_without_frequencies_have_them_too():
    """A FeatureMap that is no RandomFeatureMap, whose features are known."""
    X = np.linspace(-1, 1, 35)[:, np.newaxis]
    powers = Powers(4).fit(X)
    np.testing.assert_allclose(powers.map_dot(X, [1.0, 2.0, 0.0, 3.0]), 1 + 2 * X[:, 0] + 3 * X[:, 0] ** 3, atol=1e-14)
    gram, dot = powers.gram(X, X[:, 0])
    moments = np.array([np.sum(X**k) for k in range(7)])
    np.testing.assert_allclose(gram, moments[np.add.outer(np.arange(4), np.arange(4))], atol=1e-13)
    np.testing.assert_allclose(dot, moments[1:5], atol=1e-13)


def test_ridge_regression_from_the_sums():
    """Least squares through `gram` and predictions through `map_dot` are scikit-learn's on stored features."""
    X, Y = data(900, 12)
    fitted = SCRF(64, gamma=0.1, random_state=0).fit(X)
    gram, dot = fitted.gram(X, Y)
    W = np.linalg.solve(gram + 0.1 * np.eye(64), dot)
    Phi = fitted.transform(X)
    expected = Ridge(alpha=0.1, fit_intercept=False, solver="cholesky").fit(Phi, Y).predict(Phi)
    np.testing.assert_allclose(fitted.map_dot(X, W), expected, atol=1e-9)


def peak_of(call):
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["rks", "scrf"])
def test_features_are_never_stored(name):
    """The features would have 164 MB; sums take what does not grow with the number of rows."""
    X, Y = data(20_000, 60)
    fitted = ALL[name](1024, random_state=0).fit(X)
    W = np.zeros((1024, 5))
    for rows in (X, sparse.csr_matrix(X)):
        assert peak_of(lambda rows=rows: fitted.map_dot(rows, W)) < 2e7
        # The result, 1024 rows of features, and tiles: 8.4 + 8.4 MB and some.
        assert peak_of(lambda rows=rows: fitted.gram(rows, Y[:, 0])) < 3.5e7


def test_wrong_rows_are_refused():
    fitted = RKS(8).fit(np.eye(3))
    for call in (lambda X: fitted.map_dot(X, np.zeros(8)), fitted.gram):
        with pytest.raises(ValueError, match="4 features"):
            call(np.eye(4))
        with pytest.raises(ValueError, match="NaN"):
            call(np.full((2, 3), np.nan))
