"""A grid of C and gamma that is cross-validated: which points are tried, what is known already, and the best."""

from __future__ import annotations

from collections.abc import Callable, Collection, MutableMapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

Progress = Callable[[int, int], None]
Point: TypeAlias = tuple[float, float]
"""log2 C, log2 gamma."""
Hits: TypeAlias = MutableMapping[tuple[int, float, float], int]
"""(fold, log2 C, log2 gamma) -> test rows classified correctly: what a search that was stopped goes on from."""


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
        ``accuracies[i][j]`` belongs to ``grid_log2_C[i]`` and ``grid_log2_gamma[j]``; nan where that was not tried.
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

    @property
    def tried(self) -> list[tuple[float, float, float]]:
        """Every point tried: log2 C, log2 gamma, cross-validated accuracy."""
        return [
            (C, gamma, accuracy)
            for C, row in zip(self.grid_log2_C, self.accuracies, strict=True)
            for gamma, accuracy in zip(self.grid_log2_gamma, row, strict=True)
            if not np.isnan(accuracy)
        ]


class GridSearch:
    """Counts of rows classified correctly, point by point and fold by fold.

    Parameters
    ----------
    log2_C, log2_gamma : sequences of float
        Repeats are dropped.
    folds : int
    points : collection of (log2 C, log2 gamma), optional
        Try only these points of the grid.
    known : mutable mapping, optional
        (fold, log2 C, log2 gamma) -> count. What is in it is not trained again; new counts are put into it.
    progress : callable, optional
        Called as ``progress(done, total)`` after each training of a fold.

    Raises
    ------
    ValueError
        For an empty grid, or a point that is not on it.
    """

    def __init__(
        self,
        log2_C: Sequence[float],
        log2_gamma: Sequence[float],
        folds: int,
        *,
        points: Collection[Point] | None = None,
        known: Hits | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.log2_C, self.log2_gamma = sorted(set(map(float, log2_C))), sorted(set(map(float, log2_gamma)))
        if not self.log2_C or not self.log2_gamma:
            raise ValueError("The grid is empty: give at least one value for log2_C and one for log2_gamma.")
        self.folds = folds
        grid = {(C, gamma) for C in self.log2_C for gamma in self.log2_gamma}
        self.points = grid if points is None else {(float(C), float(gamma)) for C, gamma in points}
        if not self.points or self.points - grid:
            raise ValueError(f"The points {sorted(self.points - grid)} are not on the grid; give some that are.")
        self._hits: Hits = {} if known is None else known
        self._progress = progress

    def todo(self, fold: int) -> dict[float, list[float]]:
        """Return what is not known yet of a fold: log2 gamma -> log2 C, ascending."""
        found: dict[float, list[float]] = {}
        for gamma in self.log2_gamma:
            open_C = [C for C in self.log2_C if (C, gamma) in self.points and (fold, C, gamma) not in self._hits]
            if open_C:
                found[gamma] = open_C
        return found

    def add(self, fold: int, log2_C: float, log2_gamma: float, hits: int) -> None:
        """Keep how many test rows of a fold were classified correctly."""
        self._hits[fold, log2_C, log2_gamma] = hits
        if self._progress is not None:
            done = sum((k, *point) in self._hits for k in range(self.folds) for point in self.points)
            self._progress(done, self.folds * len(self.points))

    def result(self, *, rows_used: int, rows_given: int, seed: int, solver: str) -> TuningResult:
        """Return the outcome, once every fold of every point is known."""
        accuracies = np.full((len(self.log2_C), len(self.log2_gamma)), np.nan)
        for C, gamma in self.points:
            right = sum(self._hits[fold, C, gamma] for fold in range(self.folds))
            accuracies[self.log2_C.index(C), self.log2_gamma.index(gamma)] = right / rows_used
        # Row-major: of equals the smaller C, then the smaller gamma.
        best_C, best_gamma = divmod(int(np.nanargmax(accuracies)), len(self.log2_gamma))
        return TuningResult(
            log2_C=self.log2_C[best_C],
            log2_gamma=self.log2_gamma[best_gamma],
            cv_accuracy=float(accuracies[best_C, best_gamma]),
            grid_log2_C=tuple(self.log2_C),
            grid_log2_gamma=tuple(self.log2_gamma),
            accuracies=tuple(map(tuple, accuracies.tolist())),
            folds=self.folds,
            rows_used=rows_used,
            rows_given=rows_given,
            seed=seed,
            solver=solver,
        )
