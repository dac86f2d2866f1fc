"""Haar-distributed orthogonal blocks, drawn row by row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.linalg import lapack

from scrf_bench.maps.dense import DenseProjection
from scrf_bench.maps.radial import chi_lengths
from scrf_bench.maps.threads import serial_blas
from scrf_bench.maps.tiles import Array


def haar_rows(rng: np.random.RandomState, n_rows: int, order: int) -> Array:
    """Draw the first rows of a Haar-distributed orthogonal matrix (``standard_normal((n_rows, order))``).

    The QR factorisation of a Gaussian matrix, with the signs of R's diagonal folded into Q: without them Q is
    not uniform (Mezzadri 2006). Only `n_rows` rows are drawn and factorised.

    Parameters
    ----------
    rng : numpy.random.RandomState
    n_rows, order : int
        ``n_rows <= order``.

    Returns
    -------
    ndarray of shape (n_rows, order), float64
        Orthonormal rows, in the memory of the Gaussian matrix: nothing of its size is allocated besides.

    References
    ----------
    F. Mezzadri, "How to generate random matrices from the classical compact groups", Notices of the AMS 54,
    2007, arXiv:math-ph/0609050.
    """
    matrix = np.asfortranarray(rng.standard_normal((n_rows, order)).T)  # a view: LAPACK works in place
    size = int(lapack.dgeqrf_lwork(order, n_rows)[0])
    matrix, reflectors, _, _ = lapack.dgeqrf(matrix, lwork=size, overwrite_a=True)
    signs = np.copysign(1.0, np.diagonal(matrix))
    matrix, _, _ = lapack.dorgqr(matrix, reflectors, lwork=size, overwrite_a=True)
    matrix *= signs
    return np.asarray(matrix.T)


class HaarBlocks:
    """Rows of stacked independent Haar blocks, handed out in order; one block is in memory at a time.

    Parameters
    ----------
    rng : numpy.random.RandomState
        Draws for each block ``standard_normal((rows, order))`` and ``chisquare(order, rows)``, the lengths
        being drawn even where `radial` is off. The last block has only the rows that are needed.
    order : int
        d, the blocks' order.
    n_rows : int
        Rows in all.
    scale : float
        Factor on all rows.
    radial : bool
        Whether rows have chi_d lengths; if not, all have sqrt(d).
    factors : ndarray of shape (n_rows,) or None
        A further factor on each row.
    """

    def __init__(
        self,
        rng: np.random.RandomState,
        order: int,
        n_rows: int,
        scale: float,
        *,
        radial: bool = True,
        factors: Array | None = None,
    ) -> None:
        self.rng = rng
        self.order = order
        self.n_rows = n_rows
        self.scale = scale
        self.radial = radial
        self.factors = factors
        self._drawn = 0
        self._block = np.empty((0, order))

    def __call__(self, n_rows: int) -> Array:
        """Return the next `n_rows` rows, float64."""
        rows = np.empty((n_rows, self.order))
        filled = 0
        while filled < n_rows:
            if not len(self._block):
                self._block = self._next_block()
            taken = min(n_rows - filled, len(self._block))
            rows[filled : filled + taken] = self._block[:taken]
            # An empty view would keep the block in memory while the next one is drawn.
            self._block = self._block[taken:] if taken < len(self._block) else np.empty((0, self.order))
            filled += taken
        return rows

    def _next_block(self) -> Array:
        rows = min(self.order, self.n_rows - self._drawn)
        block = haar_rows(self.rng, rows, self.order)
        lengths = chi_lengths(self.rng, self.order, rows)
        if not self.radial:
            lengths = np.full(rows, math.sqrt(self.order))
        if self.factors is not None:
            lengths *= self.factors[self._drawn : self._drawn + rows]
        block *= (self.scale * lengths)[:, np.newaxis]
        self._drawn += rows
        return block


def haar_projection(blocks: HaarBlocks, dtype: np.dtype[Any]) -> DenseProjection:
    """Return the dense projection by `blocks`; lengths count as parameters beside the matrix.

    BLAS is held to one thread while the blocks are factorised, for the bits' sake.
    """
    with serial_blas():
        projection = DenseProjection(blocks, blocks.n_rows, blocks.order, dtype)
    if blocks.radial:
        projection.n_parameters += blocks.n_rows
    return projection
