"""Table 1: CPU time of the expansion at D = 8192 against d, speed-up over RKS, and memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.experiments.base import Experiment, Selection
from scrf_bench.experiments.map_cells import Dtype, method_label, selected_maps, thread_words
from scrf_bench.experiments.scrf.expansion import PEERS, REFERENCE, expansion_cell, measure_expansion
from scrf_bench.experiments.scrf.expansion_claims import TABLE1_CLAIMS
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.report import NOT_APPLICABLE, Column, Layout, Table, reported


@dataclass(frozen=True)
class Table1Config:
    """Keys of ``configs/table1.toml``. The paper states l and D; its d values and cells are not recoverable."""

    maps: tuple[str, ...]
    rows: int
    D: int
    d: tuple[int, ...]
    dtypes: tuple[Dtype, ...]
    samples: int
    seed: int


class Table1(Experiment[Table1Config]):
    """Expansion time, speed-up and memory of each map at fixed D."""

    name = "table1"
    title = "Table 1: CPU time and memory of the feature expansion"
    paper = "scrf"
    version = 1
    config_type = Table1Config
    claims = TABLE1_CLAIMS

    def plan(self, config: Table1Config, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """One timing cell a map, d and dtype; every cell but RKS's own also times RKS."""
        return [
            expansion_cell(
                self.name,
                self.version,
                name,
                d=d,
                D=config.D,
                rows=config.rows,
                dtype=dtype,
                samples=config.samples,
                seed=config.seed,
                threads=selection.threads,
            )
            for dtype in config.dtypes
            for d in config.d
            for name in selected_maps(config.maps, selection)
        ]

    def measure(self, cell: Cell) -> list[Point]:
        """Time one map at one d, interleaved with RKS."""
        return measure_expansion(cell)

    def layout(self, config: Table1Config, records: Sequence[Record], selection: Selection) -> Layout:
        """One table a dtype: times split, speed-ups, and the three kinds of memory kept apart."""
        names = selected_maps(config.maps, selection)
        return Layout(tables=[_table(config, dtype, names, records, selection) for dtype in config.dtypes], figures=[])


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
    Column("peak", "peak RSS", unit="bytes", kind="bytes"),
]


def _table(
    config: Table1Config, dtype: str, names: list[str], records: Sequence[Record], selection: Selection
) -> Table:
    cells = {
        (int(point.number("d")), str(point.parameters["map"])): (record, point)
        for record in records
        if record.cell.dtype == dtype
        for point in record.points
    }
    rows = []
    for d in config.d:
        for name in names:
            row: dict[str, object] = {"d": d, "method": method_label(name), "paper": _paper_speedup(name, d)}
            if (d, name) in cells:
                row |= _measured(name, *cells[d, name])
            rows.append(row)
    storage = reported("SCRF-IJCAI2015", "Table 1 text", method="SCRF vs Fastfood")
    return Table(
        name=f"table1-{dtype}" if len(config.dtypes) > 1 else "table1",
        title=f"{Table1.title}, l = {config.rows}, D = {config.D}, {dtype}, phase embedding",
        columns=_COLUMNS,
        rows=rows,
        notes=[
            (
                f"CPU seconds on {thread_words(selection.threads)}, median of {config.samples} samples after a warm-up"
                ". 'map' is the whole transform into a reused output, 'fresh' into a new one; draw samples the "
                "parameters once. Quartiles and raw samples are in the records."
            ),
            (
                "Speed-up: RKS's CPU time over the map's, in turns in the same process, both with a reused output "
                "(against RBFSampler, which cannot reuse one, both with a fresh output); RKS is timed anew beside each "
                "map, so a speed-up is not the ratio of two rows."
            ),
            (
                "Parameters: the numbers a method must keep, as the paper counts them. Held: bytes of the fitted map, "
                "cached spectra included. Ratios: RKS's number over the map's at the same d. Peak RSS: of the whole "
                "cell, data and RKS included."
            ),
            "The paper's cells are not recoverable: n/a."
            + (
                f" Its text: SCRF stores about {storage.value:g}x less than Fastfood (5D against 3D)."
                if storage
                else ""
            ),
        ],
        group_by="d",
    )


def _measured(name: str, record: Record, point: Point) -> dict[str, object]:
    m = point.metrics
    stages = ("draw", "project", "cosine", "map", "map_fresh")
    # A peer has no such stage of its own: that is not a number we failed to get.
    row: dict[str, object] = {key: m.get(f"{key}_cpu_s", NOT_APPLICABLE) for key in stages}
    row |= {"parameters": m["parameters"], "held": m["held_bytes"], "peak": record.peak_rss}
    if name == REFERENCE:
        row |= {"speedup": 1.0, "parameter_ratio": 1.0, "held_ratio": 1.0}
    else:
        row |= {
            "speedup": m.get("speedup"),
            "parameter_ratio": point.number("reference_parameters") / point.number("parameters"),
            "held_ratio": point.number("reference_held_bytes") / point.number("held_bytes"),
        }
    return row


def _paper_speedup(name: str, d: int) -> float | None:
    """Return the paper's speed-up over RKS where a source states it (none does for this table)."""
    if name in (REFERENCE, *PEERS):
        return None
    figure = reported("SCRF-IJCAI2015", "Table 1", dataset=f"d={d}", method=method_label(name), quantity="speedup")
    return figure.value if figure and isinstance(figure.value, float) else None
