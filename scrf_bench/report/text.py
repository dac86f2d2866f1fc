"""Tables as csv and as Markdown."""

from __future__ import annotations

import csv
import io
import re

from scrf_bench.report.table import Column, Entry, Table, grid
from scrf_bench.report.values import MeanSe, NotMeasured, raw_value


def to_csv(table: Table) -> str:
    """Return a table as csv: raw values under the columns' keys, one line a row, nothing rounded.

    A column that holds any :class:`MeanSe` becomes three: ``key`` (the mean), ``key_se`` and ``key_n``. A
    column with any :class:`NotMeasured` is followed by ``key_note``, its reason. Nothing known is an empty
    field. Fractions stay fractions.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    fields = [_csv_fields(table, column) for column in table.columns]
    writer.writerow([name for group in fields for name in group])
    for row in table.rows:
        line: list[object] = []
        for column, names in zip(table.columns, fields, strict=True):
            value = row.get(column.key)
            extra = {
                f"{column.key}_se": value.se if isinstance(value, MeanSe) else None,
                f"{column.key}_n": value.n if isinstance(value, MeanSe) else None,
                f"{column.key}_note": value.reason if isinstance(value, NotMeasured) else None,
            }
            line.append(raw_value(value))
            line.extend(extra[name] for name in names[1:])
        writer.writerow(["" if field is None else field for field in line])
    return stream.getvalue()


def _csv_fields(table: Table, column: Column) -> list[str]:
    values = [row.get(column.key) for row in table.rows]
    names = [column.key]
    if any(isinstance(value, MeanSe) for value in values):
        names += [f"{column.key}_se", f"{column.key}_n"]
    if any(isinstance(value, NotMeasured) for value in values):
        names.append(f"{column.key}_note")
    return names


def to_markdown(table: Table) -> str:
    """Return a table as Markdown (GitHub's pipes, padded to line up) with its title, notes and footnotes."""
    texts = grid(table)
    head = [escape_markdown(column.heading) for column in table.columns]
    body = [[_markdown_entry(entry) for entry in row] for row in texts.rows]
    aligns = [column.alignment for column in table.columns]
    widths = [max(3, *(len(line[j]) for line in [head, *body])) for j in range(len(head))]
    rule = [_markdown_rule(align, width) for align, width in zip(aligns, widths, strict=True)]
    lines = [f"**{escape_markdown(table.title)}**", ""]
    lines += [
        "| "
        + " | ".join(pad(text, width, align) for text, width, align in zip(line, widths, aligns, strict=True))
        + " |"
        for line in [head, rule, *body]
    ]
    notes = [f"- {escape_markdown(note)}" for note in table.notes]
    notes += [f"- [{i}] {escape_markdown(reason)}" for i, reason in enumerate(texts.footnotes, start=1)]
    if notes:
        lines += ["", *notes]
    return "\n".join(lines) + "\n"


def pad(text: str, width: int, align: str) -> str:
    """Fill a text with spaces up to ``width`` on the side that ``align`` (l, r, c) leaves free."""
    if align == "r":
        return text.rjust(width)
    return text.center(width) if align == "c" else text.ljust(width)


def mark_text(entry: Entry) -> str:
    """Return an entry's plain text with its footnote mark in square brackets."""
    return entry.text if entry.mark is None else f"{entry.text} [{entry.mark}]"


def escape_markdown(text: str) -> str:
    """Return a text that Markdown shows as it stands, also inside a table's field."""
    text = re.sub(r"\s*\n\s*", " ", text)
    text = re.sub(r"([\\|*`<])", r"\\\1", text)
    # An underscore inside a word is no emphasis: file and set names stay readable.
    return re.sub(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])", r"\\_", text)


def _markdown_entry(entry: Entry) -> str:
    return mark_text(Entry(escape_markdown(entry.text), entry.mark, entry.kind))


def _markdown_rule(align: str, width: int) -> str:
    if align == "r":
        return "-" * (width - 1) + ":"
    return ":" + "-" * (width - 2) + ":" if align == "c" else ":" + "-" * (width - 1)
