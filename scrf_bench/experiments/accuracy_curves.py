"""Accuracies of points by D and seed, and the two panels drawn of them: against D, and against CPU time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from scrf_bench.bench import Point
from scrf_bench.experiments.map_cells import mean_se, method_label
from scrf_bench.report import MeanSe, plots, style

if TYPE_CHECKING:
    # Cells import this module too, and draw nothing.
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

STAGES = ("draw_cpu_s", "map_cpu_s", "convert_cpu_s", "train_cpu_s", "predict_cpu_s")
"""What makes a classifier's whole CPU time: an exact kernel has no `draw` and no `map`."""


def points_of(points: Iterable[Point], dataset: str, method: str) -> dict[tuple[int, int], Point]:
    """Return one method's points on one set by D (0 for exact kernels) and seed."""
    return {
        (int(p.parameters["D"] or 0), int(p.number("seed"))): p
        for p in points
        if p.parameters["dataset"] == dataset and p.parameters["method"] == method
    }


def accuracies(points: Iterable[Point], dataset: str, method: str) -> dict[int, list[float]]:
    """Return percent accuracies over seeds for every D (0 for exact kernels)."""
    found: dict[int, list[float]] = {}
    for (D, _), point in points_of(points, dataset, method).items():
        found.setdefault(D, []).append(100 * point.number("accuracy"))
    return found


def seconds(point: Point, stages: Iterable[str] = STAGES) -> float:
    """Return the CPU seconds of those stages that a point's method has."""
    return sum(point.number(stage) for stage in stages if point.metrics.get(stage) is not None)


def draw_accuracy(
    ax: Axes,
    points: Sequence[Point],
    dataset: str,
    exact: Mapping[str, str],
    legend: str | None = None,
    whole: Collection[tuple[str, int]] | None = None,
    title: str | None = None,
) -> None:
    """Draw one set's accuracies against D, a curve a map, and a line for each exact kernel.

    Parameters
    ----------
    ax : Axes
    points : sequence of Point
    dataset : str
    exact : mapping
        Method -> words of its line; these have no D.
    legend : str or None
        Title of the panel's own legend; None draws none.
    whole : collection of (str, int), optional
        The methods and D that have all their seeds: the others are drawn hollow. By default none is.
    title : str or None
        Of the panel; the set's name by default.
    """
    methods = dict.fromkeys(str(p.parameters["method"]) for p in points if p.parameters["dataset"] == dataset)
    partly = False
    for name in (m for m in methods if m not in exact):
        by_D = accuracies(points, dataset, name)
        at = [mean_se(by_D[D]) for D in sorted(by_D)]
        mean, se = np.array([p.mean for p in at]), np.array([p.se or 0.0 for p in at])
        plots.curve_with_band(ax, np.array(sorted(by_D)), mean, mean - se, mean + se, name, label=method_label(name))
        if whole is not None:
            look = style.of(name)
            some = [(D, float(m)) for D, m in zip(sorted(by_D), mean, strict=True) if (name, D) not in whole]
            ax.plot([D for D, _ in some], [m for _, m in some], look.marker, color=look.color, markerfacecolor="white")
            partly = partly or bool(some)
    if partly:
        ax.plot([], [], "o", color="black", markerfacecolor="none", label="hollow: some seeds only")
    ends: tuple[Literal["left", "right"], ...] = ("right", "left")
    found = {name: accuracies(points, dataset, name).get(0) for name in exact}
    means = {name: mean_se(values).mean for name, values in found.items() if values}
    # The words of the highest stand above it, those of others below: on their line's own side.
    for i, name in enumerate(sorted(means, key=lambda name: -means[name])):
        plots.reference_line(ax, means[name], f"{exact[name]} {means[name]:.2f} %", name, end=ends[min(i, 1)])
    plots.log2_axis(ax)
    ax.set_xlabel("number of features D")
    ax.set_ylabel("test accuracy [%]")
    ax.set_title(title or dataset)
    if legend is not None and ax.get_legend_handles_labels()[0]:
        ax.legend(title=legend, loc="lower right")


def mean_times(points: Sequence[Point], dataset: str) -> dict[tuple[str, int], tuple[float, MeanSe]]:
    """Return mean CPU seconds and accuracy in percent for every method and D (0 for exact kernels) on one set."""
    methods = dict.fromkeys(str(p.parameters["method"]) for p in points if p.parameters["dataset"] == dataset)
    found: dict[tuple[str, int], list[Point]] = {}
    for name in methods:
        for (D, _), point in points_of(points, dataset, name).items():
            found.setdefault((name, D), []).append(point)
    return {
        key: (float(np.mean([seconds(p) for p in same])), mean_se([100 * p.number("accuracy") for p in same]))
        for key, same in found.items()
    }


def pareto_front(places: Mapping[tuple[str, int], tuple[float, float]]) -> list[tuple[str, int]]:
    """Return the keys that no other beats in both time and accuracy, fastest first.

    Parameters
    ----------
    places : mapping
        (method, D) -> seconds, accuracy.

    Examples
    --------
    >>> pareto_front({("a", 1): (1.0, 80.0), ("b", 1): (2.0, 79.0), ("b", 2): (3.0, 90.0)})
    [('a', 1), ('b', 2)]
    """
    front: list[tuple[str, int]] = []
    best = -np.inf
    for key in sorted(places, key=lambda key: (places[key][0], -places[key][1])):
        if places[key][1] > best:
            front.append(key)
            best = places[key][1]
    return front


def draw_front(
    ax: Axes, points: Sequence[Point], dataset: str, whole: Collection[tuple[str, int]], title: str | None = None
) -> None:
    """Draw one set's accuracies against CPU seconds, and the front that no method beats in both.

    Parameters
    ----------
    ax : Axes
    points : sequence of Point
    dataset : str
    whole : collection of (str, int)
        The methods and D that have all their seeds. The others are drawn hollow and are no part of the front: a mean
        over fewer seeds is none that may beat another. There is no front of a single method.
    title : str or None
        Of the panel; the set's name by default.
    """
    found = mean_times(points, dataset)
    for name in dict.fromkeys(name for name, _ in found):
        at = [found[key] for key in sorted(key for key in found if key[0] == name and key in whole)]
        plots.marks_with_errors(
            ax,
            [time for time, _ in at],
            [accuracy.mean for _, accuracy in at],
            [accuracy.se or 0.0 for _, accuracy in at],
            name,
            label=method_label(name),
        )
        look = style.of(name)
        partial = [(found[key][0], found[key][1].mean) for key in found if key[0] == name and key not in whole]
        if partial:
            ax.plot(*zip(*sorted(partial), strict=True), look.marker, color=look.color, markerfacecolor="none")
    if set(found) - set(whole):
        ax.plot([], [], "o", color="black", markerfacecolor="none", label="hollow: some seeds only, not in the front")
    plots.plain_log_axis(ax, "x")
    front = whole_front(found, whole)
    plots.front_line(
        ax, [found[key][0] for key in front], [found[key][1].mean for key in front], label="front: nothing beats it"
    )
    ax.set_xlabel("CPU time: features, training, prediction [s]")
    ax.set_ylabel("test accuracy [%]")
    ax.set_title(title or dataset)


def whole_front(
    found: Mapping[tuple[str, int], tuple[float, MeanSe]], whole: Collection[tuple[str, int]]
) -> list[tuple[str, int]]:
    """Return the front of those that have all their seeds; of a single method there is none."""
    places = {key: (time, accuracy.mean) for key, (time, accuracy) in found.items() if key in whole}
    return pareto_front(places) if len({name for name, _ in places}) > 1 else []


def in_grid(canvas: Canvas, panels: Sequence[Callable[[Axes], None]], columns: int, *, legend: bool = False) -> None:
    """Draw panels row by row, and one legend below them where asked for."""
    columns = min(columns, len(panels))
    axes = canvas.subplots(-(-len(panels) // columns), columns, squeeze=False).ravel()
    for ax, panel in zip(axes, panels, strict=False):
        panel(ax)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    if legend:
        plots.legend_below(canvas, columns=max(3, 2 * columns))
