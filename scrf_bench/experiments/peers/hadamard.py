"""Fast Walsh-Hadamard maps of other packages: a Fastfood composed around fht-cpu, and xgpr's SORF."""

from __future__ import annotations

import contextlib
import io
import math
from typing import Any, ClassVar

import numpy as np

from scrf_bench.experiments.peers.base import Array, Peer, Precision, result
from scrf_bench.maps.tiles import slices

# Values of one chunk, 1 MiB in float32: the best of 2^13 to 2^19 here, by a few per cent over its neighbours.
_CHUNK = 1 << 18


class FhtFastfood(Peer):
    """Fastfood, V = S H G P H B / (sigma sqrt(n)) a block, of fht-cpu's transforms and vectorised numpy between them.

    B is random signs, P a permutation, G Gaussian, S = chi_n / ||G||: Le, Sarlos and Smola, ICML 2013. The second
    buffer and the padded rows are made once a call; the last transform works in the output where the columns fill
    whole blocks.
    """

    name = "fht-cpu"
    label = "fht-cpu Fastfood"
    package = "fht-cpu"
    drawn_as = "column_signed"
    module = "fht_cpu"
    beside = ("rks", "fastfood")

    def _draw(self, d: int, dtype: np.dtype[Any]) -> None:
        from fht_cpu import fht

        self._fht = fht
        rng = np.random.default_rng(self.seed)
        n = 1 << (d - 1).bit_length() if d > 1 else 2
        blocks = -(-self.n_components // n)
        signs = rng.choice([-1.0, 1.0], size=blocks * n)
        gauss = rng.standard_normal((blocks, n))
        chi = np.sqrt(rng.chisquare(n, size=(blocks, n)))
        scale = math.sqrt(2 * self.gamma / n) * chi / np.linalg.norm(gauss, axis=1, keepdims=True)
        order = np.concatenate([block * n + rng.permutation(n) for block in range(blocks)])
        self._n, self._blocks, self._order = n, blocks, order
        self._signs, self._gauss = signs.reshape(blocks, n).astype(dtype), gauss.ravel().astype(dtype)
        self._scale = scale.ravel().astype(dtype)
        self._phase = rng.uniform(0, 2 * math.pi, self.n_components).astype(dtype)
        self._describe(self._signs, self._gauss, self._scale, order, self._phase)

    def transform(self, X: Array, out: Array | None = None) -> Array:
        """Return the features in X's dtype."""
        rows, D, width = len(X), self.n_components, self._blocks * self._n
        out = result(out, rows, D, X.dtype)
        steps = list(slices(rows, max(1, _CHUNK // width)))
        most = steps[0].stop
        padded = np.zeros((most, 1, self._n), X.dtype)
        first, second = np.empty((2, most, width), X.dtype)
        factor = X.dtype.type(math.sqrt(2 / D))
        for step in steps:
            count = step.stop - step.start
            padded[:count, 0, : X.shape[1]] = X[step]
            H = first[:count]
            np.multiply(padded[:count], self._signs, out=H.reshape(count, self._blocks, self._n))
            self._fht(H.reshape(-1, self._n), num_threads=1)
            Z = out[step] if width == D else second[:count]
            np.take(H, self._order, axis=1, out=Z, mode="clip")
            Z *= self._gauss
            self._fht(Z.reshape(-1, self._n), num_threads=1)
            Z *= self._scale
            features = out[step]
            np.add(Z[:, :D], self._phase, out=features)
            np.cos(features, out=features)
            features *= factor
        return out


class Xgpr(Peer):
    """xgpr's own random features (SORF with chi factors, [cos, sin] pairs), through its public `KernelFGen`.

    float32 inside, float64 out: its default. Its hyper-parameter is the logarithm of 1/sigma.
    Its licence forbids commercial use, so it is no extra of this package.
    """

    name = "xgpr"
    label = "xgpr SORF"
    package = "xgpr"
    drawn_as = "nystroem"
    module = "xGPR"
    beside = ("rks", "sorf")
    takes_out = False
    computes: ClassVar[Precision | None] = "float32"
    returns: ClassVar[Precision | None] = "float64"

    def _draw(self, d: int, dtype: np.dtype[Any]) -> None:  # noqa: ARG002 -- it chooses its own
        # It prints on import that there is no GPU.
        with contextlib.redirect_stdout(io.StringIO()):
            from xGPR import KernelFGen
        self._generator = KernelFGen(
            self.n_components,
            np.array([0.5 * math.log(2 * self.gamma)]),
            d,
            kernel_choice="RBF",
            kernel_settings={"intercept": False},
            random_seed=self.seed,
            verbose=False,
        )
        kernel = self._generator.kernel
        self._describe(kernel.radem_diag, kernel.chi_arr)

    def transform(self, X: Array, out: Array | None = None) -> Array:  # noqa: ARG002 -- it takes none
        """Return the features, float64."""
        features: Array = self._generator.predict(X)
        return features
