"""Gamma and the penalty of a trial: the median rule or a search, by cross-validating the exact kernel on few rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, PredefinedSplit

from scrf_bench.errors import UserError
from scrf_bench.experiments.trial.grid import Best, Point, Scores, follow_edges
from scrf_bench.experiments.trial.target import Kind
from scrf_bench.learners import kernel_ridge_cv, stratified_folds, tune_linear, tune_svm
from scrf_bench.learners.distances import squared_distances, squared_norms

Progress = Callable[[int, int], None]

_MEDIAN_ROWS = 1000
_SEARCH_ROWS = 1000
_RIDGE_ROWS = 2000
_FOLDS = 3
MANY_CLASSES = 10  # LIBLINEAR solves a problem a class; with more, one factorisation serves them all
_LOG2_C = (-3.0, -1.0, 1.0, 3.0, 5.0, 7.0)
_LOG2_ALPHA = (-12.0, -9.0, -6.0, -3.0, 0.0, 3.0, 6.0)
_LEAST_R2 = 0.01  # what less explains is chance
# log2 of gamma over the median rule's, which is far too large for wide data and too small for targets that change fast.
_AROUND = (-6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0)


@dataclass(frozen=True)
class Choice:
    """What all methods of a trial share.

    Attributes
    ----------
    gamma : float
        Of the kernel exp(-gamma ||x-y||^2).
    penalty, linear_penalty : float
        Of the kernel methods and of the linear model: C of the hinge loss, or the ridge alpha.
    notes : tuple of str
    alpha : float or None
        With more than `MANY_CLASSES` classes, of the ridge regression that maps and the linear model learn by;
        `linear_penalty` is an alpha then, too.
    searched : bool
        Whether gamma was searched, and is not just the median rule's.
    """

    gamma: float
    penalty: float
    linear_penalty: float
    notes: tuple[str, ...]
    alpha: float | None = None
    searched: bool = False


def median_gamma(X: Any, seed: int) -> float:
    """Return gamma = 1/(2 m), m the median squared distance of up to 1,000 random rows: sigma is the median distance.

    Parameters
    ----------
    X : (n, d) ndarray or CSR matrix
    seed : int

    Raises
    ------
    UserError
        If all rows are equal.
    """
    rng = np.random.default_rng(seed)
    some = X[np.sort(rng.permutation(X.shape[0])[:_MEDIAN_ROWS])]
    norms = squared_norms(some)
    squared = squared_distances(some, some, norms, norms)[np.triu_indices(some.shape[0], 1)]
    # Differences of equal rows are rounded to some 1e-16 of their norms.
    apart = squared[squared > 1e-9 * max(float(norms.max()), 1e-300)]
    if not apart.size:
        raise UserError("All rows have the same features: nothing tells their targets apart.")
    middle = float(np.median(squared))
    return 0.5 / (middle if middle > 0 and 2 * apart.size > squared.size else float(np.median(apart)))


def choose(X: Any, y: np.ndarray, kind: Kind, *, tune: bool, seed: int, progress: Progress | None = None) -> Choice:
    """Choose gamma (by the median rule, or with `tune` by search around it) and the penalties.

    Where the best is at the edge of a grid, the search goes on beyond; a choice that stays at one is said to be.

    Parameters
    ----------
    X : (n, d) ndarray or CSR matrix
        Prepared features of the rows to fit on.
    y : (n,) labels, or float64 targets
    kind : str
    tune : bool
    seed : int
        Of subsample and folds.
    progress : callable, optional
        Called as ``progress(done, total)``, anew for what is searched beyond the grid.
    """
    median = median_gamma(X, seed)
    around = np.log2(median) + (np.array(_AROUND) if tune else np.zeros(1))
    rule = f"median rule: gamma = 1/(2 m) = {median:.4g}, m the median squared distance"
    alpha = None
    if kind == "classification":
        best, linear, rows = _classification(X, y, around, seed, progress)
        name, solver = "C", "exact LIBSVM"
    else:
        best, linear, rows = _regression(X, y, around, seed)
        name, solver = "alpha", "exact kernel ridge regression"
    gamma, penalty = 2.0**best.log2_gamma, 2.0**best.log2_penalty
    how = f"{_FOLDS}-fold cross-validation of {solver} on {rows:,} rows"
    found = f"gamma = {gamma:.4g} and {name} = {penalty:.4g} by {how} (the {rule})"
    given = f"Gamma by the {rule}; {name} = {penalty:.4g} by {how} (--tune searches gamma, too)"
    note = found if tune else given
    if kind == "classification" and (classes := len(np.unique(y))) > MANY_CLASSES:
        alpha, linear = _ridges(X, y, gamma, seed)
        at_edge = " (at the edge of what was searched)" if np.log2(alpha) in (_LOG2_ALPHA[0], _LOG2_ALPHA[-1]) else ""
        note += (
            f". With {classes:,} classes maps and the linear model learn by ridge regression on a column a class, "
            f"alpha = {alpha:.4g}{at_edge} and {linear:.4g}, in a fraction of LIBLINEAR's time."
        )
    else:
        note += f"; the same for every map. The linear model has its own {name} = {linear:.4g}."
    return Choice(gamma, penalty, linear, (note, *_edge_notes(best, name)), alpha, tune)


def _edge_notes(best: Best, name: str) -> list[str]:
    found = [f"gamma = {2.0**best.log2_gamma:.4g}"] if best.gamma_at_edge else []
    found += [f"{name} = {2.0**best.log2_penalty:.4g}"] if best.penalty_at_edge else []
    lies = "lies" if len(found) == 1 else "lie"
    return [f"{' and '.join(found)} {lies} at the edge of what was searched: better may lie beyond."] if found else []


def _classification(
    X: Any, y: np.ndarray, log2_gamma: np.ndarray, seed: int, progress: Progress | None
) -> tuple[Best, float, int]:
    rows = _searchable(y)
    X, y = X[rows], y[rows]

    def scores_of(points: Collection[Point]) -> Scores:
        tried = tune_svm(
            X,
            y,
            log2_C=[C for C, _ in points],
            log2_gamma=[gamma for _, gamma in points],
            points=points,
            folds=_FOLDS,
            seed=seed,
            max_rows=_SEARCH_ROWS,
            progress=progress,
        ).tried
        return {(C, gamma): accuracy for C, gamma, accuracy in tried}

    best = follow_edges(scores_of, _LOG2_C, log2_gamma.tolist(), above=_by_chance(y))
    linear = tune_linear(
        lambda _, chosen: X[chosen],
        y,
        log2_C=_LOG2_C,
        log2_gamma=(0.0,),
        folds=_FOLDS,
        seed=seed,
        max_rows=_SEARCH_ROWS,
    )
    return best, linear.C, linear.rows_used


def _by_chance(y: np.ndarray) -> float:
    """Return the accuracy that the best of dozens seldom has by chance: three standard errors above the mode."""
    share = float(np.unique(y, return_counts=True)[1].max()) / len(y)
    return share + 3 * math.sqrt(share * (1 - share) / min(len(y), _SEARCH_ROWS))


def _ridges(X: Any, y: np.ndarray, gamma: float, seed: int) -> tuple[float, float]:
    """Return the alphas of ridge regression on class columns: for the exact kernel, which maps share, and linear."""
    kept = _searchable(y)
    codes = np.unique(y[kept], return_inverse=True)[1]
    some, fold = stratified_folds(codes, _FOLDS, seed, _RIDGE_ROWS)
    X, codes = X[kept][some], codes[some]
    alphas = 2.0 ** np.array(_LOG2_ALPHA)
    exact = kernel_ridge_cv(X, codes, fold, gammas=[gamma], alphas=alphas.tolist(), task="classification")
    linear = GridSearchCV(
        RidgeClassifier(),
        {"alpha": (alphas * len(some)).tolist()},
        cv=PredefinedSplit(fold),
        refit=False,
    ).fit(X, codes)
    return exact.best[1], float(linear.best_params_["alpha"])


def _searchable(y: np.ndarray) -> np.ndarray:
    """Return the rows of classes that a stratified subsample has in every fold: rare ones are not searched by."""
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    expected = counts * min(1.0, _SEARCH_ROWS / len(y))
    kept = expected >= 2 * _FOLDS if len(y) > _SEARCH_ROWS else counts >= _FOLDS
    if kept.sum() < 2:
        kept = np.isin(np.arange(len(classes)), np.argsort(-counts, kind="stable")[:2])
        if counts[kept].min() < _FOLDS:
            few = classes[kept][counts[kept].argmin()]
            count = counts[kept].min()
            words = "row to learn from has" if count == 1 else "rows to learn from have"
            msg = f"Only {count} {words} the target {few}; give at least {2 * _FOLDS} of them, or name another target."
            raise UserError(msg)
    return np.flatnonzero(kept[codes])


def _regression(X: Any, y: np.ndarray, log2_gamma: np.ndarray, seed: int) -> tuple[Best, float, int]:
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(len(y))[:_SEARCH_ROWS])
    X, y = X[rows], (y[rows] - y[rows].mean()) / (y[rows].std() or 1.0)
    folds = KFold(_FOLDS, shuffle=True, random_state=seed)
    # Strings of scorers and fits in this process: nothing here is worth a pool.
    options: dict[str, Any] = {"scoring": "neg_mean_squared_error", "cv": folds, "refit": False}

    def scores_of(points: Collection[Point]) -> Scores:
        grid = [{"alpha": [2.0**alpha], "gamma": [2.0**gamma]} for alpha, gamma in points]
        tried = GridSearchCV(KernelRidge(kernel="rbf"), grid, **options).fit(X, y)
        return dict(zip(points, tried.cv_results_["mean_test_score"].tolist(), strict=True))

    best = follow_edges(scores_of, _LOG2_ALPHA, log2_gamma.tolist(), above=_LEAST_R2 - 1)
    linear = GridSearchCV(Ridge(), {"alpha": (2.0 ** np.array(_LOG2_ALPHA) * len(y)).tolist()}, **options).fit(X, y)
    return best, float(linear.best_params_["alpha"]), len(rows)
