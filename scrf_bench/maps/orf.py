"""Orthogonal random features: independent Haar-distributed blocks in place of a Gaussian matrix."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from scrf_bench.maps.base import RandomFeatureMap
from scrf_bench.maps.haar import HaarBlocks, haar_projection
from scrf_bench.maps.tiles import Projection


class ORF(RandomFeatureMap):
    """Orthogonal random features: ``W = S Q / sigma`` (Yu et al. 2016, Section 3).

    Q stacks ``t = ceil(F/d)`` independent Haar-distributed orthogonal matrices of order d, S holds independent
    chi_d lengths, so that a single row is exactly Gaussian while rows of a block are orthogonal. ``O(D d)``
    time a row and ``O(D d)`` memory.

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

    Attributes
    ----------
    n_frequencies_ : int
        Number of frequencies F: D (phase) or D/2 (pair).
    n_parameters_ : int
        ``F d`` entries of Q, F lengths, and D phases in the phase embedding.
    nbytes_ : int
        Bytes held: ``S Q / sigma`` (padded to a multiple of 64 frequencies) and b, for each dtype used so far.
    algorithm_ : str
        What computes the projection.
    seed_ : ndarray of shape (4,), uint32
        Draws, in order: block by block a Gaussian matrix (``standard_normal((k, d))``, k the rows that are
        needed of the block) whose QR factorisation gives the rows, and their squared lengths (``chisquare(d,
        k)``); then b (``uniform``), from ``RandomState(seed_)``.

    See Also
    --------
    RKS : Independent rows.
    OCRF : Orthogonal circulant blocks, ``O(D log d)``.
    SORF : Products of Hadamard matrices and signs, ``O(D log d)``.
    scrf_bench.maps.theory.orf_moments : The exact variance of the kernel estimate.

    Notes
    -----
    In the pair embedding the variance is below that of RKS, by a factor of ``3/(d+2)`` for near points (one
    whole block); every phase adds 1/2 to a feature's variance, which hides most of that.

    Drawing a whole block takes ``O(d^3)`` time and one float64 matrix of d x d beside the result, which LAPACK
    turns into Q in place: at d = 8192 a minute or so, and 512 MiB.

    References
    ----------
    F. X. Yu, A. T. Suresh, K. Choromanski, D. Holtmann-Rice, S. Kumar, "Orthogonal Random Features", NIPS
    2016, arXiv:1610.09072.

    F. Mezzadri, "How to generate random matrices from the classical compact groups", Notices of the AMS 54,
    2007.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.maps import ORF
    >>> X = np.eye(3, 60)
    >>> Phi = ORF(n_components=240, gamma=0.5, embedding="pair", random_state=0).fit_transform(X)
    >>> Phi.shape
    (3, 240)
    >>> bool(abs(Phi[0] @ Phi[1] - np.exp(-1)) < 0.1)
    True
    """

    name: ClassVar[str] = "orf"
    label: ClassVar[str] = "ORF"
    version: ClassVar[int] = 1

    def _draw_projection(self, rng: np.random.RandomState, dtype: np.dtype[Any]) -> Projection:
        F = self.n_frequencies_
        factors = self._radial_factors(F)
        return haar_projection(HaarBlocks(rng, self.n_features_in_, F, self._inverse_sigma, factors=factors), dtype)
