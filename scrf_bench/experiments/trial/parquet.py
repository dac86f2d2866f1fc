"""Parquet as people have it: read by pandas, its columns made what CSV's would be."""

from __future__ import annotations

import decimal
from pathlib import Path
from typing import Any

import pandas as pd

from scrf_bench.errors import DataError, UserError

_NESTED = ("ndarray", "list", "tuple", "dict", "bytes")


def read_parquet(path: Path, target: str | None = None) -> tuple[pd.DataFrame, list[str], str]:
    """Read a Parquet file; return the table, notes on what was found, and how pandas reads the file.

    A named index becomes columns; decimal numbers become float64; columns of lists, records or bytes are left out.

    Parameters
    ----------
    path : Path
    target : str, optional
        The column that the user wants predicted.

    Raises
    ------
    UserError
        If pyarrow is not installed, or the target holds lists, records or bytes.
    DataError
        If the file is damaged.
    """
    try:
        frame = pd.read_parquet(path)
    except ImportError as error:
        msg = (
            f"{path} is Parquet, which takes the package pyarrow: install it (pip install pyarrow) or save the "
            "data as CSV."
        )
        raise UserError(msg) from error
    except (ValueError, OSError, TypeError, LookupError) as error:
        words = (str(error).splitlines() or [type(error).__name__])[0].removesuffix(".")
        raise DataError(
            f"{path}: not a sound Parquet file ({words}); write it again, or save the data as CSV."
        ) from error
    notes, how = [], "pandas.read_parquet(FILE)"
    if index := [name for name in frame.index.names if name is not None and name not in frame.columns]:
        frame = frame.reset_index(level=index)
        notes.append(f"The index is read as columns: {', '.join(map(str, index))}.")
        how += f".reset_index({index!r})"
    nested = []
    for name in [name for name, dtype in frame.dtypes.items() if dtype.kind == "O"]:
        kinds = {type(value).__name__ for value in frame[name].dropna()}
        if kinds.intersection(_NESTED):
            nested.append(str(name))
        elif kinds:
            frame[name] = _plain(frame[name], kinds)
    if target in nested:
        raise UserError(f"--target {target} holds lists, records or bytes in {path}; name a column of one value a row.")
    if nested:
        frame = frame.drop(columns=nested)
        notes.append(f"Left out (lists, records or bytes, not one value a row): {', '.join(nested)}.")
    return frame, notes, how


def _plain(column: pd.Series[Any], kinds: set[str]) -> pd.Series[Any]:
    """Make decimal numbers float64, and truth values with gaps pandas' own; leave others as they are."""
    if kinds == {decimal.Decimal.__name__}:
        return column.astype("float64")
    return column.astype("boolean") if kinds == {"bool"} else column
