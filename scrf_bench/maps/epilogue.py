"""The last step of a map: from projections ``z`` to features, in the phase or the pair embedding.

`phase`: ``sqrt(2/D) cos(z_j + b_j)``, D frequencies, ``b_j ~ U[-pi, pi]`` (SCRF paper, eqs. 4 and 9).
`pair`: ``sqrt(2/D) [cos(z_1) .. cos(z_F), sin(z_1) .. sin(z_F)]``, ``F = D/2`` frequencies, so that the inner
product of two rows is ``(1/F) sum_j cos(z_j - z'_j)`` (Rahimi & Recht 2007, Algorithm 1).
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from scrf_bench.maps.tiles import Array

# Sixteen values fill the widest vector register in use: groups of 16 rows leave no remainder, which numpy's
# loops might treat otherwise. Cosines of the padding beyond would be wasted.
_ROW_MULTIPLE = 16

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
    """Draw the phases ``b ~ U[-pi, pi]^D`` in float64; the pair embedding has none."""
    return rng.uniform(-math.pi, math.pi, n_components) if embedding == "phase" else None


class Epilogue:
    """Write features of one dtype; ``offset`` (the phases) is None for the pair embedding.

    The cosines are taken of contiguous groups of 16 rows, padding rows included: numpy's SIMD loops may then
    never treat one element otherwise than its neighbour.
    """

    def __init__(self, offset: Array | None, n_components: int, dtype: np.dtype[Any]) -> None:
        self.offset = None if offset is None else offset.astype(dtype)
        self.scale = dtype.type(math.sqrt(2.0 / n_components))
        self.n_components = n_components

    @property
    def nbytes(self) -> int:
        """Bytes held: the phases."""
        return 0 if self.offset is None else int(self.offset.nbytes)

    def write(self, Z: Array, columns: slice, out: Array) -> None:
        """Turn a block of projections into features.

        Parameters
        ----------
        Z : ndarray of shape (tile_rows, width)
            Projections of a whole tile; overwritten.
        columns : slice
            The frequencies in Z.
        out : ndarray of shape (n_rows, n_components), n_rows <= tile_rows
            The rows of the result that belong to the tile; only the block's columns are written.
        """
        n_rows = out.shape[0]
        Z = Z[: -(-n_rows // _ROW_MULTIPLE) * _ROW_MULTIPLE]
        if self.offset is not None:
            np.add(Z, self.offset[columns], out=Z)
            np.cos(Z, out=Z)
            np.multiply(Z[:n_rows], self.scale, out=out[:, columns])
            return
        half = self.n_components // 2
        np.multiply(np.cos(Z)[:n_rows], self.scale, out=out[:, columns])
        np.sin(Z, out=Z)
        np.multiply(Z[:n_rows], self.scale, out=out[:, half + columns.start : half + columns.stop])
