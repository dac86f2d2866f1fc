"""Tables and figure of `cosplay-front`, from its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from scrf_bench.bench import Point, Record
from scrf_bench.datasets import registry
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.cosplay.cells import space_words
from scrf_bench.experiments.cosplay.front_rows import FrontConfig, Row, row_points
from scrf_bench.experiments.map_cells import mean_se, method_label, thread_words
from scrf_bench.report import NOT_APPLICABLE, Column, Figure, Layout, Table, plots, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


TITLE = "Cosplay front: test accuracy against CPU seconds, train and predict"
_EXACT = "libsvm"


def front_layout(config: FrontConfig, exact: bool, records: Sequence[Record], selection: Selection) -> Layout:
    """Return the front's table and figure, and the table of what was compared on held-out rows."""
    found = {row: row_points(config, row, records) for row in config.rows}
    svm = [p for r in records if r.cell.parameters["map"] == _EXACT for p in r.points] if exact else []
    figure = Figure(
        name="",
        caption=f"{TITLE}, {config.dataset}",
        width=6.8,
        height=4.6,
        draw=partial(_draw, config=config, found=found, svm=svm),
    )
    tables = [_front_table(config, found, svm if exact else None, thread_words(selection.threads))]
    if config.choices:
        tables.append(_choice_table(config, records))
    return Layout(tables=tables, figures=[figure] if svm or any(found.values()) else [])


def row_label(row: Row) -> str:
    """Return what table and figure call a row's method."""
    return f"{method_label(row.map)} + {row.learner}"


def _total(point: Point) -> float:
    return point.number("train_cpu_s") + point.number("predict_cpu_s")


def _mean(points: Sequence[Point], key: str) -> float:
    return mean_se([p.number(key) for p in points]).mean


def _times(points: Sequence[Point], svm: Sequence[Point]) -> dict[str, object]:
    total = mean_se([_total(p) for p in points])
    reference = mean_se([_total(p) for p in svm]).mean if svm else None
    return {
        "accuracy": mean_se([100.0 * p.number("accuracy") for p in points]),
        "train": _mean(points, "train_cpu_s"),
        "predict": _mean(points, "predict_cpu_s"),
        "total": total.mean,
        "speedup": reference / total.mean if reference else None,
        "size": _mean(points, "model_bytes"),
        "gamma": _mean(points, "gamma"),
    }


def _front_table(
    config: FrontConfig, found: Mapping[Row, list[Point]], svm: Sequence[Point] | None, threads: str
) -> Table:
    rows: list[dict[str, object]] = []
    if svm is not None:
        first: dict[str, object] = {"method": method_label(_EXACT), "space": "pixels", "D": NOT_APPLICABLE}
        first["train_accuracy"] = NOT_APPLICABLE
        rows.append(first | {"penalty": f"C = {config.C:g}"} | (_times(svm, svm) if svm else {}))
        if svm and registry()[config.dataset].has_official_split:
            # Timed again, not drawn again: an error of 0 would say that another draw gives the same.
            rows[0]["accuracy"] = mean_se([100.0 * svm[0].number("accuracy")])
    for row, points in found.items():
        shown: dict[str, object] = {"method": row_label(row), "space": space_words(row.pca or 0), "D": row.D}
        if row.alphas:
            shown["penalty"] = f"α = {row.alphas[0]:g}"
        elif points:
            shown["penalty"] = f"α = {_mean(points, 'alpha'):.3g}"
        if points:
            train = [100.0 * p.number("train_accuracy") for p in points]
            shown |= _times(points, svm or []) | {"train_accuracy": mean_se(train)}
        rows.append(shown)
    iterations = config.logistic.iterations
    return Table(
        name="cosplay-front",
        title=f"{TITLE}, {config.dataset}",
        columns=[
            Column("method", "method", kind="text"),
            Column("space", "map sees", kind="text"),
            Column("D", "D", kind="int"),
            Column("gamma", "γ", kind="float", spec=".3g"),
            Column("penalty", "penalty", kind="text"),
            Column("accuracy", "test accuracy", unit="%", kind="mean_se"),
            Column("train_accuracy", "train accuracy", unit="%", kind="mean_se"),
            Column("train", "train", kind="seconds"),
            Column("predict", "predict", kind="seconds"),
            Column("total", "both", kind="seconds"),
            Column("speedup", "LIBSVM / both", kind="ratio"),
            Column("size", "model", kind="bytes"),
        ],
        rows=rows,
        notes=[
            (
                "Accuracy: mean and standard error over draws of the map; a value without an error is a single run. "
                f"CPU seconds on {threads}, each cell alone, mean over draws, from pixels in memory: train with PCA, "
                "bandwidth, map and solver; predict all test rows."
            ),
            (
                f"Logistic: Cosplay's, at most {iterations} L-BFGS iterations, gamma by the median trick. Ridge: "
                "float32 features, float64 sums; gamma and α were chosen on held-out training rows (the other "
                "table). LIBSVM: one-vs-one, eps 0.001, gamma and C fixed in the config; timed in up to "
                f"{config.exact_runs} processes where the split is given."
            ),
        ],
    )


def _choice_table(config: FrontConfig, records: Sequence[Record]) -> Table:
    alphas = sorted({alpha for row in config.choices for alpha in row.alphas})
    rows: list[dict[str, object]] = []
    for row in config.choices:
        points = row_points(config, row, records, held_out=True)
        shown: dict[str, object] = {"method": row_label(row), "space": space_words(row.pca or 0), "D": row.D}
        shown |= {f"alpha{i}": None if alpha in row.alphas else NOT_APPLICABLE for i, alpha in enumerate(alphas)}
        for point in points:
            shown["gamma"] = point.number("gamma")
            key = f"alpha{alphas.index(point.number('alpha'))}" if row.alphas else "logistic"
            shown[key] = 100.0 * point.number("accuracy")
        rows.append(shown)
    logistic = (
        [] if all(row.alphas for row in config.choices) else [Column("logistic", "logistic", unit="%", kind="float")]
    )
    return Table(
        name="cosplay-front-choice",
        title=f"Cosplay front: accuracy on {config.held_out:,d} held-out training rows, {config.dataset}",
        columns=[
            Column("method", "method", kind="text"),
            Column("space", "map sees", kind="text"),
            Column("D", "D", kind="int"),
            Column("gamma", "γ", kind="float", spec=".3g"),
            *(Column(f"alpha{i}", f"α = {a:g}", unit="%", kind="float", digits=2) for i, a in enumerate(alphas)),
            *logistic,
        ],
        rows=rows,
        notes=[
            (
                "One draw of the map, trained on the other training rows. The front's ridge rows take gamma, α, map "
                "and PCA from here; no choice was made on test rows."
            )
        ],
    )


def _draw(canvas: Canvas, config: FrontConfig, found: Mapping[Row, list[Point]], svm: Sequence[Point]) -> None:
    ax = canvas.subplots()
    labelled: set[str] = set()
    for row, points in found.items():
        if points:
            _mark(ax, row, points, labelled)
    if svm:
        look, seconds = style.of(_EXACT), mean_se([_total(p) for p in svm]).mean
        accuracy = mean_se([100.0 * p.number("accuracy") for p in svm]).mean
        ax.plot(
            seconds,
            accuracy,
            look.marker,
            color=look.color,
            markersize=11,
            linestyle="none",
            label=method_label(_EXACT),
        )
        ax.axhline(accuracy, color=look.color, linestyle=look.linestyle, linewidth=0.8, zorder=1)
        limit = config.share * seconds
        ax.axvline(limit, color="#777777", linestyle=(0.0, (1.0, 2.0)), linewidth=1.0, zorder=1)
        ax.annotate(
            f"{100.0 * config.share:g} % of LIBSVM's time ",
            xy=(limit, 0.02),
            xycoords=("data", "axes fraction"),
            rotation=90,
            ha="right",
            va="bottom",
            fontsize=6.5,
            color="#555555",
        )
    plots.plain_log_axis(ax, "x")
    ax.margins(x=0.12, y=0.1)
    ax.set_xlabel("CPU seconds, train + predict")
    ax.set_ylabel("test accuracy [%]")
    ax.set_title(config.dataset)
    plots.legend_below(canvas, columns=4)


def _mark(ax: Axes, row: Row, points: Sequence[Point], labelled: set[str]) -> None:
    """Draw one row with its D beside it: filled for a ridge, open for logistic regression."""
    look = style.of(row.map)
    accuracy = mean_se([100.0 * p.number("accuracy") for p in points])
    seconds = mean_se([_total(p) for p in points]).mean
    label = row_label(row)
    ax.errorbar(
        seconds,
        accuracy.mean,
        yerr=accuracy.se or 0.0,
        marker=look.marker,
        color=look.color,
        markerfacecolor=look.color if row.learner == "ridge" else "white",
        markeredgewidth=1.0,
        linestyle="none",
        elinewidth=0.8,
        capsize=1.8,
        label=None if label in labelled else label,
        zorder=3,
    )
    labelled.add(label)
    space = "" if row.pca else ", pixels"
    # Words of ridge stand left of their mark, those of logistic right, of dense maps above: rows of one cost lie close.
    ridge, dense = row.learner == "ridge", row.map == "rks"
    ax.annotate(
        f"D = {row.D:,d}{space}",
        xy=(seconds, accuracy.mean),
        xytext=(-5 if ridge else 5, 0 if ridge else 3 if dense else -3),
        textcoords="offset points",
        ha="right" if ridge else "left",
        va="center" if ridge else "bottom" if dense else "top",
        fontsize=6,
        color=look.color,
    )
