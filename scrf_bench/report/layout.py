"""What an experiment shows, and writing it to a folder in the formats asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scrf_bench.atomic import write_over
from scrf_bench.errors import UserError
from scrf_bench.report.figure import FIGURE_FORMATS, Figure, save_figure
from scrf_bench.report.latex import to_latex
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

    @property
    def whole_figures(self) -> tuple[Figure, ...]:
        """The figures a page shows: the one without a name if its panels stand beside it, else all."""
        whole = tuple(figure for figure in self.figures if not figure.name)
        return whole or tuple(self.figures)


def render(layout: Layout, folder: Path, formats: Sequence[str] = DEFAULT_FORMATS) -> list[Path]:
    """Write a layout's files and return their paths, tables first.

    A single table is ``table.<ext>``, several are ``table-<name>.<ext>``; figures likewise. One that has no
    name is ``table.<ext>`` or ``figure.<ext>`` also among several: the whole figure beside its panels
    ``figure-a.<ext>``, ``figure-b.<ext>``. Missing folders are made; every file is written atomically, and
    the same layout gives the same bytes.

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
    for table, stem in zip(layout.tables, _stems("table", layout.tables), strict=True):
        for extension, convert in (_TABLES[name] for name in formats if name in _TABLES):
            paths.append(write_over(Path(folder) / f"{stem}.{extension}", convert(table)))
    pictures = [name for name in formats if name in FIGURE_FORMATS]
    if pictures:
        for figure, stem in zip(layout.figures, _stems("figure", layout.figures), strict=True):
            paths += save_figure(figure, Path(folder), stem, pictures)
    _remove_leftovers(Path(folder), paths, formats)
    return paths


def _remove_leftovers(folder: Path, written: Sequence[Path], formats: Sequence[str]) -> None:
    """Remove panels and tables that an earlier rendering left and this layout no longer has."""
    extensions = {_TABLES[name][0] if name in _TABLES else name for name in formats}
    for word in ("table-", "figure-"):
        for path in folder.glob(f"{word}*"):
            if path.suffix.lstrip(".") in extensions and path not in written:
                path.unlink(missing_ok=True)


def _stems(word: str, parts: Sequence[Table] | Sequence[Figure]) -> list[str]:
    """Return the parts' file names without extension: the word, and the part's name if there are several."""
    if len(parts) == 1:
        return [word]
    names = [re.sub(r"[^A-Za-z0-9._-]", "-", part.name) for part in parts]
    if len(set(names)) != len(names):
        raise ValueError(f"Two {word}s of one layout would share a file: {', '.join(names)}; name them apart.")
    return [f"{word}-{name}" if name else word for name in names]
