"""Every map of random frequencies estimates the Matern kernel without bias."""

import functools
import math

import numpy as np
import pytest
from numpy.random import RandomState
from scipy.stats import kstest, norm

from scrf_bench.kernels import matern_kernel
from scrf_bench.maps import MAPS, RKS, RandomFeatureMap, radial, theory

pytestmark = pytest.mark.statistical

D = 16
FALSE_ALARM = 1e-6
# SORF's rows all have one length: biased, see test_maps_statistical. QMC's points are no independent blocks.
OPTIONS = {
    "rks": {},
    "scrf": {},
    "fastfood": {},
    "orf": {},
    "column_signed": {"fresh_signs": True},
    "ocrf": {},
}
V = np.vstack([RandomState(2).standard_normal(D), np.ones(D), np.eye(D)[0]])
LENGTHS = np.array([1.0, 2.0, 0.5])
V *= (LENGTHS / np.linalg.norm(V, axis=1))[:, np.newaxis]


@functools.cache
def estimates(name, nu):
    """Return pair estimates by independent blocks of 16 frequencies, (blocks, 3); sigma = 1."""
    x = RandomState(1).standard_normal(D)
    blocks = 4000
    made = MAPS[name](
        2 * D * blocks, gamma=0.5, kernel="matern", nu=nu, embedding="pair", random_state=0, **OPTIONS[name]
    )
    Phi = made.fit_transform(np.vstack([x, x - V]))
    return (Phi[1:] * Phi[0]).reshape(3, 2, blocks, D).sum(axis=(1, 3)).T * blocks


@pytest.mark.parametrize("nu", [0.5, 1.5, 3.2])
@pytest.mark.parametrize("name", OPTIONS)
def test_unbiased(name, nu):
    """Three v, 4,000 blocks each, variance from the sample; false alarms 1e-6 in all.

    Power: at nu = 1.5 the Gaussian kernel is refuted.
    """
    samples = estimates(name, nu)
    errors = samples.std(axis=0, ddof=1) / math.sqrt(len(samples))
    kernel = matern_kernel(np.zeros((1, D)), V, gamma=0.5, nu=nu)[0]
    limit = norm.isf(FALSE_ALARM / 3 / 2)
    assert (np.abs(samples.mean(axis=0) - kernel) / errors).max() < limit
    if nu == 1.5:
        assert (np.abs(samples.mean(axis=0) - np.exp(-(LENGTHS**2) / 2)) / errors).max() > 3 * limit


def test_all_maps_of_frequencies_are_covered():
    names = {name for name, cls in MAPS.items() if issubclass(cls, RandomFeatureMap)}
    assert names - set(OPTIONS) == {"sorf", "qmc"}


@pytest.mark.parametrize("nu", [0.5, 1.5, 3.2])
def test_variance_of_rks(nu):
    """``((1 + k(2s))/2 - k(s)^2)/F``; three z-tests, false alarms 1e-6 in all."""
    samples = estimates(RKS.name, nu)
    means = np.array([theory.kernel_mean(s, "matern", nu) for s in LENGTHS])
    variances = [theory.rks_variance(s, D, kernel="matern", nu=nu) for s in LENGTHS]
    squares = (samples - means) ** 2
    z = (squares.mean(axis=0) - variances) / (squares.std(axis=0) / math.sqrt(len(samples)))
    assert np.abs(z).max() < norm.isf(FALSE_ALARM / 3 / 2)


@pytest.mark.parametrize("name", ["qmc", "sorf"])
def test_other_maps_come_near(name):
    """SORF at d = 64 and QMC: within 0.01 of the kernel at 8,192 frequencies, over 4 times RKS's deviation."""
    v = np.zeros((3, 64))
    v[:, :16] = V
    made = MAPS[name](2 * 8192, gamma=0.5, kernel="matern", nu=2.5, embedding="pair", random_state=0)
    Phi = made.fit_transform(np.vstack([np.zeros(64), v]))
    kernel = matern_kernel(np.zeros((1, 64)), v, gamma=0.5, nu=2.5)[0]
    deviations = [math.sqrt(theory.rks_variance(s, 8192, kernel="matern", nu=2.5)) for s in LENGTHS]
    assert (np.abs(Phi[1:] @ Phi[0] - kernel) < 4 * np.array(deviations) + 0.003).all()


def test_radial_law():
    """``2 nu/u^2`` is chi-square with 2 nu degrees of freedom; the Gaussian kernel has no factors."""
    u = radial.radial_factors(RandomState(0), 20_000, "matern", 1.7)
    assert kstest(3.4 / u**2, "chi2", args=(3.4,)).pvalue > FALSE_ALARM
    assert radial.radial_factors(RandomState(0), 5, "gaussian", 1.7) is None
    assert np.isfinite(radial.radial_factors(RandomState(0), 1000, "matern", 1e-3)).all()
    with pytest.raises(ValueError, match="kernel='laplace' is unknown"):
        radial.radial_factors(RandomState(0), 5, "laplace", 1.7)
