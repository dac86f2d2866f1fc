"""The forest plot: many claims in one picture, each effect with its interval, in units of the claim's margin."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, which eyes without red or green cones tell apart; markers differ besides.
_LOOKS: Mapping[str, tuple[str, str]] = {
    "holds": ("#0072b2", "o"),
    "fails": ("#d55e00", "X"),
    "undecided": ("#6f6f6f", "D"),
}
_OTHER = ("#000000", "s")
_ALLOWED = "#d9ebf7"


@dataclass(frozen=True)
class ForestRow:
    """One line of the plot.

    Attributes
    ----------
    label : str
        What is claimed.
    estimate, low, high : float
        In margins: 0 is the claimed value (or no effect), -1 and 1 the ends of what the claim allows.
    allowed_low, allowed_high : float
        The ends of what the claim allows, possibly infinite.
    verdict : str
        ``holds``, ``fails`` or ``undecided`` have a look of their own.
    text : str
        Printed at the right: the effect in its own unit.
    """

    label: str
    estimate: float
    low: float
    high: float
    allowed_low: float
    allowed_high: float
    verdict: str
    text: str


def forest_size(rows: Sequence[ForestRow]) -> tuple[float, float]:
    """Return the width and height in inches that the rows need."""
    return 8.6, 1.3 + 0.34 * len(rows)


def draw_forest(canvas: Figure, rows: Sequence[ForestRow], *, axis_label: str, reach: float = 30.0) -> None:
    """Draw the rows from the top down; what lies beyond ``+-reach`` margins is an arrow at the edge."""
    ax = canvas.subplots()
    ax.set_xscale("symlog", linthresh=2.0, linscale=1.6)
    ax.set_xlim(-reach, reach)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    for y, row in enumerate(rows):
        _draw_row(ax, y, row, reach)
    ax.axvline(0.0, color="black", linewidth=0.8, zorder=1.5)
    ax.set_yticks(range(len(rows)), [textwrap.fill(row.label, 42) for row in rows])
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    ticks = [-20.0, -5.0, -2.0, -1.0, 0.0, 1.0, 2.0, 5.0, 20.0]
    ax.set_xticks([tick for tick in ticks if abs(tick) <= reach])
    ax.xaxis.set_major_formatter(lambda value, _position: f"{value:g}")
    ax.set_xlabel(axis_label)
    ax.spines["left"].set_visible(False)
    _legend(canvas, rows)


def _draw_row(ax: Axes, y: int, row: ForestRow, reach: float) -> None:
    color, marker = _LOOKS.get(row.verdict, _OTHER)
    start, end = max(row.allowed_low, -reach), min(row.allowed_high, reach)
    ax.barh(y, end - start, left=start, height=0.74, color=_ALLOWED, edgecolor="#9cc6e0", linewidth=0.5, zorder=0.5)
    if math.isfinite(row.estimate):
        low, high = _within(row.low, reach), _within(row.high, reach)
        ax.plot([low, high], [y, y], color=color, linewidth=1.4, solid_capstyle="butt", zorder=2)
        for end_of_interval, shown in ((row.low, low), (row.high, high)):
            if shown != end_of_interval:
                arrow = ">" if end_of_interval > 0.0 else "<"
                ax.plot([shown], [y], marker=arrow, color=color, markersize=5, clip_on=False, zorder=2.5)
        if abs(row.estimate) <= reach:
            face = "white" if row.verdict == "undecided" else color
            edge = color if row.verdict == "undecided" else "white"
            ax.plot([row.estimate], [y], marker=marker, markersize=7, color=face, markeredgecolor=edge, zorder=3)
    ax.annotate(
        f"{row.verdict}: {row.text}",
        xy=(1.0, y),
        xycoords=("axes fraction", "data"),
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
        fontsize=7,
        color=color,
        annotation_clip=False,
    )


def _within(value: float, reach: float) -> float:
    return min(max(value, -reach), reach)


def _legend(canvas: Figure, rows: Sequence[ForestRow]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    seen = [word for word in _LOOKS if any(row.verdict == word for row in rows)]
    handles: list[Line2D | Patch] = [
        Line2D(
            [],
            [],
            color=_LOOKS[word][0],
            marker=_LOOKS[word][1],
            markersize=6,
            markerfacecolor="white" if word == "undecided" else _LOOKS[word][0],
            markeredgecolor=_LOOKS[word][0],
        )
        for word in seen
    ]
    handles.append(Patch(facecolor=_ALLOWED, edgecolor="#9cc6e0"))
    canvas.legend(handles, [*seen, "what the claim allows"], loc="outside lower center", ncols=len(handles))
