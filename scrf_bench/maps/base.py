"""Maps of random frequencies: parameters, draws, and the projection and the cosine apart."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_array, check_is_fitted

from scrf_bench.maps.epilogue import Embedding, Epilogue, count_frequencies, draw_offset
from scrf_bench.maps.feature_map import DTYPES, FeatureMap
from scrf_bench.maps.radial import KERNEL_CONSTRAINTS, Kernel, check_factors, check_width, inverse_width, radial_factors
from scrf_bench.maps.tiles import TURN, Array, Projection, TileMap, Workspace, output_array, slices
from scrf_bench.maps.walk import walk

__all__ = ["FeatureMap", "RandomFeatureMap", "TileMap"]

# The pieces in which `featurize` turns radians into turns: they stay in the second-level cache.
_PIECE = (64, 1024)


class _Cosines(TileMap):
    """A projection with the cosine on top."""

    def __init__(self, projection: Projection, epilogue: Epilogue, n_parameters: int) -> None:
        self.projection = projection
        self.epilogue = epilogue
        self.dtype = projection.dtype
        self.tile_rows = projection.tile_rows
        self.tile_columns = projection.tile_columns
        self.padded = projection.padded  # type: ignore[misc] # the same for all maps with such a projection
        self.algorithm = projection.algorithm
        self.n_parameters = n_parameters

    @property
    def nbytes(self) -> int:
        return self.projection.nbytes + self.epilogue.nbytes

    def workspace(self) -> Workspace:
        return self.projection.workspace()

    def write(self, tile: Array, n_rows: int, out: Array, work: Workspace) -> None:
        self.projection.write_features(tile, n_rows, self.epilogue, out, work)


class RandomFeatureMap(FeatureMap):
    """Base of maps of random frequencies: ``E <Phi(x), Phi(y)>`` is the kernel.

    A subclass says in `_draw_projection` how the frequencies are drawn and multiplied.

    Parameters
    ----------
    n_components : int, default=512
        Number of columns D of the result; even for ``embedding="pair"``.
    gamma : float, default=1.0
        Width of the kernel, ``gamma = 1/(2 sigma^2)``, above 0.
    embedding : {"phase", "pair"}, default="phase"
        ``sqrt(2/D) cos(z + b)`` of D frequencies, or ``sqrt(2/D) [cos z, sin z]`` of D/2 frequencies.
    random_state : int, RandomState instance or None, default=None
        Where the map's seed comes from.
    kernel : {"gaussian", "matern"}, default="gaussian"
        ``exp(-gamma r^2)``, or ``2^(1-nu)/Gamma(nu) s^nu K_nu(s)`` with ``s = sqrt(2 nu) r/sigma``, at
        distance r.
    nu : float, default=1.5
        Smoothness of the Matern kernel, above 0.

    Attributes
    ----------
    n_features_in_ : int
        Number of features d seen by `fit`.
    n_frequencies_ : int
        Number of frequencies F: D (phase) or D/2 (pair).
    n_parameters_ : int
        How many drawn numbers define the map, as the SCRF paper counts; see each map. A Matern kernel adds F
        radial factors.
    algorithm_ : str
        What computes the projection.
    seed_ : ndarray of shape (4,), uint32
        The map's own seed: every draw comes, in float64, from ``numpy.random.RandomState(seed_)``, first
        those of the projection, then the phases; the radial factors of a Matern kernel from
        ``RandomState([*seed_, 1])``. Fitting with float32 or float64 gives the same map.

    Notes
    -----
    A row's features depend on the row and the seed alone, to the last bit: not on the chunk, the other rows,
    the number of threads, or whether it came dense or sparse. A nan or inf in a row touches no other row.

    Error against the formula evaluated exactly with the float64 draws, in units of ``sqrt(2/D)``: float32
    ``max(2e-5, 2e-6 ||x||/sigma)``, float64 ``max(1e-11, 1e-12 ||x||/sigma)``, tested up to ``||x||/sigma = 1e6`` for
    rows that do not depend on the map. There ``|z|`` is some ``||x||/sigma``, and z carries a relative rounding error
    of a few units. The structured maps stay below half of it; of the dense maps (RKS, ORF, QMC), whose sums are
    longer, a few float32 entries in a million pass it where d is about 64 to 256, by a factor of up to 1.3. A row
    that points along a frequency of the map has ``|z|`` up to ``sqrt(d) ||x||/sigma``, and its float32 error was up
    to 7 times the figure at d = 4096: no float32 argument holds more digits. Of a Matern kernel, whose frequencies
    have heavy tails, the error grows with their radial factors too. gamma has to leave 1/sigma between 1e-30 and 1e30
    (float32) or 1e-150 and 1e150 (float64).

    A row of ``||x||/sigma`` beyond some ``1e36/d^2`` (float32) or ``1e306/d^2`` (float64) can overflow on the way to
    its projection. Then nan stands among its features, without a warning, and in that row only. (Such rows have lost
    all digits of the cosine long before.)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureMap._parameter_constraints,
        "embedding": [StrOptions({"phase", "pair"})],
        **KERNEL_CONSTRAINTS,
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
    ) -> None:
        super().__init__(n_components, gamma=gamma, random_state=random_state)
        self.embedding = embedding
        self.kernel = kernel
        self.nu = nu

    @abstractmethod
    def _draw_projection(self, rng: np.random.RandomState, dtype: np.dtype[Any]) -> Projection:
        """Draw ``n_frequencies_`` frequencies of ``n_features_in_`` entries in float64, multiply them by
        ``_radial_factors(n_frequencies_)`` and return them for `dtype`.

        It is called once for each dtype that is used, with `rng` in the same state, so the draws may not
        depend on `dtype`.
        """

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
            In radians and X's dtype, already divided by sigma. ``featurize(project(X))`` equals
            ``transform(X)`` up to the rounding of z to radians and back: ``3 eps |z| sqrt(2/D)`` and the error
            of the cosine, eps being the dtype's.

        Raises
        ------
        ValueError
            If X is invalid or of another width, or `out` has another shape, dtype or memory order.
        TypeError
            If `out` is no numpy array.
        """
        X = self._validated(X)
        out = output_array(out, (X.shape[0], self.n_frequencies_), X.dtype, X)
        projection = self._projection(X.dtype)

        def write(rows: slice, tile: Array, work: Workspace) -> None:
            blocks = zip(projection.column_blocks, projection.project_tile(tile, work), strict=True)
            for columns, Z in blocks:
                np.multiply(Z[: rows.stop - rows.start], TURN, out=out[rows, columns])

        walk(projection, X, self.n_frequencies_, write)
        return out

    def featurize(self, Z: Any, out: Array | None = None) -> Array:
        """Turn projections into features.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_frequencies_)
            What `project` returned, in radians; left unchanged.
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
        Z = check_array(Z, dtype=DTYPES, input_name="Z")
        if Z.shape[1] != self.n_frequencies_:
            raise ValueError(
                f"Z has {Z.shape[1]} columns, but this map has {self.n_frequencies_} frequencies; "
                "pass what project() returned."
            )
        out = output_array(out, (Z.shape[0], self._n_features_out), Z.dtype, Z)
        epilogue = self._cosines(Z.dtype).epilogue
        for rows in slices(Z.shape[0], _PIECE[0]):
            for columns in slices(Z.shape[1], _PIECE[1]):
                epilogue.write(np.divide(Z[rows, columns], TURN, dtype=Z.dtype, order="C"), columns, out[rows])
        return out

    @property
    def _inverse_sigma(self) -> float:
        """``1/sigma``, the standard deviation of a frequency's entries."""
        return inverse_width(self.gamma)

    def _radial_factors(self, n: int) -> Array | None:
        """Draw the radial law's factor of each of n frequencies, float64; None for the Gaussian kernel.

        They have a stream of their own, so that the directions are those of the Gaussian kernel's map.
        """
        rng = np.random.RandomState(np.append(self.seed_, np.uint32(1)))
        return radial_factors(rng, n, self.kernel, self.nu)

    def _learn(self, X: Any) -> None:  # noqa: ARG002 - a map of random frequencies takes nothing from X
        self.n_frequencies_ = count_frequencies(self.n_components, self.embedding)

    def _tile_map(self, dtype: np.dtype[Any]) -> _Cosines:
        check_width(self.gamma, dtype)
        check_factors(self._radial_factors(self.n_frequencies_), self.gamma, self.nu, dtype)
        rng = np.random.RandomState(self.seed_)
        projection = self._draw_projection(rng, dtype)
        offset = draw_offset(rng, self.n_components, self.embedding)
        n_phases = 0 if offset is None else len(offset)
        n_radial = 0 if self.kernel == "gaussian" else self.n_frequencies_
        n_parameters = projection.n_parameters + n_phases + n_radial
        return _Cosines(projection, Epilogue(offset, self.n_components, dtype), n_parameters)

    def _cosines(self, dtype: np.dtype[Any]) -> _Cosines:
        prepared = self._prepare(dtype)
        assert isinstance(prepared, _Cosines)  # noqa: S101 - what _tile_map returns
        return prepared

    def _projection(self, dtype: np.dtype[Any]) -> Projection:
        return self._cosines(dtype).projection
