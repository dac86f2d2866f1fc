"""The floor: writing the output at all."""

from __future__ import annotations

from typing import Any

import numpy as np

from scrf_bench.experiments.peers.base import Array, Peer


class Fill(Peer):
    """Fill the same output with one number: no map that returns its features can be faster."""

    name = "fill"
    label = "fill (floor)"
    package = "numpy"
    drawn_as = "control"
    module = "numpy"
    beside = ("scrf", "ocrf")
    estimates = False

    def _draw(self, d: int, dtype: np.dtype[Any]) -> None:  # noqa: ARG002 -- nothing is drawn
        self._describe(packages=f"numpy {np.__version__} fill")

    def transform(self, X: Array, out: Array | None = None) -> Array:
        """Return an array, or the one given, full of one number."""
        if out is None:
            return np.full((len(X), self.n_components), 0.5, X.dtype)
        out.fill(0.5)
        return out
