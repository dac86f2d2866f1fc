"""The pieces that experiments' figures are drawn from; each takes an Axes and plain numbers.

Each piece draws one method's data, so that pieces combine; labels and legend are mostly the caller's.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scrf_bench.report import style

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

Limits: TypeAlias = tuple[float, float]

_PLATE = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8}  # behind texts on data


def scatter_against_exact(
    ax: Axes,
    exact: ArrayLike,
    estimate: ArrayLike,
    method: str,
    *,
    limits: Limits | None = None,
    title: str | None = None,
) -> float:
    """Draw estimates against exact values with the 45-degree line, and return their RMS error.

    Points are a raster image also in svg and pdf (4,950 pairs would make heavy files); the axes have equal
    scales and limits.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    exact, estimate : array_like, same shape
        Kernel values.
    method : str
        Whose estimates; gives colour, marker and title.
    limits : (float, float), optional
        Of both axes, to share between panels; by default what the points need.
    title : str, optional
        Instead of the method's label.
    """
    from matplotlib.patheffects import withStroke

    x, y = _flat(exact), _flat(estimate)
    if x.shape != y.shape or x.size == 0:
        raise ValueError(
            f"A scatter needs as many estimates as exact values, and one at least; got {y.size} and {x.size}."
        )
    look = style.of(method)
    low, high = limits or _padded(min(x.min(), y.min()), max(x.max(), y.max()))
    diagonal = [withStroke(linewidth=2.2, foreground="white")]  # seen on dark points too, also in grey
    ax.plot([low, high], [low, high], color="black", linewidth=0.9, path_effects=diagonal, zorder=3)
    ax.scatter(x, y, s=5, color=look.color, marker=look.marker, alpha=0.35, linewidths=0, rasterized=True, zorder=2)
    ax.set_xlim(low, high)
    ax.set_ylim(low, high)
    ax.set_aspect("equal", adjustable="box")
    ax.set_xlabel("exact kernel")
    ax.set_ylabel("estimate")
    ax.set_title(title or look.label)
    rms = float(np.sqrt(np.mean((y - x) ** 2)))
    ax.text(
        0.04,
        0.96,
        f"RMS error {rms:#.3g}",
        transform=ax.transAxes,
        va="top",
        fontsize=7,
        bbox=_PLATE,
    )
    return rms


def curve_with_band(
    ax: Axes,
    x: ArrayLike,
    mean: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    method: str,
    *,
    label: str | None = None,
) -> Line2D:
    """Draw a method's curve with the band between ``low`` and ``high``; return the line (for a legend).

    The band is faintly filled and thinly edged, so that overlapping bands stay apart in grey.
    """
    look = style.of(method)
    abscissa = _flat(x)
    lower, upper = _flat(low), _flat(high)
    ax.fill_between(abscissa, lower, upper, color=look.color, alpha=0.14, linewidth=0, zorder=1)
    for edge in (lower, upper):
        ax.plot(abscissa, edge, color=look.color, linewidth=0.4, alpha=0.6, zorder=1)
    (line,) = ax.plot(
        abscissa,
        _flat(mean),
        color=look.color,
        marker=look.marker,
        markeredgecolor="white",
        linestyle=look.linestyle,
        label=look.label if label is None else label,
        zorder=3,
    )
    return line


def loglog_with_fit(
    ax: Axes,
    x: ArrayLike,
    y_median: ArrayLike,
    y_low: ArrayLike,
    y_high: ArrayLike,
    method: str,
    fit: tuple[float, float, float] | None = None,
    *,
    fit_from: float | None = None,
    label: str | None = None,
) -> ErrorbarContainer:
    """Draw medians with quartile bars on log-log axes and the fitted power law through them.

    Parameters
    ----------
    ax : Axes
        Where to draw; both its scales become logarithmic, x to base 2.
    x, y_median, y_low, y_high : array_like
        Positive; ``y_low <= y_median <= y_high`` are quartiles, say.
    method : str
        Whose times.
    fit : (slope, intercept, se), optional
        Of log2 y = slope log2 x + intercept, and the slope's standard error; the legend names the exponent.
    fit_from : float, optional
        Where the fitted range begins; by default at the smallest x.
    label : str, optional
        Instead of the method's label.
    """
    look = style.of(method)
    abscissa, median = _flat(x), _flat(y_median)
    text = look.label if label is None else label
    if fit is not None:
        slope, intercept, se = fit
        text += f": exponent {slope:.2f} ± {se:.2f}" if math.isfinite(se) else f": exponent {slope:.2f}"
        ends = np.array([abscissa.min() if fit_from is None else fit_from, abscissa.max()])
        ax.plot(
            ends,
            2.0 ** (slope * np.log2(ends) + intercept),
            color=look.color,
            linestyle=look.linestyle,
            zorder=2,
        )
    # Bars may not be negative, not even by the last bit.
    bars = np.maximum(np.stack([median - _flat(y_low), _flat(y_high) - median]), 0.0)
    drawn = ax.errorbar(
        abscissa,
        median,
        yerr=bars,
        color=look.color,
        marker=look.marker,
        markeredgecolor="white",
        markeredgewidth=0.4,
        linestyle="none" if fit is not None else look.linestyle,
        elinewidth=0.8,
        capsize=1.8,
        zorder=3,
    )
    # The legend shows marker and line together, which are two artists here.
    ax.plot(
        [],
        [],
        color=look.color,
        marker=look.marker,
        markeredgecolor="white",
        linestyle=look.linestyle,
        label=text,
    )
    log2_axis(ax, "x")
    ax.set_yscale("log")
    return drawn


def reference_line(
    ax: Axes, y: float, label: str, method: str = "libsvm", *, end: Literal["left", "right"] = "right"
) -> Line2D:
    """Draw a horizontal line at ``y`` (the exact kernel's accuracy, say).

    Its label stands above its right end, or below its left end: two lines close together keep theirs apart.
    """
    look = style.of(method)
    ax.margins(y=0.1)  # room for the label where this is the highest line
    line = ax.axhline(y, color=look.color, linestyle=look.linestyle, linewidth=1.0, zorder=1.5)
    right = end == "right"
    ax.annotate(
        label,
        xy=(1.0 if right else 0.0, y),
        xycoords=("axes fraction", "data"),
        xytext=(-2, 2) if right else (2, -2),
        textcoords="offset points",
        ha=end,
        va="bottom" if right else "top",
        fontsize=7,
        color=look.color,
        bbox=_PLATE,
        zorder=4,
    )
    return line


def marks_with_errors(
    ax: Axes, x: ArrayLike, y: ArrayLike, error: ArrayLike, method: str, *, label: str | None = None
) -> ErrorbarContainer:
    """Draw a method's points with vertical error bars, thinly joined in the order given."""
    look = style.of(method)
    return ax.errorbar(
        _flat(x),
        _flat(y),
        yerr=_flat(error),
        color=look.color,
        marker=look.marker,
        markeredgecolor="white",
        linestyle=look.linestyle,
        linewidth=0.6,
        elinewidth=0.6,
        label=look.label if label is None else label,
        zorder=3,
    )


def front_line(ax: Axes, x: ArrayLike, y: ArrayLike, *, label: str) -> None:
    """Draw the stairs through points that nothing beats (x ascending, lower is better; y higher is better)."""
    abscissa, ordinate = _flat(x), _flat(y)
    if abscissa.size == 0:
        return
    right = max(ax.get_xlim()[1], abscissa[-1])
    ax.step(
        np.append(abscissa, right),
        np.append(ordinate, ordinate[-1]),
        where="post",
        color="#bbbbbb",
        linewidth=4.0,
        solid_capstyle="butt",
        label=label,
        zorder=1,
    )
    ax.set_xlim(right=right)


def limit_mark(ax: Axes, x: float, method: str, text: str) -> None:
    """Show that a method stops short of ``x``: a dotted line there, a cross on top, the reason along it.

    Parameters
    ----------
    ax : Axes
        Where to draw, its scales already set.
    x : float
        The first abscissa that could not be run.
    method : str
        Which method stops.
    text : str
        Why, in a few words, e.g. ``"RKS: 2.1 GB, over the memory limit"``.
    """
    look = style.of(method)
    ax.axvline(x, color=look.color, linestyle=(0.0, (1.0, 2.0)), linewidth=1.0, zorder=1)
    across = ax.get_xaxis_transform()  # x in data, y in the axes' height
    ax.plot([x], [1.0], marker="X", color=look.color, markersize=6, transform=across, clip_on=False, zorder=5)
    ax.annotate(
        text,
        xy=(x, 0.03),
        xycoords=("data", "axes fraction"),
        xytext=(-2.5, 0),
        textcoords="offset points",
        rotation=90,
        ha="right",
        va="bottom",
        fontsize=6.5,
        color=look.color,
        bbox=_PLATE,
        zorder=4,
    )


def legend_below(figure: Figure, *, columns: int = 4, title: str | None = None) -> Legend:
    """Put one legend for all panels below them, each label once, in the order of first appearance."""
    handles: dict[str, Artist] = {}
    for ax in figure.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    return figure.legend(
        list(handles.values()),
        list(handles),
        loc="outside lower center",
        ncols=min(columns, len(handles) or 1),
        title=title,
    )


def log2_axis(ax: Axes, axis: Literal["x", "y"] = "x") -> None:
    """Give an axis a base-2 logarithmic scale whose ticks read 2^k, k whole, none between."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    target: Axis = ax.xaxis if axis == "x" else ax.yaxis
    (ax.set_xscale if axis == "x" else ax.set_yscale)("log", base=2)
    target.set_major_locator(LogLocator(base=2, numticks=12))
    target.set_major_formatter(FuncFormatter(_power_of_two))
    target.set_minor_locator(NullLocator())
    target.set_minor_formatter(NullFormatter())


def plain_log_axis(ax: Axes, axis: Literal["x", "y"] = "y") -> None:
    """Make an axis logarithmic with labels such as 0.02, 0.05, 0.1 instead of powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    target: Axis = ax.xaxis if axis == "x" else ax.yaxis
    (ax.set_xscale if axis == "x" else ax.set_yscale)("log")
    target.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0), numticks=20))
    target.set_major_formatter(FuncFormatter(lambda value, _position: f"{value:g}"))
    target.set_minor_formatter(NullFormatter())


def _power_of_two(value: float, _position: int | None = None) -> str:
    exponent = math.log2(value) if value > 0 else math.nan
    return f"$2^{{{round(exponent)}}}$" if abs(exponent - round(exponent)) < 1e-6 else ""


def _flat(values: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64).ravel()


def _padded(low: float, high: float) -> Limits:
    margin = 0.04 * (high - low) or 0.5
    return float(low - margin), float(high + margin)
