"""Random kitchen sinks: independent Gaussian frequencies, a dense matrix."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from scrf_bench.maps.base import RandomFeatureMap
from scrf_bench.maps.dense import DenseProjection
from scrf_bench.maps.tiles import Array, Projection


class RKS(RandomFeatureMap):
    """Random kitchen sinks: ``Phi(x) = sqrt(2/D) cos(Z x + b)``, ``Z_ij ~ N(0, 1/sigma^2)`` (SCRF paper, eq.
    4).

    ``O(D d)`` time a row and ``O(D d)`` memory.

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
        Each row of Z is multiplied by its factor of the kernel's radial law.
    nu : float, default=1.5
        Smoothness of the Matern kernel.

    Attributes
    ----------
    n_frequencies_ : int
        Number of frequencies F: D (phase) or D/2 (pair).
    n_parameters_ : int
        ``F d`` entries of Z, D phases in the phase embedding, and F radial factors of a Matern kernel.
    nbytes_ : int
        Bytes held: Z (padded to a multiple of 64 frequencies) and b, for each dtype used so far.
    algorithm_ : str
        What computes the projection.
    seed_ : ndarray of shape (4,), uint32
        Draws, in order: Z row by row (``standard_normal``), b (``uniform``), from ``RandomState(seed_)``.

    See Also
    --------
    SCRF : Circulant blocks, ``O(D log d)``.
    Fastfood : Hadamard blocks, ``O(D log d)``.
    sklearn.kernel_approximation.RBFSampler : scikit-learn's version of the same map.

    References
    ----------
    A. Rahimi and B. Recht, "Random Features for Large-Scale Kernel Machines", NIPS 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.maps import RKS
    >>> X = np.eye(3)
    >>> Phi = RKS(n_components=4096, gamma=0.5, embedding="pair", random_state=0).fit_transform(X)
    >>> Phi.shape
    (3, 4096)
    >>> bool(abs(Phi[0] @ Phi[1] - np.exp(-1)) < 0.05)
    True
    """

    name: ClassVar[str] = "rks"
    label: ClassVar[str] = "RKS"
    version: ClassVar[int] = 1
    implementation: ClassVar[int] = 3

    def _draw_projection(self, rng: np.random.RandomState, dtype: np.dtype[Any]) -> Projection:
        d = self.n_features_in_

        radial = self._radial_factors(self.n_frequencies_)
        drawn = 0

        def frequencies(n_rows: int) -> Array:
            nonlocal drawn
            matrix: Array = rng.standard_normal((n_rows, d)) * self._inverse_sigma
            if radial is not None:
                matrix *= radial[drawn : drawn + n_rows, np.newaxis]
            drawn += n_rows
            return matrix

        return DenseProjection(frequencies, self.n_frequencies_, d, dtype)
