"""Nystroem features: the kernel against landmarks, chosen uniformly or by randomly pivoted Cholesky."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.linalg
from sklearn.utils.validation import check_is_fitted

from scrf_bench.kernels.gaussian import gaussian_profile
from scrf_bench.kernels.matern import matern_profile
from scrf_bench.kernels.pairs import Pair, kernel_matrix
from scrf_bench.maps.feature_map import FeatureMap, TileMap
from scrf_bench.maps.pivoting import Profile, pivoted_cholesky
from scrf_bench.maps.radial import KERNEL_CONSTRAINTS, Kernel, check_width
from scrf_bench.maps.tiles import Array, Workspace, is_sparse, power_of_two_between

_TILE_VALUES = 2**18
# BLAS and numpy's loops then have no remainder that depends on a row's place in the tile.
_WIDTH_MULTIPLE = 64
# Its square, summed over a million features, is still a number.
_LARGEST_ENTRY = 1e150


class _LandmarkTile(TileMap):
    """Features ``k(x, landmarks) N`` of a tile, computed in float64.

    Squared distances are taken about the landmarks' mean, by products of fixed shape.
    """

    algorithm = "kernel against landmarks (BLAS)"

    def __init__(self, landmarks: Array, normalization: Array, profile: Profile, dtype: np.dtype[Any]) -> None:
        n_landmarks, n_features = landmarks.shape
        padded, width = (-(-n // _WIDTH_MULTIPLE) * _WIDTH_MULTIPLE for n in normalization.shape)
        self.mean = landmarks.mean(axis=0)
        self.landmarks = np.zeros((n_features, padded))
        self.landmarks[:, :n_landmarks] = (landmarks - self.mean).T
        self.norms = (self.landmarks**2).sum(axis=0)
        self.ones = np.ones((n_features, _WIDTH_MULTIPLE))
        # Rows beyond the landmarks are zero, so that what the padding columns of the kernel hold is lost.
        self.normalization = np.zeros((padded, width))
        self.normalization[:n_landmarks, : normalization.shape[1]] = normalization
        self.profile = profile
        self.dtype = dtype
        self.tile_rows = power_of_two_between(_TILE_VALUES // max(padded, width, n_features), 16, 256)
        self.tile_columns = n_features
        self.n_parameters = n_landmarks * n_features

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in (self.landmarks, self.norms, self.mean, self.ones, self.normalization))

    def write(self, tile: Array, n_rows: int, out: Array, work: Workspace) -> None:
        del work
        X = tile - self.mean
        squares = X @ self.landmarks
        squares *= -2.0
        squares += ((X * X) @ self.ones)[:, :1]
        squares += self.norms
        np.maximum(squares, 0.0, out=squares)
        out[...] = (self.profile(squares) @ self.normalization)[:n_rows, : out.shape[1]]


class _LandmarkMap(FeatureMap):
    """Base of the Nystroem maps: landmarks from the training rows, and a matrix N of the kernel among them.

    ``Phi(x) = N' k(landmarks, x)`` with ``N N' = K_mm^{-1}``, so that ``<Phi(x), Phi(y)> = k_x' K_mm^{-1}
    k_y``.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureMap._parameter_constraints,
        **KERNEL_CONSTRAINTS,
    }

    def __init__(
        self,
        n_components: int = 512,
        *,
        gamma: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
        kernel: Kernel = "gaussian",
        nu: float = 1.5,
    ) -> None:
        super().__init__(n_components, gamma=gamma, random_state=random_state)
        self.kernel = kernel
        self.nu = nu

    @abstractmethod
    def _choose(self, X: Any, n_landmarks: int, rng: np.random.RandomState) -> tuple[Array, Array]:
        """Return the landmarks' row numbers (m,) and the matrix N, (m, m)."""

    def _profile(self) -> Profile:
        """Return the kernel as a function of squared distances."""
        if self.kernel == "gaussian":
            return partial(gaussian_profile, gamma=self.gamma)
        return partial(matern_profile, gamma=self.gamma, nu=self.nu)

    def _learn(self, X: Any) -> None:
        check_width(self.gamma, np.dtype(np.float64))
        largest = max(float(X.max()), -float(X.min()))
        if largest > _LARGEST_ENTRY:
            raise ValueError(
                f"X has an entry of size {largest:.3g}, but the squares of entries beyond {_LARGEST_ENTRY:g} overflow: "
                "scale the data."
            )
        n_landmarks = min(self.n_components, X.shape[0])
        if n_landmarks < self.n_components:
            warnings.warn(
                f"n_components={self.n_components} landmarks, but X has {X.shape[0]} rows: all rows are "
                f"landmarks and the result has {n_landmarks} columns. Lower n_components or pass more rows.",
                UserWarning,
                stacklevel=3,
            )
        self.component_indices_, normalization = self._choose(X, n_landmarks, np.random.RandomState(self.seed_))
        rows = X[self.component_indices_]
        self.components_ = np.asarray(rows.toarray() if is_sparse(X) else rows, dtype=np.float64)
        self.normalization_ = normalization
        self._n_features_out = normalization.shape[1]

    def _tile_map(self, dtype: np.dtype[Any]) -> TileMap:
        return _LandmarkTile(self.components_, self.normalization_, self._profile(), dtype)

    @property
    def nbytes_(self) -> int:
        """Bytes held: landmarks and N in float64, and copies of both laid out for the products."""
        check_is_fitted(self)
        return int(self.components_.nbytes + self.normalization_.nbytes + super().nbytes_)


class Nystroem(_LandmarkMap):
    """Nystroem features with uniformly chosen landmarks, as scikit-learn's class of that name makes them.

    ``Phi(x) = K_mm^{-1/2} k(landmarks, x)`` for m rows of X drawn without replacement. The result equals that
    of `sklearn.kernel_approximation.Nystroem` with the same draws to rounding, and is computed in float64
    whatever the input.

    Parameters
    ----------
    n_components : int, default=512
        Number m of landmarks, and of columns of the result. If X has fewer rows, all are taken, with a warning,
        as scikit-learn does.
    gamma : float, default=1.0
        Width of the kernel, ``gamma = 1/(2 sigma^2)``.
    random_state : int, RandomState instance or None, default=None
        Where the map's seed comes from.
    kernel : {"gaussian", "matern"}, default="gaussian"
        ``exp(-gamma r^2)``, or the Matern kernel.
    nu : float, default=1.5
        Smoothness of the Matern kernel, at most 500.

    Attributes
    ----------
    components_ : ndarray of shape (m, n_features), float64
        The landmarks.
    component_indices_ : ndarray of shape (m,)
        Their rows in X.
    normalization_ : ndarray of shape (m, m), float64
        ``K_mm^{-1/2}``; singular values below 1e-12 count as 1e-12.
    n_parameters_ : int
        ``m d`` entries of the landmarks.
    nbytes_ : int
        Bytes held.
    algorithm_ : str
        What computes the features.
    seed_ : ndarray of shape (4,), uint32
        The landmarks are the first m of ``RandomState(seed_).permutation(n)``.

    See Also
    --------
    RPCholeskyNystroem : Landmarks chosen by what the earlier ones leave unexplained.
    sklearn.kernel_approximation.Nystroem : The class that it follows.

    Notes
    -----
    The map depends on the data, so it is not unbiased: ``K - Phi Phi'`` is positive semidefinite. Fitting takes
    ``O(m^3)`` time, a row ``O(m d + m^2)``. A Matern kernel of nu <= 1/2 is not smooth at 0: the rounding of a
    squared distance, 1e-16 or so, shows as its square root where a row equals a landmark.

    References
    ----------
    C. K. I. Williams, M. Seeger, "Using the Nystroem Method to Speed Up Kernel Machines", NIPS 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.maps import Nystroem
    >>> X = np.linspace(0, 1, 50)[:, np.newaxis]
    >>> Phi = Nystroem(n_components=10, gamma=0.5, random_state=0).fit_transform(X)
    >>> bool(abs(Phi[0] @ Phi[-1] - np.exp(-0.5)) < 1e-4)
    True
    """

    name: ClassVar[str] = "nystroem"
    label: ClassVar[str] = "Nystroem"
    version: ClassVar[int] = 1

    def _choose(self, X: Any, n_landmarks: int, rng: np.random.RandomState) -> tuple[Array, Array]:
        indices = rng.permutation(X.shape[0])[:n_landmarks]
        K = kernel_matrix(Pair(X[indices], None, self.gamma, self._profile()), np.float64)
        U, values, Vt = scipy.linalg.svd(K)
        # scikit-learn multiplies by the transpose of U S^{-1/2} V'.
        return indices, ((U / np.sqrt(np.maximum(values, 1e-12))) @ Vt).T


class RPCholeskyNystroem(_LandmarkMap):
    """Nystroem features with landmarks from randomly pivoted Cholesky (Chen, Epperly, Tropp, Webber 2022).

    Each landmark is drawn with probability proportional to the diagonal of ``K - Phi Phi'``, the part of the
    kernel matrix that the earlier ones leave unexplained. ``Phi(x) = L^{-1} k(landmarks, x)`` with ``K_mm = L
    L'``, computed in float64 whatever the input.

    Parameters
    ----------
    n_components : int, default=512
        Number m of landmarks, and of columns of the result. If X has fewer rows, all are taken, with a warning;
        if the kernel matrix is explained to rounding before (repeated rows, say), the remaining columns are 0.
    gamma : float, default=1.0
        Width of the kernel, ``gamma = 1/(2 sigma^2)``.
    random_state : int, RandomState instance or None, default=None
        Where the map's seed comes from.
    kernel : {"gaussian", "matern"}, default="gaussian"
        ``exp(-gamma r^2)``, or the Matern kernel.
    nu : float, default=1.5
        Smoothness of the Matern kernel, at most 500.

    Attributes
    ----------
    components_ : ndarray of shape (k, n_features), float64
        The landmarks, in the order of choice; k = m but for the case above.
    component_indices_ : ndarray of shape (k,)
        Their rows in X.
    normalization_ : ndarray of shape (k, m), float64
        ``L^{-T}``, and columns of 0 beyond k.
    n_parameters_ : int
        ``k d`` entries of the landmarks.
    nbytes_ : int
        Bytes held.
    algorithm_ : str
        What computes the features.
    seed_ : ndarray of shape (4,), uint32
        Each pivot takes one ``random_sample()`` from ``RandomState(seed_)``.

    See Also
    --------
    Nystroem : Landmarks chosen uniformly.

    Notes
    -----
    The expected trace of ``K - Phi Phi'`` is at most ``1 + eps`` times the sum of the eigenvalues beyond the
    r-th for ``m >= r/eps + r log(1/(eps eta))``, eta being that sum's share of the trace (Theorem 3.1).

    Fitting takes ``O(n m (m + d))`` time and holds n x m float64 numbers, and n x d for the centred rows: fit
    on a sample of the rows where that is too much.

    References
    ----------
    Y. Chen, E. N. Epperly, J. A. Tropp, R. J. Webber, "Randomly Pivoted Cholesky: Practical Approximation of a
    Kernel Matrix with Few Entry Evaluations", 2022, arXiv:2207.06503.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.maps import RPCholeskyNystroem
    >>> X = np.linspace(0, 1, 50)[:, np.newaxis]
    >>> Phi = RPCholeskyNystroem(n_components=6, gamma=0.5, random_state=0).fit_transform(X)
    >>> bool(abs(Phi[0] @ Phi[-1] - np.exp(-0.5)) < 1e-4)
    True
    """

    name: ClassVar[str] = "rpc_nystroem"
    label: ClassVar[str] = "Nystroem, RP Cholesky"
    version: ClassVar[int] = 1

    def _choose(self, X: Any, n_landmarks: int, rng: np.random.RandomState) -> tuple[Array, Array]:
        rows = np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)
        pivots, factor = pivoted_cholesky(rows, self._profile(), n_landmarks, rng)
        normalization = np.zeros((len(pivots), n_landmarks))
        inverse = scipy.linalg.solve_triangular(factor, np.eye(len(pivots)), lower=True)
        normalization[:, : len(pivots)] = inverse.T
        return pivots, normalization
