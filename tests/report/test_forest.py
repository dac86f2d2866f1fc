"""The forest plot shows each row's numbers, in looks that grey and colour-blind eyes tell apart."""

import math

import matplotlib.figure
import pytest
from matplotlib.colors import to_rgb

from scrf_bench.report import ForestRow, draw_forest, forest_size
from scrf_bench.report.forest import _LOOKS

ROWS = [
    ForestRow("equal", 0.2, -0.3, 0.7, -1.0, 1.0, "holds", "1.01 [0.98, 1.03]"),
    ForestRow("below", -0.4, -0.6, -0.2, -math.inf, -1.0, "fails", "0.97 [0.95, 0.98]"),
    ForestRow("far away", 80.0, 50.0, math.inf, -1.0, 1.0, "undecided", "9 [5, ∞]"),
]


@pytest.fixture
def ax():
    canvas = matplotlib.figure.Figure(layout="constrained")
    draw_forest(canvas, ROWS, axis_label="margins")
    return canvas.axes[0]


def lines_at(ax, y):
    return [line for line in ax.lines if len(line.get_ydata()) and set(line.get_ydata()) == {y}]


def test_every_row_shows_interval_estimate_verdict_and_effect(ax):
    assert [text.get_text() for text in ax.get_yticklabels()] == ["equal", "below", "far away"]
    for y, row in enumerate(ROWS[:2]):
        interval, estimate = lines_at(ax, y)
        assert list(interval.get_xdata()) == [row.low, row.high]
        assert list(estimate.get_xdata()) == [row.estimate]
        assert estimate.get_marker() == _LOOKS[row.verdict][1]
    assert [text.get_text() for text in ax.texts] == [f"{row.verdict}: {row.text}" for row in ROWS]


def test_what_lies_beyond_the_edge_is_an_arrow_there(ax):
    interval, *arrows = lines_at(ax, 2)
    assert list(interval.get_xdata()) == [30.0, 30.0]
    # Both ends lie beyond the right edge; the estimate itself has no place to stand.
    assert {arrow.get_marker() for arrow in arrows} == {">"}
    assert all(list(arrow.get_xdata()) == [30.0] for arrow in arrows)


def test_the_allowed_range_is_shaded_up_to_its_open_end(ax):
    boxes = [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in ax.patches]
    assert boxes == [(-1.0, 1.0), (-30.0, -1.0), (-1.0, 1.0)]


def test_looks_differ_by_marker_and_in_lightness_or_hue():
    """Distances are in sRGB; the two decided words must stay apart without red against green."""
    assert len({marker for _, marker in _LOOKS.values()}) == len(_LOOKS)
    holds, fails = to_rgb(_LOOKS["holds"][0]), to_rgb(_LOOKS["fails"][0])
    assert abs(holds[2] - fails[2]) > 0.5


def test_the_picture_grows_with_its_rows():
    assert forest_size(ROWS * 4)[1] > forest_size(ROWS)[1]
