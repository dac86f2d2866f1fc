"""Two sets of rows and a radial kernel between them, in blocks of rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Array = npt.NDArray[Any]

_BLOCK_VALUES = 2**22


class Pair:
    """Two sets of rows, centred on the second one's mean, and a radial kernel between them.

    Squared distances are computed in float64 about the mean, whatever the input's dtype, and clipped at 0: an
    absolute error of about ``1e-16 (||x - m||^2 + ||y - m||^2)``, near points and data far from the origin
    included.

    Parameters
    ----------
    X, Y : {array-like, CSR matrix} of shape (n, d) and (m, d)
        Y may be None for X itself.
    gamma : float
        Above 0, finite.
    profile : callable
        Maps an array of squared distances, which it may overwrite, to kernel values.
    """

    def __init__(self, X: Any, Y: Any, gamma: float, profile: Callable[[Array], Array]) -> None:
        if not 0 < gamma < math.inf:
            raise ValueError(f"gamma={gamma} must be above 0 and finite: it is the width in exp(-gamma ||x - y||^2).")
        self.profile = profile
        self.symmetric = Y is None
        self.X = _dense(X, "X")
        other = self.X if Y is None else _dense(Y, "Y")
        if self.X.shape[1] != other.shape[1]:
            raise ValueError(f"X has {self.X.shape[1]} columns and Y has {other.shape[1]}; they must agree.")
        self.mean = other.mean(axis=0) if len(other) else np.zeros(other.shape[1])
        self.Y = other - self.mean
        self.Y_norms = np.einsum("ij,ij->i", self.Y, self.Y)
        self.n_rows, self.n_columns = len(self.X), len(other)

    def row_blocks(self, rows: int | None) -> Iterator[slice]:
        """Cut the rows into slices of `rows`, or of about 4 million kernel values."""
        step = rows or max(1, _BLOCK_VALUES // max(1, self.n_columns))
        for start in range(0, self.n_rows, step):
            yield slice(start, min(start + step, self.n_rows))

    def block(self, rows: slice, first_column: int = 0) -> Array:
        """Return the kernel between ``X[rows]`` and ``Y[first_column:]``, float64."""
        X = self.X[rows] - self.mean
        distances = X @ self.Y[first_column:].T
        distances *= -2.0
        distances += np.einsum("ij,ij->i", X, X)[:, np.newaxis]
        distances += self.Y_norms[first_column:]
        np.maximum(distances, 0.0, out=distances)
        if self.symmetric:
            diagonal = np.arange(rows.stop - rows.start)
            distances[diagonal, diagonal + rows.start - first_column] = 0.0
        return self.profile(distances)


def kernel_matrix(pair: Pair, dtype: npt.DTypeLike) -> Array:
    """Return the whole kernel matrix, exactly symmetric where the pair is."""
    K = np.empty((pair.n_rows, pair.n_columns), dtype)
    for rows in pair.row_blocks(None):
        if pair.symmetric:
            # One triangle computed, the other copied: their rounding would differ.
            block = pair.block(rows, rows.start)
            size = len(block)
            upper = np.triu(block[:, :size])
            block[:, :size] = upper + np.triu(upper, 1).T
            K[rows, rows.start :] = block
            K[rows.stop :, rows] = block[:, size:].T
        else:
            K[rows] = pair.block(rows)
    return K


def _dense(X: Any, name: str) -> Array:
    is_sparse = bool(sparse.issparse(X))
    array = np.asarray(X.toarray() if is_sparse else X, dtype=np.float64)
    if array.ndim != 2:
        raise ValueError(f"{name} has {array.ndim} dimensions; pass a matrix of shape (rows, features).")
    return array
