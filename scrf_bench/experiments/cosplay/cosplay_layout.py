"""Tables and figure of `cosplay`, from its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from scrf_bench.bench import Point, Record
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.cosplay.cells import space_words
from scrf_bench.experiments.cosplay.published import PAPER_DATASET, RECIPE_MAP, paper_figure
from scrf_bench.experiments.cosplay.recipe import logistic_penalty
from scrf_bench.experiments.map_cells import mean_se, method_label, thread_words
from scrf_bench.report import Column, Figure, Layout, Table, plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from scrf_bench.experiments.cosplay.cosplay import CosplayConfig

TITLE = "Cosplay: random cosines and multinomial logistic regression"
Key: TypeAlias = tuple[str, int, int]
"""Map, PCA (0: pixels), D."""


def cosplay_layout(
    config: CosplayConfig, maps: Sequence[str], records: Sequence[Record], selection: Selection
) -> Layout:
    """Return both tables, and the figure if there is anything to draw."""
    points: dict[Key, list[Point]] = {}
    for record in records:
        for point in record.points:
            p = point.parameters
            points.setdefault((str(p["method"]), int(point.number("pca")), int(point.number("D"))), []).append(point)
    figure = Figure(
        name="",
        caption=f"{TITLE}: test accuracy against D",
        width=4.0 * len(config.spaces) + 0.4,
        height=3.8,
        draw=partial(_draw, config=config, maps=maps, points=points),
    )
    threads = thread_words(selection.threads)
    tables = [_recipe_table(config, points, threads), _sweep_table(config, maps, points, threads)]
    return Layout(tables=tables, figures=[figure] if points else [])


def _mean(points: Sequence[Point], key: str, factor: float = 1.0) -> object:
    values = [factor * p.number(key) for p in points if p.metrics.get(key) is not None]
    return mean_se(values) if values else None


def _seconds(points: Sequence[Point], *keys: str) -> float | None:
    return mean_se([sum(p.number(key) for key in keys) for p in points]).mean if points else None


def _recipe_table(config: CosplayConfig, points: Mapping[Key, list[Point]], threads: str) -> Table:
    own = points.get((RECIPE_MAP, config.pca, config.components), [])

    def percent(quantity: str) -> float | None:
        value = paper_figure(quantity)
        return None if value is None else 100.0 * value

    rows: list[dict[str, object]] = [
        {
            "source": "as published",
            "dataset": PAPER_DATASET,
            "pca": paper_figure("PCA components (uncentred)"),
            "D": paper_figure("random features"),
            "iterations": paper_figure("max L-BFGS iterations"),
            "train": percent("train accuracy"),
            "test": percent("test accuracy"),
            "features": paper_figure("feature map time"),
            "solve": paper_figure("logistic regression time"),
            "total": None,
            "predict": None,
        },
        {
            "source": "ours",
            "dataset": config.dataset,
            "pca": config.pca,
            "D": config.components,
            "iterations": config.logistic.iterations,
            "train": _mean(own, "train_accuracy", 100.0),
            "test": _mean(own, "accuracy", 100.0),
            "features": _seconds(own, "pca_cpu_s", "bandwidth_cpu_s", "draw_cpu_s", "map_cpu_s"),
            "solve": _seconds(own, "solve_cpu_s"),
            "total": _seconds(own, "train_cpu_s"),
            "predict": _seconds(own, "predict_cpu_s"),
        },
    ]
    prior = config.logistic
    alpha, column = logistic_penalty(prior, config.components)
    return Table(
        name="cosplay-recipe",
        title=f"{TITLE}: the recipe",
        columns=[
            Column("source", "figures", kind="text"),
            Column("dataset", "dataset", kind="text"),
            Column("pca", "PCA", kind="int"),
            Column("D", "D", kind="int"),
            Column("iterations", "most iterations", kind="int"),
            Column("train", "train accuracy", unit="%", kind="mean_se"),
            Column("test", "test accuracy", unit="%", kind="mean_se"),
            Column("features", "features", kind="seconds"),
            Column("solve", "logistic", kind="seconds"),
            Column("total", "train in all", kind="seconds"),
            Column("predict", "predict", kind="seconds"),
        ],
        rows=rows,
        notes=[
            (
                "As published: one run in Matlab on a laptop (2013), elapsed seconds; its features include the test "
                f"rows'. Ours: CPU seconds on {threads}, mean over seeds, from pixels to weights; features: PCA, "
                "median trick and cosines of the training rows; predict: all test rows, from pixels to labels. "
                "Other cells may have run beside: cosplay-front has times measured alone."
            ),
            (
                f"The prior {prior.prior:g} is read as a {prior.prior_reading} of the weights: the published training "
                f"accuracy agrees with that reading. Our cosines carry sqrt(2/D), so the penalty is alpha = "
                f"{prior.prior:g} x 2/D = {alpha:.4g} in sum(loss) + alpha/2 ||W||^2, with a penalised constant column "
                f"of {column:.4g}."
                if prior.prior_reading == "precision"
                else f"The prior {prior.prior:g} is read as a {prior.prior_reading}: alpha = {alpha:.4g}."
            ),
        ],
    )


def _sweep_table(config: CosplayConfig, maps: Sequence[str], points: Mapping[Key, list[Point]], threads: str) -> Table:
    rows = []
    for pca in config.spaces:
        for D in _grid(config):
            for name in maps:
                if not _planned(config, name, pca, D):
                    continue
                found = points.get((name, pca, D), [])
                row: dict[str, object] = {"space": space_words(pca), "D": D, "method": method_label(name)}
                if found:
                    kept = {str(p.metrics["features"]) for p in found}
                    row |= {
                        "test": _mean(found, "accuracy", 100.0),
                        "train": _mean(found, "train_accuracy", 100.0),
                        "iterations": mean_se([p.number("iterations") for p in found]).mean,
                        "map": _seconds(found, "map_cpu_s") if kept == {"stored"} else "in logistic",
                        "solve": _seconds(found, "solve_cpu_s"),
                        "total": _seconds(found, "train_cpu_s"),
                        "predict": _seconds(found, "predict_cpu_s"),
                        "size": mean_se([p.number("model_bytes") for p in found]).mean,
                        "kept": ", ".join(sorted(kept)),
                    }
                rows.append(row)
    return Table(
        name="cosplay-maps",
        title=f"{TITLE}: other maps, {config.dataset}",
        columns=[
            Column("space", "map sees", kind="text"),
            Column("D", "D", kind="int"),
            Column("method", "map", kind="text"),
            Column("test", "test accuracy", unit="%", kind="mean_se"),
            Column("train", "train accuracy", unit="%", kind="mean_se"),
            Column("iterations", "iterations", kind="float", digits=0),
            Column("map", "map", kind="seconds"),
            Column("solve", "logistic", kind="seconds"),
            Column("total", "train in all", kind="seconds"),
            Column("predict", "predict", kind="seconds"),
            Column("size", "model", kind="bytes"),
            Column("kept", "features", kind="text"),
        ],
        rows=rows,
        notes=[
            (
                "Accuracy: mean and standard error over seeds (n=1: a single run). Everything but map, D and PCA is "
                f"the recipe's. CPU seconds on {threads}, mean over seeds. Model: bytes of weights, map and PCA. "
                f"Features: stored in float32 up to {config.logistic.features_gb:g} GB, else made anew each time."
            ),
        ],
        group_by="space",
    )


def _grid(config: CosplayConfig) -> list[int]:
    return sorted({*config.sweep_components, config.components})


def _planned(config: CosplayConfig, name: str, pca: int, D: int) -> bool:
    return D in config.sweep_components or (name, pca, D) == (RECIPE_MAP, config.pca, config.components)


def _draw(canvas: Canvas, config: CosplayConfig, maps: Sequence[str], points: Mapping[Key, list[Point]]) -> None:
    panels = canvas.subplots(1, len(config.spaces), squeeze=False, sharey=True)[0]
    for ax, pca in zip(panels, config.spaces, strict=True):
        _draw_space(ax, config, pca, maps, points)
    panels[0].set_ylabel("test accuracy [%]")
    runs = sorted({len(found) for found in points.values()})
    words = " or ".join(f"{n:,}" for n in runs)
    plots.legend_below(
        canvas, columns=5, title=f"mean ± se, {words} seeds" if runs != [1] else "one seed each: no error bars"
    )


def _draw_space(
    ax: Axes, config: CosplayConfig, pca: int, maps: Sequence[str], points: Mapping[Key, list[Point]]
) -> None:
    for name in maps:
        D = [k for k in _grid(config) if points.get((name, pca, k))]
        if not D:
            continue
        found = [mean_se([100.0 * p.number("accuracy") for p in points[name, pca, k]]) for k in D]
        mean = np.array([value.mean for value in found])
        se = np.array([value.se or 0.0 for value in found])
        plots.curve_with_band(ax, np.array(D), mean, mean - se, mean + se, name, label=method_label(name))
    published = paper_figure("test accuracy")
    if config.dataset == PAPER_DATASET and published is not None and pca == config.pca:
        plots.reference_line(ax, 100.0 * published, f"as published {100.0 * published:.2f} %")
    ax.set_xscale("log", base=2)
    grid = _grid(config)
    ax.set_xticks(grid, [f"{D:,d}" for D in grid])
    ax.minorticks_off()
    ax.set_xlabel("number of features D")
    ax.set_title(f"{config.dataset}, {'uncentred ' if pca else ''}{space_words(pca)}")
