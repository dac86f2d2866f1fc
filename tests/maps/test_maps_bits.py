"""A row's bits depend on that row and the seed alone."""

import numpy as np
import pytest
import sklearn
from numpy.random import RandomState
from scipy import sparse
from threadpoolctl import threadpool_limits

from scrf_bench.maps import RKS, SCRF, Fastfood

MAPS = {
    "rks": RKS,
    "scrf": SCRF,
    "fastfood": Fastfood,
    "fastfood-no-S": lambda *args, **kwargs: Fastfood(*args, scaling=False, **kwargs),
}
SHAPES = [(1, 2), (2, 30), (5, 14), (22, 100), (60, 514), (180, 1000), (784, 130)]
N_ROWS = 301


def rows(d, dtype):
    X = RandomState(0).standard_normal((N_ROWS, d))
    return np.where(X > -0.5, X, 0.0).astype(dtype)


def fit(name, d, D, embedding):
    return MAPS[name](D, gamma=0.5 / d, embedding=embedding, random_state=11).fit(np.zeros((1, d)))


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("embedding", ["phase", "pair"])
@pytest.mark.parametrize(("d", "D"), SHAPES)
@pytest.mark.parametrize("name", MAPS)
def test_rows_do_not_see_each_other(name, d, D, embedding, dtype):
    """Permuted rows, single rows, fewer rows, chunks, CSR and another memory layout give the same bits."""
    X = rows(d, dtype)
    fitted = fit(name, d, D, embedding)
    Phi = fitted.transform(X)
    assert Phi.shape == (N_ROWS, D)
    assert Phi.dtype == dtype

    order = RandomState(1).permutation(N_ROWS)
    assert same_bits(fitted.transform(X[order]), Phi[order])
    for i in (0, 1, 17, 255, 256, N_ROWS - 1):
        assert same_bits(fitted.transform(X[i : i + 1]), Phi[i : i + 1])
    for n in (2, 31, 100):
        assert same_bits(fitted.transform(X[n:]), Phi[n:])
        chunks = [chunk for _, chunk in fitted.iter_transform(X, rows=n)]
        assert same_bits(np.vstack(chunks), Phi)
    assert same_bits(fitted.transform(sparse.csr_matrix(X)), Phi)
    assert same_bits(fitted.transform(sparse.csr_array(X)[5:50]), Phi[5:50])
    assert same_bits(fitted.transform(np.asfortranarray(X)), Phi)
    assert same_bits(fitted.transform(np.repeat(X, 2, axis=0)[::2]), Phi)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("d", "D"), [(22, 100), (784, 1300)])
@pytest.mark.parametrize("name", MAPS)
def test_every_place_in_a_tile_is_alike(name, d, D, dtype):
    """One row repeated gives one result, wherever in the tile it lies."""
    X = np.repeat(rows(d, dtype)[:1], 600, axis=0)
    Phi = fit(name, d, D, "pair").transform(X)
    assert (Phi == Phi[0]).all()


@pytest.mark.parametrize("embedding", ["phase", "pair"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", MAPS)
def test_project_then_featurize_equals_transform(name, dtype, embedding):
    X = rows(60, dtype)
    fitted = fit(name, 60, 514, embedding)
    Z = fitted.project(X)
    before = Z.copy()
    assert same_bits(fitted.featurize(Z), fitted.transform(X))
    assert same_bits(Z, before)
    assert same_bits(fitted.featurize(Z[7:8]), fitted.transform(X[7:8]))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", MAPS)
def test_threads_do_not_matter(name, dtype):
    X = rows(180, dtype)
    fitted = fit(name, 180, 1000, "phase")
    results = []
    for threads in (1, 2, 3):
        with threadpool_limits(threads):
            results.append(fitted.transform(X))
    assert same_bits(results[0], results[1])
    assert same_bits(results[0], results[2])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("embedding", ["phase", "pair"])
@pytest.mark.parametrize("name", MAPS)
def test_bad_and_huge_rows_stay_alone(name, embedding, dtype):
    """nan, inf and numbers beyond the fast cosine's range leave every other row's bits untouched."""
    X = rows(22, dtype)
    fitted = fit(name, 22, 100, embedding)
    Phi = fitted.transform(X)
    spoilt = X.copy()
    bad = {3: np.nan, 4: np.inf, 100: -np.inf, 101: 1e30, 102: 1e7}
    for i, value in bad.items():
        spoilt[i, i % 22] = value
    with sklearn.config_context(assume_finite=True), np.errstate(all="ignore"):
        result = fitted.transform(spoilt)
    good = np.setdiff1d(np.arange(N_ROWS), list(bad))
    assert same_bits(result[good], Phi[good])
    assert np.isnan(result[3]).any()


@pytest.mark.parametrize("name", MAPS)
def test_negative_zero_is_zero(name):
    """-0.0 is lost in a sparse matrix, so it may not show in a dense one either."""
    X = np.zeros((2, 22))
    X[1] = -0.0
    Z = fit(name, 22, 100, "phase").project(X)
    assert Z[0].tobytes() == Z[1].tobytes()


@pytest.mark.parametrize("name", MAPS)
def test_fit_dtype_does_not_matter(name):
    """A map fitted on float32 is the map fitted on float64."""
    X = rows(22, np.float64)
    maps = [MAPS[name](64, random_state=2).fit(X.astype(dtype)) for dtype in (np.float32, np.float64)]
    for dtype in (np.float32, np.float64):
        assert same_bits(*(fitted.transform(X.astype(dtype)) for fitted in maps))
