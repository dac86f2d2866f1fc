"""Cosines of normal projections: independent frequencies (RKS), and the sums that all maps share.

A single ``z_j`` is N(0, s^2), so ``E cos z_j = K`` and ``Var cos z_j = q(s)``. If (z_j, z_k) is Gaussian with
correlation rho, or a half-half mixture of correlations rho and -rho, then ``Cov(cos z_j, cos z_k) = e^{-s^2}
(cosh(rho s^2) - 1)`` (Le, Sarlos, Smola, arXiv:1408.3060, eq. 41).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scrf_bench.kernels.matern import matern_profile
from scrf_bench.maps.epilogue import Embedding
from scrf_bench.maps.radial import Kernel

FloatArray = npt.NDArray[np.float64]


class Moments(NamedTuple):
    """Mean and variance of an estimate, with the standard errors they were computed to (0: exact)."""

    mean: float
    variance: float
    mean_error: float = 0.0
    variance_error: float = 0.0


def gaussian_mean(s: float) -> float:
    """Return ``K = exp(-s^2/2)``, the mean of every unbiased estimate at scaled distance `s`."""
    return float(np.exp(-(s**2) / 2))


def kernel_mean(s: float, kernel: Kernel = "gaussian", nu: float = 1.5) -> float:
    """Return the kernel at scaled distance `s`: ``exp(-s^2/2)``, or the Matern kernel of smoothness nu."""
    if kernel == "gaussian":
        return gaussian_mean(s)
    return float(matern_profile(np.array([s**2]), gamma=0.5, nu=nu)[0])


def cosine_variance(s: float, kernel: Kernel = "gaussian", nu: float = 1.5) -> float:
    """Return ``q(s)``, the variance of ``cos z`` for one frequency at scaled distance `s`.

    ``E cos^2 z = (1 + E cos 2z)/2``, so ``q = (1 + k(2 s))/2 - k(s)^2``; for the Gaussian kernel that is ``(1
    - e^{-s^2})^2 / 2``.
    """
    if kernel == "gaussian":
        return float(np.expm1(-(s**2)) ** 2 / 2)
    return (1 + kernel_mean(2 * s, kernel, nu)) / 2 - kernel_mean(s, kernel, nu) ** 2


def cosine_covariance(s: float, rho: npt.ArrayLike) -> FloatArray:
    """Return ``Cov(cos z_j, cos z_k) = e^{-s^2} (cosh(rho s^2) - 1)`` for projections of correlation +-rho.

    ``E cos z_j cos z_k = (E cos(z_j + z_k) + E cos(z_j - z_k))/2 = e^{-s^2} cosh(rho s^2)``; the sign of rho
    does not matter, so neither do random signs of the rows. Never negative, and zero only where rho is.
    """
    return np.asarray(2.0 * np.exp(-(s**2)) * np.sinh(np.asarray(rho) * s**2 / 2) ** 2, dtype=np.float64)


def rks_variance(
    s: float, n_frequencies: int, embedding: Embedding = "pair", *, kernel: Kernel = "gaussian", nu: float = 1.5
) -> float:
    """Return the variance of the RKS estimate: ``q/F`` (pair) or ``(1/2 + q)/F`` (phase).

    Parameters
    ----------
    s : float
        Scaled distance ``||x - y||/sigma``.
    n_frequencies : int
        F, the number of independent frequencies: columns (phase) or half the columns (pair).
    embedding : {"pair", "phase"}
    kernel : {"gaussian", "matern"}
    nu : float
        Smoothness of the Matern kernel.

    Returns
    -------
    float
    """
    return (cosine_variance(s, kernel, nu) + phase_variance(embedding)) / n_frequencies


def phase_variance(embedding: Embedding) -> float:
    """Return what a uniform phase adds to one feature's variance: 1/2, or 0 in the pair embedding."""
    return 0.5 if embedding == "phase" else 0.0


def block_sum_variance(variance: float, covariances: FloatArray, rows: int) -> float:
    """Return the variance of the sum of the first `rows` features of a block.

    Parameters
    ----------
    variance : float
        Of one feature.
    covariances : ndarray of shape (n,)
        ``Cov(cos z_j, cos z_k)`` at lag ``k - j``; entry 0 is ignored.
    rows : int
        At most n.
    """
    lags = np.arange(1, rows)
    return rows * variance + 2.0 * float(((rows - lags) * covariances[1:rows]).sum())


def stacked_variance(variance: float, covariances: FloatArray, n_frequencies: int, embedding: Embedding) -> float:
    """Return the variance of the mean over independent blocks, the last one cut off; see `block_sum_variance`."""
    blocks, rest = divmod(n_frequencies, len(covariances))
    total = blocks * block_sum_variance(variance, covariances, len(covariances))
    total += block_sum_variance(variance, covariances, rest)
    return total / n_frequencies**2 + phase_variance(embedding) / n_frequencies


def gamma_quadrature(shape: float, n_nodes: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of Gauss quadrature for the Gamma(shape, 1) probability law.

    Golub & Welsch 1969: eigenvalues of the Jacobi matrix of the generalised Laguerre polynomials; the weights
    are squared first components of its eigenvectors, so nothing overflows for large shapes.
    ``chi^2_n`` is twice Gamma(n/2).
    """
    k = np.arange(n_nodes, dtype=np.float64)
    jacobi = np.diag(2 * k + shape) + np.diag(np.sqrt(k[1:] * (k[1:] + shape - 1)), 1)
    nodes, vectors = np.linalg.eigh(jacobi, UPLO="U")
    return nodes, vectors[0] ** 2
