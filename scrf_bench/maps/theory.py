"""Exact means and variances of the maps' kernel estimates ``<Phi(x), Phi(y)>`` for the Gaussian kernel.

Notation: ``v = (x - y)/sigma``, ``s = ||v||``, ``K = exp(-s^2/2)``; F frequencies. The pair estimate is
``(1/F) sum_j cos z_j`` with ``z = sigma Pi v``; the phase estimate is ``(2/D) sum_j cos(z_j(x) + b_j)
cos(z_j(y) + b_j)`` with ``D = F``.

Derivation, used throughout. A single ``z_j`` is N(0, s^2), so ``E cos z_j = K`` and ``Var cos z_j = q(s)``.
If (z_j, z_k) is Gaussian with correlation rho, or a half-half mixture of correlations rho and -rho, then
``Cov(cos z_j, cos z_k) = e^{-s^2} (cosh(rho s^2) - 1)`` (Le, Sarlos, Smola, arXiv:1408.3060, eq. 41). A
uniform phase adds ``cos(z_j(x) + z_j(y) + 2 b_j)`` to each term, uncorrelated with everything else and of
variance 1/2.

Row signs. The SCRF paper multiplies the rows of a circulant block C by independent signs e_j, so that the projections
``z_j = e_j (C v)_j`` are uncorrelated (its Remark 1), and concludes that they are independent and the variance is that
of RKS (its Theorem 2 and Corollary 2). The first is true, the second is not:

* Pair embedding. cos is even, so ``cos z_j = cos (C v)_j``: the estimate is that of the unsigned circulant, draw by
  draw. (z_j, z_k) is a half-half mixture of two normal pairs with correlations rho and -rho: uncorrelated, but not
  independent unless rho = 0, and the covariance of the cosines is the one above, never negative.
* Phase embedding. ``cos(e z + b) = cos(z + e b)``, since e is 1 or -1; ``e_j b_j`` is distributed as b_j, uniform on a
  period symmetric about 0, and independent of C. So the whole map has the law of the unsigned circulant map, for all
  inputs together: nothing that is computed from it, a variance or a learner's accuracy, can depend on the signs.

The marginal law of each z_j, and with it unbiasedness, is untouched. Signs matter for features that are not even (a
plain projection, its sign, a rectifier), or for cosines with a fixed phase that is not 0.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.linalg import hadamard

from scrf_bench.maps.epilogue import Embedding

FloatArray = npt.NDArray[np.float64]


def gaussian_mean(s: float) -> float:
    """Return ``K = exp(-s^2/2)``, the mean of every unbiased estimate at scaled distance `s`."""
    return float(np.exp(-(s**2) / 2))


def cosine_variance(s: float) -> float:
    """Return ``q(s) = (1 - e^{-s^2})^2 / 2``, the variance of ``cos z``, ``z ~ N(0, s^2)``.

    From ``E cos^2 z = (1 + E cos 2z)/2 = (1 + e^{-2 s^2})/2``.
    """
    return float(np.expm1(-(s**2)) ** 2 / 2)


def cosine_covariance(s: float, rho: npt.ArrayLike) -> FloatArray:
    """Return ``Cov(cos z_j, cos z_k) = e^{-s^2} (cosh(rho s^2) - 1)`` for projections of correlation +-rho.

    ``E cos z_j cos z_k = (E cos(z_j + z_k) + E cos(z_j - z_k))/2 = e^{-s^2} cosh(rho s^2)``; the sign of rho
    does not matter, so neither do random signs of the rows. Never negative, and zero only where rho is.
    """
    return np.asarray(2.0 * np.exp(-(s**2)) * np.sinh(np.asarray(rho) * s**2 / 2) ** 2, dtype=np.float64)


def rks_variance(s: float, n_frequencies: int, embedding: Embedding = "pair") -> float:
    """Return the variance of the RKS estimate: ``q/F`` (pair) or ``(1/2 + q)/F`` (phase).

    Parameters
    ----------
    s : float
        Scaled distance ``||x - y||/sigma``.
    n_frequencies : int
        F, the number of independent frequencies: columns (phase) or half the columns (pair).
    embedding : {"pair", "phase"}

    Returns
    -------
    float
    """
    return (cosine_variance(s) + _phase_variance(embedding)) / n_frequencies


def circulant_correlation(v: npt.ArrayLike) -> FloatArray:
    """Return ``rho_m = sum_i v_i v_{(i+m) mod d} / ||v||^2`` for ``m = 0 .. d-1``.

    It is the correlation of rows j and j+m of ``circ(c) v``, c standard normal: v's circular autocorrelation.
    """
    power = np.abs(np.fft.fft(np.asarray(v, dtype=np.float64))) ** 2
    correlation = np.fft.ifft(power).real
    return np.asarray(np.clip(correlation / correlation[0], -1.0, 1.0), dtype=np.float64)


def circulant_excess(v: npt.ArrayLike) -> float:
    """Return ``A(v) = e^{-s^2} sum_{m=1}^{d-1} (cosh(rho_m s^2) - 1)``, a circulant block's summed
    covariances a row.

    Parameters
    ----------
    v : array-like of shape (d,)
        ``(x - y)/sigma``, not zero.

    Returns
    -------
    float
        At least 0; it is 0 for a one-sparse v and ``(d-1) q(s)`` for a constant v, the worst case.
    """
    s = float(np.linalg.norm(v))
    return float(cosine_covariance(s, circulant_correlation(v)[1:]).sum())


def scrf_variance(v: npt.ArrayLike, n_frequencies: int, embedding: Embedding = "pair") -> float:
    """Return the exact variance of the SCRF estimate; that of unsigned circulant blocks is the same.

    Where d divides F: ``(q + A(v))/F`` (pair) or ``(1/2 + q + A(v))/F`` (phase). A last block cut off after r
    rows contributes ``r q + 2 sum_{m=1}^{r-1} (r-m) Cov_m`` to the variance of the sum.

    Parameters
    ----------
    v : array-like of shape (d,)
        ``(x - y)/sigma``, not zero.
    n_frequencies : int
        F.
    embedding : {"pair", "phase"}

    Returns
    -------
    float
    """
    covariance = cosine_covariance(float(np.linalg.norm(v)), circulant_correlation(v))
    return _stacked_variance(v, covariance, n_frequencies, embedding)


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
    v = np.asarray(v, dtype=np.float64)
    n = len(v)
    if n & (n - 1) or n_frequencies % n:
        raise ValueError(
            f"v has {n} entries and n_frequencies={n_frequencies}: pad v with zeros to a power of two that "
            "divides n_frequencies."
        )
    rng = np.random.RandomState(random_state)
    H = hadamard(n) / np.sqrt(n)
    draws = [hadamard_excess(rng.permutation(H @ (rng.choice([-1.0, 1.0], n) * v))) for _ in range(n_draws)]
    q = cosine_variance(float(np.linalg.norm(v)))
    variance = (q + _phase_variance(embedding) + np.mean(draws)) / n_frequencies
    return float(variance), float(np.std(draws, ddof=1) / np.sqrt(n_draws) / n_frequencies)


def _phase_variance(embedding: Embedding) -> float:
    return 0.5 if embedding == "phase" else 0.0


def _stacked_variance(v: npt.ArrayLike, covariance: FloatArray, n_frequencies: int, embedding: Embedding) -> float:
    """Variance of the mean over independent blocks whose rows j, k have covariance ``covariance[|j-k|]``."""
    d = len(covariance)
    q = cosine_variance(float(np.linalg.norm(v)))
    blocks, rest = divmod(n_frequencies, d)

    def block_sum(rows: int) -> float:
        lags = np.arange(1, rows)
        return rows * q + 2.0 * float(((rows - lags) * covariance[1:rows]).sum())

    total = blocks * block_sum(d) + block_sum(rest)
    return total / n_frequencies**2 + _phase_variance(embedding) / n_frequencies
