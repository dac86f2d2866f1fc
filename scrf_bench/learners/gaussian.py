"""Blocks of the exact Gaussian kernel by BLAS, as the learners need them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_BLOCK_BYTES = 16 << 20

Matrix = Any  # (n, d) ndarray or CSR matrix


def squared_norms(X: Matrix) -> NDArray[np.float64]:
    """Return ``||x||^2`` of each row in float64, shape (n,)."""
    if sparse.issparse(X):
        wide: Any = _float64(X)
        return np.asarray(wide.multiply(wide).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X, dtype=np.float64))


def squared_distances(
    X: Matrix, Y: Matrix, X_norms: NDArray[np.float64], Y_norms: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return ``||x_i - y_j||^2`` in float64, shape (n, m), never negative.

    Parameters
    ----------
    X, Y : (n, d) and (m, d), dense or CSR, float32 or float64
    X_norms, Y_norms : (n,) and (m,) float64
        From `squared_norms`.
    """
    inner: Any = _float64(X) @ _float64(Y).T
    is_sparse = sparse.issparse(inner)
    D: NDArray[np.float64] = inner.toarray() if is_sparse else np.asarray(inner)
    D *= -2.0
    D += X_norms[:, None]
    D += Y_norms[None, :]
    np.maximum(D, 0.0, out=D)  # cancellation leaves -1e-16 where two rows agree
    return D


def kernel_from_distances(D: NDArray[np.float64], gamma: float, out: NDArray[Any]) -> None:
    """Write ``exp(-gamma D)`` into ``out``; ``out`` may be ``D``."""
    np.multiply(D, -gamma, out=out, casting="same_kind")
    np.exp(out, out=out)


def kernel_blocks(X: Matrix, Y: Matrix, gamma: float) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield row blocks of ``K_ij = exp(-gamma ||x_i - y_j||^2)``.

    Yields
    ------
    (slice, (rows, m) float64)
        The rows of ``X`` and their kernel values; a block takes about 16 MB.
    """
    Y_norms = squared_norms(Y)
    Y = _float64(Y)
    rows = max(1, _BLOCK_BYTES // (8 * max(1, Y.shape[0])))
    for start in range(0, X.shape[0], rows):
        block = X[start : start + rows]
        D = squared_distances(block, Y, squared_norms(block), Y_norms)
        kernel_from_distances(D, gamma, out=D)
        yield slice(start, start + D.shape[0]), D


def _float64(X: Matrix) -> Matrix:
    return X if X.dtype == np.float64 else X.astype(np.float64)
