"""Student's t for the mean of few skewed values: Johnson's correction, with a skewness that is bounded beforehand.

The studentised mean ``T`` of n values of skewness ``g`` is skewed itself: where values scatter far to the right, a
low mean comes with a low spread, and the mean is found to lie below an end too often. To second order ``-T`` is ``z +
g / sqrt(n) (z^2 / 3 + 1/6)`` for a ``z`` that follows Student's law (Johnson 1978; inverted as by Hall 1992).

Ten values tell next to nothing of their own skewness (no sample of 10 has one above 2.7), so it is not estimated but
taken as large as the values can have it: see `scrf_bench.stats.findings`. A skewness of 0 is the plain t test.

References
----------
Johnson, "Modified t tests and confidence intervals for asymmetrical populations", JASA 73, 1978.
Hall, "On the removal of skewness by transformation", JRSS B 54, 1992.
"""

from __future__ import annotations

import math

from scipy import special


def skewed_tail(t: float, freedom: float, skew: float) -> float:
    """Return the chance of a studentised mean at least so far beyond, on the side that the skewness harms.

    Parameters
    ----------
    t : float
        Distance in standard errors.
    freedom : float
        Degrees of freedom.
    skew : float
        Skewness of the mean: of one value, over ``sqrt(n)``; not negative.
    """
    u = t - skew / 6.0
    if skew > 0.0 and 0.0 < u < math.inf:
        u = 2.0 * u / (1.0 + math.sqrt(1.0 + 4.0 / 3.0 * skew * u))  # the root of z + skew z^2 / 3 = u
    return float(special.stdtr(freedom, -u))


def skewed_distance(level: float, freedom: float, skew: float) -> float:
    """Return the distance in standard errors whose `skewed_tail` is the level, below 0.5."""
    return lengthened(-float(special.stdtrit(freedom, level)), skew)


def lengthened(z: float, skew: float) -> float:
    """Return how far a distance of Student's law reaches for a skewed mean."""
    return z + skew * (z * z / 3.0 + 1.0 / 6.0)
