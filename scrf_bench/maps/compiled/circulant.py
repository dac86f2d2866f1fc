"""Features of stacked circulant blocks, fused: transform, spectrum, inverse, factor, phase, cosine, store.

A group of rows (16 of float32, 8 of float64) rides in the lanes of SIMD vectors. Its forward transforms are computed
once; then each block takes its inverse and, while the result lies in cache, its cosines straight into the output.
Nothing else of the size of the output is ever written.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scrf_bench.maps.compiled.circulant_layout import lay_out
from scrf_bench.maps.compiled.fft import forward_passes, inverse_passes
from scrf_bench.maps.compiled.jit import kernel, subroutine
from scrf_bench.maps.compiled.real_fft import multiply_element, multiply_pair, split_pair
from scrf_bench.maps.compiled.simd import aligned, n_lanes
from scrf_bench.maps.compiled.transposed import (
    PAIR,
    PHASE,
    address,
    copy_tile,
    load_tile,
    store_cos,
    store_sin,
    store_turns,
    zero_vector,
)


@subroutine
def _load_rows(X: int, rows: int, d: int, signs: Any, sign: int, W: Any, step: int, n: int, tile: Any) -> None:
    """Put column j of the rows at address X, times ``signs[sign + j]``, into vector ``j step`` of W.

    The other vectors up to ``n step`` become zero.
    """
    lanes = 64 // W.itemsize
    for v in range(0 if step > 1 else d - d % lanes, n * step):
        zero_vector(W, v)
    whole = d - d % lanes if rows == lanes else 0
    for j in range(0, whole, lanes):
        load_tile(X + j * W.itemsize, d, signs, sign + j, W, j * step, step)
    for j in range(whole, d, lanes):
        for v in range(lanes):
            zero_vector(tile, v)
        copy_tile(W, X + j * W.itemsize, d, address(tile), lanes, rows, min(lanes, d - j))
        load_tile(address(tile), lanes, signs, sign + j, W, j * step, step)


@subroutine
def _store_tile(kind: int, W: Any, w: int, step: int, column: int, last: Any, out: int, stride: int) -> None:
    """Write one tile of turns, cosines or sines (kind 0, 1, 2) whose first column is `column` of the map."""
    factors, phases, scale = last
    if kind == 0:
        store_turns(W, w, step, factors, phases, column, scale, out, stride)
    elif kind == 1:
        store_cos(W, w, step, factors, phases, column, scale, out, stride)
    else:
        store_sin(W, w, step, factors, phases, column, scale, out, stride)


@subroutine
def _store_columns(
    W: Any, w: int, step: int, n: int, column: int, last: Any, kind: int, out: int, stride: int, rows: int, tile: Any
) -> None:
    """Write the n columns of a block whose first is column `column` of the map; it goes to address `out`.

    Column j lies in vector ``w + j step`` of W.
    """
    lanes = 64 // W.itemsize
    if rows == lanes and n >= lanes:
        # Where there are many tiles, those behind the first begin at whole cache lines; the last may overlap the one
        # before. Tiles that overlap write the same values.
        apart = out % 64 // W.itemsize if stride % lanes == 0 and n >= 8 * lanes else 0
        j, following = 0, lanes - apart
        while True:
            _store_tile(kind, W, w + j * step, step, column + j, last, out + j * W.itemsize, stride)
            if j + lanes >= n:
                return
            j = min(following, n - lanes)
            following += lanes
    for j in range(0, n, lanes):
        _store_tile(kind, W, w + j * step, step, column + j, last, address(tile), lanes)
        copy_tile(W, address(tile), lanes, out + j * W.itemsize, stride, rows, min(lanes, n - j))


@subroutine
def _forward(S: Any, plan: Any, mirror: Any) -> None:
    """Turn rows into their spectra, in place: twice the spectrum for an even order."""
    radices, strides, offsets, factors, sizes = plan
    pairs, roots, units = mirror
    m, chunk, chunk_passes = sizes
    forward_passes(S, 0, m, chunk_passes, len(radices), radices, strides, offsets, factors)
    for u in range(len(units)):
        for side in range(2 if units[u, 1] != units[u, 0] else 1):
            start = units[u, side]
            forward_passes(S, start, start + chunk, 0, chunk_passes, radices, strides, offsets, factors)
        for p in range(units[u, 2], units[u, 3]):
            split_pair(S, pairs[p, 0], pairs[p, 1], pairs[p, 2], roots, p)


@subroutine
def _inverse(S: Any, W: Any, spectra: Any, i: int, plan: Any, mirror: Any) -> None:
    """Multiply by spectrum i and transform back."""
    radices, strides, offsets, factors, sizes = plan
    pairs, roots, units = mirror
    m, chunk, chunk_passes = sizes
    for u in range(len(units)):
        for p in range(units[u, 2], units[u, 3]):
            multiply_pair(S, pairs[p, 0], pairs[p, 2], roots, p, spectra, i * len(pairs) + p, W)
        for side in range(2 if units[u, 1] != units[u, 0] else 1):
            start = units[u, side]
            if len(pairs) == 0:
                for k in range(start, start + chunk):
                    multiply_element(S, k, spectra, i * m + k, W)
            inverse_passes(W, start, start + chunk, 0, chunk_passes, radices, strides, offsets, factors)
    inverse_passes(W, 0, m, chunk_passes, len(radices), radices, strides, offsets, factors)


@kernel
def circulant_features(
    X: int,
    shape: Any,
    signs: Any,
    blocks: Any,
    plan: Any,
    mirror: Any,
    spectra: Any,
    last: Any,
    kind: int,
    out: Any,
    work: Any,
) -> None:
    """Write features (or projections) of rows by circulant blocks.

    Parameters
    ----------
    X : int
        Address of the rows, C-contiguous, of work's dtype. (Addresses, because numba compiles anew for a read-only
        array or another memory order.)
    shape : (int, int, int)
        Numbers of rows, of features, and of columns that a block gives (its order, or less).
    signs : ndarray, flat
        Factors of the input for each group of blocks, padded with zeros to a multiple of the lanes.
    blocks : (int, int, int, int)
        The first block, the one behind the last, blocks a group, columns of all blocks up to the last.
    plan, mirror, spectra
        See `circulant_layout`.
    last : (ndarray, ndarray, scalar)
        Factors of the columns, their phases in turns, both padded by a vector of zeros, and the features' scale.
    kind : int
        TURNS, PHASE or PAIR.
    out : (int, int, int)
        Address of the first block's first column, numbers from row to row, and from a cosine to its sine.
    work : (ndarray, ndarray, ndarray)
        Scratch of whole, aligned vectors: spectra, product, one tile.
    """
    n_rows, d, a_block = shape
    first_block, last_block, a_group, n_columns = blocks
    S, W, tile = work
    lanes = 64 // W.itemsize
    padded = -(-d // lanes) * lanes
    # Blocks of an odd order take their inverse two by two, in the real and the imaginary part.
    a_transform = 2 if len(mirror[0]) == 0 else 1
    order = plan[4][0] * (3 - a_transform)
    for first in range(0, n_rows, lanes):
        rows = min(lanes, n_rows - first)
        block = first_block
        while block < last_block:
            group = block // a_group
            stop = min(last_block, (group + 1) * a_group)
            _load_rows(X + first * d * W.itemsize, rows, d, signs, group * padded, S, a_transform, order, tile)
            _forward(S, plan, mirror)
            while block < stop:
                i, part = divmod(block - group * a_group, a_transform)
                # A group's last transform may overwrite the spectrum: less memory in use, and one block needs no more.
                target = S if block + a_transform >= stop else W
                _inverse(S, target, spectra, group * (-(-a_group // a_transform)) + i, plan, mirror)
                while part < a_transform and block < stop:
                    width = min(a_block, n_columns - block * a_block)
                    column = (block - first_block) * a_block
                    for side in range(2 if kind == PAIR else 1):
                        place = out[0] + (first * out[1] + column + side * out[2]) * W.itemsize
                        step = min(kind, 1) + side
                        _store_columns(
                            target, part, a_transform, width, block * a_block, last, step, place, out[1], rows, tile
                        )
                    part += 1
                    block += 1


def warm(dtype: np.dtype[Any]) -> None:
    """Compile the kernel for `dtype` (for `jit.compile_all`): one row, one block of order 2."""
    lanes = n_lanes(dtype.itemsize)
    layout = lay_out(np.ones((1, 2), np.complex128), 2, 1, dtype)
    row, out, padded = np.ones((1, 2), dtype), np.empty((1, 2), dtype), np.zeros(2 + lanes, dtype)
    circulant_features(
        row.ctypes.data,
        (1, 2, 2),
        np.zeros(lanes, dtype),
        (0, 1, 1, 2),
        layout.plan,
        layout.mirror,
        layout.spectra,
        (padded, padded, dtype.type(1)),
        PHASE,
        (out.ctypes.data, 2, 0),
        (aligned((4 + lanes) * lanes, dtype), aligned((4 + lanes) * lanes, dtype), aligned(lanes**2, dtype)),
    )
