"""C and gamma of a feature map with the linear learner by cross-validation: each map tuned for itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrf_bench.learners.checks import class_codes, require_positive
from scrf_bench.learners.folds import stratified_folds
from scrf_bench.learners.liblinear import LiblinearClassifier
from scrf_bench.learners.tuning import TuningResult


def tune_linear(
    features: Callable[[float, NDArray[np.intp]], NDArray[np.floating]],
    y: ArrayLike,
    *,
    log2_C: Sequence[float],
    log2_gamma: Sequence[float],
    folds: int,
    seed: int,
    max_rows: int | None = None,
    eps: float = 0.01,
    bias: float = 1.0,
) -> TuningResult:
    """Cross-validate LIBLINEAR with the hinge loss over a grid of C and gamma.

    Parameters
    ----------
    features : callable
        ``features(gamma, rows) -> (len(rows), D)``: what a map makes of these training rows. It is called once a
        gamma; the map may know all rows, since it never sees a label.
    y : (n,) labels
    log2_C, log2_gamma : sequences of float
        Base-2 logarithms of the values to try; repeats are dropped.
    folds : int
        Stratified, shuffled.
    seed : int
        Of folds, subsample and LIBLINEAR's order of rows.
    max_rows : int, optional
        Cross-validate a stratified random subsample of this many rows.
    eps : float, default=0.01
        LIBLINEAR's stopping tolerance in the search.
    bias : float, default=1.0
        Value of the constant column.

    Returns
    -------
    TuningResult
        Of equally good points the smaller C, then the smaller gamma.

    Raises
    ------
    ValueError
        For an empty grid, fewer than two classes, or a class with fewer rows than ``folds``.
    """
    grid_C, grid_gamma = sorted(set(map(float, log2_C))), sorted(set(map(float, log2_gamma)))
    if not grid_C or not grid_gamma:
        raise ValueError("The grid is empty: give at least one value for log2_C and one for log2_gamma.")
    require_positive("eps", eps)
    _, codes = class_codes(np.asarray(y))
    rows, test_folds = stratified_folds(codes, folds, seed, max_rows)
    given, codes = codes.shape[0], codes[rows]
    correct = np.zeros((len(grid_C), len(grid_gamma)), dtype=np.int64)
    for j, gamma in enumerate(grid_gamma):
        Phi = features(2.0**gamma, rows)
        for fold in range(folds):
            test = test_folds == fold
            for i, C in enumerate(grid_C):
                model = LiblinearClassifier(2.0**C, loss="hinge", eps=eps, bias=bias, random_state=seed)
                predicted = model.fit(Phi[~test], codes[~test]).predict(Phi[test])
                correct[i, j] += int(np.count_nonzero(predicted == codes[test]))
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
        solver=f"LIBLINEAR, hinge loss, one-vs-rest, eps {eps:g}, bias {bias:g}",
    )
