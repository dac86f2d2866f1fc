"""C and gamma of LIBSVM by cross-validation, the paper's way of choosing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_X_y

from scrf_bench.learners.c_library import c_seed
from scrf_bench.learners.checks import class_codes, require_positive
from scrf_bench.learners.distances import kernel_from_distances, squared_distances, squared_norms
from scrf_bench.learners.folds import stratified_folds
from scrf_bench.learners.libsvm import LibsvmClassifier
from scrf_bench.learners.nodes import NODE, NodeRows
from scrf_bench.learners.one_vs_one import pairwise_decisions, votes

Progress = Callable[[int, int], None]

_PRECOMPUTED_BYTES = 2 << 30  # above this, a fold goes to LIBSVM as vectors and not as a kernel matrix
_CACHE_MB = 200


@dataclass(frozen=True)
class TuningResult:
    """What cross-validation chose, and everything it saw.

    Attributes
    ----------
    log2_C, log2_gamma : float
        The best point; of equals the smaller C, then the smaller gamma.
    cv_accuracy : float
        Its share of rows classified correctly by the model that did not see them.
    grid_log2_C, grid_log2_gamma : tuple of float
        The values tried, ascending.
    accuracies : tuple of tuple of float
        ``accuracies[i][j]`` belongs to ``grid_log2_C[i]`` and ``grid_log2_gamma[j]``.
    folds, rows_used, rows_given : int
        Number of folds; rows cross-validated, out of how many.
    seed : int
        Of the subsample, the folds and C's ``rand()``.
    solver : str
        The learner in words.
    """

    log2_C: float
    log2_gamma: float
    cv_accuracy: float
    grid_log2_C: tuple[float, ...]
    grid_log2_gamma: tuple[float, ...]
    accuracies: tuple[tuple[float, ...], ...]
    folds: int
    rows_used: int
    rows_given: int
    seed: int
    solver: str

    @property
    def C(self) -> float:
        """The best penalty, 2 to the ``log2_C``."""
        return float(2.0**self.log2_C)

    @property
    def gamma(self) -> float:
        """The best kernel parameter, 2 to the ``log2_gamma``."""
        return float(2.0**self.log2_gamma)


def tune_svm(
    X: ArrayLike,
    y: ArrayLike,
    *,
    log2_C: Sequence[float],
    log2_gamma: Sequence[float],
    folds: int = 5,
    seed: int = 0,
    max_rows: int | None = None,
    eps: float = 1e-3,
    progress: Progress | None = None,
) -> TuningResult:
    """Cross-validate exact LIBSVM over a grid of C and gamma.

    For a coarse and a fine search call it twice: with steps of 2, then with steps of 1 around the first best
    (`refined_grid`); the seed keeps rows and folds the same.

    Parameters
    ----------
    X : (n, d) dense or sparse matrix
    y : (n,) labels
    log2_C, log2_gamma : sequences of float
        Base-2 logarithms of the values to try; repeats are dropped.
    folds : int, default=5
        Stratified, shuffled.
    seed : int, default=0
    max_rows : int, optional
        Cross-validate a stratified random subsample of this many rows.
    eps : float, default=1e-3
        LIBSVM's stopping tolerance.
    progress : callable, optional
        Called as ``progress(done, total)`` after each training of a fold.

    Returns
    -------
    TuningResult

    Raises
    ------
    ValueError
        For an empty grid, fewer than two classes, a class with fewer rows than ``folds``, or nan.

    Notes
    -----
    Squared distances are computed once a fold and the kernel once a gamma; LIBSVM gets it as a precomputed
    kernel. Folds whose kernel would take more than 2 GB are given as vectors. The learner is LIBSVM either
    way, rows sorted by class.
    """
    grid_C, grid_gamma = sorted(set(map(float, log2_C))), sorted(set(map(float, log2_gamma)))
    if not grid_C or not grid_gamma:
        raise ValueError("The grid is empty: give at least one value for log2_C and one for log2_gamma.")
    require_positive("eps", eps)
    vectors, labels = check_X_y(X, y, accept_sparse="csr", dtype=np.float64)
    _, codes = class_codes(labels)
    given = codes.shape[0]
    rows, test_folds = stratified_folds(codes, folds, seed, max_rows)
    vectors, codes = vectors[rows], codes[rows]
    correct = np.zeros((len(grid_C), len(grid_gamma)), dtype=np.int64)
    total, done = correct.size * folds, 0
    for fold in range(folds):
        for i, j, hits in _fold_hits(vectors, codes, test_folds == fold, grid_C, grid_gamma, eps, seed):
            correct[i, j] += hits
            done += 1
            if progress is not None:
                progress(done, total)
    accuracies = correct / codes.shape[0]
    best_C, best_gamma = divmod(int(np.argmax(correct)), len(grid_gamma))  # row-major: smaller C, then gamma
    return TuningResult(
        log2_C=grid_C[best_C],
        log2_gamma=grid_gamma[best_gamma],
        cv_accuracy=float(accuracies[best_C, best_gamma]),
        grid_log2_C=tuple(grid_C),
        grid_log2_gamma=tuple(grid_gamma),
        accuracies=tuple(map(tuple, accuracies.tolist())),
        folds=folds,
        rows_used=codes.shape[0],
        rows_given=given,
        seed=seed,
        solver=f"LIBSVM C-SVC, RBF kernel, one-vs-one, eps {eps:g}, rows sorted by class",
    )


def refined_grid(centre: float, *, step: float = 1.0, reach: int = 2) -> list[float]:
    """Return the values around a coarse search's best, e.g. 3 -> [1, 2, 3, 4, 5]."""
    return [centre + step * k for k in range(-reach, reach + 1)]


def _fold_hits(
    X: Any,
    codes: NDArray[np.intp],
    tested: NDArray[np.bool_],
    grid_C: list[float],
    grid_gamma: list[float],
    eps: float,
    seed: int,
) -> Iterator[tuple[int, int, int]]:
    """Yield (index of C, index of gamma, test rows right) for one fold."""
    from scrf_bench.learners.libsvm_api import train_svc

    train = np.flatnonzero(~tested)
    train = train[np.argsort(codes[train], kind="stable")]
    test = np.flatnonzero(tested)
    n = train.shape[0]
    if (NODE.itemsize + 8) * n * n > _PRECOMPUTED_BYTES:
        for j, log2_gamma in enumerate(grid_gamma):
            for i, log2_C in enumerate(grid_C):
                learner = LibsvmClassifier(
                    C=2.0**log2_C, gamma=2.0**log2_gamma, eps=eps, cache_mb=_CACHE_MB, random_state=seed
                )
                predicted = learner.fit(X[train], codes[train]).predict(X[test])
                yield i, j, int(np.count_nonzero(predicted == codes[test]))
        return
    norms = squared_norms(X)
    train_distances = squared_distances(X[train], X[train], norms[train], norms[train])
    test_distances = squared_distances(X[test], X[train], norms[test], norms[train])
    rows, values = _precomputed_rows(n)
    k = int(codes.max()) + 1
    for j, log2_gamma in enumerate(grid_gamma):
        kernel_from_distances(train_distances, 2.0**log2_gamma, out=values)
        K_test = np.empty_like(test_distances)
        kernel_from_distances(test_distances, 2.0**log2_gamma, out=K_test)
        for i, log2_C in enumerate(grid_C):
            model = train_svc(
                rows,
                codes[train],
                C=2.0**log2_C,
                gamma=None,
                eps=eps,
                cache_mb=_CACHE_MB,
                shrinking=True,
                seed=c_seed(seed),
                n_threads=1,
            )
            decisions = pairwise_decisions(K_test[:, model.support], model.dual_coef, model.rho, model.n_support)
            yield i, j, int(np.count_nonzero(votes(decisions, k).argmax(axis=1) == codes[test]))


def _precomputed_rows(n: int) -> tuple[NodeRows, NDArray[np.float64]]:
    """Return nodes for an (n, n) precomputed kernel and the view to write its values into.

    LIBSVM's format: a first node (0, serial number from 1), then the row's kernel values, then the end.
    """
    nodes = np.zeros((n, n + 2), dtype=NODE)
    nodes["index"] = np.append(np.arange(n + 1, dtype=np.int32), np.int32(-1))
    nodes["value"][:, 0] = np.arange(1, n + 1)
    pointers = nodes.ctypes.data + np.arange(n, dtype=np.uintp) * np.uintp((n + 2) * NODE.itemsize)
    return NodeRows(nodes.reshape(-1), pointers, n, -1.0), nodes["value"][:, 1:-1]
