"""Cosine and sine of angles counted in turns, ``cos(2 pi t)`` and ``sin(2 pi t)``, and the features made of them.

With ``r = t - rint(t)``, which is exact, the whole range reduction is done. Both functions then take the sine of an
angle a of at most a quarter turn by an odd polynomial: ``cos(2 pi r) = sin(2 pi (1/4 - |r|))`` and
``sin(2 pi r) = sin(2 pi a)``, ``a = sign(r) min(|r|, 1/2 - |r|)``. The error for the given t, however large, is below
2e-7 (float32) and 5e-16 (float64). inf and nan give nan.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from scrf_bench.maps.compiled.jit import kernel
from scrf_bench.maps.compiled.simd import Lanes, Memory, instructions, is_number, splat_like

# sin(2 pi a) = a P(a^2) for |a| <= 1/4, lowest power first, by itemsize: the Chebyshev series of the sine cut off at
# a^9 (error 4e-9) and a^15 (1e-16).
_SINE = {
    4: (6.283185159611165, -41.34165492934341, 81.6009981926075, -76.54965682048899, 39.53581371042206),
    8: (
        6.28318530717958,
        -41.34170224039508,
        81.60524927502529,
        -76.70585964739314,
        42.05868830240238,
        -15.094471554054136,
        3.8169967608105932,
        -0.6909330342703184,
    ),
}


def emit_cos(turns: Lanes, itemsize: int) -> Lanes:
    """Write code for ``cos(2 pi turns)``."""
    r = turns - turns.rint()
    return _emit_sine(turns.constant(0.25) - abs(r), itemsize)


def emit_sin(turns: Lanes, itemsize: int) -> Lanes:
    """Write code for ``sin(2 pi turns)``."""
    r = turns - turns.rint()
    size = abs(r)
    return _emit_sine(size.smaller(turns.constant(0.5) - size).copysign(r), itemsize)


def _emit_sine(a: Lanes, itemsize: int) -> Lanes:
    *rest, value = (a.constant(coefficient) for coefficient in _SINE[itemsize])
    square = a * a
    for coefficient in reversed(rest):
        value = value.fma(square, coefficient)
    return value * a


@instructions
def cos_turns(typing: Any, t: Any) -> Any:  # noqa: ARG001 - numba's signature
    """Return ``cos(2 pi t)``, float32 or float64; for kernels."""
    if not is_number(t):
        return None
    return t(t), lambda context, builder, signature, args: emit_cos(Lanes(builder, args[0]), t.bitwidth // 8).value  # noqa: ARG005


@instructions
def sin_turns(typing: Any, t: Any) -> Any:  # noqa: ARG001 - numba's signature
    """Return ``sin(2 pi t)``, float32 or float64; for kernels."""
    if not is_number(t):
        return None
    return t(t), lambda context, builder, signature, args: emit_sin(Lanes(builder, args[0]), t.bitwidth // 8).value  # noqa: ARG005


@instructions
def _phase_lanes(typing: Any, Z: Any, z: Any, phase: Any, p: Any, scale: Any, out: Any, o: Any) -> Any:  # noqa: ARG001
    """``out[o:] = scale cos(2 pi (Z[z:] + phase[p:]))`` for one vector; z, p, o count numbers in memory."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source, phases, target = (Memory.of(context, builder, signature.args[k], args[k]) for k in (0, 2, 5))
        turns = source.load_unaligned(args[1]) + phases.load_unaligned(args[3])
        features = emit_cos(turns, source.itemsize)
        target.store_unaligned(args[6], features * splat_like(Lanes(builder, args[4]), features))
        return context.get_dummy_value()

    return types.void(Z, z, phase, p, scale, out, o), generate


@instructions
def _pair_lanes(typing: Any, Z: Any, z: Any, scale: Any, out_cos: Any, c: Any, out_sin: Any, s: Any) -> Any:  # noqa: ARG001
    """``out_cos[c:], out_sin[s:] = scale cos, sin(2 pi Z[z:])`` for one vector; z, c, s count numbers in memory."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source, cosines, sines = (Memory.of(context, builder, signature.args[k], args[k]) for k in (0, 3, 5))
        turns = source.load_unaligned(args[1])
        factor = splat_like(Lanes(builder, args[2]), turns)
        cosines.store_unaligned(args[4], emit_cos(turns, source.itemsize) * factor)
        sines.store_unaligned(args[6], emit_sin(turns, source.itemsize) * factor)
        return context.get_dummy_value()

    return types.void(Z, z, scale, out_cos, c, out_sin, s), generate


@kernel
def write_phase(Z: Any, phase: Any, scale: Any, out: Any) -> None:
    """Write ``out = scale cos(2 pi (Z + phase))``.

    Parameters
    ----------
    Z : C-contiguous ndarray of shape (at least n_rows, width)
        Projections in turns, float32 or float64; rows beyond those of `out` are ignored.
    phase : C-contiguous ndarray of shape (width,)
        Phases in turns.
    scale : scalar of Z's dtype
    out : ndarray of shape (n_rows, width)
        Rows contiguous (``out.strides[1] == out.itemsize``, unchecked), any distance apart.
    """
    lanes = 64 // Z.itemsize
    rows, width = out.shape
    step = out.strides[0] // out.itemsize
    whole = width - width % lanes
    for i in range(rows):
        for j in range(0, whole, lanes):
            _phase_lanes(Z, i * width + j, phase, j, scale, out, i * step + j)
        for j in range(whole, width):
            out[i, j] = scale * cos_turns(Z[i, j] + phase[j])


@kernel
def write_pair(Z: Any, scale: Any, out_cos: Any, out_sin: Any) -> None:
    """Write ``out_cos = scale cos(2 pi Z)`` and ``out_sin = scale sin(2 pi Z)``.

    Parameters
    ----------
    Z : C-contiguous ndarray of shape (at least n_rows, width)
        Projections in turns, float32 or float64; rows beyond those of `out_cos` are ignored.
    scale : scalar of Z's dtype
    out_cos, out_sin : ndarray of shape (n_rows, width)
        Rows contiguous (unchecked), any distance apart.
    """
    lanes = 64 // Z.itemsize
    rows, width = out_cos.shape
    cos_step, sin_step = out_cos.strides[0] // Z.itemsize, out_sin.strides[0] // Z.itemsize
    whole = width - width % lanes
    for i in range(rows):
        for j in range(0, whole, lanes):
            _pair_lanes(Z, i * width + j, scale, out_cos, i * cos_step + j, out_sin, i * sin_step + j)
        for j in range(whole, width):
            out_cos[i, j] = scale * cos_turns(Z[i, j])
            out_sin[i, j] = scale * sin_turns(Z[i, j])


def warm(dtype: np.dtype[Any]) -> None:
    """Compile both kernels for `dtype` (for `jit.compile_all`)."""
    # Columns of a wider array, as the maps pass them, are another type than a whole array.
    Z, out = np.zeros((2, 1), dtype), np.zeros((2, 2), dtype)
    write_phase(Z, Z[0], dtype.type(1), out[:, :1])
    write_pair(Z, dtype.type(1), out[:, :1], out[:, 1:])
