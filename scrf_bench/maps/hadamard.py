"""Projection by stacked blocks of Hadamard matrices, diagonals and permutations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from scrf_bench.maps.dense import DenseProjection
from scrf_bench.maps.epilogue import Epilogue
from scrf_bench.maps.tiles import TURN, Array, Projection, Workspace, power_of_two_between, slices

# Values of a tile: few enough that a narrow matrix still gives every thread some tiles, and that a tile of a wide CSR
# matrix stays small; enough that Python's share does not show.
_TILE_VALUES = 2**18
# Measured at 8192 frequencies: a dense product takes 0.8 to 1.2 times as long as the transforms at n = 16, 1.5 to 2
# times at n = 32. Beyond that it loses even for a few frequencies of a large n, where transforms are cut off.
_LARGEST_DENSE_ORDER = 16


def padded_order(n_features: int) -> int:
    """Return the order n of the blocks: the power of two at or above `n_features`.

    >>> [padded_order(d) for d in (1, 2, 3, 60, 64, 65)]
    [1, 2, 4, 64, 64, 128]
    """
    return 1 << (n_features - 1).bit_length()


def hadamard_projection(
    diagonals: Array,
    permutations: Array | None,
    row_factors: Array | float,
    *,
    n_frequencies: int,
    n_features: int,
    dtype: np.dtype[Any],
    n_parameters: int,
) -> Projection:
    """Return the projection by blocks ``V_i = R_i H D_is Pi_i .. H D_i2 Pi_i H D_i1``, cut off after F rows.

    H is the unnormalised Walsh-Hadamard matrix of order n, ``n_features <= n``; the input is padded with zeros.

    Parameters
    ----------
    diagonals : ndarray of shape (t, s, n), float64
        ``D_i1, .., D_is`` of each block, in the order in which they are applied.
    permutations : ndarray of shape (t, n), int, or None
        ``(Pi_i u)_k = u[permutations[i, k]]``; None for no permutation.
    row_factors : ndarray of shape (F,), float64, or float
        The diagonal R, or the one number that all its entries are.
    n_frequencies : int
        F, ``(t - 1) n < F <= t n``.
    n_features : int
        Columns of X.
    dtype : numpy.dtype
        float32 or float64.
    n_parameters : int
        How many drawn numbers define it.

    Returns
    -------
    Projection
        `HadamardProjection`, or the same matrix as a `DenseProjection` where that is faster: for n <= 16.
    """
    factors = np.atleast_1d(np.asarray(row_factors, np.float64))
    projection: Projection
    if padded_order(n_features) <= _LARGEST_DENSE_ORDER:
        rows = _rows(diagonals, permutations, factors, n_features)
        projection = DenseProjection(rows, n_frequencies, n_features, dtype)
    else:
        projection = HadamardProjection(diagonals, permutations, factors, n_frequencies, n_features, dtype)
    projection.n_parameters = n_parameters
    return projection


class HadamardProjection(Projection):
    """``Z = X V^T`` by the compiled transforms of `maps.compiled.hadamard`; parameters as in `hadamard_projection`.

    Rows meet in no operation, so that a row's result is the same wherever it lies in a tile.
    """

    algorithm = "compiled Hadamard transform"
    padded: ClassVar[bool] = False

    def __init__(
        self,
        diagonals: Array,
        permutations: Array | None,
        factors: Array,
        n_frequencies: int,
        n_features: int,
        dtype: np.dtype[Any],
    ) -> None:
        from scrf_bench.maps.compiled.hadamard import part_size, vector_places

        n_blocks, self.n_stages, self.order = diagonals.shape
        self.diagonals = diagonals.astype(dtype).ravel()
        self.part = part_size(self.order, dtype.itemsize)
        places = vector_places(self.order, dtype.itemsize)
        tables = [places] if permutations is None else [places, *places[permutations]]
        self.places = np.concatenate(tables).astype(np.uint32)
        self.factors = (factors / TURN).astype(dtype)
        self.n_frequencies = n_frequencies
        self.dtype = dtype
        self.tile_rows = power_of_two_between(_TILE_VALUES // self.order, 64, 256)
        self.tile_columns = n_features
        blocks_a_piece = min(n_blocks, max(1, _TILE_VALUES // (self.tile_rows * self.order)))
        self.column_blocks = tuple(slices(n_frequencies, blocks_a_piece * self.order))

    @property
    def nbytes(self) -> int:
        """Bytes held: the diagonals and the permutations (4 bytes an entry, and one table of n entries)."""
        return int(self.diagonals.nbytes + self.places.nbytes + self.factors.nbytes)

    def workspace(self) -> Workspace:
        """Return the input and two transforms of one group of rows, one row a SIMD lane."""
        from scrf_bench.maps.compiled.hadamard import work_size
        from scrf_bench.maps.compiled.simd import aligned

        return {"lanes": aligned(work_size(self.order, self.dtype.itemsize), self.dtype)}

    def project_tile(self, tile: Array, work: Workspace) -> Iterator[Array]:
        """Yield the pieces' projections in turns."""
        from scrf_bench.maps.compiled.transposed import TURNS

        if "Z" not in work:
            widest = self.column_blocks[0]
            work["Z"] = np.empty(self.tile_rows * (widest.stop - widest.start), self.dtype)
        for columns in self.column_blocks:
            width = columns.stop - columns.start
            Z = work["Z"][: len(tile) * width].reshape(len(tile), width)
            self._run(tile, (TURNS, self.factors, self.dtype.type(1), 0), columns, Z, work)
            yield Z

    def write_features(self, tile: Array, n_rows: int, epilogue: Epilogue, out: Array, work: Workspace) -> None:
        """Write the features of a tile's rows: nothing of their size is written but `out`."""
        from scrf_bench.maps.compiled.transposed import PAIR, PHASE

        last = (
            (PAIR, self.factors, epilogue.scale, epilogue.n_components // 2)
            if epilogue.phase is None
            else (PHASE, epilogue.phase, epilogue.scale, 0)
        )
        self._run(tile[:n_rows], last, slice(0, self.n_frequencies), out, work)

    def _run(self, tile: Array, last: tuple[int, Array, Any, int], columns: slice, out: Array, work: Workspace) -> None:
        from scrf_bench.maps.compiled.hadamard import hadamard_features

        kind, phases, scale, sines = last
        rows = np.require(tile, requirements=["C", "A"])
        hadamard_features(
            rows.ctypes.data,
            rows.shape[0],
            rows.shape[1],
            (self.order, self.part, self.n_stages, self.diagonals, self.places),
            (kind, self.factors, int(len(self.factors) > 1), phases, scale, sines),
            columns.start,
            columns.stop,
            out.ctypes.data,
            out.strides[0] // out.itemsize,
            work["lanes"],
        )


def _rows(diagonals: Array, permutations: Array | None, factors: Array, n_features: int) -> Any:
    """Return ``f(k)``, which gives the next k rows of the blocks, float64, shape (k, n_features)."""
    order = diagonals.shape[2]
    position = 0

    def rows(count: int) -> Array:
        nonlocal position
        wanted = np.arange(position, position + count)
        position += count
        block = wanted // order
        V = np.zeros((count, order))
        V[np.arange(count), wanted % order] = 1.0
        for stage in reversed(range(diagonals.shape[1])):
            V = walsh_hadamard(V) * diagonals[block, stage]
            if stage and permutations is not None:
                # V Pi: column permutation[k] of the product is column k of V.
                product = np.empty_like(V)
                np.put_along_axis(product, permutations[block], V, axis=1)
                V = product
        V *= (factors[wanted] if len(factors) > 1 else factors[0])[..., np.newaxis]
        return V[:, :n_features]

    return rows


def walsh_hadamard(rows: Array) -> Array:
    """Return ``rows H``, H the Sylvester matrix of entries +-1; rows of a power of two's length.

    >>> walsh_hadamard(np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([[ 1.,  1.],
           [ 1., -1.]])
    """
    n_rows, order = rows.shape
    half = 1
    while half < order:
        pairs = rows.reshape(n_rows, -1, 2, half)
        rows = np.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], axis=2)
        rows = rows.reshape(n_rows, order)
        half *= 2
    return rows
