"""What is to be predicted: classes or a number, decided from the target's values, and said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from scrf_bench.errors import UserError
from scrf_bench.experiments.trial.csv_text import DECIMAL_COMMA
from scrf_bench.experiments.trial.signs import find_sign, without_sign

Kind = Literal["classification", "regression"]
_MOST_CLASSES = 200
MOSTLY_NUMBERS = 0.9  # as many of a column's values or more make it a column of numbers
_DATE = r"(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}([./])\d{1,2}\2\d{2,4})([T ]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(:\d{2}.*)?"
_LOOKED_AT = 1000  # values, for dates
_FEW_NUMBERS = 20  # as many different whole numbers or fewer are classes


@dataclass(frozen=True)
class Target:
    """The targets of all rows that have one.

    Attributes
    ----------
    kind : str
        ``classification`` or ``regression``.
    y : ndarray of shape (n,)
        Class labels as they stand in the file (text, whole numbers or truth values), or float64.
    rows : (n,) intp
        The rows that have a target.
    notes : tuple of str
    """

    kind: Kind
    y: np.ndarray
    rows: np.ndarray
    notes: tuple[str, ...]

    @property
    def classes(self) -> np.ndarray:
        """The labels, sorted."""
        return np.unique(self.y)


def read_target(y: Any, name: str, asked: Kind | None = None) -> Target:
    """Decide what a target is, drop rows without one, and check that there is something to learn.

    Parameters
    ----------
    y : Series or (n,) ndarray
    name : str
        Of the column, for messages.
    asked : str, optional
        ``classification`` or ``regression``, instead of what the values suggest.

    Raises
    ------
    UserError
        If there is no value, one value only, too many classes, or text is asked to be a number.
    """
    column = pd.Series(y).reset_index(drop=True)
    notes: list[str] = []
    if asked != "classification":
        column, notes = _numbers_among_words(column, name, asked)
    if column.dtype.kind == "f":
        column = column.replace([np.inf, -np.inf], np.nan)
    there = column.notna().to_numpy()
    rows = np.flatnonzero(there)
    gaps = len(there) - len(rows)
    if gaps:
        notes.append(f"{gaps:,} {'row has' if gaps == 1 else 'rows have'} no '{name}' and {_are(gaps)} left out.")
    values = column[there]
    if not len(values):
        raise UserError(f"No row has a value of the target '{name}'; name another column with --target.")
    kind, why = _kind(values, name, asked)
    found = _labels(values) if kind == "classification" else _numbers(values, name)
    notes.insert(0, f"{kind.capitalize()}: {why}.")
    _check(found, kind, name)
    return Target(kind, found, rows, tuple(notes))


def is_date(there: pd.Series[Any]) -> bool:
    """Tell whether values, none of them missing, are dates, times or spans of time, or text that looks like them."""
    if there.dtype.kind in "mM":
        return True
    if pd.api.types.is_numeric_dtype(there.dtype):
        return False
    return bool(there.iloc[:_LOOKED_AT].astype(str).str.fullmatch(_DATE).mean() >= MOSTLY_NUMBERS)


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _numbers_among_words(column: pd.Series[Any], name: str, asked: Kind | None) -> tuple[pd.Series[Any], list[str]]:
    """Read a text column that is numbers but for a few words as numbers, and say so; refuse what only looks like it."""
    there = column.dropna()
    if pd.api.types.is_numeric_dtype(column.dtype) or not len(there):
        return column, []
    if is_date(there):
        msg = (
            f"'{name}' holds dates or times; give a number instead (days since the first, say), name another target "
            "with --target, or say --task classification."
        )
        raise UserError(msg)
    numbers = pd.to_numeric(there, errors="coerce")
    if numbers.notna().mean() >= MOSTLY_NUMBERS:
        strange = there[numbers.isna()]
        if not len(strange):
            return pd.to_numeric(column), []
        return pd.to_numeric(column, errors="coerce"), [_but_for(strange, name)]
    if sign := find_sign(column):
        numbers = without_sign(column, sign)
        if asked is None and _kind(numbers.dropna(), name, asked)[0] == "classification":
            return column, []  # Few and round: the labels are those of the file.
        strange = column[numbers.isna() & column.notna()]
        read = f"'{name}' is read as numbers without the sign {sign.mark}."
        return numbers, [read, *([_but_for(strange, name)] if len(strange) else [])]
    commas = there.astype(str).str.fullmatch(DECIMAL_COMMA)
    if commas.mean() >= MOSTLY_NUMBERS:
        example = str(there[commas].iloc[0])
        raise UserError(
            f"'{name}' holds decimal commas such as {example!r}, other columns points: write them alike (or say "
            "--task classification)."
        )
    return column, []


def _but_for(strange: pd.Series[Any], name: str) -> str:
    example = repr(str(strange.iloc[0]))
    if len(strange) == 1:
        return f"'{name}' is a number but for one word, {example}, taken for a gap."
    return f"'{name}' is a number but for {len(strange):,} words such as {example}, taken for gaps."


def _kind(values: pd.Series[Any], name: str, asked: Kind | None) -> tuple[Kind, str]:
    different = values.nunique()
    if asked is not None:
        return asked, f"as asked; '{name}' has {different:,} different values"
    if values.dtype.kind == "b":
        return "classification", f"'{name}' is true or false"
    if not pd.api.types.is_numeric_dtype(values.dtype):
        return "classification", f"'{name}' is text with {different:,} different values"
    numbers = values.to_numpy(dtype=np.float64)
    if _numbered_classes(numbers):
        return "classification", f"'{name}' numbers {different:,} classes of like size (else: --task regression)"
    if different <= _FEW_NUMBERS and np.all(numbers == np.rint(numbers)):
        return (
            "classification",
            f"'{name}' has {different:,} different values, all whole numbers (else: --task regression)",
        )
    return "regression", f"'{name}' is a number with {different:,} different values (else: --task classification)"


def _numbered_classes(numbers: np.ndarray) -> bool:
    """Tell whether numbers are 0 or 1 and so on without a gap, each about as common: the 26 letters, say, no ages."""
    found, counts = np.unique(numbers, return_counts=True)
    if not _FEW_NUMBERS < len(found) <= _MOST_CLASSES or found[0] not in (0, 1):
        return False
    return bool(np.array_equal(found, found[0] + np.arange(len(found))) and 5 * counts.min() >= counts.max() >= 10)


def _labels(values: pd.Series[Any]) -> np.ndarray:
    if values.dtype.kind == "b":
        return values.to_numpy(dtype=bool)
    if pd.api.types.is_numeric_dtype(values.dtype):
        numbers = values.to_numpy(dtype=np.float64)
        return numbers.astype(np.int64) if np.all(numbers == np.rint(numbers)) else numbers.astype(str)
    return values.astype(str).to_numpy(dtype=str)


def _numbers(values: pd.Series[Any], name: str) -> np.ndarray:
    numbers = pd.to_numeric(values, errors="coerce")
    if numbers.isna().any():
        word = values[numbers.isna()].iloc[0]
        count = int(numbers.isna().sum())
        raise UserError(
            f"--task regression: '{name}' holds {word!r}, which is no number ({count:,} of {len(values):,} rows); name "
            "another column with --target."
        )
    return numbers.to_numpy(dtype=np.float64)


def _check(y: np.ndarray, kind: Kind, name: str) -> None:
    different = np.unique(y)
    if len(different) == 1:
        msg = (
            f"All {len(y):,} rows have the same value of '{name}', {different[0]}: there is nothing to tell apart. "
            "Name another target with --target, or give rows of the other kind too."
        )
        raise UserError(msg)
    if kind == "classification" and len(different) > min(_MOST_CLASSES, len(y) // 2 or 1):
        msg = (
            f"'{name}' has {len(different):,} different values in {len(y):,} rows: more like a name or an identifier "
            "than a class. Name another target with --target, or take --task regression if it is a number."
        )
        raise UserError(msg)
