"""Means and variances of the kernel estimates against the exact formulas of ``scrf_bench.maps.theory``.

One map of N blocks of order d = 16 holds N independent maps of 16 frequencies: its rows, cut into blocks,
give N independent estimates a cell (a direction v and a length s). `test_small_maps_agree` checks maps of one
block, each fitted by itself. All cells of a test share their draws; Bonferroni's correction holds all the
same.

False alarms: a test that makes m two-sided z-tests takes the bound from the normal quantile at 1e-6/m, so
that a fresh seed would fail a correct map in less than about one of a million runs (the normal approximation
of a mean of 100,000 terms; the fourth moments are estimated). Seeds are fixed.
"""

import functools

import numpy as np
import pytest
from numpy.random import RandomState
from scipy.stats import norm

from scrf_bench.maps import RKS, SCRF, Fastfood, theory

pytestmark = pytest.mark.statistical

D = 16
BLOCKS, ROUNDS = 20_000, 5
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


def mean_scores(samples, cells, variances):
    """z-scores of the means against exp(-s^2/2), with known variances."""
    kernel = np.array([theory.gaussian_mean(s) for _, s in cells])
    return (samples.mean(axis=0) - kernel) / np.sqrt(np.asarray(variances) / len(samples))


def variance_scores(samples, cells, variances, variance_errors=0.0):
    """z-scores of ``mean (estimate - K)^2`` against the variances, its error from the fourth moment."""
    kernel = np.array([theory.gaussian_mean(s) for _, s in cells])
    squares = (samples - kernel) ** 2
    errors = np.hypot(squares.std(axis=0) / np.sqrt(len(samples)), variance_errors)
    return (squares.mean(axis=0) - np.asarray(variances)) / errors


def exact_variance(cls, v, embedding):
    if cls is RKS:
        return theory.rks_variance(float(np.linalg.norm(v)), D, embedding)
    return theory.scrf_variance(v, D, embedding)


@pytest.mark.parametrize("embedding", ["pair", "phase"])
@pytest.mark.parametrize("cls", [RKS, SCRF])
def test_mean_and_variance_are_exact(cls, embedding):
    """Unbiased, with variance (q + A(v))/D, phase + 1/2 (A = 0 for RKS), over 12 cells; false alarms 1e-6 in
    all.

    The standard error of a variance is between 0.5 and 1.5 per cent of it.
    """
    samples = estimates(cls, embedding)
    variances = [exact_variance(cls, v, embedding) for v in CELLS.values()]
    limit = bound(2 * len(CELLS))
    assert np.abs(mean_scores(samples, CELLS, variances)).max() < limit
    assert np.abs(variance_scores(samples, CELLS, variances)).max() < limit
    assert (samples.var(axis=0) / variances - 1 < 0.05).all()


def test_the_tests_have_power():
    """SCRF's draws refute RKS's variance (the paper's eq. 12) wherever v is not one-sparse, far out."""
    samples = estimates(SCRF, "pair", rounds=1)
    variances = [exact_variance(RKS, v, "pair") for v in CELLS.values()]
    scores = dict(zip(CELLS, variance_scores(samples, CELLS, variances), strict=True))
    limit = bound(len(CELLS))
    refuted = {kind for (kind, _), score in scores.items() if score > limit}
    assert refuted == {"random", "constant", "ramp"}
    assert all(score > 2 * limit for (kind, _), score in scores.items() if kind != "one-sparse")


@pytest.mark.parametrize("embedding", ["pair", "phase"])
@pytest.mark.parametrize("scaling", [True, False])
def test_fastfood_is_unbiased(scaling, embedding):
    """With and without S; the variance is estimated from the sample. 12 cells, false alarms 1e-6 in all."""
    samples = estimates(Fastfood, embedding, scaling=scaling)
    scores = mean_scores(samples, CELLS, samples.var(axis=0, ddof=1))
    assert np.abs(scores).max() < bound(len(CELLS))


@pytest.mark.parametrize("embedding", ["pair", "phase"])
def test_unscaled_fastfood_variance(embedding):
    """(q + E F)/D without S, phase + 1/2; E F has an error of its own. 12 cells, false alarms 1e-6 in all."""
    samples = estimates(Fastfood, embedding, scaling=False)
    computed = [theory.unscaled_fastfood_variance(v, D, embedding, n_draws=1500) for v in CELLS.values()]
    variances, errors = np.array(computed).T
    scores = variance_scores(samples, CELLS, variances, errors)
    assert np.abs(scores).max() < bound(len(CELLS))


@pytest.mark.parametrize("cls", [RKS, SCRF])
def test_small_maps_agree(cls):
    """3,000 maps of one block, fitted one by one with seeds 0, 1, ..: the same mean and variance (phase
    embedding).

    Three cells, six z-tests, false alarms 1e-6 in all.
    """
    cells = {key: CELLS[key] for key in [("random", 1.0), ("constant", 2.0), ("ramp", 1.0)]}
    x = RandomState(1).standard_normal(D)
    X = np.vstack([x, *(x - v for v in cells.values())])
    samples = []
    for seed in range(3000):
        Phi = cls(D, gamma=0.5, random_state=seed).fit_transform(X)
        samples.append(Phi[1:] @ Phi[0])
    variances = [exact_variance(cls, v, "phase") for v in cells.values()]
    limit = bound(6)
    assert np.abs(mean_scores(np.array(samples), cells, variances)).max() < limit
    assert np.abs(variance_scores(np.array(samples), cells, variances)).max() < limit
