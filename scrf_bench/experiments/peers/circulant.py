"""A circulant map composed from scipy.fft and numpy: what a user writes who has read the SCRF paper."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scrf_bench.experiments.peers.base import Array, Peer, result
from scrf_bench.maps.tiles import slices

# Values of one chunk, 1 MiB in float32: the best of 2^13 to 2^19 here, by a few per cent over its neighbours.
_CHUNK = 1 << 18


class ScipyCirculant(Peer):
    """SCRF by scipy.fft: rfft of a chunk of rows, times all blocks' spectra, irfft, sign, phase, numpy's cosine."""

    name = "scipy-fft"
    label = "scipy.fft circulant"
    package = "scipy"
    drawn_as = "qmc"
    module = "scipy"
    beside = ("rks", "scrf")

    def _draw(self, d: int, dtype: np.dtype[Any]) -> None:
        from scipy import fft

        self._fft = fft
        rng = np.random.default_rng(self.seed)
        blocks = -(-self.n_components // d)
        spectra = fft.rfft(math.sqrt(2 * self.gamma) * rng.standard_normal((blocks, d)), axis=1)
        self._spectra = spectra.astype(np.result_type(dtype, np.complex64))
        self._signs = rng.choice([-1.0, 1.0], size=self.n_components).astype(dtype)
        self._phase = rng.uniform(0, 2 * math.pi, self.n_components).astype(dtype)
        self._describe(self._spectra, self._signs, self._phase)

    def transform(self, X: Array, out: Array | None = None) -> Array:
        """Return the features in X's dtype."""
        (rows, d), D = X.shape, self.n_components
        out = result(out, rows, D, X.dtype)
        steps = list(slices(rows, max(1, _CHUNK // (len(self._spectra) * d))))
        product = np.empty((steps[0].stop, *self._spectra.shape), self._spectra.dtype)
        factor = X.dtype.type(math.sqrt(2 / D))
        for step in steps:
            count = step.stop - step.start
            spectrum = self._fft.rfft(X[step], axis=1)
            np.multiply(spectrum[:, None, :], self._spectra, out=product[:count])
            Z = self._fft.irfft(product[:count], n=d, axis=2, overwrite_x=True).reshape(count, -1)[:, :D]
            features = out[step]
            np.multiply(Z, self._signs, out=features)
            features += self._phase
            np.cos(features, out=features)
            features *= factor
        return out
