"""The linear learner: official LIBLINEAR behind scikit-learn's estimator interface."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from scrf_bench.learners.c_library import c_seed
from scrf_bench.learners.checks import (
    labels_from_scores,
    prediction_data,
    require_finite,
    require_positive,
    training_data,
)
from scrf_bench.learners.nodes import node_rows
from scrf_bench.learners.stopwatch import timed

_SOLVERS = {
    ("hinge", True): (3, "L2-regularised hinge loss, dual coordinate descent"),
    ("squared_hinge", True): (1, "L2-regularised squared hinge loss, dual coordinate descent"),
    ("squared_hinge", False): (2, "L2-regularised squared hinge loss, primal Newton"),
    ("logistic", True): (7, "L2-regularised logistic loss, dual coordinate descent"),
    ("logistic", False): (0, "L2-regularised logistic loss, primal Newton"),
}
_DUAL_BY_DEFAULT = {"hinge": True, "squared_hinge": True, "logistic": False}


class LiblinearClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """L2-regularised linear classifier, trained by official LIBLINEAR, one-vs-rest.

    Rows go to the solver sorted by class (stably), C's ``rand()`` is seeded before every training, so that
    two trainings give the same bits. Prediction is one matrix product, in the precision of its input.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the loss.
    loss : {"hinge", "squared_hinge", "logistic"}, default="hinge"
    eps : float, default=0.1
        LIBLINEAR's tolerance. Its meaning is the solver's: the dual ones bound the spread of the projected
        gradient, the primal ones the gradient's norm relative to the start (0.01 is LIBLINEAR's default
        there).
    bias : float, default=1.0
        Value of a constant column, whose weight is regularised like the others; negative for none.
    random_state : int, RandomState instance or None, default=0
        Seed of C's ``rand()``.
    dual : bool or "auto", default="auto"
        Which of LIBLINEAR's solvers: hinge has only a dual one (-s 3), squared hinge -s 1 (dual, "auto") or
        -s 2, logistic -s 7 (dual) or -s 0 ("auto").

    Attributes
    ----------
    classes_ : (k,) ndarray
        Labels, sorted.
    coef_ : (1 or k, d) float64
        Weights; for two classes one row, positive for ``classes_[1]``.
    intercept_ : (1 or k,) float64
        Bias weight times ``bias``.
    converged_ : bool
        False if LIBLINEAR reached its fixed limit of iterations (300 dual ones) for any class; ``log_`` has
        its words.
    n_parameters_ : int
        Weights and intercepts.
    model_bytes_ : int
        Bytes of the same in float64.
    stopwatch_ : dict of str to float
        Seconds: ``convert_*`` (sorting, node filling), ``train_*`` (LIBLINEAR's ``train``), ``predict_*``
        (last predict).
    solver_ : str
        Solver, tolerance and bias in words.
    log_ : str
        What LIBLINEAR printed.

    Notes
    -----
    The C interface has no parameter for the number of iterations. A score of exactly 0 goes to
    ``classes_[0]`` (scikit-learn's rule; LIBLINEAR gives it to the second label).

    References
    ----------
    Fan, Chang, Hsieh, Wang and Lin, "LIBLINEAR: a library for large linear classification", JMLR 9, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.learners import LiblinearClassifier
    >>> X = np.array([[-2.0, 0.0], [-1.0, 1.0], [1.0, 1.0], [2.0, 0.0]])
    >>> LiblinearClassifier(C=1.0).fit(X, ["a", "a", "b", "b"]).predict([[-3.0, 0.0], [3.0, 0.0]])
    array(['a', 'b'], dtype='<U1')
    """

    version: ClassVar[int] = 1

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: Literal["hinge", "squared_hinge", "logistic"] = "hinge",
        eps: float = 0.1,
        bias: float = 1.0,
        random_state: int | np.random.RandomState | None = 0,
        dual: bool | Literal["auto"] = "auto",
    ) -> None:
        self.C = C
        self.loss = loss
        self.eps = eps
        self.bias = bias
        self.random_state = random_state
        self.dual = dual

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on rows ``X`` (n, d), dense or sparse, float32 or float64, with labels ``y`` (n,).

        Raises
        ------
        ValueError
            For nan or infinite values, fewer than two classes, or a parameter out of range.
        """
        from scrf_bench.learners.liblinear_api import linear_problem, train_linear

        require_positive("C", self.C)
        require_positive("eps", self.eps)
        require_finite("bias", self.bias)
        solver_type, name = self._solver()
        rows, self.classes_, codes = training_data(self, X, y)
        self.stopwatch_: dict[str, float] = {}
        with timed(self.stopwatch_, "convert"):
            order = np.argsort(codes, kind="stable")
            problem = linear_problem(node_rows(rows, self.bias).ordered(order), codes[order])
        with timed(self.stopwatch_, "train"):
            model = train_linear(
                problem, solver_type=solver_type, C=self.C, eps=self.eps, seed=c_seed(self.random_state)
            )
        # LIBLINEAR's one column for two classes is positive for class 0, scikit-learn's for class 1.
        weights = -model.weights.T if self.classes_.shape[0] == 2 else model.weights.T
        d = rows.shape[1]
        self.coef_ = np.ascontiguousarray(weights[:, :d])
        self.intercept_ = weights[:, d] * self.bias if self.bias >= 0 else np.zeros(weights.shape[0])
        self.log_, self.converged_ = model.log, model.converged
        with_bias = f"bias column {self.bias:g} (regularised)" if self.bias >= 0 else "no bias"
        self.solver_ = (
            f"LIBLINEAR -s {solver_type} ({name}), one-vs-rest, eps {self.eps:g}, {with_bias}, "
            "rows sorted by class, seeded"
        )
        self.n_parameters_ = int(self.coef_.size + self.intercept_.size * (self.bias >= 0))
        self.model_bytes_ = int(self.coef_.nbytes + self.intercept_.nbytes * (self.bias >= 0))
        return self

    def _solver(self) -> tuple[int, str]:
        if self.loss not in _DUAL_BY_DEFAULT:
            raise ValueError(f"loss={self.loss!r} is unknown; choose one of {', '.join(_DUAL_BY_DEFAULT)}.")
        dual = _DUAL_BY_DEFAULT[self.loss] if self.dual == "auto" else self.dual
        try:
            return _SOLVERS[self.loss, dual]
        except KeyError:
            raise ValueError(
                f"LIBLINEAR has no solver for loss={self.loss!r} with dual={self.dual!r}; use dual='auto'."
            ) from None

    def decision_function(self, X: ArrayLike) -> NDArray[np.floating[Any]]:
        """Return scores in scikit-learn's convention, in the precision of ``X``.

        Returns
        -------
        (n,) for two classes
            Positive means ``classes_[1]``.
        (n, k) for more
            The largest wins.
        """
        rows = prediction_data(self, X)
        scores = np.asarray(rows @ self.coef_.T.astype(rows.dtype, copy=False))
        scores += self.intercept_.astype(rows.dtype, copy=False)
        return scores[:, 0] if self.classes_.shape[0] == 2 else scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the labels, shape (n,)."""
        check_is_fitted(self)
        with timed(self.stopwatch_, "predict"):
            return labels_from_scores(self.classes_, self.decision_function(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
