"""Between the complex transform of half length and the spectrum of a real vector of even length n = 2 m.

A real vector x is read as m complex numbers ``x_2j + i x_2j+1``. Of their transform Z, the spectrum X of x follows by
``2 X_k = E + T``, ``2 X_(m-k) = conj(E - T)`` with ``E = Z_k + conj Z_(m-k)``, ``T = -i exp(-2 pi i k/n) (Z_k - conj
Z_(m-k))``, for k and m - k in pairs; the way back is of the same form. ``X_m`` has a place of its own behind the
other m.
"""

from __future__ import annotations

from typing import Any

from numba import types

from scrf_bench.maps.compiled.butterflies import Complex, load, splat, store
from scrf_bench.maps.compiled.simd import Memory, index, instructions


@instructions
def split_pair(typing: Any, W: Any, a: Any, b: Any, target: Any, roots: Any, p: Any) -> Any:  # noqa: ARG001
    """``split_pair(W, a, b, target, roots, p)``: turn Z into 2 X in place.

    a and b are the places of Z_k and Z_(m-k), a and target of X_k and X_(m-k) (b unless k = 0); ``roots[2p:]`` is
    ``exp(2 pi i k/n)``.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        work, table = (Memory.of(context, builder, signature.args[k], args[k]) for k in (0, 4))
        root = splat(table, builder.shl(args[5], index(1)))
        even, odd = _sum_and_difference(load(work, args[1]), load(work, args[2]))
        turned = odd.times_conjugate(root)
        store(work, args[1], even.minus_i(turned))
        store(work, args[3], _conjugate(even.plus_i(turned)))
        return context.get_dummy_value()

    return types.void(W, a, b, target, roots, p), generate


@instructions
def multiply_pair(typing: Any, X: Any, a: Any, b: Any, roots: Any, p: Any, spectra: Any, c: Any, W: Any) -> Any:  # noqa: ARG001
    """``multiply_pair(X, a, b, roots, p, spectra, c, W)``: multiply X by a spectrum and turn the product into Z, in W.

    a and b are the places of X_k and X_(m-k), ``roots[2p:]`` as in `split_pair`; ``spectra[4c:]`` holds the
    spectrum's values at k and m - k.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source, table, values, work = (Memory.of(context, builder, signature.args[k], args[k]) for k in (0, 3, 5, 7))
        root = splat(table, builder.shl(args[4], index(1)))
        place = builder.shl(args[6], index(2))
        first = load(source, args[1]).times(splat(values, place))
        second = load(source, args[2]).times(splat(values, builder.add(place, index(2))))
        even, odd = _sum_and_difference(first, second)
        turned = odd.times(root)
        store(work, args[1], even.plus_i(turned))
        store(work, args[2], _conjugate(even.minus_i(turned)))
        return context.get_dummy_value()

    return types.void(X, a, b, roots, p, spectra, c, W), generate


@instructions
def multiply_element(typing: Any, X: Any, k: Any, spectra: Any, c: Any, W: Any) -> Any:  # noqa: ARG001
    """``multiply_element(X, k, spectra, c, W)``: element k of W is that of X times the number at ``spectra[2c:]``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source, values, work = (Memory.of(context, builder, signature.args[k], args[k]) for k in (0, 2, 4))
        store(work, args[1], load(source, args[1]).times(splat(values, builder.shl(args[3], index(1)))))
        return context.get_dummy_value()

    return types.void(X, k, spectra, c, W), generate


def _sum_and_difference(z: Complex, mirrored: Complex) -> tuple[Complex, Complex]:
    conjugate = _conjugate(mirrored)
    return z.plus(conjugate), z.minus(conjugate)


def _conjugate(z: Complex) -> Complex:
    return Complex(z.re, -z.im)
