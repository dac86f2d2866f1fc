"""The fused chain of diagonals and Walsh-Hadamard transforms: from rows of X to features, in one go.

    t = R H D_s Pi_s .. H D_2 Pi_2 H D_1 x        (the projection in turns; H unnormalised, of order n)

with the same permutation Pi or none at all: Fastfood's ``S H G Pi H B`` and SORF's ``H D_1 H D_2 H D_3`` are both of
this form. 16 (float32) or 8 (float64) rows are taken at a time, one per SIMD lane, so that a row's result depends on
nothing but that row. Of the transform's log2(n) levels a pass does up to four. The first one reads through permutation
and diagonal; what follows happens within a sixteenth of the block, in the first-level cache; the last one ends in the
cosine and in whole lines of the result. No other intermediate is written.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from scrf_bench.maps.compiled.hadamard_passes import gather_pass, last_pass, plain_pass
from scrf_bench.maps.compiled.jit import inline, kernel, subroutine
from scrf_bench.maps.compiled.simd import aligned, n_lanes
from scrf_bench.maps.compiled.transposed import PAIR, PHASE, address, copy_number, copy_tile, load_tile

_gather2, _gather4, _gather8, _gather16 = (gather_pass(radix) for radix in (2, 4, 8, 16))
_plain2, _plain4, _plain8, _plain16 = (plain_pass(radix) for radix in (2, 4, 8, 16))
_turns, _phase, _pair = (last_pass(kind) for kind in ("turns", "phase", "pair"))


def part_size(order: int, itemsize: int) -> int:
    """Return what size of a transform is left to do after the first pass: a sixteenth, if that is a whole tile."""
    return order // min(16, order // n_lanes(itemsize))


def vector_places(order: int, itemsize: int) -> npt.NDArray[np.int64]:
    """Return in which vector of its transform each of the numbers 0 .. order - 1 lies.

    The part of a transform that is left to do after the first pass is followed by an empty vector. Without it the 16
    vectors of that pass would often be a multiple of 4 KiB apart, and a first-level cache has no 16 places for such.
    """
    number = np.arange(order)
    return number + number // part_size(order, itemsize)


def work_size(order: int, itemsize: int) -> int:
    """Return how many numbers of scratch the kernel needs: input, two transforms, and ragged tiles."""
    lanes = n_lanes(itemsize)
    return (3 * (order + order // part_size(order, itemsize)) + 2 * lanes + 3) * lanes


@inline
def _first_pass(
    work: Any, source: int, target: int, n: int, step: int, rows: Any, place: int, diagonals: Any, at: int
) -> None:
    """Do the first levels of a transform of vectors `source`.. into `target`.., up to parts of size `step`."""
    radix, part = n // step, step + 1
    if radix == 16:
        for i in range(step):
            _gather16(work, source, target + i, part, rows, place + i, diagonals, at + i, step)
    elif radix == 8:
        for i in range(step):
            _gather8(work, source, target + i, part, rows, place + i, diagonals, at + i, step)
    elif radix == 4:
        for i in range(step):
            _gather4(work, source, target + i, part, rows, place + i, diagonals, at + i, step)
    else:
        for i in range(step):
            _gather2(work, source, target + i, part, rows, place + i, diagonals, at + i, step)


@inline
def _middle_passes(work: Any, start: int, size: int) -> None:
    """Transform `size` vectors but for the levels among L neighbours, which the last pass does."""
    lanes = 64 // work.itemsize
    width = size
    while width > lanes:
        # The odd levels first: the other way round, the 16 vectors of a pass would lie further apart.
        radix = width // lanes
        while radix > 16:
            radix //= 16
        step = width // radix
        for group in range(start, start + size, width):
            if radix == 16:
                for i in range(group, group + step):
                    _plain16(work, i, step)
            elif radix == 8:
                for i in range(group, group + step):
                    _plain8(work, i, step)
            elif radix == 4:
                for i in range(group, group + step):
                    _plain4(work, i, step)
            else:
                for i in range(group, group + step):
                    _plain2(work, i, step)
        width = step


@inline
def _neighbours(work: Any, start: int, size: int) -> None:
    """Do the last levels of a transform that another one follows."""
    if work.itemsize == 4:
        for i in range(start, start + size, 16):
            _plain16(work, i, 1)
    else:
        for i in range(start, start + size, 8):
            _plain8(work, i, 1)


@subroutine
def _load_rows(X: int, rows: int, width: int, work: Any, n: int, part: int, tile: Any) -> None:
    """Put the columns of the rows at address X into their vectors of `work`, zeros behind them."""
    lanes = 64 // work.itemsize
    ones = len(tile) - lanes
    tile[ones:] = 1
    whole = width - width % lanes if rows == lanes else 0
    for j in range(0, whole, lanes):
        load_tile(X + j * work.itemsize, width, tile, ones, work, j + j // part, 1)
    for j in range(whole, width, lanes):
        tile[:ones] = 0
        copy_tile(work, X + j * work.itemsize, width, address(tile), lanes, rows, min(lanes, width - j))
        load_tile(address(tile), lanes, tile, ones, work, j + j // part, 1)
    behind = -(-width // lanes) * lanes
    work[(behind + behind // part) * lanes : (n + n // part) * lanes] = 0


@inline
def _last_pass(
    kind: int,
    work: Any,
    start: int,
    factors: int,
    step: int,
    phases: int,
    scale: Any,
    out: int,
    stride: int,
    sines: int,
) -> None:
    if kind == PHASE:
        _phase(work, start, factors, step, phases, scale, out, stride, sines)
    elif kind == PAIR:
        _pair(work, start, factors, step, phases, scale, out, stride, sines)
    else:
        _turns(work, start, factors, step, phases, scale, out, stride, sines)


@subroutine
def _ragged_last_pass(
    last: Any, work: Any, start: int, frequency: int, out: int, stride: int, rows: int, columns: int, tile: Any
) -> None:
    """Do the last pass of a tile of which the result takes only some rows and columns."""
    kind, factors, step, phases, scale, sines = last
    lanes, size = 64 // work.itemsize, work.itemsize
    cosine = address(tile)
    sine = cosine + lanes * lanes * size
    # What lies behind the last frequency must not be read.
    factor, phase = sine + lanes * lanes * size, sine + (lanes + 1) * lanes * size
    for j in range(columns):
        copy_number(work, address(factors), (frequency + j) * step, factor, j)
        if kind == PHASE:
            copy_number(work, address(phases), frequency + j, phase, j)
    _last_pass(kind, work, start, factor, 1, phase, scale, cosine, lanes, sine)
    copy_tile(work, cosine, lanes, out, stride, rows, columns)
    if kind == PAIR:
        copy_tile(work, sine, lanes, out + sines * size, stride, rows, columns)


@subroutine
def _last_passes(
    last: Any,
    work: Any,
    target: int,
    part: int,
    frequency: int,
    columns: int,
    out: int,
    stride: int,
    rows: int,
    tile: Any,
) -> None:
    """Finish a block's last transform part by part, and write the features of its first frequencies."""
    kind, factors, step, phases, scale, sines = last
    lanes, size = 64 // work.itemsize, work.itemsize
    for first in range(0, columns, part):
        start = target + first // part
        _middle_passes(work, start + first, part)
        for j in range(first, min(first + part, columns), lanes):
            place = out + j * size
            if rows < lanes or j + lanes > columns:
                n = min(lanes, columns - j)
                _ragged_last_pass(last, work, start + j, frequency + j, place, stride, rows, n, tile)
                continue
            factor = address(factors) + (frequency + j) * step * size
            phase = address(phases) + (frequency + j) * size
            _last_pass(kind, work, start + j, factor, step, phase, scale, place, stride, place + sines * size)


@kernel
def hadamard_features(
    X: int, n_rows: int, width: int, chain: Any, last: Any, start: int, stop: int, out: int, stride: int, work: Any
) -> None:
    """Write features (or projections) of rows for the frequencies ``start <= f < stop``.

    Parameters
    ----------
    X : int
        Address of the rows, float32 or float64, one behind the other; -0 is taken for +0.
    n_rows, width : int
        Shape of X, ``width <= n``; what lacks to n is zero.
    chain : (order, part, n_stages, diagonals, rows)
        The order n, a power of two and at least ``2 n_lanes``, and its `part_size`. The diagonals ``D_1, D_2, ..``
        of each block in turn, ``(t * n_stages * n,)``. The places p of numbers (`vector_places`), followed by
        ``p[permutation]`` of each block if there are permutations, ``(Pi u)_k = u[permutation[k]]``: (n,) or
        ``((1 + t) * n,)``, uint32.
    last : (kind, factors, step, phases, scale, sines)
        `kind` is TURNS, PHASE or PAIR. ``factors[f * step]`` is entry f of the diagonal R: step 0 is for one factor
        for all. Phases in turns, (F,), are used for PHASE, the scale of the features for PHASE and PAIR; the sine of
        a column lies `sines` columns on.
    start, stop : int
        Frequencies; `start` is a multiple of n.
    out : int
        Address of the result, whose column 0 is frequency `start`.
    stride : int
        Numbers from one row of the result to the next.
    work : ndarray of `work_size` numbers
        Scratch that begins at a multiple of 64 bytes. Its dtype is that of all the numbers here.
    """
    n, part, n_stages, diagonals, rows = chain
    lanes, size = 64 // work.itemsize, work.itemsize
    padded = n + n // part
    tile = work[3 * padded * lanes :]
    for first in range(0, n_rows, lanes):
        here = min(lanes, n_rows - first)
        _load_rows(X + first * width * size, here, width, work, n, part, tile)
        last_block = (stop - 1) // n
        for block in range(start // n, last_block + 1):
            # The last block may overwrite the input: less memory in use, and a single block needs no more.
            places = 3 * padded if block < last_block else padded
            at, source, target = block * n_stages * n, 0, padded
            permutation = (1 + block) * n if len(rows) > n else 0
            _first_pass(work, source, target, n, part, rows, 0, diagonals, at)
            for stage in range(1, n_stages):
                for left in range(target, target + padded, part + 1):
                    _middle_passes(work, left, part)
                    _neighbours(work, left, part)
                source, target = target, places - target
                _first_pass(work, source, target, n, part, rows, permutation, diagonals, at + stage * n)
            place = out + (first * stride + block * n - start) * size
            _last_passes(last, work, target, part, block * n, min(n, stop - block * n), place, stride, here, tile)


def warm(dtype: np.dtype[Any]) -> None:
    """Compile the kernel for `dtype` (for `jit.compile_all`)."""
    n = 2 * n_lanes(dtype.itemsize)
    X, out = np.zeros(n, dtype), np.zeros(n, dtype)
    chain = (n, part_size(n, dtype.itemsize), 1, X, vector_places(n, dtype.itemsize).astype(np.uint32))
    last = (PHASE, X, 1, X, dtype.type(1), 0)
    work = aligned(work_size(n, dtype.itemsize), dtype)
    hadamard_features(X.ctypes.data, 1, n, chain, last, 0, n, out.ctypes.data, n, work)
