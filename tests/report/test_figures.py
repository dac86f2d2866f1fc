"""Figures: valid files, the same bytes each time; and plot pieces that show the numbers they are given."""

from __future__ import annotations

import io
import re
import sys
import xml.etree.ElementTree as ET

import matplotlib.figure
import numpy as np
import pytest
from matplotlib.axes import Axes
from PIL import Image

from scrf_bench.report import Figure, figure_bytes, plots, style

D = 2.0 ** np.arange(5, 11)


def everything(canvas: matplotlib.figure.Figure) -> None:
    """Draw each piece once."""
    left, middle, right = canvas.subplots(1, 3)
    exact = np.linspace(0.2, 0.9, 300)
    plots.scatter_against_exact(left, exact, exact + 0.05 * np.sin(40 * exact), "scrf")
    plots.loglog_with_fit(middle, D, D**2 / 1e6, D**2 / 1.1e6, D**2 / 0.9e6, "rks", (2.0, -20.0, 0.01))
    plots.limit_mark(middle, 2.0**11, "rks", "RKS: over the limit")
    plots.curve_with_band(right, D, 1 - 1 / D, 0.99 - 1 / D, 1.01 - 1 / D, "fastfood")
    plots.reference_line(right, 1.0, "LIBSVM 100 %")
    plots.log2_axis(right)
    plots.legend_below(canvas)


FIGURE = Figure("", "Every piece", style.TWO_COLUMNS, 2.5, everything)


@pytest.fixture
def ax() -> Axes:
    return matplotlib.figure.Figure(figsize=(4, 3), layout="constrained").subplots()


def test_files_are_valid_in_all_formats() -> None:
    files = figure_bytes(FIGURE)
    with Image.open(io.BytesIO(files["png"])) as image:
        assert image.size == (1400, 500)  # inches at 200 dpi
        assert len(np.unique(np.asarray(image.convert("L")))) > 50
    root = ET.fromstring(files["svg"])
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) > 50
    assert files["pdf"].startswith(b"%PDF-")
    assert files["pdf"].rstrip().endswith(b"%%EOF")


def test_bytes_are_the_same_each_time_and_hold_no_date() -> None:
    first, second = figure_bytes(FIGURE), figure_bytes(FIGURE)
    assert first == second
    assert b"CreationDate" not in first["pdf"]
    assert b"<dc:date>" not in first["svg"]
    assert b"Software" not in first["png"]


def test_pdf_embeds_whole_truetype_fonts() -> None:
    """Type 42, which publishers ask for, not Type 3."""
    pdf = figure_bytes(FIGURE, ("pdf",))["pdf"]
    assert b"/Subtype /CIDFontType2" in pdf or b"/Subtype /TrueType" in pdf
    assert b"/Subtype /Type3" not in pdf


def test_scatter_points_are_one_image_in_vector_formats() -> None:
    """4,950 pairs must not become 4,950 vector objects."""
    exact = np.random.default_rng(0).random(4950)
    figure = Figure("", "", 3, 3, lambda f: void(plots.scatter_against_exact(f.subplots(), exact, exact, "rks")))
    svg = figure_bytes(figure, ("svg",))["svg"]
    assert svg.count(b"<image") == 1
    assert svg.count(b"<use") < 200


def void(_value: object) -> None:
    """Drop a value: a figure's draw returns nothing."""


def test_drawing_needs_no_pyplot() -> None:
    """Pyplot keeps figures alive in global state; nothing of the package may bring it in while drawing."""
    figure_bytes(FIGURE, ("png",))
    assert not any(name.startswith("scrf_bench") and hasattr(module, "plt") for name, module in sys.modules.items())
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or pyplot.get_fignums() == []


def test_unknown_format_is_refused() -> None:
    with pytest.raises(ValueError, match="png, svg, pdf, not as gif"):
        figure_bytes(FIGURE, ("png", "gif"))


def test_scatter_has_the_diagonal_equal_axes_and_the_rms_error(ax: Axes) -> None:
    rms = plots.scatter_against_exact(ax, [0.0, 0.5, 1.0], [0.1, 0.4, 1.1], "scrf", limits=(-0.1, 1.2))
    assert rms == pytest.approx(0.1)
    assert ax.get_xlim() == ax.get_ylim() == (-0.1, 1.2)
    assert ax.get_aspect() == 1.0
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), ax.lines[0].get_ydata())
    np.testing.assert_allclose(ax.collections[0].get_offsets(), [[0.0, 0.1], [0.5, 0.4], [1.0, 1.1]])
    assert ax.texts[0].get_text() == "RMS error 0.100"
    assert ax.get_title() == "SCRF"


def test_scatter_refuses_unequal_or_no_points(ax: Axes) -> None:
    with pytest.raises(ValueError, match="got 1 and 2"):
        plots.scatter_against_exact(ax, [0.1, 0.2], [0.1], "rks")
    with pytest.raises(ValueError, match="got 0 and 0"):
        plots.scatter_against_exact(ax, [], [], "rks")


def test_scatter_of_one_value_still_has_room(ax: Axes) -> None:
    plots.scatter_against_exact(ax, [0.5], [0.5], "rks")
    assert ax.get_xlim() == (0.0, 1.0)


def test_curve_shows_the_mean_between_its_band(ax: Axes) -> None:
    line = plots.curve_with_band(ax, [1, 2], [0.5, 0.6], [0.4, 0.5], [0.6, 0.8], "rks")
    np.testing.assert_array_equal(line.get_ydata(), [0.5, 0.6])
    corners = ax.collections[0].get_paths()[0].vertices
    assert {(1.0, 0.4), (1.0, 0.6), (2.0, 0.5), (2.0, 0.8)} <= {tuple(v) for v in corners.tolist()}
    assert ax.get_legend_handles_labels()[1] == ["RKS"]


def test_fit_is_drawn_over_its_range_and_named_in_the_legend(ax: Axes) -> None:
    y = 2.0 ** (1.5 * np.log2(D) - 10)
    plots.loglog_with_fit(ax, D, y, y, y, "scrf", (1.5, -10.0, 0.034), fit_from=128)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), [128, 1024])
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [2.0**0.5, 2.0**5])
    assert ax.get_legend_handles_labels()[1] == ["SCRF: exponent 1.50 ± 0.03"]
    assert ax.get_xscale() == ax.get_yscale() == "log"


@pytest.mark.parametrize(("fit", "label"), [(None, "SCRF"), ((1.5, -10.0, float("nan")), "SCRF: exponent 1.50")])
def test_without_fit_or_error_the_legend_claims_none(
    ax: Axes, fit: tuple[float, float, float] | None, label: str
) -> None:
    plots.loglog_with_fit(ax, D, D, D, D, "scrf", fit)
    assert ax.get_legend_handles_labels()[1] == [label]


def test_log2_axis_ticks_read_whole_powers_of_two(ax: Axes) -> None:
    ax.plot(D, D)
    plots.log2_axis(ax, "x")
    ax.figure.canvas.draw()
    shown = {t.get_text() for t in ax.get_xticklabels()}
    assert {"$2^{5}$", "$2^{8}$", "$2^{10}$"} <= shown
    assert all(re.fullmatch(r"\$2\^\{-?\d+\}\$", text) for text in shown)


def test_limit_mark_stands_at_the_first_size_that_did_not_run(ax: Axes) -> None:
    plots.log2_axis(ax)
    plots.limit_mark(ax, 2.0**13, "rks", "RKS: over the limit")
    assert set(ax.lines[0].get_xdata()) == {2.0**13}
    assert ax.texts[0].get_text() == "RKS: over the limit"
    assert ax.lines[0].get_color() == style.of("rks").color


def test_one_legend_for_all_panels_names_each_method_once() -> None:
    canvas = matplotlib.figure.Figure(layout="constrained")
    for panel in canvas.subplots(1, 2):
        for method in ("rks", "scrf"):
            plots.curve_with_band(panel, [1, 2], [1, 2], [1, 2], [1, 2], method)
    legend = plots.legend_below(canvas)
    assert [text.get_text() for text in legend.get_texts()] == ["RKS", "SCRF"]
