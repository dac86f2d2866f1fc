"""Tables for a terminal: plain text in a given width, without colours, fit for a pipe."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from scrf_bench.report.table import Table, grid
from scrf_bench.report.text import mark_text, pad

_GAP = "  "
_NARROWEST_TEXT = 12


@dataclass(frozen=True)
class _Texts:
    """What is printed, before widths are known."""

    heads: list[str]
    body: list[list[str]]
    opens: Sequence[bool]
    aligns: list[str]


def to_terminal(table: Table, width: int = 100) -> str:
    """Return a table as plain text no wider than ``width`` where that can be done.

    What does not fit is wrapped in the order: headings, fields of text; and a table that is still too wide is
    printed in blocks that each repeat the first column and the texts.
    """
    texts = grid(table)
    printed = _Texts(
        heads=[column.heading for column in table.columns],
        body=[[mark_text(entry) for entry in row] for row in texts.rows],
        opens=texts.opens_group,
        aligns=[column.alignment for column in table.columns],
    )
    widths = _fit(printed, [column.kind == "text" for column in table.columns], width)
    # Every block must say which row is which: the texts do, the first of them that leave room for numbers.
    lead = [0]
    for j, column in enumerate(table.columns[1:], start=1):
        if column.kind == "text":
            if sum(widths[k] + len(_GAP) for k in [*lead, j]) > width // 2:
                break
            lead.append(j)
    lines = textwrap.wrap(table.title, width) or [table.title]
    for columns in _blocks(widths, lead, width):
        lines += ["", *_block(printed, columns, widths)]
    notes = [textwrap.fill(note, width) for note in table.notes]
    notes += [
        textwrap.fill(f"[{i}] {reason}", width, subsequent_indent="    ")
        for i, reason in enumerate(texts.footnotes, start=1)
    ]
    return "\n".join([*lines, *notes]) + "\n"


def _fit(texts: _Texts, is_text: Sequence[bool], width: int) -> list[int]:
    """Choose the columns' widths: natural if they fit, else wrapped headings, else narrow text columns."""
    fields = [max((len(row[j]) for row in texts.body), default=0) for j in range(len(texts.heads))]
    natural = [max(field, len(head)) for field, head in zip(fields, texts.heads, strict=True)]
    room = width - len(_GAP) * (len(natural) - 1)
    if sum(natural) <= room:
        return natural
    least = [
        max(field, max((len(word) for word in head.split()), default=0))
        for field, head in zip(fields, texts.heads, strict=True)
    ]
    if sum(least) <= room:
        return _spread(least, natural, room)
    shrunk = list(least)
    while sum(shrunk) > room:
        widest = max((j for j, text in enumerate(is_text) if text), key=lambda j: shrunk[j], default=None)
        if widest is None or shrunk[widest] <= _NARROWEST_TEXT:
            return shrunk
        shrunk[widest] -= 1
    return shrunk


def _spread(least: list[int], natural: list[int], room: int) -> list[int]:
    """Give what room is left to the headings that are wrapped most."""
    widths = list(least)
    for _ in range(room - sum(widths)):
        j = max(range(len(widths)), key=lambda j: natural[j] / widths[j])
        if widths[j] >= natural[j]:
            break
        widths[j] += 1
    return widths


def _blocks(widths: list[int], lead: list[int], width: int) -> list[list[int]]:
    """Part the columns into blocks that fit, each beginning with the leading columns."""
    blocks: list[list[int]] = []
    current = list(lead)
    for j in range(len(widths)):
        if j in lead:
            continue
        total = sum(widths[k] for k in [*current, j]) + len(_GAP) * len(current)
        if total > width and len(current) > len(lead):
            blocks.append(current)
            current = list(lead)
        current.append(j)
    return [*blocks, current]


def _block(texts: _Texts, columns: list[int], widths: list[int]) -> list[str]:
    total = sum(widths[j] for j in columns) + len(_GAP) * (len(columns) - 1)
    strong, light = "━" * total, "─" * total
    head = _lines([texts.heads[j] for j in columns], columns, widths, texts.aligns, bottom=True)
    lines = [strong, *head, light]
    for row, opens in zip(texts.body, texts.opens, strict=True):
        if opens:
            lines.append(light)
        lines += _lines([row[j] for j in columns], columns, widths, texts.aligns)
    return [*lines, strong]


def _lines(
    fields: list[str], columns: list[int], widths: list[int], aligns: list[str], *, bottom: bool = False
) -> list[str]:
    """Wrap the fields of one row and set them side by side; headings stand on the bottom line."""
    wrapped = [textwrap.wrap(field, widths[j]) or [""] for field, j in zip(fields, columns, strict=True)]
    height = max((len(lines) for lines in wrapped), default=1)
    for lines in wrapped:
        blank = [""] * (height - len(lines))
        lines[:] = [*blank, *lines] if bottom else [*lines, *blank]
    return [
        _GAP.join(pad(lines[i], widths[j], aligns[j]) for lines, j in zip(wrapped, columns, strict=True)).rstrip()
        for i in range(height)
    ]
