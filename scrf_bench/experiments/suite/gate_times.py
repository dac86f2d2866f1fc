"""The times that the regression gate watches: each map in turns with RKS, in several processes of many samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.errors import UnknownNameError
from scrf_bench.experiments.base import Experiment, Selection
from scrf_bench.experiments.gate.ratios import TimeRatio, time_ratios
from scrf_bench.experiments.map_cells import METHOD_LABELS, Dtype, method_label, thread_words
from scrf_bench.experiments.peers import PEERS
from scrf_bench.experiments.scrf.expansion import expansion_cell, measure_expansion
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.maps import map_by_name
from scrf_bench.report import Column, Layout, Table
from scrf_bench.stats import summarise


@dataclass(frozen=True)
class GateTimesConfig:
    """Keys of ``configs/gate-times.toml``.

    Attributes
    ----------
    maps, peers : tuple of str
        Our maps, each timed beside RKS, and other packages' maps, beside which ours are timed.
    d : tuple of int
        Input widths, all of them in one process.
    D, rows, samples : int
        Columns, rows, and rounds of one process.
    processes : int
        Processes of each map: cells of their own.
    """

    maps: tuple[str, ...]
    d: tuple[int, ...]
    D: int
    rows: int
    dtype: Dtype
    samples: int
    processes: int
    seed: int
    peers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.peers:
            if name not in PEERS:
                raise ValueError(f"there is no peer '{name}'; the peers are {', '.join(PEERS)}.")


class GateTimes(Experiment[GateTimesConfig]):
    """Ratios of times, fit for a verdict on whether a map became slower."""

    name = "gate-times"
    title = "Times that the regression gate watches"
    paper = "suite"
    version = 1
    options = ("maps", "seeds")
    config_type = GateTimesConfig

    def plan(self, config: GateTimesConfig, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """One timing cell a method and process; the processes of one method are spread over the run."""
        return [
            self._cell(config, name, process, selection.threads)
            for process in range(selection.seeds or config.processes)
            for name in _methods(config, selection)
        ]

    def _cell(self, config: GateTimesConfig, name: str, process: int, threads: int) -> Cell:
        cell = expansion_cell(
            self.name,
            self.version,
            name,
            d=config.d,
            D=[config.D] * len(config.d),
            rows=config.rows,
            dtype=config.dtype,
            samples=config.samples,
            seed=config.seed,
            threads=threads,
            stages=False,
        )
        return replace(
            cell,
            parameters={**cell.parameters, "process": process},
            label=f"{method_label(name)}, process {process + 1}",
        )

    def measure(self, cell: Cell) -> list[Point]:
        """Time one method at its widths, interleaved with RKS, or with RKS and our counterpart."""
        return measure_expansion(cell)

    def layout(self, config: GateTimesConfig, records: Sequence[Record], selection: Selection) -> Layout:
        """One table: a row a ratio, with the spread between processes that the gate has to live with."""
        found: dict[tuple[str, str, int], list[TimeRatio]] = {}
        for record in records:
            for point in record.points:
                for ratio in time_ratios(record.cell, point):
                    found.setdefault((ratio.task, ratio.reference, int(point.number("d"))), []).append(ratio)
        rows = [
            {
                "map": method_label(task),
                "against": method_label(reference),
                "d": d,
                "ratio": summary.mean,
                "low": min(r.median for r in ratios),
                "high": max(r.median for r in ratios),
                "processes": len(ratios),
                "samples": sum(len(r.values) for r in ratios),
            }
            for (task, reference, d), ratios in found.items()
            for summary in [summarise([r.median for r in ratios])]
        ]
        table = Table(
            name="gate-times",
            title=f"{self.title}: {config.rows} rows, D = {config.D}, {config.dtype}",
            columns=[
                Column("map", "map"),
                Column("against", "against"),
                Column("d", "d", kind="int"),
                Column("ratio", "time over it", kind="ratio"),
                Column("low", "fastest process", kind="ratio"),
                Column("high", "slowest process", kind="ratio"),
                Column("processes", "processes", kind="int"),
                Column("samples", "samples", kind="int"),
            ],
            rows=rows,
            notes=[
                (
                    f"CPU time on {thread_words(selection.threads)} over the reference's in the same round of the same "
                    "process, median over rounds, mean over processes."
                )
            ],
            group_by="map",
        )
        return Layout(tables=[table], figures=[])


def _methods(config: GateTimesConfig, selection: Selection) -> list[str]:
    known = (*config.maps, *config.peers)
    if selection.maps is None:
        return list(known)
    for name in selection.maps:
        if name not in known and name not in PEERS:
            if name in METHOD_LABELS:
                raise UnknownNameError(
                    f"--maps {name}: that is no feature map, and the gate's times are those of maps."
                )
            map_by_name(name)
    return [name for name in selection.maps if name != "rks"]
