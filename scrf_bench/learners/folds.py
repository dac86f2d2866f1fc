"""Stratified, shuffled folds of a random subsample: what every cross-validation here splits rows by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scrf_bench.learners.checks import require_count


def stratified_folds(
    codes: NDArray[np.intp], folds: int, seed: int, max_rows: int | None
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows used (ascending) and the fold, 0..folds-1, in which each is tested.

    Parameters
    ----------
    codes : (n,) int
        Classes, 0..k-1.
    folds : int
        At least 2.
    seed : int
        Of the shuffle.
    max_rows : int or None
        Use a stratified random subsample of this many rows.

    Raises
    ------
    ValueError
        For too few folds, or a class with fewer rows than folds.
    """
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
    sizes = np.bincount(codes[grouped], minlength=int(codes.max()) + 1)
    if sizes.min() < folds:
        raise ValueError(
            f"Class number {int(sizes.argmin())} has {int(sizes.min())} rows, fewer than folds={folds}; "
            "give fewer folds or more rows (max_rows)."
        )
    fold = np.arange(grouped.shape[0]) % folds
    back = np.argsort(grouped)
    return grouped[back], fold[back]
