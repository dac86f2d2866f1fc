"""The estimator that all random feature maps share: parameters, seed, validation, the walk over the rows."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import _safe_indexing, check_random_state, metadata_routing
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from scrf_bench.maps.epilogue import Embedding, Epilogue, count_frequencies, draw_offset
from scrf_bench.maps.tiles import Array, Projection, is_sparse, output_array, project_rows, retile, slices

_DTYPES = [np.float64, np.float32]


@dataclass(frozen=True)
class _Prepared:
    """What the map holds for one dtype."""

    projection: Projection
    epilogue: Epilogue

    @property
    def nbytes(self) -> int:
        return self.projection.nbytes + self.epilogue.nbytes


class RandomFeatureMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of maps ``Phi`` with ``E <Phi(x), Phi(y)> = exp(-gamma ||x - y||^2)``, ``gamma = 1/(2 sigma^2)``.

    A subclass names itself (`name`, `label`, `version`) and says in `_draw_projection` how the frequencies
    are drawn and multiplied; embeddings, dtypes, sparse input, tiles and scikit-learn's contract are
    inherited.

    Parameters
    ----------
    n_components : int, default=512
        Number of columns D of the result; even for ``embedding="pair"``.
    gamma : float, default=1.0
        Width of the Gaussian kernel ``exp(-gamma ||x - y||^2)``, above 0.
    embedding : {"phase", "pair"}, default="phase"
        ``sqrt(2/D) cos(z + b)`` of D frequencies, or ``sqrt(2/D) [cos z, sin z]`` of D/2 frequencies.
    random_state : int, RandomState instance or None, default=None
        Where the map's seed comes from.

    Attributes
    ----------
    n_features_in_ : int
        Number of features d seen by `fit`.
    n_frequencies_ : int
        Number of frequencies F: D (phase) or D/2 (pair).
    n_parameters_ : int
        How many drawn numbers define the map, as the SCRF paper counts; see each map.
    algorithm_ : str
        What computes the projection.
    seed_ : ndarray of shape (4,), uint32
        The map's own seed: every draw comes, in float64, from ``numpy.random.RandomState(seed_)``, first
        those of the projection, then the phases. Fitting with float32 or float64 gives the same map.

    Notes
    -----
    A row's features depend on the row and the seed alone, to the last bit: not on the chunk, the other rows,
    the number of threads, or whether it came dense or sparse.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    version: ClassVar[int] = 1

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "embedding": [StrOptions({"phase", "pair"})],
        "random_state": ["random_state"],
    }
    # `out` is a buffer, not metadata that a pipeline could route.
    __metadata_request__transform: ClassVar[dict[str, Any]] = {"out": metadata_routing.UNUSED}

    def __init__(
        self,
        n_components: int = 512,
        *,
        gamma: float = 1.0,
        embedding: Embedding = "phase",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.embedding = embedding
        self.random_state = random_state

    @abstractmethod
    def _draw_projection(self, rng: np.random.RandomState, dtype: np.dtype[Any]) -> Projection:
        """Draw ``n_frequencies_`` frequencies of ``n_features_in_`` entries in float64; return them for
        `dtype`.

        It is called once for each dtype that is used, with `rng` in the same state, so the draws may not
        depend on `dtype`.
        """

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Draw the map for the width of X.

        Parameters
        ----------
        X : {array-like, CSR matrix} of shape (n_samples, n_features)
            Only its width matters (and its dtype, for which the map is prepared).
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is out of its range, ``n_components`` is odd with ``embedding="pair"``, or X is
            invalid.
        """
        self._validate_params()
        X = validate_data(self, X, accept_sparse="csr", dtype=_DTYPES)
        self.n_frequencies_ = count_frequencies(self.n_components, self.embedding)
        self._n_features_out = self.n_components
        self.seed_ = check_random_state(self.random_state).randint(0, 2**32, size=4, dtype=np.uint32)
        self._prepared: dict[np.dtype[Any], _Prepared] = {}
        projection = self._prepare(X.dtype).projection
        n_phases = self.n_components if self.embedding == "phase" else 0
        self.n_parameters_ = projection.n_parameters + n_phases
        self.algorithm_ = projection.algorithm
        return self

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
        out = output_array(out, (X.shape[0], self.n_components), X.dtype, X)
        prepared = self._prepare(X.dtype)
        for rows, columns, Z in project_rows(prepared.projection, X):
            prepared.epilogue.write(Z, columns, out[rows])
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
            If `rows` is not a positive integer or a chunk of X is invalid.
        """
        check_is_fitted(self)
        if not isinstance(rows, int | np.integer) or rows < 1:
            raise ValueError(f"rows={rows!r} must be a positive integer: the number of rows of a chunk.")
        if is_sparse(X):
            X = X.tocsr()
        elif not hasattr(X, "shape"):
            X = np.asarray(X)
        return ((chunk, self.transform(_safe_indexing(X, chunk))) for chunk in slices(X.shape[0], int(rows)))

    def project(self, X: Any, out: Array | None = None) -> Array:
        """Return ``X Pi^T``, the projections before the cosine.

        Parameters
        ----------
        X : {array-like, CSR matrix} of shape (n_samples, n_features)
            float32 or float64 (others become float64).
        out : ndarray of shape (n_samples, n_frequencies_), optional
            C-contiguous array of X's dtype that takes the result.

        Returns
        -------
        ndarray of shape (n_samples, n_frequencies_)
            In X's dtype, already divided by sigma; ``featurize(project(X))`` equals ``transform(X)`` bit for
            bit.

        Raises
        ------
        ValueError
            If X is invalid or of another width, or `out` has another shape, dtype or memory order.
        TypeError
            If `out` is no numpy array.
        """
        X = self._validated(X)
        out = output_array(out, (X.shape[0], self.n_frequencies_), X.dtype, X)
        for rows, columns, Z in project_rows(self._prepare(X.dtype).projection, X):
            out[rows, columns] = Z[: rows.stop - rows.start]
        return out

    def featurize(self, Z: Any, out: Array | None = None) -> Array:
        """Turn projections into features.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_frequencies_)
            What `project` returned; left unchanged.
        out : ndarray of shape (n_samples, n_components), optional
            C-contiguous array of Z's dtype that takes the result.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Features in Z's dtype.

        Raises
        ------
        ValueError
            If Z is invalid or of another width, or `out` has another shape, dtype or memory order.
        TypeError
            If `out` is no numpy array.
        """
        check_is_fitted(self)
        Z = check_array(Z, dtype=_DTYPES, input_name="Z")
        if Z.shape[1] != self.n_frequencies_:
            raise ValueError(
                f"Z has {Z.shape[1]} columns, but this map has {self.n_frequencies_} frequencies; "
                "pass what project() returned."
            )
        out = output_array(out, (Z.shape[0], self.n_components), Z.dtype, Z)
        prepared = self._prepare(Z.dtype)
        for rows, columns, piece in retile(prepared.projection, Z):
            prepared.epilogue.write(piece, columns, out[rows])
        return out

    @property
    def nbytes_(self) -> int:
        """Bytes the fitted map holds now: projections (cached spectra too) and phases of every dtype used."""
        check_is_fitted(self)
        return sum(prepared.nbytes for prepared in self._prepared.values())

    @property
    def _inverse_sigma(self) -> float:
        """``1/sigma``, the standard deviation of a frequency's entries."""
        return math.sqrt(2.0 * self.gamma)

    def _validated(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", dtype=_DTYPES, reset=False)

    def _prepare(self, dtype: np.dtype[Any]) -> _Prepared:
        """Return the map for `dtype`, drawn from its seed at first use: no float64 copy is kept besides."""
        if dtype not in self._prepared:
            rng = np.random.RandomState(self.seed_)
            projection = self._draw_projection(rng, dtype)
            offset = draw_offset(rng, self.n_components, self.embedding)
            self._prepared[dtype] = _Prepared(projection, Epilogue(offset, self.n_components, dtype))
        return self._prepared[dtype]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
