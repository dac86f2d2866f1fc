"""A strict reader of comma-separated tables with a header line, for the sets that their own site serves so."""

from __future__ import annotations

from itertools import islice

import numpy as np
from scipy import sparse

from scrf_bench.datasets.parser import ParsedText
from scrf_bench.datasets.spec import TableSpec
from scrf_bench.errors import ParseError

_REMEDY = "correct the file, or get it afresh"
_BLOCK_LINES = 4096


def parse_table(text: bytes, table: TableSpec, *, n_features: int, name: str) -> ParsedText:
    r"""Read a table: every column is a feature, but for the target's and those left out.

    Parameters
    ----------
    text : bytes
        The unpacked text, with LF line ends.
    table : TableSpec
    n_features : int
        How many feature columns there must be.
    name : str
        The file's name, for messages.

    Returns
    -------
    ParsedText

    Raises
    ------
    ParseError
        For a column that the header lacks, another number of features, a row of another length, or a field that is not
        a finite number; the message names the file and the line.

    Examples
    --------
    >>> parse_table(b"id,a,b,y\n7,0.5,0,3\n", TableSpec("y", ("id",)), n_features=2, name="t").X.toarray()
    array([[0.5, 0. ]])
    """
    lines = text.decode("utf-8", "replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    header = [column.strip().strip('"') for column in lines[0].split(",")] if lines else []
    if lacking := [column for column in (table.target, *table.left_out) if column not in header]:
        raise ParseError(f"{name}:1: the header has no column {', '.join(map(repr, lacking))}; {_REMEDY}.")
    features = [i for i, column in enumerate(header) if column != table.target and column not in table.left_out]
    if len(features) != n_features:
        raise ParseError(f"{name}:1: {len(features)} feature columns, the registry states {n_features}; {_REMEDY}.")
    if len(lines) < 2:
        raise ParseError(f"{name}: the file holds no data; {_REMEDY}.")
    blocks, targets = [], []
    target = header.index(table.target)
    for start in range(1, len(lines), _BLOCK_LINES):
        values = _block(list(islice(lines, start, start + _BLOCK_LINES)), start + 1, len(header), name)
        blocks.append(sparse.csr_matrix(values[:, features]))
        targets.append(values[:, target])
    return ParsedText(X=sparse.csr_matrix(sparse.vstack(blocks)), y=np.concatenate(targets))


def _block(lines: list[str], first_line: int, width: int, name: str) -> np.ndarray:
    """Return the numbers of some lines, (lines, width) float64."""
    rows = [line.split(",") for line in lines]
    for number, row in enumerate(rows, start=first_line):
        if len(row) != width:
            raise ParseError(f"{name}:{number}: {len(row)} fields, the header has {width}; {_REMEDY}.")
    try:
        values = np.array(rows, dtype=np.float64)
    except ValueError:
        values = np.full((1, 1), np.nan)
    if np.isfinite(values).all():
        return values
    for number, row in enumerate(rows, start=first_line):
        for field in row:
            if not _is_finite(field):
                raise ParseError(f"{name}:{number}: '{field[:40]}' is not a finite number; {_REMEDY}.")
    raise AssertionError("a block was refused whose fields are all finite numbers")


def _is_finite(field: str) -> bool:
    try:
        return bool(np.isfinite(float(field)))
    except ValueError:
        return False
