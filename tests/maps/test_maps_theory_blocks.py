"""The formulas of the newer maps' moments against enumeration, closed forms and known limits."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import hadamard
from scipy.special import hyp1f1
from scipy.stats import gamma

from scrf_bench.maps import theory
from scrf_bench.maps.theory.cosines import gamma_quadrature
from scrf_bench.maps.theory.orthogonal import normalised_bessel
from scrf_bench.maps.theory.random_phases import _given_signs

V16 = {
    "constant": np.ones(16),
    "one-sparse": np.eye(16)[0],
    "half-shift": np.eye(16)[0] + np.eye(16)[8],
    "ramp": np.arange(1.0, 17),
}


def of_length(v, s):
    return s * np.asarray(v, dtype=np.float64) / np.linalg.norm(v)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6, 8, 9])
def test_column_signed_variance_equals_the_mean_over_all_signs(d):
    """The closed form against all 2^d signs, whole blocks and a cut-off one."""
    v = of_length(np.random.RandomState(d).standard_normal(d), 1.4)
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=d)))
    for F in (d, 2 * d + d // 2):
        mean = np.mean([theory.scrf_variance(eps * v, F) for eps in signs])
        assert theory.column_signed_variance(v, F) == pytest.approx(mean, rel=1e-11)


def test_column_signed_variance_of_known_cases():
    """Simulated in the literature review: constant v, d = 16: 16 times RKS becomes 1.94; a half-shift stays."""
    ratio = {
        (kind, s): theory.column_signed_variance(of_length(V16[kind], s), 16) / theory.rks_variance(s, 16)
        for kind in V16
        for s in (1.0, 2.0)
    }
    assert ratio["constant", 1.0] == pytest.approx(1.935, abs=0.02)
    assert ratio["constant", 2.0] == pytest.approx(1.399, abs=0.01)
    assert ratio["one-sparse", 1.0] == pytest.approx(1.0, rel=1e-12)
    assert ratio["half-shift", 1.0] == pytest.approx(2.0, rel=1e-12)
    assert ratio["ramp", 1.0] == pytest.approx(1.871, abs=0.02)


@pytest.mark.parametrize("d", [2, 3, 4, 16, 17, 400])
def test_normalised_bessel_equals_its_integral(d):
    """``E cos(x u_1)`` on the sphere; it tends to ``exp(-x^2/(2 d))``, as the bias of unscaled blocks does."""
    x = np.array([0.0, 0.3, 1.0, 4.0, 9.0])
    weight = quad(lambda a: np.sin(a) ** (d - 2), 0, np.pi, points=[np.pi / 2])[0]
    integrals = [
        quad(lambda a, x=value: np.cos(x * np.cos(a)) * np.sin(a) ** (d - 2), 0, np.pi, points=[np.pi / 2])[0]
        for value in x
    ]
    np.testing.assert_allclose(normalised_bessel(d, x), np.array(integrals) / weight, rtol=0, atol=1e-9)
    assert normalised_bessel(100_000, np.array([1.5 * np.sqrt(100_000)]))[0] == pytest.approx(np.exp(-1.125), abs=1e-4)
    assert theory.unscaled_row_mean(2.0, 16) - theory.gaussian_mean(2.0) == pytest.approx(-0.0367, abs=1e-4)


@pytest.mark.parametrize("shape", [0.5, 8.0, 180.0, 4096.0])
def test_gamma_quadrature_is_exact_for_polynomials(shape):
    nodes, weights = gamma_quadrature(shape, 6)
    for power in range(12):
        expected = gamma.moment(power, shape) if power else 1.0
        assert weights @ nodes**power == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("d", [2, 5, 16, 60])
@pytest.mark.parametrize("s", [0.1, 1.0, 2.0, 3.0])
def test_orf_variance_equals_confluent_hypergeometric(d, s):
    """One block: ``q/d + (1 - 1/d) (1F1(d; d/2; -s^2/2) - e^{-s^2})``."""
    covariance = hyp1f1(d, d / 2, -(s**2) / 2) - np.exp(-(s**2))
    expected = theory.cosine_variance(s) / d + (1 - 1 / d) * covariance
    assert theory.orf_moments(s, d, d).variance == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_orf_limits_and_published_bound():
    """3/(d+2) for near points; simulated ratios at d = 16; above Yu et al.'s leading term by O(1/d^2) only."""
    for d in (4, 16, 1024):
        ratio = theory.orf_moments(0.02, d, d).variance / theory.rks_variance(0.02, d)
        assert ratio == pytest.approx(theory.orthogonal_limit_ratio(d), abs=1e-4)
    simulated = {
        0.25: (0.161, 0.001),
        0.5: (0.151, 0.001),
        1.5: (0.330, 0.002),
        2.0: (0.671, 0.003),
        3.0: (0.995, 0.004),
    }
    for s, (value, error) in simulated.items():
        ratio = theory.orf_moments(s, 16, 16).variance / theory.rks_variance(s, 16)
        assert abs(ratio - value) < 4 * error
    excess = {}
    for d in (16, 64, 256):
        excess[d] = d**3 * (theory.orf_moments(1.0, d, d).variance - theory.orf_variance_bound(1.0, d, d))
    assert excess[64] / excess[16] < 6
    assert excess[256] / excess[64] < 6


def test_unscaled_orthogonal_rows():
    """Without lengths every row has ``||w||^2 = d``; d = 2 can be integrated over one angle."""
    s, angles = 1.7, np.linspace(0.0, 2 * np.pi, 400, endpoint=False)
    z = s * np.sqrt(2) * np.array([np.cos(angles), np.sin(angles)])
    estimate = np.cos(z).mean(axis=0)
    moments = theory.orf_moments(s, 2, 2, radial=False)
    assert moments.mean == pytest.approx(estimate.mean(), abs=1e-12)
    assert moments.variance == pytest.approx(estimate.var(), abs=1e-12)


def test_fastfood_limits():
    """One-sparse v: H spreads it evenly, which leaves ORF. Small s, mean over v: the closed limit of d = 16."""
    for s in (0.5, 1.0, 2.0):
        variance, error = theory.fastfood_variance(of_length(V16["one-sparse"], s), 32, n_draws=5)
        assert variance == pytest.approx(theory.orf_moments(s, 16, 32).variance, rel=1e-8)
        assert error == pytest.approx(0.0, abs=1e-12)
    rng = np.random.RandomState(0)
    ratios = [
        theory.fastfood_variance(of_length(rng.standard_normal(16), 0.05), 16, n_draws=2, random_state=i)[0]
        / theory.rks_variance(0.05, 16)
        for i in range(400)
    ]
    limit = 3 / 18 + 2 * 16 * 15 / 18**2
    assert abs(np.mean(ratios) - limit) < 5 * np.std(ratios) / np.sqrt(len(ratios)) + 0.005


def test_sorf_moments_equal_enumeration():
    """n = 4: all 2^12 signs of D_1, D_2, D_3."""
    v = of_length([1.0, 0.2, -0.5, 0.3], 1.8)
    H = hadamard(4) / 2.0
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=12)))
    z = 2.0 * (signs[:, :4] * ((signs[:, 4:8] * ((signs[:, 8:] * v) @ H)) @ H)) @ H
    estimate = np.cos(z).mean(axis=1)
    moments = theory.sorf_moments(v, 4, n_draws=20_000)
    assert abs(moments.mean - estimate.mean()) < 5 * moments.mean_error
    assert abs(moments.variance - estimate.var()) < 5 * moments.variance_error
    assert moments.mean_error < 0.002
    halved = theory.sorf_moments(v, 8, n_draws=20_000)
    assert halved.variance == pytest.approx(moments.variance / 2, rel=1e-12)


@pytest.mark.parametrize("kind", V16)
def test_sorf_bias_is_within_the_published_bound(kind):
    for s in (0.5, 1.0, 2.0, 3.0):
        moments = theory.sorf_moments(of_length(V16[kind], s), 16)
        assert abs(moments.mean - theory.gaussian_mean(s)) < theory.sorf_bias_bound(s, 16)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 6])
def test_ocrf_moments_equal_sums_over_phases(order):
    """Unscaled blocks of small orders: all signs of the real frequencies and grids of 48 phases a frequency.

    The trapezoidal rule converges faster than any power of the grid's width.
    """
    v = of_length(np.random.RandomState(order).standard_normal(order), 1.5)
    n_real, n_phased = (2 if order % 2 == 0 else 1), (order - 1) // 2
    angles = np.linspace(0.0, 2 * np.pi, 48, endpoint=False)
    spectra = np.array(
        [
            [signs[0], *np.exp(1j * np.array(phases)), *signs[1:]]
            for signs in itertools.product([-1.0, 1.0], repeat=n_real)
            for phases in itertools.product(angles, repeat=n_phased)
        ]
    )
    z = np.sqrt(order) * np.fft.irfft(spectra * np.fft.rfft(v), order)
    mean, variance, covariances = _given_signs(v, order, radial=False)
    cosines = np.cos(z)
    assert mean == pytest.approx(cosines[:, 0].mean(), abs=1e-10)
    assert variance == pytest.approx(cosines[:, 0].var(), abs=1e-10)
    for lag in range(1, order):
        product = (cosines[:, 0] * cosines[:, lag]).mean()
        assert covariances[lag] == pytest.approx(product - mean**2, abs=1e-10)


# Simulated, one block, pair embedding: (d, n, v) -> s -> (ratio of MSE to RKS, bias).
SIMULATED = {
    (16, 64, "one-sparse"): {1: (0.104, 0.0012), 2: (0.705, 0.0038), 3: (0.997, 0.0025)},
    (16, 64, "half-shift"): {1: (0.110, 0.0006), 2: (0.764, 0.0021), 3: (1.010, 0.0011)},
    (16, 64, "every-4th"): {1: (0.115, 0.0004), 2: (0.831, 0.0008), 3: (1.037, 0.0008)},
    (60, 120, "constant"): {1: (0.089, 0.0), 2: (0.696, -0.0003), 3: (0.993, -0.0004)},
    (60, 120, "one-sparse"): {1: (0.093, 0.0006), 2: (0.698, 0.0024), 3: (0.994, 0.0004)},
    (60, 120, "half-shift"): {1: (0.100, 0.0004), 2: (0.755, 0.0018), 3: (1.029, 0.0007)},
}


@pytest.mark.parametrize("case", SIMULATED, ids=str)
def test_ocrf_moments_agree_with_simulations(case):
    """To 4 per cent of RKS's MSE (the simulations' own error was not kept) and 0.0012 in bias."""
    d, order, kind = case
    v = {
        "constant": np.ones(d),
        "one-sparse": np.eye(d)[0],
        "half-shift": np.eye(d)[0] + np.eye(d)[d // 2],
        "every-4th": (np.arange(d) % 4 == 0).astype(float),
    }[kind]
    for s, (ratio, bias) in SIMULATED[case].items():
        moments = theory.ocrf_moments(of_length(v, s), order, order=order, n_draws=60)
        actual = moments.mean - theory.gaussian_mean(s)
        assert abs(actual - bias) < 0.0012 + 4 * moments.mean_error
        error = (moments.variance + actual**2) / theory.rks_variance(s, order)
        assert abs(error - ratio) < 0.04 + 4 * moments.variance_error / theory.rks_variance(s, order)


def test_shared_signs_leave_a_floor():
    """Constant v, d = n = 16, s = 2: blocks that share their signs stop averaging; fresh ones do not."""
    v, rks = of_length(np.ones(16), 2.0), theory.rks_variance(2.0, 64 * 16)
    fresh, shared = (
        theory.ocrf_moments(v, 64 * 16, order=16, blocks_per_group=group, n_draws=400) for group in (1, 64)
    )
    assert fresh.variance / rks == pytest.approx(0.73, abs=0.03)
    assert shared.variance / rks == pytest.approx(1.5, abs=0.35)
    assert shared.mean == fresh.mean


def test_a_phase_adds_one_half_a_feature():
    """``Var_phase = Var_pair + 1/(2 D)``, whatever the frequencies."""
    v, F = of_length(V16["ramp"], 1.3), 32

    def both(function):
        pair, phase = (function(embedding) for embedding in ("pair", "phase"))
        return np.array([getattr(value, "variance", value) for value in (pair, phase)])

    functions = [
        lambda e: theory.rks_variance(1.3, F, e),
        lambda e: theory.rks_variance(1.3, F, e, kernel="matern", nu=0.5),
        lambda e: theory.scrf_variance(v, F, e),
        lambda e: theory.column_signed_variance(v, F, e),
        lambda e: theory.unscaled_fastfood_variance(v, F, e, n_draws=10)[0],
        lambda e: theory.fastfood_variance(v, F, e, n_draws=10)[0],
        lambda e: theory.sorf_moments(v, F, e, n_draws=10),
        lambda e: theory.orf_moments(1.3, 16, F, e),
        lambda e: theory.ocrf_moments(v, F, e, order=16, n_draws=10),
    ]
    for function in functions:
        pair, phase = both(function)
        assert phase - pair == pytest.approx(1 / (2 * F), rel=1e-12)


@pytest.mark.parametrize("nu", [0.5, 1.5, 4.2])
def test_matern_variance_equals_the_mixture(nu):
    """``Var cos z`` for z of variance ``s^2 u^2``, integrated over the radial law."""
    s = 1.1

    def mean(factor):  # E exp(-factor^2 s^2 u^2 / 2), u^2 = nu/G
        return gamma.expect(lambda g: np.exp(-((factor * s) ** 2) * nu / (2 * g)), args=(nu,))

    expected = (1 + mean(2)) / 2 - mean(1) ** 2
    assert theory.cosine_variance(s, "matern", nu) == pytest.approx(expected, abs=1e-7)
    assert theory.kernel_mean(s, "matern", nu) == pytest.approx(mean(1), abs=1e-7)
