"""Quasi-Monte Carlo features: frequencies from a low-discrepancy sequence."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from scipy.special import ndtri
from scipy.stats import qmc
from sklearn.utils._param_validation import StrOptions

from scrf_bench.maps.base import RandomFeatureMap
from scrf_bench.maps.dense import DenseProjection
from scrf_bench.maps.epilogue import Embedding
from scrf_bench.maps.radial import Kernel
from scrf_bench.maps.tiles import Array, Projection

# scipy's tables end there (Sobol); scrambled Halton holds permutations of each prime, 130 MB at 1024 features.
_LARGEST_WIDTH = {"sobol": 21201, "halton": 1024}
# A power of two: Sobol points are balanced in such groups, and scipy warns of any other first draw.
_GROUP = 256


class QMC(RandomFeatureMap):
    """Quasi-Monte Carlo random kitchen sinks: row j of W is ``Phi^{-1}(u_j)/sigma`` (Yang et al. 2014).

    u_1, u_2, ... are the first F points of a scrambled low-discrepancy sequence in the unit cube of d
    dimensions, Phi the normal distribution function. A scrambled point is uniform, so every frequency is
    Gaussian and the kernel estimate is unbiased, but the points are spread more evenly than independent ones.
    ``O(D d)`` time a row and ``O(D d)`` memory.

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
    sequence : {"sobol", "halton"}, default="sobol"
        Sobol points (d up to 21,201) or Halton points (d up to 1,024).

    Attributes
    ----------
    n_frequencies_ : int
        Number of frequencies F: D (phase) or D/2 (pair).
    n_parameters_ : int
        ``F d`` entries of W, and D phases in the phase embedding.
    nbytes_ : int
        Bytes held: W (padded to a multiple of 64 frequencies) and b, for each dtype used so far.
    algorithm_ : str
        What computes the projection.
    seed_ : ndarray of shape (4,), uint32
        Draws, in order: the seed of the scrambling (``randint(0, 2**32, 4)``, for numpy's default generator),
        b (``uniform``), from ``RandomState(seed_)``.

    See Also
    --------
    RKS : Independent frequencies.
    ORF : Orthogonal frequencies, usually better for d beyond a few.

    Notes
    -----
    The gain over RKS is large in few dimensions and fades as d grows. A sequence is most even over its first
    2^k points (Sobol); F need not be a power of two.

    References
    ----------
    J. Yang, V. Sindhwani, H. Avron, M. W. Mahoney, "Quasi-Monte Carlo Feature Maps for Shift-Invariant
    Kernels", ICML 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.maps import QMC
    >>> X = np.eye(3)
    >>> Phi = QMC(n_components=512, gamma=0.5, embedding="pair", random_state=0).fit_transform(X)
    >>> Phi.shape
    (3, 512)
    >>> bool(abs(Phi[0] @ Phi[1] - np.exp(-1)) < 0.01)
    True
    """

    name: ClassVar[str] = "qmc"
    label: ClassVar[str] = "QMC"
    version: ClassVar[int] = 1

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RandomFeatureMap._parameter_constraints,
        "sequence": [StrOptions({"sobol", "halton"})],
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
        sequence: Literal["sobol", "halton"] = "sobol",
    ) -> None:
        super().__init__(
            n_components, gamma=gamma, embedding=embedding, random_state=random_state, kernel=kernel, nu=nu
        )
        self.sequence = sequence

    def _draw_projection(self, rng: np.random.RandomState, dtype: np.dtype[Any]) -> Projection:
        d, F = self.n_features_in_, self.n_frequencies_
        points = QuasiRandomNormals(self.sequence, d, rng)
        radial = self._radial_factors(F)
        drawn = 0

        def frequencies(n_rows: int) -> Array:
            nonlocal drawn
            matrix = points(n_rows) * self._inverse_sigma
            if radial is not None:
                matrix *= radial[drawn : drawn + n_rows, np.newaxis]
            drawn += n_rows
            return matrix

        return DenseProjection(frequencies, F, d, dtype)


class QuasiRandomNormals:
    """Successive points of a scrambled sequence, mapped to the normal law.

    Parameters
    ----------
    sequence : {"sobol", "halton"}
    n_features : int
        Dimensions d.
    rng : numpy.random.RandomState
        Seeds the scrambling: ``randint(0, 2**32, 4)``.

    Raises
    ------
    ValueError
        If the sequence is not available in so many dimensions.
    """

    def __init__(self, sequence: Literal["sobol", "halton"], n_features: int, rng: np.random.RandomState) -> None:
        largest = _LARGEST_WIDTH[sequence]
        if n_features > largest:
            other = "use sequence='sobol' or another map" if n_features <= _LARGEST_WIDTH["sobol"] else "use RKS or ORF"
            raise ValueError(f"X has {n_features} features, but sequence={sequence!r} ends at {largest}; {other}.")
        engine = qmc.Sobol if sequence == "sobol" else qmc.Halton
        seed = rng.randint(0, 2**32, 4, dtype=np.uint32)
        self._engine = engine(n_features, scramble=True, seed=np.random.default_rng(seed))
        # Sobol points are multiples of 2^-30: the middle of each cell is never 0 or 1.
        self._shift = 2.0**-31 if sequence == "sobol" else 0.0
        self._left = np.empty((0, n_features))

    def __call__(self, n_rows: int) -> Array:
        """Return the next `n_rows` points, ``(n_rows, d)``, float64."""
        pieces: list[Array] = []
        while n_rows:
            if not len(self._left):
                self._left = self._engine.random(_GROUP)
            pieces.append(self._left[:n_rows])
            self._left = self._left[n_rows:]
            n_rows -= len(pieces[-1])
        uniform = np.concatenate(pieces) + self._shift
        smallest = 2.0**-54
        return np.asarray(ndtri(np.clip(uniform, smallest, 1 - 2 * smallest)), dtype=np.float64)
