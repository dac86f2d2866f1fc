"""Table 1: CPU time of the expansion at fixed D against d, speed-up over RKS, memory; peers, and targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.experiments.base import Experiment, Selection
from scrf_bench.experiments.map_cells import Dtype, method_label, thread_words
from scrf_bench.experiments.matrices import REFERENCE, matrix_limit, parts_within
from scrf_bench.experiments.ratios import passes_gate, speedup_over
from scrf_bench.experiments.scrf.expansion import expansion_cell, measure_expansion
from scrf_bench.experiments.scrf.expansion_claims import TABLE1_CLAIMS
from scrf_bench.experiments.scrf.peer_table import peer_table
from scrf_bench.experiments.scrf.reach import Target, check_targets, reach_table, unmeasured
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
from scrf_bench.report import NOT_APPLICABLE, Column, Layout, NotMeasured, Table, reported


@dataclass(frozen=True)
class Table1Config:
    """Keys of ``configs/table1.toml``. The paper states l and D; its d values and cells are not recoverable.

    `maps`, `peers`, `d`, `dtypes` and `d_per_cell` are the first sweep; `more` holds others, and `reach` the targets.
    `matrix_limit_gb` declares the largest matrix that a map may hold; beyond it its row says so.
    """

    maps: tuple[str, ...]
    rows: int
    D: int
    d: tuple[int, ...]
    dtypes: tuple[Dtype, ...]
    samples: int
    seed: int
    peers: tuple[str, ...] = ()
    d_per_cell: int = 1
    more: tuple[Sweep, ...] = ()
    reach: tuple[Target, ...] = ()
    matrix_limit_gb: float = 0.5

    def __post_init__(self) -> None:
        check_targets(self.reach, self.sweeps())

    def limit(self, name: str, d: int, dtype: str) -> str | None:
        """Say why a method is not tried at a width: its matrix is larger than declared; None if it is not."""
        return matrix_limit(name, d=d, D=self.D, dtype=dtype, limit_gb=self.matrix_limit_gb)

    def sweeps(self) -> tuple[Sweep, ...]:
        """Return every sweep, the first one included."""
        first = Sweep(d=self.d, dtypes=self.dtypes, maps=self.maps, peers=self.peers, d_per_cell=self.d_per_cell)
        return (first, *self.more)


class Table1(Experiment[Table1Config]):
    """Expansion time, speed-up and memory of each map at fixed D, beside other packages' maps."""

    name = "table1"
    title = "Table 1: CPU time and memory of the feature expansion"
    paper = "scrf"
    version = 2
    options = ("maps",)
    config_type = Table1Config
    claims = (*TABLE1_CLAIMS, *repaired_claims.TABLE1_CLAIMS)
    shows_unavailable = True

    def plan(self, config: Table1Config, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """One timing cell a method, dtype and d (or some d); every cell but RKS's own also times RKS."""
        return [
            expansion_cell(
                self.name,
                self.version,
                place.method,
                d=d,
                D=[config.D] * len(d),
                rows=config.rows,
                dtype=place.dtype,
                samples=place.samples or config.samples,
                seed=config.seed,
                threads=selection.threads,
                stages=place.stages,
                declared_limit=limit,
            )
            for place in places(config.sweeps(), selection)
            for d, limit in parts_within(place.d, partial(config.limit, place.method, dtype=place.dtype))
        ]

    def remarks(self, config: Table1Config, selection: Selection) -> list[str]:
        """Name the targets that this plan cannot tell anything about."""
        missing = [target.name for target in unmeasured(config.reach, places(config.sweeps(), selection))]
        if not missing:
            return []
        shown = "; ".join(missing[:3]) + (f"; and {len(missing) - 3} more" if len(missing) > 3 else "")
        return [f"{len(missing)} of {len(config.reach)} targets will stay 'not measured' by this plan: {shown}."]

    def measure(self, cell: Cell) -> list[Point]:
        """Time one method at its widths, interleaved with RKS, or with RKS and our counterpart."""
        return measure_expansion(cell)

    def layout(self, config: Table1Config, records: Sequence[Record], selection: Selection) -> Layout:
        """One table a dtype, one of the peers against our maps, and one of the targets."""
        planned = places(config.sweeps(), selection)
        dtypes = dtypes_planned(planned)
        tables = [_table(config, dtype, planned, records, selection, alone=len(dtypes) == 1) for dtype in dtypes]
        points = points_by_place(records)
        if against := peer_table("table1-peers", f"{self.title}: other packages' maps against ours", planned, records):
            tables.append(against)
        if config.reach:
            title = f"{self.title}: targets, l = {config.rows}, D = {config.D}, {thread_words(selection.threads)}"
            tables.append(reach_table("table1-reach", title, config.reach, points))
        return Layout(tables=tables, figures=[])


_COLUMNS = [
    Column("d", "d", kind="int"),
    Column("method", "map", align="l", kind="text"),
    Column("draw", "draw", unit="s", kind="seconds"),
    Column("project", "project", unit="s", kind="seconds"),
    Column("cosine", "cosine", unit="s", kind="seconds"),
    Column("map", "map", unit="s", kind="seconds"),
    Column("map_fresh", "fresh", unit="s", kind="seconds"),
    Column("speedup", "speed-up", kind="ratio"),
    Column("paper", "paper", kind="ratio"),
    Column("parameters", "parameters", kind="int"),
    Column("parameter_ratio", "ratio", kind="ratio"),
    Column("held", "held", unit="bytes", kind="bytes"),
    Column("held_ratio", "held ratio", kind="ratio"),
    Column("extra", "extra", unit="bytes", kind="bytes"),
    Column("peak", "peak RSS", unit="bytes", kind="bytes"),
    Column("algorithm", "computed by", align="l", kind="text"),
]


def _table(
    config: Table1Config,
    dtype: str,
    planned: Sequence[Place],
    records: Sequence[Record],
    selection: Selection,
    *,
    alone: bool,
) -> Table:
    points, missing = points_by_place(records), missing_peers(records)
    rows = []
    for d, name in rows_planned(planned, dtype):
        row: dict[str, object] = {"d": d, "method": method_label(name), "paper": _paper_speedup(name, d)}
        point = points.get((dtype, d, name))
        if point is not None:
            row |= _measured(name, point)
        elif limit := config.limit(name, d, dtype):
            row |= {"map": NotMeasured(limit, short="over limit")}
        elif name in missing:
            row |= {"map": missing[name]}
        rows.append(row)
    storage = reported("SCRF-IJCAI2015", "Table 1 text", method="SCRF vs Fastfood")
    return Table(
        name="table1" if alone else f"table1-{dtype}",
        title=f"{Table1.title}, l = {config.rows}, D = {config.D}, {dtype}, phase embedding",
        columns=_COLUMNS,
        rows=rows,
        notes=[
            (
                f"CPU seconds on {thread_words(selection.threads)}, median of "
                f"{samples_words(planned, config.samples)} after a warm-up. 'map' is the whole transform into a reused "
                "output, 'fresh' into a new one; draw samples the parameters once (where that takes over half a "
                "second, three times; over ten seconds, once). Quartiles and raw samples are in the records."
            ),
            (
                "Speed-up: RKS's CPU time over the map's, the median over rounds in turns in the same process, both "
                "with a reused output (against what cannot reuse one, both with a fresh output); RKS is timed anew "
                "beside each map, so a speed-up is not the ratio of two rows."
            ),
            (
                "Parameters: the numbers a method must keep, as the paper counts them. Held: bytes of the fitted map, "
                "cached spectra included. Ratios: RKS's number over the map's at the same d. Extra: peak of resident "
                "memory during one transform, output excluded. Peak RSS: of the whole process, data and RKS included."
            ),
            GATE,
            "The paper's cells are not recoverable: n/a."
            + (
                f" Its text: SCRF stores about {storage.value:g}x less than Fastfood (5D against 3D)."
                if storage
                else ""
            ),
        ],
        group_by="d",
    )


def _measured(name: str, point: Point) -> dict[str, object]:
    m = point.metrics
    stages = ("draw", "project", "cosine", "map", "map_fresh")
    # A peer has no such stage of its own: that is not a number we failed to get.
    row: dict[str, object] = {key: m.get(f"{key}_cpu_s", NOT_APPLICABLE) for key in stages}
    row |= {"parameters": m["parameters"], "held": m["held_bytes"], "peak": m.get("peak_rss")}
    row |= {"extra": m.get("transform_extra_bytes"), "algorithm": m["algorithm"]}
    if name == REFERENCE:
        row |= {"speedup": 1.0, "parameter_ratio": 1.0, "held_ratio": 1.0}
    elif f"{REFERENCE}_parameters" in m:
        speedup = speedup_over(point, REFERENCE)
        row |= {
            "speedup": speedup.median if speedup else None,
            "parameter_ratio": point.number(f"{REFERENCE}_parameters") / point.number("parameters"),
            "held_ratio": point.number(f"{REFERENCE}_held_bytes") / point.number("held_bytes"),
        }
    else:
        row |= dict.fromkeys(("speedup", "parameter_ratio", "held_ratio"), NOT_APPLICABLE)
    if not passes_gate(point):
        row |= dict.fromkeys(("map", "map_fresh", "speedup"), refused(point))
    return row


def _paper_speedup(name: str, d: int) -> float | None:
    """Return the paper's speed-up over RKS where a source states it (none does for this table)."""
    if name not in ("scrf", "fastfood"):
        return None
    figure = reported("SCRF-IJCAI2015", "Table 1", dataset=f"d={d}", method=method_label(name), quantity="speedup")
    return figure.value if figure and isinstance(figure.value, float) else None
