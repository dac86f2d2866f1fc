"""The rank test of two samples, exact up to many values, and the interval of their shift that goes with it."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Sample = NDArray[np.float64]

# Pairs up to which the exact distribution is used; its rounding errors grow with them (1e-6 there), while the normal
# distribution's error shrinks (3e-5 at most where each sample has 300).
_EXACT_PAIRS = 300 * 300


def rank_tail(x: Sample, y: Sample, *, below: bool) -> float:
    """Return the one-sided p-value of Mann and Whitney's test that ``x`` lies below ``y`` (or above).

    Ties count against what is to be shown, which keeps the level. Beyond some 300 values each, U is taken for normal.
    """
    wins = int((x[:, None] >= y[None, :]).sum() if below else (x[:, None] <= y[None, :]).sum())
    if x.size * y.size > _EXACT_PAIRS:
        mean, sd = _moments(x.size, y.size)
        return float(ndtr((wins + 0.5 - mean) / sd))
    return min(1.0, float(_distribution(x.size, y.size)[: wins + 1].sum()))


def rank_interval(x: Sample, y: Sample, alpha: float) -> tuple[float, float, float]:
    """Return the lower end, the estimate and the upper end of the shift of ``x`` against ``y``.

    The estimate is the median of all differences; the ends hold a confidence of at least ``1 - 2 alpha``, and are
    infinite where the samples are too small for it.
    """
    differences = np.sort((x[:, None] - y[None, :]).ravel())
    if x.size * y.size > _EXACT_PAIRS:
        mean, sd = _moments(x.size, y.size)
        kept_out = max(0, math.floor(mean - 0.5 + sd * float(ndtri(alpha))) + 1)
    else:
        tails = np.cumsum(_distribution(x.size, y.size))
        kept_out = int((tails <= alpha).sum())
    estimate = float(np.median(differences))
    if kept_out == 0:
        return -math.inf, estimate, math.inf
    return float(differences[kept_out - 1]), estimate, float(differences[-kept_out])


def _moments(n: int, m: int) -> tuple[float, float]:
    """Return mean and standard deviation of U without a difference and without ties (Mann and Whitney 1947)."""
    return n * m / 2.0, math.sqrt(n * m * (n + m + 1) / 12.0)


@cache
def _distribution(n: int, m: int) -> Sample:
    """Return ``P(U = u)``, u = 0 .. n m, without a difference and without ties.

    The number of pairs won has the generating function ``prod_i (1 - q^(m+i)) / (1 - q^i)``.
    """
    size = n * m + 1
    ways = np.zeros(size)
    ways[0] = 1.0
    for i in range(1, n + 1):
        numerator = ways.copy()
        numerator[m + i :] -= ways[: max(size - m - i, 0)]
        columns = np.zeros(-(-size // i) * i)  # the quotient: each term is added to the one i further on
        columns[:size] = numerator
        numerator = columns.reshape(-1, i).cumsum(axis=0).ravel()[:size]
        ways = numerator / (m + i) * i  # divided by the binomial as it grows: no overflow
    # Rounding adds up with u; the distribution is symmetric, so its better half says it all.
    half = (size + 1) // 2
    ways[size - half :] = ways[:half][::-1]
    return np.clip(ways, 0.0, None)
