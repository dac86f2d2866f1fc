"""Exact kernel ridge regression with the Gaussian kernel; for classes by columns of +1 and -1."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from scrf_bench.kernels import gaussian_kernel, gaussian_kernel_dot
from scrf_bench.learners.alpha_path import AlphaPath
from scrf_bench.learners.checks import (
    labels_from_scores,
    model_size,
    prediction_data,
    require_positive,
    require_room,
)
from scrf_bench.learners.shifted_systems import ShiftedSolution, solve_shifted
from scrf_bench.learners.stopwatch import timed
from scrf_bench.learners.targets import RealTargets, SignedClassTargets

_KERNEL_BLOCKS = 4 * 2**22  # float64 values that gaussian_kernel has at hand while it fills the matrix


def kernel_ridge_bytes(n: int, d: int, n_targets: int = 1) -> int:
    """Return the most bytes that fitting kernel ridge takes, the training rows themselves apart.

    Parameters
    ----------
    n, d : int
        Training rows and their width.
    n_targets : int
        Columns of the targets (classes: one each, two classes one).

    Returns
    -------
    int
        The kernel matrix (8 n^2: factorised in place), two float64 copies of the rows, blocks of the kernel
        and some columns of targets. Where the matrix is singular in float64, eigenvectors take 8 n^2 more.
    """
    return 8 * (n * n + 2 * n * d + min(_KERNEL_BLOCKS, 4 * n * n) + 6 * n * (n_targets + 1))


class _KernelRidge(AlphaPath):
    """What both kernel ridges share."""

    version: ClassVar[int] = 1
    _one_column: bool

    def __init__(self, *, alpha: float = 1.0, gamma: float = 1.0, max_bytes: int = 4 * 10**9) -> None:
        self.alpha = alpha
        self.gamma = gamma
        self.max_bytes = max_bytes

    @abstractmethod
    def _training_targets(self, X: ArrayLike, y: ArrayLike) -> tuple[Any, NDArray[np.float64]]:
        """Return the validated rows and the targets in columns; set ``_one_column``."""

    def _solve(self, X: ArrayLike, y: ArrayLike, alphas: Sequence[float]) -> list[ShiftedSolution]:
        require_positive("gamma", self.gamma)
        require_positive("max_bytes", self.max_bytes)
        self.X_fit_, Y = self._training_targets(X, y)
        n, d = self.X_fit_.shape
        require_room(f"kernel ridge on n={n} training rows", kernel_ridge_bytes(n, d, Y.shape[1]), self.max_bytes)
        self.stopwatch_ = {}
        with timed(self.stopwatch_, "convert"):
            K = gaussian_kernel(self.X_fit_, gamma=self.gamma)
        with timed(self.stopwatch_, "train"):
            return solve_shifted(K, Y, alphas)

    def _keep(self, solution: ShiftedSolution) -> None:
        self.dual_coef_ = solution.W[:, 0] if self._one_column else solution.W
        self.rcond_, self.method_ = solution.rcond, solution.method
        self.n_parameters_, self.model_bytes_ = model_size(self.X_fit_, self.dual_coef_)
        solved = (
            "Cholesky"
            if self.method_ == "cholesky"
            else "eigenvectors, least norm (K + alpha I is singular in float64)"
        )
        self.solver_ = f"exact Gaussian kernel ridge, alpha {self.alpha:g} (no 1/n), no bias, float64, {solved}"
        self.log_ = f"rcond {self.rcond_:.3g}"

    def _scores(self, X: ArrayLike) -> NDArray[np.float64]:
        rows = prediction_data(self, X)
        return np.asarray(gaussian_kernel_dot(rows, self.X_fit_, self.dual_coef_, self.gamma))


class KernelRidgeRegressor(RealTargets, MultiOutputMixin, RegressorMixin, _KernelRidge):  # type: ignore[misc]
    """Exact kernel ridge: min over f in the RKHS of ``sum (y_i - f(x_i))^2 + alpha ||f||^2``, no intercept.

    The kernel is exp(-gamma ||x - y||^2) in float64. There is no 1/n in the objective, and alpha is that of
    scikit-learn's ``KernelRidge``: ``f = sum_i a_i k(x_i, .)`` with ``(K + alpha I) a = y``; a lambda of
    ``(1/n) sum (y - f)^2 + lambda ||f||^2`` is ``alpha = n lambda``. The matrix is factorised where it
    stands, and predictions come from blocks of the kernel.

    Parameters
    ----------
    alpha : float, default=1.0
        Penalty, at least 0. Where ``K + alpha I`` is singular in float64 the solution of least norm is given,
        and ``solver_`` says so.
    gamma : float, default=1.0
        Of the kernel.
    max_bytes : int, default=4 * 10**9
        Most memory for fitting; see `kernel_ridge_bytes`.

    Attributes
    ----------
    X_fit_ : (n, d) ndarray or CSR matrix
    dual_coef_ : (n,) or (n, k) float64
    rcond_ : float
        Estimated reciprocal condition number of ``K + alpha I``.
    method_ : {"cholesky", "eigh"}
    n_parameters_, model_bytes_ : int
        Numbers and bytes of training rows and coefficients.
    stopwatch_ : dict of str to float
        Seconds: ``convert_*`` (the kernel matrix), ``train_*`` (factorisations), ``predict_*``.
    solver_, log_ : str

    References
    ----------
    Saunders, Gammerman and Vovk, "Ridge regression learning algorithm in dual variables", ICML 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.learners import KernelRidgeRegressor
    >>> X = np.linspace(0.0, 3.0, 20)[:, None]
    >>> KernelRidgeRegressor(alpha=1e-6).fit(X, np.sin(X[:, 0])).predict([[1.5]]).round(4)
    array([0.9975])
    """

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the predictions, (n,) or (n, k) as the targets were, in float64."""
        check_is_fitted(self)
        with timed(self.stopwatch_, "predict"):
            return self._scores(X)


class KernelRidgeClassifier(SignedClassTargets, ClassifierMixin, _KernelRidge):  # type: ignore[misc]
    """`KernelRidgeRegressor` on one column a class (+1 on its rows, -1 elsewhere); the largest score wins.

    Two classes have one column, +1 for ``classes_[1]``. Parameters and attributes are the regressor's, and
    ``classes_``, the sorted labels.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.learners import KernelRidgeClassifier
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> KernelRidgeClassifier(alpha=0.1, gamma=2.0).fit(X, [0, 0, 1, 1]).predict(X)
    array([0, 0, 1, 1])
    """

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return scores: (n,), positive for ``classes_[1]``, or (n, k), the largest wins."""
        return self._scores(X)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the labels, shape (n,)."""
        check_is_fitted(self)
        with timed(self.stopwatch_, "predict"):
            return labels_from_scores(self.classes_, self._scores(X))
