"""Feature scaling, fitted on the training rows alone, applied while sparse rows are made dense."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from scrf_bench.errors import DataError

SCALINGS = ("none", "minmax", "standard", "max")
_CHUNK_BYTES = 1 << 20  # a chunk stays in the processor's cache between the steps


@dataclass(frozen=True)
class Scaling:
    """The affine map ``(x - shift) / scale + offset`` of each feature.

    Attributes
    ----------
    words : str
        What it does, for a record.
    shift, scale, offset : ndarray of shape (n_features,), float64
        A constant feature has scale infinity and offset 0 under ``minmax`` and ``standard``, which sends it
        to 0.
    """

    words: str
    shift: NDArray[np.float64]
    scale: NDArray[np.float64]
    offset: NDArray[np.float64]

    def dense(self, X: sparse.csr_matrix, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return the scaled rows as a C-contiguous array of ``dtype``, computed in float64 by chunks."""
        out = np.empty(X.shape, dtype=dtype)
        for rows in _row_chunks(X):
            chunk = X[rows].toarray()
            chunk -= self.shift
            chunk /= self.scale
            chunk += self.offset
            out[rows] = chunk
        return out


def fit_scaling(kind: str, X: sparse.csr_matrix) -> Scaling:
    """Fit a scaling to training rows.

    Parameters
    ----------
    kind : str
        ``none``; ``minmax`` (each feature to [-1, 1]); ``standard`` (each feature to mean 0 and variance 1,
        divided by n); ``max`` (all features divided by the largest absolute value in the training rows).
    X : scipy.sparse.csr_matrix of shape (n, n_features)

    Raises
    ------
    DataError
        For another ``kind``.
    """
    check_scaling(kind)
    zeros, ones = np.zeros(X.shape[1]), np.ones(X.shape[1])
    if kind == "none":
        return Scaling("none", zeros, ones, zeros)
    if kind == "max":
        largest = float(np.abs(X.data).max(initial=0.0)) or 1.0
        return Scaling(f"divided by {largest:g}, the training maximum", zeros, largest * ones, zeros)
    low, high = _column_extremes(X)
    varies = high > low
    if kind == "minmax":
        scale = np.where(varies, (high - low) / 2, np.inf)
        return Scaling("minmax to [-1, 1], fitted on train", low, scale, np.where(varies, -1.0, 0.0))
    mean, deviation = _column_moments(X)
    scale = np.where(varies, deviation, np.inf)
    return Scaling("standard (mean 0, variance 1), fitted on train", mean, scale, zeros)


def check_scaling(kind: str) -> None:
    """Raise DataError unless ``kind`` names a scaling."""
    if kind not in SCALINGS:
        raise DataError(f"There is no scaling '{kind}'; use one of {', '.join(SCALINGS)}.")


def _row_chunks(X: sparse.csr_matrix) -> list[slice]:
    n, width = X.shape
    step = max(1, _CHUNK_BYTES // (8 * width))
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def _column_extremes(X: sparse.csr_matrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    for rows in _row_chunks(X):
        chunk = X[rows].toarray()
        np.minimum(low, chunk.min(axis=0), out=low)
        np.maximum(high, chunk.max(axis=0), out=high)
    return low, high


def _column_moments(X: sparse.csr_matrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and standard deviation of each column, in two passes (one cancels on large offsets)."""
    n = X.shape[0]
    mean = sum(X[rows].toarray().sum(axis=0) for rows in _row_chunks(X)) / n
    squares = sum(np.square(X[rows].toarray() - mean).sum(axis=0) for rows in _row_chunks(X))
    return mean, np.sqrt(squares / n)
