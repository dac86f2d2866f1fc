"""Records to compare: made up, so that what has changed between two stores is known."""

import dataclasses

import numpy as np

from scrf_bench.bench import Cell, Point, Record
from tests.bench.fake_plan import ENVIRONMENT

ELSEWHERE = dataclasses.replace(ENVIRONMENT, cpu_model="Other 1")


def record(cell, *points, environment=ENVIRONMENT, status="ok", started="2026-11-30T00:00:00.000+00:00", **changes):
    return Record(cell, environment, 1, status, points, started=started, **changes)


def quality(seed=0, *, errors=50, digest="aa", method="scrf", split="official split", version=1, **changes):
    """One map on a set of 1,000 test points."""
    cell = Cell(
        "table2",
        {"method": method, "seed": seed, "components": [64]},
        "quality",
        {"experiment": 1, "map": version},
        dataset="dna",
        label=f"dna {method} seed {seed}",
    )
    point = Point(
        {"dataset": "dna", "method": method, "seed": seed, "D": 64, "n_test": 1000, "split": split},
        {"accuracy": 1.0 - errors / 1000, "errors": errors, "predictions_sha256": digest, "train_cpu_s": 1.0},
    )
    return record(cell, *([point] if changes.get("status", "ok") == "ok" else []), **changes)


def timing(process=0, *, name="scrf", ratio=0.5, samples=21, noise=0.03, seed=0, beside="rks", version=1, **changes):
    """One process that times a map, or another package's, in turns with what it is compared with."""
    rng = np.random.default_rng([seed, process, len(name)])
    cell = Cell(
        "gate-times",
        {"map": name, "beside": [beside], "process": process},
        "timing",
        {"experiment": 1, "map": version},
        dtype="float32",
        label=f"{name}, process {process + 1}",
    )
    ours = ratio * np.exp(rng.normal(0.0, noise, samples))
    point = Point(
        {"map": name, "d": 64},
        {"kernel_rms_error": 0.0123, "map_cpu_s": float(np.median(ours))},
        {"map_cpu_s": list(ours), f"{beside}_map_cpu_s": list(np.exp(rng.normal(0.0, noise, samples)))},
    )
    return record(cell, point, **changes)


def times(processes=3, **changes):
    return [timing(process, **changes) for process in range(processes)]
