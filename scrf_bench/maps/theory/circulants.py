"""Gaussian circulant blocks: signs on the rows (SCRF) change nothing, signs on the input repair the worst case.

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

import math

import numpy as np
import numpy.typing as npt

from scrf_bench.maps.epilogue import Embedding
from scrf_bench.maps.theory.cosines import FloatArray, cosine_covariance, cosine_variance, stacked_variance


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
    s = float(np.linalg.norm(v))
    covariance = cosine_covariance(s, circulant_correlation(v))
    return stacked_variance(cosine_variance(s), covariance, n_frequencies, embedding)


def column_signed_variance(v: npt.ArrayLike, n_frequencies: int, embedding: Embedding = "pair") -> float:
    """Return the exact variance of circulant blocks with random signs on the input: ``(q + E A(eps o v))/F``.

    The mean over all ``2^d`` signs is closed. At lag m the correlation of ``eps o v`` is ``sum_i eta_i w_i /
    s^2`` with ``w_i = v_i v_{i+m}`` and ``eta_i = eps_i eps_{i+m}``. The shift by m has ``g = gcd(m, d)``
    cycles of length ``L = d/g``; along each the etas are independent signs but for their product, which is 1.
    Hence ``E exp(+-sum_i eta_i w_i)`` is the product over cycles of ``prod_i cosh w_i + (+-1)^L prod_i sinh
    w_i``.

    It does not matter whether blocks share their signs: given any signs a block is unbiased, so blocks are
    uncorrelated.

    Parameters
    ----------
    v : array-like of shape (d,)
        ``(x - y)/sigma``, not zero.
    n_frequencies : int
        F; a last block may be cut off.
    embedding : {"pair", "phase"}

    Returns
    -------
    float
    """
    v = np.asarray(v, dtype=np.float64)
    d, s = len(v), float(np.linalg.norm(v))
    covariance = np.array([0.0, *(_sign_averaged_covariance(v, m, s) for m in range(1, d))])
    return stacked_variance(cosine_variance(s), covariance, n_frequencies, embedding)


def _sign_averaged_covariance(v: FloatArray, lag: int, s: float) -> float:
    """Return ``e^{-s^2} (E cosh(sum_i eta_i w_i) - 1)`` at one lag."""
    d = len(v)
    cycles = math.gcd(lag, d)
    length = d // cycles
    # Row c holds the cycle c, c + lag, c + 2 lag, ...
    start, step = np.arange(cycles)[:, np.newaxis], lag * np.arange(length)
    w = v[(start + step) % d] * v[(start + step + lag) % d]
    cosh, sinh = np.cosh(w).prod(axis=1), np.sinh(w).prod(axis=1)
    plus, minus = (cosh + sinh).prod(), (cosh + (-1) ** length * sinh).prod()
    return float(np.exp(-(s**2)) * ((plus + minus) / 2 - 1))
