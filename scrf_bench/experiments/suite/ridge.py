"""What ridge regression on random features costs: ten penalties against one, and memory against D and rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from scrf_bench.bench import Cell, Point, Record, interleave
from scrf_bench.experiments.base import Experiment, Selection
from scrf_bench.experiments.map_cells import (
    draw_map,
    method_label,
    thread_words,
    timed_versions,
    uniform_points,
)
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.learners import FeatureRidgeRegressor, gram_bytes
from scrf_bench.report import NOT_APPLICABLE, Column, Layout, Table


@dataclass(frozen=True)
class Size:
    """One problem: columns of the map, rows, and samples of each time."""

    D: int
    rows: int
    samples: int = 5


@dataclass(frozen=True)
class RidgeConfig:
    """Keys of ``configs/ridge.toml``.

    Attributes
    ----------
    d, targets : int
        Input dimension, and columns of targets (classes of a multi-class ridge).
    map : str
        Whose features; another would take as long but for the projection.
    log2_alphas : tuple of float
        Base-2 logarithms of the penalties; one is the first of them alone.
    sizes : tuple of Size
    seed : int
    """

    d: int
    targets: int
    map: str
    log2_alphas: tuple[float, ...]
    sizes: tuple[Size, ...]
    seed: int


class Ridge(Experiment[RidgeConfig]):
    """CPU time of one and of many penalties on one split, and the memory of the whole process."""

    name = "ridge"
    title = "Ridge on random features: many penalties, and memory"
    paper = "suite"
    version = 1
    options = ()
    config_type = RidgeConfig

    def plan(self, config: RidgeConfig, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """One timing cell a size: its process holds nothing else, so that its memory is the method's."""
        return [
            Cell(
                experiment=self.name,
                kind="timing",
                parameters={
                    "map": config.map,
                    "d": config.d,
                    "D": size.D,
                    "rows": size.rows,
                    "targets": config.targets,
                    "log2_alphas": list(config.log2_alphas),
                    "samples": size.samples,
                    "seed": config.seed,
                },
                versions={
                    "experiment": self.version,
                    "learner": FeatureRidgeRegressor.version,
                    **timed_versions(config.map),
                },
                dtype="float32",
                threads=selection.threads,
                label=f"{method_label(config.map)} D {size.D} rows {size.rows}",
                expected_s=3.0 + 2 * size.samples * (size.rows + 2 * size.D) * size.D**2 / 2.5e10,
            )
            for size in config.sizes
        ]

    def measure(self, cell: Cell) -> list[Point]:
        """Time one penalty and all of them in turns, from rows to weights."""
        p = cell.parameters
        X = uniform_points(p["rows"], p["d"], p["seed"]).astype(cell.dtype)
        Y = np.random.default_rng([p["seed"], 1]).standard_normal((p["rows"], p["targets"]))
        alphas = [2.0**value for value in p["log2_alphas"]]
        feature_map = draw_map(p["map"], n_components=p["D"], gamma=1.0 / p["d"], embedding="phase", seed=p["seed"])
        # Loading compiled loops is not the method's time.
        feature_map.fit(X[:2]).transform(X[:2].astype(np.float64))
        path = _Path(FeatureRidgeRegressor(feature_map), X, Y, alphas)
        tasks = {"one": partial(path, 1), "all": partial(path, len(alphas))}
        # A single sample is of a problem too long to be called for anything but that.
        rehearsed: dict[str, Any] = {"warmup": 0, "min_time_s": 0.0} if p["samples"] == 1 else {}
        timings = interleave(tasks, samples=p["samples"], **rehearsed)
        return [
            Point(
                parameters={key: p[key] for key in ("map", "d", "D", "rows", "targets")} | {"alphas": len(alphas)},
                metrics={
                    "one_cpu_s": timings["one"].cpu_median,
                    "all_cpu_s": timings["all"].cpu_median,
                    "all_over_one": float(np.median(timings["all"].ratios_to(timings["one"]))),
                    "sums_cpu_s": path.last["gram_cpu_s"],
                    "rows_bytes": int(X.nbytes + Y.nbytes),
                    "declared_bytes": gram_bytes(p["D"], p["targets"]),
                    "features_bytes": X.itemsize * p["rows"] * p["D"],
                    "solver": path.solver,
                },
                samples=timings["one"].samples("one") | timings["all"].samples("all"),
            )
        ]

    def layout(self, config: RidgeConfig, records: Sequence[Record], selection: Selection) -> Layout:
        """One table: a row a size."""
        found = {(int(p.number("D")), int(p.number("rows"))): (record, p) for record in records for p in record.points}
        rows = [_row(size, *found.get((size.D, size.rows), (None, None))) for size in config.sizes]
        return Layout(tables=[_table(config, rows, selection)], figures=[])


class _Path:
    """Fit the first penalties of a list on one problem, again and again."""

    def __init__(self, ridge: FeatureRidgeRegressor, X: Any, Y: Any, alphas: Sequence[float]) -> None:
        self._ridge, self._X, self._Y, self._alphas = ridge, X, Y, alphas
        self.last: dict[str, float] = {}
        self.solver = ""

    def __call__(self, penalties: int) -> None:
        learners = self._ridge.fit_path(self._X, self._Y, self._alphas[:penalties])
        self.last, self.solver = learners[0].stopwatch_, learners[0].solver_


def _row(size: Size, record: Record | None, point: Point | None) -> dict[str, object]:
    row: dict[str, object] = {"D": size.D, "rows": size.rows, "rows_per_D": size.rows / size.D}
    if record is None or point is None:
        return row
    return row | {
        "samples": len(point.samples["one_cpu_s"]),
        "sums": point.number("sums_cpu_s"),
        "one": point.number("one_cpu_s"),
        "all": point.number("all_cpu_s"),
        "ratio": point.number("all_over_one"),
        "features": point.number("features_bytes"),
        "given": point.number("rows_bytes"),
        "declared": point.number("declared_bytes"),
        "peak": record.peak_rss or NOT_APPLICABLE,
    }


def _table(config: RidgeConfig, rows: list[dict[str, object]], selection: Selection) -> Table:
    low, high, number = config.log2_alphas[0], config.log2_alphas[-1], len(config.log2_alphas)
    return Table(
        name="ridge",
        title=f"{Ridge.title}, {method_label(config.map)}, d = {config.d:,}, {config.targets} targets",
        columns=[
            Column("D", "D", kind="int"),
            Column("rows", "rows l", kind="int"),
            Column("rows_per_D", "l / D", kind="float", digits=1),
            Column("samples", "samples", kind="int"),
            Column("sums", "features and sums", unit="s", kind="seconds"),
            Column("one", "one α", unit="s", kind="seconds"),
            Column("all", f"{number} α", unit="s", kind="seconds"),
            Column("ratio", f"{number} α / one", kind="ratio"),
            Column("given", "rows and targets", kind="bytes"),
            Column("features", "all features (never held)", kind="bytes"),
            Column("declared", "room for sums", kind="bytes"),
            Column("peak", "peak of the process", kind="bytes"),
        ],
        rows=rows,
        notes=[
            (
                f"CPU seconds on {thread_words(selection.threads)}, medians, from float32 rows to weights; one: "
                f"α = 2^{low:g}; {number}: 2^{low:g} .. 2^{high:g} on the same split, one factorisation each of the "
                "same sums (float64). The ratio is the median over rounds of both in turns."
            ),
            (
                "Rows are uniform in the unit cube and targets are noise: neither changes the work. Peak: the largest "
                "resident memory of the cell's whole process, Python, libraries and the rows themselves included. "
                "Room: what the learner says beforehand that its sums take (gram_bytes)."
            ),
        ],
    )  # fmt: skip
