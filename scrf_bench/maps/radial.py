"""Lengths of frequencies: the radial law of each kernel, and the chi law that orthogonal rows need.

A radial kernel is a scale mixture of Gaussian kernels: if ``w = u g / sigma`` with ``g ~ N(0, I)`` and u > 0
independent of it, then ``E cos w'v = E exp(-u^2 ||v||^2 / (2 sigma^2))``. The Gaussian kernel has u = 1. The
Matern kernel of smoothness nu has ``u^2 = 2 nu / chi^2_{2 nu}``: its frequencies are multivariate t with 2 nu
degrees of freedom (Rasmussen & Williams 2006, eq. 4.15). So any map of the Gaussian kernel becomes one of the
Matern kernel when each of its rows is multiplied by a factor u of its own.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Kernel = Literal["gaussian", "matern"]
FloatArray = npt.NDArray[np.float64]


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
