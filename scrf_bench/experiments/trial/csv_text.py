"""CSV as people have it: any usual separator, encoding and header, read by pandas."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterable
from itertools import islice

import pandas as pd

from scrf_bench.errors import DataError

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_ENCODINGS = {"utf-16": "UTF-16, as its byte-order mark says", "cp1252": "Windows-1252 (Latin) text: not UTF-8"}
_BLANKS = r"\s+"
_LOOKED_AT = 100  # lines
_AGREEING = 0.9  # share of them
_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_DECIMAL_POINT = re.compile(r"[+-]?\d+\.\d+")
_MISSING = ("?", "-")


def decode(text: bytes, name: str) -> tuple[str, str]:
    """Return a text's characters without a byte-order mark, and its encoding: UTF-8, UTF-16, or Windows-1252.

    Raises
    ------
    DataError
        If it is no text.
    """
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return text.decode("utf-16"), "utf-16"
        except UnicodeDecodeError as error:
            raise DataError(f"{name}: its byte-order mark says UTF-16, but it is not ({error}).") from error
    if b"\x00" in text:
        raise DataError(f"{name}: not a text (it holds zero bytes); give LIBSVM text, CSV or Parquet.")
    try:
        return text.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return text.decode("cp1252", "replace"), "cp1252"


def read_csv(text: str, name: str, header: bool | None, encoding: str) -> tuple[pd.DataFrame, list[str], str]:
    """Read a CSV text; return the table, notes on what was found out, and how pandas reads the file.

    Parameters
    ----------
    text : str
    name : str
        The file's, for messages.
    header : bool or None
        Whether the first line names the columns; None finds out: it does unless it holds a number.
    encoding : str
        How the text was written.

    Raises
    ------
    DataError
        If rows have different numbers of fields.
    """
    text = text.lstrip("\n\ufeff")
    separator = find_separator(text)
    if separator == _BLANKS:
        text = re.sub(r"(?m)^[ \t]+", "", text)
    first = _fields(text, separator, 1)[0]
    named = not any(_NUMBER.fullmatch(field) for field in first) if header is None else header
    notes = [] if encoding == "utf-8" else [f"Read as {_ENCODINGS[encoding]}."]
    notes += [] if separator == "," else [f"Columns are parted by {_SEPARATORS.get(separator, 'blanks')}."]
    if named:
        names, found = column_names(first)
        text, repeats = _without_repeated_header(text)
        notes += found + repeats
    else:
        names = [f"column {i}" for i in range(1, len(first) + 1)]
        if header is None:
            notes.append("The first line holds numbers, so it is read as data and columns are numbered (see --header).")
    decimal = "," if _has_decimal_commas(text, separator) else "."
    if decimal == ",":
        notes.append("Numbers are written with decimal commas.")
    frame = _parse(text, name, separator, decimal, names, named)
    told = {"sep": separator, "decimal": decimal, "encoding": encoding} | ({} if named else {"header": None})
    usual = {"sep": ",", "decimal": ".", "encoding": "utf-8"}
    options = "".join(f", {key}={value!r}" for key, value in told.items() if usual.get(key, "") != value)
    return frame, notes, f"pandas.read_csv(FILE{options})"


def find_separator(text: str) -> str:
    """Return what parts the columns: the separator that cuts the first line, and most others, into as many fields."""
    best, separator = 0.0, ","
    # Commas come late: they also stand in numbers, and in words. Blanks part the words of any text.
    for candidate in (";", "\t", "|", ",", _BLANKS):
        rows = _fields(text, candidate, _LOOKED_AT)
        fields = len(rows[0])
        share = sum(len(row) == fields for row in rows) / len(rows) if fields > 1 else 0.0
        if share >= _AGREEING:
            return candidate
        if share > best:
            best, separator = share, candidate
    return separator


def _fields(text: str, separator: str, lines: int) -> list[list[str]]:
    # Lines that are cut at the end of a block would count as short ones.
    head = text if len(text) < 1 << 20 else text[: 1 << 20].rpartition("\n")[0]
    rows: Iterable[list[str]]
    if separator == _BLANKS:
        rows = (line.split() for line in io.StringIO(head))
    else:
        csv.field_size_limit(1 << 24)
        rows = csv.reader(io.StringIO(head, newline=""), delimiter=separator, skipinitialspace=True)
    try:
        found = list(islice((row for row in rows if any(field.strip() for field in row)), lines))
    except csv.Error:
        found = []
    return found or [[""]]


def column_names(first: list[str]) -> tuple[list[str], list[str]]:
    """Return a header's names, each different, and remarks; nameless and repeated ones are called as pandas does."""
    names: list[str] = []
    repeated: dict[str, None] = {}
    for number, field in enumerate(first):
        name = field.strip() or f"Unnamed: {number}"
        unique, k = name, 0
        while unique in names:
            k += 1
            unique = f"{name}.{k}"
            repeated[name] = None
        names.append(unique)
    notes = [f"Column names stand more than once: {', '.join(repeated)}; later ones are called NAME.1 and so on."]
    return names, notes if repeated else []


def _without_repeated_header(text: str) -> tuple[str, list[str]]:
    """Drop the header where it stands again among the rows, as in files put together from several."""
    header, line_end, rest = text.partition("\n")
    body = f"\n{rest}".rstrip("\n") + "\n"
    count = 0
    while (found := body.count(f"\n{header}\n")) > 0:
        body = body.replace(f"\n{header}\n", "\n")
        count += found
    if not count:
        return text, []
    return header + line_end + body[1:], [f"The header stands among the rows, too ({count:,} times); dropped there."]


def _has_decimal_commas(text: str, separator: str) -> bool:
    if separator == ",":
        return False
    fields = [field.strip() for row in _fields(text, separator, _LOOKED_AT)[1:] for field in row]
    commas = sum(_DECIMAL_COMMA.fullmatch(field) is not None for field in fields)
    return commas > sum(_DECIMAL_POINT.fullmatch(field) is not None for field in fields)


def _parse(text: str, name: str, separator: str, decimal: str, names: list[str], named: bool) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            return pd.read_csv(
                io.StringIO(text),
                sep=separator,
                decimal=decimal,
                header=0 if named else None,
                names=names,
                index_col=False,
                na_values=list(_MISSING),
                skipinitialspace=True,
                low_memory=False,
            )
        except (pd.errors.ParserError, pd.errors.ParserWarning, pd.errors.EmptyDataError) as error:
            words = str(error).replace("Error tokenizing data. C error: ", "").strip()
            if isinstance(error, pd.errors.ParserWarning):
                words = f"rows have more fields than the {len(names)} of the first line"
            msg = f"{name}: not a table: {words}. Correct the file; a field that holds a separator needs quotes."
            raise DataError(msg) from error
