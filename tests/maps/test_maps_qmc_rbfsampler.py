"""Quasi-Monte Carlo frequencies, and scikit-learn's RBFSampler under the common contract."""

import math
import warnings

import numpy as np
import pytest
import sklearn.kernel_approximation
from numpy.random import RandomState
from scipy import sparse
from scipy.stats import chi2, norm

from scrf_bench.maps import QMC, RBFSampler, theory

FALSE_ALARM = 1e-6


@pytest.mark.parametrize("sequence", ["sobol", "halton"])
@pytest.mark.parametrize("F", [1, 2, 37, 256, 300, 1000])
def test_any_number_of_frequencies_without_warnings(F, sequence):
    """Numbers that are no power of two included; all frequencies finite; a longer map starts with the same."""
    X = RandomState(0).standard_normal((4, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Z = QMC(F, sequence=sequence, random_state=0).fit(X).project(X)
        longer = QMC(F + 13, sequence=sequence, random_state=0).fit(X).project(X)
    assert np.isfinite(Z).all()
    np.testing.assert_allclose(longer[:, :F], Z, rtol=1e-12, atol=1e-13)


def test_points_are_balanced():
    """Of 256 Sobol points each 1/16 of every axis holds 16: what makes them better than random ones."""
    d = 5
    W = QMC(256, gamma=0.5, random_state=3).fit(np.zeros((1, d))).project(np.eye(d)).T
    counts = np.array([np.histogram(norm.cdf(column), bins=16, range=(0, 1))[0] for column in W.T])
    assert (counts == 16).all()


def test_wide_data():
    """Sobol reaches d = 8192 and ends with a clear message; Halton ends earlier."""
    W = QMC(10, gamma=0.5, random_state=0).fit(np.zeros((1, 8192))).project(np.eye(1, 8192, 8191))
    assert np.isfinite(W).all()
    with pytest.raises(ValueError, match=r"1025 features, but sequence='halton' ends at 1024; use sequence='sobol'"):
        QMC(10, sequence="halton").fit(np.zeros((1, 1025)))
    with pytest.raises(ValueError, match=r"21202 features.*use RKS or ORF"):
        QMC(10).fit(np.zeros((1, 21202)))


@pytest.mark.statistical
@pytest.mark.parametrize("embedding", ["pair", "phase"])
@pytest.mark.parametrize("sequence", ["sobol", "halton"])
def test_qmc_is_unbiased_with_less_variance_than_rks(sequence, embedding):
    """600 maps of 37 frequencies, d = 3, four v; z-tests of the means, false alarms 1e-6 in all.

    Pair: the sample variance is below half of RKS's, to which a sample of RKS maps would fall with a chance of
    less than 1e-6 (chi-square). Phase: no more than RKS's, by the same quantile.
    """
    n_maps, F = 600, 37
    v = np.array([[1.0, 0, 0], [0.5, 0.5, 0.5], [1.2, -0.9, 0.4], [0.0, 2.0, 0.0]])
    x = np.array([0.3, -0.2, 0.5])
    X = np.vstack([x, x - v])
    samples = []
    for seed in range(n_maps):
        n_components = 2 * F if embedding == "pair" else F
        made = QMC(n_components, gamma=0.5, embedding=embedding, sequence=sequence, random_state=seed)
        Phi = made.fit(X).transform(X)
        samples.append(Phi[1:] @ Phi[0])
    samples = np.array(samples)
    lengths = np.linalg.norm(v, axis=1)
    kernel = np.array([theory.gaussian_mean(s) for s in lengths])
    z = (samples.mean(axis=0) - kernel) / (samples.std(axis=0, ddof=1) / math.sqrt(n_maps))
    assert np.abs(z).max() < norm.isf(FALSE_ALARM / len(v) / 2)
    ratios = samples.var(axis=0, ddof=1) / [theory.rks_variance(s, F, embedding) for s in lengths]
    low, high = (chi2(n_maps - 1).ppf(p) / (n_maps - 1) for p in (FALSE_ALARM / 4, 1 - FALSE_ALARM / 4))
    assert low > 0.7
    assert (ratios < (0.5 if embedding == "pair" else high)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("D", [1, 7, 300])
def test_rbfsampler_equals_scikit_learns(D, dtype):
    """Same draws, same code, to rounding; float32 draws are scikit-learn's rounded."""
    X = RandomState(0).standard_normal((301, 9)).astype(dtype)
    fitted = RBFSampler(D, gamma=0.2, random_state=4).fit(X)
    original = sklearn.kernel_approximation.RBFSampler(
        gamma=0.2, n_components=D, random_state=RandomState(fitted.seed_)
    ).fit(X)
    expected = original.transform(X)
    result = fitted.transform(X)
    assert result.dtype == expected.dtype == dtype
    np.testing.assert_allclose(result, expected, rtol=0, atol=20 * np.finfo(dtype).eps * math.sqrt(2 / D))
    assert np.array_equal(fitted.transform(sparse.csr_matrix(X)), result)
    assert np.array_equal(fitted.transform(X[5:6]), result[5:6])
    assert fitted.n_parameters_ == 9 * D + D


@pytest.mark.statistical
def test_rbfsampler_mean_and_variance():
    """100,000 columns are as many independent phase features; 4 z-tests, false alarms 1e-6 in all."""
    D = 100_000
    x, vs = np.array([0.3, -0.5]), np.array([[0.6, 0.8], [1.2, 1.6]])
    Phi = RBFSampler(D, gamma=0.5, random_state=0).fit_transform(np.vstack([x, x - vs]))
    samples = D * Phi[1:] * Phi[0]
    z = []
    for row, s in zip(samples, (1.0, 2.0), strict=True):
        mean, variance = theory.gaussian_mean(s), theory.rks_variance(s, 1, "phase")
        squares = (row - mean) ** 2
        z += [
            (row.mean() - mean) / math.sqrt(variance / D),
            (squares.mean() - variance) / (squares.std() / math.sqrt(D)),
        ]
    assert np.abs(z).max() < norm.isf(FALSE_ALARM / 4 / 2)
