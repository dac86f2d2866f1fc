"""Figures of the variance experiment: ratio to RKS's variance against s, a panel a kind of v."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.suite.directions import kind_label
from scrf_bench.experiments.suite.estimates import EMBEDDINGS
from scrf_bench.experiments.suite.variance_ratios import Ratios, Spot
from scrf_bench.experiments.suite.variants import VARIANTS, variant
from scrf_bench.report import Figure, plots, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from scrf_bench.experiments.suite.variance import Place, VarianceConfig

_COLUMNS = 4
_PANEL_WIDTH, _PANEL_HEIGHT, _LEGEND_HEIGHT = 2.75, 2.3, 0.9
# OCRF's options have a figure of their own: colours there need not differ from those of other maps. A variant that only
# leaves something out wears its map's colour with hollow markers.
_OCRF_COLORS = {"ocrf-no-radial": "#b35806", "ocrf-order-d": "#1b7837", "ocrf-shared-signs": "#c2185b"}
_OCRF_MARKERS = {"ocrf-no-radial": "d", "ocrf-order-d": "P", "ocrf-shared-signs": "p"}
_CLOSE_TICKS = (0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.0, 5.0, 7.0)
_LENGTH_TICKS = (0.0, 1.0, 2.0, 3.0)
_BESIDE_OCRF = ("rks", "scrf", "orf", "ocrf")


@dataclass(frozen=True)
class _Panel:
    """One kind of v at one width and number of blocks, and the maps that were measured there."""

    kind: str
    d: int
    blocks: int
    maps: tuple[str, ...]

    @property
    def title(self) -> str:
        blocks = "one block" if self.blocks == 1 else f"{self.blocks} blocks"
        return f"{kind_label(self.kind)}, d = {self.d}, {blocks}"


def variance_figures(
    config: VarianceConfig, places: Sequence[Place], selection: Selection, ratios: Ratios
) -> list[Figure]:
    """Return a figure an embedding, of all maps, and one of OCRF's options."""
    figures = []
    for embedding in EMBEDDINGS:
        panels = _panels(config, places, selection, ratios, ablation=False)
        figures += _figure(embedding, f"Variance over RKS's, {embedding} embedding", panels, ratios, config, embedding)
    panels = _panels(config, places, selection, ratios, ablation=True)
    return figures + _figure("ocrf", "What OCRF's parts do, pair embedding", panels, ratios, config, "pair")


def _panels(
    config: VarianceConfig, places: Sequence[Place], selection: Selection, ratios: Ratios, *, ablation: bool
) -> list[_Panel]:
    """Return the panels that have anything to show: for the ablation those of the smallest d."""
    found = []
    smallest = min((place.width for place in places if place.dataset is None), default=0)
    for place in places:
        wanted = place.width == smallest if ablation else bool(place.dataset) or place.d == config.figure_d
        if not wanted or (ablation and place.dataset):
            continue
        maps = tuple(name for name in config.maps_at(place, selection) if _shown(name, ablation=ablation))
        blocks = max(place.blocks)
        for kind in [place.dataset] if place.dataset else config.kinds:
            panel = _Panel(str(kind), place.width, blocks, maps)
            if any(Spot(name, panel.d, blocks, panel.kind, s) in ratios.points for name in maps for s in config.s):
                found.append(panel)
    return found


def _shown(name: str, *, ablation: bool) -> bool:
    option_of_ocrf = name in VARIANTS and VARIANTS[name].map == "ocrf"
    return option_of_ocrf or name in _BESIDE_OCRF if ablation else not option_of_ocrf


def _figure(
    name: str, caption: str, panels: list[_Panel], ratios: Ratios, config: VarianceConfig, embedding: str
) -> list[Figure]:
    """Return the figure as a list, empty where there are no panels."""
    if not panels:
        return []
    rows = -(-len(panels) // _COLUMNS)
    draw = partial(_draw, panels=panels, ratios=ratios, lengths=config.s, embedding=embedding)
    width, height = _PANEL_WIDTH * min(_COLUMNS, len(panels)), _PANEL_HEIGHT * rows + _LEGEND_HEIGHT
    return [Figure(name=name, caption=caption, width=max(width, 5.5), height=height, draw=draw)]


def _draw(canvas: Canvas, panels: list[_Panel], ratios: Ratios, lengths: Sequence[float], embedding: str) -> None:
    columns = min(_COLUMNS, len(panels))
    axes = canvas.subplots(-(-len(panels) // columns), columns, squeeze=False, sharex=True)
    for ax, panel in zip(axes.ravel(), panels, strict=False):
        for name in panel.maps:
            _draw_map(ax, panel, name, ratios, lengths, embedding)
        ax.axhline(1.0, color="black", linewidth=0.8, zorder=1)
        ax.set_xticks(_LENGTH_TICKS)
        _log_ticks(ax)
        ax.set_title(panel.title)
    for ax in axes.ravel()[len(panels) :]:
        ax.set_axis_off()
    for i, ax in enumerate(axes.ravel()[: len(panels)]):
        if i + columns >= len(panels):
            ax.set_xlabel(r"$s = \|x - y\| / \sigma$")
            ax.tick_params(labelbottom=True)
    for ax in axes[:, 0]:
        ax.set_ylabel("mean squared error\nover RKS's variance")
    legend = plots.legend_below(canvas, columns=5)
    legend.set_title(
        "a panel: what x - y is, or the data that x and y come from; "
        "lines: exact formula, where there is one; marks: measured, with one standard error"
    )
    legend.get_title().set_fontsize(7.0)


def _log_ticks(ax: Axes) -> None:
    """Label the logarithmic axis of ratios: closely where it spans less than a decade, by decades beyond three."""
    plots.plain_log_axis(ax)
    low, high = ax.get_ylim()
    if high < 10.0 * low:
        ax.set_yticks([tick for tick in _CLOSE_TICKS if low <= tick <= high])
    elif high > 1000.0 * low:
        decades = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
        ax.set_yticks([10.0**k for k in decades])


def _draw_map(ax: Axes, panel: _Panel, name: str, ratios: Ratios, lengths: Sequence[float], embedding: str) -> None:
    """Draw a map's formula as a line and what was measured as points with bars of one standard error."""
    spots = [Spot(name, panel.d, panel.blocks, panel.kind, s) for s in lengths]
    look, hollow = _look(name)
    exact = [(spot.s, value.mean) for spot in spots if (value := ratios.formula(spot, embedding))]
    if exact:
        ax.plot(*zip(*exact, strict=True), color=look.color, linestyle=look.linestyle, linewidth=1.1, zorder=2)
    found = [(spot.s, value.mean, value.se or 0.0) for spot in spots if (value := ratios.measured(spot, embedding))]
    if not found:
        return
    s, mean, error = zip(*found, strict=True)
    marks: Mapping[str, object] = {
        "color": look.color,
        "marker": look.marker,
        "markersize": 6.5 if hollow else 4.0,
        "markerfacecolor": "none" if hollow else look.color,
        "markeredgecolor": look.color if hollow else "white",
        "markeredgewidth": 0.9 if hollow else 0.4,
        # Column signs give Fastfood's variance, nearly: their crosses stay in sight.
        "zorder": 5 if name == "column_signed" else 3 if hollow else 4,
    }
    ax.errorbar(s, mean, yerr=error, linestyle="none", elinewidth=0.8, **marks)  # type: ignore[arg-type]
    # The legend shows marker and line together, which are two artists here.
    ax.plot([], [], linestyle=look.linestyle if exact else "none", label=look.label, **marks)  # type: ignore[arg-type]


def _look(name: str) -> tuple[style.MethodStyle, bool]:
    """Return how a map or variant is drawn, under the tables' name, and whether its markers are hollow."""
    of = variant(name)
    base = replace(style.of(of.map), label=of.label)
    if name not in VARIANTS:
        return base, False
    if name in _OCRF_COLORS:
        return replace(base, color=_OCRF_COLORS[name], marker=_OCRF_MARKERS[name], linestyle="-"), False
    return replace(base, linestyle=(0.0, (1.2, 1.4))), True
