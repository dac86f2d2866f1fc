"""Features as learners take them: from a map, chunk by chunk, or the given rows themselves.

A "feature map" here is any scikit-learn transformer whose result is dense. The maps of `scrf_bench.maps` are
asked for their fused products; other transformers are run on chunks of rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

CHUNK_ROWS = 1024
"""Rows whose features are held at a time where they are not kept."""

Matrix = Any  # (n, d) ndarray or CSR matrix
FeatureMap = Any  # a transformer, or None for rows that are features already


def fitted_map(feature_map: FeatureMap, X: Matrix) -> FeatureMap:
    """Return a fitted clone of the map (scikit-learn's rule: a parameter is never changed), or None."""
    return None if feature_map is None else clone(feature_map).fit(X)


def feature_chunks(feature_map: FeatureMap, X: Matrix, rows: int = CHUNK_ROWS) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Yield the features of ``rows`` rows at a time.

    Parameters
    ----------
    feature_map : fitted transformer or None
    X : (n, d) ndarray or CSR matrix

    Yields
    ------
    (slice, (len, D) ndarray)
        In the dtype that the map gives, or that of X.
    """
    for start in range(0, X.shape[0], rows):
        part = slice(start, min(start + rows, X.shape[0]))
        chunk = X[part] if feature_map is None else feature_map.transform(X[part])
        yield part, np.asarray(chunk.toarray() if sparse.issparse(chunk) else chunk)


def feature_dot(feature_map: FeatureMap, X: Matrix, W: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``Phi(X) W`` in float64, never holding Phi(X).

    Parameters
    ----------
    feature_map : fitted transformer or None
    X : (n, d) ndarray or CSR matrix
    W : (D, k) float64
        Maps of this package multiply in X's dtype and sum blocks of products in float64.

    Returns
    -------
    (n, k) float64
    """
    if hasattr(feature_map, "map_dot"):
        return np.asarray(feature_map.map_dot(X, W), dtype=np.float64)
    result = np.empty((X.shape[0], W.shape[1]))
    for rows, Phi in feature_chunks(feature_map, X):
        result[rows] = Phi.astype(np.float64, copy=False) @ W
    return result
