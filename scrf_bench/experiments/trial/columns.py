"""A table's columns as numbers and words, and the scikit-learn transformer that makes features of raw rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, OneHotEncoder, StandardScaler

from scrf_bench.errors import UserError, did_you_mean
from scrf_bench.experiments.trial.target import MOSTLY_NUMBERS, is_date

MISSING = "(missing)"
_MOST_WORDS = 50  # one-hot columns of a text column; rarer words share one
_LARGEST = 1e100
_ROW_NUMBERS = ("Unnamed: 0", "column 1", "id", "ID", "Id", "index", "rownames")
_NAMING_ROWS = 50  # as many different whole numbers and no other may well be identifiers
_NAMES_FROM = 0.5  # a text column with more different values than this share of the rows is a name


@dataclass(frozen=True)
class Columns:
    """What becomes of a table's columns.

    Attributes
    ----------
    numbers, words : tuple of str
        Columns to scale, and columns to turn into one-hot features.
    notes : tuple of str
        What is imputed, what is left out and why.
    """

    numbers: tuple[str, ...]
    words: tuple[str, ...]
    notes: tuple[str, ...]


def sort_columns(frame: pd.DataFrame, drop: Sequence[str] = ()) -> Columns:
    """Decide what becomes of each column, from the training rows.

    Parameters
    ----------
    frame : DataFrame
        Training rows, without the target.
    drop : sequence of str
        Columns that the user wants left out.

    Raises
    ------
    UserError
        If a column to drop is not there, or no column is left.
    """
    for name in drop:
        if name not in frame.columns:
            raise UserError(f"--drop {name}: there is no such column.{did_you_mean(name, frame.columns)}")
    numbers: list[str] = []
    words: list[str] = []
    out: dict[str, list[str]] = {}
    for name in frame.columns.drop(list(drop)):
        column = frame[name]
        reason = _useless(column)
        if reason:
            out.setdefault(reason, []).append(name)
        elif is_number(column):
            numbers.append(name)
        elif column.nunique() > max(_MOST_WORDS, _NAMES_FROM * len(column)):
            out.setdefault("text that is different in most rows", []).append(name)
        else:
            words.append(name)
    notes = [f"Left out ({reason}): {_listed(names)}." for reason, names in out.items()]
    if drop:
        notes.insert(0, f"Left out, as asked: {_listed(drop)}.")
    if not numbers and not words:
        raise UserError(f"No column is left to learn from. {' '.join(notes)}")
    return Columns(tuple(numbers), tuple(words), (*notes, *_notes(frame, numbers, words)))


def is_number(column: pd.Series[Any]) -> bool:
    """Tell whether a column holds numbers, or truth values, but for a few odd words."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return True
    there = column.dropna()
    return bool(pd.to_numeric(there, errors="coerce").notna().mean() >= MOSTLY_NUMBERS) if len(there) else False


def _useless(column: pd.Series[Any]) -> str:
    """Return why a column carries nothing that a new row could use, or nothing at all."""
    there = column.dropna()
    if not len(there):
        return "empty"
    if there.nunique() == 1 and len(there) == len(column):
        return "constant"
    # Row numbers in another order still are whole numbers without repeats.
    if column.name in _ROW_NUMBERS and column.dtype.kind in "iu" and column.is_unique:
        return "row numbers"
    return "dates or times: make numbers of them to use them" if is_date(there) else ""


def _notes(frame: pd.DataFrame, numbers: Sequence[str], words: Sequence[str]) -> list[str]:
    notes = []
    try:
        values = as_numbers(frame[list(numbers)])
    except ValueError as error:
        raise UserError(str(error)) from error
    odd = [
        name
        for name, column in zip(numbers, values.T, strict=True)
        if np.isnan(column).sum() > frame[name].isna().sum()
    ]
    if odd:
        notes.append(f"Numbers but for a few words or infinities, which count as missing: {_listed(odd)}.")
    names = [
        name
        for name in numbers
        if frame[name].dtype.kind in "iu" and len(frame) >= _NAMING_ROWS and frame[name].is_unique
    ]
    if names:
        notes.append(
            f"Whole numbers, another in every row: {_listed(names)}. If they only name the rows, leave them out "
            f"(--drop {','.join(names[:3])})."
        )
    gaps = {name: int(np.isnan(column).sum()) for name, column in zip(numbers, values.T, strict=True)}
    gaps |= {name: int(frame[name].isna().sum()) for name in words}
    holes = [f"{name}: {count:,}" for name, count in gaps.items() if count]
    if holes:
        notes.append(
            f"Missing values ({_listed(holes)}) are imputed: numbers by the column's median, words by '{MISSING}'."
        )
    if words:
        kinds = [f"{name}: {frame[name].nunique():,}" for name in words]
        notes.append(f"Text columns become one-hot features ({_listed(kinds)} different values).")
    many = [name for name in words if frame[name].nunique() > _MOST_WORDS]
    if many:
        notes.append(f"Of {_listed(many)} the {_MOST_WORDS - 1} commonest values; the others share one feature.")
    return notes


def _listed(names: Sequence[str]) -> str:
    more = len(names) - 8
    return ", ".join(names[:8]) + (f" and {more} more" if more > 0 else "")


def preparation(columns: Columns) -> Pipeline:
    """Return the unfitted transformer: raw rows of the table -> float64 features."""
    return Pipeline([("names", FunctionTransformer(named_columns)), ("columns", _transformer(columns))])


def named_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with its columns named as a trial names them: without blanks around, and by number without names.

    Raises
    ------
    TypeError
        For anything but a table.
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"Pass a pandas DataFrame with the columns of the file, not {type(frame).__name__}.")
    raw: list[Any] = list(frame.columns)
    names = [f"column {name + 1}" if isinstance(name, int) else str(name).strip() for name in raw]
    return frame.set_axis(names, axis=1)


def _transformer(columns: Columns) -> ColumnTransformer:
    return ColumnTransformer(
        [
            ("numbers", Pipeline([
                ("as_numbers", FunctionTransformer(as_numbers)),
                ("impute", SimpleImputer(strategy="median", keep_empty_features=True)),
                ("scale", StandardScaler()),
            ]), list(columns.numbers)),
            ("words", Pipeline([
                ("as_words", FunctionTransformer(as_words)),
                ("impute", SimpleImputer(strategy="constant", fill_value=MISSING, missing_values=None)),
                ("one_hot", OneHotEncoder(
                    max_categories=_MOST_WORDS, handle_unknown="infrequent_if_exist", sparse_output=False
                )),
            ]), list(columns.words)),
        ],
        sparse_threshold=0.0,
    )  # fmt: skip


def vector_preparation(*, dense: bool) -> Pipeline:
    """Return the unfitted scaler of LIBSVM text: standard, or by the largest absolute value, which keeps zeros.

    Both take arrays and CSR matrices.
    """
    if not dense:
        return Pipeline([("scale", MaxAbsScaler())])
    return Pipeline([("dense", FunctionTransformer(as_dense, accept_sparse=True)), ("scale", StandardScaler())])


def as_dense(X: Any) -> Any:
    """Return rows as they are, or a sparse matrix as an array."""
    return X.toarray() if hasattr(X, "toarray") else X


def as_numbers(frame: Any) -> np.ndarray:
    """Return columns as float64 of shape (n, k); what is no finite number becomes nan.

    Raises
    ------
    ValueError
        If most values of a column are words, as decimal commas are that were not read as such, or are too large.
    """
    found = np.full(frame.shape, np.nan)
    plain = np.array([pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes], dtype=bool)
    # At once: a column at a time takes minutes for thousands of columns.
    found[:, plain] = frame.loc[:, plain].to_numpy(dtype=np.float64, na_value=np.nan)
    for i in np.flatnonzero(~plain):
        name = frame.columns[i]
        numbers = pd.to_numeric(frame[name], errors="coerce")
        strange = frame[name][numbers.isna() & frame[name].notna()]
        told = len(strange) > 1 or strange.astype(str).str.fullmatch(r"-?\d+,\d+").any()
        if told and 2 * len(strange) > frame[name].notna().sum():
            raise ValueError(f"Column '{name}' should hold numbers, but most are words such as {strange.iloc[0]!r}.")
        found[:, i] = numbers.to_numpy(np.float64, na_value=np.nan)
    found[~np.isfinite(found)] = np.nan
    if np.nanmax(np.abs(found), initial=0.0) > _LARGEST:
        worst = frame.columns[np.nanargmax(np.nanmax(np.abs(found), axis=0))]
        raise ValueError(
            f"Column '{worst}' holds numbers beyond {_LARGEST:g}, whose squares overflow: scale it, or --drop it."
        )
    return found


def as_words(frame: Any) -> np.ndarray:
    """Return columns as an object array of str, None where a value is missing."""
    words = np.empty(frame.shape, dtype=object)
    for i, name in enumerate(frame):
        there = frame[name].notna().to_numpy()
        words[there, i] = frame[name][there].astype(str).to_numpy(dtype=object)
    return words
