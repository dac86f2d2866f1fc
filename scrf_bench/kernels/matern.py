"""The exact Matern kernel, of any smoothness."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, kve

from scrf_bench.kernels.pairs import Array, Pair, kernel_matrix

_LARGEST_NU = 500.0
# Half-integer smoothness up to 10.5 takes a polynomial; beyond, Bessel functions are as fast.
_LARGEST_POLYNOMIAL = 10
# The kernel is 0 in double precision there, whatever nu; further out its factors overflow.
_FAR = 1e4
_HUGE = 1e30
_LARGEST = float(np.finfo(np.float64).max)


def matern_kernel(X: Any, Y: Any = None, *, gamma: float, nu: float = 1.5, dtype: npt.DTypeLike = np.float64) -> Array:
    """Return the Matern kernel matrix between the rows of X and of Y.

    ``k(r) = 2^{1-nu}/Gamma(nu) t^nu K_nu(t)`` with ``t = sqrt(2 nu) r/sigma``, ``sigma = 1/sqrt(2 gamma)``. nu
    = 1/2 is ``exp(-r/sigma)``; for growing nu it tends to the Gaussian kernel ``exp(-gamma r^2)``.

    Distances are computed as in `gaussian_kernel`; note that for nu <= 1/2 the kernel is not smooth at 0, so
    the rounding of a small distance shows as its square root.

    Parameters
    ----------
    X : {array-like, CSR matrix} of shape (n, d)
    Y : {array-like, CSR matrix} of shape (m, d), optional
        X itself if left out; the result is then exactly symmetric with exact ones on its diagonal.
    gamma : float
        Above 0; ``1/(2 sigma^2)``.
    nu : float, default=1.5
        Smoothness, above 0 and at most 500.
    dtype : dtype, default=float64
        Of the result.

    Returns
    -------
    ndarray of shape (n, m)

    Raises
    ------
    ValueError
        If the widths differ, an array is not two-dimensional, or gamma or nu is out of range.

    References
    ----------
    C. E. Rasmussen and C. K. I. Williams, "Gaussian Processes for Machine Learning", 2006, eq. 4.14.

    Examples
    --------
    >>> matern_kernel([[0.0, 0.0], [3.0, 4.0]], gamma=0.02, nu=0.5).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """
    _check_nu(nu)
    return kernel_matrix(Pair(X, Y, gamma, lambda squares: matern_profile(squares, gamma=gamma, nu=nu)), dtype)


def matern_profile(squared_distances: Array, *, gamma: float, nu: float) -> Array:
    """Return the Matern kernel of squared distances.

    Parameters
    ----------
    squared_distances : ndarray, float64
        At least 0; may be overwritten.
    gamma, nu : float
        As in `matern_kernel`.

    Returns
    -------
    ndarray of the same shape, float64
        Exactly 1 at distance 0.

    Raises
    ------
    ValueError
        If nu is out of range.
    """
    _check_nu(nu)
    with np.errstate(over="ignore"):  # the kernel is 0 there, as it should be
        t = np.multiply(squared_distances, min(4.0 * nu * gamma, _LARGEST), out=squared_distances)
    np.sqrt(t, out=t)
    np.minimum(t, _FAR, out=t)
    p = nu - 0.5
    if p == int(p) and p <= _LARGEST_POLYNOMIAL:
        return _half_integer(t, int(p))
    return _any_order(t, nu)


def _half_integer(t: Array, p: int) -> Array:
    """Return ``e^{-t} p!/(2p)! sum_i (p+i)!/(i! (p-i)!) (2t)^{p-i}`` by Horner; all terms are positive."""
    coefficients = [
        math.factorial(p) * math.factorial(p + i) / (math.factorial(2 * p) * math.factorial(i) * math.factorial(p - i))
        for i in range(p + 1)
    ]
    polynomial = np.zeros_like(t)
    for coefficient in coefficients:
        polynomial *= 2.0 * t
        polynomial += coefficient
    np.negative(t, out=t)
    polynomial *= np.exp(t, out=t)
    return np.minimum(polynomial, 1.0, out=polynomial)


def _any_order(t: Array, nu: float) -> Array:
    """Return ``2^{1-nu}/Gamma(nu) t^nu K_nu(t)`` in logarithms; by its series where K_nu is huge."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        bessel = kve(nu, t)
        logarithm = (1 - nu) * math.log(2.0) - float(gammaln(nu)) + nu * np.log(t) + np.log(bessel) - t
        result = np.exp(logarithm)
    # Logarithms of huge factors cost digits; the series alternates, and loses them only beyond t^2 = 2 nu.
    near = np.isinf(bessel) | ((bessel > _HUGE) & (t**2 < 2 * nu))
    result[near] = _series(t[near], nu)
    return np.asarray(np.minimum(result, 1.0), dtype=np.float64)


def _series(t: Array, nu: float) -> Array:
    """Return ``sum_{k < nu} (t^2/4)^k / (k! (1-nu)_k)``, for t so small that ``K_nu(t)`` is huge.

    The terms left out are of the order ``1/K_nu(t)^2``.
    """
    total, term = np.ones_like(t), np.ones_like(t)
    for k in range(1, math.ceil(nu)):
        term *= t**2 / (4.0 * k * (k - nu))
        total += term
    return total


def _check_nu(nu: float) -> None:
    if not 0 < nu <= _LARGEST_NU:
        raise ValueError(
            f"nu={nu} must be above 0 and at most {_LARGEST_NU:g}: beyond that the Matern kernel is the Gaussian one "
            "to three digits, so use kernel='gaussian'."
        )
