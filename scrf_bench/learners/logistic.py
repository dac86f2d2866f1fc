"""Multinomial logistic regression with a Gaussian prior on (random) features, by L-BFGS."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from scrf_bench.learners.checks import (
    labels_from_scores,
    prediction_data,
    require_at_least_zero,
    require_count,
    require_positive,
    training_data,
)
from scrf_bench.learners.feature_rows import FeatureMap, feature_chunks, feature_dot, fitted_map
from scrf_bench.learners.logistic_loss import Chunks, LogisticLoss
from scrf_bench.learners.stopwatch import timed

_FTOL = 64 * np.finfo(np.float64).eps  # scikit-learn's: stop on the gradient, or where float64 has no more to give
_LINE_SEARCHES = 50


class LogisticClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Multinomial logistic regression: min ``sum -log p(y | x) + alpha/2 ||W||^2`` by L-BFGS.

    The objective is that of scikit-learn's ``LogisticRegression`` with ``C = 1/alpha``; alpha is the precision of
    a Gaussian prior (1 / its variance) on each weight. Three classes or more have a weight vector each (softmax),
    two have one, for ``classes_[1]``. No 1/n: a lambda of ``(1/n) sum loss + lambda/2 ||W||^2`` is
    ``alpha = n lambda``.

    Parameters
    ----------
    feature_map : transformer, optional
        Cloned and fitted by `fit`; None: the rows are features themselves.
    alpha : float, default=1.0
        Penalty, at least 0; see `gaussian_prior_alpha`.
    fit_intercept : bool, default=True
    intercept_column : float, default=1.0
        Value c of the constant column that intercepts are the weights of: ``b = c v``. It matters for the
        penalty, and for the optimiser's path.
    penalise_intercept : bool, default=False
        Whether v has the penalty of the other weights.
    max_iter : int, default=300
        Most iterations.
    tol : float, default=1e-6
        Stop when no entry of the gradient of the objective divided by n is larger. It scales with the features:
        those of a map of D columns are about sqrt(2/D).
    history : int, default=10
        Pairs that L-BFGS keeps.
    warm_start : bool, default=False
        Start from the last fit's weights where they have the shape wanted.
    max_bytes : int, default=4 * 10**9
        Most memory for a map's features. Beyond it they are not kept, but made anew for every evaluation.

    Attributes
    ----------
    classes_ : (k,) ndarray
        Labels, sorted.
    feature_map_ : fitted transformer or None
    coef_ : (1 or k, D) float64
    intercept_ : (1 or k,) float64
    n_iter_, n_evaluations_ : int
        Iterations; evaluations of objective and gradient.
    converged_ : bool
        Whether ``tol`` (or the limit of float64) was reached within ``max_iter``. No warning is given.
    objective_ : float
        As above, without 1/n.
    gradient_norm_ : float
        Largest entry of the gradient of the objective divided by n.
    features_ : {"given", "stored", "regenerated"}
    n_parameters_, model_bytes_ : int
        Weights and intercepts, without the map's own.
    stopwatch_ : dict of str to float
        Seconds: ``draw_*`` (fitting the map), ``map_*`` (features to be stored), ``solve_*`` (L-BFGS, features
        made anew included), ``train_*`` (all three), ``predict_*``.
    solver_, log_ : str

    Notes
    -----
    Features have X's dtype: pass float32 rows for half the memory and time. Products with features are then
    rounded to float32; losses and all longer sums are float64.

    References
    ----------
    Mineiro, "Cosplay", Machined Learnings, 2013 (random cosines and this learner).
    Liu and Nocedal, "On the limited memory BFGS method for large scale optimization", 1989.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.learners import LogisticClassifier
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> LogisticClassifier(alpha=0.01).fit(X, list("aabbcc")).predict([[0.1], [2.5], [4.9]])
    array(['a', 'b', 'c'], dtype='<U1')
    """

    version: ClassVar[int] = 1

    def __init__(
        self,
        feature_map: FeatureMap = None,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        intercept_column: float = 1.0,
        penalise_intercept: bool = False,
        max_iter: int = 300,
        tol: float = 1e-6,
        history: int = 10,
        warm_start: bool = False,
        max_bytes: int = 4 * 10**9,
    ) -> None:
        self.feature_map = feature_map
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.intercept_column = intercept_column
        self.penalise_intercept = penalise_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.history = history
        self.warm_start = warm_start
        self.max_bytes = max_bytes

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on rows ``X`` (n, d), dense or sparse, with labels ``y`` (n,).

        Raises
        ------
        ValueError
            For nan or infinite values, fewer than two classes, or a parameter out of range.
        """
        for name in ("alpha", "tol"):
            require_at_least_zero(name, getattr(self, name))
        for name in ("max_bytes", "intercept_column"):
            require_positive(name, getattr(self, name))
        for name in ("max_iter", "history"):
            require_count(name, getattr(self, name))
        before = self._last_model() if self.warm_start else None
        rows, self.classes_, codes = training_data(self, X, y)
        self.stopwatch_: dict[str, float] = {}
        with timed(self.stopwatch_, "train"):
            with timed(self.stopwatch_, "draw"):
                self.feature_map_ = fitted_map(self.feature_map, rows)
            width = rows.shape[1] if self.feature_map_ is None else len(self.feature_map_.get_feature_names_out())
            with timed(self.stopwatch_, "map"):
                chunks = self._chunks(rows, width)
            loss = LogisticLoss(
                chunks,
                codes,
                self.classes_.shape[0],
                width,
                rows.dtype,
                alpha=self.alpha,
                intercept_column=self.intercept_column if self.fit_intercept else 0.0,
                intercept_alpha=self.alpha if self.penalise_intercept else 0.0,
            )
            with timed(self.stopwatch_, "solve"):
                self._minimise(loss, self._start(loss, before), codes.shape[0])
        self._describe(rows.dtype)
        return self

    def _chunks(self, rows: Any, width: int) -> Chunks:
        """Return the walk over the features, which are stored here if they are to be."""
        if self.feature_map_ is None:
            self.features_ = "given"
        elif rows.shape[0] * width * rows.dtype.itemsize <= self.max_bytes:
            self.features_ = "stored"
            Phi = self.feature_map_.transform(rows).astype(rows.dtype, copy=False)
            return lambda: [(slice(0, rows.shape[0]), Phi)]
        else:
            self.features_ = "regenerated"

        def walk() -> Iterable[tuple[slice, NDArray[Any]]]:
            for part, Phi in feature_chunks(self.feature_map_, rows):
                yield part, Phi.astype(rows.dtype, copy=False)

        return walk

    def _last_model(self) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]] | None:
        return (self.classes_, self.coef_, self.intercept_) if hasattr(self, "coef_") else None

    def _start(
        self, loss: LogisticLoss, before: tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]] | None
    ) -> NDArray[np.float64]:
        start = np.zeros(loss.size)
        W, v = loss.unpack(start)
        if before is not None and np.array_equal(before[0], self.classes_) and before[1].shape == W.shape:
            W[...] = before[1]
            v[...] = before[2][: v.size] / self.intercept_column
        return start

    def _minimise(self, loss: LogisticLoss, start: NDArray[np.float64], n: int) -> None:
        result = minimize(
            loss,
            start,
            jac=True,
            method="L-BFGS-B",
            options={
                "maxiter": self.max_iter,
                "maxfun": self.max_iter * _LINE_SEARCHES,
                "maxls": _LINE_SEARCHES,
                "maxcor": self.history,
                "gtol": self.tol,
                "ftol": _FTOL,
            },
        )
        W, v = loss.unpack(result.x)
        self.coef_ = W.copy()
        self.intercept_ = self.intercept_column * v if self.fit_intercept else np.zeros(W.shape[0])
        self.n_iter_, self.n_evaluations_ = int(result.nit), int(result.nfev)
        self.converged_ = bool(result.success)
        self.objective_ = float(result.fun) * n
        self.gradient_norm_ = float(np.abs(result.jac).max())
        self._message = str(result.message)

    def _describe(self, dtype: np.dtype[Any]) -> None:
        self.n_parameters_ = int(self.coef_.size + (self.intercept_.size if self.fit_intercept else 0))
        self.model_bytes_ = 8 * self.n_parameters_
        if not self.fit_intercept:
            bias = "no bias"
        else:
            penalised = "regularised" if self.penalise_intercept else "unregularised"
            bias = f"bias column {self.intercept_column:g} ({penalised})"
        self.solver_ = (
            f"multinomial logistic, alpha {self.alpha:g} (no 1/n), {bias}, L-BFGS-B (scipy) with {self.history} pairs, "
            f"at most {self.max_iter} iterations, tolerance {self.tol:g}, {dtype} features {self.features_}"
        )
        self.log_ = (
            f"{self.n_iter_} iterations, {self.n_evaluations_} evaluations, objective {self.objective_:.8g}, "
            f"gradient {self.gradient_norm_:.3g}: {self._message}"
        )

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the logits: (n,), positive for ``classes_[1]``, or (n, k), the largest wins."""
        rows = prediction_data(self, X)
        logits: NDArray[np.float64] = feature_dot(self.feature_map_, rows, self.coef_.T) + self.intercept_
        return logits[:, 0] if self.classes_.shape[0] == 2 else logits

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probabilities of the classes, (n, k)."""
        logits = self.decision_function(X)
        if logits.ndim == 1:
            return np.stack([expit(-logits), expit(logits)], axis=1)
        return np.asarray(softmax(logits, axis=1))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the labels, shape (n,)."""
        check_is_fitted(self)
        with timed(self.stopwatch_, "predict"):
            return labels_from_scores(self.classes_, self.decision_function(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
