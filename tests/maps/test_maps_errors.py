"""How far features are from the formula evaluated exactly, and how much memory they take on the way."""

import tracemalloc

import numpy as np
import pytest
from numpy.random import RandomState
from scipy import sparse

from scrf_bench.maps import RKS
from tests.maps.variants import ALL, EMBEDDED, RANDOM, embedded_id

# (floor, slope) of the stated bound max(floor, slope ||x||/sigma), in units of sqrt(2/D).
BOUNDS = {np.float32: (2e-5, 2e-6), np.float64: (1e-11, 1e-12)}
# ||x||/sigma.
RATIOS = [0.0, 1e-3, 0.5, 3.0, 10.0, 11.0, 1e2, 1e3, 1e4, 1e5, 1e6]
# Small, prime, smooth, a power of two: what a map's choice of algorithm may turn on.
WIDTHS = [3, 16, 60, 97, 180, 256, 1024]


def frequencies(fitted):
    """Return the matrix Pi, (F, d), float64: the projections of the unit vectors.

    That it is the right matrix is tested elsewhere, against each map's formula.
    """
    return fitted.project(np.eye(fitted.n_features_in_)).T


def phases(fitted):
    """Return b from ``cos(b)`` and ``cos(b - pi/2) = sin(b)``; None for the pair embedding."""
    if fitted.embedding == "pair":
        return None
    Z = np.zeros((2, fitted.n_frequencies_))
    Z[1] = -np.pi / 2
    cosine, sine = fitted.featurize(Z)
    return np.arctan2(sine, cosine)


def formula(fitted, X):
    """Return features in units of ``sqrt(2/D)``, sums and cosines in extended precision."""
    Z = X.astype(np.longdouble) @ frequencies(fitted).T.astype(np.longdouble)
    b = phases(fitted)
    return np.cos(Z + b) if b is not None else np.hstack([np.cos(Z), np.sin(Z)])


def rows_of_length(ratios, d, sigma, dtype):
    """Return one random, one constant and one sparse direction for each length, times sigma."""
    rng = RandomState(3)
    directions = [rng.standard_normal(d), np.ones(d), np.eye(d)[d // 2]]
    X = [sigma * ratio * v / np.linalg.norm(v) for ratio in ratios for v in directions]
    return np.array(X).astype(dtype)


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize(("name", "options"), [case for case in EMBEDDED if case[0] in RANDOM], ids=embedded_id)
def test_features_are_as_exact_as_stated(name, options, d, dtype):
    """The bound of RandomFeatureMap's docstring, up to ``||x||/sigma = 1e6``."""
    sigma, D = 3.0, 600
    fitted = ALL[name](D, gamma=0.5 / sigma**2, random_state=5, **options).fit(np.zeros((1, d)))
    X = rows_of_length(RATIOS, d, sigma, dtype)
    error = np.abs(fitted.transform(X) / np.sqrt(2 / D) - formula(fitted, X)).astype(np.float64)

    factors = fitted._radial_factors(fitted.n_frequencies_)
    lengths = np.maximum(1.0, np.ones(fitted.n_frequencies_) if factors is None else factors)
    lengths = np.repeat(RATIOS, 3)[:, np.newaxis] * np.resize(lengths, D)
    floor, slope = BOUNDS[dtype]
    excess = error / np.maximum(floor, slope * lengths)
    assert excess.max() <= 1.0, f"{excess.max():.2f} times the bound, by {fitted.algorithm_}"


def test_the_bound_would_catch_single_precision_phases():
    """The test has power: the float64 bound fails by far on features made in float32."""
    fitted = RKS(600, gamma=0.5, random_state=5).fit(np.zeros((1, 60)))
    X = rows_of_length([10.0], 60, 1.0, np.float64)
    error = np.abs(fitted.transform(X.astype(np.float32)) / np.sqrt(2 / 600) - formula(fitted, X))
    assert error.max() > 1e4 * BOUNDS[np.float64][0]


def peak_of(call):
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "options"), EMBEDDED, ids=embedded_id)
def test_transform_needs_sixteen_mebibytes(name, options, dtype):
    """Besides an output of 41 or 82 MB (float32, float64): no second result, dense or CSR."""
    n_rows, d, D = 20_000, 60, 514
    X = np.maximum(RandomState(0).standard_normal((n_rows, d)), 0).astype(dtype)
    fitted = ALL[name](D, gamma=0.5 / d, random_state=0, **options).fit(X[:D].astype(np.float64))
    out = np.empty((n_rows, D), dtype)
    fitted.transform(X[:700])
    for rows in (X, sparse.csr_matrix(X)):
        assert peak_of(lambda rows=rows: fitted.transform(rows, out=out)) < 2**24


@pytest.mark.parametrize(
    "layout", [np.ascontiguousarray, np.asfortranarray, sparse.csr_matrix], ids=lambda f: f.__name__
)
def test_wide_rows_need_sixteen_mebibytes(layout):
    """Rows of 64 KB are copied a few at a time; X has 65 MB."""
    X = np.zeros((1000, 8192))
    X[:, ::7] = RandomState(0).standard_normal((1000, 1171))
    fitted = RKS(256, gamma=0.5 / 8192, random_state=0).fit(X[:1])
    X = layout(X)
    assert peak_of(lambda: fitted.transform(X)) < 2**24 + 1000 * 256 * 8


@pytest.mark.parametrize("name", RANDOM)
def test_project_and_featurize_need_no_second_result(name):
    """Besides outputs of 65 MB."""
    X = RandomState(0).standard_normal((4000, 180))
    fitted = ALL[name](2048, random_state=0).fit(X)
    out = np.empty((4000, 2048))
    Z = fitted.project(X)
    assert peak_of(lambda: fitted.project(X, out=out)) < 2**24
    assert peak_of(lambda: fitted.featurize(Z, out=out)) < 2**24
