"""Tiles between memory in rows and SIMD lanes: lane s belongs to row s, a vector holds one column.

A tile has as many rows and columns as a vector has lanes, and is transposed in registers, so that memory is read and
written in whole cache lines. Between the two the last step of a map happens: factor, phase, cosine or sine, scale.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import types

from scrf_bench.maps.compiled.cosine import emit_cos, emit_sin
from scrf_bench.maps.compiled.jit import inline, subroutine
from scrf_bench.maps.compiled.simd import Lanes, Memory, index, instructions, n_lanes, shuffle, splat_like

# What becomes of a projection.
TURNS, PHASE, PAIR = 0, 1, 2

# A vector has four parts of 16 bytes; CPUs shuffle within parts, or parts as wholes, faster than across.
_PART_BYTES = 16


def transpose(rows: list[Lanes], itemsize: int) -> list[Lanes]:
    """Transpose a square tile, first within the vectors' parts, then the parts."""
    size = _PART_BYTES // itemsize
    groups = [_within_parts(rows[k : k + size], len(rows)) for k in range(0, len(rows), size)]
    columns: list[Any] = [None] * len(rows)
    for c in range(size):
        first, second, third, fourth = (group[c] for group in groups)
        for side, picks in enumerate(((0, 2, 4, 6), (1, 3, 5, 7))):
            top, bottom = _parts(first, second, picks, size), _parts(third, fourth, picks, size)
            columns[side * size + c] = _parts(top, bottom, (0, 2, 4, 6), size)
            columns[(side + 2) * size + c] = _parts(top, bottom, (1, 3, 5, 7), size)
    return columns


def _within_parts(rows: Sequence[Lanes], n: int) -> list[Lanes]:
    """Return as many vectors as a part has entries; part l of vector c holds column ``l size + c`` of `rows`."""
    size = len(rows)
    if size == 2:
        return [_interleave(rows[0], rows[1], first, 1, size, n) for first in (0, 1)]
    low = [_interleave(rows[i], rows[i + 1], 0, 1, size, n) for i in (0, 2)]
    high = [_interleave(rows[i], rows[i + 1], 2, 1, size, n) for i in (0, 2)]
    return [_interleave(a, b, first, 2, size, n) for a, b in (low, high) for first in (0, 2)]


def _interleave(a: Lanes, b: Lanes, first: int, width: int, size: int, n: int) -> Lanes:
    """Take from each part half its entries, from `first` on, `width` of a and of b in turn."""
    picks = [
        side + part + first + block + i
        for part in range(0, n, size)
        for block in range(0, size // 2, width)
        for side in (0, n)
        for i in range(width)
    ]
    return shuffle(a, b, picks)


def _parts(a: Lanes, b: Lanes, parts: Sequence[int], size: int) -> Lanes:
    """Return the given parts (0 to 3 are those of a, 4 to 7 those of b)."""
    return shuffle(a, b, [part * size + i for part in parts for i in range(size)])


@instructions
def load_tile(typing: Any, X: Any, stride: Any, signs: Any, s: Any, W: Any, w: Any, step: Any) -> Any:  # noqa: ARG001
    """``load_tile(X, stride, signs, s, W, w, step)``: vector ``w + j step`` of W is column j times ``signs[s + j]``.

    X is the address of the tile, whose rows are `stride` numbers apart. Adding 0 turns -0 into +0.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        factors, work = (Memory.of(context, builder, signature.args[k], args[k]) for k in (2, 4))
        source = work.at(args[0])
        rows = [source.load_unaligned(place) for place in _steps(builder, args[1], n_lanes(work.itemsize))]
        for j, column in enumerate(transpose(rows, work.itemsize)):
            sign = factors.splat(builder.add(args[3], index(j)))
            work.store(builder.add(args[5], builder.mul(args[6], index(j))), (column + 0.0) * sign)
        return context.get_dummy_value()

    return types.void(X, stride, signs, s, W, w, step), generate


def _store_tile(last_step: Callable[[Lanes, Lanes, Lanes, int], Lanes]) -> Any:
    """Make the intrinsic ``store(W, w, step, factors, phases, f, scale, out, stride)``.

    Column j, vector ``w + j step`` of W, goes through ``last_step(column, factors[f + j], phases[f + j], itemsize)``
    and is multiplied by the scale; the rows of the result start `stride` numbers apart from address `out` on.
    """

    def store(
        typing: Any,  # noqa: ARG001
        W: Any,
        w: Any,
        step: Any,
        factors: Any,
        phases: Any,
        f: Any,
        scale: Any,
        out: Any,
        stride: Any,
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            work, factor, phase = (Memory.of(context, builder, signature.args[k], args[k]) for k in (0, 3, 4))
            columns = []
            for j in range(n_lanes(work.itemsize)):
                column = work.load(builder.add(args[1], builder.mul(args[2], index(j))))
                place = builder.add(args[5], index(j))
                feature = last_step(column, factor.splat(place), phase.splat(place), work.itemsize)
                columns.append(feature * splat_like(Lanes(builder, args[6]), feature))
            target = work.at(args[7])
            for place, row in zip(
                _steps(builder, args[8], len(columns)), transpose(columns, work.itemsize), strict=True
            ):
                target.store_unaligned(place, row)
            return context.get_dummy_value()

        return types.void(W, w, step, factors, phases, f, scale, out, stride), generate

    return instructions(store)


store_turns = _store_tile(lambda column, factor, phase, itemsize: column * factor)  # noqa: ARG005
store_cos = _store_tile(lambda column, factor, phase, itemsize: emit_cos(column.fma(factor, phase), itemsize))
store_sin = _store_tile(lambda column, factor, phase, itemsize: emit_sin(column.fma(factor, phase), itemsize))


@instructions
def copy_number(typing: Any, like: Any, source: Any, s: Any, target: Any, t: Any) -> Any:  # noqa: ARG001
    """``copy_number(like, source, s, target, t)``: number t from address `target` is number s from `source`.

    Both are numbers of the dtype of the array `like`.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        memory = Memory.of(context, builder, signature.args[0], args[0])
        memory.at(args[3]).put(args[4], memory.at(args[1]).number_at(args[2]))
        return context.get_dummy_value()

    return types.void(like, source, s, target, t), generate


@inline
def address(array: Any) -> int:
    """Return where an array begins, as a signed number: sums of signed and unsigned numbers are floats in kernels."""
    return np.intp(array.ctypes.data)  # type: ignore[return-value]


@subroutine
def copy_tile(like: Any, source: int, source_stride: int, target: int, stride: int, rows: int, columns: int) -> None:
    """Copy a ragged tile, number by number, between two addresses; strides count numbers of the dtype of `like`."""
    for i in range(rows):
        for k in range(columns):
            copy_number(like, source, i * source_stride + k, target, i * stride + k)


@instructions
def zero_vector(typing: Any, W: Any, w: Any) -> Any:  # noqa: ARG001
    """``zero_vector(W, w)``: vector w of W becomes zero."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        work = Memory.of(context, builder, signature.args[0], args[0])
        work.store(args[1], work.zero())
        return context.get_dummy_value()

    return types.void(W, w), generate


def _steps(builder: Any, step: Any, count: int) -> list[Any]:
    return [builder.mul(step, index(k)) for k in range(count)]
