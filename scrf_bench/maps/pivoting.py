"""Randomly pivoted Cholesky factorisation of a kernel matrix that is never formed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scrf_bench.maps.tiles import Array

# Maps squared distances, which it may overwrite, to kernel values; 1 at distance 0.
Profile = Callable[[Array], Array]

# Residuals below it are rounding: a pivot there would divide noise by noise.
_SMALLEST_RESIDUAL = 1e-13


def pivoted_cholesky(X: Array, profile: Profile, n_pivots: int, rng: np.random.RandomState) -> tuple[Array, Array]:
    """Choose pivots with probability proportional to the diagonal of ``K - F F'`` (Chen et al. 2022, Alg. 1).

    Parameters
    ----------
    X : ndarray of shape (n, d), float64
    profile : callable
        The kernel as a function of squared distances.
    n_pivots : int
        How many to choose, at most n.
    rng : numpy.random.RandomState
        Gives one ``random_sample()`` a pivot.

    Returns
    -------
    pivots : ndarray of shape (k,), int
        Different rows, in the order of choice; ``k < n_pivots`` if K is explained to rounding before.
    factor : ndarray of shape (k, k), float64
        Lower triangular L with ``L L'`` the kernel matrix among the pivots.

    References
    ----------
    Y. Chen, E. N. Epperly, J. A. Tropp, R. J. Webber, arXiv:2207.06503.
    """
    centred = X - X.mean(axis=0)
    norms = np.einsum("ij,ij->i", centred, centred)
    columns = np.empty((n_pivots, len(X)))  # F', so that a new column of F is contiguous
    residual = np.ones(len(X))
    pivots: list[int] = []
    for k in range(n_pivots):
        pivot = _draw(residual, rng)
        if residual[pivot] <= _SMALLEST_RESIDUAL:
            break
        squares = np.maximum(norms + norms[pivot] - 2.0 * (centred @ centred[pivot]), 0.0)
        squares[pivot] = 0.0
        column = profile(squares) - columns[:k, pivot] @ columns[:k]
        if column[pivot] <= _SMALLEST_RESIDUAL:
            break
        columns[k] = column / np.sqrt(column[pivot])
        columns[k, pivots] = 0.0  # exactly so, were it not for rounding
        np.maximum(residual - columns[k] ** 2, 0.0, out=residual)
        residual[pivot] = 0.0
        pivots.append(pivot)
    chosen = np.array(pivots, dtype=np.intp)
    return chosen, columns[: len(chosen), chosen].T


def _draw(weights: Array, rng: np.random.RandomState) -> int:
    """Draw an index with probability proportional to its weight; the largest weight's where all are 0."""
    cumulative = np.cumsum(weights)
    index = int(np.searchsorted(cumulative, rng.random_sample() * cumulative[-1], side="right"))
    # Rounding can put the draw at the very end, where nothing has a weight.
    return index if index < len(weights) and weights[index] > 0 else int(np.argmax(weights))
