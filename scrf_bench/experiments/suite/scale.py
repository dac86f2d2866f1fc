"""Maps at scale: rows that stream from the disk in flat memory, and time that is linear in the number of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from scrf_bench.bench import Cell, Point, Record, interleave
from scrf_bench.experiments.base import Experiment, Selection
from scrf_bench.experiments.map_cells import (
    Dtype,
    draw_map,
    method_label,
    selected_maps,
    thread_words,
    timed_versions,
    uniform_points,
)
from scrf_bench.experiments.scrf.expansion import DENSE, EMBEDDING, REFERENCE
from scrf_bench.experiments.suite.scale_layout import TITLE, scale_layout
from scrf_bench.experiments.suite.streaming import one_chunk, rows_on_disk, stream
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.report import Layout

BYTES_PER_GB = 10**9


@dataclass(frozen=True)
class ScaleConfig:
    """Keys of ``configs/fig-scale.toml``.

    Attributes
    ----------
    d : int
        Input width of both parts.
    dtype : str
        float32 or float64, of both parts.
    seed : int
        Of points and maps.
    stream_maps, stream_rows, stream_components, stream_chunk, stream_samples
        First part: the maps, the numbers of rows, the number of columns D, rows a chunk, and how often a chunk in
        memory is timed beside RKS.
    maps, rows, components, samples
        Second part: the maps, the number of rows, the numbers of columns D, and samples.
    fit_from : int
        Smallest D of the fit of the exponent.
    matrix_limit_gb : float
        Largest dense matrix that is tried; a dense map beyond it is shown as such.
    """

    d: int
    dtype: Dtype
    seed: int
    stream_maps: tuple[str, ...]
    stream_rows: tuple[int, ...]
    stream_components: int
    stream_chunk: int
    stream_samples: int
    maps: tuple[str, ...]
    rows: int
    components: tuple[int, ...]
    samples: int
    fit_from: int
    matrix_limit_gb: float

    def limit(self, name: str, D: int) -> str | None:
        """Say why a map is not tried at D columns: its dense matrix is larger than declared; None if it is not."""
        needed = D * self.d * np.dtype(self.dtype).itemsize / BYTES_PER_GB
        if name not in DENSE or needed <= self.matrix_limit_gb:
            return None
        return (
            f"The dense {D} x {self.d} matrix of {needed:.2f} GB exceeds the limit of {self.matrix_limit_gb:g} GB that "
            "the config declares (matrix_limit_gb)."
        )


class Scale(Experiment[ScaleConfig]):
    """Rows per second and memory of a stream from the disk; time against D."""

    name = "fig-scale"
    title = TITLE
    paper = "suite"
    version = 1
    config_type = ScaleConfig

    def plan(self, config: ScaleConfig, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """One timing cell a map and number of rows; one a map over every D that the matrix limit allows."""
        streamed = selected_maps(config.stream_maps, selection)
        wide = selected_maps(config.maps, selection)
        cells = [_stream_cell(config, name, rows, selection) for rows in config.stream_rows for name in streamed]
        for name in wide:
            allowed = [D for D in config.components if config.limit(name, D) is None]
            if allowed:
                cells.append(_components_cell(config, name, allowed, selection))
            cells += [
                _components_cell(config, name, [D], selection, config.limit(name, D))
                for D in config.components
                if D not in allowed
            ]
        return cells

    def measure(self, cell: Cell) -> list[Point]:
        """Stream once through one map, or time one map at every D."""
        return _measure_stream(cell) if cell.parameters["part"] == "stream" else _measure_components(cell)

    def layout(self, config: ScaleConfig, records: Sequence[Record], selection: Selection) -> Layout:
        """Two tables, and one figure of three panels."""
        streamed = selected_maps(config.stream_maps, selection)
        wide = selected_maps(config.maps, selection)
        return scale_layout(config, streamed, wide, records, thread_words(selection.threads))


def _cell(config: ScaleConfig, name: str, part: str, parameters: dict[str, Any], **fields: Any) -> Cell:
    beside = [] if name == REFERENCE or part == "components" else [REFERENCE]
    versions = {"experiment": Scale.version, **timed_versions(name)}
    for other in beside:
        versions |= timed_versions(other, other)
    common = {"part": part, "map": name, "d": config.d, "seed": config.seed, "embedding": EMBEDDING, "beside": beside}
    return Cell(
        experiment=Scale.name,
        kind="timing",
        parameters=common | parameters,
        versions=versions,
        dtype=config.dtype,
        **fields,
    )


def _stream_cell(config: ScaleConfig, name: str, rows: int, selection: Selection) -> Cell:
    values = rows * config.stream_components
    per_value = (config.d * 2.3e-11 if name in DENSE else 0.0) + 1e-9
    return _cell(
        config,
        name,
        "stream",
        {
            "rows": rows,
            "D": config.stream_components,
            "chunk": min(config.stream_chunk, rows),
            "samples": config.stream_samples,
        },
        threads=selection.threads,
        label=f"{method_label(name)} {rows:,d} rows from disk",
        expected_s=4.0 + rows * config.d * 1.5e-8 + values * per_value,
    )


def _components_cell(
    config: ScaleConfig, name: str, components: Sequence[int], selection: Selection, limit: str | None = None
) -> Cell:
    values = config.rows * sum(components)
    per_value = (config.d * 2.3e-11 if name in DENSE else 0.0) + 1e-9
    return _cell(
        config,
        name,
        "components",
        {"rows": config.rows, "D": list(components), "samples": config.samples},
        threads=selection.threads,
        label=f"{method_label(name)} D up to {max(components):,d}",
        expected_s=4.0 + values * per_value * (config.samples + 2),
        declared_limit=limit,
    )


def _measure_stream(cell: Cell) -> list[Point]:
    """Stream once through the map; then time one chunk in memory in turns with RKS, for a ratio."""
    p = cell.parameters
    sample = one_chunk(p["chunk"], p["d"], cell.dtype, p["seed"])
    feature_map = _fitted(p["map"], p, p["D"], sample)
    with rows_on_disk(p["rows"], p["d"], cell.dtype, p["seed"], p["chunk"]) as X:
        metrics, samples = stream(feature_map, X, p["chunk"])
    metrics |= {"held_bytes": int(feature_map.nbytes_), "algorithm": str(feature_map.algorithm_)}
    out = np.zeros((len(sample), p["D"]), cell.dtype)
    tasks = {"chunk": partial(feature_map.transform, sample, out=out)}
    for other in p["beside"]:
        reference = _fitted(other, p, p["D"], sample)
        tasks[f"{other}_chunk"] = partial(reference.transform, sample, out=out)
    for task, timing in interleave(tasks, samples=p["samples"]).items():
        metrics[f"{task}_cpu_s"] = timing.cpu_median
        samples |= timing.samples(task)
    return [Point({"map": p["map"], "rows": p["rows"], "d": p["d"], "D": p["D"]}, metrics, samples)]


def _measure_components(cell: Cell) -> list[Point]:
    """Time the map on the same rows at every D, each into its own output."""
    p = cell.parameters
    X = uniform_points(p["rows"], p["d"], p["seed"]).astype(cell.dtype)
    points = []
    for D in p["D"]:
        feature_map = _fitted(p["map"], p, D, X)
        out = np.zeros((len(X), D), cell.dtype)
        timing = interleave(
            {"map": partial(feature_map.transform, X, out=out)},
            samples=p["samples"],
        )["map"]
        metrics = timing.metrics("map") | {"held_bytes": int(feature_map.nbytes_)}
        where = {"map": p["map"], "rows": p["rows"], "d": p["d"], "D": D}
        points.append(Point(where, metrics | {"algorithm": str(feature_map.algorithm_)}, timing.samples("map")))
        del feature_map, out
    return points


def _fitted(name: str, p: Mapping[str, Any], D: int, X: np.ndarray) -> Any:
    return draw_map(name, n_components=D, gamma=1.0 / p["d"], embedding=p["embedding"], seed=p["seed"]).fit(X)
