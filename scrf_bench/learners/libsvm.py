"""The exact Gaussian-kernel SVM: official LIBSVM behind scikit-learn's estimator interface."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from scrf_bench.kernels import gaussian_kernel_blocks
from scrf_bench.learners.c_library import c_seed
from scrf_bench.learners.checks import (
    model_size,
    prediction_data,
    require_count,
    require_positive,
    training_data,
)
from scrf_bench.learners.nodes import node_rows
from scrf_bench.learners.one_vs_one import pairwise_decisions, per_class_decisions, votes
from scrf_bench.learners.stopwatch import timed


class LibsvmClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """C-SVC with kernel exp(-gamma ||x - y||^2), trained by official LIBSVM, one-vs-one.

    Rows go to the solver sorted by class (stably), which makes its answer that of scikit-learn's ``SVC`` to
    the support vector; in file order LIBSVM finds another solution within the same tolerance. Prediction is
    the method's own: kernel blocks by BLAS, LIBSVM's decision values and LIBSVM's votes.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the hinge loss.
    gamma : float, default=1.0
        Of the kernel.
    eps : float, default=1e-3
        LIBSVM's stopping tolerance.
    cache_mb : float, default=200
        Kernel cache in MB.
    shrinking : bool, default=True
        LIBSVM's shrinking heuristic.
    random_state : int, RandomState instance or None, default=0
        Seed of C's ``rand()`` (which C-SVC does not call today).
    n_threads : int, default=1
        OpenMP threads of the training. Set ``OMP_WAIT_POLICY=passive`` in the environment before using more.

    Attributes
    ----------
    classes_ : (k,) ndarray
        Labels, sorted.
    support_ : (n_sv,) intp
        Rows of the training data that are support vectors, grouped by class.
    support_vectors_ : (n_sv, d) ndarray or CSR matrix
    n_support_ : int
        Number of support vectors.
    n_support_per_class_ : (k,) intp
    dual_coef_ : (k - 1, n_sv) float64
        LIBSVM's ``sv_coef``.
    rho_ : (k (k - 1) / 2,) float64
        Thresholds of the pairs (0,1), (0,2), ..., (1,2), ...
    n_parameters_ : int
        Numbers in the model: support vectors' values (stored ones, if sparse), coefficients and thresholds.
    model_bytes_ : int
        Bytes of the same, indices of sparse vectors included.
    stopwatch_ : dict of str to float
        Seconds: ``convert_*`` (sorting, node filling), ``train_*`` (``svm_train``), ``predict_*`` (last
        predict).
    solver_ : str
        Solver, tolerance and threads in words.
    log_ : str
        What LIBSVM printed.
    n_threads_ : int
        OpenMP threads used.

    See Also
    --------
    OneVsRestKernelSVM : the same kernel through LIBLINEAR's one-vs-rest learner.

    References
    ----------
    Chang and Lin, "LIBSVM: a library for support vector machines", ACM TIST 2(3), 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.learners import LibsvmClassifier
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> LibsvmClassifier(C=10.0, gamma=2.0).fit(X, [0, 0, 1, 1]).predict(X)
    array([0, 0, 1, 1])
    """

    version: ClassVar[int] = 1

    def __init__(
        self,
        C: float = 1.0,
        *,
        gamma: float = 1.0,
        eps: float = 1e-3,
        cache_mb: float = 200,
        shrinking: bool = True,
        random_state: int | np.random.RandomState | None = 0,
        n_threads: int = 1,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.eps = eps
        self.cache_mb = cache_mb
        self.shrinking = shrinking
        self.random_state = random_state
        self.n_threads = n_threads

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on rows ``X`` (n, d), dense or sparse, with labels ``y`` (n,).

        Raises
        ------
        ValueError
            For nan or infinite values, fewer than two classes, or a parameter out of range.
        """
        from scrf_bench.learners.libsvm_api import train_svc

        for name in ("C", "gamma", "eps", "cache_mb"):
            require_positive(name, getattr(self, name))
        require_count("n_threads", self.n_threads)
        vectors, self.classes_, codes = training_data(self, X, y)
        self.stopwatch_: dict[str, float] = {}
        with timed(self.stopwatch_, "convert"):
            order = np.argsort(codes, kind="stable")
            rows = node_rows(vectors).ordered(order)
            sorted_codes = codes[order]
        with timed(self.stopwatch_, "train"):
            model = train_svc(
                rows,
                sorted_codes,
                C=self.C,
                gamma=self.gamma,
                eps=self.eps,
                cache_mb=self.cache_mb,
                shrinking=self.shrinking,
                seed=c_seed(self.random_state),
                n_threads=self.n_threads,
            )
        self.support_ = order[model.support]
        self.support_vectors_ = vectors[self.support_]
        self.n_support_ = int(model.support.shape[0])
        self.n_support_per_class_ = model.n_support
        self.dual_coef_, self.rho_ = model.dual_coef, model.rho
        self.log_, self.n_threads_ = model.log, model.n_threads
        self.solver_ = (
            f"LIBSVM C-SVC, RBF kernel, one-vs-one, eps {self.eps:g}, bias unregularised, "
            "rows sorted by class, "
            f"shrinking {'on' if self.shrinking else 'off'}, {self.n_threads_} OpenMP thread(s)"
        )
        self.n_parameters_, self.model_bytes_ = model_size(self.support_vectors_, self.dual_coef_, self.rho_)
        return self

    def pairwise_decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return LIBSVM's decision values of the class pairs, shape (n, k (k - 1) / 2).

        Positive means the pair's first class, in the order (0,1), (0,2), ..., (1,2), ...
        """
        vectors = prediction_data(self, X)
        values = np.empty((vectors.shape[0], self.rho_.shape[0]))
        for rows, K in gaussian_kernel_blocks(vectors, self.support_vectors_, gamma=self.gamma):
            values[rows] = pairwise_decisions(K, self.dual_coef_, self.rho_, self.n_support_per_class_)
        return values

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return scores in scikit-learn's convention.

        Returns
        -------
        (n,) float64 for two classes
            Positive means ``classes_[1]``.
        (n, k) float64 for more
            Votes with margins as tie-breakers, as ``SVC(decision_function_shape="ovr")`` gives them;
            `predict` follows LIBSVM, which gives a tie to the first class instead.
        """
        values = self.pairwise_decision_function(X)
        if self.classes_.shape[0] == 2:
            return -values[:, 0]
        return per_class_decisions(values, self.classes_.shape[0])

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the labels (n,) that ``svm_predict`` gives."""
        check_is_fitted(self)
        with timed(self.stopwatch_, "predict"):
            values = self.pairwise_decision_function(X)
            return np.asarray(self.classes_[votes(values, self.classes_.shape[0]).argmax(axis=1)])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
