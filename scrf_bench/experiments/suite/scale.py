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
from scrf_bench.experiments.matrices import DENSE, REFERENCE, matrix_limit, parts_within, rows_to_fit_on
from scrf_bench.experiments.scrf.expansion import EMBEDDING
from scrf_bench.experiments.suite.scale_layout import TITLE, scale_layout
from scrf_bench.experiments.suite.streaming import one_chunk, rows_on_disk, stream
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.maps import map_by_name
from scrf_bench.report import Layout


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
        Largest matrix that a map may hold; one beyond it is shown as such.
    flat_within_mib : float
        How far the memory of a stream may grow from the fewest rows to the most and still be called flat.
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
    flat_within_mib: float = 4.0

    def limit(self, name: str, D: int) -> str | None:
        """Say why a map is not tried at D columns: its matrix is larger than declared; None if it is not."""
        return matrix_limit(name, d=self.d, D=D, dtype=self.dtype, limit_gb=self.matrix_limit_gb)


class Scale(Experiment[ScaleConfig]):
    """Rows per second and memory of a stream from the disk; time against D."""

    name = "fig-scale"
    title = TITLE
    paper = "suite"
    version = 1
    options = ("maps",)
    config_type = ScaleConfig

    def plan(self, config: ScaleConfig, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """One timing cell a map and number of rows; one a map over every D that the matrix limit allows."""
        for name in selection.maps or ():
            # Peers and learners stop here: no file streams through them.
            map_by_name(name)
        streamed = selected_maps(config.stream_maps, selection)
        wide = selected_maps(config.maps, selection)
        cells = [_stream_cell(config, name, rows, selection) for rows in config.stream_rows for name in streamed]
        cells += [
            _components_cell(config, name, D, selection, limit)
            for name in wide
            for D, limit in parts_within(config.components, partial(config.limit, name))
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
        declared_limit=config.limit(name, config.stream_components),
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
    drawn = draw_map(name, n_components=D, gamma=1.0 / p["d"], embedding=p["embedding"], seed=p["seed"])
    return drawn.fit(rows_to_fit_on(name, X, D, p["seed"]))
