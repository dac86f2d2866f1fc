"""Orthogonal circulant random features: SCRF's blocks made orthogonal, its signs put on the input."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from scrf_bench.maps.base import RandomFeatureMap
from scrf_bench.maps.circulant import circulant_projection
from scrf_bench.maps.epilogue import Embedding
from scrf_bench.maps.haar import HaarBlocks, haar_projection
from scrf_bench.maps.radial import Kernel, chi_lengths, multiplied
from scrf_bench.maps.signs import random_signs
from scrf_bench.maps.tiles import Array, Projection

# Below this order the few phases of a block do not look random enough: its bias and its spread show.
_SMALLEST_ORDER = 64


class OCRF(RandomFeatureMap):
    """Orthogonal circulant random features, a combination of known parts made for this project.

    ``z = (1/sigma) diag(r) C_i pad(s o x)`` with C_i a random orthogonal circulant of order n, Haar
    distributed: a spectrum of modulus one with uniform phases, real +-1 at frequency zero and, for even n, at
    Nyquist. s are signs on the input, x is padded with zeros to n entries, and r are chi_n lengths, one a row:
    the chi law of the *padded* order makes rows of a uniform direction exactly Gaussian. ``t = ceil(F/n)``
    blocks are stacked and cut off after F rows. ``O(D log d)`` time a row and ``O(D)`` memory.

    By default n is the smallest number without prime factors above 7 that is at least ``max(2 d, 64)``, s is
    drawn anew for each group of d blocks, and below d = 64 dense Haar blocks of order d are used, which are
    ORF: exactly unbiased, and faster there anyway.

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
    order : {"padded", "input"}, default="padded"
        n as above, or n = d: faster by up to a factor of 2, but rows of a block coincide up to sign where
        ``x - y`` lives on a subgroup of positions (every 4th entry, say).
    radial : bool, default=True
        Whether rows have chi lengths. If not, all have the length sqrt(n), and the kernel estimate is biased
        (Demni & Kadri 2023).
    fresh_signs : bool, default=True
        Whether each group of d blocks has signs of its own. If not, all blocks share one s: what it does to the
        estimate is then a floor that no number of features lowers, noticeable for small d.
    dense_below : int, default=64
        Widths d below it take dense Haar blocks; 0 for none.

    Attributes
    ----------
    n_frequencies_ : int
        Number of frequencies F: D (phase) or D/2 (pair).
    n_parameters_ : int
        ``t (n//2 + 1)`` phases of spectra (blocks are drawn whole), d signs a group, F lengths, and D phases
        in the phase embedding. Dense blocks: as ORF.
    nbytes_ : int
        Bytes held: spectra, signs, lengths and phases, for each dtype used so far.
    algorithm_ : str
        What computes the projection.
    seed_ : ndarray of shape (4,), uint32
        Draws, in order: the spectra's phases (``uniform(-pi, pi, (t, n//2 + 1))``; only the sign counts at the
        real frequencies), the input's signs (``randint(0, 2, (groups, d))``, 0 meaning -1), squared lengths
        (``chisquare(n, F)``, also where `radial` is off), b (``uniform``), from ``RandomState(seed_)``. Dense
        blocks: as ORF.

    See Also
    --------
    SCRF : Gaussian circulants with signs on the rows, where cosines cannot see them.
    ORF : Dense orthogonal blocks, its limit.
    scrf_bench.maps.theory.ocrf_moments : Mean and variance of the kernel estimate.

    Notes
    -----
    ``||C x|| = ||x||`` fixes the sum of the squared projections of a block, which is what makes ORF's variance
    small; the signs spread a structured x first. By `ocrf_moments` at d = 64 (n = 128), for the kinds of
    ``x - y`` of the ``variance`` experiment and lengths from 0.25 to 3 sigma, in the pair embedding:

    * Whole blocks (F = n, 4 n): the mean squared error is 1.00 to 1.13 times that of ORF of the same order n, most
      where ``x - y`` has two equal entries d/2 apart, and at most 1.01 times that of RKS.
    * A block that is cut off has a part of the gain only: with F = d = n/2 the error is 0.52 to 1.01 times that of
      RKS, and up to 20 times that of ORF, whose blocks of order d are whole then.
    * The bias is at most 0.05 standard deviations of the estimate at F = n. It is the same at every F: beside the
      standard deviation it grows as sqrt(F).

    In the phase embedding each feature keeps its own 1/2, so little of the gain remains.

    References
    ----------
    J. Romberg, "Compressive Sensing by Random Convolution", SIAM J. Imaging Sciences 2, 2009: orthogonal
    circulants of random phases.

    F. Krahmer, R. Ward, "New and Improved Johnson-Lindenstrauss Embeddings via the Restricted Isometry
    Property", SIAM J. Math. Anal. 43, 2011; F. X. Yu et al., "Circulant Binary Embedding", ICML 2014: signs on
    the columns.

    K. Choromanski, M. Rowland, A. Weller, "The Unreasonable Effectiveness of Structured Random Orthogonal
    Embeddings", NIPS 2017, arXiv:1703.00864.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.maps import OCRF
    >>> X = np.eye(3, 180)
    >>> Phi = OCRF(n_components=720, gamma=0.5, embedding="pair", random_state=0).fit_transform(X)
    >>> Phi.shape
    (3, 720)
    >>> bool(abs(Phi[0] @ Phi[1] - np.exp(-1)) < 0.05)
    True
    """

    name: ClassVar[str] = "ocrf"
    label: ClassVar[str] = "OCRF"
    version: ClassVar[int] = 1

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RandomFeatureMap._parameter_constraints,
        "order": [StrOptions({"padded", "input"})],
        "radial": ["boolean"],
        "fresh_signs": ["boolean"],
        "dense_below": [Interval(Integral, 0, None, closed="left")],
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
        order: Literal["padded", "input"] = "padded",
        radial: bool = True,
        fresh_signs: bool = True,
        dense_below: int = 64,
    ) -> None:
        super().__init__(
            n_components, gamma=gamma, embedding=embedding, random_state=random_state, kernel=kernel, nu=nu
        )
        self.order = order
        self.radial = radial
        self.fresh_signs = fresh_signs
        self.dense_below = dense_below

    def _draw_projection(self, rng: np.random.RandomState, dtype: np.dtype[Any]) -> Projection:
        d, F, scale = self.n_features_in_, self.n_frequencies_, self._inverse_sigma
        factors = self._radial_factors(F)
        if d < self.dense_below:
            return haar_projection(HaarBlocks(rng, d, F, scale, radial=self.radial, factors=factors), dtype)
        order = d if self.order == "input" else padded_order(d)
        n_blocks = -(-F // order)
        blocks_per_group = d if self.fresh_signs else n_blocks
        spectra = unit_spectra(rng, n_blocks, order)
        signs = random_signs(rng, (-(-n_blocks // blocks_per_group), d))
        lengths = chi_lengths(rng, order, F)
        n_parameters = spectra.size + signs.size + (F if self.radial else 0)
        if self.radial:
            factors = multiplied(lengths, factors)
        else:
            scale *= math.sqrt(order)
        return circulant_projection(
            spectra * scale,
            order=order,
            n_features=d,
            n_frequencies=F,
            dtype=dtype,
            row_factors=factors,
            input_signs=signs,
            blocks_per_group=blocks_per_group,
            n_parameters=n_parameters,
        )


def padded_order(n_features: int) -> int:
    """Return the smallest number without prime factors above 7 that is at least ``max(2 d, 64)``."""
    order = max(2 * n_features, _SMALLEST_ORDER)
    while not _is_smooth(order):
        order += 1
    return order


def unit_spectra(rng: np.random.RandomState, n_blocks: int, order: int) -> Array:
    """Draw real FFTs of the first columns of random orthogonal circulants.

    Parameters
    ----------
    rng : numpy.random.RandomState
        Draws ``uniform(-pi, pi, (n_blocks, order//2 + 1))``.
    n_blocks, order : int

    Returns
    -------
    ndarray of shape (n_blocks, order//2 + 1), complex128
        Of modulus one; +-1 at frequency zero and, for even `order`, at Nyquist.
    """
    angles = rng.uniform(-math.pi, math.pi, (n_blocks, order // 2 + 1))
    spectra: Array = np.exp(1j * angles)
    real = [0] if order % 2 else [0, order // 2]
    spectra[:, real] = np.copysign(1.0, angles[:, real])
    return spectra


def _is_smooth(number: int) -> bool:
    for prime in (2, 3, 5, 7):
        while number % prime == 0:
            number //= prime
    return number == 1
