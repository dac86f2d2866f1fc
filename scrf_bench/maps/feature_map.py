"""The estimator that all maps share: validation, dtypes, the walk over the rows, sums over features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from copy import copy
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import _safe_indexing, check_random_state, metadata_routing
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from scrf_bench.maps import sums
from scrf_bench.maps.tiles import Array, TileMap, Workspace, is_sparse, output_array, slices
from scrf_bench.maps.walk import walk

__all__ = ["DTYPES", "FeatureMap", "TileMap"]

DTYPES = [np.float64, np.float32]


class FeatureMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of all maps ``Phi`` whose inner products approximate a kernel of width ``gamma = 1/(2 sigma^2)``.

    A subclass names itself (`name`, `label`, `version`, `implementation`) and builds in `_tile_map` what maps
    a tile of rows; dtypes, sparse input, memory, threads and scikit-learn's contract are inherited. Maps of
    random frequencies derive from `RandomFeatureMap`.

    Parameters
    ----------
    n_components : int, default=512
        Number of columns D of the result.
    gamma : float, default=1.0
        Width of the kernel, above 0.
    random_state : int, RandomState instance or None, default=None
        Where the map's seed comes from.

    Attributes
    ----------
    n_features_in_ : int
        Number of features d seen by `fit`.
    n_parameters_ : int
        How many drawn numbers define the map; see each map.
    algorithm_ : str
        What computes the features.
    seed_ : ndarray of shape (4,), uint32
        The map's own seed: every draw comes, in float64, from ``numpy.random.RandomState(seed_)``. Fitting
        with float32 or float64 gives the same map.

    Notes
    -----
    A row's features depend on the row and the seed alone, to the last bit: not on the chunk, the other rows,
    the number of threads, or whether it came dense or sparse; so a row too large for the dtype's range spoils no
    other. Threads: as many as numba is set to
    (``NUMBA_NUM_THREADS``), and no more; BLAS is held to one in each.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    version: ClassVar[int] = 1
    """Raised when the map as a function of its seed changes."""
    implementation: ClassVar[int] = 1
    """Raised when the map's speed changes, but not its values."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state"],
    }
    # `out` is a buffer, `W` a matrix of weights: not metadata that a pipeline could route.
    __metadata_request__transform: ClassVar[dict[str, Any]] = {"out": metadata_routing.UNUSED}

    def __init__(
        self,
        n_components: int = 512,
        *,
        gamma: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.random_state = random_state

    @abstractmethod
    def _tile_map(self, dtype: np.dtype[Any]) -> TileMap:
        """Build the fitted map for `dtype`, from `seed_` and what `_learn` kept.

        It is called once for each dtype that is used; what it draws may not depend on `dtype`.
        """

    def _learn(self, X: Any) -> None:
        """Keep what the map takes from the validated X in `fit`; by default nothing but its width.

        A map whose result has another width than ``n_components`` sets ``self._n_features_out`` here.
        """

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Draw the map for the width of X.

        Parameters
        ----------
        X : {array-like, CSR matrix} of shape (n_samples, n_features)
            Of a random feature map only its width matters (and its dtype, for which the map is prepared).
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is out of its range or True where a number is asked for, ``n_components`` is odd with
            ``embedding="pair"``, gamma is too small or too large for X's dtype, or X is invalid.
        """
        # Drawn in a copy, which is kept: another dtype's map is built later, of the parameters as they were here, and
        # a fit that is refused leaves the one before it whole.
        drawn = copy(self)
        drawn.__dict__.pop("_drawn", None)
        drawn._draw(X)
        for name in self.__dict__.keys() - drawn.__dict__.keys():
            delattr(self, name)
        self.__dict__.update(drawn.__dict__, _drawn=drawn)
        return self

    def _draw(self, X: Any) -> None:
        """Do what `fit` does to this object itself."""
        self._validate_params()
        self._refuse_truth_values()
        X = validate_data(self, X, accept_sparse="csr", dtype=DTYPES)
        self._n_features_out = self.n_components
        self.seed_ = check_random_state(self.random_state).randint(0, 2**32, size=4, dtype=np.uint32)
        self._prepared: dict[np.dtype[Any], TileMap] = {}
        self._learn(X)
        prepared = self._prepared[X.dtype] = self._tile_map(X.dtype)
        self.n_parameters_ = prepared.n_parameters
        self.algorithm_ = prepared.algorithm

    def transform(self, X: Any, out: Array | None = None) -> Array:
        """Map the rows of X.

        Parameters
        ----------
        X : {array-like, CSR matrix} of shape (n_samples, n_features)
            float32 or float64 (others become float64); may be a `numpy.memmap`.
        out : ndarray of shape (n_samples, n_components), optional
            C-contiguous array of X's dtype that takes the result.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Features in X's dtype; `out` if it was given.

        Raises
        ------
        ValueError
            If X is invalid or of another width, or `out` has another shape, dtype or memory order.
        TypeError
            If `out` is no numpy array.
        """
        X = self._validated(X)
        out = output_array(out, (X.shape[0], self._n_features_out), X.dtype, X)
        prepared = self._prepare(X.dtype)

        def write(rows: slice, tile: Array, work: Workspace) -> None:
            prepared.write(tile, rows.stop - rows.start, out[rows], work)

        walk(prepared, X, self._n_features_out, write)
        return out

    def iter_transform(self, X: Any, rows: int = 1024) -> Iterator[tuple[slice, Array]]:
        """Map X chunk by chunk, for results (or memory-mapped data) larger than memory.

        Parameters
        ----------
        X : {array-like, CSR matrix} of shape (n_samples, n_features)
            Validated chunk by chunk: a `numpy.memmap` is never read as a whole.
        rows : int, default=1024
            Rows a chunk; the values do not depend on it.

        Returns
        -------
        iterator of (slice, ndarray)
            The rows and their features, ``(len, n_components)``, a fresh array each.

        Raises
        ------
        ValueError
            If X is no matrix, `rows` is not a positive integer, or a chunk of X is invalid.
        """
        check_is_fitted(self)
        if not isinstance(rows, int | np.integer) or isinstance(rows, bool) or rows < 1:
            raise ValueError(f"rows={rows!r} must be a positive integer: the number of rows of a chunk.")
        if is_sparse(X):
            X = X.tocsr()
        elif not hasattr(X, "shape"):
            X = np.asarray(X)
        if len(X.shape) != 2:
            raise ValueError(
                f"X has shape {tuple(X.shape)}; pass a matrix of shape (n_samples, n_features), dense or CSR. Put "
                "rows that a generator yields into one."
            )
        return ((chunk, self.transform(_safe_indexing(X, chunk))) for chunk in slices(X.shape[0], int(rows)))

    def map_dot(self, X: Any, W: Any) -> Array:
        """Return ``Phi(X) W``, as for predictions, without storing Phi(X).

        Parameters
        ----------
        X : {array-like, CSR matrix} of shape (n_samples, n_features)
            float32 or float64 (others become float64); may be a `numpy.memmap`.
        W : array-like of shape (n_components,) or (n_components, k)
            Weights: real numbers, cast to X's dtype.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, k)
            In X's dtype. Each row's bits depend on that row, the seed and W alone. Products of 512 features
            are summed in X's dtype, those sums in float64.

        Raises
        ------
        ValueError
            If X or W is invalid or of another width. W is invalid if it holds anything but finite real numbers.
        TypeError
            If W is sparse.
        """
        X = self._validated(X)
        W = sums.checked_weights(W, self._n_features_out, X.dtype)
        return sums.map_dot(self._prepare(X.dtype), X, W)

    def gram(self, X: Any, y: Any = None) -> tuple[Array, Array | None]:
        """Return ``Phi(X)' Phi(X)`` and ``Phi(X)' y``, as for least squares, without storing Phi(X).

        Parameters
        ----------
        X : {array-like, CSR matrix} of shape (n_samples, n_features)
            float32 or float64 (others become float64); may be a `numpy.memmap`.
        y : array-like of shape (n_samples,) or (n_samples, m), optional
            Targets: real numbers. Classes have to be encoded first.

        Returns
        -------
        ndarray of shape (n_components, n_components), float64
            Exactly symmetric.
        ndarray of shape (n_components,) or (n_components, m), float64, or None
            ``Phi' y``; None without y.

        Raises
        ------
        ValueError
            If X or y is invalid, or their lengths differ. y is invalid if it holds anything but finite real numbers.
        TypeError
            If y is sparse.

        Notes
        -----
        Memory besides the result: 1024 rows of features and 1 to 2 MiB a thread. Products of 1024 rows are
        summed in X's dtype, those sums in float64: each entry of ``Phi' Phi`` is within ``1024 eps (|Phi|'
        |Phi|)`` of that of the features as `transform` gives them, eps = 6e-8 for float32 (in practice about
        ``sqrt(1024) eps``, and random). In float32 a least-squares problem therefore wants a ridge above some
        1e-6 times the largest eigenvalue; map X in float64 for less. ``Phi' y`` is float64 throughout.
        """
        X = self._validated(X)
        y = sums.checked_targets(y, X.shape[0])
        return sums.gram(self._prepare(X.dtype), X, y, self._n_features_out)

    @property
    def nbytes_(self) -> int:
        """Bytes the fitted map holds now, for every dtype used: matrices, spectra, diagonals, phases."""
        check_is_fitted(self)
        return sum(prepared.nbytes for prepared in self._prepared.values())

    def _refuse_truth_values(self) -> None:
        """Python's True is the integer 1, which is what scikit-learn's validation sees."""
        for name, value in self.get_params(deep=False).items():
            wanted = self._parameter_constraints.get(name, ["boolean"])
            if isinstance(value, bool | np.bool_) and "boolean" not in wanted:
                raise ValueError(f"{name}={value} of {type(self).__name__} must be a number, not a truth value.")

    def _validated(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", dtype=DTYPES, reset=False)

    def _prepare(self, dtype: np.dtype[Any]) -> TileMap:
        """Return the map for `dtype`, drawn from its seed at first use: no float64 copy is kept besides."""
        dtype = np.dtype(dtype)
        if dtype not in self._prepared:
            self._prepared[dtype] = self._drawn._tile_map(dtype)
        return self._prepared[dtype]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
