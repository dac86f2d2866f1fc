"""A sample in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scrf_bench.stats.samples import as_sample


@dataclass(frozen=True)
class Summary:
    """What tables print of a sample.

    Attributes
    ----------
    n : int
    mean, median, lower_quartile, upper_quartile, minimum, maximum : float
        Quartiles by linear interpolation, numpy's default.
    standard_deviation, standard_error : float or None
        With ``n - 1`` in the denominator; of one value they are unknown: None.
    """

    n: int
    mean: float
    standard_deviation: float | None
    standard_error: float | None
    median: float
    lower_quartile: float
    upper_quartile: float
    minimum: float
    maximum: float


def summarise(values: ArrayLike) -> Summary:
    """Summarise a sample of at least one finite number.

    Raises
    ------
    ValueError
        If it is empty, not a vector, or not finite.

    Examples
    --------
    >>> summarise([1.0, 2.0, 3.0]).mean
    2.0
    >>> summarise([1.0]).standard_error is None
    True
    """
    sample = as_sample(values)
    deviation = float(sample.std(ddof=1)) if sample.size > 1 else None
    low, median, high = np.quantile(sample, (0.25, 0.5, 0.75))
    return Summary(
        n=sample.size,
        mean=float(sample.mean()),
        standard_deviation=deviation,
        standard_error=None if deviation is None else deviation / float(np.sqrt(sample.size)),
        median=float(median),
        lower_quartile=float(low),
        upper_quartile=float(high),
        minimum=float(sample.min()),
        maximum=float(sample.max()),
    )
