"""Spectra and tables of circulant blocks in the order in which the compiled kernels read them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from scrf_bench.maps.compiled.fft_plan import FFTPlan, plan_fft

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class CirculantLayout:
    """Everything about an order and its blocks that does not depend on the rows, cast to one dtype.

    Attributes
    ----------
    order : int
    plan : tuple
        Radices, strides, offsets, twiddle factors, (length, chunk, chunk passes); see `FFTPlan`.
    mirror : tuple
        For an even order n = 2 m: for each pair of frequencies k and m - k the places of ``Z_k``, ``Z_(m-k)`` and
        ``X_(m-k)`` (see `real_fft`), int64 (m // 2 + 1, 3); ``exp(2 pi i k/n)`` for each; and units, int64 (u, 4):
        two chunks whose frequencies mirror each other and the range of their pairs. For an odd order: no pairs, and
        each chunk a unit.
    spectra : ndarray of dtype, flat
        Even order: for each block and pair the spectrum at k and m - k. Odd order: for each two blocks of a group the
        transform of ``c + i c'``. The transforms' scale 1/n is folded in, and 1/2 for an even order.
    """

    order: int
    plan: tuple[Any, ...]
    mirror: tuple[Array, Array, Array]
    spectra: Array

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(_nbytes(getattr(self, field.name)) for field in fields(self))


def lay_out(spectra: Array, order: int, blocks_per_group: int, dtype: np.dtype[Any]) -> CirculantLayout:
    """Lay out the real spectra (n_blocks, order // 2 + 1) of circulant blocks."""
    if order % 2:
        plan = plan_fft(order)
        values = _paired_blocks(spectra, blocks_per_group, order, plan) / order
        starts = np.arange(0, order, plan.chunk)
        units = np.column_stack([starts, starts, 0 * starts, 0 * starts])
        mirror = np.zeros((0, 3), np.int64), np.zeros(0, dtype), units
        return CirculantLayout(order, _cast_plan(plan, dtype), mirror, _flat(values, dtype))
    plan = plan_fft(order // 2)
    pairs, frequencies, units = _mirror_pairs(plan)
    values = spectra[:, np.stack([frequencies, plan.length - frequencies], axis=-1)] / (2 * order)
    roots = np.exp(2j * np.pi * frequencies / order)
    return CirculantLayout(order, _cast_plan(plan, dtype), (pairs, _flat(roots, dtype), units), _flat(values, dtype))


def _mirror_pairs(plan: FFTPlan) -> tuple[Array, Array, Array]:
    """Return the places of k and m - k, k itself, and the units of chunks, for ``0 <= k <= m/2``.

    X_m is in place m, and the pair (0, m) belongs to the first unit.
    """
    m = plan.length
    k = np.arange(m // 2 + 1)
    mirrored = np.append(plan.positions, m)[m - k]
    pairs = np.stack([plan.positions[k], plan.positions[-k % m], mirrored], axis=-1)
    chunks = np.sort(pairs[:, :2] // plan.chunk, axis=-1)
    order = np.lexsort((pairs[:, 0], chunks[:, 1], chunks[:, 0]))
    pairs, chunks, k = pairs[order], chunks[order], k[order]
    starts = np.flatnonzero(np.append(True, (np.diff(chunks, axis=0) != 0).any(axis=1)))
    stops = np.append(starts[1:], len(pairs))
    return pairs, k, np.column_stack([chunks[starts] * plan.chunk, starts, stops])


def _paired_blocks(spectra: Array, blocks_per_group: int, order: int, plan: FFTPlan) -> Array:
    """Return the transforms of ``c + i c'`` for pairs of blocks of the same group, in the plan's order."""
    whole = np.concatenate([spectra, spectra[:, order // 2 : 0 : -1].conj()], axis=1)
    pairs = []
    for start in range(0, len(whole), blocks_per_group):
        group = whole[start : start + blocks_per_group]
        first, second = group[0::2], np.zeros_like(group[0::2])
        second[: len(group[1::2])] = group[1::2]
        pairs.append(first + 1j * second)
    ordered = np.empty((sum(map(len, pairs)), order), np.complex128)
    ordered[:, plan.positions] = np.concatenate(pairs)
    return ordered


def _cast_plan(plan: FFTPlan, dtype: np.dtype[Any]) -> tuple[Any, ...]:
    sizes = (plan.length, plan.chunk, plan.chunk_passes)
    return plan.radices, plan.strides, plan.offsets, plan.factors.astype(dtype), sizes


def _flat(values: Array, dtype: np.dtype[Any]) -> Array:
    return np.ascontiguousarray(values, np.complex128).view(np.float64).ravel().astype(dtype)


def _nbytes(value: Any) -> int:
    if isinstance(value, tuple):
        return sum(map(_nbytes, value))
    return int(value.nbytes) if isinstance(value, np.ndarray) else 0
