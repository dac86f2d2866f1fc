"""The walk over the rows of X, tile by tile, in as many threads as pay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from scrf_bench.maps.threads import serial_blas, share_out, thread_count
from scrf_bench.maps.tiles import Array, Tiled, Workspace, is_sparse, load_tile, slices

TiledT = TypeVar("TiledT", bound=Tiled)

# Measured: to start a thread takes about as long as a tenth of this many features.
_VALUES_A_THREAD = 2**19
# Rows that have to be copied (CSR, another memory order) are copied this many bytes at a time, in whole
# multiples of 64 rows where they can be.
_COPY_BYTES = 2**22
_COPY_MULTIPLE = 64


def walk(tiled: Tiled, X: Any, width: int, visit: Callable[[slice, Array, Workspace], None], rows: int = 0) -> None:
    """Call ``visit(rows, tile, work)`` for every tile of X.

    Parameters
    ----------
    tiled : Tiled
        Says which tiles it takes; gives one workspace to each thread.
    X : {ndarray, CSR matrix} of shape (n_samples, n_features)
        Validated rows.
    width : int
        Values that come of a row: decides whether further threads pay.
    visit : callable
        Called in any order and in several threads; must write to places of `rows` alone.
    rows : int, optional
        Rows a tile, if fewer than ``tiled.tile_rows``.
    """
    step = min(rows or tiled.tile_rows, _copied_rows(tiled, X))
    n_rows = X.shape[0]

    def work_off(tasks: Iterator[slice]) -> None:
        work = tiled.workspace()
        for task in tasks:
            visit(task, load_tile(tiled, X, task, work), work)

    threads = n_rows * width // _VALUES_A_THREAD
    if threads > 1:
        threads = min(threads, -(-n_rows // step), thread_count())
    with serial_blas():
        share_out(slices(n_rows, step), work_off, threads)


def _copied_rows(tiled: Tiled, X: Any) -> int:
    """Return how many rows to load at once: a whole tile, or fewer where the tile is a copy that grows with
    d.
    """
    if tiled.padded or (not is_sparse(X) and X.flags.c_contiguous):
        return tiled.tile_rows
    rows: int = max(1, _COPY_BYTES // (X.shape[1] * tiled.dtype.itemsize))
    return rows - rows % _COPY_MULTIPLE if rows > _COPY_MULTIPLE else rows
