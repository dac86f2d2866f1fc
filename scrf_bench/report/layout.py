"""What an experiment shows, and writing it to a folder in the formats asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scrf_bench.errors import UserError
from scrf_bench.report.figure import FIGURE_FORMATS, Figure, save_figure
from scrf_bench.report.latex import to_latex
from scrf_bench.report.saving import write_atomically
from scrf_bench.report.table import Table
from scrf_bench.report.text import to_csv, to_markdown

_TABLES = {"csv": ("csv", to_csv), "markdown": ("md", to_markdown), "latex": ("tex", to_latex)}
TABLE_FORMATS = tuple(_TABLES)
FORMATS = (*TABLE_FORMATS, *FIGURE_FORMATS)
DEFAULT_FORMATS = ("csv", "markdown", "png")


@dataclass(frozen=True)
class Layout:
    """The tables and figures of one experiment, in the order shown."""

    tables: Sequence[Table] = field(default_factory=tuple)
    figures: Sequence[Figure] = field(default_factory=tuple)


def render(layout: Layout, folder: Path, formats: Sequence[str] = DEFAULT_FORMATS) -> list[Path]:
    """Write a layout's files and return their paths, tables first.

    A single table is ``table.<ext>``, several are ``table-<name>.<ext>``; a single figure is
    ``figure.<ext>``, several are ``figure-a.<ext>``, ``figure-b.<ext>`` in order. Missing folders are made;
    every file is written atomically, and the same layout gives the same bytes.

    Parameters
    ----------
    layout : Layout
        What to write.
    folder : path
        Where to.
    formats : sequence of str
        Any of csv, markdown, latex (tables) and png, svg, pdf (figures).

    Raises
    ------
    UserError
        For an unknown format, or if a file cannot be written (full disk, permission); the message says what
        to do.
    """
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise UserError(
            f"The format {', '.join(repr(name) for name in unknown)} is not known; "
            f"use {', '.join(FORMATS)} (an HTML page is written by html_page)."
        )
    paths: list[Path] = []
    for table, stem in zip(layout.tables, _table_stems(layout.tables), strict=True):
        for extension, convert in (_TABLES[name] for name in formats if name in _TABLES):
            paths.append(write_atomically(Path(folder) / f"{stem}.{extension}", convert(table)))
    pictures = [name for name in formats if name in FIGURE_FORMATS]
    if pictures:
        for figure, stem in zip(layout.figures, figure_stems(len(layout.figures)), strict=True):
            paths += save_figure(figure, Path(folder), stem, pictures)
    return paths


def _table_stems(tables: Sequence[Table]) -> list[str]:
    if len(tables) == 1:
        return ["table"]
    stems = [f"table-{re.sub(r'[^A-Za-z0-9._-]', '-', table.name)}" for table in tables]
    if len(set(stems)) != len(stems):
        raise ValueError(
            f"Two tables of one layout share a name: {', '.join(table.name for table in tables)}."
        )
    return stems


def figure_stems(count: int) -> list[str]:
    """Return the file names, without extension, of ``count`` figures: figure, or figure-a, figure-b, ..."""
    if count == 1:
        return ["figure"]
    if count > 26:
        raise ValueError(f"A layout holds at most 26 figures (figure-a to figure-z), not {count}.")
    return [f"figure-{chr(ord('a') + i)}" for i in range(count)]
