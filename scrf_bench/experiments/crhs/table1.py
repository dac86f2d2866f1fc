"""Table 1: the complexities of constructing the spaces, measured: exponents of time in d, D and l, and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from scrf_bench.bench import Cell, Point, Record, interleave
from scrf_bench.experiments.base import Experiment, Selection
from scrf_bench.experiments.crhs.spaces import EXACT, WORDS_OF_SPACES, space_label
from scrf_bench.experiments.crhs.table1_claims import TABLE1_CLAIMS, fit_of, medians
from scrf_bench.experiments.map_cells import (
    Dtype,
    draw_map,
    selected_maps,
    thread_words,
    timed_versions,
    uniform_points,
)
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.maps import Embedding
from scrf_bench.report import NOT_APPLICABLE, Column, Figure, Layout, MeanSe, Table, plots

if TYPE_CHECKING:
    # Cells import this module too, and draw nothing.
    from matplotlib.figure import Figure as Canvas

# What follows from the paper's text; its own cells are not recoverable. Time a point, and storage.
_DERIVED = {
    "rks": ("O(dD)", "O(dD)"),
    "fastfood": ("O(D log d)", "O(D)"),
    "scrf": ("O(D log d)", "O(D)"),
}
SIZES = {"d": "input dimension d", "D": "dimension D of the space", "l": "number of points l"}


@dataclass(frozen=True)
class Table1Config:
    """Keys of ``configs/crhs-table1.toml``.

    Attributes
    ----------
    maps : tuple of str
    embedding : str
    dtype : str
    d, D, l : tuple of int
        The grids along which time is fitted, one at a time.
    at_d, at_D, at_l : int
        Where the other two stand meanwhile.
    samples : int
        Of each size in one process.
    processes : int
        That measure everything anew, each with its own draw.
    seed : int
        Of the points; the process's number is added for the draw.
    """

    maps: tuple[str, ...]
    embedding: Embedding
    dtype: Dtype
    d: tuple[int, ...]
    D: tuple[int, ...]
    l: tuple[int, ...]  # noqa: E741 -- the paper's letter
    at_d: int
    at_D: int
    at_l: int
    samples: int
    processes: int
    seed: int

    def __post_init__(self) -> None:
        for size in SIZES:
            if len(getattr(self, size)) < 3:
                raise ValueError(f"{size} holds {list(getattr(self, size))}; an exponent needs three values.")


class Table1(Experiment[Table1Config]):
    """Measured complexities."""

    name = "crhs-table1"
    title = "CRHS Table 1: complexity of constructing the spaces"
    paper = "crhs"
    version = 1
    options = ("maps",)
    config_type = Table1Config
    claims = TABLE1_CLAIMS

    def plan(self, config: Table1Config, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """One timing cell a map and process, with all three grids inside."""
        grids = {key: list(getattr(config, key)) for key in SIZES}
        at = {f"at_{key}": getattr(config, f"at_{key}") for key in SIZES}
        return [
            Cell(
                experiment=self.name,
                kind="timing",
                parameters={
                    "map": name,
                    "embedding": config.embedding,
                    **grids,
                    **at,
                    "samples": config.samples,
                    "process": process,
                    "seed": config.seed,
                },
                versions={"experiment": self.version, **timed_versions(name)},
                dtype=config.dtype,
                threads=selection.threads,
                label=f"{space_label(name)} process {process}",
                expected_s=3.0 + (config.samples + 2) * sum(_guess_s(name, *size) for _, size in _sizes(grids | at)),
            )
            for process in range(config.processes)
            for name in _maps(config, selection)
        ]

    def measure(self, cell: Cell) -> list[Point]:
        """Time one map along each grid, the sizes of a grid in turns."""
        p = cell.parameters
        return [point for sweep in SIZES for point in _swept(cell, sweep, [s for k, s in _sizes(p) if k == sweep])]

    def layout(self, config: Table1Config, records: Sequence[Record], selection: Selection) -> Layout:
        """The table of exponents and counts, and a panel a grid."""
        points = [point for record in records for point in record.points]
        maps = _maps(config, selection)
        figure = Figure(
            name="",
            caption=self.title,
            width=4.0 * len(SIZES),
            height=3.8,
            draw=partial(_draw, config=config, maps=maps, points=points),
        )
        return Layout(tables=[_table(config, maps, points, selection)], figures=[figure] if points else [])


def _maps(config: Table1Config, selection: Selection) -> list[str]:
    # An exact kernel method that --maps names for other tables constructs no space.
    return [name for name in selected_maps(config.maps, selection) if name not in EXACT]


def _sizes(p: Mapping[str, Any]) -> list[tuple[str, tuple[int, int, int]]]:
    """Return every size to measure as (grid, (d, D, l))."""
    return [
        (sweep, tuple(value if key == sweep else p[f"at_{key}"] for key in SIZES))
        for sweep in SIZES
        for value in p[sweep]
    ]


def _swept(cell: Cell, sweep: str, sizes: Sequence[tuple[int, int, int]]) -> list[Point]:
    p = cell.parameters
    tasks, fitted = {}, []
    for d, D, rows in sizes:
        X = uniform_points(rows, d, p["seed"]).astype(cell.dtype)
        # gamma = 1/d keeps the distances in units of the kernel's width alike at every d.
        drawn = draw_map(
            p["map"], n_components=D, gamma=1.0 / d, embedding=p["embedding"], seed=p["seed"] + p["process"]
        ).fit(X)
        tasks[f"{d} {D} {rows}"] = partial(drawn.transform, X, out=np.zeros((rows, D), dtype=cell.dtype))
        fitted.append(drawn)
    timings = interleave(tasks, samples=p["samples"])
    return [
        Point(
            parameters={"map": p["map"], "sweep": sweep, "d": d, "D": D, "l": rows, "process": p["process"]},
            metrics={
                "map_cpu_s": timing.cpu_median,
                "map_wall_s": timing.wall_median,
                "parameters": int(drawn.n_parameters_),
                "held_bytes": int(drawn.nbytes_),
                "algorithm": str(drawn.algorithm_),
            },
            samples=timing.samples("map"),
        )
        for (d, D, rows), drawn, timing in zip(sizes, fitted, timings.values(), strict=True)
    ]


def _guess_s(name: str, d: int, D: int, rows: int) -> float:
    """Guess one sample's seconds, for the time left on the progress bar only."""
    return rows * D * (d * 5e-11 + 3e-9 if name == "rks" else 4e-9)


def _draw(canvas: Canvas, config: Table1Config, maps: Sequence[str], points: Sequence[Point]) -> None:
    axes = canvas.subplots(1, len(SIZES), squeeze=False)[0]
    for ax, (sweep, words) in zip(axes, SIZES.items(), strict=True):
        for name in maps:
            found = medians(points, name, sweep)
            if not found:
                continue
            low, middle, high = (
                np.array([quantile(values) for values in found.values()]) for quantile in (np.min, np.median, np.max)
            )
            fit = fit_of(points, name, sweep)
            drawn = (fit.exponent, float(np.log2(fit.coefficient)), fit.standard_error or 0.0) if fit else None
            plots.loglog_with_fit(ax, np.array(list(found)), middle, low, high, name, drawn, label=space_label(name))
        ax.set_xlabel(words)
        ax.set_ylabel("CPU time of the expansion [s]")
        others = [f"{key} = {getattr(config, f'at_{key}'):,}" for key in SIZES if key != sweep]
        ax.set_title(", ".join(others))
        low_y, high_y = ax.get_ylim()
        # Room above the points for the legend.
        ax.set_ylim(low_y, high_y * (high_y / low_y) ** 0.45)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(loc="upper left")


def _table(config: Table1Config, maps: Sequence[str], points: Sequence[Point], selection: Selection) -> Table:
    rows = []
    for name in maps:
        row: dict[str, object] = {"method": space_label(name)}
        # What is not the paper's has no place in its table.
        row["time_derived"], row["storage_derived"] = _DERIVED.get(name, (NOT_APPLICABLE, NOT_APPLICABLE))
        for sweep in SIZES:
            if fit := fit_of(points, name, sweep):
                row[f"exponent_{sweep}"] = MeanSe(fit.exponent, fit.standard_error, fit.n)
        at = [p for p in points if p.parameters["map"] == name and _stands_at(config, p)]
        if at:
            m = at[-1].metrics
            row |= {"parameters": m["parameters"], "per_D": at[-1].number("parameters") / config.at_D}
            row |= {"held": m["held_bytes"], "algorithm": m["algorithm"]}
            row["time"] = float(np.median([p.number("map_cpu_s") for p in at]))
        rows.append(row)
    grids = "; ".join(f"{key} in {', '.join(f'{v:,}' for v in getattr(config, key))}" for key in SIZES)
    place = ", ".join(f"{key} = {getattr(config, f'at_{key}'):,}" for key in SIZES)
    return Table(
        name="crhs-table1",
        title=f"{Table1.title}, {config.dtype}, {config.embedding} embedding",
        columns=[
            Column("method", "space", align="l", kind="text"),
            Column("time_derived", "time a point, derived", kind="text"),
            *(Column(f"exponent_{sweep}", f"exponent of time in {sweep}", kind="mean_se") for sweep in SIZES),
            Column("storage_derived", "storage, derived", kind="text"),
            Column("parameters", "parameters", kind="int"),
            Column("per_D", "parameters / D", kind="float", digits=2),
            Column("held", "held", kind="bytes"),
            Column("time", "expansion", unit="s", kind="seconds"),
            Column("algorithm", "computed by", align="l", kind="text"),
            Column("paper", "paper", kind="text"),
        ],
        rows=rows,
        notes=[
            WORDS_OF_SPACES,
            (f"Exponents and standard errors of log-log lines through the medians of {config.processes} processes, "
            f"{config.samples} samples each of CPU time on {thread_words(selection.threads)}, into a reused output. "
            f"Grids: {grids}; the other two stand at {place}, where parameters, bytes and the time are taken."),
            ("A standard error says how well the line fits: times bend with caches. Parameters: the numbers a map must "
            "keep; held: its bytes here, cached spectra included."),
            "Derived: follows from the paper's text; the cells of its table are not recoverable: n/a.",
        ],
    )  # fmt: skip


def _stands_at(config: Table1Config, point: Point) -> bool:
    return all(point.parameters[key] == getattr(config, f"at_{key}") for key in SIZES)
