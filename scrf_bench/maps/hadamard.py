"""Walsh-Hadamard transforms as a few matrix products.

The Sylvester matrix of order ``2^p`` is a Kronecker product of smaller ones, ``H = H_a (x) H_b (x) ...``.
Applying each factor along its own axis takes two to four BLAS products in place of p passes of butterflies
over memory; measured with factors of order 8 and 16 it is as fast as a real FFT of the same length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import hadamard

from scrf_bench.maps.tiles import Array

# Measured: below order 16 BLAS writes a transposed result six times slower than above it.
_LAST_EXPONENT = 4


def factor_exponents(exponent: int) -> list[int]:
    """Split the order ``2^exponent`` into factors: one of order 16 last, before it factors of order 2 to 8.

    >>> [factor_exponents(p) for p in (0, 3, 5, 8, 10, 14)]
    [[0], [3], [1, 4], [2, 2, 4], [3, 3, 4], [2, 2, 3, 3, 4]]
    """
    rest = exponent - _LAST_EXPONENT
    if rest <= 0:
        return [exponent]
    n_factors = -(-rest // 3)
    small, larger = divmod(rest, n_factors)
    return [small] * (n_factors - larger) + [small + 1] * larger + [_LAST_EXPONENT]


class HadamardTransform:
    """The unnormalised transform ``H x``, entries +-1, of vectors laid out along an axis of length ``order``.

    Parameters
    ----------
    order : int
        A power of two.
    dtype : numpy.dtype
        float32 or float64.
    """

    def __init__(self, order: int, dtype: np.dtype[Any]) -> None:
        self.order = order
        self.factors = [hadamard(2**p, dtype) for p in factor_exponents(order.bit_length() - 1)]

    @property
    def nbytes(self) -> int:
        """Bytes held: the small factors."""
        return sum(int(factor.nbytes) for factor in self.factors)

    def columns(self, source: Array, scratch: Array) -> tuple[Array, Array]:
        """Transform along the middle axis of ``(blocks, order, lanes)``.

        Both arrays are overwritten; returns them as (result, other).
        """
        return self._apply(self.factors, source, scratch)

    def columns_to_rows(self, source: Array, scratch: Array, out: Array) -> None:
        """Transform along the middle axis of ``(blocks, order, lanes)`` into ``out``, ``(lanes, blocks *
        order)``.

        The last product writes transposed, so that turning the array round costs no pass of its own.
        """
        blocks, order, lanes = source.shape
        last = self.factors[-1]
        if len(last) < 1 << _LAST_EXPONENT:
            result, _ = self.columns(source, scratch)
            out[...] = result.reshape(blocks * order, lanes).T
            return
        source, _ = self._apply(self.factors[:-1], source, scratch)
        groups = blocks * order // len(last)
        vectors = source.reshape(groups, len(last), lanes).transpose(0, 2, 1)
        # H is symmetric: (H v)^T = v^T H.
        np.matmul(vectors, last, out=out.reshape(lanes, groups, len(last)).transpose(1, 0, 2))

    def _apply(self, factors: list[Array], source: Array, scratch: Array) -> tuple[Array, Array]:
        blocks, order, lanes = source.shape
        left = blocks
        for factor in factors:
            size = len(factor)
            shape = (left, size, blocks * order // (left * size) * lanes)
            np.matmul(factor, source.reshape(shape), out=scratch.reshape(shape))
            source, scratch = scratch, source
            left *= size
        return source, scratch
