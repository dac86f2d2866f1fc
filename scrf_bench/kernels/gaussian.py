"""The exact Gaussian kernel ``exp(-gamma ||x - y||^2)``, computed in blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from scrf_bench.kernels.pairs import Array, Pair, kernel_matrix


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
        If the widths differ, an array is not two-dimensional, or gamma is not above 0 or not finite.

    Examples
    --------
    >>> gaussian_kernel([[0.0, 0.0], [3.0, 4.0]], gamma=0.04).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """
    return kernel_matrix(_pair(X, Y, gamma), dtype)


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
    pair = _pair(X, Y, gamma)
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
    pair = _pair(X, Y, gamma)
    if weights.shape[:1] != (pair.n_columns,):
        raise ValueError(f"w has shape {weights.shape}, but Y has {pair.n_columns} rows: w needs one for each.")
    result = np.empty((pair.n_rows, *weights.shape[1:]))
    for rows in pair.row_blocks(None):
        result[rows] = pair.block(rows) @ weights
    return result


def gaussian_profile(squared_distances: Array, *, gamma: float) -> Array:
    """Return ``exp(-gamma squared_distances)``, float64, in place."""
    with np.errstate(over="ignore"):  # the kernel is 0 there, as it should be
        squared_distances *= -gamma
    return np.asarray(np.exp(squared_distances, out=squared_distances))


def _pair(X: Any, Y: Any, gamma: float) -> Pair:
    return Pair(X, Y, gamma, lambda squares: gaussian_profile(squares, gamma=gamma))
