"""Tables and figure of `fig-scale`, from its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from scrf_bench.bench import Point, Record
from scrf_bench.experiments.map_cells import method_label
from scrf_bench.experiments.matrices import REFERENCE
from scrf_bench.experiments.ratios import ratio_of
from scrf_bench.report import Column, Figure, Layout, MeanSe, NotMeasured, Table, plots, style
from scrf_bench.stats import PowerLaw, fit_power_law

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from scrf_bench.experiments.suite.scale import ScaleConfig

TITLE = "Scale: rows from the disk, and many features"
Key: TypeAlias = tuple[str, str, int]
"""Part, map, and number of rows or of columns."""


def scale_layout(
    config: ScaleConfig, streamed: Sequence[str], wide: Sequence[str], records: Sequence[Record], threads: str
) -> Layout:
    """Return both tables, and the figure if there is anything to draw."""
    points = _by_place(records)
    figure = Figure(
        name="",
        caption=TITLE,
        width=11.0,
        height=4.2,
        draw=partial(_draw, config=config, streamed=streamed, wide=wide, points=points),
    )
    return Layout(
        tables=[_stream_table(config, streamed, points, threads), _components_table(config, wide, points, threads)],
        figures=[figure] if points else [],
    )


def _by_place(records: Sequence[Record]) -> dict[Key, Point]:
    found = {}
    for record in records:
        part = str(record.cell.parameters["part"])
        for point in record.points:
            size = "rows" if part == "stream" else "D"
            found[part, str(point.parameters["map"]), int(point.number(size))] = point
    return found


def _stream_table(config: ScaleConfig, names: Sequence[str], points: Mapping[Key, Point], threads: str) -> Table:
    rows = []
    for n in config.stream_rows:
        for name in names:
            row: dict[str, object] = {"rows": n, "method": method_label(name)}
            point, limit = points.get(("stream", name, n)), config.limit(name, config.stream_components)
            if point is None and limit:
                row["per_cpu"] = NotMeasured(limit, short="over limit")
            if point is not None:
                m = point.metrics
                speedup = ratio_of(point.samples, f"{REFERENCE}_chunk", "chunk")
                row |= {
                    "per_cpu": m["rows_per_cpu_s"],
                    "per_wall": m["rows_per_wall_s"],
                    "speedup": 1.0 if name == REFERENCE else speedup.median if speedup else None,
                    "anonymous": m["anonymous_extra_bytes"],
                    "peak": m["peak_extra_bytes"],
                    "output": m["output_bytes"],
                    "held": m["held_bytes"],
                }
            rows.append(row)
    return Table(
        name="fig-scale-stream",
        title=(
            f"{TITLE}: rows x {config.d} from an .npy file, D = {config.stream_components}, {config.dtype}, "
            f"chunks of {config.stream_chunk} rows"
        ),
        columns=[
            Column("rows", "rows", kind="int"),
            Column("method", "map", align="l"),
            Column("per_cpu", "rows/s (CPU)", kind="int", spec=",.0f"),
            Column("per_wall", "rows/s (wall)", kind="int", spec=",.0f"),
            Column("speedup", "speed-up", kind="ratio"),
            Column("anonymous", "anonymous", kind="bytes"),
            Column("peak", "peak", kind="bytes"),
            Column("output", "output chunk", kind="bytes"),
            Column("held", "held", kind="bytes"),
        ],
        rows=rows,
        notes=[
            (
                f"One pass on {threads} over a memory-mapped file that was dropped from the page "
                "cache before; CPU seconds include the copies from the file, wall-clock seconds the waiting for it. "
                "Speed-up: RKS's CPU time over the map's for one chunk in memory, in turns in the same process."
            ),
            (
                "Anonymous: growth during the pass of memory that the process wrote itself, seen after each chunk. "
                "Peak: largest growth of resident memory, file pages of the chunk at hand included. Both beside the "
                "output chunk and the held map, which were there before."
            ),
            _growth_words(config, names, points),
        ],
        group_by="rows",
    )


def _growth_words(config: ScaleConfig, names: Sequence[str], points: Mapping[Key, Point]) -> str:
    """Say of each map whether its memory grew from the fewest rows to the most, against the config's margin."""
    few, many = min(config.stream_rows), max(config.stream_rows)
    found = {name: _growth(name, few, many, points) for name in names}
    growth = {name: value for name, value in found.items() if value is not None}
    if few == many or not growth:
        return "Whether memory grows with the rows is not known: that takes records of two numbers of rows."
    between, margin = f"from {few:,d} to {many:,d} rows", config.flat_within_mib
    flat = [name for name, value in growth.items() if value <= margin]
    parts = [f"{method_label(name)} grew by {growth[name]:.1f} MiB" for name in growth if name not in flat]
    if flat:
        worst = max(flat, key=growth.__getitem__)
        whose = "every map" if len(flat) == len(names) else ", ".join(map(method_label, flat))
        parts.insert(
            0, f"flat within {margin:g} MiB for {whose} (at most {growth[worst]:+.1f} MiB, {method_label(worst)})"
        )
    parts += [f"{method_label(name)} is not known" for name in names if name not in growth]
    return f"Memory {between}, the larger change of peak and anonymous: {'; '.join(parts)}."


def _growth(name: str, few: int, many: int, points: Mapping[Key, Point]) -> float | None:
    """Return by how many MiB a map's memory grew between two numbers of rows; None where either is not known."""
    ends = [points.get(("stream", name, n)) for n in (few, many)]
    changes = []
    for key in ("peak_extra_bytes", "anonymous_extra_bytes"):
        less, more = (point.metrics.get(key) if point is not None else None for point in ends)
        if isinstance(less, (int, float)) and isinstance(more, (int, float)):
            changes.append((more - less) / 2**20)
    return max(changes, default=None)


def _components_table(config: ScaleConfig, names: Sequence[str], points: Mapping[Key, Point], threads: str) -> Table:
    rows: list[dict[str, object]] = []
    for D in config.components:
        row: dict[str, object] = {"D": D}
        for name in names:
            point, limit = points.get(("components", name, D)), config.limit(name, D)
            if point is not None:
                row[name] = point.number("map_cpu_s")
            elif limit:
                row[name] = NotMeasured(limit, short="over limit")
        rows.append(row)
    exponents: dict[str, object] = {"D": "exponent"}
    for name in names:
        fit = _fit(config, name, points)
        exponents[name] = "n/a" if fit is None else MeanSe(fit.exponent, fit.standard_error, fit.n)
    rows.append(exponents)
    return Table(
        name="fig-scale-components",
        title=f"{TITLE}: CPU time of {config.rows} rows x {config.d} against D, {config.dtype}",
        columns=[
            Column("D", "D", kind="int"),
            *(Column(name, method_label(name), unit="s", kind="seconds") for name in names),
        ],
        rows=rows,
        notes=[
            (
                f"CPU seconds on {threads}, median of {config.samples} samples after a warm-up, "
                "into a reused output. Last row: exponent of D with its standard error, least squares of logarithms; "
                f"1 is linear. {_fit_words(config, names, points)}"
            ),
        ],
    )


def _fit_words(config: ScaleConfig, names: Sequence[str], points: Mapping[Key, Point]) -> str:
    """Say over which D each exponent was fitted."""
    ranges: dict[tuple[int, int, int], list[str]] = {}
    for name in names:
        if D := _fitted_over(config, name, points):
            ranges.setdefault((min(D), max(D), len(D)), []).append(method_label(name))
    told = [
        f"the {count} D from {low:,d} to {high:,d} ({', '.join(whose)})" for (low, high, count), whose in ranges.items()
    ]
    below = f"below D = {config.fit_from:,d} what a call and a row cost at any D weighs too much"
    return f"Fitted over {'; '.join(told)}: {below}." if told else f"Too few points from D = {config.fit_from:,d} on."


def _fitted_over(config: ScaleConfig, name: str, points: Mapping[Key, Point]) -> list[int]:
    """Return the D that the exponent is fitted on, none where they are fewer than three."""
    D = [k for k in config.components if k >= config.fit_from and ("components", name, k) in points]
    return D if len(D) >= 3 else []


def _fit(config: ScaleConfig, name: str, points: Mapping[Key, Point]) -> PowerLaw | None:
    D = _fitted_over(config, name, points)
    if not D:
        return None
    return fit_power_law(D, [points["components", name, k].number("map_cpu_s") for k in D])


def _draw(
    canvas: Canvas, config: ScaleConfig, streamed: Sequence[str], wide: Sequence[str], points: Mapping[Key, Point]
) -> None:
    speed, memory, features = canvas.subplots(1, 3)
    _draw_speed(speed, config, streamed, points)
    _draw_memory(memory, config, streamed, points)
    _draw_components(features, config, wide, points)
    plots.legend_below(canvas, columns=4)


def _draw_speed(ax: Axes, config: ScaleConfig, names: Sequence[str], points: Mapping[Key, Point]) -> None:
    for name in names:
        rows = [n for n in config.stream_rows if ("stream", name, n) in points]
        if rows:
            samples = [points["stream", name, n].samples["rows_per_cpu_s"] for n in rows]
            low, median, high = np.array([np.quantile(values, [0.25, 0.5, 0.75]) for values in samples]).T
            plots.loglog_with_fit(ax, rows, median, low, high, name, label=method_label(name))
    _rows_axis(ax, config)
    ax.set_ylabel("rows per CPU second")
    ax.set_title(f"stream from disk, d = {config.d}, D = {config.stream_components:,d}")


def _draw_memory(ax: Axes, config: ScaleConfig, names: Sequence[str], points: Mapping[Key, Point]) -> None:
    for name in names:
        peaks = {n: points["stream", name, n].metrics["peak_extra_bytes"] for n in config.stream_rows
                 if ("stream", name, n) in points}  # fmt: skip
        known = {n: float(peak) / 1e6 for n, peak in peaks.items() if isinstance(peak, (int, float))}
        if known:
            look = style.of(name)
            # A map that needs nothing is drawn at a tenth of a megabyte: the scale is logarithmic.
            height = [max(value, 0.1) for value in known.values()]
            ax.plot(list(known), height, color=look.color, marker=look.marker, linestyle=look.linestyle,
                    markeredgecolor="white", label=method_label(name))  # fmt: skip
    rows = np.array(config.stream_rows, dtype=float)
    for label, columns, shade in (
        ("the whole file", config.d, "#444444"),
        ("all features at once", config.stream_components, "#999999"),
    ):
        size = rows * columns * np.dtype(config.dtype).itemsize / 1e6
        ax.plot(rows, size, color=shade, linewidth=1.0, linestyle=(0.0, (1.0, 1.0)))
        ax.annotate(label, (rows[-1], size[-1]), xytext=(-3, 4), textcoords="offset points", ha="right", fontsize=7)
    ax.set_xscale("log")
    ax.set_yscale("log")
    _rows_axis(ax, config)
    ax.set_ylabel("peak of memory during the pass [MB]")
    ax.set_title("memory beside output chunk and map")


def _rows_axis(ax: Axes, config: ScaleConfig) -> None:
    from matplotlib.ticker import NullLocator

    ax.set_xscale("log")
    ax.set_xticks(list(config.stream_rows), [f"{n:,d}" for n in config.stream_rows])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.margins(x=0.15)
    ax.set_xlabel("rows in the file")


def _draw_components(ax: Axes, config: ScaleConfig, names: Sequence[str], points: Mapping[Key, Point]) -> None:
    fits = []
    for name in names:
        D = [k for k in config.components if ("components", name, k) in points]
        if not D:
            continue
        samples = [points["components", name, k].samples["map_cpu_s"] for k in D]
        low, median, high = np.array([np.quantile(values, [0.25, 0.5, 0.75]) for values in samples]).T
        fit = _fit(config, name, points)
        plots.loglog_with_fit(ax, D, median, low, high, name, label=method_label(name))
        if fit:
            fits.append(f"{method_label(name)} {fit.exponent:.3f} ± {fit.standard_error or 0.0:.3f}")
    beyond = [k for k in config.components if config.limit(REFERENCE, k)]
    if beyond and REFERENCE in names:
        plots.limit_mark(ax, min(beyond), REFERENCE, f"a dense matrix\nexceeds {config.matrix_limit_gb:g} GB")
    if fits:
        words = f"exponent, D ≥ {config.fit_from:,d}\n" + "\n".join(fits)
        ax.text(0.03, 0.97, words, transform=ax.transAxes, va="top", fontsize=6.5)
    ax.set_xlabel("number of features D")
    ax.set_ylabel(f"CPU time for {config.rows:,d} rows [s]")
    ax.set_title(f"many features, d = {config.d}")
