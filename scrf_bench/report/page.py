"""One HTML page with everything in it: tables, figures, environment; readable without a network."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scrf_bench.atomic import write_over
from scrf_bench.report.figure import Figure, figure_bytes
from scrf_bench.report.html import templates, to_html
from scrf_bench.report.layout import Layout


@dataclass(frozen=True)
class Section:
    """One part of the page, an experiment as a rule: a heading, paragraphs of plain text, and a layout."""

    title: str
    layout: Layout
    paragraphs: Sequence[str] = field(default_factory=tuple)

    @property
    def anchor(self) -> str:
        """The heading's identifier in links."""
        return "section-" + re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")


@dataclass(frozen=True)
class _Picture:
    caption: str
    source: str
    width: int


def html_page(
    title: str,
    sections: Sequence[Section],
    environment: Mapping[str, object],
    path: Path,
) -> Path:
    """Write one self-contained HTML page and return its path.

    Figures are svg inside the page, so nothing is fetched; panels that also stand in a whole figure are shown
    there only. The page follows the reader's light or dark setting, scrolls wide tables on narrow screens
    and prints on white. The same input gives the same bytes.

    Parameters
    ----------
    title : str
        The page's heading.
    sections : sequence of Section
        In order.
    environment : mapping
        What the records were measured on: shown as a list of names and values at the end.
    path : path
        The file to write, atomically.

    Raises
    ------
    UserError
        If the file cannot be written.
    """
    anchors = [section.anchor for section in sections]
    if len(set(anchors)) != len(anchors):
        raise ValueError(
            f"Two sections of the page share a heading: {', '.join(section.title for section in sections)}."
        )
    shown = [
        {
            "title": section.title,
            "anchor": section.anchor,
            "paragraphs": section.paragraphs,
            "tables": [to_html(table) for table in section.layout.tables],
            "figures": [_picture(figure) for figure in section.layout.whole_figures],
        }
        for section in sections
    ]
    text = templates().get_template("page.html").render(title=title, sections=shown, environment=environment)
    return write_over(Path(path), text)


def _picture(figure: Figure) -> _Picture:
    """Embed a figure as a data address: svg pasted into the page would share identifiers between figures."""
    content = figure_bytes(figure, ("svg",))["svg"]
    source = "data:image/svg+xml;base64," + base64.b64encode(content).decode("ascii")
    return _Picture(figure.caption, source, round(96 * figure.width))
