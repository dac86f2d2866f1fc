"""Projection by stacked circulant blocks: by a dense matrix or by compiled Fourier transforms, whichever is faster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import scipy.fft

from scrf_bench.maps.compiled.circulant_layout import lay_out
from scrf_bench.maps.compiled.fft_plan import has_plan
from scrf_bench.maps.dense import DenseProjection
from scrf_bench.maps.epilogue import Epilogue
from scrf_bench.maps.tiles import TURN, Array, Projection, Workspace, slices

# Measured on AVX-512, time of the dense product over that of the compiled loops, cosines included; the first figure is
# for F = 8192 frequencies, the second for 512:
#   order d      16          24          32          48          64
#   float32   0.76 0.66   1.05 0.82   1.82 1.10   1.97 1.53   2.60 1.94
#   float64   0.94 0.68   1.25 0.92   1.23 1.13   2.64 1.55   2.38 1.70
# and where the order has a prime factor above 7, so that the loops need a larger one:
#   order d      22          44          66          88         110
#   float32   1.03 0.66   1.25 0.83   1.96 1.12   2.06 1.40   4.49 1.85
#   float64   0.85 0.53   1.23 0.78   1.57 0.94   2.11 1.17   2.80 1.45
# (scipy.fft takes 2.0 to 4.7 times as long as the loops, in either case.)
_DENSE_FEATURES, _DENSE_FEATURES_OTHER = 24, 48
# A larger matrix would no longer stay in cache from one tile of rows to the next.
_DENSE_BYTES = 2**24

_TILE_ROWS = 128
# Values of a piece that `project_tile` yields; a piece takes its own forward transform, so it should not be small.
_PIECE_VALUES = 2**19


def circulant_projection(
    spectra: Array,
    *,
    order: int,
    n_features: int,
    n_frequencies: int,
    dtype: np.dtype[Any],
    row_factors: Array | None = None,
    input_signs: Array | None = None,
    blocks_per_group: int | None = None,
    n_parameters: int,
) -> Projection:
    """Return the projection by stacked circulant blocks, ``z = diag(u) [C_1 pad(s_1 o x); C_2 pad(s_1 o x); ...]``.

    ``C_i v = irfft(spectra[i] * rfft(v))`` is the circular convolution with the first column of C_i.

    Parameters
    ----------
    spectra : ndarray of shape (n_blocks, order // 2 + 1), complex128
        Real FFTs of the blocks' first columns, in radians.
    order : int
        Order of the blocks, at least `n_features`; shorter rows are padded with zeros.
    n_features, n_frequencies : int
        Shape of the projection; the last block is cut off.
    dtype : numpy.dtype
        float32 or float64.
    row_factors : ndarray of shape (n_frequencies,), float64, optional
        u, the rows' signs or radial factors.
    input_signs : ndarray of shape (n_groups, n_features), float64, optional
        s, one row for each group of blocks.
    blocks_per_group : int, optional
        How many consecutive blocks share a row of `input_signs`; all by default.
    n_parameters : int
        How many drawn numbers define the map.

    Returns
    -------
    Projection
        Its `algorithm` is "dense BLAS", "compiled FFT", or "compiled FFT, padded" where a larger order stands in
        for one with a prime factor above 7.

    Raises
    ------
    ValueError
        If the shapes do not fit together.
    """
    n_blocks = len(spectra)
    a_group = blocks_per_group or n_blocks
    signs = np.ones((-(-n_blocks // a_group), n_features)) if input_signs is None else input_signs
    factors = np.ones(n_frequencies) if row_factors is None else row_factors
    expected = (-(-n_frequencies // order), order // 2 + 1), (n_frequencies,), (-(-n_blocks // a_group), n_features)
    shapes = spectra.shape, factors.shape, signs.shape
    if shapes != expected or order < n_features:
        raise ValueError(
            f"spectra, row_factors and input_signs have shapes {shapes}, but order={order}, n_features={n_features}, "
            f"n_frequencies={n_frequencies} and blocks_per_group={a_group} need {expected} and an order of at least "
            "n_features."
        )
    build = _dense if is_dense(order, n_features, n_frequencies, dtype) else CompiledCirculantProjection
    projection = build(spectra, order, n_features, factors, signs, a_group, dtype)
    projection.n_parameters = n_parameters
    return projection


def is_dense(order: int, n_features: int, n_frequencies: int, dtype: np.dtype[Any]) -> bool:
    """Return whether a dense product computes such a projection.

    It depends on the map's shape alone, so that a row's bits never depend on the data.
    """
    fitting = n_features * n_frequencies * dtype.itemsize <= _DENSE_BYTES
    return fitting and n_features <= (_DENSE_FEATURES if has_plan(order) else _DENSE_FEATURES_OTHER)


def _dense(
    spectra: Array, order: int, n_features: int, factors: Array, signs: Array, a_group: int, dtype: np.dtype[Any]
) -> Projection:
    """Return the blocks written out: row j of C has the entries ``c[(j - l) mod order]``."""
    shifts = np.arange(n_features)
    start = 0

    def frequencies(count: int) -> Array:
        nonlocal start
        rows = np.arange(start, start + count)
        start += count
        blocks = rows // order
        columns = scipy.fft.irfft(spectra[blocks[0] : blocks[-1] + 1], order)
        entries = columns[(blocks - blocks[0])[:, np.newaxis], (rows[:, np.newaxis] - shifts) % order]
        return np.asarray(entries * signs[blocks // a_group] * factors[rows, np.newaxis])

    return DenseProjection(frequencies, len(factors), n_features, dtype)


class CompiledCirculantProjection(Projection):
    """Circulant blocks through the loops of `compiled.circulant`.

    Parameters
    ----------
    spectra, order, n_features, factors, signs, a_group, dtype
        As in `circulant_projection`: factors are its `row_factors`, signs its `input_signs`, a_group its
        `blocks_per_group`.

    Notes
    -----
    Rounding moves a feature, in units of ``sqrt(2/D)``, by at most 2e-5 (float32) or 1e-11 (float64) where
    ``||x||/sigma <= 10``, and by at most 2e-6 and 1e-12 times ``||x||/sigma`` beyond, for rows that do not depend on
    the map.
    """

    algorithm = "compiled FFT"
    padded: ClassVar[bool] = False

    def __init__(
        self,
        spectra: Array,
        order: int,
        n_features: int,
        factors: Array,
        signs: Array,
        a_group: int,
        dtype: np.dtype[Any],
    ) -> None:
        self.lanes = 64 // dtype.itemsize
        self.order = order
        if not has_plan(order):
            spectra, order = _embedded(spectra, order, n_features)
            self.algorithm = "compiled FFT, padded"
        self.layout = lay_out(spectra / TURN, order, a_group, dtype)
        self.signs = _padded(signs, self.lanes, dtype).ravel()
        self.factors = np.append(factors, np.zeros(self.lanes)).astype(dtype)
        self.n_blocks, self.a_group = len(spectra), a_group
        self.dtype = dtype
        self.tile_rows, self.tile_columns = _TILE_ROWS, n_features
        self.n_frequencies = len(factors)
        self.blocks_a_piece = max(1, _PIECE_VALUES // (_TILE_ROWS * self.order))
        self.column_blocks = tuple(
            _columns(blocks, self.order, self.n_frequencies) for blocks in slices(self.n_blocks, self.blocks_a_piece)
        )

    @property
    def nbytes(self) -> int:
        """Bytes held: spectra, tables of the transform, signs and factors."""
        return int(self.layout.nbytes + self.signs.nbytes + self.factors.nbytes)

    def workspace(self) -> Workspace:
        """Return the two arrays of a group of rows and the tile between them and memory."""
        from scrf_bench.maps.compiled.simd import aligned

        # Behind the order's vectors: one place for X_m (see compiled.real_fft) and a tile's reach over the end.
        size = (self.layout.order + 2 + self.lanes) * (1 + self.layout.order % 2) * self.lanes
        names = {"spectrum": size, "product": size, "tile": self.lanes**2}
        return {name: aligned(values, self.dtype) for name, values in names.items()}

    def project_tile(self, tile: Array, work: Workspace) -> Iterator[Array]:
        """Yield pieces of the projection; each takes its own forward transform."""
        from scrf_bench.maps.compiled.transposed import TURNS

        rows = len(tile)
        widest = max(columns.stop - columns.start for columns in self.column_blocks)
        if "Z" not in work:
            work["Z"] = np.empty(self.tile_rows * widest, self.dtype)
            work["no phases"] = np.zeros(self.n_frequencies + self.lanes, self.dtype)
        last = (self.factors, work["no phases"], self.dtype.type(1))
        for blocks, columns in zip(slices(self.n_blocks, self.blocks_a_piece), self.column_blocks, strict=True):
            width = columns.stop - columns.start
            Z = work["Z"][: rows * width].reshape(rows, width)
            self._run(tile, rows, blocks, last, TURNS, (Z, width, 0), work)
            yield Z

    def write_features(self, tile: Array, n_rows: int, epilogue: Epilogue, out: Array, work: Workspace) -> None:
        """Write the features of the tile's rows while their projections are in cache."""
        from scrf_bench.maps.compiled.transposed import PAIR, PHASE

        if "phases" not in work:
            # The loops read phases, as factors, up to a vector beyond the last.
            work["phases"] = np.zeros(self.n_frequencies + self.lanes, self.dtype)
            if epilogue.phase is not None:
                work["phases"][: self.n_frequencies] = epilogue.phase
        kind = PAIR if epilogue.phase is None else PHASE
        last = (self.factors, work["phases"], epilogue.scale)
        target = (out, out.strides[0] // out.itemsize, self.n_frequencies)
        self._run(tile, n_rows, slice(0, self.n_blocks), last, kind, target, work)

    def _run(
        self,
        tile: Array,
        n_rows: int,
        blocks: slice,
        last: tuple[Array, Array, Any],
        kind: int,
        target: tuple[Array, int, int],
        work: Workspace,
    ) -> None:
        from scrf_bench.maps.compiled.circulant import circulant_features

        layout = self.layout
        out, stride, sine = target
        circulant_features(
            tile.ctypes.data,
            (n_rows, self.tile_columns, self.order),
            self.signs,
            (blocks.start, blocks.stop, self.a_group, min(self.n_frequencies, blocks.stop * self.order)),
            layout.plan,
            layout.mirror,
            layout.spectra,
            last,
            kind,
            (out.ctypes.data, stride, sine),
            (work["spectrum"], work["product"], work["tile"]),
        )


def _embedded(spectra: Array, order: int, n_features: int) -> tuple[Array, int]:
    """Return spectra of circulants of a larger order with a fast transform, whose first `order` rows are the blocks'.

    Row j needs entry ``c[(j - l) mod order]`` in column l < n_features only, and finds it at ``(j - l) mod larger``.
    """
    larger = order + n_features - 1
    larger += -larger % 8
    while not has_plan(larger):
        larger += 8
    columns = scipy.fft.irfft(spectra, order)
    extended = np.zeros((len(columns), larger))
    extended[:, :order] = columns
    if n_features > 1:
        extended[:, 1 - n_features :] = columns[:, 1 - n_features :]
    return scipy.fft.rfft(extended), larger


def _columns(blocks: slice, order: int, n_frequencies: int) -> slice:
    return slice(blocks.start * order, min(blocks.stop * order, n_frequencies))


def _padded(signs: Array, lanes: int, dtype: np.dtype[Any]) -> Array:
    width = -(-signs.shape[1] // lanes) * lanes
    padded = np.zeros((len(signs), width), dtype)
    padded[:, : signs.shape[1]] = signs
    return padded
