"""Row tiles: every map works on tiles of one fixed shape, so that a row's bits never depend on its
neighbours.

BLAS and SIMD code choose their path by the shape of the arrays they are given. A tile always has the same
shape (missing rows are zero), hence each row takes the same path whichever chunk, position or thread it
arrives in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Array = npt.NDArray[Any]
Workspace = dict[str, Array]


class Projection(ABC):
    """A drawn linear map ``z = Pi x`` of one dtype, applied tile by tile; it is read-only once built.

    Attributes
    ----------
    algorithm : str
        What computes the product, e.g. ``"scipy.fft"``.
    dtype : numpy.dtype
        float32 or float64; tiles and results have it.
    tile_rows, tile_columns : int
        The shape of the tiles that `project_tile` takes. Columns beyond the number of features are zero.
    column_blocks : tuple of slice
        The frequencies that each array yielded by `project_tile` holds, in order.
    n_parameters : int
        How many drawn numbers define the map (the paper's count, without the phases).
    """

    algorithm: str
    dtype: np.dtype[Any]
    tile_rows: int
    tile_columns: int
    column_blocks: tuple[slice, ...]
    n_parameters: int

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes held by the projection's arrays."""

    def workspace(self) -> Workspace:
        """Return fresh scratch arrays for one pass over the data (one per thread)."""
        return {}

    @abstractmethod
    def project_tile(self, tile: Array, work: Workspace) -> Iterator[Array]:
        """Yield the projection of a tile, one C-contiguous ``(tile_rows, width)`` array for each column
        block.

        The caller may overwrite a yielded array; it is valid until the next one is asked for.
        """


def is_sparse(X: Any) -> bool:
    """Return whether X is one of scipy's sparse matrices or arrays."""
    return bool(sparse.issparse(X))


def power_of_two_between(value: int, low: int, high: int) -> int:
    """Return the largest power of two that is at most `value`, clipped to ``[low, high]``."""
    return min(max(1 << max(value, 1).bit_length() - 1, low), high)


def slices(total: int, step: int) -> Iterator[slice]:
    """Cut ``range(total)`` into consecutive slices of `step` (the last may be shorter)."""
    for start in range(0, total, step):
        yield slice(start, min(start + step, total))


def fill_tile(tile: Array, X: Any, rows: slice) -> None:
    """Copy ``X[rows]`` (dense or CSR) into the tile's first rows and columns, and zero the rows beyond.

    Adding 0 while copying turns -0 into +0, which a CSR matrix cannot tell from an absent entry.
    """
    n_rows = rows.stop - rows.start
    chunk = X[rows].toarray() if is_sparse(X) else X[rows]
    np.add(chunk, tile.dtype.type(0), out=tile[:n_rows, : X.shape[1]])
    tile[n_rows:] = 0


def project_rows(projection: Projection, X: Any) -> Iterator[tuple[slice, slice, Array]]:
    """Yield ``(rows, columns, Z)`` over all tiles of X; Z is a whole tile, padding included."""
    tile = np.zeros((projection.tile_rows, projection.tile_columns), projection.dtype)
    work = projection.workspace()
    for rows in slices(X.shape[0], projection.tile_rows):
        fill_tile(tile, X, rows)
        yield from (
            (rows, columns, Z)
            for columns, Z in zip(projection.column_blocks, projection.project_tile(tile, work), strict=True)
        )


def retile(projection: Projection, Z: Array) -> Iterator[tuple[slice, slice, Array]]:
    """Cut a finished projection into the pieces that `project_rows` would yield."""
    for rows in slices(Z.shape[0], projection.tile_rows):
        for columns in projection.column_blocks:
            piece = np.zeros((projection.tile_rows, columns.stop - columns.start), projection.dtype)
            piece[: rows.stop - rows.start] = Z[rows, columns]
            yield rows, columns, piece


def output_array(out: Array | None, shape: tuple[int, int], dtype: np.dtype[Any], source: Any) -> Array:
    """Return `out` if it can take the result, or a new array if it is None.

    Raises
    ------
    ValueError
        If `out` has another shape, dtype or memory order, is read-only, or shares memory with the input.
    TypeError
        If `out` is no numpy array.
    """
    if out is None:
        return np.empty(shape, dtype)
    remedy = f"pass numpy.empty({shape}, dtype='{dtype}') or leave out away."
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be a numpy array, not {type(out).__name__}; {remedy}")
    if out.shape != shape:
        raise ValueError(f"out has shape {out.shape}, the result has {shape}; {remedy}")
    if out.dtype != dtype:
        raise ValueError(f"out has dtype {out.dtype}, the result has {dtype} (the input's); {remedy}")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError(f"out must be C-contiguous and writeable; {remedy}")
    if isinstance(source, np.ndarray) and np.may_share_memory(out, source):
        raise ValueError(f"out overlaps the input in memory; {remedy}")
    return out
