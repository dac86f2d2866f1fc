"""A table as data: columns, rows, notes; and the grid of texts that every renderer starts from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from scrf_bench.report.values import KINDS, Kind, NotMeasured, Value, format_value

Align: TypeAlias = Literal["l", "r", "c"]
_DEFAULT_UNIT: Mapping[Kind, str] = {"percent": "%", "seconds": "s"}


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    key : str
        The key under which a row holds the column's value; also its name in the csv file.
    label : str
        The heading people read.
    unit : str, optional
        Shown in brackets behind the label; by default ``%`` for percent and ``s`` for seconds. ``""`` shows
        none; bytes never show one there, since each field has its own (kB, MB, ...).
    align : {"l", "r", "c"}, optional
        By default left for text and right for numbers.
    kind : str
        How values are written: see :func:`scrf_bench.report.values.format_value`. A ``percent`` column takes
        fractions.
    digits : int, optional
        Decimals (float, percent, mean_se) or significant digits (seconds, ratio, bytes).
    spec : str, optional
        A Python format specification instead of the kind's own.
    """

    key: str
    label: str
    unit: str | None = None
    align: Align | None = None
    kind: Kind = "text"
    digits: int | None = None
    spec: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"Column '{self.key}' has the unknown kind {self.kind!r}; use one of {', '.join(KINDS)}.")
        if self.align not in (None, "l", "r", "c"):
            raise ValueError(f"Column '{self.key}' has the alignment {self.align!r}; use 'l', 'r' or 'c'.")

    @property
    def heading(self) -> str:
        """The label with its unit, as in ``train (s)``."""
        if self.kind == "bytes":
            return self.label
        unit = _DEFAULT_UNIT.get(self.kind) if self.unit is None else self.unit
        return f"{self.label} ({unit})" if unit else self.label

    @property
    def alignment(self) -> Align:
        """The alignment in force."""
        return self.align or ("l" if self.kind == "text" else "r")

    def format(self, value: Value) -> str:
        """Write a value of this column as plain text."""
        return format_value(value, self.kind, self.digits, self.spec)


@dataclass(frozen=True)
class Table:
    """A table: what every renderer needs and nothing about how it will look.

    Parameters
    ----------
    name : str
        Short and fit for a file name and a LaTeX label, e.g. ``"table2"``.
    title : str
        The caption.
    columns : sequence of Column
        In the order shown; keys are unique.
    rows : sequence of mapping
        Each maps column keys to values; a key left out counts as None (``n/a``). Values are str, int, float,
        bool, None, :class:`MeanSe` or :class:`NotMeasured`.
    notes : sequence of str
        Sentences below the table.
    group_by : str, optional
        A column's key: its repeated values in consecutive rows are blanked, and a rule parts the groups
        (a csv file keeps every value).

    Raises
    ------
    ValueError
        For repeated column keys, a row with a key that no column has, or an unknown ``group_by``.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Any]]
    notes: Sequence[str] = field(default_factory=tuple)
    group_by: str | None = None

    def __post_init__(self) -> None:
        keys = [column.key for column in self.columns]
        if len(set(keys)) != len(keys):
            twice = sorted({key for key in keys if keys.count(key) > 1})
            raise ValueError(f"Table '{self.name}' has two columns with the key {', '.join(twice)}.")
        if self.group_by is not None and self.group_by not in keys:
            raise ValueError(
                f"Table '{self.name}' is grouped by '{self.group_by}', which is no column; "
                f"its columns are {', '.join(keys)}."
            )
        for number, row in enumerate(self.rows):
            strange = sorted(set(row) - set(keys))
            if strange:
                raise ValueError(
                    f"Row {number} of table '{self.name}' holds {', '.join(strange)}, "
                    f"which no column shows; its columns are {', '.join(keys)}."
                )


@dataclass(frozen=True)
class Entry:
    """One field of the grid: its plain text, the number of its footnote if any, and its column's kind."""

    text: str
    mark: int | None = None
    kind: Kind = "text"


@dataclass(frozen=True)
class Grid:
    """A table's texts: ``rows[i][j]``, the rows that open a group (the first excepted), and the footnotes."""

    rows: tuple[tuple[Entry, ...], ...]
    opens_group: tuple[bool, ...]
    footnotes: tuple[str, ...]


def grid(table: Table) -> Grid:
    """Write every field of a table, number its footnotes (equal reasons share one) and blank repeats."""
    footnotes: list[str] = []
    rows: list[tuple[Entry, ...]] = []
    opens: list[bool] = []
    previous: Value = None
    for number, row in enumerate(table.rows):
        group = row.get(table.group_by) if table.group_by is not None else None
        repeats = table.group_by is not None and number > 0 and group == previous
        opens.append(table.group_by is not None and number > 0 and not repeats)
        entries = []
        for column in table.columns:
            if repeats and column.key == table.group_by:
                entries.append(Entry("", kind=column.kind))
            else:
                entries.append(_entry(row.get(column.key), column, footnotes))
        rows.append(tuple(entries))
        previous = group
    return Grid(tuple(rows), tuple(opens), tuple(footnotes))


def _entry(value: Value, column: Column, footnotes: list[str]) -> Entry:
    mark = None
    if isinstance(value, NotMeasured):
        if value.reason not in footnotes:
            footnotes.append(value.reason)
        mark = footnotes.index(value.reason) + 1
    return Entry(column.format(value), mark, column.kind)
