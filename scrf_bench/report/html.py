"""Tables as HTML fragments, and the templates' environment (autoescaping, strict about unknown names)."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from scrf_bench.report.table import Entry, Table, grid

if TYPE_CHECKING:
    import jinja2

_TEMPLATES = Path(__file__).resolve().parent / "templates"


@cache
def templates() -> jinja2.Environment:
    """Return the environment that the report's templates are read in."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["entry"] = _html_entry
    return environment


def to_html(table: Table) -> Markup:
    """Return a table as an HTML fragment: caption, head, one body a group, notes; all texts escaped."""
    texts = grid(table)
    groups: list[list[tuple[Entry, ...]]] = [[]]
    for row, opens in zip(texts.rows, texts.opens_group, strict=True):
        if opens:
            groups.append([])
        groups[-1].append(row)
    fragment = (
        templates()
        .get_template("table.html")
        .render(table=table, columns=table.columns, groups=groups, footnotes=texts.footnotes)
    )
    return Markup(fragment)  # noqa: S704 - the template has escaped it


def _html_entry(entry: Entry) -> Markup:
    power = re.fullmatch(r"2\^(-?\d+)", entry.text) if entry.kind == "power2" else None
    text = Markup("2<sup>{}</sup>").format(power[1].replace("-", "−")) if power else escape(entry.text)
    return text if entry.mark is None else text + Markup("<sup>[{}]</sup>").format(entry.mark)
