"""The control row: the exact Gaussian kernel through LIBLINEAR's one-vs-rest learner."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from scrf_bench.kernels import gaussian_kernel, gaussian_kernel_blocks
from scrf_bench.learners.c_library import c_seed
from scrf_bench.learners.checks import (
    labels_from_scores,
    model_size,
    prediction_data,
    require_count,
    require_finite,
    require_positive,
    training_data,
)
from scrf_bench.learners.stopwatch import timed

FLOAT64_ROWS = 8000
"""Up to this many training rows the kernel matrix is kept in float64, above it in float32."""


class OneVsRestKernelSVM(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Hinge-loss SVM on the exact kernel, one-vs-rest, with a regularised bias.

    What `LiblinearClassifier` (hinge loss, -s 3) would answer if its features' inner products were exactly
    the kernel exp(-gamma ||x - y||^2): the same objective, the same dual coordinate descent (random order,
    shrinking, stopping rule), the same bias column. Set beside a random feature map + LIBLINEAR it shows what
    the map alone costs; LIBSVM differs from both by its one-vs-one rule and its unregularised bias.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the hinge loss.
    gamma : float, default=1.0
        Of the kernel.
    eps : float, default=0.1
        Tolerance on the spread of the projected gradient, LIBLINEAR's.
    bias : float, default=1.0
        Value of the constant column: adds ``bias**2`` to the kernel. 0 or negative: none.
    max_iter : int, default=1000
        Most passes over the rows.
    random_state : int, RandomState instance or None, default=0
        Seed of the row order.
    max_bytes : int, default=4 * 10**9
        Most memory for the kernel matrix.

    Attributes
    ----------
    classes_ : (k,) ndarray
    support_ : (n_sv,) intp
        Rows with a non-zero coefficient for any class.
    support_vectors_ : (n_sv, d) ndarray or CSR matrix
    dual_coef_ : (1 or k, n_sv) float64
        ``alpha y``; for two classes one row, positive for ``classes_[1]``.
    intercept_ : (1 or k,) float64
    primal_objective_, dual_objective_ : (1 or k,) float64
        ``||w||^2 / 2 + C sum max(0, 1 - y f)`` and ``sum(alpha) - ||w||^2 / 2``; their difference bounds the
        error.
    n_iter_ : (1 or k,) int
        Passes made.
    converged_ : bool
        False if any class reached ``max_iter``.
    n_support_, n_parameters_, model_bytes_ : int
        Support vectors; numbers and bytes of vectors, coefficients and intercepts.
    kernel_dtype_ : dtype
        float64 up to 8000 training rows, float32 above.
    stopwatch_ : dict of str to float
        Seconds: ``convert_*`` (the kernel matrix), ``train_*`` (descent of all classes), ``predict_*``.
        Compiling is in none of them.
    solver_, log_ : str

    References
    ----------
    Hsieh, Chang, Lin, Keerthi and Sundararajan, "A dual coordinate descent method for large-scale linear
    SVM", ICML 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.learners import OneVsRestKernelSVM
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> OneVsRestKernelSVM(C=10.0, gamma=2.0).fit(X, [0, 0, 1, 1]).predict(X)
    array([0, 0, 1, 1])
    """

    version: ClassVar[int] = 1

    def __init__(
        self,
        C: float = 1.0,
        *,
        gamma: float = 1.0,
        eps: float = 0.1,
        bias: float = 1.0,
        max_iter: int = 1000,
        random_state: int | np.random.RandomState | None = 0,
        max_bytes: int = 4 * 10**9,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.eps = eps
        self.bias = bias
        self.max_iter = max_iter
        self.random_state = random_state
        self.max_bytes = max_bytes

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on rows ``X`` (n, d), dense or sparse, with labels ``y`` (n,).

        Raises
        ------
        ValueError
            For nan or infinite values, fewer than two classes, a parameter out of range, or more rows than
            ``max_bytes`` has room for.
        """
        from scrf_bench.learners.dual_descent import compile_for, descend

        for name in ("C", "gamma", "eps"):
            require_positive(name, getattr(self, name))
        require_count("max_iter", self.max_iter)
        require_positive("max_bytes", self.max_bytes)
        require_finite("bias", self.bias)
        vectors, self.classes_, codes = training_data(self, X, y)
        self.kernel_dtype_ = self._affordable_dtype(vectors.shape[0])
        compile_for(self.kernel_dtype_)
        self.stopwatch_: dict[str, float] = {}
        with timed(self.stopwatch_, "convert"):
            K = gaussian_kernel(vectors, gamma=self.gamma, dtype=self.kernel_dtype_)
        positives = range(self.classes_.shape[0]) if self.classes_.shape[0] > 2 else [1]
        seed, bias = c_seed(self.random_state), max(self.bias, 0.0)
        with timed(self.stopwatch_, "train"):
            signs = [np.where(codes == c, 1.0, -1.0) for c in positives]
            solved = [
                descend(K, sign, self.C, self.eps, bias, self.max_iter, seed + c)
                for sign, c in zip(signs, positives, strict=True)
            ]
        beta = np.stack([one[0] for one in solved])
        self._keep_support(vectors, beta, bias)
        self._judge(beta, np.stack(signs), np.stack([one[1] for one in solved]))
        self.n_iter_ = np.array([one[2] for one in solved])
        self.converged_ = all(one[3] for one in solved)
        self._describe(bias)
        return self

    def _affordable_dtype(self, n: int) -> np.dtype[Any]:
        dtype = np.dtype(np.float64 if n <= FLOAT64_ROWS else np.float32)
        needed = n * n * dtype.itemsize
        if needed > self.max_bytes:
            most = max(int((self.max_bytes / 4) ** 0.5), 1)
            if most <= FLOAT64_ROWS:
                most = max(int((self.max_bytes / 8) ** 0.5), 1)
            raise ValueError(
                f"The kernel matrix of n={n} training rows takes {needed / 1e9:.3g} GB, more than "
                f"max_bytes={self.max_bytes / 1e9:.3g} GB; train on fewer rows (train_rows={most} or less) "
                "or raise max_bytes."
            )
        return dtype

    def _keep_support(self, vectors: Any, beta: NDArray[np.float64], bias: float) -> None:
        self.support_ = np.flatnonzero(beta.any(axis=0))
        self.support_vectors_ = vectors[self.support_]
        self.dual_coef_ = np.ascontiguousarray(beta[:, self.support_])
        self.intercept_ = bias * bias * beta.sum(axis=1)
        self.n_support_ = int(self.support_.shape[0])
        self.n_parameters_, self.model_bytes_ = model_size(self.support_vectors_, self.dual_coef_, self.intercept_)

    def _judge(self, beta: NDArray[np.float64], y: NDArray[np.float64], f: NDArray[np.float64]) -> None:
        half_norm = 0.5 * (beta * f).sum(axis=1)  # ||w||^2 = beta' (K + bias^2) beta
        self.primal_objective_ = half_norm + self.C * np.maximum(0.0, 1.0 - y * f).sum(axis=1)
        self.dual_objective_ = np.abs(beta).sum(axis=1) - half_norm

    def _describe(self, bias: float) -> None:
        self.solver_ = (
            "exact Gaussian kernel, one-vs-rest, dual coordinate descent as LIBLINEAR -s 3, "
            f"eps {self.eps:g}, "
            + (f"bias column {bias:g} (regularised)" if bias > 0 else "no bias")
            + f", at most {self.max_iter} passes, kernel matrix in {self.kernel_dtype_}"
        )
        self.log_ = "\n".join(
            f"problem {c}: {passes} passes, primal {primal:.8g}, dual {dual:.8g}"
            for c, (passes, primal, dual) in enumerate(
                zip(self.n_iter_, self.primal_objective_, self.dual_objective_, strict=True)
            )
        )

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return scores: (n,), positive for ``classes_[1]``, or (n, k), the largest wins."""
        vectors = prediction_data(self, X)
        scores = np.empty((vectors.shape[0], self.dual_coef_.shape[0]))
        for rows, K in gaussian_kernel_blocks(vectors, self.support_vectors_, gamma=self.gamma):
            scores[rows] = K @ self.dual_coef_.T
        scores += self.intercept_
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
