"""Squared distances, kept apart from the kernel so that one set of them serves every gamma of a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

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


def _float64(X: Matrix) -> Matrix:
    return X if X.dtype == np.float64 else X.astype(np.float64)
