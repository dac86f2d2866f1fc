"""Rows to fit on, rows to choose by, and rows to test on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import train_test_split

from scrf_bench.errors import UserError
from scrf_bench.experiments.trial.target import Kind

LEAST_ROWS = 20
_TEST_SHARE, _VALIDATION_SHARE = 0.25, 0.2
_UNEQUAL = 0.9  # share of the commonest class
_MOST_TEST, _MOST_VALIDATION = 10_000, 5_000


@dataclass(frozen=True)
class Split:
    """Row numbers of the parts; `rest` are rows that nothing but the exported model uses.

    Attributes
    ----------
    fit, validation, rest : (n,) intp
        Of the file.
    test : (n,) intp or None
        Of the file too; None where the test rows have a file of their own.
    notes : tuple of str
    """

    fit: np.ndarray
    validation: np.ndarray
    rest: np.ndarray
    test: np.ndarray | None
    notes: tuple[str, ...]


def split_rows(y: np.ndarray, kind: Kind, *, seed: int, most_fit: int, own_test: bool) -> Split:
    """Deal rows out at random, stratified by class where every class has two rows or more.

    A quarter (at most 10,000) tests, unless there is a test file; a fifth of the others (at most 5,000) chooses; at
    most `most_fit` are fitted on.

    Raises
    ------
    UserError
        If there are too few rows, or the rows to fit on are all of one class.
    """
    n = len(y)
    if n < LEAST_ROWS:
        msg = (
            f"There are {n} rows with a target; a trial needs at least {LEAST_ROWS}: some to learn from, some to "
            "choose by and some to test on."
        )
        raise UserError(msg)
    rows = np.arange(n)
    test = None
    if not own_test:
        rows, test = _parted(rows, y, kind, min(round(_TEST_SHARE * n), _MOST_TEST), seed)
    learn, validation = _parted(rows, y, kind, min(round(_VALIDATION_SHARE * len(rows)), _MOST_VALIDATION), seed)
    fit, rest = learn, learn[:0]
    if len(learn) > most_fit:
        rest, fit = _parted(learn, y, kind, most_fit, seed)
    if len(np.unique(y[fit])) < 2:
        raise UserError(f"The {len(fit)} rows to learn from all have the target {y[fit][0]}; give more rows.")
    return Split(fit, validation, rest, test, _notes(n, fit, validation, rest, test, seed, y, kind))


def _parted(rows: np.ndarray, y: np.ndarray, kind: Kind, taken: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Part `taken` rows from the others."""
    labels = y[rows] if kind == "classification" else None
    if labels is not None:
        classes, counts = np.unique(labels, return_counts=True)
        if counts.min() < 2 or min(taken, len(rows) - taken) < len(classes):
            labels = None
    others, chosen = train_test_split(rows, test_size=taken, random_state=seed, stratify=labels)
    return others, chosen


def _notes(
    n: int,
    fit: np.ndarray,
    validation: np.ndarray,
    rest: np.ndarray,
    test: np.ndarray | None,
    seed: int,
    y: np.ndarray,
    kind: Kind,
) -> tuple[str, ...]:
    tested = "" if test is None else f", tested on {len(test):,}"
    notes = [f"Of {n:,} rows, at random (seed {seed}): fitted on {len(fit):,}, chosen by {len(validation):,}{tested}."]
    if len(rest):
        notes.append(f"{len(rest):,} rows are not used for the comparison (--rows N fits on more of them).")
    if kind == "classification":
        classes, counts = np.unique(y, return_counts=True)
        if counts.max() >= _UNEQUAL * n:
            often = f"{counts.max() / n:.1%} of the rows are '{classes[counts.argmax()]}'"
            notes.append(f"{often}, and always saying so is right as often: accuracy hardly shows the other classes.")
        if counts.min() < 5:
            rare = ", ".join(f"{c} ({k})" for c, k in zip(classes[counts < 5], counts[counts < 5], strict=True))
            notes.append(f"Classes with fewer than five rows: {rare}; nothing sure can be said of them.")
    return tuple(notes)
