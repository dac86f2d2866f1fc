"""Row tiles: every map works on tiles of one fixed shape, so that a row's bits never depend on its
neighbours.

BLAS chooses its path by the shape of the arrays it is given, and SIMD loops treat a remainder otherwise than
a full group. A map therefore sees rows in tiles of a shape of its own, hence each row takes the same path
whichever chunk, position or thread it arrives in.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

if TYPE_CHECKING:
    from scrf_bench.maps.epilogue import Epilogue

Array = npt.NDArray[Any]
Workspace = dict[str, Array]

# Radians of one turn. Projections are kept in turns, t = z / (2 pi), so that reducing the cosine's argument
# is t - rint(t).
TURN = 2.0 * math.pi


class Tiled(ABC):
    """What is applied to X one tile of rows at a time; it is read-only once built.

    Attributes
    ----------
    dtype : numpy.dtype
        float32 or float64; tiles and results have it.
    tile_rows, tile_columns : int
        The largest tile.
    padded : bool
        True: tiles are (tile_rows, tile_columns) arrays, zero beyond the rows and features there are.
        False: tiles are C-contiguous (n_rows, n_features) arrays with ``n_rows <= tile_rows``, perhaps views
        of the user's X. They are never written to, and 0 is added to each value that is loaded, which turns
        -0 into +0 as in a padded tile.
    """

    dtype: np.dtype[Any]
    tile_rows: int
    tile_columns: int
    padded: ClassVar[bool] = True

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes held."""

    def workspace(self) -> Workspace:
        """Return fresh scratch arrays for one thread's pass over the data."""
        return {}


class Projection(Tiled):
    """A drawn linear map of one dtype, ``t = Pi x / (2 pi)`` in turns.

    Attributes
    ----------
    algorithm : str
        What computes the product, e.g. ``"scipy.fft"``.
    column_blocks : tuple of slice
        The frequencies that each array yielded by `project_tile` holds, in order.
    n_parameters : int
        How many drawn numbers define the map (the paper's count, without the phases).
    """

    algorithm: str
    column_blocks: tuple[slice, ...]
    n_parameters: int

    @abstractmethod
    def project_tile(self, tile: Array, work: Workspace) -> Iterator[Array]:
        """Yield the projection of a tile in turns, one C-contiguous array for each column block.

        Each has at least as many rows as the tile has real ones. The caller may overwrite a yielded array; it
        is valid until the next one is asked for.
        """

    def write_features(self, tile: Array, n_rows: int, epilogue: Epilogue, out: Array, work: Workspace) -> None:
        """Write the features of a tile's first `n_rows` rows into `out`, (n_rows, n_components).

        Compiled projections override it, so that the cosine is taken while a projection is in registers.
        """
        del n_rows
        for columns, Z in zip(self.column_blocks, self.project_tile(tile, work), strict=True):
            epilogue.write(Z, columns, out)


class TileMap(Tiled):
    """A fitted map of one dtype: tiles of rows to tiles of features.

    Attributes
    ----------
    algorithm : str
        What computes the features.
    n_parameters : int
        How many drawn numbers define the map.
    """

    algorithm: str
    n_parameters: int

    @abstractmethod
    def write(self, tile: Array, n_rows: int, out: Array, work: Workspace) -> None:
        """Write the features of a tile's first `n_rows` rows into `out`, C-contiguous ``(n_rows,
        n_components)``.

        A row's bits may depend on that row alone, not on `n_rows` or on its place in the tile.
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


def load_tile(tiled: Tiled, X: Any, rows: slice, work: Workspace) -> Array:
    """Return ``X[rows]`` (dense or CSR) as the tile that `tiled` takes.

    A padded tile lies in `work` and is overwritten by the next one. Adding 0 while copying turns -0 into +0,
    which a CSR matrix cannot tell from an absent entry.
    """
    chunk = X[rows].toarray() if is_sparse(X) else X[rows]
    if not tiled.padded:
        return np.ascontiguousarray(chunk, dtype=tiled.dtype)
    tile = work.get("padded tile")
    if tile is None:
        tile = work["padded tile"] = np.zeros((tiled.tile_rows, tiled.tile_columns), tiled.dtype)
    n_rows = rows.stop - rows.start
    np.add(chunk, tile.dtype.type(0), out=tile[:n_rows, : X.shape[1]])
    tile[n_rows:] = 0
    return tile


def output_array(out: Array | None, shape: tuple[int, ...], dtype: np.dtype[Any], source: Any) -> Array:
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
