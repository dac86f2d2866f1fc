"""Table 2: the datasets as they are used, from the files that were loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.datasets import Dataset, load, registry
from scrf_bench.experiments.base import DatasetUse, Experiment, Selection
from scrf_bench.experiments.crhs.cells import SpaceDataset
from scrf_bench.experiments.map_cells import known_dataset
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.report import NOT_APPLICABLE, Column, Layout, NotMeasured, Table

_PAIRS = 2000


@dataclass(frozen=True)
class Table2Config:
    """Keys of ``configs/crhs-table2.toml``: the sets of ``configs/crhs-table3.toml``."""

    datasets: tuple[SpaceDataset, ...]


class Table2(Experiment[Table2Config]):
    """Characteristics of the datasets."""

    name = "crhs-table2"
    title = "CRHS Table 2: the datasets as used"
    paper = "crhs"
    version = 1
    options = ("datasets",)
    config_type = Table2Config
    shows_unavailable = True

    def dataset_uses(self, config: Table2Config, selection: Selection) -> list[DatasetUse]:
        """The profile's sets, or those that ``--datasets`` names among them."""
        return [DatasetUse(entry.name) for entry in self._entries(config, selection)]

    def plan(self, config: Table2Config, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """One cell a set: its first split, loaded and scaled as the learners get it."""
        return [
            Cell(
                experiment=self.name,
                kind="quality",
                parameters={"scaling": entry.scaling, "split_seed": 0},
                versions={"experiment": self.version},
                dataset=entry.name,
                dataset_identity=registry()[entry.name].identity,
                threads=selection.threads,
                label=entry.name,
                expected_s=2.0 + 2e-8 * registry()[entry.name].n_train * registry()[entry.name].n_features,
            )
            for entry in self._entries(config, selection)
        ]

    def measure(self, cell: Cell) -> list[Point]:
        """Count what a set holds."""
        p = cell.parameters
        data = load(str(cell.dataset), scaling=p["scaling"], split_seed=p["split_seed"])
        return [Point(parameters={"dataset": data.name, "task": data.task}, metrics=_counted(data))]

    def layout(self, config: Table2Config, records: Sequence[Record], selection: Selection) -> Layout:
        """One row a set."""
        points = {str(p.parameters["dataset"]): p for record in records for p in record.points}
        missing = {str(r.cell.dataset): r.error or "unavailable" for r in records if r.status == "unavailable"}
        rows = [_row(entry, points.get(entry.name), missing) for entry in self._entries(config, selection)]
        return Layout(tables=[_table(rows)], figures=[])

    def _entries(self, config: Table2Config, selection: Selection) -> list[SpaceDataset]:
        for name in selection.datasets or ():
            known_dataset(name, [entry.name for entry in config.datasets], self.name)
        return [e for e in config.datasets if selection.datasets is None or e.name in selection.datasets]


def _counted(data: Dataset) -> dict[str, Any]:
    n, d = data.X_train.shape
    pairs = np.random.default_rng(0).integers(n, size=(_PAIRS, 2))
    distances = np.square(data.X_train[pairs[:, 0]] - data.X_train[pairs[:, 1]]).sum(axis=1)
    metrics: dict[str, Any] = {
        "n_train": n,
        "n_test": len(data.y_test),
        "d": d,
        "zero_share": float(np.mean(data.X_train == 0.0)),
        "median_squared_distance": float(np.median(distances)),
        "split": data.split,
        "scaling": data.scaling,
        "data_identity": data.identity,
    }
    if data.task == "regression":
        return metrics | {"target_mean": float(data.y_train.mean()), "target_sd": float(data.y_train.std())}
    counts = np.bincount(data.y_train, minlength=len(data.classes))
    return metrics | {"classes": len(data.classes), "largest_class": float(counts.max() / n)}


def _row(entry: SpaceDataset, point: Point | None, missing: dict[str, str]) -> dict[str, object]:
    spec = registry()[entry.name]
    row: dict[str, object] = {
        "task": {"multiclass": "multi-class"}.get(spec.task, spec.task),
        "dataset": entry.name,
        "status": "named" if entry.status == "named" else "ours",
        "paper": None,
    }
    if point is None:
        # The first line says what cannot be had; those below it are where it was sought.
        words = missing.get(entry.name)
        return row | {"n_train": NotMeasured(words.splitlines()[0], short="unavailable") if words else None}
    m = point.metrics
    regression = spec.task == "regression"
    return row | {
        "n_train": m["n_train"],
        "n_test": m["n_test"],
        "d": m["d"],
        "classes": NOT_APPLICABLE if regression else m["classes"],
        "largest": NOT_APPLICABLE if regression else m["largest_class"],
        "target": _target(point) if regression else NOT_APPLICABLE,
        "zeros": 100.0 * point.number("zero_share"),
        "distance": m["median_squared_distance"],
        "scaling": entry.scaling,
        "split": "official" if spec.has_official_split else "random",
    }


def _target(point: Point) -> str:
    return f"{point.number('target_mean'):.4g} ± {point.number('target_sd'):.3g}"


def _table(rows: list[dict[str, object]]) -> Table:
    return Table(
        name="crhs-table2",
        title=Table2.title,
        columns=[
            Column("task", "task", align="l", kind="text"),
            Column("dataset", "dataset", align="l", kind="text"),
            Column("status", "in paper", align="l", kind="text"),
            Column("n_train", "n train", kind="int"),
            Column("n_test", "n test", kind="int"),
            Column("d", "d", kind="int"),
            Column("classes", "classes", kind="int"),
            Column("largest", "largest class", kind="percent", digits=1),
            Column("target", "target mean ± sd", kind="text", align="r"),
            Column("zeros", "zeros", unit="%", kind="float", spec=".1f"),
            Column("distance", "median squared distance", kind="ratio", spec=".3g"),
            Column("scaling", "scaling", align="l", kind="text"),
            Column("split", "split", align="l", kind="text"),
            Column("paper", "paper's n and d", kind="text"),
        ],
        rows=rows,
        notes=[
            (
                "As the learners of Figure 1 and Tables 3 to 5 get them: split and scaled, the scaling fitted on the "
                "training rows; of a random split the first one. Zeros and the median squared distance (over "
                f"{_PAIRS:,} random pairs) are of the scaled training rows; 1 over it is a usual first gamma."
            ),
            "Named: by the paper's text; its own table is not recoverable, so the other sets are ours: n/a.",
        ],
        group_by="task",
    )
