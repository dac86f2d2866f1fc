"""A table's columns as numbers and words, and the scikit-learn transformer that makes features of raw rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, OneHotEncoder, StandardScaler

from scrf_bench.errors import UserError, did_you_mean
from scrf_bench.experiments.trial.gaps import MISSING, gap_notes, listed
from scrf_bench.experiments.trial.signs import Sign, find_sign, without_sign
from scrf_bench.experiments.trial.target import MOSTLY_NUMBERS, is_date

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
    signs : mapping of str to Sign
        Of the columns of numbers that are written with one.
    """

    numbers: tuple[str, ...]
    words: tuple[str, ...]
    notes: tuple[str, ...]
    signs: Mapping[str, Sign] = field(default_factory=dict)


def sort_columns(frame: pd.DataFrame, drop: Sequence[str] = (), whole: pd.DataFrame | None = None) -> Columns:
    """Decide what becomes of each column, from the training rows.

    Parameters
    ----------
    frame : DataFrame
        Training rows, without the target.
    drop : sequence of str
        Columns that the user wants left out.
    whole : DataFrame, optional
        All rows of the file, to count what is missing; by default the training rows.

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
    signs: dict[str, Sign] = {}
    out: dict[str, list[str]] = {}
    for name in frame.columns.drop(list(drop)):
        column = frame[name]
        reason = _useless(column)
        if reason:
            out.setdefault(reason, []).append(name)
        elif is_number(column):
            numbers.append(name)
        elif sign := find_sign(column):
            numbers.append(name)
            signs[name] = sign
        elif column.nunique() > max(_MOST_WORDS, _NAMES_FROM * len(column)):
            out.setdefault("text that is different in most rows", []).append(name)
        else:
            words.append(name)
    notes = [f"Left out ({reason}): {listed(names)}." for reason, names in out.items()]
    if drop:
        notes.insert(0, f"Left out, as asked: {listed(drop)}.")
    if not numbers and not words:
        raise UserError(f"No column is left to learn from. {' '.join(notes)}")
    if signs:
        kinds = [f"{name}: {sign.mark}" for name, sign in signs.items()]
        notes.append(f"Numbers with a sign are read without it ({listed(kinds)}); the exported model does so, too.")
    try:
        gaps = gap_notes(frame if whole is None else whole, numbers, words, partial(_floats, signs=signs))
    except ValueError as error:
        raise UserError(str(error)) from error
    return Columns(tuple(numbers), tuple(words), (*notes, *_notes(frame, numbers, words), *gaps), signs)


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
    names = [
        name
        for name in numbers
        if frame[name].dtype.kind in "iu" and len(frame) >= _NAMING_ROWS and frame[name].is_unique
    ]
    if names:
        notes.append(
            f"Whole numbers, another in every row: {listed(names)}. If they only name the rows, leave them out "
            f"(--drop {','.join(names[:3])})."
        )
    if words:
        kinds = [f"{name}: {frame[name].nunique():,}" for name in words]
        notes.append(f"Text columns become one-hot features (different values of {listed(kinds)}).")
    many = [name for name in words if frame[name].nunique() > _MOST_WORDS]
    if many:
        notes.append(f"Of {listed(many)} the {_MOST_WORDS - 1} commonest values; the others share one feature.")
    return notes


def preparation(columns: Columns) -> Pipeline:
    """Return the unfitted transformer: raw rows of the table -> float64 features."""
    known = (*columns.numbers, *columns.words)
    names = FunctionTransformer(named_columns, kw_args={"known": known})
    return Pipeline([("names", names), ("columns", _transformer(columns))])


def named_columns(frame: pd.DataFrame, known: Sequence[str] = ()) -> pd.DataFrame:
    """Return a table with its columns named as a trial names them: without blanks around, and by number without names.

    Parameters
    ----------
    frame : DataFrame
    known : sequence of str
        Names to learn from. Where they are numbers, as pandas writes columns without names, 0 is called '0'; else it is
        'column 1', as without a header.

    Raises
    ------
    TypeError
        For anything but a table.
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"Pass a pandas DataFrame with the columns of the file, not {type(frame).__name__}.")
    raw: list[Any] = list(frame.columns)
    numbered = any(name.isdecimal() for name in known)
    names = [f"column {name + 1}" if isinstance(name, int) and not numbered else str(name).strip() for name in raw]
    return frame.set_axis(names, axis=1)


def _transformer(columns: Columns) -> ColumnTransformer:
    return ColumnTransformer(
        [
            ("numbers", Pipeline([
                ("as_numbers", FunctionTransformer(as_numbers, kw_args={"signs": dict(columns.signs)})),
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


def as_numbers(frame: Any, signs: Mapping[str, Sign] | None = None) -> np.ndarray:
    """Return columns as float64 of shape (n, k); what is no finite number becomes nan.

    Parameters
    ----------
    frame : DataFrame
    signs : mapping of str to Sign, optional
        Of the columns that are written with one.

    Raises
    ------
    ValueError
        If most values of a column are words, as decimal commas are that were not read as such, or are too large.
    """
    found = _floats(frame, signs)
    found[~np.isfinite(found)] = np.nan
    return found


def _floats(frame: Any, signs: Mapping[str, Sign] | None = None) -> np.ndarray:
    """Return columns as `as_numbers` does, infinities as they are."""
    found = np.full(frame.shape, np.nan)
    plain = np.array([pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes], dtype=bool)
    # At once: a column at a time takes minutes for thousands of columns.
    found[:, plain] = frame.loc[:, plain].to_numpy(dtype=np.float64, na_value=np.nan)
    for i in np.flatnonzero(~plain):
        name = frame.columns[i]
        sign = (signs or {}).get(name)
        column = frame[name]
        numbers = without_sign(column, sign) if sign else pd.to_numeric(column, errors="coerce")
        strange = column[numbers.isna() & column.notna()]
        told = len(strange) > 1 or strange.astype(str).str.fullmatch(r"-?\d+,\d+").any()
        if told and 2 * len(strange) > column.notna().sum():
            raise ValueError(f"Column '{name}' should hold numbers, but most are words such as {strange.iloc[0]!r}.")
        found[:, i] = numbers.to_numpy(np.float64, na_value=np.nan)
    sizes = np.abs(found, out=np.zeros_like(found), where=np.isfinite(found))
    if sizes.max(initial=0.0) > _LARGEST:
        worst = frame.columns[sizes.max(axis=0).argmax()]
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
