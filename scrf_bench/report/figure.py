"""A figure as data: a name, a caption, a size and the function that draws it; and saving it to files."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrf_bench.atomic import write_over
from scrf_bench.report import style

if TYPE_CHECKING:
    import matplotlib.figure

PNG_DPI = 200
FIGURE_FORMATS = ("png", "svg", "pdf")

# Neither dates nor versions in the files: the same numbers give the same bytes.
_METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
}


@dataclass(frozen=True)
class Figure:
    """One figure file.

    Parameters
    ----------
    name : str
        Of a panel that has its own file, e.g. ``"a"`` for ``figure-a.png``; empty for the whole figure.
    caption : str
        What it shows, in a sentence; the alternative text of the HTML page.
    width, height : float
        In inches; see ``style.ONE_COLUMN`` and ``style.TWO_COLUMNS``.
    draw : callable
        Takes the empty :class:`matplotlib.figure.Figure` (constrained layout) and draws on it.
    """

    name: str
    caption: str
    width: float
    height: float
    draw: Callable[[matplotlib.figure.Figure], None]


def figure_bytes(figure: Figure, formats: Sequence[str] = FIGURE_FORMATS) -> dict[str, bytes]:
    """Draw a figure once and return its files' contents by format (png at 200 dpi, svg, pdf).

    The bytes depend on the drawing alone: no date, no version, no random identifier.

    Raises
    ------
    ValueError
        For a format that is none of png, svg, pdf.
    """
    unknown = [name for name in formats if name not in FIGURE_FORMATS]
    if unknown:
        raise ValueError(f"Figures are saved as {', '.join(FIGURE_FORMATS)}, not as {', '.join(unknown)}.")
    # Cells import experiments, and those this module; only drawing should pay for matplotlib.
    import matplotlib.figure

    contents: dict[str, bytes] = {}
    with style.settings():
        canvas = matplotlib.figure.Figure(figsize=(figure.width, figure.height), layout="constrained")
        figure.draw(canvas)
        for name in formats:
            stream = io.BytesIO()
            canvas.savefig(stream, format=name, dpi=PNG_DPI, metadata=_METADATA[name])
            contents[name] = stream.getvalue()
    return contents


def save_figure(figure: Figure, folder: Path, stem: str, formats: Sequence[str] = FIGURE_FORMATS) -> list[Path]:
    """Write ``<folder>/<stem>.<format>`` for each format, each atomically, and return the paths."""
    return [write_over(folder / f"{stem}.{name}", content) for name, content in figure_bytes(figure, formats).items()]
