"""A user's file as rows: LIBSVM text, CSV or Parquet, told apart by content."""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from scrf_bench.datasets import parse_libsvm
from scrf_bench.datasets.compression import read_bytes, unpack
from scrf_bench.errors import DataError, UserError, did_you_mean
from scrf_bench.experiments.trial.csv_text import decode, read_csv
from scrf_bench.experiments.trial.parquet import read_parquet

_LIBSVM_LINE = re.compile(r"\s*[+-]?[\d.][\d.eE+-]*(\s+(\d+|qid):\S+)+\s*")
_LOOKED_AT = 20  # lines
_WIDEST = 100_000  # features: a dense map of 1,024 columns takes 0.8 GB there
_MANY_TWINS = 0.01  # share of all rows
_DENSE_FROM = 0.25  # share of values that are not zero


@dataclass(frozen=True)
class Rows:
    """The rows of one file.

    Attributes
    ----------
    X : DataFrame, or ndarray or CSR matrix of shape (n, d)
        A table's columns without the target; LIBSVM text gives float64 numbers without names.
    y : Series or ndarray of shape (n,)
        The target as it stands in the file.
    target : str
        What the target is called.
    notes : tuple of str
        What was found and done while reading, a sentence each.
    read_by : str
        What gives such rows in Python.
    """

    X: Any
    y: Any
    target: str
    notes: tuple[str, ...] = ()
    read_by: str = "an array or CSR matrix of its width"

    @property
    def is_table(self) -> bool:
        """Whether columns have names."""
        return isinstance(self.X, pd.DataFrame)

    def repeated(self) -> list[str]:
        """Say where rows of a table are there more than once: what is learned from one is then tested on its twin."""
        if not self.is_table:
            return []
        count = int(pd.concat([self.X, self.y], axis=1).duplicated().sum())
        if count < _MANY_TWINS * len(self.X):
            return []
        some = "1 row is" if count == 1 else f"{count:,} rows are"
        words = f"{some} the same as an earlier one, target included"
        return [f"{words}: test rows may have been learned, and scores be too good."]

    def shared_with(self, other: Rows) -> list[str]:
        """Say where rows of another table, to be tested on, stand among these, target included."""
        if not self.is_table or list(self.X.columns) != list(other.X.columns):
            return []
        own, theirs = (pd.util.hash_pandas_object(pd.concat([r.X, r.y], axis=1), index=False) for r in (self, other))
        count = int(theirs.isin(own).sum())
        if count < max(1, _MANY_TWINS * len(theirs)):
            return []
        some = "1 of the test rows stands" if count == 1 else f"{count:,} of the test rows stand"
        return [f"{some} among the rows to learn from, too: scores may be too good."]

    def taken(self, rows: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return some rows' features and targets, by number."""
        X = self.X.iloc[rows] if self.is_table else self.X[rows]
        return X, np.asarray(self.y)[rows]


def read_rows(path: Path, *, target: str | None = None, header: bool | None = None) -> Rows:
    """Read a file: LIBSVM text, CSV (both also packed by gzip, bz2 or xz) or Parquet.

    Parameters
    ----------
    path : Path
    target : str, optional
        Name or number of a table's target column. By default a column called target, label, class or y; else the last.
    header : bool, optional
        Whether a CSV file's first line names its columns; by default that is found out.

    Raises
    ------
    UserError
        If the file cannot be read, is none of these, or has no such column.
    """
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a file.")
    raw = read_bytes(path)
    if raw.startswith(b"PAR1") or path.suffix == ".parquet":
        frame, notes, how = read_parquet(path, target)
        return replace(_split_target(frame, target, tuple(notes), path), read_by=how)
    text = unpack(*_without_gzip(raw, path))
    lines = [line for line in text[:65536].decode("utf-8", "replace").splitlines() if line.strip()]
    if any(_LIBSVM_LINE.fullmatch(line.lstrip("\ufeff")) for line in lines[:_LOOKED_AT]):
        if target is not None:
            raise UserError(f"{path} is LIBSVM text, where the target starts each line: leave --target out.")
        return _read_libsvm(text.removeprefix(b"\xef\xbb\xbf"), path)
    words, encoding = decode(text, path.name)
    frame, notes, how = read_csv(words, path.name, header, encoding)
    return replace(_split_target(frame, target, tuple(notes), path), read_by=how)


def _without_gzip(raw: bytes, path: Path) -> tuple[bytes, str]:
    if not raw.startswith(b"\x1f\x8b"):
        return raw, path.name
    try:
        return gzip.decompress(raw), path.name.removesuffix(".gz")
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path}: does not unpack ({error}); it is cut short or damaged.") from error


def _read_libsvm(text: bytes, path: Path) -> Rows:
    parsed = parse_libsvm(text, name=path.name)
    if parsed.X.shape[1] > _WIDEST:
        msg = f"{path}: its largest index is {parsed.X.shape[1]:,}; a trial takes at most {_WIDEST:,} features."
        raise DataError(msg)
    n, d = parsed.X.shape
    return Rows(parsed.X, parsed.y, "label", (f"LIBSVM text: {n:,} rows of {d:,} features.",))


def with_common_width(first: Rows, second: Rows) -> tuple[Rows, Rows]:
    """Give two files of LIBSVM text the width of the wider one: features absent from one file are zero there."""
    d = max(first.X.shape[1], second.X.shape[1])
    for rows in (first, second):
        rows.X.resize((rows.X.shape[0], d))
    return first, second


def densified(rows: Rows, dense: bool | None = None) -> Rows:
    """Make numbers without names a dense array where a quarter of them or more are not zero (or as `dense` says)."""
    n, d = rows.X.shape
    if dense is None:
        dense = bool(rows.X.nnz >= _DENSE_FROM * n * d)
    return replace(rows, X=rows.X.toarray() if dense else rows.X)


def _split_target(frame: pd.DataFrame, target: str | None, notes: tuple[str, ...], path: Path) -> Rows:
    names = [str(name) for name in frame.columns]
    frame = frame.set_axis(names, axis=1)
    if len(names) < 2:
        raise UserError(
            f"{path} has one column only ({', '.join(names)}): a target and at least one feature are needed. "
            f"Columns may be parted by commas, semicolons, tabs, bars or blanks. {' '.join(notes)}".rstrip()
        )
    chosen, how = choose_target(names, target, str(path))
    note = f"{len(frame):,} rows of {len(names):,} columns; the target is '{chosen}'{how}."
    return Rows(frame.drop(columns=chosen), frame[chosen], chosen, (note, *notes))


def choose_target(names: list[str], wanted: str | None, file: str) -> tuple[str, str]:
    """Return the target column and why it is that, as words behind its name.

    Parameters
    ----------
    names : list of str
    wanted : str or None
        A name, or a number from 1 where no column is called so.
    file : str
        For messages.

    Raises
    ------
    UserError
        If there is no column called so.
    """
    if wanted is not None:
        if wanted in names:
            return wanted, ""
        if wanted.isdecimal() and 1 <= int(wanted) <= len(names):
            return names[int(wanted) - 1], f", column {wanted}"
        near = [name for name in names if name.lower() == wanted.lower()]
        hint = f" Did you mean '{near[0]}'?" if near else did_you_mean(wanted, names)
        shown = ", ".join(names[:30]) + (" ..." if len(names) > 30 else "")
        raise UserError(f"--target {wanted}: there is no such column in {file}.{hint} There are: {shown}.")
    usual = [name for name in names if name.strip().lower() in ("target", "label", "class", "y")]
    if len(usual) == 1:
        return usual[0], ", for its name (another: --target NAME)"
    return names[-1], ", the last column (another: --target NAME)"
