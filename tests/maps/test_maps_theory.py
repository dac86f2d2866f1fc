"""The variance formulas against integration, direct sums and special cases known in closed form."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import circulant
from scipy.stats import norm

from scrf_bench.maps import theory


def v_of(kind, s, d=16):
    rng = np.random.RandomState(3)
    shapes = {
        "random": rng.standard_normal(d),
        "one-sparse": np.eye(d)[0],
        "constant": np.ones(d),
        "alternating": (-1.0) ** np.arange(d),
        "ramp": np.arange(1.0, d + 1),
    }
    return s * shapes[kind] / np.linalg.norm(shapes[kind])


@pytest.mark.parametrize("s", [0.25, 1.0, 3.0])
def test_cosine_moments_equal_integrals(s):
    def mean(f):
        return quad(lambda z: f(z * s) * norm.pdf(z), -12, 12, limit=200, epsabs=1e-13)[0]

    assert theory.gaussian_mean(s) == pytest.approx(mean(np.cos), abs=1e-11)
    variance = mean(lambda z: np.cos(z) ** 2) - mean(np.cos) ** 2
    assert theory.cosine_variance(s) == pytest.approx(variance, abs=1e-11)
    assert theory.cosine_covariance(s, 1.0) == pytest.approx(variance, abs=1e-11)


@pytest.mark.parametrize("rho", [0.0, 0.3, -0.3, 0.9])
def test_cosine_covariance_equals_integral(rho):
    """``E cos z_1 cos z_2`` integrated over z_1 and the conditional law of z_2."""
    s = 1.3
    residual = s**2 * (1 - rho**2)

    def conditional(z):  # E[cos z_2 | z_1 = s z]
        return np.cos(rho * s * z) * np.exp(-residual / 2)

    product = quad(lambda z: np.cos(s * z) * conditional(z) * norm.pdf(z), -12, 12, epsabs=1e-13)[0]
    expected = product - theory.gaussian_mean(s) ** 2
    assert theory.cosine_covariance(s, rho) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("d", [1, 2, 5, 16])
def test_circulant_correlation_equals_direct_sum(d):
    """Rows of circ(c) v = circ(v) c are correlated as the rows of circ(v)."""
    v = np.random.RandomState(0).standard_normal(d)
    gram = circulant(v) @ circulant(v).T / (v @ v)
    rho = theory.circulant_correlation(v)
    for j in range(d):
        np.testing.assert_allclose(gram[j], np.roll(rho, j), rtol=0, atol=1e-14)


@pytest.mark.parametrize("s", [0.5, 1.0, 2.0])
def test_known_cases_of_the_circulant_excess(s):
    """None for a one-sparse v; d times RKS's variance for constant and alternating v, the worst case."""
    rks = theory.rks_variance(s, 16)
    assert theory.scrf_variance(v_of("one-sparse", s), 16) == pytest.approx(rks, rel=1e-12)
    assert theory.scrf_variance(v_of("constant", s), 16) == pytest.approx(16 * rks, rel=1e-12)
    assert theory.scrf_variance(v_of("alternating", s), 16) == pytest.approx(16 * rks, rel=1e-12)
    assert 1 < theory.scrf_variance(v_of("ramp", s), 16) / rks < 16


@pytest.mark.parametrize("embedding", ["pair", "phase"])
@pytest.mark.parametrize("n_frequencies", [1, 7, 16, 32, 41])
def test_scrf_variance_equals_sum_over_rows(n_frequencies, embedding):
    """All covariances of rows j and k of the stacked blocks, added one by one; a cut-off block included."""
    d, s = 16, 1.2
    v = v_of("ramp", s, d)
    rho = theory.circulant_correlation(v)
    total = 0.0
    for j in range(n_frequencies):
        for k in range(n_frequencies):
            if j // d == k // d:
                total += float(theory.cosine_covariance(s, rho[(j - k) % d]))
    phase = 0.5 if embedding == "phase" else 0.0
    expected = total / n_frequencies**2 + phase / n_frequencies
    assert theory.scrf_variance(v, n_frequencies, embedding) == pytest.approx(expected, rel=1e-12)
    if n_frequencies % d == 0:
        q_and_excess = phase + theory.cosine_variance(s) + theory.circulant_excess(v)
        assert theory.scrf_variance(v, n_frequencies, embedding) == pytest.approx(q_and_excess / n_frequencies)


def test_published_formula_of_rks():
    """Yu et al. 2016, Lemma 1: ``(1 - e^{-s^2})^2/(2D)``; Sutherland & Schneider 2015 for the phase map."""
    s = 1.7
    k, k2 = np.exp(-(s**2) / 2), np.exp(-((2 * s) ** 2) / 2)
    assert theory.rks_variance(s, 10) == pytest.approx((1 - np.exp(-(s**2))) ** 2 / 20)
    assert theory.rks_variance(s, 10, "pair") == pytest.approx((1 + k2 - 2 * k**2) / 20)
    assert theory.rks_variance(s, 10, "phase") == pytest.approx((1 + k2 / 2 - k**2) / 10)


def test_hadamard_excess_equals_sum_over_rows():
    """Rows of ``H G u`` have covariances ``sum_i H_ji H_ki u_i^2``; added one by one."""
    from scipy.linalg import hadamard

    u = np.random.RandomState(1).standard_normal(8)
    H = hadamard(8)
    correlation = (H * u**2) @ H.T / (u @ u)
    s = float(np.linalg.norm(u))
    total = theory.cosine_covariance(s, correlation).sum() - 8 * theory.cosine_variance(s)
    assert theory.hadamard_excess(u) == pytest.approx(total / 8, rel=1e-12)


def test_unscaled_fastfood_special_cases():
    """One-sparse v: spread evenly by H, no excess. Small s, mean over v: ``1 + 2(d-1)/(d+2)`` times RKS."""
    variance, error = theory.unscaled_fastfood_variance(v_of("one-sparse", 1.0), 16)
    assert variance == pytest.approx(theory.rks_variance(1.0, 16), rel=1e-12)
    assert error == pytest.approx(0.0, abs=1e-15)
    rng = np.random.RandomState(0)
    directions = rng.standard_normal((2000, 16))
    directions *= 0.02 / np.linalg.norm(directions, axis=1, keepdims=True)
    ratios = [theory.unscaled_fastfood_variance(v, 16, n_draws=2)[0] for v in directions]
    ratios = np.array(ratios) / theory.rks_variance(0.02, 16)
    standard_error = ratios.std() / np.sqrt(len(ratios))
    assert abs(ratios.mean() - 8 / 3) < 5 * standard_error
    with pytest.raises(ValueError, match="v has 5 entries: pad it"):
        theory.unscaled_fastfood_variance(np.ones(5), 10)
