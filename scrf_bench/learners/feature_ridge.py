"""Ridge regression on (random) features, from sums over the rows; for classes by columns of +1 and -1."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from scrf_bench.learners.alpha_path import AlphaPath
from scrf_bench.learners.checks import labels_from_scores, prediction_data, require_positive, require_room
from scrf_bench.learners.feature_rows import FeatureMap, feature_dot, fitted_map
from scrf_bench.learners.gram_sums import GramSums, gram_bytes, gram_sums, origins, require_resolved
from scrf_bench.learners.shifted_systems import ShiftedSolution, solve_shifted
from scrf_bench.learners.stopwatch import timed
from scrf_bench.learners.targets import RealTargets, SignedClassTargets

Precision = Literal["double", "single"]


class _FeatureRidge(AlphaPath):
    """What both ridges share."""

    version: ClassVar[int] = 1
    _one_column: bool

    def __init__(
        self,
        feature_map: FeatureMap = None,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        precision: Precision = "double",
        max_bytes: int = 4 * 10**9,
    ) -> None:
        self.feature_map = feature_map
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precision = precision
        self.max_bytes = max_bytes

    @abstractmethod
    def _training_targets(self, X: ArrayLike, y: ArrayLike) -> tuple[Any, NDArray[np.float64]]:
        """Return the validated rows and the targets in columns; set ``_one_column``."""

    def _solve(self, X: ArrayLike, y: ArrayLike, alphas: Sequence[float]) -> list[ShiftedSolution]:
        require_positive("max_bytes", self.max_bytes)
        if self.precision not in ("double", "single"):
            raise ValueError(f"precision={self.precision!r} is neither 'double' nor 'single'.")
        rows, Y = self._training_targets(X, y)
        times: dict[str, float] = {}
        self.stopwatch_ = times
        with timed(times, "train"):
            with timed(times, "draw"):
                self.feature_map_ = fitted_map(self.feature_map, rows)
            width = rows.shape[1] if self.feature_map_ is None else len(self.feature_map_.get_feature_names_out())
            require_room(f"ridge on D={width} features", gram_bytes(width, Y.shape[1]), self.max_bytes)
            with timed(times, "gram"):
                sums = self._sums(rows, Y, width)
            with timed(times, "solve"):
                if sums.single:
                    require_resolved(sums, min(alphas))
                self._means = sums.centre() if self.fit_intercept else (sums.origin, sums.target_origin)
                self._single = sums.single
                return solve_shifted(sums.products, sums.dot, alphas)

    def _sums(self, rows: Any, Y: NDArray[np.float64], width: int) -> GramSums:
        origin, target_origin = origins(self.feature_map_, rows, Y, centred=self.fit_intercept, n_components=width)
        return gram_sums(
            self.feature_map_,
            rows,
            Y,
            origin=origin,
            target_origin=target_origin,
            single=self.precision == "single",
        )

    def _keep(self, solution: ShiftedSolution) -> None:
        W = solution.W
        mean, target_mean = self._means
        intercept = target_mean - mean @ W
        self.coef_ = np.ascontiguousarray(W[:, 0] if self._flat_coefficients() else W.T)
        self.intercept_: Any = float(intercept[0]) if self._flat_coefficients() else intercept
        self.rcond_, self.method_ = solution.rcond, solution.method
        self.n_parameters_ = int(self.coef_.size + (np.size(intercept) if self.fit_intercept else 0))
        self.model_bytes_ = 8 * self.n_parameters_
        solved = (
            "Cholesky"
            if self.method_ == "cholesky"
            else "eigenvectors, least norm (Phi'Phi + alpha I is singular in float64)"
        )
        self.solver_ = (
            f"ridge, alpha {self.alpha:g} (no 1/n), "
            f"{'bias unregularised' if self.fit_intercept else 'no bias'}, "
            f"sums of {'float32' if self._single else 'float64'} products, {solved}"
        )
        self.log_ = f"rcond {self.rcond_:.3g}"

    def _flat_coefficients(self) -> bool:
        return self._one_column

    def _scores(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self)
        rows = prediction_data(self, X)
        W = np.atleast_2d(self.coef_).T
        scores: NDArray[np.float64] = feature_dot(self.feature_map_, rows, W) + self.intercept_
        return scores[:, 0] if self._one_column else scores


class FeatureRidgeRegressor(RealTargets, MultiOutputMixin, RegressorMixin, _FeatureRidge):  # type: ignore[misc]
    """Ridge regression on the features of a map: min ``||y - Phi w - b||^2 + alpha ||w||^2``, b free.

    There is no 1/n in the objective, and alpha is that of scikit-learn's ``Ridge``; a lambda of
    ``(1/n) ||y - f||^2 + lambda ||w||^2`` is ``alpha = n lambda``. Phi is never held: the rows are walked
    once for ``Phi' Phi`` and ``Phi' y`` (float64), b is taken out by centring those sums, and one Cholesky
    factorisation an alpha solves the normal equations in the memory of one D x D matrix.

    Parameters
    ----------
    feature_map : transformer, optional
        Cloned and fitted by `fit`; None: the rows are features themselves.
    alpha : float, default=1.0
        Penalty, at least 0. Where ``Phi' Phi + alpha I`` is singular in float64 (a condition beyond
        ``1/(max(D, 500) eps)``) the solution of least norm is given, and ``solver_`` says so.
    fit_intercept : bool, default=True
        Whether to fit b, which is not penalised.
    precision : {"double", "single"}, default="double"
        Of the sums over a map's features. "single" leaves float32 rows in float32, about twice as fast; an
        alpha below 1e-6 of the largest eigenvalue of ``Phi' Phi`` is refused then. It changes nothing for
        float64 rows, for other transformers than this package's maps, or without a map.
    max_bytes : int, default=4 * 10**9
        Most memory for the sums; see `gram_bytes`.

    Attributes
    ----------
    feature_map_ : fitted transformer or None
    coef_ : (D,) or (k, D) float64
    intercept_ : float or (k,) float64
    rcond_ : float
        Estimated reciprocal condition number of ``Phi' Phi + alpha I`` (centred).
    method_ : {"cholesky", "eigh"}
    n_parameters_, model_bytes_ : int
        Weights and intercepts, without the map's own.
    stopwatch_ : dict of str to float
        Seconds: ``draw_*`` (fitting the map), ``gram_*`` (features and sums), ``solve_*``, ``train_*`` (all
        three), ``predict_*``.
    solver_, log_ : str

    See Also
    --------
    KernelRidgeRegressor : the exact kernel in place of features.
    ridge_cv : alpha and gamma by cross-validation.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.learners import FeatureRidgeRegressor
    >>> X = np.arange(6.0)[:, None]
    >>> FeatureRidgeRegressor(alpha=1e-9).fit(X, 3.0 * X[:, 0] + 1.0).predict([[10.0]]).round(6)
    array([31.])
    """

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the predictions, (n,) or (n, k) as the targets were, in float64.

        Features are computed in X's dtype: in float32 an error of about ``6e-8 sqrt(sum (phi_j w_j)^2)``.
        """
        check_is_fitted(self)
        with timed(self.stopwatch_, "predict"):
            return self._scores(X)


class FeatureRidgeClassifier(SignedClassTargets, ClassifierMixin, _FeatureRidge):  # type: ignore[misc]
    """`FeatureRidgeRegressor` on one column a class (+1 on its rows, -1 elsewhere); the largest score wins.

    Two classes have one column, +1 for ``classes_[1]``. The scores are those of scikit-learn's
    ``RidgeClassifier``. Parameters and attributes are the regressor's, and:

    Attributes
    ----------
    classes_ : (k,) ndarray
        Labels, sorted.
    coef_ : (1 or k, D) float64
    intercept_ : (1 or k,) float64

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.learners import FeatureRidgeClassifier
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> FeatureRidgeClassifier(alpha=0.1).fit(X, ["low", "low", "high", "high"]).predict([[0.2], [2.9]])
    array(['low', 'high'], dtype='<U4')
    """

    def _flat_coefficients(self) -> bool:
        return False

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return scores: (n,), positive for ``classes_[1]``, or (n, k), the largest wins."""
        return self._scores(X)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the labels, shape (n,)."""
        check_is_fitted(self)
        with timed(self.stopwatch_, "predict"):
            return labels_from_scores(self.classes_, self._scores(X))
