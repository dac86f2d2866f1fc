"""Passes of a Walsh-Hadamard transform over rows as SIMD lanes, each written as one run of LLVM instructions.

A vector holds one coordinate of 16 (float32) or 8 (float64) rows of X, so that a transform of order n is n vectors
and its butterflies are sums and differences of whole vectors. A pass loads up to 16 vectors, does up to four levels of
butterflies in registers (of which AVX-512 has 32; more would spill) and stores them. Rows never meet: what one of them
holds, inf or nan too, stays in its lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba import types

from scrf_bench.maps.compiled.cosine import emit_cos, emit_sin
from scrf_bench.maps.compiled.simd import Lanes, Memory, instructions, n_lanes, splat_like
from scrf_bench.maps.compiled.transposed import transpose


def emit_butterflies(vectors: Sequence[Lanes]) -> list[Lanes]:
    """Write code for the Hadamard transform of 1, 2, 4, ... vectors."""
    result = list(vectors)
    half = len(result) // 2
    while half:
        for low in range(len(result)):
            if not low & half:
                a, b = result[low], result[low + half]
                result[low], result[low + half] = a + b, a - b
        half //= 2
    return result


def _places(builder: Any, start: Any, step: Any, count: int) -> list[Any]:
    """Return start, start + step, ... as LLVM values."""
    found = [start]
    for _ in range(count - 1):
        found.append(builder.add(found[-1], step))
    return found


def gather_pass(radix: int) -> Any:
    """Return ``f(work, source, target, part, rows, place, diagonals, at, step)``: permute, scale, then transform.

    Vector ``source + rows[place + i step]`` of `work` times ``diagonals[at + i step]`` is entry i of a transform of
    order `radix`, whose result goes to the vectors ``target + i part``.
    """

    @instructions
    def gathered(
        typing: Any,  # noqa: ARG001 - numba's signature
        work: Any,
        source: Any,
        target: Any,
        part: Any,
        rows: Any,
        place: Any,
        diagonals: Any,
        at: Any,
        step: Any,
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            memory = Memory.of(context, builder, signature.args[0], arguments[0])
            diagonal = Memory.of(context, builder, signature.args[6], arguments[6])
            table = context.make_array(signature.args[4])(context, builder, arguments[4]).data
            _, source, target, part, _, place, _, at, step = arguments
            vectors = []
            for row, entry in zip(_places(builder, place, step, radix), _places(builder, at, step, radix), strict=True):
                picked = builder.zext(builder.load(builder.gep(table, [row])), source.type)
                vectors.append(memory.load(builder.add(source, picked)) * diagonal.splat(entry))
            _store(memory, _places(builder, target, part, radix), emit_butterflies(vectors))
            return context.get_dummy_value()

        return types.void(work, source, target, part, rows, place, diagonals, at, step), generate

    return gathered


def plain_pass(radix: int) -> Any:
    """Return ``f(work, start, step)``: transform vectors ``start + i step`` of `work` in place."""

    @instructions
    def plain(typing: Any, work: Any, start: Any, step: Any) -> Any:  # noqa: ARG001 - numba's signature
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            memory = Memory.of(context, builder, signature.args[0], arguments[0])
            spots = _places(builder, arguments[1], arguments[2], radix)
            _store(memory, spots, emit_butterflies([memory.load(spot) for spot in spots]))
            return context.get_dummy_value()

        return types.void(work, start, step), generate

    return plain


def last_pass(kind: str) -> Any:
    """Return the last pass of a map, which turns as many vectors as one has lanes into a tile of features.

    ``f(work, start, factors, step, phases, scale, out, stride, sines)``: vectors ``start + i`` are transformed and
    multiplied by factor ``i step``; that is the projection in turns, which kind "turns" writes as it is. Kind "phase"
    adds phase i and writes ``scale cos``; kind "pair" writes ``scale cos``, and ``scale sin`` to `sines`. Rows of the
    result are `stride` numbers apart. Factors, phases, out and sines are addresses.
    """

    @instructions
    def finished(
        typing: Any,  # noqa: ARG001 - numba's signature
        work: Any,
        start: Any,
        factors: Any,
        step: Any,
        phases: Any,
        scale: Any,
        out: Any,
        stride: Any,
        sines: Any,
    ) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            memory = Memory.of(context, builder, signature.args[0], arguments[0])
            _, start, factors, step, phases, scale, out, stride, sines = arguments
            size, zero, one = n_lanes(memory.itemsize), start.type(0), start.type(1)
            rows = _places(builder, zero, stride, size)
            turns = emit_butterflies([memory.load(place) for place in _places(builder, start, one, size)])
            factor = memory.at(factors)
            turns = [t * factor.splat(k) for t, k in zip(turns, _places(builder, zero, step, size), strict=True)]
            if kind == "turns":
                _store_tile(memory.at(out), rows, turns)
                return context.get_dummy_value()
            if kind == "phase":
                phase = memory.at(phases)
                turns = [t + phase.splat(k) for t, k in zip(turns, _places(builder, zero, one, size), strict=True)]
            scale = splat_like(Lanes(builder, scale), turns[0])
            _store_tile(memory.at(out), rows, [emit_cos(t, memory.itemsize) * scale for t in turns])
            if kind == "pair":
                _store_tile(memory.at(sines), rows, [emit_sin(t, memory.itemsize) * scale for t in turns])
            return context.get_dummy_value()

        return types.void(work, start, factors, step, phases, scale, out, stride, sines), generate

    return finished


def _store(memory: Memory, spots: Sequence[Any], vectors: Sequence[Lanes]) -> None:
    for spot, vector in zip(spots, vectors, strict=True):
        memory.store(spot, vector)


def _store_tile(target: Memory, spots: Sequence[Any], columns: list[Lanes]) -> None:
    for spot, row in zip(spots, transpose(columns, target.itemsize), strict=True):
        target.store_unaligned(spot, row)
