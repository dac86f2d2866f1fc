"""The exact Matern kernel against its integral, its closed forms and its limits."""

import doctest
import math

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import quad
from scipy.special import gammaln

import scrf_bench.kernels.matern as module
from scrf_bench.kernels import gaussian_kernel, matern_kernel
from scrf_bench.kernels.matern import matern_profile

GAMMA = 0.5  # sigma = 1


def profile(r, nu, gamma=GAMMA):
    return matern_profile(np.asarray(r, dtype=np.float64) ** 2, gamma=gamma, nu=nu)


def by_mixture(r, nu):
    """``E exp(-u^2 r^2/2)`` over ``u^2 = nu/G``, G ~ Gamma(nu): the law that the maps draw from."""

    def integrand(log_g):
        g = math.exp(log_g)
        return math.exp(nu * log_g - g - gammaln(nu) - r**2 * nu / (2 * g))

    centre = math.log(nu + r)
    return quad(integrand, centre - 40, centre + 6, limit=400, epsabs=1e-13, points=[centre])[0]


@pytest.mark.parametrize("nu", [0.2, 0.5, 1.0, 1.5, 2.0, 2.5, 3.7, 7.5, 10.5, 11.5, 20.0])
@pytest.mark.parametrize("r", [1e-3, 0.1, 1.0, 3.0, 8.0])
def test_equals_scale_mixture_of_gaussians(r, nu):
    """Ties kernel, radial law and the meaning of gamma and nu together."""
    assert profile([r], nu)[0] == pytest.approx(by_mixture(r, nu), abs=1e-10)


def test_closed_forms():
    r = np.linspace(0.0, 9.0, 50)
    t = {nu: math.sqrt(2 * nu) * r for nu in (0.5, 1.5, 2.5)}
    np.testing.assert_allclose(profile(r, 0.5), np.exp(-t[0.5]), rtol=1e-14)
    np.testing.assert_allclose(profile(r, 1.5), (1 + t[1.5]) * np.exp(-t[1.5]), rtol=1e-13)
    np.testing.assert_allclose(profile(r, 2.5), (1 + t[2.5] + t[2.5] ** 2 / 3) * np.exp(-t[2.5]), rtol=1e-13)


@pytest.mark.parametrize("nu", [0.5, 1.5, 4.5, 10.5])
def test_both_ways_of_half_integers_agree(nu):
    """Polynomial and Bessel function, near 0 and far out."""
    r = np.array([1e-8, 1e-3, 0.5, 2.0, 6.0, 20.0])
    t = math.sqrt(2 * nu) * r
    np.testing.assert_allclose(module._any_order(t.copy(), nu), profile(r, nu), rtol=1e-10, atol=1e-300)


@pytest.mark.parametrize("nu", [0.1, 0.5, 1.0, 1.5, 2.3, 10.5, 30.0, 100.0, 300.0, 500.0])
def test_stable_at_zero_and_far_out(nu):
    """Exactly 1 at 0, 0 at infinity, decreasing to rounding and free of nan in between."""
    values = profile(np.concatenate([[0.0], 10.0 ** np.arange(-150, 150)]), nu)
    assert values[0] == 1.0
    assert values[-1] == 0.0
    assert np.isfinite(values).all()
    assert (np.diff(values) <= 1e-13).all()


@pytest.mark.parametrize(("nu", "tolerance"), [(50.0, 0.01), (500.0, 0.001)])
def test_tends_to_the_gaussian_kernel(nu, tolerance):
    """The difference is about ``k(r) (r^4 - 4 r^2)/(8 nu)``, at most 0.4/nu."""
    r = np.linspace(0.0, 6.0, 200)
    difference = np.abs(profile(r, nu) - np.exp(-(r**2) / 2)).max()
    assert 0.1 * tolerance < difference < tolerance


def test_matrix_is_symmetric_and_equals_profile():
    rng = np.random.RandomState(0)
    X, Y = rng.standard_normal((23, 4)), rng.standard_normal((11, 4))
    K = matern_kernel(X, gamma=0.3, nu=1.5)
    assert np.array_equal(K, K.T)
    assert np.array_equal(np.diag(K), np.ones(23))
    r = np.linalg.norm(X[:, np.newaxis] - Y, axis=2)
    expected = profile(r, 1.5, gamma=0.3)
    np.testing.assert_allclose(matern_kernel(X, Y, gamma=0.3, nu=1.5), expected, rtol=0, atol=1e-14)
    sparse_kernel = matern_kernel(sparse.csr_matrix(X), sparse.csr_matrix(Y), gamma=0.3, nu=1.5, dtype=np.float32)
    assert sparse_kernel.dtype == np.float32
    np.testing.assert_allclose(sparse_kernel, expected, rtol=0, atol=1e-7)


def test_gamma_means_what_it_means_for_the_gaussian_kernel():
    X = np.random.RandomState(0).standard_normal((9, 3))
    difference = matern_kernel(X, gamma=0.2, nu=500.0) - gaussian_kernel(X, gamma=0.2)
    assert np.abs(difference).max() < 1e-3


@pytest.mark.parametrize("nu", [0.0, -1.0, 501.0, math.nan])
def test_bad_smoothness_is_named(nu):
    with pytest.raises(ValueError, match=r"nu=.*at most 500"):
        matern_kernel(np.eye(2), gamma=1.0, nu=nu)


def test_doctests():
    assert doctest.testmod(module).failed == 0
