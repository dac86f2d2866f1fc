"""Kernel estimates of many draws of one map, and the moments that are kept of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context

from scrf_bench.experiments.suite.variants import Variant
from scrf_bench.maps import theory

Matrix = NDArray[np.float64]
EMBEDDINGS = ("pair", "phase")
# Kept digits of a record's numbers: far below any standard error, and a third of the size.
_DIGITS = 8
_VALUES_AT_A_TIME = 2**21


def kernel_errors(
    variant: Variant, V: Matrix, x: Matrix, lengths: Sequence[float], n_frequencies: int, seeds: Sequence[int]
) -> dict[str, Matrix]:
    """Return ``<Phi(x), Phi(y)> - K`` at ``y = x - s v``, sigma = 1, for one fresh draw of the map a seed.

    A projection is linear: x and the unit vectors v are projected once a draw, and ``Pi y = Pi x - s Pi v`` for every
    s. A map of F frequencies draws the same ones for both embeddings, so that one draw serves both.

    Parameters
    ----------
    variant : Variant
    V : ndarray of shape (k, d)
        Unit vectors.
    x : ndarray of shape (d,)
    lengths : sequence of float
        The s.
    n_frequencies : int
        F, of both embeddings: F columns (phase), 2 F columns (pair).
    seeds : sequence of int
        One a draw.

    Returns
    -------
    dict of ndarray of shape (draws, len(lengths), k)
        By embedding.
    """
    s = np.asarray(lengths, dtype=np.float64)
    K = np.exp(-(s**2) / 2)[:, np.newaxis]
    points = np.vstack([x, V])
    errors = {name: np.empty((len(seeds), len(s), len(V))) for name in EMBEDDINGS}
    # What turns projections into pair features has no randomness: any draw's will do.
    pair = variant.draw(2 * n_frequencies, gamma=0.5, embedding="pair", seed=seeds[0]).fit(points)
    step = max(1, _VALUES_AT_A_TIME // (len(V) * n_frequencies))
    # A draw of a small map takes less time than scikit-learn's checks of what are always the same arguments.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for draw, seed in enumerate(seeds):
            phase = variant.draw(n_frequencies, gamma=0.5, embedding="phase", seed=seed).fit(points)
            Z = phase.project(points)
            for start in range(0, len(s), step):
                part = slice(start, start + step)
                others = (Z[0] - s[part, np.newaxis, np.newaxis] * Z[1:]).reshape(-1, n_frequencies)
                for name, featurize in (("pair", pair.featurize), ("phase", phase.featurize)):
                    estimate = featurize(others) @ featurize(Z[:1])[0]
                    errors[name][draw, part] = estimate.reshape(-1, len(V)) - K[part]
    return errors


def moments(errors: Matrix, batches: int) -> tuple[dict[str, float], dict[str, list[float]]]:
    """Return what is kept of the errors of one estimate: moments with standard errors, and means of batches of draws.

    Parameters
    ----------
    errors : ndarray of shape (draws, k)
        At k vectors v; what is kept is the mean over them.
    batches : int
        Consecutive draws whose means are kept as ``mse`` and ``bias``: independent repetitions for a test.

    Returns
    -------
    (dict, dict)
        ``mse``, ``variance``, ``bias``, each with its standard error ``_se``; the batches. Of a single draw ``mse``
        and ``bias`` alone: it has no spread.

    Notes
    -----
    Vectors share their draws. So the standard errors are those of the mean of one number a draw: of squared errors for
    the mean squared error, which rests on the fourth moment, of squared deviations for the variance.
    """
    n = len(errors)
    squares, means = (errors**2).mean(axis=1), errors.mean(axis=1)
    kept = {
        name: [rounded(part.mean()) for part in np.array_split(values, batches)]
        for name, values in (("mse", squares), ("bias", means))
    }
    if n == 1:
        return {"mse": rounded(squares.mean()), "bias": rounded(means.mean())}, kept
    deviations = ((errors - errors.mean(axis=0)) ** 2).mean(axis=1) * n / (n - 1)
    found: dict[str, float] = {}
    for name, values in (("mse", squares), ("variance", deviations), ("bias", means)):
        found |= {name: rounded(values.mean()), f"{name}_se": rounded(values.std(ddof=1) / math.sqrt(n))}
    return found, kept


def rks_variance(s: float, n_frequencies: int, embedding: str) -> float:
    """Return the exact variance of RKS, what every variance is divided by."""
    return theory.rks_variance(s, n_frequencies, "pair" if embedding == "pair" else "phase")


def rounded(value: float) -> float:
    """Return a number with as many digits as records keep."""
    return float(f"{value:.{_DIGITS}g}")


def named(values: Mapping[str, float], prefix: str) -> dict[str, float]:
    """Return the values under names that begin with the embedding."""
    return {f"{prefix}_{name}": value for name, value in values.items()}
