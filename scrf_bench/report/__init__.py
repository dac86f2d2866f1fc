"""Records' numbers made readable: tables, figures, and one HTML page.

Experiments describe what they show as :class:`Table` and :class:`Figure` in a :class:`Layout`.
:func:`render` writes its files, :func:`html_page` one page of several layouts, and :func:`reported` gives
the papers' own figures.
"""

from __future__ import annotations

from scrf_bench.report import plots, style
from scrf_bench.report.figure import Figure, figure_bytes, save_figure
from scrf_bench.report.forest import ForestRow, draw_forest, forest_size
from scrf_bench.report.html import to_html
from scrf_bench.report.latex import to_latex
from scrf_bench.report.layout import FORMATS, Layout, render
from scrf_bench.report.page import Section, html_page
from scrf_bench.report.paper_figures import ReportedFigure, reported, reported_figures
from scrf_bench.report.table import Column, Table
from scrf_bench.report.terminal import to_terminal
from scrf_bench.report.text import to_csv, to_markdown
from scrf_bench.report.values import NOT_APPLICABLE, MeanSe, NotMeasured

__all__ = [
    "FORMATS",
    "NOT_APPLICABLE",
    "Column",
    "Figure",
    "ForestRow",
    "Layout",
    "MeanSe",
    "NotMeasured",
    "ReportedFigure",
    "Section",
    "Table",
    "draw_forest",
    "figure_bytes",
    "forest_size",
    "html_page",
    "plots",
    "render",
    "reported",
    "reported_figures",
    "save_figure",
    "style",
    "to_csv",
    "to_html",
    "to_latex",
    "to_markdown",
    "to_terminal",
]
