"""Sums over features that never store them: ``Phi(X) W``, ``Phi(X)' Phi(X)`` and ``Phi(X)' y``.

Features are made a few rows at a time in a buffer that stays in cache and are multiplied there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from scrf_bench.maps.threads import serial_blas, share_out, thread_count
from scrf_bench.maps.tiles import Array, TileMap, Workspace, is_sparse, slices
from scrf_bench.maps.walk import walk

# Buffer of map_dot, in bytes: it has to stay in the last-level cache.
_BUFFER_BYTES = 2**23
_BUFFER_ROWS = 64
# Features whose products with weights are summed in the map's dtype.
_DOT_FEATURES = 512
# Matrices of few columns go through code of BLAS that depends on a row's place.
_WEIGHT_MULTIPLE = 16
# Rows whose products are summed in the map's dtype; measured: adding a block of sums in float64 takes 2 to 4
# percent of the time of 1024 products.
_GRAM_ROWS = 1024
_GRAM_BLOCK = 512
# Measured: to start a thread takes about as long as a tenth of this many products.
_PRODUCTS_A_THREAD = 2**25


def checked_weights(W: Any, width: int, dtype: np.dtype[Any]) -> Array:
    """Return W as an array of `dtype` with `width` rows.

    Raises
    ------
    ValueError
        If it is no such matrix or vector, or holds anything but finite real numbers.
    TypeError
        If it is sparse.
    """
    return _checked(W, "W", f"weights, one row for each of the map's {width} columns", width, dtype)


def checked_targets(y: Any, n_rows: int) -> Array | None:
    """Return y as a float64 array of `n_rows` rows, or None.

    Raises
    ------
    ValueError
        If it has another length or more than two axes, or holds anything but finite real numbers.
    TypeError
        If it is sparse.
    """
    if y is None:
        return None
    meaning = f"targets (classes as numbers, by LabelBinarizer, say), one row for each of X's {n_rows} rows"
    return _checked(y, "y", meaning, n_rows, np.dtype(np.float64))


def _checked(values: Any, name: str, meaning: str, n_rows: int, dtype: np.dtype[Any]) -> Array:
    """Return `values`, (n_rows,) or (n_rows, k), as finite numbers of `dtype`."""
    remedy = f"pass {meaning}, as real numbers of shape ({n_rows},) or ({n_rows}, k)."
    if values is None:
        raise ValueError(f"{name} is None; {remedy}")
    if is_sparse(values):
        raise TypeError(f"{name} is sparse; {remedy} {name}.toarray() makes it dense.")
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is no array of numbers ({error}); {remedy}") from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} has dtype {array.dtype}; {remedy}")
    if array.ndim not in (1, 2) or array.shape[0] != n_rows:
        raise ValueError(f"{name} has shape {array.shape}; {remedy}")
    with np.errstate(over="ignore"):  # check_array says so itself
        return np.asarray(check_array(array, dtype=dtype, ensure_2d=False, ensure_min_features=0, input_name=name))


def map_dot(tile_map: TileMap, X: Any, W: Array) -> Array:
    """Return ``Phi(X) W`` in the map's dtype; W as `checked_weights` returned it."""
    width = W.shape[0]
    columns = W.reshape(width, -1)
    k = columns.shape[1]
    padded = np.zeros((width, -(-k // _WEIGHT_MULTIPLE) * _WEIGHT_MULTIPLE), tile_map.dtype)
    padded[:, :k] = columns
    out = np.empty((X.shape[0], k), tile_map.dtype)
    step = _buffer_rows(tile_map, width)

    def multiply(rows: slice, tile: Array, work: Workspace) -> None:
        if "dot features" not in work:
            work["dot features"] = np.zeros((step, width), tile_map.dtype)
            work["dot product"] = np.empty((step, padded.shape[1]), tile_map.dtype)
            work["dot sum"] = np.empty((step, padded.shape[1]))
        features, product, total = work["dot features"], work["dot product"], work["dot sum"]
        n_rows = rows.stop - rows.start
        tile_map.write(tile, n_rows, features[:n_rows], work)
        # Always all rows, those left from before included: BLAS chooses its path by the shape.
        total[...] = 0
        for part in slices(width, _DOT_FEATURES):
            total += np.matmul(features[:, part], padded[part], out=product)
        out[rows] = total[:n_rows, :k]

    walk(tile_map, X, width, multiply, step)
    return out.reshape(X.shape[0], *W.shape[1:])


def gram(tile_map: TileMap, X: Any, y: Array | None, width: int) -> tuple[Array, Array | None]:
    """Return ``Phi' Phi`` and ``Phi' y`` in float64; y as `checked_targets` returned it."""
    total = np.zeros((width, width))
    dot = None if y is None else np.zeros((width, *y.shape[1:]))
    buffer = np.empty((min(_GRAM_ROWS, X.shape[0]), width), tile_map.dtype)
    for rows in slices(X.shape[0], _GRAM_ROWS):
        features = buffer[: rows.stop - rows.start]

        def write(part: slice, tile: Array, work: Workspace, features: Array = features) -> None:
            tile_map.write(tile, part.stop - part.start, features[part], work)

        walk(tile_map, X[rows], width, write)
        _add_products(features, total)
        if y is not None and dot is not None:
            for columns in slices(width, _GRAM_BLOCK):
                dot[columns] += features[:, columns].T.astype(np.float64) @ y[rows]
    for rows in slices(width, _GRAM_BLOCK):
        block = total[rows, rows]
        block[...] = np.tril(block) + np.tril(block, -1).T
        total[rows, rows.stop :] = total[rows.stop :, rows].T
    return total, dot


def _add_products(features: Array, total: Array) -> None:
    """Add ``features' features`` to the lower triangle of blocks of `total`."""
    parts = list(slices(features.shape[1], _GRAM_BLOCK))
    pairs = [(left, right) for i, left in enumerate(parts) for right in parts[: i + 1]]

    def work_off(tasks: Iterator[tuple[slice, slice]]) -> None:
        for left, right in tasks:
            total[left, right] += np.matmul(features[:, left].T, features[:, right])

    threads = features.size * features.shape[1] // _PRODUCTS_A_THREAD
    if threads > 1:
        threads = min(threads, len(pairs), thread_count())
    with serial_blas():
        share_out(pairs, work_off, threads)


def _buffer_rows(tile_map: TileMap, width: int) -> int:
    """Return how many rows of features to hold: at most a tile, few enough to stay in cache."""
    if tile_map.padded:
        return tile_map.tile_rows
    fitting = _BUFFER_BYTES // (width * tile_map.dtype.itemsize)
    return min(tile_map.tile_rows, max(_BUFFER_ROWS, fitting - fitting % _BUFFER_ROWS))
