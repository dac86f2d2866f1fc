"""Orthogonal random features: blocks of Haar-distributed orthogonal matrices, with and without chi lengths.

Rows j and k of a Haar block are orthonormal, so with lengths r_j and r_k ``z_j +- z_k`` is the projection of
v on a uniform direction times ``R = sqrt(r_j^2 + r_k^2)``. A uniform direction's characteristic function is
the normalised Bessel function ``j_{d/2-1}(x) = 0F1(; d/2; -x^2/4)``.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt

from scrf_bench.maps.epilogue import Embedding
from scrf_bench.maps.theory.cosines import (
    FloatArray,
    Moments,
    cosine_variance,
    gamma_quadrature,
    gaussian_mean,
    stacked_variance,
)

_LENGTH_NODES = 40
_DIRECTION_NODES = 80


def normalised_bessel(d: int, x: npt.ArrayLike) -> FloatArray:
    """Return ``j_{d/2-1}(x) = Gamma(d/2) (2/x)^{d/2-1} J_{d/2-1}(x)``, ``E cos(x u_1)`` for u uniform on the
    unit sphere in d dimensions.

    By Gauss quadrature over u_1, whose density is proportional to ``(1 - u^2)^{(d-3)/2}`` (Gegenbauer): the
    Bessel function itself underflows at large orders. Absolute error about 1e-14 up to ``x = 8 sqrt(d)``.
    """
    x = np.asarray(x, dtype=np.float64)
    nodes, weights = _gegenbauer_quadrature(d)
    return np.asarray(np.cos(x[..., np.newaxis] * nodes) @ weights, dtype=np.float64)


@functools.cache
def _gegenbauer_quadrature(d: int) -> tuple[FloatArray, FloatArray]:
    """Return Gauss nodes and weights for one coordinate of a uniform unit vector (Golub & Welsch 1969)."""
    k, index = np.arange(2, _DIRECTION_NODES), d / 2 - 1
    squares = np.concatenate([[1 / d], k * (k + 2 * index - 1) / (4 * (k + index) * (k + index - 1))])
    nodes, vectors = np.linalg.eigh(np.diag(np.sqrt(squares), -1))
    # The nodes lie symmetrically about 0 and the cosine is even.
    half = _DIRECTION_NODES // 2
    return nodes[half:], 2 * vectors[0, half:] ** 2


def unscaled_row_mean(s: float, d: int) -> float:
    """Return ``E cos z = j_{d/2-1}(sqrt(d) s)`` for a uniform direction of fixed length sqrt(d) (no chi law).

    It tends to ``exp(-s^2/2)`` as d grows (Demni & Kadri, arXiv:2310.07370); the difference is the bias of
    unscaled Haar blocks, and nearly that of SORF.
    """
    return float(normalised_bessel(d, math.sqrt(d) * s))


def orf_moments(s: float, d: int, n_frequencies: int, embedding: Embedding = "pair", *, radial: bool = True) -> Moments:
    """Return the exact mean and variance of the ORF estimate.

    With chi lengths ``R^2 ~ chi^2_{2d}``, so two rows of a block have ``E cos z_j cos z_k = E
    j_{d/2-1}(R s) = 1F1(d; d/2; -s^2/2)``: here by Gauss quadrature over ``R^2/2 ~ Gamma(d)``. Without
    lengths ``R^2 = 2 d``.

    Parameters
    ----------
    s : float
        Scaled distance; the direction of v does not matter.
    d : int
        Order of the blocks, at least 2.
    n_frequencies : int
        F; a last block may be cut off.
    embedding : {"pair", "phase"}
    radial : bool, default=True
        Whether rows have chi_d lengths (else sqrt(d), and the estimate is biased).

    Returns
    -------
    Moments
    """
    if radial:
        mean, variance = gaussian_mean(s), cosine_variance(s)
        nodes, weights = gamma_quadrature(float(d), _LENGTH_NODES)
        product = float(weights @ normalised_bessel(d, np.sqrt(2 * nodes) * s))
    else:
        mean, product = unscaled_row_mean(s, d), float(normalised_bessel(d, math.sqrt(2 * d) * s))
        variance = (1 + float(normalised_bessel(d, 2 * math.sqrt(d) * s))) / 2 - mean**2
    covariance = np.full(d, product - mean**2)
    return Moments(mean, stacked_variance(variance, covariance, n_frequencies, embedding))


def orthogonal_limit_ratio(d: int) -> float:
    """Return ``3/(d+2)``, the limit for s -> 0 of ORF's variance over RKS's (pair, one block of order d)."""
    return 3 / (d + 2)


def orf_variance_bound(s: float, d: int, n_frequencies: int) -> float:
    """Return Yu et al.'s leading term for one block, ``((1 - e^{-s^2})^2 - (F-1)/d e^{-s^2} s^4) / (2 F)``.

    Theorem 1 of arXiv:1610.09072 adds ``f(s)/d^2`` with a function f it does not print; pair embedding, ``F <=
    d``.
    """
    gain = (n_frequencies - 1) / d * math.exp(-(s**2)) * s**4
    return (2 * cosine_variance(s) - gain) / (2 * n_frequencies)
