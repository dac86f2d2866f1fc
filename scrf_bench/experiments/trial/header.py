"""Whether a table's first line names its columns, and what they are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")
AGREEING = 0.9  # share of the lines looked at
_ROW_NAMES = "row names"
_NO_NAME = re.compile(r"|-|\?|<?n\.?/?a>?|nan|null|none|missing|[+-]?inf(inity)?", re.IGNORECASE)
_WHOLE = re.compile(r"\s*[+-]?\d+\s*")
_INDEX = re.compile(r"(Unnamed: \d+)?")
_SURE = 3  # columns called 0, 1, 2 and on; rows of data start with fewer by chance
_OVERRULED = "if that is data, say --no-header"


@dataclass(frozen=True)
class Header:
    """What the first line is.

    Attributes
    ----------
    named : bool
        Whether it names the columns.
    names : list of str
        Of the columns, each different.
    row_names : bool
        Whether the first of them, which the header leaves out, holds the rows' names.
    notes : list of str
        What was decided, where it may surprise.
    """

    named: bool
    names: list[str]
    row_names: bool
    notes: list[str]


def decide_header(rows: Sequence[Sequence[str]], asked: bool | None) -> Header:
    """Decide what the first line is.

    Parameters
    ----------
    rows : sequence of sequences of str
        The fields of the first lines.
    asked : bool or None
        Whether the user says that it names the columns; None decides by the fields: it does unless it holds numbers
        that are not names.
    """
    first, rest = rows[0], rows[1:]
    notes = []
    named = asked
    if named is None:
        numbers = any(NUMBER.fullmatch(field) for field in first)
        reason = _numbers_as_names(first, rest) if numbers else ""
        named = not numbers or bool(reason)
        if reason:
            notes.append(f"The first line is read as a header, though it holds numbers: {reason} ({_OVERRULED}).")
        elif numbers:
            notes.append("The first line holds numbers, so it is read as data and columns are numbered (see --header).")
    if not named:
        numbered = [f"column {i}" for i in range(1, len(first) + 1)]
        return Header(named=False, names=numbered, row_names=False, notes=notes)
    names, remarks = column_names(first)
    row_names = is_short_header(first, rest)
    if row_names:
        names, remarks = column_names([_ROW_NAMES, *first])
        remarks.append(
            f"The header is one field shorter than the rows, as R writes it: the first column ({rest[0][0]}, ...) "
            "names the rows and is left out."
        )
    return Header(named=True, names=names, row_names=row_names, notes=notes + remarks)


def _numbers_as_names(first: Sequence[str], rest: Sequence[Sequence[str]]) -> str:
    """Return why a first line with numbers is a header all the same, or nothing."""
    fields = [field.strip() for field in first]
    indexed = len(fields) > 1 and _INDEX.fullmatch(fields[0]) is not None
    counted = fields[indexed:]
    # Besides numbered columns, one has a name: the target that was put behind or before the others.
    if not NUMBER.fullmatch(counted[-1]):
        counted = counted[:-1]
    elif not NUMBER.fullmatch(counted[0]):
        counted = counted[1:]
    numbered = bool(counted) and counted == [str(i) for i in range(len(counted))]
    if numbered and (len(counted) >= _SURE or indexed or _above_fractions(first, rest)):
        return "its columns are numbered from 0, as pandas calls those without names"
    last = fields[-1]
    if not NUMBER.fullmatch(last) and not _NO_NAME.fullmatch(last) and len(rest) > 1:
        under = [row[-1].strip() for row in rest if len(row) == len(first)]
        numbers = sum(NUMBER.fullmatch(field) is not None for field in under)
        if last not in under and numbers >= max(2, AGREEING * len(under)):
            return f"its last field is '{last}', and numbers stand below"
    return ""


def _above_fractions(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Tell whether a whole number of the first line stands above numbers none of which is written as one."""
    like = [row for row in rest if len(row) == len(first)]
    for i, field in enumerate(first):
        below = [row[i] for row in like]
        fractions = sum(NUMBER.fullmatch(text) is not None and not _WHOLE.fullmatch(text) for text in below)
        if _WHOLE.fullmatch(field) and below and fractions == len(below):
            return True
    return False


def is_short_header(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Tell whether rows are one field longer than the first line, and start with a field that is different in each."""
    long = [row for row in rest if len(row) == len(first) + 1]
    if not long or len(long) < AGREEING * len(rest):
        return False
    # A separator at the end of each line gives rows a last field, too, an empty one.
    different = len({row[0] for row in long}) == len(long)
    return different and any(row[-1].strip() for row in long)


def column_names(first: Sequence[str]) -> tuple[list[str], list[str]]:
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


def without_repeated_header(text: str) -> tuple[str, list[str]]:
    """Drop the header where it stands again among the rows, as in files put together from several."""
    header, line_end, rest = text.partition("\n")
    if not re.search(r"[^\W\d_]", header):
        return text, []  # Numbers alone may be a row.
    body = f"\n{rest}".rstrip("\n") + "\n"
    count = 0
    while (found := body.count(f"\n{header}\n")) > 0:
        body = body.replace(f"\n{header}\n", "\n")
        count += found
    if not count:
        return text, []
    times = "once more" if count == 1 else f"{count:,} times"
    return header + line_end + body[1:], [f"The header stands among the rows, too ({times}); dropped there."]
