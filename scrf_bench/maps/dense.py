"""Projection by a dense matrix: BLAS products of fixed shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from scrf_bench.maps.blas import multiply
from scrf_bench.maps.threads import serial_blas
from scrf_bench.maps.tiles import TURN, Array, Projection, Workspace, slices

# Measured against one product of all rows with all frequencies, and the cosine after it: packing the matrix
# anew for every tile costs 15 percent with 256 rows, 8 with 512, 5 with 1024, whose products leave the cache;
# where d is below 100 the cosine, taken in cache, more than pays for it. Wider blocks pay in float64 only.
_TILE_ROWS = 512
_BLOCK_COLUMNS = {4: 512, 8: 1024}
# Fewer rows than a tile are cut into one operand of a multiple of 64 rows and one of a multiple of 16, the
# second padded: BLAS packs the matrix anew for each operand, so more of them would cost more than the padding.
_PIECE_ROWS = (64, 16)
# A width of one would send BLAS to its matrix-vector code, whose result depends on a row's position, and a
# small one to code for small matrices, which sums in another order than the code for whole tiles.
_WIDTH_MULTIPLE = 64
_DRAW_ROWS = 256


class DenseProjection(Projection):
    """``Z = X W^T`` for a dense matrix W of frequencies.

    Parameters
    ----------
    frequencies : callable
        ``frequencies(k)`` returns the next k rows of W in radians, float64, of shape (k, n_features). Asking
        for few rows at a time keeps the float64 copy of a large matrix out of memory.
    n_frequencies, n_features : int
        Shape of W.
    dtype : numpy.dtype
        float32 or float64.
    """

    algorithm = "dense BLAS"
    padded = False

    def __init__(
        self, frequencies: Callable[[int], Array], n_frequencies: int, n_features: int, dtype: np.dtype[Any]
    ) -> None:
        width = -(-n_frequencies // _WIDTH_MULTIPLE) * _WIDTH_MULTIPLE
        # Stored as W^T: BLAS packs its rows faster than the columns of W.
        self.matrix = np.zeros((n_features, width), dtype)
        for rows in slices(n_frequencies, _DRAW_ROWS):
            self.matrix[:, rows] = frequencies(rows.stop - rows.start).T / TURN
        self.dtype = dtype
        self.tile_rows = _TILE_ROWS
        self.tile_columns = n_features
        self.block_width = min(width, _BLOCK_COLUMNS[dtype.itemsize])
        self.column_blocks = tuple(slices(n_frequencies, self.block_width))
        self.n_parameters = n_frequencies * n_features
        widths = {columns.stop - columns.start for columns in slices(width, self.block_width)}
        agree = all(_pieces_agree(dtype, n_features, block) for block in widths)
        self.piece_rows = _PIECE_ROWS if agree else (_TILE_ROWS, _TILE_ROWS)

    @property
    def nbytes(self) -> int:
        """Bytes held: W, padded to a multiple of 64 frequencies."""
        return int(self.matrix.nbytes)

    def workspace(self) -> Workspace:
        """Return the array that takes a tile's product."""
        return {"Z": np.empty(_TILE_ROWS * self.block_width, self.dtype)}

    def project_tile(self, tile: Array, work: Workspace) -> Iterator[Array]:
        """Yield ``tile @ W[columns].T / (2 pi)`` for each block of columns."""
        pieces = self._pieces(tile, work)
        n_rows = pieces[-1][0].stop
        for columns in self.column_blocks:
            matrix = self.matrix[:, columns.start : columns.start + self.block_width]
            Z = work["Z"][: n_rows * matrix.shape[1]].reshape(n_rows, -1)
            for rows, piece in pieces:
                multiply(piece, matrix, Z[rows])
            width = columns.stop - columns.start
            yield Z if width == Z.shape[1] else np.ascontiguousarray(Z[:, :width])

    def _pieces(self, tile: Array, work: Workspace) -> list[tuple[slice, Array]]:
        """Cut a tile into operands of the shapes that give a row the bits it has in a whole tile."""
        n_rows = len(tile)
        coarse, fine = self.piece_rows
        start = n_rows - n_rows % coarse
        pieces = [(slice(0, start), tile[:start])] if start else []
        if start < n_rows:
            stop = start + -(-(n_rows - start) // fine) * fine
            rest = work.setdefault("rest", np.zeros((coarse, self.tile_columns), self.dtype))[: stop - start]
            rest[: n_rows - start] = tile[start:]
            rest[n_rows - start :] = 0
            pieces.append((slice(start, stop), rest))
        return pieces


@cache
def _pieces_agree(dtype: np.dtype[Any], n_features: int, width: int) -> bool:
    """Return whether BLAS gives the rows of every smaller operand the bits that they have in a whole tile.

    It chooses code by shape, and only the order of summation matters; so it is asked once for each shape. A
    BLAS that disagrees costs time for few rows, never bits.
    """
    rng = np.random.default_rng(0)
    tile = rng.standard_normal((_TILE_ROWS, n_features), dtype.type)
    matrix = rng.standard_normal((n_features, width), dtype.type)
    whole = np.empty((_TILE_ROWS, width), dtype)
    coarse, fine = _PIECE_ROWS
    with serial_blas():
        multiply(tile, matrix, whole)
        for n_rows in (*range(fine, coarse, fine), *range(coarse, _TILE_ROWS, coarse)):
            # The last rows of the tile: an operand's rows may lie anywhere in it.
            piece = np.empty((n_rows, width), dtype)
            multiply(tile[-n_rows:], matrix, piece)
            if not np.array_equal(piece, whole[-n_rows:]):
                return False
    return True
