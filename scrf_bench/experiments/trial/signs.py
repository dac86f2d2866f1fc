"""Numbers that are written with a sign of currency or per cent, as spreadsheets show them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

_NEARLY_ALL = 0.9  # of a column's values have the sign
_LOOKED_AT = 1000  # values or up to twice as many, from all over the column
_MARKS = "$€£¥₹₽₩₺₫₪₴₦฿¢%"
_DIGITS = r"(?:\d[\d.,'\u00a0\u202f ]*|[.,]\d+)"
_SIGNED = re.compile(rf"[-+−(]?\s*(?:([{_MARKS}])\s*[-+−]?\s*{_DIGITS}|[-+−]?\s*{_DIGITS}([{_MARKS}]))\s*\)?")
_MARK = re.compile(rf"[{_MARKS}]")
_GROUPS = re.compile(r"['\u00a0\u202f ]")


@dataclass(frozen=True)
class Sign:
    """How a column writes its numbers.

    Attributes
    ----------
    mark : str
        The sign, such as ``$`` or ``%``.
    decimal : str
        ``.`` or ``,``; the other one parts thousands.
    """

    mark: str
    decimal: str = "."


def find_sign(column: pd.Series[Any]) -> Sign | None:
    """Return the sign that nearly all of a text column's values have, or None."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return None
    there = column.dropna()
    there = there.iloc[:: max(1, len(there) // _LOOKED_AT)]
    found = [_SIGNED.fullmatch(text.strip()) for text in there.astype(str)]
    marks = pd.Series([match[1] or match[2] for match in found if match], dtype=object)
    if not len(marks):
        return None
    mark = str(marks.mode()[0])
    if (marks == mark).sum() < _NEARLY_ALL * len(there):
        return None
    texts = [_MARK.sub("", match[0]).strip(" ()") for match in found if match]
    sign = Sign(mark, _decimal(texts))
    return sign if without_sign(there, sign).notna().mean() >= _NEARLY_ALL else None


def _decimal(texts: list[str]) -> str:
    """Tell decimal commas (1.234,5) from thousands (1,234.5); a comma before three digits alone parts thousands."""
    commas = sum(re.search(r",(\d{1,2}|\d{4,})$|\.\d{3},", text) is not None for text in texts)
    points = sum(re.search(r"\.(\d{1,2}|\d{4,})$|,\d{3}\.", text) is not None for text in texts)
    return "," if commas > points else "."


def without_sign(column: pd.Series[Any], sign: Sign) -> pd.Series[Any]:
    """Return a column's numbers as float64, nan for what is none; values without the sign are read, too.

    12.3% becomes 12.3, and ($5), as accountants write, -5.
    """
    return column.map(lambda value: _number(value, sign)).astype(np.float64)


def _number(value: Any, sign: Sign) -> float:
    if not isinstance(value, str):
        number = pd.to_numeric(value, errors="coerce")
        return float("nan") if pd.isna(number) else float(number)
    text = value.strip()
    negative = text.startswith("(") and text.endswith(")")
    text = _GROUPS.sub("", text.strip("()").replace(sign.mark, "", 1).replace("−", "-"))
    # What parts thousands stands before three digits each; anywhere else it is an error, not to be guessed at.
    groups = re.escape("." if sign.decimal == "," else ",")
    text = re.sub(rf"(?<=\d){groups}(?=\d{{3}}(?!\d))", "", text)
    if sign.decimal == ",":
        text = text.translate(str.maketrans(",.", ".,"))
    try:
        number = float(text)
    except ValueError:
        return float("nan")
    return -number if negative else number
