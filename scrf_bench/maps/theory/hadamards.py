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
)
from scrf_bench.maps.theory.orthogonal import normalised_bessel

_LENGTH_NODES = 8


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
    correlation = hadamard(len(squares)) @ squares / squares.sum()
    return float(cosine_covariance(float(np.sqrt(squares.sum())), correlation[1:]).sum())


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
    a one-sparse v.

    Parameters
    ----------
    v : array-like of shape (n,)
        ``(x - y)/sigma``, padded to a power of two.
    n_frequencies : int
        A multiple of n.
    embedding : {"pair", "phase"}
    n_draws : int, default=1000
    random_state : int, default=0

    Returns
    -------
    (float, float)

    Raises
    ------
    ValueError
        If n is no power of two or does not divide `n_frequencies`.
    """
    inner = _inner_vectors(v, n_frequencies, n_draws, random_state)
    draws = [hadamard_excess(u) for u in inner]
    return _averaged(draws, float(np.linalg.norm(v)), n_frequencies, embedding)


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
    inner = _inner_vectors(v, n_frequencies, n_draws, random_state)
    s = float(np.linalg.norm(v))
    n = inner.shape[1]
    correlation = (inner**2 @ hadamard(n)[:, 1:]) / s**2
    nodes, weights = gamma_quadrature(n / 2, _LENGTH_NODES)
    i, j = np.triu_indices(_LENGTH_NODES)
    pair_weights = weights[i] * weights[j] * np.where(i == j, 1.0, 2.0)
    squares, products = 2 * (nodes[i] + nodes[j]), 2 * np.sqrt(nodes[i] * nodes[j])
    draws = []
    for rho in correlation[:, :, np.newaxis]:
        lengths = np.sqrt(np.maximum(squares + 2 * np.concatenate([rho, -rho]) * products, 0.0))
        mean = normalised_bessel(n, s * lengths) @ pair_weights
        draws.append(float((mean - math.exp(-(s**2))).sum() / 2))  # halved: both signs of rho
    return _averaged(draws, s, n_frequencies, embedding)


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
        A multiple of n; blocks are independent.
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
        If n is no power of two or does not divide `n_frequencies`.
    """
    v = _padded(v, n_frequencies)
    n = len(v)
    H = hadamard(n) / math.sqrt(n)
    rng = np.random.RandomState(random_state)
    signs = rng.choice([-1.0, 1.0], (2, n_draws, n))
    w = (signs[0] * ((signs[1] * v) @ H)) @ H
    means = np.cos(w).prod(axis=1)
    doubled, same = np.cos(2 * w), hadamard(n)[1:, :, np.newaxis] > 0
    products = [np.where(row.T, doubled, 1.0).prod(axis=1) + np.where(row.T, 1.0, doubled).prod(axis=1) for row in same]
    squares = (1 + doubled.prod(axis=1)) / 2
    # One block's sum: squares on the diagonal, n - 1 partners for each of its rows.
    second = (n * squares + n * np.sum(products, axis=0) / 2) / n**2
    mean = float(means.mean())
    influence = (second - 2 * mean * means) * n / n_frequencies
    variance = float(second.mean() - mean**2) * n / n_frequencies + phase_variance(embedding) / n_frequencies
    root = math.sqrt(n_draws)
    return Moments(mean, variance, float(means.std(ddof=1)) / root, float(influence.std(ddof=1)) / root)


def sorf_bias_bound(s: float, d: int) -> float:
    """Return ``6 s/sqrt(d)``, which bounds SORF's bias (Yu et al., arXiv:1610.09072, Theorem 3)."""
    return 6 * s / math.sqrt(d)


def _inner_vectors(v: npt.ArrayLike, n_frequencies: int, n_draws: int, random_state: int) -> FloatArray:
    """Draw ``u = Pi H B v/sqrt n``, one a row."""
    v = _padded(v, n_frequencies)
    rng = np.random.RandomState(random_state)
    H = hadamard(len(v)) / np.sqrt(len(v))
    return np.array([rng.permutation(H @ (rng.choice([-1.0, 1.0], len(v)) * v)) for _ in range(n_draws)])


def _padded(v: npt.ArrayLike, n_frequencies: int) -> FloatArray:
    v = np.asarray(v, dtype=np.float64)
    n = len(v)
    if n & (n - 1) or n_frequencies % n:
        raise ValueError(
            f"v has {n} entries and n_frequencies={n_frequencies}: pad v with zeros to a power of two that "
            "divides n_frequencies."
        )
    return v


def _averaged(draws: list[float], s: float, n_frequencies: int, embedding: Embedding) -> tuple[float, float]:
    """Return ``(q + mean of the excess)/D`` (+ 1/2 in phase) and its standard error."""
    variance = (cosine_variance(s) + phase_variance(embedding) + np.mean(draws)) / n_frequencies
    return float(variance), float(np.std(draws, ddof=1) / np.sqrt(len(draws)) / n_frequencies)
