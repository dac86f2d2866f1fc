"""Folds of a cross-validation, as numbers a row: the same for every learner that is given the same seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scrf_bench.learners.checks import require_count


def stratified_folds(
    codes: NDArray[np.intp], folds: int, seed: int, max_rows: int | None = None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Deal rows out to folds, class by class.

    Parameters
    ----------
    codes : (n,) intp
        Class codes 0..k-1.
    folds : int
        At least 2.
    seed : int
    max_rows : int, optional
        Use a stratified random subsample of this many rows, and of a class that would have fewer than `folds` in it
        as many as there are folds: a rare class is tested too.

    Returns
    -------
    rows : (m,) intp
        The rows used, ascending.
    fold : (m,) intp
        The fold, 0..folds-1, in which each is tested.

    Raises
    ------
    ValueError
        For fewer than two folds, or a class with fewer rows than folds.
    """
    grouped = _dealt(codes, folds, seed, max_rows)
    classes = int(codes.max()) + 1
    if np.bincount(codes[grouped], minlength=classes).min() < folds:
        grouped = _with_rare_classes(codes, grouped, _dealt(codes, folds, seed, None), folds)
    sizes = np.bincount(codes[grouped], minlength=classes)
    if sizes.min() < folds:
        raise ValueError(
            f"Class number {int(sizes.argmin())} has {int(sizes.min())} rows, fewer than folds={folds}; "
            "give fewer folds."
        )
    return _numbered(grouped, folds)


def shuffled_folds(
    n: int, folds: int, seed: int, max_rows: int | None = None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Deal ``n`` rows out to folds at random; parameters and results are those of `stratified_folds`.

    Raises
    ------
    ValueError
        For fewer than two folds, or fewer rows than folds.
    """
    grouped = _dealt(np.zeros(n, dtype=np.intp), folds, seed, max_rows)
    if grouped.shape[0] < folds:
        raise ValueError(f"{grouped.shape[0]} rows are fewer than folds={folds}; give fewer folds.")
    return _numbered(grouped, folds)


def _dealt(codes: NDArray[np.intp], folds: int, seed: int, max_rows: int | None) -> NDArray[np.intp]:
    """Return the rows used in the order in which they are dealt out."""
    require_count("folds", folds)
    if max_rows is not None:
        require_count("max_rows", max_rows)
    if folds < 2:
        raise ValueError(f"folds={folds} leaves nothing to test on; give at least 2.")
    rng = np.random.default_rng(seed)
    n = codes.shape[0]
    shuffled = rng.permutation(n)
    # Dealing the shuffled rows out class by class, one fold after the other without a restart at a new class,
    # makes every class and every fold even to within a row; the first max_rows of an even spread are a
    # stratified sample.
    grouped = shuffled[np.argsort(codes[shuffled], kind="stable")]
    if max_rows is not None and max_rows < n:
        grouped = grouped[(np.arange(max_rows) * n) // max_rows]
    return grouped


def _with_rare_classes(
    codes: NDArray[np.intp], sample: NDArray[np.intp], dealt: NDArray[np.intp], folds: int
) -> NDArray[np.intp]:
    """Return the sample with at least `folds` rows of each class, in the order in which all rows are dealt."""
    kept = np.isin(dealt, sample)
    for code, size in enumerate(np.bincount(codes[sample], minlength=int(codes.max()) + 1)):
        if size < folds:
            kept[np.flatnonzero(codes[dealt] == code)[:folds]] = True
    return dealt[kept]


def _numbered(grouped: NDArray[np.intp], folds: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    fold = np.arange(grouped.shape[0]) % folds
    back = np.argsort(grouped)
    return grouped[back], fold[back]
