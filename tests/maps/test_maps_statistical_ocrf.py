"""OCRF: bias and variance against the exact formulas, the floor that shared signs leave, and its blocks.

False alarms: a test that makes m two-sided z-tests takes the bound from the normal quantile at 1e-6/m; seeds
are fixed. A variance's standard error comes from the fourth moment, and the formulas' own from the draws of
the signs that they are averaged over.
"""

import functools
import math

import numpy as np
import pytest
from numpy.random import RandomState
from scipy.linalg import circulant
from scipy.stats import norm

from scrf_bench.maps import OCRF, theory
from scrf_bench.maps.ocrf import padded_order, unit_spectra

FALSE_ALARM = 1e-6


def bound(n_tests):
    return norm.isf(FALSE_ALARM / n_tests / 2)


def vectors(d, lengths):
    """Structured differences ``(x - y)/sigma``; the last two live on subgroups of positions."""
    shapes = {
        "random": RandomState(12345).standard_normal(d),
        "constant": np.ones(d),
        "one-sparse": np.eye(d)[0],
        "half-shift": np.eye(d)[0] + np.eye(d)[d // 2],
        "every-4th": (np.arange(d) % 4 == 0).astype(float),
    }
    return {(kind, s): s * v / np.linalg.norm(v) for kind, v in shapes.items() for s in lengths}


def estimates(cells, n_frequencies, n_maps, embedding="pair", **options):
    """Return ``<Phi(x), Phi(y)>`` of maps with seeds 0, 1, .., (n_maps, n_cells); sigma = 1."""
    d = len(next(iter(cells.values())))
    x = RandomState(1).standard_normal(d)
    X = np.vstack([x, *(x - v for v in cells.values())])
    n_components = n_frequencies * (2 if embedding == "pair" else 1)
    samples = []
    for seed in range(n_maps):
        fitted = OCRF(n_components, gamma=0.5, embedding=embedding, random_state=seed, **options).fit(X[:1])
        Phi = fitted.transform(X)
        samples.append(Phi[1:] @ Phi[0])
    return np.array(samples)


def scores(samples, moments):
    """z-scores of means and of variances against a list of `Moments`."""
    means, variances, mean_errors, variance_errors = np.array(moments).T
    squares = (samples - means) ** 2
    root = math.sqrt(len(samples))
    mean_scores = (samples.mean(axis=0) - means) / np.hypot(np.sqrt(variances) / root, mean_errors)
    variance_scores = (squares.mean(axis=0) - variances) / np.hypot(squares.std(axis=0) / root, variance_errors)
    return np.abs(np.concatenate([mean_scores, variance_scores]))


CASES = {
    "16-padded": (16, {"dense_below": 0}, 2000),
    "16-input": (16, {"dense_below": 0, "order": "input"}, 2000),
    "16-unscaled": (16, {"dense_below": 0, "radial": False}, 1500),
    "64": (64, {}, 1000),
    "180": (180, {}, 800),
}


@functools.cache
def one_block(case, embedding):
    """Return cells, samples and moments of maps of one block."""
    d, options, n_maps = CASES[case]
    order = d if options.get("order") == "input" else padded_order(d)
    cells = vectors(d, (1.0, 2.0) if d < 100 else (2.0,))
    samples = estimates(cells, order, n_maps, embedding, **options)
    phase = 1 / (2 * order) if embedding == "phase" else 0.0
    moments = [value._replace(variance=value.variance + phase) for value in pair_moments(case)]
    return cells, order, samples, moments


@functools.cache
def pair_moments(case):
    """Return the moments of one block in the pair embedding; a one-sparse v needs no draws of the signs."""
    d, options, _ = CASES[case]
    order = d if options.get("order") == "input" else padded_order(d)
    n_draws = {16: 250, 64: 100, 128: 25, 360: 6}[order]
    return [
        theory.ocrf_moments(
            v,
            order,
            order=order,
            radial=options.get("radial", True),
            n_draws=2 if kind == "one-sparse" else n_draws,
        )
        for (kind, _), v in vectors(d, (1.0, 2.0) if d < 100 else (2.0,)).items()
    ]


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("case", "embedding"), [*((case, "pair") for case in CASES), ("16-padded", "phase"), ("64", "phase")]
)
def test_bias_and_variance_equal_the_formulas(case, embedding):
    """Five structured v, also those on subgroups of positions; false alarms 1e-6 in all of a case.

    The variances' standard errors are 3 to 6 per cent of them.
    """
    _, _, samples, moments = one_block(case, embedding)
    z = scores(samples, moments)
    assert z.max() < bound(z.size)


@pytest.mark.parametrize("case", ["16-padded", "64", "180"])
def test_padded_blocks_are_as_good_as_rks_for_every_structure(case):
    """The default order: mean squared error at most 1.1 times RKS's variance, bias at most 0.005, by formula."""
    cells, order, _, moments = one_block(case, "pair")
    for (_, s), value in zip(cells, moments, strict=True):
        bias = value.mean - theory.gaussian_mean(s)
        assert abs(bias) < 0.005 + 4 * value.mean_error
        assert value.variance + bias**2 < 1.1 * theory.rks_variance(s, order) + 4 * value.variance_error


@pytest.mark.statistical
def test_the_bias_test_would_notice_other_lengths():
    """d = 16, n = 64, s = 2: the power of the test above, which would notice chi_d lengths, whose bias is +0.025 there.

    That is over 12 standard errors of the mean at 2,000 maps.
    """
    cells, _, samples, moments = one_block("16-padded", "pair")
    for i, (kind, s) in enumerate(cells):
        error = math.sqrt(moments[i].variance / len(samples))
        if s == 2.0:
            assert 12 * error < 0.025, kind


@pytest.mark.statistical
def test_many_blocks_at_d_16():
    """t = 64 blocks at d = 16, constant v, s = 2, pair: dense Haar by default against circulants of order 16.

    By default the variance is ORF's (0.67 times RKS's). With ``order="input", fresh_signs=False`` the floor of
    shared signs shows: 1.3 to 1.6 times RKS's, where fresh signs a block would give 0.73; signs drawn anew for
    groups of 16 blocks lie between. 6 z-tests, false alarms 1e-6 in all.
    """
    F, n_maps = 64 * 16, 600
    cells = {("constant", 2.0): 2.0 * np.ones(16) / 4.0}
    v, rks = cells["constant", 2.0], theory.rks_variance(2.0, F)
    circulants = {"dense_below": 0, "order": "input"}
    shared, grouped, fresh = (
        theory.ocrf_moments(v, F, order=16, blocks_per_group=group, n_draws=600) for group in (64, 16, 1)
    )
    cases = [
        ({}, theory.orf_moments(2.0, 16, F)),
        ({**circulants, "fresh_signs": False}, shared),
        (circulants, grouped),
    ]
    ratios = []
    for options, moments in cases:
        samples = estimates(cells, F, n_maps, **options)
        z = scores(samples, [moments])
        assert z.max() < bound(6)
        ratios.append(samples.var() / rks)
    assert ratios[0] < 0.8 < ratios[2] < 1.1 < 1.2 < ratios[1] < 1.7
    assert fresh.variance / rks == pytest.approx(0.73, abs=0.03)


@pytest.mark.parametrize("order", [1, 2, 3, 16, 63, 64, 125])
def test_blocks_are_orthogonal_circulants(order):
    """Rows of each circulant are orthonormal: its spectrum has modulus one and belongs to a real matrix."""
    spectra = unit_spectra(RandomState(0), 20, order)
    np.testing.assert_allclose(np.abs(spectra), 1.0, rtol=1e-14)
    assert np.isreal(spectra[:, 0]).all()
    if order % 2 == 0:
        assert np.isreal(spectra[:, -1]).all()
    for spectrum in spectra:
        C = circulant(np.fft.irfft(spectrum, order))
        np.testing.assert_allclose(np.fft.fft(C[:, 0])[: order // 2 + 1], spectrum, atol=1e-13)
        np.testing.assert_allclose(C @ C.T, np.eye(order), atol=1e-13)


def test_projection_keeps_lengths_within_a_block():
    """Without radial factors a whole block has ``||z|| = sqrt(n) ||x||/sigma``; rows of W are orthogonal at n = d."""
    X = RandomState(0).standard_normal((5, 100))
    fitted = OCRF(3 * 200, gamma=0.5, radial=False, random_state=0).fit(X)
    Z = fitted.project(X).reshape(5, 3, 200)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    np.testing.assert_allclose(np.linalg.norm(Z, axis=2), math.sqrt(200) * np.tile(lengths, 3), rtol=1e-12)
    W = OCRF(100, gamma=0.5, order="input", radial=False, random_state=0).fit(X).project(np.eye(100)).T
    np.testing.assert_allclose(W @ W.T, 100 * np.eye(100), atol=1e-10)


@pytest.mark.statistical
def test_spectra_are_haar():
    """Phases uniform and independent: first two moments of each and of products; signs even at real frequencies.

    Order 8, 20,000 draws, 32 z-tests, false alarms 1e-6 in all.
    """
    spectra = unit_spectra(RandomState(0), 20_000, 8)
    moments = [spectra[:, k] for k in range(5)]
    moments += [spectra[:, k] ** 2 for k in (1, 2, 3)]
    moments += [spectra[:, j] * spectra[:, k] for j in range(5) for k in range(j)]
    moments += [spectra[:, j] * spectra[:, k].conj() for j in (2, 3) for k in range(1, j)]
    z = np.array([m.mean() * math.sqrt(len(m)) / math.sqrt(np.mean(np.abs(m) ** 2)) for m in moments])
    assert max(np.abs(z.real).max(), np.abs(z.imag).max()) < bound(2 * len(z))


@pytest.mark.parametrize(
    ("d", "order"), [(1, 64), (16, 64), (22, 64), (32, 64), (60, 120), (62, 125), (180, 360), (784, 1568), (1024, 2048)]
)
def test_padded_order(d, order):
    """At least max(2 d, 64), and the smallest such number without prime factors above 7."""
    assert padded_order(d) == order


def test_parameter_counts():
    """Phases of whole blocks, signs of each group, lengths, phases of the cosine; dense blocks as ORF."""
    X = np.zeros((1, 100))
    assert OCRF(500).fit(X).n_parameters_ == 3 * 101 + 100 + 500 + 500
    assert OCRF(500, radial=False).fit(X).n_parameters_ == 3 * 101 + 100 + 500
    groups = 2  # 101 blocks of order 200, groups of 100
    assert OCRF(2 * 101 * 200, embedding="pair").fit(X).n_parameters_ == 101 * 101 + groups * 100 + 101 * 200
    assert OCRF(500).fit(X[:, :20]).n_parameters_ == 500 * 20 + 500 + 500
