"""Figure 2: time of D = d maps against d, on log-log axes, with fitted exponents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.experiments.base import Experiment, Selection
from scrf_bench.experiments.map_cells import Dtype, method_label, thread_words
from scrf_bench.experiments.matrices import REFERENCE, matrix_limit, parts_within
from scrf_bench.experiments.peers import PEERS
from scrf_bench.experiments.ratios import compared_task, passes_gate, speedup_over
from scrf_bench.experiments.scrf.expansion import expansion_cell, measure_expansion
from scrf_bench.experiments.scrf.expansion_claims import FIG2_CLAIMS
from scrf_bench.experiments.scrf.sweeps import (
    GATE,
    Place,
    Sweep,
    dtypes_planned,
    missing_peers,
    places,
    points_by_place,
    refused,
    rows_planned,
    samples_words,
)
from scrf_bench.experiments.suite import repaired_claims
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.report import NOT_APPLICABLE, Column, Figure, Layout, NotMeasured, Table, plots
from scrf_bench.stats import PowerLaw, fit_power_law

if TYPE_CHECKING:
    # Cells import this module too, and draw nothing.
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

Points = Mapping[tuple[str, int, str], Point]


@dataclass(frozen=True)
class Fig2Config:
    """Keys of ``configs/fig2.toml``. The paper states D = d; its grid of d and l are not recoverable.

    `matrix_limit_gb` declares the largest matrix that a map may hold; beyond it a point is shown as such.
    `fit_from` is the smallest d that the exponent is fitted on: below it the per-row overhead dominates. `maps`,
    `peers`, `d`, `dtypes` and `d_per_cell` are the first sweep; `more` holds others.
    """

    maps: tuple[str, ...]
    rows: int
    d: tuple[int, ...]
    dtypes: tuple[Dtype, ...]
    samples: int
    matrix_limit_gb: float
    fit_from: int
    seed: int
    peers: tuple[str, ...] = ()
    d_per_cell: int = 1
    more: tuple[Sweep, ...] = ()

    def __post_init__(self) -> None:
        self.sweeps()

    def limit(self, name: str, d: int, dtype: str) -> str | None:
        """Say why a method is not tried at d = D: its matrix is larger than declared; None if it is not."""
        return matrix_limit(name, d=d, D=d, dtype=dtype, limit_gb=self.matrix_limit_gb)

    def sweeps(self) -> tuple[Sweep, ...]:
        """Return every sweep, the first one included."""
        first = Sweep(d=self.d, dtypes=self.dtypes, maps=self.maps, peers=self.peers, d_per_cell=self.d_per_cell)
        return (first, *self.more)


class Fig2(Experiment[Fig2Config]):
    """Expansion time where D grows with d."""

    name = "fig2"
    title = "Figure 2: CPU time of D = d feature maps"
    paper = "scrf"
    version = 2
    options = ("maps",)
    config_type = Fig2Config
    claims = (*FIG2_CLAIMS, *repaired_claims.FIG2_CLAIMS)
    shows_unavailable = True

    def plan(self, config: Fig2Config, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """One timing cell a method, dtype and d (or some d); dense ones beyond the declared limit are not run."""
        return [
            expansion_cell(
                self.name,
                self.version,
                place.method,
                d=d,
                D=d,
                rows=config.rows,
                dtype=place.dtype,
                samples=place.samples or config.samples,
                seed=config.seed,
                threads=selection.threads,
                stages=False,
                with_reference=with_reference,
                declared_limit=limit,
            )
            for place in places(config.sweeps(), selection)
            for d, with_reference, limit in _parts(config, place)
        ]

    def measure(self, cell: Cell) -> list[Point]:
        """Time one method at its d = D, interleaved with RKS while its matrix fits."""
        return measure_expansion(cell)

    def layout(self, config: Fig2Config, records: Sequence[Record], selection: Selection) -> Layout:
        """One log-log figure with fitted exponents, and the tables behind it."""
        planned = places(config.sweeps(), selection)
        points = points_by_place(records)
        dtypes = dtypes_planned(planned)
        tables = [_table(config, dtype, planned, records, selection, alone=len(dtypes) == 1) for dtype in dtypes]
        return Layout(tables=tables, figures=[_figure(self.title, config, planned, points)] if points else [])


def _parts(config: Fig2Config, place: Place) -> Iterator[tuple[tuple[int, ...], bool, str | None]]:
    """Part a cell's widths into those with RKS beside them, those where its matrix is too large, and those forbidden.

    Each comes with whether RKS is timed beside the method, and with the method's own limit.
    """
    for widths, limit in parts_within(place.d, partial(config.limit, place.method, dtype=place.dtype)):
        for d, without in parts_within(widths, partial(config.limit, REFERENCE, dtype=place.dtype)):
            yield d, without is None, limit


def _fit(config: Fig2Config, points: Points, dtype: str, name: str) -> PowerLaw | None:
    """Fit log time on log d over d >= fit_from; None with fewer than three points."""
    times = {d: p.number(_timed(p)) for (kind, d, method), p in points.items() if (kind, method) == (dtype, name)}
    d = sorted(k for k in times if k >= config.fit_from)
    return fit_power_law(d, [times[k] for k in d]) if len(d) >= 3 else None


def _timed(point: Point) -> str:
    return f"{compared_task(point.samples)}_cpu_s"


def _figure(title: str, config: Fig2Config, planned: Sequence[Place], points: Points) -> Figure:
    """Draw a row of panels a dtype: our maps, and beside them the peers with their counterparts."""
    return Figure(
        name="",
        caption=title,
        width=4.8 * max(1, len(_groups(planned))),
        height=4.4 * max(1, len(dtypes_planned(planned))),
        draw=partial(_draw, config=config, planned=planned, points=points),
    )


def _groups(planned: Sequence[Place]) -> dict[str, list[str]]:
    methods = list(dict.fromkeys(place.method for place in planned))
    peers = [name for name in methods if name in PEERS]
    ours = [name for name in methods if name not in PEERS]
    beside = [name for name in ours if any(name in PEERS[peer].beside for peer in peers)]
    groups = {"maps": ours, "other packages' maps": [*peers, *beside] if peers else []}
    return {key: names for key, names in groups.items() if names}


def _draw(canvas: Canvas, config: Fig2Config, planned: Sequence[Place], points: Points) -> None:
    dtypes, groups = dtypes_planned(planned), _groups(planned)
    # Each panel its own height: the floor lies decades below anything that our maps' panel has.
    axes = canvas.subplots(len(dtypes), len(groups), squeeze=False, sharex=True)
    for row, dtype in enumerate(dtypes):
        for column, (group, names) in enumerate(groups.items()):
            ax = axes[row, column]
            _panel(ax, config, dtype, names, points)
            ax.set_title(f"{group}, {dtype}")
            ax.set_xlabel("input dimension d = number of features D")
            ax.set_ylabel(f"CPU time for {config.rows:,d} points [s]")
            ax.tick_params(labelbottom=True)


def _panel(ax: Axes, config: Fig2Config, dtype: str, names: Sequence[str], points: Points) -> None:
    for name in names:
        d = sorted(k for kind, k, method in points if (kind, method) == (dtype, name))
        if not d:
            continue
        samples = [points[dtype, k, name].samples[_timed(points[dtype, k, name])] for k in d]
        quartiles = np.array([np.quantile(values, [0.25, 0.5, 0.75]) for values in samples])
        fit = _fit(config, points, dtype, name)
        plots.loglog_with_fit(
            ax,
            np.array(d),
            quartiles[:, 1],
            quartiles[:, 0],
            quartiles[:, 2],
            PEERS[name].drawn_as if name in PEERS else name,
            (fit.exponent, np.log2(fit.coefficient), fit.standard_error or 0.0) if fit else None,
            fit_from=config.fit_from,
            label=method_label(name),
        )
    beyond = [d for d in config.d if config.limit(REFERENCE, d, dtype)]
    if beyond and REFERENCE in names:
        plots.limit_mark(ax, min(beyond), REFERENCE, f"a dense matrix\nexceeds {config.matrix_limit_gb:g} GB")
    if ax.get_legend_handles_labels()[0]:
        # Below the panel: it has a line a method, which no panel has room for.
        ax.legend(title=f"fit over d ≥ {config.fit_from}", loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)


def _table(
    config: Fig2Config, dtype: str, planned: Sequence[Place], records: Sequence[Record], selection: Selection,
    *, alone: bool,
) -> Table:  # fmt: skip
    points, missing = points_by_place(records), missing_peers(records)
    rows: list[dict[str, object]] = []
    for d, name in rows_planned(planned, dtype):
        limit = config.limit(name, d, dtype)
        row: dict[str, object] = {"d": d, "method": method_label(name)}
        point = points.get((dtype, d, name))
        if point is not None:
            row |= _measured(name, point)
        elif limit:
            row |= {"map": NotMeasured(limit, short="over limit")}
        elif name in missing:
            row |= {"map": missing[name]}
        rows.append(row)
    fits = []
    for name in dict.fromkeys(name for _, name in rows_planned(planned, dtype)):
        fit = _fit(config, points, dtype, name)
        if fit:
            fits.append(f"{method_label(name)} d^{fit.exponent:.2f} ± {fit.standard_error:.2f}")
    return Table(
        name="fig2" if alone else f"fig2-{dtype}",
        title=f"{Fig2.title}, l = {config.rows}, {dtype}",
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
                f"CPU seconds on {thread_words(selection.threads)}, median of "
                f"{samples_words(planned, config.samples)}, output reused where the map can. Speed-up: RKS's time over "
                "the map's, the median over rounds in turns in the same process; RKS is timed anew beside each map, so "
                "a speed-up is not the ratio of two rows."
            ),
            GATE,
            f"Exponents fitted over d >= {config.fit_from}: " + ("; ".join(fits) or "too few points") + ".",
            "The paper draws these curves without recoverable values: n/a.",
        ],
        group_by="d",
    )


def _measured(name: str, point: Point) -> dict[str, object]:
    m = point.metrics
    ratio = speedup_over(point, REFERENCE)
    speedup: object = 1.0 if name == REFERENCE else ratio.median if ratio else None
    if name in PEERS and REFERENCE not in PEERS[name].beside:
        speedup = NOT_APPLICABLE
    row: dict[str, object] = {
        "draw": m["draw_cpu_s"],
        "map": m[_timed(point)],
        "speedup": speedup,
        "held": m["held_bytes"],
    }
    return row if passes_gate(point) else row | dict.fromkeys(("map", "speedup"), refused(point))
