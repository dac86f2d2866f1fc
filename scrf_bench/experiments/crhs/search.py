"""gamma and lambda of one method by cross-validation: a coarse grid first, then the neighbours of its best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from scrf_bench.bench import Cell, Stopwatch
from scrf_bench.experiments.crhs.spaces import NO_LIMIT, SVM_EPS, space_map
from scrf_bench.learners import kernel_ridge_cv, ridge_cv, shuffled_folds, stratified_folds, tune_svm

Task = Literal["classification", "regression"]
Losses = dict[tuple[float, float], float]


@dataclass(frozen=True)
class SearchSettings:
    """How gamma and lambda are chosen, for every method alike.

    Attributes
    ----------
    folds : int
        Of the cross-validation; stratified by class where there are classes.
    rows : int
        A random subsample of at most this many training rows is cross-validated, stratified like the folds.
    seed : int
        Of the folds, the subsample, and the draw of the map that is cross-validated.
    log2_values : tuple of float
        Base-2 logarithms of the values for gamma and for lambda, ascending; the paper's are -9, -7, ..., 9.
    stride : int
        The coarse search tries every stride-th value of both, the second search the values around its best.
    """

    folds: int
    rows: int
    seed: int
    log2_values: tuple[float, ...]
    stride: int

    def __post_init__(self) -> None:
        if list(self.log2_values) != sorted(set(self.log2_values)):
            raise ValueError(f"log2_values is {list(self.log2_values)}; give ascending values, each once.")
        if self.folds < 2:
            raise ValueError(f"folds is {self.folds}, which leaves nothing to test on; give at least 2.")

    def words(self) -> str:
        """Return the search in a sentence."""
        low, high = self.log2_values[0], self.log2_values[-1]
        return (
            f"gamma and lambda: {self.folds}-fold cross-validation per method, on the same folds of at most "
            f"{self.rows:,} training rows for all, over 2^{low:g} .. 2^{high:g} ({len(self.log2_values)} values each); "
            f"every {'' if self.stride == 1 else _ordinal(self.stride) + ' '}value first, then those around the best."
        )


@dataclass(frozen=True)
class Choice:
    """What a search chose, and everything that it saw.

    Attributes
    ----------
    log2_gamma, log2_lambda : float
        Of the least loss; of equals the larger lambda, then the smaller gamma.
    loss : float
        Share of rows misclassified, or mean squared error of standardised targets, by models that did not see the row.
    tried : dict
        (log2 gamma, log2 lambda) -> loss.
    rows : int
        Rows cross-validated.
    at_edge : bool
        Whether gamma or lambda is the least or the largest value of the grid.
    cpu_s : float
    """

    log2_gamma: float
    log2_lambda: float
    loss: float
    tried: Losses
    rows: int
    at_edge: bool
    cpu_s: float


def search(cell: Cell, settings: SearchSettings, X: NDArray[Any], y: NDArray[Any], task: Task, D: int | None) -> Choice:
    """Choose gamma and lambda of a cell's method for D columns.

    Parameters
    ----------
    X : (n, d) float64
        Training rows.
    y : (n,) int or float
        Class codes, or standardised targets.
    """
    tried: Losses = {}
    values, stride = settings.log2_values, settings.stride
    with Stopwatch() as watch:
        coarse = values[::stride]
        tried |= _losses(cell, settings, X, y, task, D, coarse, coarse)
        around = [_around(values, stride, centre) for centre in best_of(tried)]
        tried |= _losses(cell, settings, X, y, task, D, *around)
    log2_gamma, log2_lambda = best_of(tried)
    ends = (values[0], values[-1])
    return Choice(
        log2_gamma=log2_gamma,
        log2_lambda=log2_lambda,
        loss=tried[log2_gamma, log2_lambda],
        tried=tried,
        rows=min(settings.rows, len(y)),
        at_edge=log2_gamma in ends or log2_lambda in ends,
        cpu_s=watch.cpu_s,
    )


def best_of(tried: Losses) -> tuple[float, float]:
    """Return (log2 gamma, log2 lambda) of the least loss; of equals the larger lambda, then the smaller gamma."""
    return min(tried, key=lambda point: (tried[point], -point[1], point[0]))


def _around(values: Sequence[float], stride: int, centre: float) -> Sequence[float]:
    at = values.index(centre)
    return values[max(0, at - stride + 1) : at + stride]


def _losses(
    cell: Cell,
    settings: SearchSettings,
    X: NDArray[Any],
    y: NDArray[Any],
    task: Task,
    D: int | None,
    log2_gammas: Sequence[float],
    log2_lambdas: Sequence[float],
) -> Losses:
    """Cross-validate every pair; one factorisation a fold and lambda, one kernel or one walk over the rows a gamma."""
    method, seed = cell.parameters["method"], settings.seed
    if method == "ksvm":
        # The same folds and rows: it deals them out by the same function from the same seed.
        log2_C = [-1.0 - value for value in log2_lambdas]
        found = tune_svm(
            X, y, log2_C=log2_C, log2_gamma=log2_gammas,
            folds=settings.folds, seed=seed, max_rows=settings.rows, eps=SVM_EPS,
        )  # fmt: skip
        return {
            (gamma, -1.0 - C): 1.0 - found.accuracies[i][j]
            for i, C in enumerate(found.grid_log2_C)
            for j, gamma in enumerate(found.grid_log2_gamma)
        }
    if task == "classification":
        rows, fold = stratified_folds(y, settings.folds, seed, settings.rows)
    else:
        rows, fold = shuffled_folds(len(y), settings.folds, seed, settings.rows)
    grid: dict[str, Any] = {
        "gammas": [2.0**value for value in log2_gammas],
        "alphas": [2.0**value for value in log2_lambdas],
        "task": task,
        "max_bytes": NO_LIMIT,
    }
    if method == "krr":
        seen = kernel_ridge_cv(X[rows], y[rows], fold, **grid)
    else:
        seen = ridge_cv(lambda gamma: space_map(cell, D, gamma, seed), X[rows], y[rows], fold, **grid)
    return {
        (float(np.log2(gamma)), float(np.log2(alpha))): seen.losses[i][j]
        for i, gamma in enumerate(seen.gammas)
        for j, alpha in enumerate(seen.alphas)
    }


def _ordinal(number: int) -> str:
    return {2: "second", 3: "third"}.get(number, f"{number}th")
