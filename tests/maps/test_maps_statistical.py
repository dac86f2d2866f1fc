"""Means and variances of the kernel estimates against the exact formulas of ``scrf_bench.maps.theory``.

One map of N blocks of order d = 16 holds N independent maps of 16 frequencies: its rows, cut into blocks,
give N independent estimates a cell (a direction v and a length s). `test_small_maps_agree` checks maps of one
block, each fitted by itself. All cells of a test share their draws; Bonferroni's correction holds all the
same.

False alarms: a test that makes m two-sided z-tests takes the bound from the normal quantile at 1e-6/m, so
that a fresh seed would fail a correct map in less than about one of a million runs (the normal approximation
of a mean of 40,000 terms; the fourth moments are estimated). Seeds are fixed.
"""

import functools

import numpy as np
import pytest
from numpy.random import RandomState
from scipy.stats import norm

from scrf_bench.maps import ORF, RKS, SCRF, SORF, ColumnSignedCirculant, Fastfood, theory

pytestmark = pytest.mark.statistical

D = 16
BLOCKS, ROUNDS = 20_000, 2
FALSE_ALARM = 1e-6


def _directions():
    rng = RandomState(12345)
    return {
        "random": rng.standard_normal(D),
        "one-sparse": np.eye(D)[3],
        "constant": np.ones(D),
        "ramp": np.arange(1.0, D + 1),
    }


CELLS = {(kind, s): s * v / np.linalg.norm(v) for kind, v in _directions().items() for s in (0.5, 1.0, 2.0)}


def bound(n_tests):
    return norm.isf(FALSE_ALARM / n_tests / 2)


@functools.cache
def estimates(cls, embedding, rounds=ROUNDS, **options):
    """Return ``<Phi(x), Phi(y)>`` of independent one-block maps, (n_maps, n_cells); sigma = 1."""
    vs = list(CELLS.values())
    x = RandomState(1).standard_normal(D)
    X = np.vstack([x, *(x - v for v in vs)])
    n_components = D * BLOCKS * (2 if embedding == "pair" else 1)
    results = []
    for seed in range(rounds):
        Phi = cls(n_components, gamma=0.5, embedding=embedding, random_state=seed, **options).fit_transform(X)
        products = (Phi[1:] * Phi[0]).reshape(len(vs), -1, BLOCKS, D)  # cosines (and sines), blocks, rows
        results.append(products.sum(axis=(1, 3)).T * BLOCKS)
    return np.vstack(results)


def kernel_means(cells):
    return np.array([theory.gaussian_mean(s) for _, s in cells])


def mean_scores(samples, means, variances, mean_errors=0.0):
    """z-scores of the means, with known variances."""
    return (samples.mean(axis=0) - means) / np.hypot(np.sqrt(np.asarray(variances) / len(samples)), mean_errors)


def variance_scores(samples, means, variances, variance_errors=0.0):
    """z-scores of ``mean (estimate - mean)^2`` against the variances, its error from the fourth moment."""
    squares = (samples - means) ** 2
    errors = np.hypot(squares.std(axis=0) / np.sqrt(len(samples)), variance_errors)
    return (squares.mean(axis=0) - np.asarray(variances)) / errors


def exact_variance(cls, v, embedding):
    s = float(np.linalg.norm(v))
    if cls is RKS:
        return theory.rks_variance(s, D, embedding)
    if cls is ORF:
        return theory.orf_moments(s, D, D, embedding).variance
    if cls is ColumnSignedCirculant:
        return theory.column_signed_variance(v, D, embedding)
    return theory.scrf_variance(v, D, embedding)


# Fresh signs make a block an independent map of its own.
EXACT = [(RKS, {}), (SCRF, {}), (ORF, {}), (ColumnSignedCirculant, {"fresh_signs": True})]


@pytest.mark.parametrize("embedding", ["pair", "phase"])
@pytest.mark.parametrize(("cls", "options"), EXACT, ids=lambda value: getattr(value, "__name__", ""))
def test_mean_and_variance_are_exact(cls, options, embedding):
    """Unbiased, with the variance of `scrf_bench.maps.theory`, over 12 cells; false alarms 1e-6 in all.

    The standard error of a variance is between 0.7 and 2.5 per cent of it.
    """
    samples = estimates(cls, embedding, **options)
    variances = [exact_variance(cls, v, embedding) for v in CELLS.values()]
    limit = bound(2 * len(CELLS))
    assert np.abs(mean_scores(samples, kernel_means(CELLS), variances)).max() < limit
    assert np.abs(variance_scores(samples, kernel_means(CELLS), variances)).max() < limit
    assert (np.abs(samples.var(axis=0) / variances - 1) < 0.1).all()


def test_the_tests_have_power():
    """SCRF's draws refute RKS's variance (the paper's eq. 12) wherever v is not one-sparse, far out."""
    samples = estimates(SCRF, "pair", rounds=1)
    variances = [exact_variance(RKS, v, "pair") for v in CELLS.values()]
    scores = dict(zip(CELLS, variance_scores(samples, kernel_means(CELLS), variances), strict=True))
    limit = bound(len(CELLS))
    refuted = {kind for (kind, _), score in scores.items() if score > limit}
    assert refuted == {"random", "constant", "ramp"}
    assert all(score > 2 * limit for (kind, _), score in scores.items() if kind != "one-sparse")


@pytest.mark.parametrize("embedding", ["pair", "phase"])
@pytest.mark.parametrize("scaling", [True, False])
def test_fastfood_is_unbiased(scaling, embedding):
    """With and without S; the variance is estimated from the sample. 12 cells, false alarms 1e-6 in all."""
    samples = estimates(Fastfood, embedding, scaling=scaling)
    scores = mean_scores(samples, kernel_means(CELLS), samples.var(axis=0, ddof=1))
    assert np.abs(scores).max() < bound(len(CELLS))


@pytest.mark.parametrize("embedding", ["pair", "phase"])
@pytest.mark.parametrize("scaling", [True, False])
def test_fastfood_variance(scaling, embedding):
    """(q + E excess)/D with and without S, phase + 1/2; the mean over B and Pi has an error of its own.

    12 cells, false alarms 1e-6 in all.
    """
    samples = estimates(Fastfood, embedding, scaling=scaling)
    formula, n_draws = (theory.fastfood_variance, 300) if scaling else (theory.unscaled_fastfood_variance, 1500)
    computed = [formula(v, D, embedding, n_draws=n_draws) for v in CELLS.values()]
    variances, errors = np.array(computed).T
    scores = variance_scores(samples, kernel_means(CELLS), variances, errors)
    assert np.abs(scores).max() < bound(len(CELLS))


@pytest.mark.parametrize("embedding", ["pair", "phase"])
def test_sorf_mean_and_variance(embedding):
    """Biased, as signs of three diagonals and rows of one length make it, and within the published bound.

    12 cells, 24 z-tests, false alarms 1e-6 in all. At s = 2 the bias (-0.037) is over 20 standard errors.
    """
    samples = estimates(SORF, embedding)
    moments = [theory.sorf_moments(v, D, embedding, n_draws=20_000) for v in CELLS.values()]
    means, variances, mean_errors, variance_errors = np.array(moments).T
    limit = bound(2 * len(CELLS))
    assert np.abs(mean_scores(samples, means, variances, mean_errors)).max() < limit
    assert np.abs(variance_scores(samples, means, variances, variance_errors)).max() < limit
    biases, lengths = samples.mean(axis=0) - kernel_means(CELLS), np.array([s for _, s in CELLS])
    assert (np.abs(biases) < [theory.sorf_bias_bound(s, D) for s in lengths]).all()
    unbiased = mean_scores(samples, kernel_means(CELLS), variances)
    assert (np.abs(unbiased[lengths == 2.0]) > 2 * limit).all()


def test_shared_signs_do_not_change_the_variance():
    """Column signs shared by all 4 blocks of a map: given them blocks are unbiased, so the formula still holds.

    1,500 maps fitted one by one, constant and random v at s = 1; 4 z-tests, false alarms 1e-6 in all.
    """
    cells = {key: CELLS[key] for key in [("random", 1.0), ("constant", 1.0)]}
    samples = small_maps(ColumnSignedCirculant, cells, 4 * D, embedding="pair")
    variances = [theory.column_signed_variance(v, 4 * D) for v in cells.values()]
    limit = bound(4)
    assert np.abs(mean_scores(samples, kernel_means(cells), variances)).max() < limit
    assert np.abs(variance_scores(samples, kernel_means(cells), variances)).max() < limit


def small_maps(cls, cells, n_frequencies, embedding="phase", n_maps=1500, **options):
    """Return estimates of maps fitted one by one with seeds 0, 1, .., (n_maps, n_cells)."""
    d = len(next(iter(cells.values())))
    x = RandomState(1).standard_normal(d)
    X = np.vstack([x, *(x - v for v in cells.values())])
    n_components = n_frequencies * (2 if embedding == "pair" else 1)
    samples = []
    for seed in range(n_maps):
        made = cls(n_components, gamma=0.5, embedding=embedding, random_state=seed, **options)
        Phi = made.fit(X[:1]).transform(X)
        samples.append(Phi[1:] @ Phi[0])
    return np.array(samples)


@pytest.mark.parametrize("cls", [RKS, SCRF, ORF])
def test_small_maps_agree(cls):
    """1,500 maps of one block, fitted one by one with seeds 0, 1, ..: the same mean and variance (phase
    embedding).

    Three cells, six z-tests, false alarms 1e-6 in all.
    """
    cells = {key: CELLS[key] for key in [("random", 1.0), ("constant", 2.0), ("ramp", 1.0)]}
    samples = small_maps(cls, cells, D)
    variances = [exact_variance(cls, v, "phase") for v in cells.values()]
    limit = bound(6)
    assert np.abs(mean_scores(samples, kernel_means(cells), variances)).max() < limit
    assert np.abs(variance_scores(samples, kernel_means(cells), variances)).max() < limit
