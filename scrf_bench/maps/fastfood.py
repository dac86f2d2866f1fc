"""Fastfood: Gaussian frequencies imitated by Hadamard transforms and diagonal matrices."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from scrf_bench.maps.base import RandomFeatureMap
from scrf_bench.maps.epilogue import Embedding
from scrf_bench.maps.hadamard import HadamardTransform
from scrf_bench.maps.tiles import Array, Projection, Workspace, power_of_two_between, slices

# Measured: vectors lie across the lanes; 2^17 values a piece keep both work arrays in the second-level cache.
_PIECE_VALUES = 2**17


class FastfoodProjection(Projection):
    """``Z = X V^T``, blocks ``V_i = R_i H G_i Pi_i H B_i`` of order n, cut off after F rows.

    Parameters
    ----------
    signs : ndarray of shape (t, n)
        The diagonals B.
    permutations : ndarray of shape (t, n), int
        ``(Pi u)_k = u[permutations[k]]``.
    gaussians : ndarray of shape (t, n)
        The diagonals G, with whatever constant the map needs.
    row_factors : ndarray of shape (F,) or None
        The diagonal R; None for the identity.
    n_frequencies : int
        F, ``(t-1) n < F <= t n``.
    dtype : numpy.dtype
        float32 or float64.
    """

    algorithm = "Kronecker-factored Hadamard (BLAS)"

    def __init__(
        self,
        signs: Array,
        permutations: Array,
        gaussians: Array,
        row_factors: Array | None,
        n_frequencies: int,
        dtype: np.dtype[Any],
    ) -> None:
        n_blocks, order = signs.shape
        self.dtype = dtype
        self.order = order
        self.tile_rows = power_of_two_between(_PIECE_VALUES // order, 16, 32)
        self.tile_columns = order
        self.blocks_a_piece = min(n_blocks, max(1, _PIECE_VALUES // (self.tile_rows * order)))
        self.column_blocks = tuple(slices(n_frequencies, self.blocks_a_piece * order))
        self.hadamard = HadamardTransform(order, dtype)
        self.signs = signs.astype(dtype)
        self.gaussians = gaussians.astype(dtype)
        self.row_factors = None if row_factors is None else row_factors.astype(dtype)
        # Blocks of a piece are gathered in one go: an index counts from the piece's first block.
        first = np.arange(n_blocks) % self.blocks_a_piece * order
        self.gather = (permutations + first[:, np.newaxis]).astype(np.intp)
        self.n_parameters = 3 * signs.size + (0 if row_factors is None else row_factors.size)

    @property
    def nbytes(self) -> int:
        """Bytes held: the three diagonals, the permutation (8 bytes an entry) and the Hadamard factors."""
        held = [self.signs, self.gaussians, self.gather]
        if self.row_factors is not None:
            held.append(self.row_factors)
        return sum(int(array.nbytes) for array in held) + self.hadamard.nbytes

    def workspace(self) -> Workspace:
        """Return two arrays for the transforms and one for the result."""
        size = self.blocks_a_piece * self.order * self.tile_rows
        return {name: np.empty(size, self.dtype) for name in ("u", "v", "Z", "cut")}

    def project_tile(self, tile: Array, work: Workspace) -> Iterator[Array]:
        """Yield the pieces' projections; in a piece vectors are columns, so that each step is contiguous."""
        lanes = self.tile_rows
        x = np.ascontiguousarray(tile.T)
        for columns in self.column_blocks:
            blocks = slice(columns.start // self.order, -(-columns.stop // self.order))
            shape = (blocks.stop - blocks.start, self.order, lanes)
            u, v = (work[name][: math.prod(shape)].reshape(shape) for name in ("u", "v"))
            np.multiply(self.signs[blocks, :, np.newaxis], x, out=u)
            u, v = self.hadamard.columns(u, v)
            # "clip" lets take write straight into `out`; the indices are in range by construction.
            gather = self.gather[blocks].ravel()
            np.take(u.reshape(-1, lanes), gather, axis=0, out=v.reshape(-1, lanes), mode="clip")
            np.multiply(v, self.gaussians[blocks, :, np.newaxis], out=v)
            Z = work["Z"][: math.prod(shape)].reshape(lanes, -1)
            self.hadamard.columns_to_rows(v, u, Z)
            yield self._scale_and_cut(Z, columns, work)

    def _scale_and_cut(self, Z: Array, columns: slice, work: Workspace) -> Array:
        width = columns.stop - columns.start
        out = Z if width == Z.shape[1] else work["cut"][: len(Z) * width].reshape(-1, width)
        if self.row_factors is not None:
            np.multiply(Z[:, :width], self.row_factors[columns], out=out)
        elif out is not Z:
            out[...] = Z[:, :width]
        return out


class Fastfood(RandomFeatureMap):
    """Fastfood: ``V = 1/(sigma sqrt n) S H G Pi H B`` in place of a Gaussian matrix.

    H is the unnormalised Walsh-Hadamard matrix of order n, the power of two at or above d (the input is
    padded with zeros); B random signs, Pi a random permutation, G standard normal, ``S_ii = s_i / ||G||_F``
    with ``s_i ~ chi_n``. ``t = ceil(F/n)`` blocks are stacked and cut off after F rows. ``O(D log d)`` time a
    row and ``O(D)`` memory.

    Parameters
    ----------
    n_components : int, default=512
        Number of columns D of the result; even for ``embedding="pair"``.
    gamma : float, default=1.0
        Width of the Gaussian kernel ``exp(-gamma ||x - y||^2)``, ``gamma = 1/(2 sigma^2)``.
    embedding : {"phase", "pair"}, default="phase"
        ``sqrt(2/D) cos(z + b)`` of D frequencies, or ``sqrt(2/D) [cos z, sin z]`` of D/2 frequencies.
    random_state : int, RandomState instance or None, default=None
        Where the map's seed comes from.
    scaling : bool, default=True
        Whether to apply S. Without it ``V = 1/(sigma sqrt n) H G Pi H B``: still unbiased, but all rows of a
        block have one length, and the variance is larger.

    Attributes
    ----------
    n_frequencies_ : int
        Number of frequencies F: D (phase) or D/2 (pair).
    n_parameters_ : int
        ``3 t n`` entries of B, Pi and G (blocks are drawn whole, padding included), F of S, and D phases in
        the phase embedding: the paper's 5D where n divides D.
    nbytes_ : int
        Bytes held, for each dtype used so far; a permutation's entry takes 8.
    algorithm_ : str
        What computes the projection.
    seed_ : ndarray of shape (4,), uint32
        Draws, in order: B (``randint(0, 2, (t, n))``, 0 meaning -1), t times ``permutation(n)``, G
        (``standard_normal((t, n))``), s (``sqrt(chisquare(n, F))``, also where `scaling` is off), b
        (``uniform``), from ``RandomState(seed_)``.

    See Also
    --------
    RKS : The dense map that Fastfood replaces.
    SCRF : Circulant blocks, without padding.

    Notes
    -----
    The Fastfood paper prints ``||G||_F^(-1/2)``; its own row length (eq. 36) requires ``||G||_F^(-1)``, used
    here.

    References
    ----------
    Q. Le, T. Sarlos, A. Smola, "Fastfood - Approximating Kernel Expansions in Loglinear Time", ICML 2013,
    arXiv:1408.3060.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.maps import Fastfood
    >>> X = np.eye(3, 60)
    >>> Phi = Fastfood(n_components=4096, gamma=0.5, scaling=True, random_state=0).fit_transform(X)
    >>> Phi.shape
    (3, 4096)
    >>> bool(abs(Phi[0] @ Phi[1] - np.exp(-1)) < 0.1)
    True
    """

    name: ClassVar[str] = "fastfood"
    label: ClassVar[str] = "Fastfood"
    version: ClassVar[int] = 1

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RandomFeatureMap._parameter_constraints,
        "scaling": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 512,
        *,
        gamma: float = 1.0,
        embedding: Embedding = "phase",
        random_state: int | np.random.RandomState | None = None,
        scaling: bool = True,
    ) -> None:
        super().__init__(n_components, gamma=gamma, embedding=embedding, random_state=random_state)
        self.scaling = scaling

    def _draw_projection(self, rng: np.random.RandomState, dtype: np.dtype[Any]) -> Projection:
        order = 1 << (self.n_features_in_ - 1).bit_length()
        F = self.n_frequencies_
        n_blocks = -(-F // order)
        signs = rng.randint(0, 2, (n_blocks, order)) * 2.0 - 1.0
        permutations = np.stack([rng.permutation(order) for _ in range(n_blocks)])
        gaussians = rng.standard_normal((n_blocks, order))
        lengths = np.sqrt(rng.chisquare(order, F))
        constant = self._inverse_sigma / math.sqrt(order)
        row_factors = None
        if self.scaling:
            norms = np.linalg.norm(gaussians, axis=1)
            row_factors = constant * lengths / np.repeat(norms, order)[:F]
        else:
            gaussians *= constant
        return FastfoodProjection(signs, permutations, gaussians, row_factors, F, dtype)
