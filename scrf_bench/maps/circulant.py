"""Projection by stacked circulant blocks with signed rows, through real FFTs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.fft

from scrf_bench.maps.tiles import Array, Projection, Workspace, power_of_two_between, slices

# Measured: a piece of about 2^17 values (512 KB in float32) stays in cache and hides Python's share.
_PIECE_VALUES = 2**17


class CirculantProjection(Projection):
    """``Z = X Pi^T``, ``Pi = [diag(s_1) circ(c_1); ...; diag(s_t) circ(c_t)]`` cut off after F rows.

    ``circ(c)`` has first column c, so ``circ(c) x = ifft(fft(c) * fft(x))``: the circular convolution of c
    and x.

    Parameters
    ----------
    first_columns : ndarray of shape (t, d), float64
        First columns of the blocks.
    signs : ndarray of shape (F,), ``(t-1) d < F <= t d``
        The rows' signs (or any other row factors).
    dtype : numpy.dtype
        float32 or float64.

    Attributes
    ----------
    spectra : ndarray of shape (t, d//2 + 1), complex
        Real FFTs of the first columns, computed in float64 and then cast.
    """

    algorithm = "scipy.fft"

    def __init__(self, first_columns: Array, signs: Array, dtype: np.dtype[Any]) -> None:
        n_blocks, order = first_columns.shape
        self.order = order
        self.spectra = scipy.fft.rfft(first_columns).astype(np.result_type(dtype, np.complex64))
        self.signs = signs.astype(dtype)
        self.dtype = dtype
        self.tile_rows = power_of_two_between(_PIECE_VALUES // (n_blocks * order), 16, 128)
        self.tile_columns = order
        blocks_a_piece = max(1, _PIECE_VALUES // (self.tile_rows * order))
        self.column_blocks = tuple(slices(len(signs), blocks_a_piece * order))
        self.n_parameters = first_columns.size + signs.size

    @property
    def nbytes(self) -> int:
        """Bytes held: spectra and signs."""
        return int(self.spectra.nbytes + self.signs.nbytes)

    def workspace(self) -> Workspace:
        """Return the array that takes a piece's signed projections."""
        width = max(columns.stop - columns.start for columns in self.column_blocks)
        return {"Z": np.empty(self.tile_rows * width, self.dtype)}

    def project_tile(self, tile: Array, work: Workspace) -> Iterator[Array]:
        """Yield the signed convolutions: one forward FFT a row, one inverse FFT a block."""
        spectrum = scipy.fft.rfft(tile)[:, np.newaxis, :]
        for columns in self.column_blocks:
            blocks = slice(columns.start // self.order, -(-columns.stop // self.order))
            product = spectrum * self.spectra[blocks]
            convolved = scipy.fft.irfft(product, n=self.order, overwrite_x=True).reshape(self.tile_rows, -1)
            width = columns.stop - columns.start
            Z = work["Z"][: self.tile_rows * width].reshape(self.tile_rows, width)
            np.multiply(convolved[:, :width], self.signs[columns], out=Z)
            yield Z
