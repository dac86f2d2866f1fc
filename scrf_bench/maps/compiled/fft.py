"""Passes of the fast Fourier transform over SIMD lanes; see `fft_plan` for their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.core import cgutils

from scrf_bench.maps.compiled.butterflies import Complex, forward_butterfly, inverse_butterfly, splat
from scrf_bench.maps.compiled.jit import subroutine
from scrf_bench.maps.compiled.simd import Memory, index, instructions

RADICES = (2, 3, 4, 5, 7, 8)

Butterfly = Callable[[Memory, list[Any], list[Complex]], None]


def _pass(butterfly: Butterfly) -> Any:
    """Make the intrinsic ``run(W, start, stop, radix, q, factors, f)``: one pass on elements ``start <= k < stop``.

    A butterfly joins elements ``j + k q``, k < radix, of each run of ``radix * q``; its factors are at
    ``f + 2 (radix - 1) j``. The loops are written here, not in Python: numba optimises a function again with each
    function that calls it, and these are most of the code.
    """

    def run(typing: Any, W: Any, start: Any, stop: Any, radix: Any, q: Any, factors: Any, f: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            work, table = (Memory.of(context, builder, signature.args[k], args[k]) for k in (0, 5))
            _, start, stop, radix, q, _, f = args
            for r in RADICES:
                with builder.if_then(builder.icmp_signed("==", radix, index(r))):
                    alone = builder.icmp_signed("==", q, index(1))
                    with builder.if_else(alone) as (plain, turned):
                        with plain:
                            _plain(butterfly, work, start, stop, r)
                        with turned:
                            _turned(butterfly, work, start, stop, r, q, table, f)
            return context.get_dummy_value()

        return types.void(W, start, stop, radix, q, factors, f), generate

    return instructions(run)


def _plain(butterfly: Butterfly, work: Memory, start: Any, stop: Any, r: int) -> None:
    with _loop(work.builder, start, stop, index(r)) as (place, _):
        butterfly(work, [work.builder.add(place, index(k)) for k in range(r)], [])


def _turned(butterfly: Butterfly, work: Memory, start: Any, stop: Any, r: int, q: Any, table: Memory, f: Any) -> None:
    builder = work.builder
    with (
        _loop(builder, start, stop, builder.mul(q, index(r))) as (base, _),
        _loop(builder, index(0), q, index(1)) as (j, _),
    ):
        places = [builder.add(builder.add(base, j), builder.mul(q, index(k))) for k in range(r)]
        first = builder.add(f, builder.mul(j, index(2 * (r - 1))))
        butterfly(work, places, [splat(table, builder.add(first, index(2 * k))) for k in range(r - 1)])


def _loop(builder: Any, start: Any, stop: Any, step: Any) -> Any:
    make_loop: Any = cgutils.for_range_slice
    return make_loop(builder, start, stop, step)


_forward_pass = _pass(forward_butterfly)
_inverse_pass = _pass(inverse_butterfly)


@subroutine
def forward_passes(
    W: Any, start: int, stop: int, first: int, last: int, radices: Any, strides: Any, offsets: Any, factors: Any
) -> None:
    """Run the forward passes ``last - 1, ..., first`` on elements ``start <= k < stop``."""
    for i in range(last - 1, first - 1, -1):
        _forward_pass(W, start, stop, radices[i], strides[i], factors, offsets[i])


@subroutine
def inverse_passes(
    W: Any, start: int, stop: int, first: int, last: int, radices: Any, strides: Any, offsets: Any, factors: Any
) -> None:
    """Run the inverse passes ``first, ..., last - 1`` on elements ``start <= k < stop``."""
    for i in range(first, last):
        _inverse_pass(W, start, stop, radices[i], strides[i], factors, offsets[i])
