"""The exact rank test of two samples, and the interval of their shift that goes with it."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

Sample = NDArray[np.float64]


def rank_tail(x: Sample, y: Sample, *, below: bool) -> float:
    """Return the one-sided p-value of Mann and Whitney's test that ``x`` lies below ``y`` (or above).

    Ties count against what is to be shown, which keeps the level.
    """
    wins = int((x[:, None] >= y[None, :]).sum() if below else (x[:, None] <= y[None, :]).sum())
    return float(_distribution(x.size, y.size)[: wins + 1].sum())


def rank_interval(x: Sample, y: Sample, alpha: float) -> tuple[float, float, float]:
    """Return the lower end, the estimate and the upper end of the shift of ``x`` against ``y``.

    The estimate is the median of all differences; the ends hold a confidence of at least ``1 - 2 alpha``, and are
    infinite where the samples are too small for it.
    """
    differences = np.sort((x[:, None] - y[None, :]).ravel())
    tails = np.cumsum(_distribution(x.size, y.size))
    kept_out = int((tails <= alpha).sum())
    estimate = float(np.median(differences))
    if kept_out == 0:
        return -math.inf, estimate, math.inf
    return float(differences[kept_out - 1]), estimate, float(differences[-kept_out])


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
        for u in range(i, size):  # the quotient, a term after another
            numerator[u] += numerator[u - i]
        ways = numerator / (m + i) * i  # divided by the binomial as it grows: no overflow
    return np.clip(ways, 0.0, None)
