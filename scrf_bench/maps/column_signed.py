"""Circulant random features with signs on the input."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.fft

from scrf_bench.maps.base import RandomFeatureMap
from scrf_bench.maps.circulant import circulant_projection
from scrf_bench.maps.epilogue import Embedding
from scrf_bench.maps.radial import Kernel
from scrf_bench.maps.signs import random_signs
from scrf_bench.maps.tiles import Projection


class ColumnSignedCirculant(RandomFeatureMap):
    """Circulant blocks with random signs on the input, ``P_i = circ(c_i) diag(s)`` (Yu et al. 2014).

    As SCRF, ``c_i ~ N(0, I/sigma^2)`` are first columns of circulants of order d, ``t = ceil(F/d)`` blocks are
    stacked and cut off after F rows, nothing is padded. SCRF's signs multiply the rows, where cosines cannot
    see them; these multiply the columns, which takes the structure out of ``x - y``. ``O(D log d)`` time a row
    and ``O(D)`` memory.

    Parameters
    ----------
    n_components : int, default=512
        Number of columns D of the result; even for ``embedding="pair"``.
    gamma : float, default=1.0
        Width of the kernel, ``gamma = 1/(2 sigma^2)``.
    embedding : {"phase", "pair"}, default="phase"
        ``sqrt(2/D) cos(z + b)`` of D frequencies, or ``sqrt(2/D) [cos z, sin z]`` of D/2 frequencies.
    random_state : int, RandomState instance or None, default=None
        Where the map's seed comes from.
    kernel : {"gaussian", "matern"}, default="gaussian"
        ``exp(-gamma r^2)``, or the Matern kernel, for which each row gets a radial factor of its own.
    nu : float, default=1.5
        Smoothness of the Matern kernel.
    fresh_signs : bool, default=False
        Whether each block has signs of its own. That takes a forward FFT a block where shared signs take one in
        all, and changes neither mean nor variance of the kernel estimate; see Notes.

    Attributes
    ----------
    n_frequencies_ : int
        Number of frequencies F: D (phase) or D/2 (pair).
    n_parameters_ : int
        ``t d`` entries of c (the last block is drawn whole), d signs (``t d`` if fresh), and D phases in the
        phase embedding.
    nbytes_ : int
        Bytes held: spectra, signs and phases, for each dtype used so far.
    algorithm_ : str
        What computes the projection.
    seed_ : ndarray of shape (4,), uint32
        Draws, in order: c block by block (``standard_normal((t, d))``), the signs (``randint(0, 2, (1, d))``,
        or ``(t, d)`` if fresh; 0 meaning -1), b (``uniform``), from ``RandomState(seed_)``.

    See Also
    --------
    SCRF : Signs on the rows, as in the paper.
    OCRF : Orthogonal circulants, whose variance is below that of RKS.
    scrf_bench.maps.theory.column_signed_variance : The exact variance of the kernel estimate.

    Notes
    -----
    The variance is ``(q + E A(s o v))/F``: for a constant ``x - y`` about twice that of RKS, where SCRF's is d
    times. The generic excess of circulants remains. Given any signs a block is unbiased, hence blocks that
    share them are uncorrelated all the same, and the mean square error of a Gram matrix is that of fresh
    signs; it only fluctuates more from one draw of the map to another.

    References
    ----------
    F. X. Yu, S. Kumar, Y. Gong, S.-F. Chang, "Circulant Binary Embedding", ICML 2014.

    F. X. Yu, S. Kumar, H. Rowley, S.-F. Chang, "Compact Nonlinear Maps and Circulant Extensions", 2015,
    arXiv:1503.03893.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.maps import ColumnSignedCirculant
    >>> X = np.eye(3, 60, dtype=np.float32)
    >>> Phi = ColumnSignedCirculant(n_components=4096, gamma=0.5, random_state=0).fit_transform(X)
    >>> Phi.shape, Phi.dtype
    ((3, 4096), dtype('float32'))
    >>> bool(abs(Phi[0] @ Phi[1] - np.exp(-1)) < 0.1)
    True
    """

    name: ClassVar[str] = "column_signed"
    label: ClassVar[str] = "Circulant, column signs"
    version: ClassVar[int] = 1

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RandomFeatureMap._parameter_constraints,
        "fresh_signs": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 512,
        *,
        gamma: float = 1.0,
        embedding: Embedding = "phase",
        random_state: int | np.random.RandomState | None = None,
        kernel: Kernel = "gaussian",
        nu: float = 1.5,
        fresh_signs: bool = False,
    ) -> None:
        super().__init__(
            n_components, gamma=gamma, embedding=embedding, random_state=random_state, kernel=kernel, nu=nu
        )
        self.fresh_signs = fresh_signs

    def _draw_projection(self, rng: np.random.RandomState, dtype: np.dtype[Any]) -> Projection:
        d, F = self.n_features_in_, self.n_frequencies_
        n_blocks = -(-F // d)
        first_columns = rng.standard_normal((n_blocks, d)) * self._inverse_sigma
        signs = random_signs(rng, (n_blocks if self.fresh_signs else 1, d))
        return circulant_projection(
            scipy.fft.rfft(first_columns),
            order=d,
            n_features=d,
            n_frequencies=F,
            dtype=dtype,
            row_factors=self._radial_factors(F),
            input_signs=signs,
            blocks_per_group=1 if self.fresh_signs else n_blocks,
            n_parameters=first_columns.size + signs.size,
        )
