"""C and gamma of a feature map with the linear learner by cross-validation: each map tuned for itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrf_bench.learners.checks import class_codes, require_positive
from scrf_bench.learners.folds import stratified_folds
from scrf_bench.learners.grid_search import GridSearch, Hits, Point, Progress, TuningResult
from scrf_bench.learners.liblinear import LiblinearClassifier


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
    points: Collection[Point] | None = None,
    known: Hits | None = None,
    progress: Progress | None = None,
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
    points, known, progress : optional
        See `GridSearch`.

    Returns
    -------
    TuningResult
        Of equally good points the smaller C, then the smaller gamma.

    Raises
    ------
    ValueError
        For an empty grid, fewer than two classes, or a class with fewer rows than ``folds``.
    """
    search = GridSearch(log2_C, log2_gamma, folds, points=points, known=known, progress=progress)
    require_positive("eps", eps)
    _, codes = class_codes(np.asarray(y))
    rows, test_folds = stratified_folds(codes, folds, seed, max_rows)
    given, codes = codes.shape[0], codes[rows]
    for gamma in search.log2_gamma:
        wanted = {fold: some_C for fold in range(folds) if (some_C := search.todo(fold).get(gamma))}
        if not wanted:
            continue
        Phi = features(2.0**gamma, rows)
        for fold, some_C in wanted.items():
            test = test_folds == fold
            for C in some_C:
                model = LiblinearClassifier(2.0**C, loss="hinge", eps=eps, bias=bias, random_state=seed)
                predicted = model.fit(Phi[~test], codes[~test]).predict(Phi[test])
                search.add(fold, C, gamma, int(np.count_nonzero(predicted == codes[test])))
    solver = f"LIBLINEAR, hinge loss, one-vs-rest, eps {eps:g}, bias {bias:g}"
    return search.result(rows_used=codes.shape[0], rows_given=given, seed=seed, solver=solver)
