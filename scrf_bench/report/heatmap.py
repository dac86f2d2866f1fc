"""Accuracies over a grid of C and gamma as a heat map: squares as wide as the steps between the points tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Tried = Sequence[tuple[float, float, float]]


def draw_heat_map(figure: Figure, grids: Sequence[Tried], best: tuple[float, float], title: str) -> None:
    """Draw the points of one grid after the other, later ones on top, and a ring around the best.

    Parameters
    ----------
    figure : Figure
        Empty.
    grids : sequence of sequences of (log2 C, log2 gamma, accuracy as a fraction)
        Coarse first. A square of a grid is as wide as the least step between its values.
    best : (log2 C, log2 gamma)
    title : str
    """
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.patches import Rectangle
    from matplotlib.ticker import MultipleLocator

    ax = figure.subplots()
    ax.grid(visible=False)
    values = [100 * accuracy for tried in grids for *_, accuracy in tried]
    # Differences among the good points are what is looked for: the worst half shares the dark end.
    scale, colors = Normalize(float(np.median(values)), max(values)), colormaps["viridis"]
    for tried in grids:
        height, width = _step([C for C, *_ in tried]), _step([gamma for _, gamma, _ in tried])
        for C, gamma, accuracy in tried:
            corner = (gamma - width / 2, C - height / 2)
            color = colors(float(scale(100 * accuracy)))
            ax.add_patch(Rectangle(corner, width, height, facecolor=color, edgecolor="white", linewidth=0.5))
    ax.plot([best[1]], [best[0]], "o", color="none", markeredgecolor="black", markersize=9, markeredgewidth=1.4)
    ax.plot([best[1]], [best[0]], "o", color="none", markeredgecolor="white", markersize=11, markeredgewidth=0.8)
    ax.autoscale_view()
    ax.set_aspect("equal")
    ax.set_xlabel("log2 γ")
    ax.set_ylabel("log2 C")
    ax.set_title(title)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MultipleLocator(2))
    figure.colorbar(ScalarMappable(scale, colors), ax=ax, extend="min", label="cross-validated accuracy [%]")


def _step(values: Sequence[float]) -> float:
    steps = np.diff(sorted(set(values)))
    return float(steps.min()) if steps.size else 1.0
