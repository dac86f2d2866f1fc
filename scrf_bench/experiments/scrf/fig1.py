"""Figure 1: kernel approximation. Estimates against exact values (a-c) and the relative error against D (d)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.experiments.base import Experiment, Selection
from scrf_bench.experiments.map_cells import (
    draw_map,
    map_version,
    mean_se,
    method_label,
    selected_maps,
    uniform_points,
)
from scrf_bench.experiments.scrf.fig1_claims import CLAIMS
from scrf_bench.experiments.suite import repaired_claims
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.kernels import gaussian_kernel
from scrf_bench.maps import Embedding
from scrf_bench.report import Column, Figure, Layout, Table, plots

if TYPE_CHECKING:
    # Cells import this module too, and draw nothing.
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Fig1Config:
    """Keys of ``configs/fig1.toml``. The paper states d, gamma, both l and D of the scatter; the D grid is ours.

    `more_curve_maps` are not the paper's: they stand in the curve and its table, and have no scatter.
    """

    maps: tuple[str, ...]
    embedding: Embedding
    d: int
    gamma: float
    scatter_rows: int
    scatter_components: int
    curve_rows: int
    curve_components: tuple[int, ...]
    repetitions: int
    repetitions_per_cell: int
    seed: int
    more_curve_maps: tuple[str, ...] = ()

    def curve_maps(self, selection: Selection) -> list[str]:
        """Return the maps of the curve: all of the config's, or those that ``--maps`` names."""
        return selected_maps(dict.fromkeys((*self.maps, *self.more_curve_maps)), selection)


class Fig1(Experiment[Fig1Config]):
    """Estimated against exact Gaussian kernel on U[0,1]^16 for every map."""

    name = "fig1"
    title = "Figure 1: kernel approximation on U[0,1]^16"
    paper = "scrf"
    version = 1
    options = ("maps", "seeds")
    config_type = Fig1Config
    claims = (*CLAIMS, *repaired_claims.FIG1_CLAIMS)

    def plan(self, config: Fig1Config, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """One scatter cell a map, then the curve's repetitions in chunks, a chunk of one map a cell."""
        maps = selected_maps(config.maps, selection)
        curve_maps = config.curve_maps(selection)
        repetitions = selection.seeds or config.repetitions
        cells = [self._cell(config, name, selection, panel="scatter", expected_s=4) for name in maps]
        for start in range(0, repetitions, config.repetitions_per_cell):
            count = min(config.repetitions_per_cell, repetitions - start)
            cells += [
                self._cell(config, name, selection, panel="curve", start=start, count=count, expected_s=3 + count)
                for name in curve_maps
            ]
        return cells

    def _cell(
        self,
        config: Fig1Config,
        name: str,
        selection: Selection,
        *,
        panel: str,
        expected_s: float,
        start: int = 0,
        count: int = 1,
    ) -> Cell:
        curve = panel == "curve"
        return Cell(
            experiment=self.name,
            kind="quality",
            parameters={
                "panel": panel,
                "map": name,
                "embedding": config.embedding,
                "d": config.d,
                "gamma": config.gamma,
                "rows": config.curve_rows if curve else config.scatter_rows,
                "components": list(config.curve_components) if curve else [config.scatter_components],
                "first_repetition": start,
                "repetitions": count,
                "seed": config.seed,
            },
            versions={"experiment": self.version, "map": map_version(name)},
            threads=selection.threads,
            label=f"{method_label(name)} {'D curve' if curve else 'scatter'}"
            + (f" {start + 1}-{start + count}" if curve else ""),
            expected_s=expected_s,
        )

    def measure(self, cell: Cell) -> list[Point]:
        """Measure relative errors of the Gram matrix; the scatter also keeps every pair."""
        p = cell.parameters
        points = []
        for repetition in range(p["first_repetition"], p["first_repetition"] + p["repetitions"]):
            X = uniform_points(p["rows"], p["d"], p["seed"], repetition)
            K = gaussian_kernel(X, gamma=p["gamma"])
            norms = float(np.linalg.norm(K)), spectral_norm(K)
            for D in p["components"]:
                feature_map = draw_map(
                    p["map"],
                    n_components=D,
                    gamma=p["gamma"],
                    embedding=p["embedding"],
                    seed=p["seed"] + 1000 * repetition,
                )
                Phi = feature_map.fit_transform(X)
                estimate = Phi @ Phi.T
                points.append(_point(p, D, repetition, K, estimate, norms))
        return points

    def layout(self, config: Fig1Config, records: Sequence[Record], selection: Selection) -> Layout:
        """One figure of four panels, each panel by itself, and the table behind panel d."""
        maps, curve_maps = selected_maps(config.maps, selection), config.curve_maps(selection)
        points = [point for record in records for point in record.points]
        scatter = {p.parameters["map"]: p for p in points if p.parameters["panel"] == "scatter"}
        curve = [p for p in points if p.parameters["panel"] == "curve"]
        shown = [name for name in maps if name in scatter]
        limits = _shared_limits([scatter[name] for name in shown])
        # A map keeps its letter while another's record is missing, and the curve is always the last.
        letters = {name: chr(ord("a") + i) for i, name in enumerate([*maps, "curve"])}
        panels = {
            letters[name]: partial(_draw_scatter, point=scatter[name], config=config, limits=limits) for name in shown
        }
        if curve:
            panels[letters["curve"]] = partial(_draw_curve, points=curve, maps=curve_maps, config=config)
        figures = [
            Figure(
                name=letter,
                caption=f"Figure 1({letter})",
                width=4.2,
                height=4.0,
                draw=partial(_one_panel, panel=panel),
            )
            for letter, panel in panels.items()
        ]
        whole = Figure(name="", caption=self.title, width=8.2, height=7.8, draw=partial(_all_panels, panels=panels))
        return Layout(tables=[_table(config, curve_maps, curve)], figures=[whole, *figures] if panels else [])


def spectral_norm(A: Matrix) -> float:
    """Return the largest absolute eigenvalue of a symmetric matrix."""
    eigenvalues = np.linalg.eigvalsh(A)
    return float(max(abs(eigenvalues[0]), abs(eigenvalues[-1])))


def _point(
    p: Mapping[str, Any], D: int, repetition: int, K: Matrix, estimate: Matrix, norms: tuple[float, float]
) -> Point:
    difference = estimate - K
    upper = np.triu_indices(len(K))
    # Six decimals are far below a pixel of the scatter and keep the record a third of the size.
    pairs = {"exact": np.round(K[upper], 6).tolist(), "estimate": np.round(estimate[upper], 6).tolist()}
    return Point(
        parameters={"panel": p["panel"], "map": p["map"], "D": D, "repetition": repetition},
        metrics={
            "relative_frobenius_error": float(np.linalg.norm(difference)) / norms[0],
            "relative_spectral_error": spectral_norm(difference) / norms[1],
            "rms_error": float(np.sqrt(np.mean(difference[upper] ** 2))),
        },
        samples=pairs if p["panel"] == "scatter" else {},
    )


def _one_panel(canvas: Canvas, panel: partial[None]) -> None:
    panel(canvas.subplots())


def _all_panels(canvas: Canvas, panels: dict[str, partial[None]]) -> None:
    axes = canvas.subplots(2, -(-len(panels) // 2), squeeze=False).ravel()
    for ax, (letter, panel) in zip(axes, panels.items(), strict=False):
        panel(ax)
        ax.set_title(f"({letter}) {ax.get_title()}")
    for ax in axes[len(panels) :]:
        ax.set_axis_off()


def _shared_limits(points: Sequence[Point]) -> tuple[float, float]:
    """Return one range for all scatter panels: the eye compares clouds only on equal axes."""
    values = [value for point in points for key in ("exact", "estimate") for value in point.samples[key]]
    return (min(values) - 0.02, max(values) + 0.02) if values else (0.0, 1.0)


def _draw_scatter(ax: Axes, point: Point, config: Fig1Config, limits: tuple[float, float]) -> None:
    name = str(point.parameters["map"])
    plots.scatter_against_exact(
        ax, np.asarray(point.samples["exact"]), np.asarray(point.samples["estimate"]), name, limits=limits
    )
    ax.set_title(f"{method_label(name)}, D = {config.scatter_components}, one draw")


def _draw_curve(ax: Axes, points: list[Point], maps: list[str], config: Fig1Config) -> None:
    for name in maps:
        values = _by_components(points, name, "relative_frobenius_error")
        if not values:
            continue
        D = np.array(sorted(values))
        plots.curve_with_band(
            ax,
            D,
            np.array([np.mean(values[k]) for k in D]),
            np.array([np.quantile(values[k], 0.1) for k in D]),
            np.array([np.quantile(values[k], 0.9) for k in D]),
            name,
            label=method_label(name),
        )
    plots.log2_axis(ax)
    plots.plain_log_axis(ax)
    ax.set_xlabel("number of features D")
    ax.set_ylabel(r"relative error  $\|\hat K - K\|_F \, / \, \|K\|_F$")
    ax.set_title(f"error against D, l = {config.curve_rows}")
    ax.legend(title="mean, 10-90 % band")


def _by_components(points: list[Point], name: str, metric: str) -> dict[int, list[float]]:
    values: dict[int, list[float]] = {}
    for point in points:
        if point.parameters["map"] == name:
            values.setdefault(int(point.number("D")), []).append(point.number(metric))
    return values


def _table(config: Fig1Config, maps: list[str], curve: list[Point]) -> Table:
    rows = []
    reference = _by_components(curve, "rks", "relative_frobenius_error")
    for D in config.curve_components:
        for name in maps:
            frobenius = _by_components(curve, name, "relative_frobenius_error").get(D)
            spectral = _by_components(curve, name, "relative_spectral_error").get(D)
            rows.append(
                {
                    "D": D,
                    "method": method_label(name),
                    "frobenius": mean_se(frobenius) if frobenius else None,
                    "spectral": mean_se(spectral) if spectral else None,
                    "ratio": float(np.mean(frobenius) / np.mean(reference[D]))
                    if frobenius and D in reference
                    else None,
                    "n": len(frobenius or []),
                    "paper": None,
                }
            )
    return Table(
        name="fig1",
        title=f"Figure 1(d): relative error of the Gram matrix, l = {config.curve_rows} points of U[0,1]^{config.d}, "
        f"gamma = {config.gamma:g}, {config.embedding} embedding",
        columns=[
            Column("D", "D", kind="int"),
            Column("method", "map", align="l", kind="text"),
            Column("frobenius", "Frobenius error", kind="mean_se"),
            Column("spectral", "spectral error", kind="mean_se"),
            Column("ratio", "Frobenius / RKS", kind="ratio"),
            Column("n", "repetitions", kind="int"),
            Column("paper", "paper's Frobenius error", kind="float"),
        ],
        rows=rows,
        notes=[
            "Mean and standard error over repetitions; each repetition draws new points, shared by all maps.",
            "The paper shows these curves without values and states no D grid: n/a.",
        ],
        group_by="D",
    )
