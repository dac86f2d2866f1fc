"""The last step of a map: from projections in turns to features, in the phase or the pair embedding.

`phase`: ``sqrt(2/D) cos(z_j + b_j)``, D frequencies, ``b_j ~ U[-pi, pi]`` (SCRF paper, eqs. 4 and 9).
`pair`: ``sqrt(2/D) [cos(z_1) .. cos(z_F), sin(z_1) .. sin(z_F)]``, ``F = D/2`` frequencies, so that the inner
product of two rows is ``(1/F) sum_j cos(z_j - z'_j)`` (Rahimi & Recht 2007, Algorithm 1).
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from scrf_bench.maps.tiles import TURN, Array

Embedding = Literal["phase", "pair"]


def count_frequencies(n_components: int, embedding: Embedding) -> int:
    """Return how many frequencies give `n_components` columns.

    Raises
    ------
    ValueError
        If the pair embedding is asked for an odd number of columns.
    """
    if embedding == "phase":
        return n_components
    if n_components % 2:
        raise ValueError(
            f"n_components={n_components} is odd, but embedding='pair' makes a cosine and a sine of each "
            f"frequency; use n_components={n_components + 1} or embedding='phase'."
        )
    return n_components // 2


def draw_offset(rng: np.random.RandomState, n_components: int, embedding: Embedding) -> Array | None:
    """Draw the phases ``b ~ U[-pi, pi]^D`` in float64 radians; the pair embedding has none."""
    return rng.uniform(-math.pi, math.pi, n_components) if embedding == "phase" else None


class Epilogue:
    """Write features of one dtype.

    Parameters
    ----------
    offset : ndarray of shape (n_components,), float64, or None
        The phases in radians; None for the pair embedding.
    n_components : int
        Number of columns D of the result.
    dtype : numpy.dtype
        float32 or float64.

    Attributes
    ----------
    phase : ndarray of shape (n_components,) or None
        The phases in turns, of `dtype`.
    scale : scalar of `dtype`
        ``sqrt(2/D)``.
    """

    def __init__(self, offset: Array | None, n_components: int, dtype: np.dtype[Any]) -> None:
        self.phase = None if offset is None else (offset / TURN).astype(dtype)
        self.scale = dtype.type(math.sqrt(2.0 / n_components))
        self.n_components = n_components

    @property
    def nbytes(self) -> int:
        """Bytes held: the phases."""
        return 0 if self.phase is None else int(self.phase.nbytes)

    def write(self, Z: Array, columns: slice, out: Array) -> None:
        """Turn a block of projections into features.

        Parameters
        ----------
        Z : ndarray of shape (>= n_rows, width)
            C-contiguous projections in turns; left unchanged.
        columns : slice
            The frequencies in Z.
        out : ndarray of shape (n_rows, n_components)
            The rows of the result that belong to the tile; only the block's columns are written.
        """
        # numba is imported when features are first written, not with the package.
        from scrf_bench.maps.compiled.cosine import write_pair, write_phase

        if self.phase is not None:
            write_phase(Z, self.phase[columns], self.scale, out[:, columns])
            return
        half = self.n_components // 2
        write_pair(Z, self.scale, out[:, columns], out[:, half + columns.start : half + columns.stop])
