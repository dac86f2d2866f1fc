"""Alpha and gamma of the ridges by cross-validation on given folds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_consistent_length

from scrf_bench.kernels import gaussian_kernel_dot
from scrf_bench.learners.checks import class_codes, require_at_least_zero, require_positive, require_room
from scrf_bench.learners.feature_ridge import Precision
from scrf_bench.learners.feature_rows import FeatureMap, feature_dot, fitted_map
from scrf_bench.learners.gram_sums import GramSums, gram_bytes, gram_sums, origins, require_resolved
from scrf_bench.learners.kernel_ridge import KernelRidgeRegressor
from scrf_bench.learners.shifted_systems import solve_shifted
from scrf_bench.learners.targets import signed_classes

Task = Literal["classification", "regression"]
Progress = Callable[[int, int], None]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class RidgeCrossValidation:
    """What a cross-validation saw.

    Attributes
    ----------
    gammas, alphas : tuple of float
        The values tried, ascending.
    losses : tuple of tuple of float
        ``losses[i][j]`` belongs to ``gammas[i]`` and ``alphas[j]``: the share of rows misclassified, or the mean
        squared error over rows (and targets), by models that did not see the row.
    folds, rows : int
    """

    gammas: tuple[float, ...]
    alphas: tuple[float, ...]
    losses: tuple[tuple[float, ...], ...]
    folds: int
    rows: int

    @property
    def best(self) -> tuple[float, float]:
        """The gamma and alpha of the least loss; of equals the larger alpha, then the smaller gamma."""
        losses = np.asarray(self.losses)[:, ::-1]
        alpha, gamma = np.unravel_index(int(losses.T.argmin()), losses.T.shape)
        return self.gammas[int(gamma)], self.alphas[::-1][int(alpha)]


def ridge_cv(
    make_map: Callable[[float], FeatureMap],
    X: ArrayLike,
    y: ArrayLike,
    fold: NDArray[np.intp],
    *,
    gammas: Sequence[float],
    alphas: Sequence[float],
    task: Task,
    fit_intercept: bool = True,
    precision: Precision = "double",
    max_bytes: int = 4 * 10**9,
    progress: Progress | None = None,
) -> RidgeCrossValidation:
    """Cross-validate `FeatureRidgeRegressor` or `FeatureRidgeClassifier` over gammas and alphas.

    For each gamma the sums ``Phi' Phi`` and ``Phi' y`` are made once, fold by fold. A fold's training sums are the
    total without its own, so all folds together cost one walk over the rows, and then a factorisation for each
    fold and alpha, and one more walk for the predictions.

    Parameters
    ----------
    make_map : callable
        Returns an unfitted transformer for a gamma, or None for rows that are features. It is fitted on all
        rows; labels play no part in it.
    X : (n, d) dense or sparse matrix
    y : (n,) labels, or (n,) or (n, k) targets
    fold : (n,) int
        The fold in which each row is tested, from `stratified_folds` or `shuffled_folds`.
    gammas, alphas : sequences of float
        Repeats are dropped.
    task : {"classification", "regression"}
    fit_intercept, precision
        As in `FeatureRidgeRegressor`.
    max_bytes : int, default=4 * 10**9
        Most memory for the sums. Where those of all folds do not fit, a fold's are made anew when it is tested:
        two D x D matrices in place of one more than there are folds, for one more walk over the rows.
    progress : callable, optional
        Called as ``progress(done, total)`` after each fold of each gamma.

    Returns
    -------
    RidgeCrossValidation

    Raises
    ------
    ValueError
        For an empty grid, values out of range, nan, folds that are not 0..K-1 with K at least 2, or too many
        features for ``max_bytes``.

    Notes
    -----
    The subtraction is safe: sums over K folds are about K/(K-1) times those over K-1 of them, and the error is 1e-16
    of the total. It would show only if one fold held nearly all of the sum of squares. Features of random maps are
    bounded; rows given as features are taken about their overall mean first.
    """
    gammas, alphas = _grid(gammas, alphas)
    rows, Y, truth, ends = _in_folds(X, y, fold, task)
    parts = [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
    losses = np.zeros((len(gammas), len(alphas)))
    for i, gamma in enumerate(gammas):
        feature_map = fitted_map(make_map(gamma), rows)
        width = rows.shape[1] if feature_map is None else len(feature_map.get_feature_names_out())
        keep = gram_bytes(width, Y.shape[1], matrices=len(parts) + 1) <= max_bytes
        require_room(
            f"cross-validating ridge on D={width} features", gram_bytes(width, Y.shape[1], matrices=2), max_bytes
        )
        origin, target_origin = origins(feature_map, rows, Y, centred=fit_intercept, n_components=width)
        single = precision == "single"

        def sums_of(part: slice, state: Any = (feature_map, origin, target_origin, single)) -> GramSums:
            own_map, o, p, narrow = state
            return gram_sums(own_map, rows[part], Y[part], origin=o, target_origin=p, single=narrow)

        for f, (part, train) in enumerate(_training_sums(sums_of, parts, keep=keep)):
            if train.single:
                require_resolved(train, alphas[0])
            mean, target_mean = train.centre() if fit_intercept else (origin, target_origin)
            W = np.stack([solution.W for solution in solve_shifted(train.products, train.dot, alphas)], axis=1)
            b = target_mean - np.tensordot(mean, W, 1)
            scores = feature_dot(feature_map, rows[part], W.reshape(width, -1)).reshape(-1, *b.shape) + b
            losses[i] += _summed_losses(scores, truth[part])
            if progress is not None:
                progress(i * len(parts) + f + 1, len(gammas) * len(parts))
    return _result(gammas, alphas, losses, len(parts), rows.shape[0])


def kernel_ridge_cv(
    X: ArrayLike,
    y: ArrayLike,
    fold: NDArray[np.intp],
    *,
    gammas: Sequence[float],
    alphas: Sequence[float],
    task: Task,
    max_bytes: int = 4 * 10**9,
    progress: Progress | None = None,
) -> RidgeCrossValidation:
    """Cross-validate `KernelRidgeRegressor` or `KernelRidgeClassifier`; parameters and errors as in `ridge_cv`.

    One kernel matrix for each gamma and fold, one factorisation for each alpha.
    """
    gammas, alphas = _grid(gammas, alphas)
    rows, Y, truth, ends = _in_folds(X, y, fold, task)
    losses = np.zeros((len(gammas), len(alphas)))
    for i, gamma in enumerate(gammas):
        start = 0
        for f, end in enumerate(ends):
            train = np.r_[0:start, end : rows.shape[0]]
            path = KernelRidgeRegressor(gamma=gamma, max_bytes=max_bytes).fit_path(rows[train], Y[train], alphas)
            coefficients = np.concatenate([learner.dual_coef_ for learner in path], axis=1)
            scores = gaussian_kernel_dot(rows[start:end], path[0].X_fit_, coefficients, gamma)
            losses[i] += _summed_losses(scores.reshape(end - start, len(alphas), -1), truth[start:end])
            start = end
            if progress is not None:
                progress(i * len(ends) + f + 1, len(gammas) * len(ends))
    return _result(gammas, alphas, losses, len(ends), rows.shape[0])


def _training_sums(
    sums_of: Callable[[slice], GramSums], parts: list[slice], *, keep: bool
) -> Iterator[tuple[slice, GramSums]]:
    """Yield each part with the sums over all others; the caller may spoil them."""
    kept = [sums_of(part) for part in parts] if keep else []
    total = kept[0].copy() if keep else sums_of(parts[0])
    for f, part in enumerate(parts[1:], start=1):
        total.add(kept[f] if keep else sums_of(part))
    for part in parts:
        own = kept.pop(0) if keep else sums_of(part)
        yield part, total.without(own, out=own.products)


def _grid(gammas: Sequence[float], alphas: Sequence[float]) -> tuple[list[float], list[float]]:
    if not len(gammas) or not len(alphas):
        raise ValueError("The grid is empty: give at least one gamma and one alpha.")
    for gamma in gammas:
        require_positive("gamma", gamma)
    for alpha in alphas:
        require_at_least_zero("alpha", alpha)
    return sorted(set(map(float, gammas))), sorted(set(map(float, alphas)))


def _in_folds(X: Any, y: Any, fold: Any, task: Task) -> tuple[Any, Array, NDArray[Any], list[int]]:
    """Return rows, target columns and truth, sorted by fold, and where each fold ends."""
    rows = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    fold = np.asarray(fold)
    check_consistent_length(rows, y, fold)
    sizes = np.bincount(fold)
    if len(sizes) < 2 or sizes.min() == 0:
        raise ValueError(f"fold holds the numbers {np.unique(fold).tolist()}; it needs 0..K-1 with K at least 2.")
    truth: Any
    if task == "classification":
        classes, truth = class_codes(y)
        Y = signed_classes(truth, len(classes))
    elif task == "regression":
        Y = check_array(y, dtype=np.float64, ensure_2d=False).reshape(rows.shape[0], -1)
        truth = Y
    else:
        raise ValueError(f"task={task!r} is neither 'classification' nor 'regression'.")
    order = np.argsort(fold, kind="stable")
    return rows[order], Y[order], truth[order], np.cumsum(sizes).tolist()


def _summed_losses(scores: Array, truth: NDArray[Any]) -> Array:
    """Return one sum an alpha over the rows; scores (n, alphas, k), truth codes (n,) or targets (n, k)."""
    if truth.ndim == 2:
        return np.asarray(((scores - truth[:, None, :]) ** 2).mean(axis=2).sum(axis=0))
    predicted = scores.argmax(axis=2) if scores.shape[2] > 1 else (scores[:, :, 0] > 0).astype(np.intp)
    return np.asarray((predicted != truth[:, None]).sum(axis=0), dtype=np.float64)


def _result(
    gammas: Sequence[float], alphas: Sequence[float], losses: Array, folds: int, n: int
) -> RidgeCrossValidation:
    means = tuple(map(tuple, (losses / n).tolist()))
    return RidgeCrossValidation(tuple(gammas), tuple(alphas), means, folds, n)
