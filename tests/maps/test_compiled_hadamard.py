"""The compiled Hadamard transforms, and the maps made of them, against dense matrices from scipy."""

import numpy as np
import pytest
from numpy.random import RandomState
from scipy.linalg import hadamard

from scrf_bench.maps.compiled.hadamard import part_size, vector_places, work_size
from scrf_bench.maps.compiled.transposed import PAIR, PHASE, TURNS
from scrf_bench.maps.epilogue import Epilogue
from scrf_bench.maps.fastfood import Fastfood
from scrf_bench.maps.hadamard import HadamardProjection, hadamard_projection, padded_order, walsh_hadamard
from scrf_bench.maps.sorf import SORF

DTYPES = [np.dtype(np.float32), np.dtype(np.float64)]
over_dtypes = pytest.mark.parametrize("dtype", DTYPES, ids=str)
over_maps = pytest.mark.parametrize("cls", [Fastfood, SORF])


def error_bound(dtype, length):
    """Return the error allowed of a feature, in units of sqrt(2/D), for a row of ``||x||/sigma = length``."""
    least, slope = (2e-5, 2e-6) if dtype == np.float32 else (1e-11, 1e-12)
    return np.maximum(least, slope * length)


def plain_turns(cls, fitted, X):
    """Return X Pi^T / (2 pi) and the phases / (2 pi), float64, by dense H, from the draws that the docstrings name."""
    d, n, F = X.shape[1], padded_order(X.shape[1]), fitted.n_frequencies_
    t, rng, H = -(-F // n), RandomState(fitted.seed_), hadamard(n).astype(float)
    x = np.zeros((len(X), n))
    x[:, :d] = X
    factors = np.ones(F)
    if cls is Fastfood:
        B = rng.randint(0, 2, (t, n)) * 2.0 - 1.0
        P = [rng.permutation(n) for _ in range(t)]
        G = rng.standard_normal((t, n))
        s = np.sqrt(rng.chisquare(n, F))
        Z = np.hstack([((x * B[i]) @ H)[:, P[i]] * G[i] @ H for i in range(t)]) / np.sqrt(n)
        if fitted.scaling:
            factors = s / np.repeat(np.linalg.norm(G, axis=1), n)[:F]
    else:
        Q = H / np.sqrt(n)
        signs = rng.randint(0, 2, (t, 3, n)) * 2.0 - 1.0
        Z = np.hstack([(((x * D3) @ Q * D2) @ Q * D1) @ Q for D1, D2, D3 in signs]) * np.sqrt(n)
    if fitted.kernel == "matern":
        factors = factors * fitted._radial_factors(F)
    phase = rng.uniform(-np.pi, np.pi, fitted.n_components) / (2 * np.pi) if fitted.embedding == "phase" else None
    return Z[:, :F] * factors * np.sqrt(2 * fitted.gamma) / (2 * np.pi), phase


def plain_features(cls, fitted, X):
    """Return the features in units of sqrt(2/D)."""
    turns, phase = plain_turns(cls, fitted, X)
    if phase is not None:
        return np.cos(2 * np.pi * (turns + phase))
    return np.hstack([np.cos(2 * np.pi * turns), np.sin(2 * np.pi * turns)])


def rows_of_length(rng, n_rows, d, length, dtype):
    X = rng.standard_normal((n_rows, d))
    return (X * (length / np.linalg.norm(X, axis=1, keepdims=True))).astype(dtype)


def one_transform(order, n_features, n_frequencies, dtype, n_stages=1, permutations=None, factor=1.0):
    """Return the projection H .. H times a factor."""
    n_blocks = -(-n_frequencies // order)
    ones = np.ones((n_blocks, n_stages, order))
    return HadamardProjection(ones, permutations, np.full(1, 2 * np.pi * factor), n_frequencies, n_features, dtype)


def turns_of(projection, X):
    pieces = [Z.copy() for Z in projection.project_tile(X, projection.workspace())]
    return np.hstack(pieces)


@over_dtypes
@pytest.mark.parametrize("order", [32, 64, 128, 256, 512, 1024, 2048, 4096])
def test_transform_equals_scipys_hadamard(order, dtype):
    """Integers up to 8 in magnitude: all sums are exact in both dtypes, so the results are equal."""
    X = RandomState(order).randint(-8, 9, (3, order)).astype(dtype)
    expected = X.astype(float) @ hadamard(order)
    np.testing.assert_array_equal(turns_of(one_transform(order, order, order, dtype), X), expected)


@over_dtypes
@pytest.mark.parametrize("order", [32, 128, 1024])
def test_two_transforms_return_the_input(order, dtype):
    """``H H = n I``; with a permutation between them, ``H Pi H`` is scipy's product."""
    X = RandomState(order).randint(-8, 9, (2, order)).astype(dtype)
    np.testing.assert_array_equal(turns_of(one_transform(order, order, order, dtype, n_stages=2), X), order * X)
    order_of = RandomState(1).permutation(order)
    H = hadamard(order).astype(float)
    got = turns_of(one_transform(order, order, order, dtype, n_stages=2, permutations=order_of[np.newaxis]), X)
    np.testing.assert_array_equal(got, (X @ H)[:, order_of] @ H)


@pytest.mark.parametrize("order", [1, 2, 4, 16, 256])
def test_plain_transform_equals_scipys_hadamard(order):
    """The numpy transform of which dense matrices are made."""
    rows = RandomState(0).randint(-8, 9, (3, order)).astype(float)
    np.testing.assert_array_equal(walsh_hadamard(rows), rows @ hadamard(order))


@over_dtypes
@pytest.mark.parametrize("n_frequencies", [1, 15, 16, 17, 63, 64, 65, 200])
@pytest.mark.parametrize("n_features", [33, 47, 48, 64])
def test_ragged_shapes_write_their_own_places_alone(n_features, n_frequencies, dtype):
    """Rows, columns and blocks that fill no tile; the result starts at any place of a wider array."""
    rng = RandomState(2)
    order = 64
    projection = one_transform(order, n_features, n_frequencies, dtype, factor=1 / 16)
    H = np.vstack([hadamard(order)] * 4)[:n_frequencies, :n_features]
    for n_rows in (1, 7, 8, 16, 19):
        X = rng.randint(-8, 9, (n_rows, n_features)).astype(dtype)
        np.testing.assert_array_equal(turns_of(projection, X), X @ H.T / 16)
        for offset in (0, 1, 5):
            around = np.full((n_rows + 2, 2 * n_frequencies + 9), 7, dtype)
            out = around[1:-1, offset : offset + 2 * n_frequencies]
            pair = Epilogue(None, 2 * n_frequencies, dtype)
            projection.write_features(X, n_rows, pair, out, projection.workspace())
            angles = 2 * np.pi * (X @ H.T % 16 / 16)
            expected = pair.scale * np.hstack([np.cos(angles), np.sin(angles)])
            np.testing.assert_allclose(out, expected, rtol=0, atol=1e-6 if dtype == np.float32 else 2e-15)
            out[...] = 7
            assert (around == 7).all()


@over_dtypes
@over_maps
@pytest.mark.parametrize("embedding", ["phase", "pair"])
@pytest.mark.parametrize(
    ("d", "D"), [(1, 6), (5, 40), (16, 50), (17, 90), (60, 130), (100, 2), (784, 1500), (1500, 4096)]
)
def test_maps_equal_their_formula(cls, d, D, embedding, dtype):
    """Dense and compiled; up to ||x||/sigma = 10^6; blocks cut off, input padded."""
    rng = RandomState(3)
    fitted = cls(D, gamma=0.5, embedding=embedding, random_state=4).fit(np.zeros((1, d), dtype))
    assert fitted.algorithm_ == ("dense BLAS" if d <= 16 else "compiled Hadamard transform")
    for length in (1.0, 10.0, 1e3, 1e6):
        X = rows_of_length(rng, 21, d, length, dtype)
        error = np.abs(fitted.transform(X) / np.sqrt(2 / D) - plain_features(cls, fitted, X)).max()
        assert error <= error_bound(dtype, length)
        turns, _ = plain_turns(cls, fitted, X)
        assert np.abs(fitted.project(X) - 2 * np.pi * turns).max() <= error_bound(dtype, length)


@over_dtypes
@pytest.mark.parametrize("options", [{"scaling": False}, {"kernel": "matern", "nu": 2.5}], ids=str)
@pytest.mark.parametrize("d", [7, 60])
def test_fastfood_variants_equal_their_formula(d, options, dtype):
    """Without S; with radial factors, which lengthen a row's frequencies and with them the error."""
    fitted = Fastfood(300, gamma=0.5, random_state=4, **options).fit(np.zeros((1, d), dtype))
    X = rows_of_length(RandomState(5), 21, d, 1.0, dtype)
    factors = fitted._radial_factors(300)
    bound = error_bound(dtype, 1.0 if factors is None else factors.max())
    assert np.abs(fitted.transform(X) / np.sqrt(2 / 300) - plain_features(Fastfood, fitted, X)).max() <= bound


@pytest.mark.parametrize("d", [7, 60])
def test_sorf_of_the_matern_kernel_multiplies_rows(d):
    gaussian, matern = (
        SORF(64, random_state=4, kernel=kernel).fit(np.zeros((1, d))) for kernel in ("gaussian", "matern")
    )
    X = RandomState(6).standard_normal((4, d))
    factors = matern._radial_factors(64)
    np.testing.assert_allclose(matern.project(X), gaussian.project(X) * factors, rtol=1e-11, atol=1e-12)
    assert matern.n_parameters_ == gaussian.n_parameters_ + 64


@pytest.mark.parametrize("d", [8, 32, 60])
def test_sorf_keeps_lengths(d):
    """A block is an orthogonal matrix times sqrt(n)/sigma: ``||V x||^2 = n ||x||^2 / sigma^2``."""
    n = padded_order(d)
    X = RandomState(7).standard_normal((5, d))
    Z = SORF(n, gamma=0.5, random_state=0).fit(X).project(X)
    np.testing.assert_allclose((Z**2).sum(axis=1), n * (X**2).sum(axis=1), rtol=1e-12)


@over_dtypes
@over_maps
@pytest.mark.parametrize("embedding", ["phase", "pair"])
def test_inf_and_nan_stay_in_their_row(cls, embedding, dtype):
    """Every other row keeps its bits; the spoilt one is nan throughout."""
    X = RandomState(8).standard_normal((40, 50)).astype(dtype)
    projection = cls(300, embedding=embedding, random_state=0).fit(X)._projection(dtype)
    phase = np.linspace(-1, 1, 300) if embedding == "phase" else None
    epilogue = Epilogue(phase, 300, dtype)

    def features(rows):
        out = np.empty((len(rows), 300), dtype)
        projection.write_features(rows, len(rows), epilogue, out, projection.workspace())
        return out

    clean = features(X)
    for place, value in ((0, np.nan), (17, np.inf), (39, -np.inf)):
        spoilt = X.copy()
        spoilt[place, 11] = value
        got = features(spoilt)
        assert np.isnan(got[place]).all()
        assert np.delete(got, place, 0).tobytes() == np.delete(clean, place, 0).tobytes()


@over_dtypes
@over_maps
def test_bits_of_a_row_depend_on_it_alone(cls, dtype):
    """Its place in a tile, the number of rows, a read-only or unaligned X, and -0 for +0 change nothing."""
    X = RandomState(9).standard_normal((70, 45)).astype(dtype)
    X[:, ::5] = 0
    fitted = cls(200, random_state=0).fit(X)
    Phi = fitted.transform(X)
    for rows in (slice(1, 2), slice(3, 40), slice(17, 70)):
        assert fitted.transform(X[rows]).tobytes() == Phi[rows].tobytes()
    negative = np.where(X == 0, -X, X)
    assert np.signbit(negative[0, 0])
    negative.flags.writeable = False
    unaligned = np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(dtype).reshape(X.shape)
    assert not unaligned.flags.aligned
    projection, epilogue = fitted._projection(dtype), Epilogue(np.zeros(200), 200, dtype)
    features = []
    for rows in (X, negative, unaligned):
        out = np.empty((70, 200), dtype)
        projection.write_features(rows, 70, epilogue, out, projection.workspace())
        features.append(out.tobytes())
    assert features[0] == features[1] == features[2]


@over_maps
def test_dense_and_compiled_are_the_same_map(cls):
    """At an order that is dense by choice, the compiled kernel is still right from 2 vectors on: n = 16 in float64."""
    dtype = np.dtype(np.float64)
    rng = RandomState(10)
    diagonals, permutations = rng.standard_normal((3, 2, 16)), np.stack([rng.permutation(16) for _ in range(3)])
    factors = rng.standard_normal(40)
    options = {"n_frequencies": 40, "n_features": 13, "dtype": dtype, "n_parameters": 5}
    moved = permutations if cls is Fastfood else None
    dense = hadamard_projection(diagonals, moved, factors, **options)
    assert (dense.algorithm, dense.n_parameters) == ("dense BLAS", 5)
    X = rng.standard_normal((dense.tile_rows, 13))
    compiled = HadamardProjection(diagonals, moved, factors, 40, 13, dtype)
    np.testing.assert_allclose(turns_of(compiled, X[:50]), turns_of(dense, X)[:50], rtol=0, atol=1e-13)


@over_maps
def test_what_a_map_holds_and_draws(cls):
    """n = 64, t = 4 blocks cut off at F = 200: parameters and bytes as the docstring counts them."""
    fitted = cls(200, random_state=0).fit(np.zeros((1, 60), np.float32))
    drawn = 3 * 4 * 64 + 200 + (200 if cls is Fastfood else 0)
    assert fitted.n_parameters_ == drawn
    floats = 4 * 64 * (2 if cls is Fastfood else 3) + (200 if cls is Fastfood else 1) + 200
    integers = 64 * (1 + 4 if cls is Fastfood else 1)
    assert fitted.nbytes_ == 4 * (floats + integers)


@pytest.mark.parametrize("itemsize", [4, 8])
@pytest.mark.parametrize("order", [32, 512, 8192])
def test_scratch_holds_what_the_places_need(order, itemsize):
    """Three spaced transforms; parts of whole tiles, each with one vector behind it."""
    places, part = vector_places(order, itemsize), part_size(order, itemsize)
    assert part % (64 // itemsize) == 0
    assert (np.diff(places) == np.where(np.arange(1, order) % part, 1, 2)).all()
    assert work_size(order, itemsize) >= 3 * (places[-1] + 2) * (64 // itemsize)
    assert len({TURNS, PHASE, PAIR}) == 3
