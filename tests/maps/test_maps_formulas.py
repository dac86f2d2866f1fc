"""Each map against the plain formula it claims to compute, from the draws that its docstring states."""

import math

import numpy as np
import pytest
import scipy.linalg
from numpy.random import RandomState

import scrf_bench.maps.circulant
import scrf_bench.maps.dense
import scrf_bench.maps.fastfood
from scrf_bench.maps import RKS, SCRF, Fastfood
from scrf_bench.maps.hadamard import HadamardTransform

GAMMA = 0.3
SHAPES = [(1, 1), (1, 6), (2, 5), (3, 64), (22, 50), (22, 512), (60, 60), (180, 77), (180, 400), (64, 256)]


def plain_rks(rng, d, F):
    return rng.standard_normal((F, d)) * math.sqrt(2 * GAMMA)


def plain_scrf(rng, d, F):
    t = -(-F // d)
    c = rng.standard_normal((t, d)) * math.sqrt(2 * GAMMA)
    signs = 2.0 * rng.randint(0, 2, F) - 1
    circulants = np.vstack([scipy.linalg.circulant(column) for column in c])
    return signs[:, np.newaxis] * circulants[:F]


def plain_fastfood(rng, d, F, scaling=True):
    n = 2 ** math.ceil(math.log2(d))
    t = -(-F // n)
    B = 2.0 * rng.randint(0, 2, (t, n)) - 1
    permutations = [np.eye(n)[rng.permutation(n)] for _ in range(t)]
    G = rng.standard_normal((t, n))
    s = np.sqrt(rng.chisquare(n, F))
    H = scipy.linalg.hadamard(n).astype(float)
    blocks = [H @ np.diag(G[i]) @ permutations[i] @ H @ np.diag(B[i]) for i in range(t)]
    V = np.vstack(blocks)[:F] * math.sqrt(2 * GAMMA) / math.sqrt(n)
    if scaling:
        V *= (s / np.repeat(np.sqrt((G**2).sum(axis=1)), n)[:F])[:, np.newaxis]
    return V[:, :d]


def plain_unscaled_fastfood(rng, d, F):
    return plain_fastfood(rng, d, F, scaling=False)


CASES = {
    "rks": (RKS, {}, plain_rks),
    "scrf": (SCRF, {}, plain_scrf),
    "fastfood": (Fastfood, {}, plain_fastfood),
    "fastfood-no-S": (Fastfood, {"scaling": False}, plain_unscaled_fastfood),
}


def plain_features(Z, rng, D, embedding):
    if embedding == "phase":
        return math.sqrt(2 / D) * np.cos(Z + rng.uniform(-math.pi, math.pi, D))
    return math.sqrt(2 / D) * np.hstack([np.cos(Z), np.sin(Z)])


@pytest.mark.parametrize("embedding", ["phase", "pair"])
@pytest.mark.parametrize(("d", "F"), SHAPES)
@pytest.mark.parametrize("case", CASES)
def test_equals_plain_formula(case, d, F, embedding):
    """Projection and features equal dense matrices, whether or not d is a power of two or divides F."""
    cls, options, plain_matrix = CASES[case]
    D = F if embedding == "phase" else 2 * F
    X = RandomState(1).standard_normal((7, d))
    fitted = cls(D, gamma=GAMMA, embedding=embedding, random_state=3, **options).fit(X)
    rng = RandomState(fitted.seed_)
    Z = X @ plain_matrix(rng, d, F).T
    scale = np.linalg.norm(X, axis=1).max() * math.sqrt(max(d, 2))
    np.testing.assert_allclose(fitted.project(X), Z, rtol=0, atol=1e-14 * scale)
    np.testing.assert_allclose(fitted.transform(X), plain_features(Z, rng, D, embedding), rtol=0, atol=1e-14 * scale)


@pytest.mark.parametrize(("d", "F"), [(22, 300), (150, 600), (60, 235)])
@pytest.mark.parametrize("case", CASES)
def test_several_pieces_equal_plain_formula(case, d, F, monkeypatch):
    """Tiles worked off in several pieces (the last one shorter), and data of several tiles."""
    monkeypatch.setattr(scrf_bench.maps.circulant, "_PIECE_VALUES", 2048)
    monkeypatch.setattr(scrf_bench.maps.fastfood, "_PIECE_VALUES", 2048)
    monkeypatch.setattr(scrf_bench.maps.dense, "_BLOCK_COLUMNS", 64)
    cls, options, plain_matrix = CASES[case]
    X = RandomState(1).standard_normal((270, d))
    fitted = cls(F, gamma=GAMMA, random_state=3, **options).fit(X)
    assert len(fitted._prepared[X.dtype].projection.column_blocks) > 1
    rng = RandomState(fitted.seed_)
    Z = X @ plain_matrix(rng, d, F).T
    np.testing.assert_allclose(fitted.project(X), Z, rtol=0, atol=1e-11)
    np.testing.assert_allclose(fitted.transform(X), plain_features(Z, rng, F, "phase"), rtol=0, atol=1e-11)


@pytest.mark.parametrize("embedding", ["phase", "pair"])
@pytest.mark.parametrize("d", [22, 180, 1024])
@pytest.mark.parametrize("case", CASES)
def test_float32_error_bound(case, d, embedding):
    """float32 features differ from float64 ones by float32 rounding of the projection and the cosine only.

    A projection by a matrix of row length about sqrt(n)/sigma carries an error of order
    log2(n) eps ||row|| ||x||; the sum ``z + b`` and the cosine add a few eps (|z| + pi).
    """
    cls, options, _ = CASES[case]
    X = RandomState(1).standard_normal((40, d)).astype(np.float32)
    fitted = cls(512, gamma=1 / d, embedding=embedding, random_state=3, **options).fit(X)
    single, double = fitted.transform(X), fitted.transform(X.astype(np.float64))
    assert single.dtype == np.float32
    eps = np.finfo(np.float32).eps
    n = 2 ** math.ceil(math.log2(d))
    lengths = np.linalg.norm(X.astype(np.float64), axis=1) * math.sqrt(n) * math.sqrt(2 / d)
    z = np.abs(fitted.project(X.astype(np.float64))).max(axis=1)
    bound = math.sqrt(2 / 512) * eps * (0.5 * math.log2(n) * lengths + 2 * (z + math.pi))
    assert (np.abs(single - double).max(axis=1) <= bound).all()


@pytest.mark.parametrize("exponent", range(13))
def test_hadamard_equals_scipy(exponent):
    """Both forms of the factored transform equal the dense Sylvester matrix."""
    n = 2**exponent
    x = RandomState(0).standard_normal((3, n, 16))
    expected = scipy.linalg.hadamard(n) @ x
    transform = HadamardTransform(n, x.dtype)
    result, _ = transform.columns(x.copy(), np.empty_like(x))
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-14 * n)
    out = np.empty((16, 3 * n))
    transform.columns_to_rows(x.copy(), np.empty_like(x), out)
    np.testing.assert_allclose(out, expected.reshape(3 * n, 16).T, rtol=0, atol=1e-14 * n)


def test_signs_leave_pair_gram_unchanged():
    """Draw by draw, SCRF's pair Gram matrix is the unsigned circulant's: cos(-z) = cos(z)."""
    d, F = 22, 70
    X = RandomState(1).standard_normal((9, d))
    fitted = SCRF(2 * F, gamma=GAMMA, embedding="pair", random_state=5).fit(X)
    c = RandomState(fitted.seed_).standard_normal((4, d)) * math.sqrt(2 * GAMMA)
    Z = X @ np.vstack([scipy.linalg.circulant(column) for column in c])[:F].T
    unsigned = np.hstack([np.cos(Z), np.sin(Z)]) / math.sqrt(F)
    Phi = fitted.transform(X)
    np.testing.assert_allclose(Phi @ Phi.T, unsigned @ unsigned.T, rtol=0, atol=1e-14)


def test_signs_move_into_the_phase():
    """cos(sigma z + b) == cos(z + sigma b): the phase map is an unsigned circulant's with phases sigma b."""
    d, D = 22, 70
    X = RandomState(1).standard_normal((9, d))
    fitted = SCRF(D, gamma=GAMMA, random_state=5).fit(X)
    rng = RandomState(fitted.seed_)
    rng.standard_normal((4, d))
    signs = 2.0 * rng.randint(0, 2, D) - 1
    b = rng.uniform(-math.pi, math.pi, D)
    assert 0 < (signs > 0).sum() < D
    unsigned = math.sqrt(2 / D) * np.cos(signs * fitted.project(X) + signs * b)
    np.testing.assert_allclose(fitted.transform(X), unsigned, rtol=0, atol=1e-14)


@pytest.mark.parametrize("case", CASES)
def test_pair_and_phase_share_frequencies(case):
    """With as many frequencies and one seed the two embeddings differ in the epilogue alone."""
    cls, options, _ = CASES[case]
    X = RandomState(1).standard_normal((5, 22))
    phase = cls(50, random_state=7, **options).fit(X)
    pair = cls(100, random_state=7, embedding="pair", **options).fit(X)
    assert np.array_equal(phase.project(X), pair.project(X))
