"""Support vector regression with the exact Gaussian kernel: official LIBSVM's epsilon-SVR."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from scrf_bench.kernels import gaussian_kernel_dot
from scrf_bench.learners.c_library import c_seed
from scrf_bench.learners.checks import (
    model_size,
    prediction_data,
    require_at_least_zero,
    require_count,
    require_positive,
)
from scrf_bench.learners.nodes import node_rows
from scrf_bench.learners.stopwatch import timed


class LibsvmRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """epsilon-SVR with kernel exp(-gamma ||x - y||^2), trained by official LIBSVM.

    Minimises ``||w||^2 / 2 + C sum max(0, |y - f| - epsilon)``. Rows go to the solver in their order, as
    scikit-learn's ``SVR`` gives them. Prediction is the method's own: kernel blocks by BLAS.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the loss.
    gamma : float, default=1.0
        Of the kernel.
    epsilon : float, default=0.1
        Half the width of the tube without loss, in the targets' units.
    eps : float, default=1e-3
        LIBSVM's stopping tolerance.
    cache_mb : float, default=200
        Kernel cache in MB.
    shrinking : bool, default=True
        LIBSVM's shrinking heuristic.
    random_state : int, RandomState instance or None, default=0
        Seed of C's ``rand()`` (which epsilon-SVR does not call today).
    n_threads : int, default=1
        OpenMP threads of the training; see `LibsvmClassifier`.

    Attributes
    ----------
    support_ : (n_sv,) intp
        Rows of the training data that are support vectors.
    support_vectors_ : (n_sv, d) ndarray or CSR matrix
    dual_coef_ : (n_sv,) float64
        ``alpha - alpha*``, within [-C, C].
    intercept_ : float
    n_support_, n_parameters_, model_bytes_ : int
        Support vectors; numbers and bytes of vectors, coefficients and intercept.
    stopwatch_ : dict of str to float
        Seconds: ``convert_*`` (node filling), ``train_*`` (``svm_train``), ``predict_*`` (last predict).
    solver_, log_ : str
    n_threads_ : int
        OpenMP threads used.

    See Also
    --------
    LibsvmClassifier : C-SVC.

    References
    ----------
    Chang and Lin, "LIBSVM: a library for support vector machines", ACM TIST 2(3), 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.learners import LibsvmRegressor
    >>> X = np.linspace(0.0, 3.0, 30)[:, None]
    >>> LibsvmRegressor(C=100.0, epsilon=0.01).fit(X, np.sin(X[:, 0])).predict([[1.5]]).round(1)
    array([1.])
    """

    version: ClassVar[int] = 1

    def __init__(
        self,
        C: float = 1.0,
        *,
        gamma: float = 1.0,
        epsilon: float = 0.1,
        eps: float = 1e-3,
        cache_mb: float = 200,
        shrinking: bool = True,
        random_state: int | np.random.RandomState | None = 0,
        n_threads: int = 1,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.epsilon = epsilon
        self.eps = eps
        self.cache_mb = cache_mb
        self.shrinking = shrinking
        self.random_state = random_state
        self.n_threads = n_threads

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on rows ``X`` (n, d), dense or sparse, with targets ``y`` (n,).

        Raises
        ------
        ValueError
            For nan or infinite values, or a parameter out of range.
        """
        from scrf_bench.learners.libsvm_api import train_svr

        for name in ("C", "gamma", "eps", "cache_mb"):
            require_positive(name, getattr(self, name))
        require_at_least_zero("epsilon", self.epsilon)
        require_count("n_threads", self.n_threads)
        vectors, targets = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", y_numeric=True
        )
        self.stopwatch_: dict[str, float] = {}
        with timed(self.stopwatch_, "convert"):
            rows = node_rows(vectors)
        with timed(self.stopwatch_, "train"):
            model = train_svr(
                rows,
                np.asarray(targets, dtype=np.float64),
                C=self.C,
                gamma=self.gamma,
                epsilon=self.epsilon,
                eps=self.eps,
                cache_mb=self.cache_mb,
                shrinking=self.shrinking,
                seed=c_seed(self.random_state),
                n_threads=self.n_threads,
            )
        self.support_ = model.support
        self.support_vectors_ = vectors[self.support_]
        self.n_support_ = int(model.support.shape[0])
        self.dual_coef_, self.intercept_ = model.dual_coef[0], -float(model.rho[0])
        self.log_, self.n_threads_ = model.log, model.n_threads
        self.solver_ = (
            f"LIBSVM epsilon-SVR, RBF kernel, epsilon {self.epsilon:g}, eps {self.eps:g}, bias unregularised, "
            f"shrinking {'on' if self.shrinking else 'off'}, {self.n_threads_} OpenMP thread(s)"
        )
        self.n_parameters_, self.model_bytes_ = model_size(self.support_vectors_, self.dual_coef_, model.rho)
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the predictions, shape (n,), in float64."""
        check_is_fitted(self)
        with timed(self.stopwatch_, "predict"):
            vectors = prediction_data(self, X)
            if not self.n_support_:  # a tube that holds every target
                return np.full(vectors.shape[0], self.intercept_)
            values = gaussian_kernel_dot(vectors, self.support_vectors_, self.dual_coef_, self.gamma)
            return np.asarray(values + self.intercept_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
