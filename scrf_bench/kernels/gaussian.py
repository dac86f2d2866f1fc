"""The exact Gaussian kernel ``exp(-gamma ||x - y||^2)``, computed in blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Array = npt.NDArray[Any]

_BLOCK_VALUES = 2**22


def gaussian_kernel(X: Any, Y: Any = None, *, gamma: float, dtype: npt.DTypeLike = np.float64) -> Array:
    """Return the kernel matrix between the rows of X and of Y.

    Squared distances are computed in float64 about the common mean, whatever the input's dtype, and clipped
    at 0: an entry's absolute error is about ``1e-16 gamma (||x - m||^2 + ||y - m||^2)``, near points and data
    far from the origin included.

    Parameters
    ----------
    X : {array-like, CSR matrix} of shape (n, d)
    Y : {array-like, CSR matrix} of shape (m, d), optional
        X itself if left out; the result is then exactly symmetric with exact ones on its diagonal.
    gamma : float
        Above 0; ``1/(2 sigma^2)``.
    dtype : dtype, default=float64
        Of the result.

    Returns
    -------
    ndarray of shape (n, m)

    Raises
    ------
    ValueError
        If the widths differ, an array is not two-dimensional, or gamma is not above 0.

    Examples
    --------
    >>> gaussian_kernel([[0.0, 0.0], [3.0, 4.0]], gamma=0.04).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """
    pair = _Pair(X, Y, gamma)
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


def gaussian_kernel_blocks(
    X: Any, Y: Any = None, *, gamma: float, rows: int | None = None, dtype: npt.DTypeLike = np.float64
) -> Iterator[tuple[slice, Array]]:
    """Yield the kernel matrix in blocks of rows.

    Parameters
    ----------
    X, Y, gamma, dtype
        As in `gaussian_kernel`.
    rows : int, optional
        Rows a block; as many as make about 4 million entries if left out.

    Yields
    ------
    (slice, ndarray of shape (len, m))
        The rows and their kernel values; ones on the diagonal are exact if Y is left out.

    Raises
    ------
    ValueError
        As `gaussian_kernel`, or if `rows` is below 1.
    """
    if rows is not None and rows < 1:
        raise ValueError(f"rows={rows} must be a positive integer: the number of rows of a block.")
    pair = _Pair(X, Y, gamma)
    return ((block, pair.block(block).astype(dtype, copy=False)) for block in pair.row_blocks(rows))


def gaussian_kernel_dot(X: Any, Y: Any, w: npt.ArrayLike, gamma: float) -> Array:
    """Return ``K(X, Y) @ w`` without holding the kernel matrix.

    Parameters
    ----------
    X : {array-like, CSR matrix} of shape (n, d)
    Y : {array-like, CSR matrix} of shape (m, d), or None for X
    w : array-like of shape (m,) or (m, k)
    gamma : float
        Above 0.

    Returns
    -------
    ndarray of shape (n,) or (n, k), float64

    Raises
    ------
    ValueError
        As `gaussian_kernel`, or if w has not one row for each row of Y.
    """
    weights = np.asarray(w, dtype=np.float64)
    pair = _Pair(X, Y, gamma)
    if weights.shape[:1] != (pair.n_columns,):
        raise ValueError(f"w has shape {weights.shape}, but Y has {pair.n_columns} rows: w needs one for each.")
    result = np.empty((pair.n_rows, *weights.shape[1:]))
    for rows in pair.row_blocks(None):
        result[rows] = pair.block(rows) @ weights
    return result


class _Pair:
    """Two sets of rows, centred on their common mean, and the kernel between them."""

    def __init__(self, X: Any, Y: Any, gamma: float) -> None:
        if not gamma > 0:
            raise ValueError(f"gamma={gamma} must be above 0: it is the width in exp(-gamma ||x - y||^2).")
        self.gamma = gamma
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
        distances *= -self.gamma
        if self.symmetric:
            diagonal = np.arange(rows.stop - rows.start)
            distances[diagonal, diagonal + rows.start - first_column] = 0.0
        return np.asarray(np.exp(distances, out=distances))


def _dense(X: Any, name: str) -> Array:
    is_sparse = bool(sparse.issparse(X))
    array = np.asarray(X.toarray() if is_sparse else X, dtype=np.float64)
    if array.ndim != 2:
        raise ValueError(f"{name} has {array.ndim} dimensions; pass a matrix of shape (rows, features).")
    return array
