"""Learners with a ridge penalty ``alpha`` that share all work but the last step among many alphas."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import Tags

from scrf_bench.learners.checks import require_at_least_zero
from scrf_bench.learners.shifted_systems import ShiftedSolution


class AlphaPath(BaseEstimator):  # type: ignore[misc]
    """Base of the ridges: `fit` for the parameter ``alpha``, `fit_path` for many.

    A subclass solves in `_solve`, and takes one solution over in `_keep`.
    """

    alpha: float
    stopwatch_: dict[str, float]

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train on rows ``X`` (n, d), dense or sparse, with targets or labels ``y``.

        Raises
        ------
        ValueError
            For nan or infinite values, a parameter out of range, a problem too large for ``max_bytes``, or
            (classes) fewer than two of them.
        """
        require_at_least_zero("alpha", self.alpha)
        self._keep(self._solve(X, y, [self.alpha])[0])
        return self

    def fit_path(self, X: ArrayLike, y: ArrayLike, alphas: Sequence[float]) -> list[Self]:
        """Fit one learner an alpha: the matrix of the problem is made once and factorised for each.

        Parameters
        ----------
        X, y
            As in `fit`.
        alphas : sequence of float
            Each at least 0, in any order; ``self.alpha`` is not used, and ``self`` stays unfitted.

        Returns
        -------
        list of fitted learners
            In the order of ``alphas``; each is what `fit` with that alpha gives. They share what does not
            depend on alpha, and the times in their stopwatches are the whole path's.

        Raises
        ------
        ValueError
            As `fit`, or for no alphas.
        """
        if not len(alphas):
            raise ValueError("alphas is empty: give at least one penalty.")
        for alpha in alphas:
            require_at_least_zero("alpha", alpha)
        learners = [type(self)(**{**self.get_params(deep=False), "alpha": float(alpha)}) for alpha in alphas]
        first = learners[0]
        solutions = first._solve(X, y, alphas)
        shared = {name: value for name, value in vars(first).items() if name != "alpha"}
        for learner, solution in zip(learners, solutions, strict=True):
            for name, value in shared.items():
                setattr(learner, name, value)
            learner.stopwatch_ = dict(first.stopwatch_)
            learner._keep(solution)
        return learners

    @abstractmethod
    def _solve(self, X: ArrayLike, y: ArrayLike, alphas: Sequence[float]) -> list[ShiftedSolution]:
        """Set what does not depend on alpha, the stopwatch included, and return a solution an alpha."""

    @abstractmethod
    def _keep(self, solution: ShiftedSolution) -> None:
        """Set the fitted attributes that depend on alpha."""

    def __sklearn_tags__(self) -> Tags:
        tags: Any = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
