"""A Gaussian prior on weights as the ridge penalty that it is."""

from __future__ import annotations

from typing import Literal

from scrf_bench.learners.checks import require_positive

PriorReading = Literal["precision", "variance", "standard deviation"]


def gaussian_prior_alpha(value: float, *, reading: PriorReading, feature_scale: float = 1.0) -> float:
    """Return the penalty ``alpha`` that a Gaussian prior on each weight stands for.

    Parameters
    ----------
    value : float
        What the prior's author gives.
    reading : {"precision", "variance", "standard deviation"}
        What that number is, of the weights of features as the author scaled them.
    feature_scale : float, default=1.0
        What our features are multiplied by, compared with the author's: weights shrink as features grow.

    Returns
    -------
    float
        ``feature_scale^2`` times the precision; scikit-learn's C is its inverse.

    Raises
    ------
    ValueError
        For numbers that are not positive, or another reading.

    Notes
    -----
    Cosplay calls Weinman's maxent for Matlab with ``'gauss', 4.2813``. That package appends a constant 1 to the
    features, whose weights have the same prior. Its introduction calls the number the standard deviation of the
    weights; read as a precision, it gives the training accuracy that Cosplay reports, and the other readings give a
    higher one. Cosplay's cosines lack the factor sqrt(2/D) of this package's maps, so the same model is
    ``alpha=gaussian_prior_alpha(4.2813, reading=..., feature_scale=sqrt(2/D))`` with
    ``intercept_column=sqrt(2/D)`` and ``penalise_intercept=True``: all weights of the one are sqrt(2/D) times those
    of the other, and so are the steps of the optimiser.

    Examples
    --------
    >>> from scrf_bench.learners import gaussian_prior_alpha
    >>> gaussian_prior_alpha(2.0, reading="standard deviation")
    0.25
    """
    require_positive("value", value)
    require_positive("feature_scale", feature_scale)
    precisions = {"precision": value, "variance": 1.0 / value, "standard deviation": 1.0 / value**2}
    if reading not in precisions:
        raise ValueError(f"reading={reading!r} is none of {', '.join(map(repr, precisions))}.")
    return precisions[reading] * feature_scale**2
