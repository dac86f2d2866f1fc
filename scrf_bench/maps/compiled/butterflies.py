"""Small discrete Fourier transforms of complex vectors, and the butterflies of the fast transform made of them.

Work arrays hold complex element k of all lanes as two vectors, real part at 2k and imaginary part at 2k + 1. Twiddle
factors are numbers, ``exp(+2 pi i j k / size)``, real and imaginary part in turn.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from scrf_bench.maps.compiled.simd import Lanes, Memory, index


class Complex(NamedTuple):
    """Real and imaginary part."""

    re: Lanes
    im: Lanes

    def plus(self, other: Complex) -> Complex:
        """Return the sum."""
        return Complex(self.re + other.re, self.im + other.im)

    def minus(self, other: Complex) -> Complex:
        """Return the difference."""
        return Complex(self.re - other.re, self.im - other.im)

    def times(self, factor: Complex) -> Complex:
        """Return the product."""
        return Complex(
            (self.re * factor.re).plus_product(-1, self.im, factor.im),
            (self.re * factor.im).plus_product(1, self.im, factor.re),
        )

    def times_conjugate(self, factor: Complex) -> Complex:
        """Return the product with the conjugate of `factor`."""
        return Complex(
            (self.re * factor.re).plus_product(1, self.im, factor.im),
            (self.im * factor.re).plus_product(-1, self.re, factor.im),
        )

    def plus_scaled(self, factor: float, other: Complex) -> Complex:
        """Return ``self + factor * other`` for a real number."""
        return Complex(other.re.fma(factor, self.re), other.im.fma(factor, self.im))

    def scaled(self, factor: float) -> Complex:
        """Return the product with a real number."""
        return Complex(self.re * factor, self.im * factor)

    def plus_i(self, other: Complex) -> Complex:
        """Return ``self + i other``."""
        return Complex(self.re - other.im, self.im + other.re)

    def minus_i(self, other: Complex) -> Complex:
        """Return ``self - i other``."""
        return Complex(self.re + other.im, self.im - other.re)

    def swapped(self) -> Complex:
        """Return the number with real and imaginary part swapped."""
        return Complex(self.im, self.re)


def dft(x: list[Complex]) -> list[Complex]:
    """Return ``y_k = sum_j exp(-2 pi i j k / r) x_j`` for r odd, 2, 4 or 8."""
    if len(x) % 2:
        return _odd(x)
    if len(x) == 2:
        return [x[0].plus(x[1]), x[0].minus(x[1])]
    if len(x) == 4:
        return _four(x)
    even, odd = _four(x[0::2]), _four(x[1::2])
    half = math.sqrt(0.5)
    # exp(-i pi/4) z = sqrt(1/2) (z - i z), exp(-3 i pi/4) z = -sqrt(1/2) (z + i z).
    first, third = odd[1].minus_i(odd[1]), odd[3].plus_i(odd[3])
    return [
        even[0].plus(odd[0]),
        even[1].plus_scaled(half, first),
        even[2].minus_i(odd[2]),
        even[3].plus_scaled(-half, third),
        even[0].minus(odd[0]),
        even[1].plus_scaled(-half, first),
        even[2].plus_i(odd[2]),
        even[3].plus_scaled(half, third),
    ]


def inverse_dft(x: list[Complex]) -> list[Complex]:
    """Return ``y_k = sum_j exp(+2 pi i j k / r) x_j``: swapping real and imaginary part turns the exponent's sign."""
    return [y.swapped() for y in dft([z.swapped() for z in x])]


def _four(x: list[Complex]) -> list[Complex]:
    sum02, difference02, sum13, difference13 = x[0].plus(x[2]), x[0].minus(x[2]), x[1].plus(x[3]), x[1].minus(x[3])
    return [
        sum02.plus(sum13),
        difference02.minus_i(difference13),
        sum02.minus(sum13),
        difference02.plus_i(difference13),
    ]


def _odd(x: list[Complex]) -> list[Complex]:
    r = len(x)
    pairs = range(1, (r + 1) // 2)
    sums = [x[j].plus(x[r - j]) for j in pairs]
    differences = [x[j].minus(x[r - j]) for j in pairs]
    y = list(x)
    for total in sums:
        y[0] = y[0].plus(total)
    for k in pairs:
        even, odd = x[0], differences[0].scaled(math.sin(2 * math.pi * k / r))
        for j, total in zip(pairs, sums, strict=True):
            even = even.plus_scaled(math.cos(2 * math.pi * (j * k % r) / r), total)
        for j, difference in list(zip(pairs, differences, strict=True))[1:]:
            odd = odd.plus_scaled(math.sin(2 * math.pi * (j * k % r) / r), difference)
        y[k], y[r - k] = even.minus_i(odd), even.plus_i(odd)
    return y


def load(memory: Memory, place: Any) -> Complex:
    """Load complex element `place` of all lanes."""
    double = memory.builder.shl(place, index(1))
    return Complex(memory.load(double), memory.load(memory.builder.add(double, index(1))))


def store(memory: Memory, place: Any, z: Complex) -> None:
    """Store complex element `place` of all lanes."""
    double = memory.builder.shl(place, index(1))
    memory.store(double, z.re)
    memory.store(memory.builder.add(double, index(1)), z.im)


def splat(memory: Memory, place: Any) -> Complex:
    """Load a complex number, at `place` and the next, into all lanes."""
    return Complex(memory.splat(place), memory.splat(memory.builder.add(place, index(1))))


def forward_butterfly(work: Memory, places: list[Any], factors: list[Complex]) -> None:
    """Write one butterfly of a forward pass (decimation in frequency) in place.

    Without factors (a pass of stride 1), or with the conjugate of factor k multiplying output k + 1.
    """
    y = dft([load(work, place) for place in places])
    for place, z, factor in zip(places, y, [None, *factors] if factors else [None] * len(y), strict=True):
        store(work, place, z if factor is None else z.times_conjugate(factor))


def inverse_butterfly(work: Memory, places: list[Any], factors: list[Complex]) -> None:
    """Write one butterfly of an inverse pass (decimation in time) in place; it undoes the forward one but for r."""
    x = [load(work, place) for place in places]
    if factors:
        x = [x[0], *(z.times(factor) for z, factor in zip(x[1:], factors, strict=True))]
    for place, z in zip(places, inverse_dft(x), strict=True):
        store(work, place, z)
