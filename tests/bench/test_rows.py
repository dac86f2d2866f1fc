"""Flat rows: one a measured point, with all columns in a fixed order."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from scrf_bench.bench import Point, records_rows, write_rows
from tests.bench.fake_plan import ENVIRONMENT, make_cell, make_record

GRID = make_cell("ok", 0, parameters={"D": [8, 16], "dataset": "dna"}, dataset="dna")
POINTS = (Point({"D": 8}, {"accuracy": 0.5}), Point({"D": 16}, {"accuracy": 0.75, "solver": "hinge, L2"}))
RECORDS = [
    make_record(GRID, points=POINTS, peak_rss=100),
    make_record(make_cell("ok", 1, parameters={"D": [8], "status": "x"}), status="failed", error='says "no"\nand more'),
]


def test_rows() -> None:
    """Parameters and metrics stand side by side; a failed cell has one row and its error."""
    rows = records_rows(RECORDS)
    assert len(rows) == 3
    columns = "id experiment status dataset kind dtype act number D status_ accuracy solver"
    assert {tuple(row) for row in rows} == {(*columns.split(), "attempt", "environment", "peak_rss", "error")}
    assert rows[1] == {
        "id": GRID.id,
        "experiment": "fake",
        "status": "ok",
        "dataset": "dna",
        "kind": "quality",
        "dtype": "float64",
        "act": "ok",
        "number": 0,
        "D": 16,
        "status_": None,
        "accuracy": 0.75,
        "solver": "hinge, L2",
        "attempt": 1,
        "environment": ENVIRONMENT.id,
        "peak_rss": 100,
        "error": None,
    }
    assert (rows[2]["status"], rows[2]["status_"], rows[2]["D"], rows[2]["accuracy"]) == (
        "failed",
        "x",
        "[8]",
        None,
    )
    assert rows[2]["error"] == RECORDS[1].error
    assert records_rows([]) == []


def test_csv_reads_back(tmp_path: Path) -> None:
    """pandas reads the file as it was written: commas, quotes and line ends in text included."""
    rows = records_rows(RECORDS)
    path = tmp_path / "records.csv"
    write_rows(path, rows)
    frame = pd.read_csv(path)
    assert list(frame.columns) == list(rows[0])
    assert frame["accuracy"].tolist()[:2] == [0.5, 0.75]
    assert frame["solver"][1] == "hinge, L2"
    assert frame["error"][2] == RECORDS[1].error
    assert frame["error"].isna().tolist() == [True, True, False]
    write_rows(path, [])
    assert path.read_text() == ""
