"""Hadamard blocks: Fastfood with and without S, and SORF. Expectations over inner signs and permutations are
averaged over draws; everything else is done exactly.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.linalg import hadamard

from scrf_bench.maps.epilogue import Embedding
from scrf_bench.maps.theory.cosines import (
    FloatArray,
    Moments,
    cosine_covariance,
    cosine_variance,
    gamma_quadrature,
    phase_variance,
    stacked_variance,
)
from scrf_bench.maps.theory.orthogonal import normalised_bessel

_LENGTH_NODES = 8
# The covariance of two rows is an entire, even function of their correlation: an interpolation of degree 40 is exact to
# rounding, and spares one integral for each row of each draw.
_CORRELATION_DEGREE = 40


def hadamard_excess(u: npt.ArrayLike) -> float:
    """Return ``F(u) = e^{-s^2} sum_{l=1}^{n-1} (cosh(r_l s^2) - 1)``, the covariances a row of ``H G u``.

    ``r_l = sum_i H_li u_i^2 / ||u||^2`` is the correlation of rows j and k of ``H G u`` with ``H_l = H_j o
    H_k``, for ``u = Pi H B v/sqrt n``, that is Fastfood without S given its signs and its permutation.

    Parameters
    ----------
    u : array-like of shape (n,)
        n a power of two; ``||u|| = s``.
    """
    squares = np.asarray(u, dtype=np.float64) ** 2
    correlation = walsh_transform(squares) / squares.sum()
    return float(cosine_covariance(float(np.sqrt(squares.sum())), correlation[1:]).sum())


def walsh_transform(x: npt.ArrayLike) -> FloatArray:
    """Return ``H x`` along the last axis, H the unnormalised Walsh-Hadamard matrix in Sylvester's order.

    Parameters
    ----------
    x : array-like of shape (..., n)
        n a power of two.
    """
    result = np.array(x, dtype=np.float64)
    shape, half = result.shape, 1
    while half < shape[-1]:
        pairs = result.reshape(*shape[:-1], -1, 2, half)
        result = np.stack([pairs[..., 0, :] + pairs[..., 1, :], pairs[..., 0, :] - pairs[..., 1, :]], axis=-2)
        result = result.reshape(shape)
        half *= 2
    return result


def unscaled_fastfood_variance(
    v: npt.ArrayLike,
    n_frequencies: int,
    embedding: Embedding = "pair",
    *,
    n_draws: int = 1000,
    random_state: int = 0,
) -> tuple[float, float]:
    """Return the variance of Fastfood without S, ``(q + E F)/D`` (+ 1/2 in phase), and its standard error.

    Given B and Pi the estimate is unbiased, so the variance is the mean of the conditional one; the mean over
    B and Pi is taken over `n_draws` draws. Exact (standard error 0) where F is the same for all draws, as for
    a one-sparse v. Averaged over Pi any two rows of a block have one covariance, since every row of H but the
    first has as many entries of one sign as of the other: that gives the variance where a block is cut off.

    Parameters
    ----------
    v : array-like of shape (n,)
        ``(x - y)/sigma``, padded to a power of two.
    n_frequencies : int
        F; a last block may be cut off.
    embedding : {"pair", "phase"}
    n_draws : int, default=1000
    random_state : int, default=0

    Returns
    -------
    (float, float)

    Raises
    ------
    ValueError
        If n is no power of two.
    """
    inner = _inner_vectors(v, n_draws, random_state)
    draws = [hadamard_excess(u) for u in inner]
    return _averaged(draws, inner.shape[1], float(np.linalg.norm(v)), n_frequencies, embedding)


def fastfood_variance(
    v: npt.ArrayLike,
    n_frequencies: int,
    embedding: Embedding = "pair",
    *,
    n_draws: int = 300,
    random_state: int = 0,
) -> tuple[float, float]:
    """Return the variance of Fastfood with S and its standard error.

    ``S G`` makes of G a uniform direction g with a chi_n length for each row, so given ``u = Pi H B v/sqrt n``
    rows j and k are ``r_j a'g`` and ``r_k b'g`` with ``||a|| = ||b|| = s`` and correlation r_l as in
    `hadamard_excess`: ``E cos(z_j +- z_k) = j_{n/2-1}(s sqrt(r_j^2 + r_k^2 +- 2 r_l r_j r_k))``, by Gauss
    quadrature over both chi lengths. The mean over B and Pi is taken over `n_draws` draws.

    Parameters, returned values and errors are those of `unscaled_fastfood_variance`.
    """
    inner = _inner_vectors(v, n_draws, random_state)
    s = float(np.linalg.norm(v))
    n = inner.shape[1]
    correlation = walsh_transform(inner**2)[:, 1:] / s**2
    nodes, weights = gamma_quadrature(n / 2, _LENGTH_NODES)
    i, j = np.triu_indices(_LENGTH_NODES)
    pair_weights = weights[i] * weights[j] * np.where(i == j, 1.0, 2.0)
    squares, products = 2 * (nodes[i] + nodes[j]), 2 * np.sqrt(nodes[i] * nodes[j])

    def mean_product(rho: FloatArray) -> FloatArray:
        lengths = np.sqrt(np.maximum(squares + 2 * rho[:, np.newaxis] * products, 0.0))
        return np.asarray(normalised_bessel(n, s * lengths) @ pair_weights)

    def covariance(rho: FloatArray) -> FloatArray:
        return (mean_product(rho) + mean_product(-rho)) / 2 - math.exp(-(s**2))

    interpolated = np.polynomial.Chebyshev.interpolate(covariance, _CORRELATION_DEGREE, domain=[-1, 1])
    draws = [float(interpolated(rho).sum()) for rho in correlation]
    return _averaged(draws, n, s, n_frequencies, embedding)


def sorf_moments(
    v: npt.ArrayLike,
    n_frequencies: int,
    embedding: Embedding = "pair",
    *,
    n_draws: int = 2000,
    random_state: int = 0,
) -> Moments:
    """Return mean and variance of the SORF estimate, blocks ``sqrt(n) H D_1 H D_2 H D_3`` (H normalised).

    Given ``w = H D_2 H D_3 v``, ``z_j = sum_i H_ji eps_i w_i`` with signs eps, so ``E cos z_j = prod_i cos
    w_i`` for every row, and ``E cos z_j cos z_k`` is half of ``prod cos 2 w_i`` over the i with ``H_ji = H_ki``
    plus the same over the others. Means over D_2 and D_3 are taken over `n_draws` draws.

    Parameters
    ----------
    v : array-like of shape (n,)
        ``(x - y)/sigma``, padded to a power of two.
    n_frequencies : int
        F; blocks are independent, and a last one may be cut off.
    embedding : {"pair", "phase"}
    n_draws : int, default=2000
    random_state : int, default=0

    Returns
    -------
    Moments
        Errors of the mean and of the variance; the latter by first-order propagation.

    Raises
    ------
    ValueError
        If n is no power of two.
    """
    v = _padded(v)
    n = len(v)
    H = hadamard(n) / math.sqrt(n)
    rng = np.random.RandomState(random_state)
    signs = rng.choice([-1.0, 1.0], (2, n_draws, n))
    w = (signs[0] * ((signs[1] * v) @ H)) @ H
    means = np.cos(w).prod(axis=1)
    doubled, same = np.cos(2 * w), hadamard(n)[1:, :, np.newaxis] > 0
    products = [np.where(row.T, doubled, 1.0).prod(axis=1) + np.where(row.T, 1.0, doubled).prod(axis=1) for row in same]
    # Pairs of rows j and k of one block by j xor k, over all blocks: 0 are the squares.
    blocks, rest = divmod(n_frequencies, n)
    pairs = blocks * n + _pairs_by_difference(n, rest)
    second = (pairs[0] * (1 + doubled.prod(axis=1)) + pairs[1:] @ products) / 2 / n_frequencies**2
    within = (blocks * n**2 + rest**2) / n_frequencies**2
    mean = float(means.mean())
    influence = second - 2 * within * mean * means
    variance = float(second.mean() - within * mean**2) + phase_variance(embedding) / n_frequencies
    root = math.sqrt(n_draws)
    return Moments(mean, variance, float(means.std(ddof=1)) / root, float(influence.std(ddof=1)) / root)


def _pairs_by_difference(n: int, rows: int) -> FloatArray:
    """Return how many pairs (j, k), both below `rows`, have ``j xor k = l``, for ``l = 0 .. n-1``."""
    kept = np.arange(n) < rows
    return np.rint(walsh_transform(walsh_transform(kept) ** 2) / n)


def sorf_bias_bound(s: float, d: int) -> float:
    """Return ``6 s/sqrt(d)``, which bounds SORF's bias (Yu et al., arXiv:1610.09072, Theorem 3)."""
    return 6 * s / math.sqrt(d)


def _inner_vectors(v: npt.ArrayLike, n_draws: int, random_state: int) -> FloatArray:
    """Draw ``u = Pi H B v/sqrt n``, one a row."""
    v = _padded(v)
    rng = np.random.RandomState(random_state)
    signs = np.empty((n_draws, len(v)))
    orders = np.empty(signs.shape, dtype=np.intp)
    for draw in range(n_draws):
        signs[draw] = rng.choice([-1.0, 1.0], len(v))
        orders[draw] = rng.permutation(len(v))
    return np.take_along_axis(walsh_transform(signs * v) / math.sqrt(len(v)), orders, axis=1)


def _padded(v: npt.ArrayLike) -> FloatArray:
    v = np.asarray(v, dtype=np.float64)
    n = len(v)
    if n & (n - 1):
        raise ValueError(f"v has {n} entries: pad it with zeros to a power of two.")
    return v


def _averaged(draws: list[float], n: int, s: float, n_frequencies: int, embedding: Embedding) -> tuple[float, float]:
    """Return the variance and its standard error from draws of the covariances of one row with all others."""

    def variance(excess: float) -> float:
        covariances = np.full(n, excess / max(n - 1, 1))
        return stacked_variance(cosine_variance(s), covariances, n_frequencies, embedding)

    error = float(np.std(draws, ddof=1)) / math.sqrt(len(draws))
    return variance(float(np.mean(draws))), variance(error) - variance(0.0)
