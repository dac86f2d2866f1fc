"""What a dense matrix costs on its way into LIBLINEAR: our node filling against the official binding's two ways.

A table of training times made with the binding's own loop would measure ctypes, not the method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrf_bench.bench import Cell, Point, Record, interleave
from scrf_bench.experiments.base import Experiment, Selection
from scrf_bench.experiments.map_cells import uniform_points
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.learners import LiblinearClassifier
from scrf_bench.report import Column, Layout, Table

WAYS = {
    "own": "vectorised node filling (this package)",
    "csr": "csr_matrix, then problem(y, csr)",
    "binding": "problem(y, ndarray)",
}


@dataclass(frozen=True)
class ConversionConfig:
    """Keys of ``configs/conversion.toml``: the matrix's size, and which ways to time."""

    rows: int
    columns: int
    dtypes: tuple[str, ...]
    ways: tuple[str, ...]
    samples: int
    seed: int


class Conversion(Experiment[ConversionConfig]):
    """Conversion time of a dense matrix to LIBLINEAR's problem."""

    name = "conversion"
    title = "Conversion of a dense matrix to a LIBLINEAR problem"
    paper = "suite"
    version = 1
    options = ()
    config_type = ConversionConfig

    def plan(self, config: ConversionConfig, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """One timing cell a dtype, all ways in turns inside."""
        return [
            Cell(
                experiment=self.name,
                kind="timing",
                parameters={
                    "rows": config.rows,
                    "columns": config.columns,
                    "ways": list(config.ways),
                    "samples": config.samples,
                    "seed": config.seed,
                },
                versions={"experiment": self.version, "learner": LiblinearClassifier.version},
                dtype=dtype,
                threads=selection.threads,
                label=f"{config.rows} x {config.columns} {dtype}",
                expected_s=5 + 8.0 * (config.samples + 1) * ("binding" in config.ways),
            )
            for dtype in config.dtypes
        ]

    def measure(self, cell: Cell) -> list[Point]:
        """Time every way in turns on the same matrix; each builds its problem afresh."""
        p = cell.parameters
        X = uniform_points(p["rows"], p["columns"], p["seed"]).astype(cell.dtype)
        y = np.arange(p["rows"]) % 2
        ways = _ways(X, y)
        timings = interleave({name: ways[name] for name in p["ways"]}, samples=p["samples"])
        return [
            Point(
                parameters={"way": name, "rows": p["rows"], "columns": p["columns"]},
                metrics=timing.metrics("convert"),
                samples=timing.samples("convert"),
            )
            for name, timing in timings.items()
        ]

    def layout(self, config: ConversionConfig, records: Sequence[Record], selection: Selection) -> Layout:  # noqa: ARG002
        """One table: a row a dtype and way."""
        rows = [
            {
                "dtype": record.cell.dtype,
                "way": WAYS[str(point.parameters["way"])],
                "median": point.number("convert_cpu_s"),
                "low": point.number("convert_cpu_q1_s"),
                "high": point.number("convert_cpu_q3_s"),
            }
            for record in records
            for point in record.points
        ]
        table = Table(
            name="conversion",
            title=f"{self.title}, {config.rows} x {config.columns}",
            columns=[
                Column("dtype", "dtype"),
                Column("way", "way"),
                Column("median", "CPU, median", unit="s", kind="seconds"),
                Column("low", "lower quartile", unit="s", kind="seconds"),
                Column("high", "upper quartile", unit="s", kind="seconds"),
            ],
            rows=rows,
            notes=[
                f"{config.samples} samples after a warm-up, one thread. Sorting the rows by class is included in ours."
            ],
            group_by="dtype",
        )
        return Layout(tables=[table], figures=[])


def _ways(X: Any, y: Any) -> dict[str, Callable[[], object]]:
    from liblinear.liblinear import problem
    from scipy.sparse import csr_matrix

    from scrf_bench.learners.liblinear_api import linear_problem
    from scrf_bench.learners.nodes import node_rows

    def own() -> object:
        order = np.argsort(y, kind="stable")
        return linear_problem(node_rows(X, 1.0).ordered(order), y[order])

    return {
        "own": own,
        "csr": lambda: problem(y.astype(float), csr_matrix(X), 1.0),
        "binding": lambda: problem(y.astype(float), X, 1.0),
    }
