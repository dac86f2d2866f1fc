"""CSV as people have it: any usual separator, encoding and header, read by pandas."""

from __future__ import annotations

import contextlib
import csv
import io
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import pandas as pd

from scrf_bench.errors import DataError
from scrf_bench.experiments.trial.header import AGREEING, decide_header, is_short_header, without_repeated_header

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_ENCODINGS = {
    "utf-16": "UTF-16, as its byte-order mark says",
    "utf-16-le": "UTF-16 without a byte-order mark",
    "utf-16-be": "UTF-16 without a byte-order mark",
    "cp1252": "Windows-1252 (Latin) text: not UTF-8",
}
_BLANKS = r"\s+"
_LOOKED_AT = 100  # lines
DECIMAL_COMMA = r"[+-]?\d+,\d+"
_DECIMAL_COMMA = re.compile(DECIMAL_COMMA)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")
_DECIMAL_POINT = re.compile(r"[+-]?\d+\.\d+")
_MISSING = ("?", "-")
_OddRows = Callable[[int], Iterable[tuple[int, int]]]  # expected fields -> (line, fields) of other rows


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
        return _decode_utf16(text, name)
    try:
        return text.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return text.decode("cp1252", "replace"), "cp1252"


def _decode_utf16(text: bytes, name: str) -> tuple[str, str]:
    """Decode UTF-16 that has no byte-order mark: in Western text every other byte is zero."""
    head = text[:1000]
    for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if zeros.count(0) > AGREEING * len(zeros):
            try:
                return text.decode(encoding), encoding
            except UnicodeDecodeError:
                break
    raise DataError(f"{name}: not a text (it holds zero bytes); give LIBSVM text, Parquet, or CSV in UTF-8.")


def read_csv(text: str, name: str, header: bool | None, encoding: str) -> tuple[pd.DataFrame, list[str], str]:
    """Read a CSV text; return the table, notes on what was found out, and how pandas reads the file.

    Parameters
    ----------
    text : str
    name : str
        The file's, for messages.
    header : bool or None
        Whether the first line names the columns; None finds out.
    encoding : str
        How the text was written.

    Raises
    ------
    DataError
        If rows have different numbers of fields.
    """
    whole, text = text, text.lstrip("\n\ufeff")
    text, comments = _without_comments(text)
    separator = find_separator(text)
    odd_rows = partial(_odd_rows, text, separator, whole.count("\n", 0, len(whole) - len(text)))
    if separator == _BLANKS:
        text = re.sub(r"(?m)^[ \t]+", "", text)
    decided = decide_header(_fields(text, separator, _LOOKED_AT), header)
    named, names = decided.named, decided.names
    notes = [] if encoding == "utf-8" else [f"Read as {_ENCODINGS[encoding]}."]
    if comments:
        notes.append(f"Comments (#) before the table are skipped: {comments} line{'' if comments == 1 else 's'}.")
    notes += [] if separator == "," else [f"Columns are parted by {_SEPARATORS.get(separator, 'blanks')}."]
    notes += decided.notes
    if named:
        text, repeats = without_repeated_header(text)
        notes += repeats
    commas = _commas_in_numbers(text, separator)
    decimal = "," if commas == "decimal" else "."
    thousands = {"thousands": ","} if commas == "thousands" else {}
    if commas:
        notes.append(f"Numbers are written with {commas} commas.")
    options: dict[str, Any] = {"sep": separator, "decimal": decimal, **thousands}
    frame = _parse(text, name, options, names, named, odd_rows)
    if frame[names[-1]].isna().any():
        # A header without a name for row names is short itself.
        notes += _short_rows(islice(odd_rows(len(names)), int(decided.row_names), None), len(names))
    if decided.row_names:
        # As pandas' own index, which it is by read_csv without `names`.
        frame = frame.drop(columns=names[0])
    told = {**options, "encoding": encoding, "skiprows": comments} | ({} if named else {"header": None})
    usual = {"sep": ",", "decimal": ".", "encoding": "utf-8", "skiprows": 0}
    words = "".join(f", {key}={value!r}" for key, value in told.items() if usual.get(key, "") != value)
    return frame, notes, f"pandas.read_csv(FILE{words})"


def _without_comments(text: str) -> tuple[str, int]:
    """Drop lines that start with # before the table, and return their number; a header may start so, too."""
    lines = text.split("\n", _LOOKED_AT)
    count = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
    if 0 < count < len(lines):
        last, next_one = (re.findall(r"[;\t|,]", line) for line in lines[count - 1 : count + 1])
        count -= last == next_one
    return ("\n".join(lines[count:]), count) if count < len(lines) else (text, 0)


def find_separator(text: str) -> str:
    """Return what parts the columns: the separator that cuts the first line, and most others, into as many fields.

    Where there is none, it is one that cuts most others into one field more, their rows' names.
    """
    best, separator, with_row_names = 0.0, ",", []
    # Commas come late: they also stand in numbers, and in words. Blanks part the words of any text.
    for candidate in (";", "\t", "|", ",", _BLANKS):
        rows = _fields(text, candidate, _LOOKED_AT)
        fields = len(rows[0])
        share = sum(len(row) == fields for row in rows) / len(rows) if fields > 1 else 0.0
        if share >= AGREEING:
            return candidate
        if fields > 1 and is_short_header(rows[0], rows[1:]):
            with_row_names.append(candidate)
        if share > best:
            best, separator = share, candidate
    return with_row_names[0] if with_row_names else separator


def _fields(text: str, separator: str, lines: int) -> list[list[str]]:
    # Lines that are cut at the end of a block would count as short ones.
    head = text if len(text) < 1 << 20 else text[: 1 << 20].rpartition("\n")[0]
    rows: Iterable[list[str]]
    if separator == _BLANKS:
        rows = _by_blanks(head)
    else:
        csv.field_size_limit(1 << 24)
        rows = csv.reader(io.StringIO(head, newline=""), delimiter=separator, skipinitialspace=True)
    try:
        found = list(islice((row for row in rows if any(field.strip() for field in row)), lines))
    except csv.Error:
        found = []
    return found or [[""]]


def _by_blanks(text: str) -> Iterator[list[str]]:
    """Cut lines at blanks that no quotes enclose."""
    lines = (" ".join(line.split()) for line in io.StringIO(text))
    return csv.reader(lines, delimiter=" ")


def _commas_in_numbers(text: str, separator: str) -> str:
    """Return what commas in numbers are: ``decimal``, ``thousands``, or nothing ("")."""
    fields = [field.strip() for row in _fields(text, separator, _LOOKED_AT)[1:] for field in row]
    thousands = sum(_THOUSANDS.fullmatch(field) is not None for field in fields)
    commas = sum(_DECIMAL_COMMA.fullmatch(field) is not None for field in fields)
    points = sum(_DECIMAL_POINT.fullmatch(field) is not None for field in fields)
    # 1,234 is a thousand and more, but 0,123 and 12,5 are not.
    if (separator == "," or points) and thousands >= max(commas, 1):
        return "thousands"
    return "decimal" if commas > points else ""


def _parse(
    text: str, name: str, options: dict[str, Any], names: list[str], named: bool, odd_rows: _OddRows
) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            frame: pd.DataFrame = pd.read_csv(
                io.StringIO(text),
                header=0 if named else None,
                names=names,
                index_col=False,
                na_values=list(_MISSING),
                skipinitialspace=True,
                low_memory=False,
                **options,
            )
        except (pd.errors.ParserError, pd.errors.ParserWarning, pd.errors.EmptyDataError) as error:
            words = str(error).replace("Error tokenizing data. C error: ", "").strip()
            long = next((odd for odd in odd_rows(len(names)) if odd[1] > len(names)), None)
            if long:
                words = f"line {long[0]:,} has {long[1]:,} fields, the first has {len(names):,}"
            msg = f"{name}: not a table: {words}. Correct the file; a field that holds a separator needs quotes."
            raise DataError(msg) from error
    return frame


def _short_rows(odd_rows: Iterable[tuple[int, int]], fields: int) -> list[str]:
    """Say how many rows end before the last column, and where the first is."""
    short = [line for line, found in odd_rows if found < fields]
    if not short:
        return []
    words = "row has" if len(short) == 1 else "rows have"
    first = f"line {short[0]:,}" if len(short) == 1 else f"the first in line {short[0]:,}"
    return [f"{len(short):,} {words} fewer fields than the first line ({first}); what lacks is missing."]


def _odd_rows(text: str, separator: str, before: int, fields: int) -> Iterator[tuple[int, int]]:
    """Yield line (of the file, with so many before the text) and number of fields where it is another number."""
    if separator == _BLANKS:
        with contextlib.suppress(csv.Error):
            for number, words in enumerate(_by_blanks(text), start=before + 1):
                if (found := len(words)) not in (0, fields):
                    yield number, found
        return
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    start = before + 1
    with contextlib.suppress(csv.Error):
        for row in rows:
            if row and len(row) != fields:
                yield start, len(row)
            start = before + rows.line_num + 1
