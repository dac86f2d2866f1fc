"""Accuracies of points by D and seed, and the two panels drawn of them: against D, and against CPU time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from scrf_bench.bench import Point
from scrf_bench.experiments.map_cells import mean_se, method_label
from scrf_bench.report import MeanSe, plots

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
    ax: Axes, points: Sequence[Point], dataset: str, exact: Mapping[str, str], legend: str | None = None
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
    """
    methods = dict.fromkeys(str(p.parameters["method"]) for p in points if p.parameters["dataset"] == dataset)
    for name in (m for m in methods if m not in exact):
        by_D = accuracies(points, dataset, name)
        at = [mean_se(by_D[D]) for D in sorted(by_D)]
        mean, se = np.array([p.mean for p in at]), np.array([p.se or 0.0 for p in at])
        plots.curve_with_band(ax, np.array(sorted(by_D)), mean, mean - se, mean + se, name, label=method_label(name))
    ends: tuple[Literal["left", "right"], ...] = ("right", "left")
    for i, (name, words) in enumerate(exact.items()):
        found = accuracies(points, dataset, name).get(0)
        if found:
            mean_exact = mean_se(found).mean
            plots.reference_line(ax, mean_exact, f"{words} {mean_exact:.2f} %", name, end=ends[i % 2])
    plots.log2_axis(ax)
    ax.set_xlabel("number of features D")
    ax.set_ylabel("test accuracy [%]")
    ax.set_title(dataset)
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


def draw_front(ax: Axes, points: Sequence[Point], dataset: str) -> None:
    """Draw one set's accuracies against CPU seconds, and the front that no method beats in both."""
    found = mean_times(points, dataset)
    for name in dict.fromkeys(name for name, _ in found):
        at = [found[key] for key in sorted(key for key in found if key[0] == name)]
        plots.marks_with_errors(
            ax,
            [time for time, _ in at],
            [accuracy.mean for _, accuracy in at],
            [accuracy.se or 0.0 for _, accuracy in at],
            name,
            label=method_label(name),
        )
    places = {key: (time, accuracy.mean) for key, (time, accuracy) in found.items()}
    front = [places[key] for key in pareto_front(places)]
    plots.plain_log_axis(ax, "x")
    plots.front_line(ax, [time for time, _ in front], [accuracy for _, accuracy in front], label="front")
    ax.set_xlabel("CPU time: features, training, prediction [s]")
    ax.set_ylabel("test accuracy [%]")
    ax.set_title(dataset)


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
