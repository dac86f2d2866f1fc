"""A strict reader of LIBSVM text: ``label index:value index:value ...``, one data point a line.

Strict means that whatever other readers let pass in silence is an error here that names file, line and token:
an index below 1, beyond the width, repeated or out of order; nan and inf; a comment; an empty line. Accepted
are the habits of real files: spaces before the line's end, ``+1``, ``-1.0``, explicit zeros, exponents, CRLF,
a missing final newline, and a line with a label alone.

Each line is held against one regular expression, and the numbers of a block of lines are converted and
checked at once; only when something is wrong is the offending line taken apart token by token, to say what.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from scrf_bench.errors import ParseError

#: Changes when the same text would give other arrays; part of the key of the parsed cache.
PARSER_VERSION = 1

_LARGEST_INDEX = 2**31 - 1
_BLOCK_BYTES = 1 << 22
_REMEDY = "correct the file, or get it afresh"

# Possessive quantifiers: the tokens are unambiguous, so nothing is gained by backtracking.
_NUMBER = rb"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?"
_LINE = re.compile(rb"[ \t]*+" + _NUMBER + rb"(?:[ \t]++\d++:" + _NUMBER + rb")*+[ \t]*+\r?")
_NUMBER_TOKEN = re.compile(_NUMBER)
_INDEX_TOKEN = re.compile(rb"\d+")
_NOT_FINITE = re.compile(rb"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


@dataclass(frozen=True)
class ParsedText:
    """The content of a LIBSVM text.

    Attributes
    ----------
    X : scipy.sparse.csr_matrix of shape (n, n_features), float64
        Index ``i`` of the text is column ``i - 1``; explicit zeros are kept.
    y : ndarray of shape (n,), float64
        The labels or targets as written.
    """

    X: sparse.csr_matrix
    y: NDArray[np.float64]


def parse_libsvm(text: bytes, *, n_features: int | None = None, name: str = "<text>") -> ParsedText:
    r"""Read LIBSVM text.

    Parameters
    ----------
    text : bytes
        The unpacked text.
    n_features : int or None
        Width of the data; None takes the largest index in the text.
    name : str
        The file's name, for messages.

    Returns
    -------
    ParsedText

    Raises
    ------
    ParseError
        ``name:line: token '...': reason; remedy`` for the first offence in the text.

    Examples
    --------
    >>> parse_libsvm(b"+1 1:0.5 3:2\n-1 2:1\n", n_features=4).X.shape
    (2, 4)
    """
    if not text.strip():
        raise ParseError(f"{name}: the file holds no data; {_REMEDY}.")
    limit = _LARGEST_INDEX if n_features is None else n_features
    labels, columns, values, counts = [], [], [], []
    for first_line, lines in _blocks(text):
        block = _parse_block(lines, first_line, limit, name)
        labels.append(block.labels)
        columns.append(block.columns)
        values.append(block.values)
        counts.append(block.counts)
    indices = np.concatenate(columns)
    n_nonzeros = np.concatenate(counts)
    width = n_features if n_features is not None else int(indices.max(initial=-1)) + 1
    if width == 0:
        raise ParseError(f"{name}: no line holds a feature (index:value); {_REMEDY}.")
    pointer_type = np.int32 if len(indices) <= _LARGEST_INDEX else np.int64
    pointers = np.zeros(len(n_nonzeros) + 1, dtype=pointer_type)
    np.cumsum(n_nonzeros, out=pointers[1:])
    parts: Any = (np.concatenate(values), indices, pointers)
    X: sparse.csr_matrix = sparse.csr_matrix(parts, shape=(len(n_nonzeros), width))
    return ParsedText(X=X, y=np.concatenate(labels))


@dataclass(frozen=True)
class _Block:
    labels: NDArray[np.float64]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    counts: NDArray[np.int64]


def _blocks(text: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Yield (number of the first line, lines) for blocks of whole lines."""
    start, line_number = 0, 1
    while start < len(text):
        end = text.find(b"\n", start + _BLOCK_BYTES)
        end = len(text) if end < 0 else end + 1
        lines = text[start:end].split(b"\n")
        if not lines[-1]:
            lines.pop()  # what follows the final newline
        yield line_number, lines
        start, line_number = end, line_number + len(lines)


def _parse_block(lines: list[bytes], first_line: int, limit: int, name: str) -> _Block:
    for offset, line in enumerate(lines):
        if _LINE.fullmatch(line) is None:
            raise _blame(line, first_line + offset, limit, name)
    counts = np.array([line.count(b":") for line in lines], dtype=np.int64)
    # Every line is now "label i:v i:v ..."; read as one run of numbers, line k starts at starts[k].
    numbers = np.fromstring(b" ".join(lines).replace(b":", b" ").decode("ascii"), dtype=np.float64, sep=" ")
    starts = np.cumsum(1 + 2 * counts) - (1 + 2 * counts)
    is_label = np.zeros(len(numbers), dtype=bool)
    is_label[starts] = True
    pairs = numbers[~is_label].reshape(-1, 2)
    indices, values, labels = pairs[:, 0], np.ascontiguousarray(pairs[:, 1]), numbers[starts]

    rows = np.repeat(np.arange(len(lines)), counts)
    wrong = (indices < 1) | (indices > limit) | ~np.isfinite(values)
    wrong[1:] |= (rows[1:] == rows[:-1]) & (indices[1:] <= indices[:-1])
    wrong_rows = np.concatenate([rows[wrong], np.flatnonzero(~np.isfinite(labels))])
    if len(wrong_rows):
        row = int(wrong_rows.min())
        raise _blame(lines[row], first_line + row, limit, name)
    return _Block(labels, (indices - 1).astype(np.int32), values, counts)


def _blame(line: bytes, line_number: int, limit: int, name: str) -> ParseError:
    """Return the error that says what is wrong with a line that is known to be wrong."""
    tokens = line.split()
    if not tokens:
        return ParseError(f"{name}:{line_number}: the line is empty; a data point needs a label; {_REMEDY}.")
    where = f"{name}:{line_number}"
    if reason := _number_fault(tokens[0], "label"):
        return _error(where, tokens[0], reason)
    previous = 0
    for token in tokens[1:]:
        index_text, colon, value_text = token.partition(b":")
        if token.startswith(b"#"):
            return _error(where, token, "comments are not part of the format")
        if not colon:
            return _error(where, token, "not of the form index:value")
        if reason := _index_fault(index_text, previous, limit) or _number_fault(value_text, "value"):
            return _error(where, token, reason)
        previous = int(index_text)
    return _error(where, tokens[-1], "control characters or a line end within the line")


def _index_fault(text: bytes, previous: int, limit: int) -> str | None:
    if not _INDEX_TOKEN.fullmatch(text):
        negative = _INDEX_TOKEN.fullmatch(text[1:]) and text.startswith(b"-")
        return "the index is below 1" if negative else f"the index '{_shown(text)}' is not a whole number"
    if len(text.lstrip(b"0")) > len(str(_LARGEST_INDEX)) or int(text) > limit:
        return f"the index is beyond the data's width {limit:,}"
    index = int(text)
    if index < 1:
        return "the index is below 1 (the format counts from 1)"
    if index == previous:
        return f"the index {index} is repeated"
    if index < previous:
        return f"the index {index} stands after {previous}; indices must ascend"
    return None


def _number_fault(text: bytes, what: str) -> str | None:
    if _NOT_FINITE.fullmatch(text) or (_NUMBER_TOKEN.fullmatch(text) and not np.isfinite(float(text))):
        return f"the {what} is not finite"
    if not _NUMBER_TOKEN.fullmatch(text):
        return f"the {what} '{_shown(text)}' is not a number" if text else f"the {what} is missing"
    return None


def _error(where: str, token: bytes, reason: str) -> ParseError:
    return ParseError(f"{where}: token '{_shown(token)}': {reason}; {_REMEDY}.")


def _shown(token: bytes) -> str:
    """Return a token fit for a message: printable, and not longer than 40 characters."""
    text = token.decode("ascii", "backslashreplace").encode("unicode_escape").decode("ascii")
    text = text.replace("\\\\", "\\")
    return text if len(text) <= 40 else text[:37] + "..."
