"""Cells, environments and records to test with; nothing here measures anything."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from scrf_bench.bench import Cell, Environment, Point, Record, RunOptions

ROOT = Path(__file__).resolve().parents[2]
FAKE_CELL = Path(__file__).with_name("fake_cell.py")
TRACES = "FAKE_CELL_TRACES"

ENVIRONMENT = Environment(
    cpu_model="Imaginary 9000",
    machine="x86_64",
    physical_cores=4,
    logical_cores=8,
    governor="performance",
    memory_total=2**34,
    os="Linux 6.1",
    libc="glibc 2.36",
    python="CPython 3.11.7",
    packages={
        "numpy": "2.4.6",
        "scipy": "1.17.1",
        "scikit-learn": "1.9.1",
        "numba": "0.68.1",
        "libsvm-official": "3.37.0",
        "liblinear-official": None,
        "pandas": "3.0.0",
        "matplotlib": "3.11.2",
    },
    blas="openblas 0.3.31 SkylakeX",
    threads=1,
    package_version="0.1.0",
    commit="abc",
    dirty=False,
)


def make_cell(act: str = "ok", number: int = 0, **changes: Any) -> Cell:
    """A cell that `fake_cell.py` plays: `act` says what happens in it."""
    parameters = {"act": act, "number": number, **changes.pop("parameters", {})}
    settings: dict[str, Any] = {
        "kind": "quality",
        "versions": {"fake": 1},
        "label": f"{act} {number}",
        **changes,
    }
    return Cell("fake", parameters, **settings)


def make_record(cell: Cell, **changes: Any) -> Record:
    """An ``ok`` record with one point, but for the changes."""
    settings: dict[str, Any] = {
        "environment": ENVIRONMENT,
        "attempt": 1,
        "status": "ok",
        "points": (Point({"D": 8}, {"accuracy": 0.5}, {"map_cpu_s": [0.25, 0.5]}),),
        "started": "2026-01-01T00:00:00.000+00:00",
        **changes,
    }
    if settings["status"] != "ok" and "points" not in changes:
        settings["points"] = ()
    return Record(cell, **settings)


def make_options(folder: Path, **changes: Any) -> RunOptions:
    """Options that start `fake_cell.py`, with its traces and the machine's lock in `folder`."""
    traces = folder / "traces"
    traces.mkdir(parents=True, exist_ok=True)
    settings: dict[str, Any] = {
        "command": (sys.executable, str(FAKE_CELL)),
        "environ": {TRACES: str(traces)},
        "machine_lock": folder / "machine.lock",
        **changes,
    }
    return RunOptions(**settings)


def starts(folder: Path) -> list[str]:
    """The ids of the cells that `fake_cell.py` began to measure, once for each time."""
    return sorted(path.name.partition("-")[0] for path in (folder / "traces").glob("*.start"))


def traced_pids(folder: Path) -> list[int]:
    """The process numbers of all fake cells that began."""
    return [int(path.stem.partition("-")[2]) for path in (folder / "traces").glob("*.start")]
