"""Projection by a dense matrix: one BLAS product a tile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from scrf_bench.maps.tiles import Array, Projection, Workspace, slices

# Measured: with 256 rows a tile, packing the matrix anew for every tile no longer shows against the product
# itself.
_TILE_ROWS = 256
_BLOCK_COLUMNS = 1024
# A width of one would send BLAS to its matrix-vector code, whose result depends on a row's position.
_WIDTH_MULTIPLE = 16
_DRAW_ROWS = 256


class DenseProjection(Projection):
    """``Z = X W^T`` for a dense matrix W of frequencies.

    Parameters
    ----------
    frequencies : callable
        ``frequencies(k)`` returns the next k rows of W, float64, of shape (k, n_features). Asking for few
        rows at a time keeps the float64 copy of a large matrix out of memory.
    n_frequencies, n_features : int
        Shape of W.
    dtype : numpy.dtype
        float32 or float64.
    """

    algorithm = "dense BLAS"

    def __init__(
        self, frequencies: Callable[[int], Array], n_frequencies: int, n_features: int, dtype: np.dtype[Any]
    ) -> None:
        padded = -(-n_frequencies // _WIDTH_MULTIPLE) * _WIDTH_MULTIPLE
        # Stored as W^T: BLAS packs its rows faster than the columns of W.
        self.matrix = np.zeros((n_features, padded), dtype)
        for rows in slices(n_frequencies, _DRAW_ROWS):
            self.matrix[:, rows] = frequencies(rows.stop - rows.start).T
        self.dtype = dtype
        self.tile_rows = _TILE_ROWS
        self.tile_columns = n_features
        self.column_blocks = tuple(slices(n_frequencies, _BLOCK_COLUMNS))
        self.n_parameters = n_frequencies * n_features

    @property
    def nbytes(self) -> int:
        """Bytes held: W, padded to a multiple of 16 frequencies."""
        return int(self.matrix.nbytes)

    def workspace(self) -> Workspace:
        """Return the array that takes a tile's product."""
        return {"Z": np.empty(_TILE_ROWS * min(_BLOCK_COLUMNS, self.matrix.shape[1]), self.dtype)}

    def project_tile(self, tile: Array, work: Workspace) -> Iterator[Array]:
        """Yield ``tile @ W[columns].T`` for each block of columns."""
        for columns in self.column_blocks:
            matrix = self.matrix[:, columns.start : columns.start + _BLOCK_COLUMNS]
            Z = work["Z"][: _TILE_ROWS * matrix.shape[1]].reshape(_TILE_ROWS, -1)
            np.matmul(tile, matrix, out=Z)
            width = columns.stop - columns.start
            yield Z if width == Z.shape[1] else np.ascontiguousarray(Z[:, :width])
