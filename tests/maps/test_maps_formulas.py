"""Each map against the plain formula it claims to compute, from the draws that its docstring states."""

import math

import numpy as np
import pytest
import scipy.linalg
from numpy.random import RandomState
from scipy.stats import norm, qmc

from scrf_bench.maps import OCRF, ORF, QMC, RKS, SCRF, SORF, ColumnSignedCirculant, Fastfood

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


def plain_haar(rng, d, F, radial=True):
    """numpy's QR: rows of Q' times the signs of R's diagonal, block by block."""
    blocks = []
    for start in range(0, F, d):
        rows = min(d, F - start)
        Q, R = np.linalg.qr(rng.standard_normal((rows, d)).T)
        lengths = np.sqrt(rng.chisquare(d, rows))
        lengths = lengths if radial else np.full(rows, math.sqrt(d))
        blocks.append(lengths[:, np.newaxis] * (Q * np.sign(np.diag(R))).T)
    return np.vstack(blocks) * math.sqrt(2 * GAMMA)


def plain_sorf(rng, d, F):
    n = 2 ** math.ceil(math.log2(d))
    signs = 2.0 * rng.randint(0, 2, (-(-F // n), 3, n)) - 1
    H = scipy.linalg.hadamard(n) / math.sqrt(n)
    blocks = [math.sqrt(n) * (H * D[0]) @ (H * D[1]) @ (H * D[2]) for D in signs]
    return np.vstack(blocks)[:F, :d] * math.sqrt(2 * GAMMA)


def plain_column_signed(rng, d, F, fresh=False):
    t = -(-F // d)
    c = rng.standard_normal((t, d)) * math.sqrt(2 * GAMMA)
    signs = 2.0 * rng.randint(0, 2, (t if fresh else 1, d)) - 1
    return np.vstack([scipy.linalg.circulant(c[i]) * signs[i if fresh else 0] for i in range(t)])[:F]


def plain_fresh_column_signed(rng, d, F):
    return plain_column_signed(rng, d, F, fresh=True)


def plain_circulant_ocrf(rng, d, F, order=None, radial=True, fresh=True):
    """Circulants from the full Hermitian spectrum; signs drawn anew after d blocks."""
    n = order or smooth_order(d)
    t = -(-F // n)
    angles = rng.uniform(-math.pi, math.pi, (t, n // 2 + 1))
    group = d if fresh else t
    signs = 2.0 * rng.randint(0, 2, (-(-t // group), d)) - 1
    lengths = np.sqrt(rng.chisquare(n, F))
    blocks = []
    for i in range(t):
        spectrum = np.empty(n, complex)
        spectrum[: n // 2 + 1] = np.exp(1j * angles[i])
        spectrum[0] = np.sign(angles[i, 0])
        if n % 2 == 0:
            spectrum[n // 2] = np.sign(angles[i, -1])
        spectrum[n // 2 + 1 :] = spectrum[1 : (n + 1) // 2][::-1].conj()
        column = np.fft.ifft(spectrum)
        assert np.abs(column.imag).max() < 1e-12
        blocks.append(scipy.linalg.circulant(column.real)[:, :d] * signs[i // group])
    lengths = lengths if radial else np.full(F, math.sqrt(n))
    return lengths[:, np.newaxis] * np.vstack(blocks)[:F] * math.sqrt(2 * GAMMA)


def smooth_order(d):
    return next(n for n in range(max(2 * d, 64), 10**6) if all(p <= 7 for p in prime_factors(n)))


def prime_factors(n):
    return [p for p in range(2, n + 1) if n % p == 0 and all(p % q for q in range(2, p))]


def plain_ocrf(rng, d, F):
    return plain_haar(rng, d, F) if d < 64 else plain_circulant_ocrf(rng, d, F)


def plain_unscaled_ocrf(rng, d, F):
    if d < 64:
        return plain_haar(rng, d, F, radial=False)
    return plain_circulant_ocrf(rng, d, F, order=d, radial=False, fresh=False)


def plain_qmc(rng, d, F, sequence=qmc.Sobol, shift=2.0**-31):
    seed = rng.randint(0, 2**32, 4, dtype=np.uint32)
    points = sequence(d, scramble=True, seed=np.random.default_rng(seed)).random(2 ** math.ceil(math.log2(F)))
    return norm.ppf(points[:F] + shift) * math.sqrt(2 * GAMMA)


def plain_halton(rng, d, F):
    return plain_qmc(rng, d, F, qmc.Halton, 0.0)


CASES = {
    "rks": (RKS, {}, plain_rks),
    "scrf": (SCRF, {}, plain_scrf),
    "fastfood": (Fastfood, {}, plain_fastfood),
    "fastfood-no-S": (Fastfood, {"scaling": False}, plain_unscaled_fastfood),
    "orf": (ORF, {}, plain_haar),
    "sorf": (SORF, {}, plain_sorf),
    "column_signed": (ColumnSignedCirculant, {}, plain_column_signed),
    "column_signed-fresh": (ColumnSignedCirculant, {"fresh_signs": True}, plain_fresh_column_signed),
    "ocrf": (OCRF, {}, plain_ocrf),
    "ocrf-circulant": (OCRF, {"dense_below": 0}, plain_circulant_ocrf),
    "ocrf-plain": (OCRF, {"order": "input", "radial": False, "fresh_signs": False}, plain_unscaled_ocrf),
    "qmc": (QMC, {}, plain_qmc),
    "qmc-halton": (QMC, {"sequence": "halton"}, plain_halton),
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


@pytest.mark.parametrize(("d", "F"), [(22, 3000), (150, 5000), (60, 2350)])
@pytest.mark.parametrize("case", CASES)
def test_several_pieces_equal_plain_formula(case, d, F):
    """Many frequencies (the last block cut off), and data of several tiles."""
    cls, options, plain_matrix = CASES[case]
    X = RandomState(1).standard_normal((270, d))
    fitted = cls(F, gamma=GAMMA, random_state=3, **options).fit(X)
    rng = RandomState(fitted.seed_)
    Z = X @ plain_matrix(rng, d, F).T
    np.testing.assert_allclose(fitted.project(X), Z, rtol=0, atol=1e-11)
    np.testing.assert_allclose(fitted.transform(X), plain_features(Z, rng, F, "phase"), rtol=0, atol=1e-11)


@pytest.mark.parametrize("nu", [0.5, 2.2])
@pytest.mark.parametrize("d", [22, 70])
@pytest.mark.parametrize("case", CASES)
def test_matern_rows_are_gaussian_rows_times_radial_factors(case, d, nu):
    """``u_j = sqrt(2 nu / chi^2_{2 nu})`` from a stream of its own; phases and directions stay as they were."""
    cls, options, plain_matrix = CASES[case]
    F = 300
    X = RandomState(1).standard_normal((7, d))
    fitted = cls(F, gamma=GAMMA, random_state=3, kernel="matern", nu=nu, **options).fit(X)
    rng = RandomState(fitted.seed_)
    u = np.sqrt(2 * nu / RandomState([*fitted.seed_, 1]).chisquare(2 * nu, F))
    Z = X @ plain_matrix(rng, d, F).T * u
    np.testing.assert_allclose(fitted.project(X), Z, rtol=1e-11, atol=1e-11)
    tolerance = 1e-13 * (100 + np.abs(Z).max())
    np.testing.assert_allclose(fitted.transform(X), plain_features(Z, rng, F, "phase"), rtol=0, atol=tolerance)


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


@pytest.mark.parametrize("d", [22, 180])
def test_signs_leave_pair_gram_unchanged(d):
    """Draw by draw, SCRF's pair Gram matrix is the unsigned circulant's: cos(-z) = cos(z)."""
    F = 3 * d + 4
    X = RandomState(1).standard_normal((9, d))
    c = RandomState(SCRF(2 * F, random_state=5).fit(X).seed_).standard_normal((4, d)) * math.sqrt(2 * GAMMA)
    Z = X @ np.vstack([scipy.linalg.circulant(column) for column in c])[:F].T
    plain = np.hstack([np.cos(Z), np.sin(Z)]) / math.sqrt(F)
    signed, unsigned = (
        SCRF(2 * F, gamma=GAMMA, embedding="pair", random_state=5, row_signs=signs).fit_transform(X)
        for signs in (True, False)
    )
    np.testing.assert_allclose(unsigned, plain, rtol=0, atol=1e-11)
    np.testing.assert_allclose(signed @ signed.T, plain @ plain.T, rtol=0, atol=1e-11)
    assert np.abs(signed - unsigned).max() > 0.01


@pytest.mark.parametrize("d", [22, 180])
def test_signs_move_into_the_phase(d):
    """cos(sigma z + b) == cos(z + sigma b): the phase map is an unsigned circulant's with phases sigma b."""
    D = 3 * d + 4
    X = RandomState(1).standard_normal((9, d))
    signed, unsigned = (SCRF(D, gamma=GAMMA, random_state=5, row_signs=signs).fit(X) for signs in (True, False))
    rng = RandomState(signed.seed_)
    rng.standard_normal((4, d))
    signs = 2.0 * rng.randint(0, 2, D) - 1
    b = rng.uniform(-math.pi, math.pi, D)
    assert 0 < (signs > 0).sum() < D
    Z = unsigned.project(X)
    np.testing.assert_allclose(signed.project(X), signs * Z, rtol=0, atol=1e-11)
    expected = math.sqrt(2 / D) * np.cos(Z + signs * b)
    np.testing.assert_allclose(signed.transform(X), expected, rtol=0, atol=1e-11)
    plain = math.sqrt(2 / D) * np.cos(Z + b)
    np.testing.assert_allclose(unsigned.transform(X), plain, rtol=0, atol=1e-11)


@pytest.mark.parametrize("case", CASES)
def test_pair_and_phase_share_frequencies(case):
    """With as many frequencies and one seed the two embeddings differ in the epilogue alone."""
    cls, options, _ = CASES[case]
    X = RandomState(1).standard_normal((5, 22))
    phase = cls(50, random_state=7, **options).fit(X)
    pair = cls(100, random_state=7, embedding="pair", **options).fit(X)
    assert np.array_equal(phase.project(X), pair.project(X))
