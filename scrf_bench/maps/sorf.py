"""Structured orthogonal random features: products of Hadamard matrices and random signs."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from scrf_bench.maps.base import RandomFeatureMap
from scrf_bench.maps.hadamard import hadamard_projection, padded_order
from scrf_bench.maps.radial import multiplied
from scrf_bench.maps.signs import random_signs
from scrf_bench.maps.tiles import Projection


class SORF(RandomFeatureMap):
    """Structured orthogonal random features: blocks ``sqrt(n)/sigma H D_1 H D_2 H D_3`` (Yu et al. 2016, eq. 5).

    H is the normalised Walsh-Hadamard matrix of order n, the power of two at or above d (the input is padded
    with zeros), and the D_i are diagonals of random signs: an orthogonal matrix times ``sqrt(n)/sigma``.
    ``t = ceil(F/n)`` blocks are stacked and cut off after F rows. ``O(D log d)`` time a row and ``O(D)``
    memory.

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
        ``3 t n`` signs (blocks are drawn whole, padding included), D phases in the phase embedding, and F
        radial factors of a Matern kernel.
    nbytes_ : int
        Bytes held, for each dtype used so far.
    algorithm_ : str
        What computes the projection: compiled transforms, or for d <= 16, where it is faster, a product with
        the dense matrix.
    seed_ : ndarray of shape (4,), uint32
        Draws, in order: D_1, D_2, D_3 of each block (``randint(0, 2, (t, 3, n))``, 0 meaning -1), b
        (``uniform``), from ``RandomState(seed_)``.

    See Also
    --------
    ORF : Haar orthogonal blocks and chi row lengths: exactly unbiased, ``O(D d)``.
    OCRF : Orthogonal circulants in place of H D_1 H D_2 H D_3.
    Fastfood : Hadamard blocks with a Gaussian diagonal.

    Notes
    -----
    The estimate is biased: all rows have length ``sqrt(n)/sigma`` where Gaussian rows have chi_n, and only
    three times n signs are random. With ``z = ||x - y||/sigma``, ``|E K_SORF - exp(-z^2/2)| <= 6 z/sqrt(n)``
    for the Gaussian kernel (Yu et al. 2016, Theorem 3), so the bias vanishes as d grows, but not as D grows.
    Haar blocks whose rows have that one length estimate a Bessel function, ``j_{n/2-1}(sqrt(n) z)``
    (normalised to 1 at 0), in place of the Gaussian (Demni and Kadri 2023); SORF is near that, not near the
    Gaussian kernel, where n is small. Its mean squared error is below the variance of RKS where z is about 2
    or less; at n = 16 and z >= 2 it can be above it (``x - y`` with one entry).

    References
    ----------
    F. X. Yu, A. T. Suresh, K. Choromanski, D. Holtmann-Rice, S. Kumar, "Orthogonal Random Features", NIPS
    2016, arXiv:1610.09072.

    N. Demni, H. Kadri, "Orthogonal Random Features: Explicit Forms and Sharp Inequalities", 2023,
    arXiv:2310.07370.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.maps import SORF
    >>> X = np.eye(3, 60)
    >>> Phi = SORF(n_components=4096, gamma=0.5, embedding="pair", random_state=0).fit_transform(X)
    >>> Phi.shape
    (3, 4096)
    >>> bool(abs(Phi[0] @ Phi[1] - np.exp(-1)) < 0.05)
    True
    """

    name: ClassVar[str] = "sorf"
    label: ClassVar[str] = "SORF"
    version: ClassVar[int] = 1

    def _draw_projection(self, rng: np.random.RandomState, dtype: np.dtype[Any]) -> Projection:
        order = padded_order(self.n_features_in_)
        F = self.n_frequencies_
        signs = random_signs(rng, (-(-F // order), 3, order))
        return hadamard_projection(
            # D_3 is applied first.
            signs[:, ::-1],
            None,
            # sqrt(n) times n^(-3/2), which normalises three matrices.
            multiplied(self._radial_factors(F), self._inverse_sigma / order),
            n_frequencies=F,
            n_features=self.n_features_in_,
            dtype=dtype,
            n_parameters=signs.size,
        )
