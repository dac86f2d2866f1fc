"""Timing of one map at one size, interleaved in its process with RKS: shared by Table 1 and Figure 2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scrf_bench.bench import Cell, Point, interleave
from scrf_bench.experiments.map_cells import (
    METHOD_LABELS,
    draw_map,
    map_version,
    method_label,
    uniform_points,
)

REFERENCE = "rks"
PEERS = ("rbfsampler",)

Task = Callable[[], object]


def expansion_cell(
    experiment: str,
    version: int,
    name: str,
    *,
    d: int,
    D: int,
    rows: int,
    dtype: str,
    samples: int,
    seed: int,
    threads: int,
    with_reference: bool = True,
    declared_limit: str | None = None,
) -> Cell:
    """Plan the timing of one map at input width `d` and `D` columns on `rows` points of U[0,1]^d.

    gamma is 1/d, which keeps ||x - y||/sigma of the order of one at every d; the paper does not state its own.
    """
    with_reference = with_reference and name != REFERENCE
    versions = {"experiment": version, "map": 1 if name in PEERS else map_version(name)}
    if with_reference:
        versions["reference"] = map_version(REFERENCE)
    return Cell(
        experiment=experiment,
        kind="timing",
        parameters={
            "map": name,
            "d": d,
            "D": D,
            "rows": rows,
            "gamma": 1.0 / d,
            "embedding": "phase",
            "samples": samples,
            "seed": seed,
            "reference": REFERENCE if with_reference else "",
        },
        versions=versions,
        dtype=dtype,
        threads=threads,
        label=f"{method_label(name)} d={d} D={D} {dtype}",
        expected_s=3.0 + (samples + 1) * _guess_s(name, d, D, rows, with_reference=with_reference),
        declared_limit=declared_limit,
    )


def measure_expansion(cell: Cell) -> list[Point]:
    """Time draw, project, cosine and the whole map, CPU and wall, A b A b against RKS in the same process."""
    p = cell.parameters
    X = uniform_points(p["rows"], p["d"], p["seed"]).astype(cell.dtype)
    out = np.empty((p["rows"], p["D"]), dtype=cell.dtype)
    tasks, held = _tasks(p["map"], p, X, out)
    if p["reference"]:
        reference, held_by_reference = _tasks(p["reference"], p, X, out)
        compared = _compared(tasks)
        tasks[f"reference_{compared}"] = reference[compared]
        held |= {f"reference_{name}": value for name, value in held_by_reference.items()}
    timings = interleave(tasks, samples=p["samples"])
    metrics: dict[str, Any] = dict(held)
    samples: dict[str, list[float]] = {}
    for name, timing in timings.items():
        metrics[f"{name}_cpu_s"] = timing.cpu_median
        metrics[f"{name}_wall_s"] = timing.wall_median
        samples[f"{name}_cpu_s"] = list(timing.cpu_s)
        samples[f"{name}_wall_s"] = list(timing.wall_s)
    if p["reference"]:
        metrics["speedup"] = timings[f"reference_{compared}"].cpu_median / timings[compared].cpu_median
    return [Point(parameters={k: p[k] for k in ("map", "d", "D", "rows")}, metrics=metrics, samples=samples)]


def _tasks(name: str, p: Any, X: np.ndarray, out: np.ndarray) -> tuple[dict[str, Task], dict[str, int | str]]:
    """Return what to time of a map, and what the fitted map holds."""
    if name in PEERS:
        return _peer_tasks(name, p, X)
    feature_map = draw_map(name, n_components=p["D"], gamma=p["gamma"], embedding=p["embedding"], seed=p["seed"]).fit(X)
    projected = np.empty((len(X), feature_map.n_frequencies_), dtype=X.dtype)

    def draw() -> object:
        return draw_map(name, n_components=p["D"], gamma=p["gamma"], embedding=p["embedding"], seed=p["seed"]).fit(X)

    tasks: dict[str, Task] = {
        "draw": draw,
        "project": lambda: feature_map.project(X, out=projected),
        "cosine": lambda: feature_map.featurize(projected, out=out),
        "map": lambda: feature_map.transform(X, out=out),
        "map_fresh": lambda: feature_map.transform(X),
    }
    feature_map.transform(X, out=out)
    return tasks, {
        "parameters": int(feature_map.n_parameters_),
        "held_bytes": int(feature_map.nbytes_),
        "algorithm": feature_map.algorithm_,
    }


def _peer_tasks(name: str, p: Any, X: np.ndarray) -> tuple[dict[str, Task], dict[str, int | str]]:
    from sklearn.kernel_approximation import RBFSampler

    def draw() -> RBFSampler:
        return RBFSampler(gamma=p["gamma"], n_components=p["D"], random_state=p["seed"]).fit(X)

    sampler = draw()
    held = sampler.random_weights_.nbytes + sampler.random_offset_.nbytes
    tasks: dict[str, Task] = {"draw": draw, "map_fresh": lambda: sampler.transform(X)}
    return tasks, {
        "parameters": int(sampler.random_weights_.size + sampler.random_offset_.size),
        "held_bytes": int(held),
        "algorithm": f"scikit-learn {METHOD_LABELS[name]}",
    }


def _compared(tasks: dict[str, Task]) -> str:
    """Name the task to compare with RKS: into a reused output where the map can, else into a fresh one, for both."""
    return "map" if "map" in tasks else "map_fresh"


def _guess_s(name: str, d: int, D: int, rows: int, *, with_reference: bool) -> float:
    """Guess one sample's seconds, for the time left on the progress bar only."""
    dense = 3 * rows * D * (d * 6e-11 + 1.5e-8)
    fast = 3 * rows * D * 3e-8
    own = dense if name in (REFERENCE, *PEERS) else fast
    return own + (dense * 2 / 3 if with_reference else 0.0)
