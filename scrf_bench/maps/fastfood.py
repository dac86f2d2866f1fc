"""Fastfood: Gaussian frequencies imitated by Hadamard transforms and diagonal matrices."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from scrf_bench.maps.base import RandomFeatureMap
from scrf_bench.maps.epilogue import Embedding
from scrf_bench.maps.hadamard import hadamard_projection, padded_order
from scrf_bench.maps.radial import Kernel, multiplied
from scrf_bench.maps.signs import random_signs
from scrf_bench.maps.tiles import Projection


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
        Width of the kernel, ``gamma = 1/(2 sigma^2)``.
    embedding : {"phase", "pair"}, default="phase"
        ``sqrt(2/D) cos(z + b)`` of D frequencies, or ``sqrt(2/D) [cos z, sin z]`` of D/2 frequencies.
    random_state : int, RandomState instance or None, default=None
        Where the map's seed comes from.
    kernel : {"gaussian", "matern"}, default="gaussian"
        ``exp(-gamma r^2)``, or the Matern kernel, for which each row gets a radial factor of its own.
    nu : float, default=1.5
        Smoothness of the Matern kernel.
    scaling : bool, default=True
        Whether to apply S. Without it ``V = 1/(sigma sqrt n) H G Pi H B``: still unbiased, but all rows of a
        block have one length, and the variance is larger.

    Attributes
    ----------
    n_frequencies_ : int
        Number of frequencies F: D (phase) or D/2 (pair).
    n_parameters_ : int
        ``3 t n`` entries of B, Pi and G (blocks are drawn whole, padding included), F of S, D phases in the
        phase embedding (the paper's 5D where n divides D), and F radial factors of a Matern kernel.
    nbytes_ : int
        Bytes held, for each dtype used so far; a permutation's entry takes 4.
    algorithm_ : str
        What computes the projection: compiled transforms, or for d <= 16, where it is faster, a product with
        the dense matrix.
    seed_ : ndarray of shape (4,), uint32
        Draws, in order: B (``randint(0, 2, (t, n))``, 0 meaning -1), t times ``permutation(n)``, G
        (``standard_normal((t, n))``), s (``sqrt(chisquare(n, F))``, also where `scaling` is off), b
        (``uniform``), from ``RandomState(seed_)``.

    See Also
    --------
    RKS : The dense map that Fastfood replaces.
    SORF : Signs in place of G and Pi, nearly orthogonal rows, smaller variance.
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
    implementation: ClassVar[int] = 2

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
        kernel: Kernel = "gaussian",
        nu: float = 1.5,
        scaling: bool = True,
    ) -> None:
        super().__init__(
            n_components, gamma=gamma, embedding=embedding, random_state=random_state, kernel=kernel, nu=nu
        )
        self.scaling = scaling

    def _draw_projection(self, rng: np.random.RandomState, dtype: np.dtype[Any]) -> Projection:
        order = padded_order(self.n_features_in_)
        F = self.n_frequencies_
        n_blocks = -(-F // order)
        signs = random_signs(rng, (n_blocks, order))
        permutations = np.stack([rng.permutation(order) for _ in range(n_blocks)])
        gaussians = rng.standard_normal((n_blocks, order))
        lengths = np.sqrt(rng.chisquare(order, F))
        factors = self._radial_factors(F)
        n_parameters = 3 * signs.size
        if self.scaling:
            norms = np.linalg.norm(gaussians, axis=1)
            factors = multiplied(factors, lengths / np.repeat(norms, order)[:F])
            n_parameters += F
        return hadamard_projection(
            np.stack([signs, gaussians], axis=1),
            permutations,
            multiplied(factors, self._inverse_sigma / math.sqrt(order)),
            n_frequencies=F,
            n_features=self.n_features_in_,
            dtype=dtype,
            n_parameters=n_parameters,
        )
