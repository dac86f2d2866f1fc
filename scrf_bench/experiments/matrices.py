"""The large matrices that some maps hold, the limit that a config sets for them, and rows for those that learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrf_bench.experiments.map_cells import uniform_points
from scrf_bench.experiments.peers import PEERS
from scrf_bench.maps import Nystroem, RPCholeskyNystroem, map_by_name

REFERENCE = "rks"
DENSE = (REFERENCE, "orf", "qmc", "rbfsampler", "sklearn", "rfflearn")
"""Methods that hold a whole D x d matrix."""
BYTES_PER_GB = 10**9
# A stream of its own: landmarks among the rows that are mapped would make their features exact.
_LANDMARK_STREAM = 1


def keeps_landmarks(name: str) -> bool:
    """Tell whether a map keeps n_components of the rows it is fitted on, and a matrix of their kernel in float64."""
    return name not in PEERS and issubclass(map_by_name(name), (Nystroem, RPCholeskyNystroem))


def matrix_limit(name: str, *, d: int, D: int, dtype: str, limit_gb: float) -> str | None:
    """Say why a method is not tried at D columns of rows d wide: its matrix is larger than declared; None if not."""
    if name in DENSE:
        columns, itemsize, what = d, np.dtype(dtype).itemsize, "dense"
    elif keeps_landmarks(name):
        columns, itemsize, what = D, np.dtype(np.float64).itemsize, "landmarks'"
    else:
        return None
    needed = D * columns * itemsize / BYTES_PER_GB
    if needed <= limit_gb:
        return None
    return (
        f"The {what} {D} x {columns} matrix of {needed:.2f} GB exceeds the limit of {limit_gb:g} GB that the config "
        "declares (matrix_limit_gb)."
    )


def parts_within(
    sizes: Sequence[int], limit: Callable[[int], str | None]
) -> Iterator[tuple[tuple[int, ...], str | None]]:
    """Yield the sizes that no limit forbids together, for one cell, and then each of the others with its limit."""
    within = tuple(size for size in sizes if limit(size) is None)
    if within:
        yield within, None
    for size in sizes:
        if size not in within:
            yield (size,), limit(size)


def rows_to_fit_on(name: str, X: NDArray[Any], n_components: int, seed: int) -> NDArray[Any]:
    """Return what a method is fitted on before it maps X, points of U[0,1]^d.

    X itself for a map that only looks at its width and dtype. One that keeps landmarks gets n_components rows or
    more (as many as X has) of the same distribution, drawn apart from X, so that it has as many columns as the others.
    """
    if not keeps_landmarks(name):
        return X
    rows = uniform_points(max(len(X), n_components), X.shape[1], seed, _LANDMARK_STREAM)
    return rows.astype(X.dtype)
