"""Haar blocks: uniform, exactly orthogonal, with chi lengths; and what ORF does with them."""

import math
import tracemalloc

import numpy as np
import pytest
from numpy.random import RandomState
from scipy.stats import chi2, kstest, norm

from scrf_bench.maps import OCRF, ORF
from scrf_bench.maps.haar import haar_rows

FALSE_ALARM = 1e-6


@pytest.mark.parametrize(("rows", "order"), [(1, 1), (1, 7), (3, 7), (7, 7), (64, 64), (200, 300)])
def test_rows_are_orthonormal(rows, order):
    Q = haar_rows(RandomState(0), rows, order)
    assert Q.shape == (rows, order)
    np.testing.assert_allclose(Q @ Q.T, np.eye(rows), rtol=0, atol=1e-13)


def moments(Q):
    """Products whose means over the Haar law are known, and those means (d = order)."""
    d = Q.shape[1]
    trace = np.trace(Q, axis1=1, axis2=2)
    return [
        (Q[:, 0, 0], 0.0),
        (Q[:, 0, 0] ** 2, 1 / d),
        (Q[:, 0, 0] ** 4, 3 / (d * (d + 2))),
        (Q[:, 0, 0] ** 2 * Q[:, 0, 1] ** 2, 1 / (d * (d + 2))),
        (Q[:, 0, 0] ** 2 * Q[:, 1, 1] ** 2, (d + 1) / (d * (d - 1) * (d + 2))),
        (Q[:, 0, 0] * Q[:, 0, 1] * Q[:, 1, 0] * Q[:, 1, 1], -1 / (d * (d - 1) * (d + 2))),
        (trace, 0.0),
        (trace**2, 1.0),
        (np.trace(Q @ Q, axis1=1, axis2=2), 1.0),
        (np.linalg.det(Q), 0.0),
    ]


def scores(Q):
    return np.array([(x.mean() - mean) / (x.std() / math.sqrt(len(x))) for x, mean in moments(Q)])


@pytest.mark.statistical
@pytest.mark.parametrize("order", [2, 4])
def test_blocks_are_haar(order):
    """Ten moments of entries, traces and determinant over 20,000 draws; false alarms 1e-6 in all.

    Power: plain QR, without the signs of R's diagonal, fails by far.
    """
    rng = RandomState(0)
    Q = np.array([haar_rows(rng, order, order) for _ in range(20_000)])
    limit = norm.isf(FALSE_ALARM / 10 / 2)
    assert np.abs(scores(Q)).max() < limit
    plain = np.linalg.qr(RandomState(0).standard_normal((20_000, order, order)))[0]
    assert np.abs(scores(plain)).max() > 3 * limit


@pytest.mark.statistical
def test_partial_blocks_are_parts_of_haar_blocks():
    """Two rows of three: the moments of entries within two rows; five z-tests, false alarms 1e-6 in all."""
    rng = RandomState(1)
    Q = np.array([haar_rows(rng, 2, 3) for _ in range(20_000)])
    entries = [
        (Q[:, 0, 0] ** 2, 1 / 3),
        (Q[:, 1, 2] ** 4, 3 / 15),
        (Q[:, 0, 0] ** 2 * Q[:, 1, 1] ** 2, 4 / 30),
        (Q[:, 0, 0] * Q[:, 0, 1] * Q[:, 1, 0] * Q[:, 1, 1], -1 / 30),
        (Q[:, 1, 0], 0.0),
    ]
    z = [(x.mean() - mean) / (x.std() / math.sqrt(len(x))) for x, mean in entries]
    assert np.abs(z).max() < norm.isf(FALSE_ALARM / 5 / 2)


def frequencies(fitted, d):
    """Return W sigma: the projections of the unit vectors."""
    return fitted.project(np.eye(d)).T / math.sqrt(2 * fitted.gamma)


@pytest.mark.parametrize("cls", [ORF, OCRF])
def test_rows_of_a_block_are_orthogonal(cls):
    """Whole blocks and the last one's rows; below d = 64 OCRF is ORF."""
    d, F = 20, 50
    W = frequencies(cls(F, gamma=0.3, random_state=0).fit(np.zeros((1, d))), d)
    for start in (0, 20, 40):
        block = W[start : start + 20]
        gram = block @ block.T
        np.testing.assert_allclose(gram, np.diag(np.diag(gram)), rtol=0, atol=1e-11)
    assert np.abs(W[:20] @ W[20:40].T).max() > 1
    assert np.array_equal(W, frequencies(ORF(F, gamma=0.3, random_state=0).fit(np.zeros((1, d))), d))


@pytest.mark.statistical
def test_lengths_are_chi():
    """Squared row lengths of 9,000 rows follow chi^2_d (Kolmogorov-Smirnov, false alarms 1e-6).

    Power: chi^2_{d+1} is refuted.
    """
    d = 30
    W = frequencies(ORF(9000, gamma=0.3, random_state=0).fit(np.zeros((1, d))), d)
    squares = (W**2).sum(axis=1)
    assert kstest(squares, chi2(d).cdf).pvalue > FALSE_ALARM
    assert kstest(squares, chi2(d + 1).cdf).pvalue < FALSE_ALARM


def test_parameters_and_bytes():
    X = np.zeros((1, 60), np.float32)
    assert ORF(512).fit(X).n_parameters_ == 512 * 60 + 512 + 512
    assert ORF(512, embedding="pair").fit(X).n_parameters_ == 256 * 60 + 256
    assert ORF(512).fit(X).nbytes_ == 4 * (512 * 60 + 512)


def test_drawing_needs_one_block_beside_the_result():
    """4 blocks of order 500: the float32 matrix (4 MB) and a few MB, not the float64 matrix (8 MB) too."""
    X = np.zeros((1, 500), np.float32)
    tracemalloc.start()
    try:
        fitted = ORF(2000, random_state=0).fit(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    block = 8 * 500 * 500
    assert peak < fitted.nbytes_ + 2.5 * block
