"""Signed circulant random features, the SCRF paper's map."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.fft

from scrf_bench.maps.base import RandomFeatureMap
from scrf_bench.maps.circulant import circulant_projection
from scrf_bench.maps.epilogue import Embedding
from scrf_bench.maps.radial import Kernel, multiplied
from scrf_bench.maps.signs import random_signs
from scrf_bench.maps.tiles import Projection


class SCRF(RandomFeatureMap):
    """Signed circulant random features: ``Phi(x) = sqrt(2/D) cos(Pi x + b)`` (SCRF paper, eq. 9).

    ``Pi = [P_1; ...; P_t]`` with ``P_i = diag(sigma_i) circ(c_i)``: circulants of order d with first column
    ``c_i ~ N(0, I/sigma^2)`` and independent row signs, ``t = ceil(F/d)`` blocks, cut off after F rows.
    Nothing is padded. ``O(D log d)`` time a row and ``O(D)`` memory.

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
    kernel : {"gaussian", "matern"}, default="gaussian"
        ``exp(-gamma r^2)``, or the Matern kernel, for which each row gets a radial factor of its own.
    nu : float, default=1.5
        Smoothness of the Matern kernel.
    row_signs : bool, default=True
        Whether to apply the row signs. Without them the blocks are plain circulants, and nothing is lost; see Notes.

    Attributes
    ----------
    n_frequencies_ : int
        Number of frequencies F: D (phase) or D/2 (pair).
    n_parameters_ : int
        ``t d`` entries of c (the last block is drawn whole), F signs if they are applied, and D phases in the phase
        embedding: the paper's 3D where d divides D.
    nbytes_ : int
        Bytes held: spectra and tables of the transform (or, at small d, the dense matrix), signs and phases, for each
        dtype used so far.
    algorithm_ : str
        What computes the projection: "compiled FFT", "compiled FFT, padded" where d has a prime factor above 7, or
        "dense BLAS" where d is so small that a matrix product is faster.
    seed_ : ndarray of shape (4,), uint32
        Draws, in order: c block by block (``standard_normal((t, d))``), the signs (``randint(0, 2, F)``, 0
        meaning -1, also where `row_signs` is off), b (``uniform``), from ``RandomState(seed_)``.

    See Also
    --------
    RKS : The dense map that SCRF replaces.
    Fastfood : Hadamard blocks in place of circulants.
    scrf_bench.maps.theory.scrf_variance : The exact variance of the kernel estimate.

    Notes
    -----
    Against the formula in exact arithmetic a feature is off, in units of ``sqrt(2/D)``, by at most 2e-5 (float32) or
    1e-11 (float64) where ``||x||/sigma <= 10``, and by at most 2e-6 and 1e-12 times ``||x||/sigma`` beyond, for rows
    that do not depend on the map; `RandomFeatureMap` says what becomes of one along a frequency.

    Cosines cannot see the signs: cos is even, and ``cos(s z + b) = cos(z + s b)`` where ``s b`` is
    distributed as b. In the pair embedding the Gram matrix equals the unsigned circulant's draw by draw. Rows
    of a block are therefore dependent, and the variance exceeds that of RKS unless ``x - y`` is uncorrelated
    with its own circular shifts.

    References
    ----------
    C. Feng, Q. Hu, S. Liao, "Random Feature Mapping with Signed Circulant Matrix Projection", IJCAI 2015,
    pp. 3490-3496.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.maps import SCRF
    >>> X = np.eye(3, 60, dtype=np.float32)
    >>> Phi = SCRF(n_components=4096, gamma=0.5, random_state=0).fit_transform(X)
    >>> Phi.shape, Phi.dtype
    ((3, 4096), dtype('float32'))
    >>> bool(abs(Phi[0] @ Phi[1] - np.exp(-1)) < 0.1)
    True
    """

    name: ClassVar[str] = "scrf"
    label: ClassVar[str] = "SCRF"
    version: ClassVar[int] = 1
    implementation: ClassVar[int] = 2

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RandomFeatureMap._parameter_constraints,
        "row_signs": ["boolean"],
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
        row_signs: bool = True,
    ) -> None:
        super().__init__(
            n_components, gamma=gamma, embedding=embedding, random_state=random_state, kernel=kernel, nu=nu
        )
        self.row_signs = row_signs

    def _draw_projection(self, rng: np.random.RandomState, dtype: np.dtype[Any]) -> Projection:
        d, F = self.n_features_in_, self.n_frequencies_
        first_columns = rng.standard_normal((-(-F // d), d)) * self._inverse_sigma
        signs = random_signs(rng, F)
        factors = self._radial_factors(F)
        n_parameters = first_columns.size
        if self.row_signs:
            factors = multiplied(signs, factors)
            n_parameters += F
        return circulant_projection(
            scipy.fft.rfft(first_columns),
            order=d,
            n_features=d,
            n_frequencies=F,
            dtype=dtype,
            row_factors=factors,
            n_parameters=n_parameters,
        )
