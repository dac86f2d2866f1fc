"""A heat map shows every point of every grid, later grids on top, and where the best is."""

import matplotlib.figure
from matplotlib.patches import Rectangle

from scrf_bench.report import Figure, draw_heat_map, figure_bytes

COARSE = [(C, gamma, 0.5 + 0.01 * C - 0.01 * gamma) for C in (0.0, 2.0) for gamma in (-2.0, 0.0, 2.0)]
FINE = [(C, -2.0, 0.9) for C in (1.0, 2.0, 3.0)]


def test_every_point_is_a_square_as_wide_as_its_grids_steps():
    canvas = matplotlib.figure.Figure()
    draw_heat_map(canvas, [COARSE, FINE], (2.0, -2.0), "title")
    ax, bar = canvas.axes
    squares = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert [(p.get_y() + p.get_height() / 2, p.get_x() + p.get_width() / 2) for p in squares] == [
        point[:2] for point in (*COARSE, *FINE)
    ]
    assert [p.get_width() for p in squares[:6]] == [2.0] * 6
    assert [p.get_height() for p in squares[6:]] == [1.0] * 3
    assert all(line.get_xydata().tolist() == [[-2.0, 2.0]] for line in ax.lines)
    assert "accuracy" in bar.get_ylabel()


def test_equal_accuracies_can_be_drawn():
    def draw(canvas):
        draw_heat_map(canvas, [[(0.0, 0.0, 0.5), (1.0, 0.0, 0.5)]], (0.0, 0.0), "flat")

    assert figure_bytes(Figure("", "flat", 3, 3, draw), ["png"])["png"].startswith(b"\x89PNG")
