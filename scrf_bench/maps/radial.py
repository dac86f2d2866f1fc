"""Lengths of frequencies: the radial law of each kernel, and the chi law that orthogonal rows need.

A radial kernel is a scale mixture of Gaussian kernels: if ``w = u g / sigma`` with ``g ~ N(0, I)`` and u > 0
independent of it, then ``E cos w'v = E exp(-u^2 ||v||^2 / (2 sigma^2))``. The Gaussian kernel has u = 1. The
Matern kernel of smoothness nu has ``u^2 = 2 nu / chi^2_{2 nu}``: its frequencies are multivariate t with 2 nu
degrees of freedom (Rasmussen & Williams 2006, eq. 4.15). So any map of the Gaussian kernel becomes one of the
Matern kernel when each of its rows is multiplied by a factor u of its own.

Here is also what the parameters of a kernel may be, and which widths a dtype can hold.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import Interval, StrOptions

Kernel = Literal["gaussian", "matern"]
FloatArray = npt.NDArray[np.float64]

KERNEL_CONSTRAINTS: dict[str, list[Any]] = {
    "kernel": [StrOptions(set(get_args(Kernel)))],
    # Beyond 1e15 the Matern kernel is the Gaussian one to float64's last digit.
    "nu": [Interval(Real, 0, 1e15, closed="right")],
}
"""What the parameters `kernel` and `nu` of a map may be, for scikit-learn's validation."""

# How far 1/sigma and the longest frequency may be from 1: eight digits (float32) before the dtype ends, for the rows
# and the sums over them.
_LARGEST_SCALE = {np.dtype(np.float32): 1e30, np.dtype(np.float64): 1e150}
_LARGEST_FREQUENCY = {np.dtype(np.float32): 1e30, np.dtype(np.float64): 1e300}


def inverse_width(gamma: float) -> float:
    """Return ``1/sigma = sqrt(2 gamma)``; infinity where 2 gamma is beyond float64."""
    try:
        return math.sqrt(2.0 * float(gamma))
    except OverflowError:  # gamma is a whole number of hundreds of digits
        return math.inf


def check_width(gamma: float, dtype: np.dtype[Any]) -> None:
    """Refuse a width whose frequencies, of the size 1/sigma, `dtype` does not hold.

    Raises
    ------
    ValueError
        If 1/sigma is below 1e-30 or above 1e30 (float32), or below 1e-150 or above 1e150 (float64).
    """
    scale, largest = inverse_width(gamma), _LARGEST_SCALE[dtype]
    if not 1 / largest <= scale <= largest:
        raise ValueError(
            f"gamma={gamma} is too {'small' if scale < 1 else 'large'} for {dtype}: 1/sigma = sqrt(2 gamma) must be "
            f"between {1 / largest:g} and {largest:g}. {_remedy(dtype)}"
        )


def check_factors(factors: FloatArray | None, gamma: float, nu: float, dtype: np.dtype[Any]) -> None:
    """Refuse radial factors that make a frequency which `dtype` does not hold; None means all ones.

    Raises
    ------
    ValueError
        If the largest factor times 1/sigma is above 1e30 (float32) or 1e300 (float64).
    """
    longest = 0.0 if factors is None else float(factors.max()) * inverse_width(gamma)
    if longest > _LARGEST_FREQUENCY[dtype]:
        raise ValueError(
            f"nu={nu} is too small for {dtype}: the tails of its Matern kernel gave a frequency of {longest:.1g}, and "
            f"the largest allowed is {_LARGEST_FREQUENCY[dtype]:g}. Raise nu. {_remedy(dtype)}"
        )


def _remedy(dtype: np.dtype[Any]) -> str:
    rescale = "scale the data so that a gamma nearer 1 suits them"
    return f"Pass float64 rows, or {rescale}." if dtype == np.float32 else f"{rescale.capitalize()}."


def radial_factors(rng: np.random.RandomState, n: int, kernel: Kernel, nu: float) -> FloatArray | None:
    """Draw the factors u that turn frequencies of the Gaussian kernel into those of `kernel`.

    Parameters
    ----------
    rng : numpy.random.RandomState
        Draws once, ``chisquare(2 nu, n)``, for the Matern kernel; left alone for the Gaussian one.
    n : int
        Number of frequencies.
    kernel : {"gaussian", "matern"}
    nu : float
        Smoothness of the Matern kernel, above 0; ignored for the Gaussian one.

    Returns
    -------
    ndarray of shape (n,), float64, or None
        ``sqrt(2 nu / chi^2_{2 nu})``; None, meaning all ones, for the Gaussian kernel. They have an infinite
        mean for nu <= 1/2: the Matern kernel's derivative at 0 is then infinite or jumps.

    Raises
    ------
    ValueError
        If `kernel` is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> radial_factors(np.random.RandomState(0), 3, "gaussian", 1.5) is None
    True
    >>> u = radial_factors(np.random.RandomState(0), 100_000, "matern", 1.5)
    >>> bool(abs(np.mean(np.exp(-(u**2) / 2)) - (1 + 3**0.5) * np.exp(-(3**0.5))) < 0.003)
    True
    """
    if kernel == "gaussian":
        return None
    if kernel == "matern":
        squares = rng.chisquare(2.0 * nu, n)
        # A tiny nu can underflow to 0; the largest finite factor is then as good as infinity.
        return np.sqrt(2.0 * nu / np.maximum(squares, np.finfo(np.float64).tiny))
    raise ValueError(f"kernel={kernel!r} is unknown; use 'gaussian' or 'matern'.")


def chi_lengths(rng: np.random.RandomState, order: int, n: int) -> FloatArray:
    """Draw n lengths ``chi_order``, those of standard normal vectors of `order` entries (``chisquare(order,
    n)``).

    A uniform point of the unit sphere in `order` dimensions times such a length is exactly normal; so are the
    first entries of the product, which is why rows of a zero-padded block need the chi law of the *padded*
    order.
    """
    return np.asarray(np.sqrt(rng.chisquare(order, n)), dtype=np.float64)


def multiplied(factors: FloatArray | None, by: Any) -> Any:
    """Return the product of two sets of row factors (or a set and a number), where None stands for all ones."""
    if factors is None or by is None:
        return by if factors is None else factors
    return factors * by
