"""Plans of the fast Fourier transform: radices, twiddle factors and the order in which frequencies come out.

The forward transform decimates in frequency, the inverse in time, so that the inverse undoes the forward's passes one
by one, and nothing is ever put in its natural order: what multiplies a spectrum is laid out in the forward's order
once. Pass i has radix ``r_i`` and joins elements ``q_i = r_0 ... r_{i-1}`` apart; the inverse runs the passes from 0
up, the forward from the last down to 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_ODD_PRIMES = (3, 5, 7)
# Elements (of 128 bytes) whose passes run one after the other while they lie in the first-level cache. Measured: 64
# costs up to 6 percent of a transform more, 32 up to 16; a second such level for the second-level cache gains nothing.
_CHUNK = 128


def has_plan(length: int) -> bool:
    """Return whether `length` has no prime factor but 2, 3, 5 and 7."""
    for prime in (2, *_ODD_PRIMES):
        while length % prime == 0:
            length //= prime
    return length == 1


@dataclass(frozen=True)
class FFTPlan:
    """How to transform vectors of one length.

    Attributes
    ----------
    length : int
        Number of complex elements m.
    radices, strides : ndarray of shape (n_passes,), int64
        ``r_i`` and ``q_i``.
    offsets : ndarray of shape (n_passes,), int64
        Where a pass finds its factors in `factors`.
    factors : ndarray, float64
        For pass i, ``j < q_i`` and ``0 < k < r_i``: ``exp(2 pi i j k / (q_i r_i))``, real and imaginary part in turn.
    chunk : int
        Product of the first `chunk_passes` radices.
    chunk_passes : int
        These passes work on each chunk by itself.
    positions : ndarray of shape (m,), int64
        Where the forward transform leaves frequency k.
    """

    length: int
    radices: Integers
    strides: Integers
    offsets: Integers
    factors: Floats
    chunk: int
    chunk_passes: int
    positions: Integers


def plan_fft(length: int) -> FFTPlan:
    """Plan the transform of `length` complex elements (see `has_plan`)."""
    radices = _radices(length)
    strides = [prod(radices[:i]) for i in range(len(radices))]
    tables = [_factors(q, r) for q, r in zip(strides, radices, strict=True)]
    chunk_passes = sum(q * r <= _CHUNK for q, r in zip(strides, radices, strict=True))
    return FFTPlan(
        length=length,
        radices=np.array(radices, np.int64),
        strides=np.array(strides, np.int64),
        offsets=np.array([sum(len(table) for table in tables[:i]) for i in range(len(tables))], np.int64),
        factors=np.concatenate([*tables, np.zeros(0)]),
        chunk=prod(radices[:chunk_passes]),
        chunk_passes=chunk_passes,
        positions=_positions(length, radices),
    )


def _radices(length: int) -> list[int]:
    odd = []
    for prime in _ODD_PRIMES:
        while length % prime == 0:
            odd.append(prime)
            length //= prime
    twos = length.bit_length() - 1
    eights, rest = divmod(twos, 3)
    # 2 * 8 = 4 * 4 takes the same arithmetic and no small pass.
    even = [8] * (eights - 1) + [4, 4] if rest == 1 and eights else [8] * eights + [2**rest] * (rest > 0)
    # The largest come first, so that chunks are large.
    return sorted([*odd, *even], reverse=True)


def _factors(q: int, r: int) -> Floats:
    angles = 2 * np.pi * (np.outer(np.arange(q), np.arange(1, r)) % (q * r)) / (q * r)
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1).ravel()


def _positions(length: int, radices: list[int]) -> Integers:
    positions = np.zeros(length, np.int64)
    rest, size = np.arange(length), length
    for r in reversed(radices):
        size //= r
        positions += rest % r * size
        rest //= r
    return positions
