"""Exponents of power laws, as times follow them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from scrf_bench.stats.samples import as_sample, require_share


@dataclass(frozen=True)
class PowerLaw:
    """The fit ``y = coefficient * x ** exponent``.

    Attributes
    ----------
    exponent, coefficient : float
    standard_error, low, high : float or None
        Of the exponent; None for two points, which leave no residual.
    confidence : float
    n : int
    """

    exponent: float
    coefficient: float
    standard_error: float | None
    low: float | None
    high: float | None
    confidence: float
    n: int


def fit_power_law(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> PowerLaw:
    """Fit ``log y`` on ``log x`` by least squares.

    Parameters
    ----------
    x, y : (n,) positive numbers
        At least two, ``x`` not all the same.
    confidence : float
        Of the exponent's t interval. It takes the residuals for independent noise; where a time bends
        (caches), it says how badly the line fits, not where the law lies.

    Raises
    ------
    ValueError
        For fewer than two points, lengths that differ, values not positive, or one x only.
    """
    require_share("confidence", confidence)
    x, y = as_sample(x, at_least=2, name="x"), as_sample(y, at_least=2, name="y")
    if x.size != y.size:
        raise ValueError(f"x has {x.size} values and y {y.size}; they must be pairs.")
    if (x <= 0).any() or (y <= 0).any():
        raise ValueError("A power law needs positive numbers in x and y; leave out points that are 0 or less.")
    if np.ptp(x) == 0.0:
        raise ValueError(f"All x are {x[0]:g}; an exponent needs at least two different ones.")
    u, v = np.log(x), np.log(y)
    du, dv = u - u.mean(), v - v.mean()
    exponent = float(du @ dv / (du @ du))
    coefficient = float(np.exp(v.mean() - exponent * u.mean()))
    if x.size == 2:
        return PowerLaw(exponent, coefficient, None, None, None, confidence, 2)
    residual = dv - exponent * du
    error = float(np.sqrt(residual @ residual / (x.size - 2) / (du @ du)))
    reach = float(stats.t.ppf(0.5 + confidence / 2.0, x.size - 2)) * error
    return PowerLaw(exponent, coefficient, error, exponent - reach, exponent + reach, confidence, x.size)
