"""Figure 2: time of D = d maps against d, on log-log axes, with fitted exponents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.experiments.base import Experiment, Selection
from scrf_bench.experiments.map_cells import Dtype, method_label, selected_maps, thread_words
from scrf_bench.experiments.scrf.expansion import REFERENCE, expansion_cell, measure_expansion
from scrf_bench.experiments.scrf.expansion_claims import FIG2_CLAIMS
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.report import Column, Figure, Layout, NotMeasured, Table, plots
from scrf_bench.stats import PowerLaw, fit_power_law

if TYPE_CHECKING:
    # Cells import this module too, and draw nothing.
    from matplotlib.figure import Figure as Canvas

BYTES_PER_GB = 10**9


@dataclass(frozen=True)
class Fig2Config:
    """Keys of ``configs/fig2.toml``. The paper states D = d; its grid of d and l are not recoverable.

    `matrix_limit_gb` declares the largest dense projection matrix that is tried; beyond it a point is shown as such.
    `fit_from` is the smallest d that the exponent is fitted on: below it the per-row overhead dominates.
    """

    maps: tuple[str, ...]
    rows: int
    d: tuple[int, ...]
    dtype: Dtype
    samples: int
    matrix_limit_gb: float
    fit_from: int
    seed: int


class Fig2(Experiment[Fig2Config]):
    """Expansion time where D grows with d."""

    name = "fig2"
    title = "Figure 2: CPU time of D = d feature maps"
    paper = "scrf"
    version = 1
    config_type = Fig2Config
    claims = FIG2_CLAIMS

    def plan(self, config: Fig2Config, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """One timing cell a map and d; RKS beyond the declared matrix limit is planned as not to be run."""
        cells = []
        for d in config.d:
            too_large = _matrix_limit(config, d)
            cells += [
                expansion_cell(
                    self.name,
                    self.version,
                    name,
                    d=d,
                    D=d,
                    rows=config.rows,
                    dtype=config.dtype,
                    samples=config.samples,
                    seed=config.seed,
                    threads=selection.threads,
                    with_reference=too_large is None,
                    declared_limit=too_large if name == REFERENCE else None,
                )
                for name in selected_maps(config.maps, selection)
            ]
        return cells

    def measure(self, cell: Cell) -> list[Point]:
        """Time one map at one d = D, interleaved with RKS while its matrix fits."""
        return measure_expansion(cell)

    def layout(self, config: Fig2Config, records: Sequence[Record], selection: Selection) -> Layout:
        """One log-log figure with fitted exponents, and the table behind it."""
        names = selected_maps(config.maps, selection)
        points = {(str(p.parameters["map"]), int(p.number("d"))): p for record in records for p in record.points}
        figure = Figure(
            name="",
            caption=self.title,
            width=5.6,
            height=4.4,
            draw=partial(_draw, config=config, names=names, points=points),
        )
        return Layout(tables=[_table(config, names, points, selection)], figures=[figure] if points else [])


def _matrix_limit(config: Fig2Config, d: int) -> str | None:
    needed = d * d * np.dtype(config.dtype).itemsize / BYTES_PER_GB
    if needed <= config.matrix_limit_gb:
        return None
    return (
        f"RKS's {d} x {d} matrix of {needed:.2f} GB exceeds the limit of {config.matrix_limit_gb:g} GB "
        "that the config declares (matrix_limit_gb)."
    )


def _fit(config: Fig2Config, name: str, points: dict[tuple[str, int], Point]) -> PowerLaw | None:
    """Fit log time on log d over d >= fit_from; None with fewer than three points."""
    d = [k for k in config.d if k >= config.fit_from and (name, k) in points]
    if len(d) < 3:
        return None
    return fit_power_law(d, [points[name, k].number(_timed(points[name, k])) for k in d])


def _timed(point: Point) -> str:
    """Name what stands for the whole map: into a reused output where it can, into a fresh one otherwise."""
    return "map_cpu_s" if "map_cpu_s" in point.metrics else "map_fresh_cpu_s"


def _draw(canvas: Canvas, config: Fig2Config, names: list[str], points: dict[tuple[str, int], Point]) -> None:
    ax = canvas.subplots()
    for name in names:
        d = [k for k in config.d if (name, k) in points]
        if not d:
            continue
        samples = [points[name, k].samples[_timed(points[name, k])] for k in d]
        quartiles = np.array([np.quantile(values, [0.25, 0.5, 0.75]) for values in samples])
        fit = _fit(config, name, points)
        plots.loglog_with_fit(
            ax,
            np.array(d),
            quartiles[:, 1],
            quartiles[:, 0],
            quartiles[:, 2],
            name,
            (fit.exponent, np.log2(fit.coefficient), fit.standard_error or 0.0) if fit else None,
            fit_from=config.fit_from,
            label=method_label(name),
        )
    beyond = [d for d in config.d if _matrix_limit(config, d)]
    if beyond and REFERENCE in names:
        plots.limit_mark(ax, min(beyond), REFERENCE, f"RKS's matrix\nexceeds {config.matrix_limit_gb:g} GB")
    ax.set_xlabel("input dimension d = number of features D")
    ax.set_ylabel(f"CPU time for {config.rows} points [s]")
    ax.legend(title=f"fit over d ≥ {config.fit_from}")


def _table(config: Fig2Config, names: list[str], points: dict[tuple[str, int], Point], selection: Selection) -> Table:
    rows: list[dict[str, object]] = []
    for d in config.d:
        limit = _matrix_limit(config, d)
        for name in names:
            row: dict[str, object] = {"d": d, "method": method_label(name)}
            point = points.get((name, d))
            if point is not None:
                m = point.metrics
                row |= {
                    "draw": m["draw_cpu_s"],
                    "map": m[_timed(point)],
                    "speedup": 1.0 if name == REFERENCE else m.get("speedup"),
                    "held": m["held_bytes"],
                }
            elif limit and name == REFERENCE:
                row |= {"map": NotMeasured(limit, short="over limit")}
            rows.append(row)
    fits = []
    for name in names:
        fit = _fit(config, name, points)
        if fit:
            fits.append(f"{method_label(name)} d^{fit.exponent:.2f} ± {fit.standard_error:.2f}")
    return Table(
        name="fig2",
        title=f"{Fig2.title}, l = {config.rows}, {config.dtype}",
        columns=[
            Column("d", "d = D", kind="int"),
            Column("method", "map", align="l", kind="text"),
            Column("draw", "draw", unit="s", kind="seconds"),
            Column("map", "map", unit="s", kind="seconds"),
            Column("speedup", "speed-up", kind="ratio"),
            Column("held", "held", unit="bytes", kind="bytes"),
        ],
        rows=rows,
        notes=[
            (
                f"CPU seconds on {thread_words(selection.threads)}, median of {config.samples} samples, output reused "
                "where the map can. Speed-up: RKS's time over the map's, in turns in the same process; RKS is timed "
                "anew beside each map, so a speed-up is not the ratio of two rows."
            ),
            f"Exponents fitted over d >= {config.fit_from}: " + ("; ".join(fits) or "too few points") + ".",
            "The paper draws these curves without recoverable values: n/a.",
        ],
        group_by="d",
    )
