"""Cells: what their identity is made of, and what a cell file must be."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrf_bench.bench import Cell
from scrf_bench.bench.canonical import canonical_json
from scrf_bench.errors import DataError, UserError

CELL = Cell(
    "table2",
    {"map": "scrf", "D": [512, 1024], "gamma": 0.25, "seed": 3, "padded": True, "note": None},
    "quality",
    {"experiment": 1, "scrf": 2},
    dataset="dna",
    dataset_identity="00ff",
)


def test_golden_identities() -> None:
    """Records committed to the repository are found by these ids: they must never change."""
    assert CELL.id == "88520bcbf64937ae"
    assert Cell("fig2", {"d": 64}, "timing", {"experiment": 1}, dtype="float32", threads=2).id == "8d4f73a8f7f8584b"


@pytest.mark.parametrize(
    "change",
    [
        {"experiment": "fig3"},
        {"parameters": {**CELL.parameters, "seed": 4}},
        {"parameters": {**CELL.parameters, "D": [1024, 512]}},
        {"kind": "timing"},
        {"versions": {"experiment": 1, "scrf": 3}},
        {"dataset": "splice"},
        {"dataset_identity": "00fe"},
        {"dtype": "float32"},
        {"threads": 2},
    ],
    ids=str,
)
def test_what_is_measured_is_identity(change: dict[str, Any]) -> None:
    """Each field that can change a result changes the id."""
    other = dataclasses.replace(CELL, **change)
    assert other.id != CELL.id
    assert other != CELL


def test_how_it_is_run_is_not_identity() -> None:
    """Labels, expectations and limits may be reworded without a record being lost."""
    other = dataclasses.replace(
        CELL, label="x", expected_s=1.0, timeout_s=5.0, memory_limit=10, declared_limit="too large"
    )
    assert other.id == CELL.id
    assert other == CELL
    assert hash(other) == hash(CELL)


def test_numpy_scalars_and_tuples_are_plain_ones() -> None:
    """A plan computed with NumPy names the same cells as one written by hand."""
    a = Cell("e", {"D": (np.int64(4), 8), "gamma": np.float64(0.5), "s": np.str_("x")}, "quality", {})
    b = Cell("e", {"D": [4, 8], "gamma": 0.5, "s": "x"}, "quality", {})
    assert a.id == b.id
    assert a.parameters == b.parameters


def test_the_callers_dictionaries_are_copied() -> None:
    """Editing the dictionaries a cell was made from leaves the cell as it is."""
    parameters, versions = {"D": 4}, {"map": 1}
    cell = Cell("e", parameters, "quality", versions)
    parameters["D"], versions["map"] = 8, 2
    assert (cell.parameters, cell.versions) == ({"D": 4}, {"map": 1})


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()


@given(st.dictionaries(st.text(), scalars | st.lists(scalars)))
def test_cell_files_round_trip_and_order_is_nothing(parameters: dict[str, Any]) -> None:
    """Any parameters survive JSON text with the same id, in whatever order they were given."""
    cell = Cell("e", parameters, "quality", {"b": 1, "a": 2})
    again = Cell.from_json(json.loads(json.dumps(cell.to_json())))
    assert again == cell
    backwards: dict[str, Any] = dict(reversed(parameters.items()))
    assert Cell("e", backwards, "quality", {"a": 2, "b": 1}).id == again.id == cell.id


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"experiment": "a b"}, "cannot name an experiment"),
        ({"kind": "speed"}, "quality, timing"),
        ({"threads": 0}, "at least one thread"),
        ({"expected_s": 0.0}, "above 0 s"),
        ({"parameters": {"gamma": float("nan")}}, "'gamma' is nan"),
        ({"parameters": {"D": [1, float("inf")]}}, r"'D'\[1\] is inf"),
        ({"parameters": {"X": {"a": 1}}}, "'X' is a dict"),
        ({"versions": {"map": "1"}}, "version of 'map'"),
    ],
)
def test_senseless_fields_are_refused(change: dict[str, Any], words: str) -> None:
    """The error names the field's value."""
    with pytest.raises((TypeError, ValueError), match=words):
        dataclasses.replace(CELL, **change)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not valid JSON"),
        ('{"kind_of_file": "cell", "sche', "may be truncated"),
        ("[1, 2]", "a list where an object"),
        ("{}", "not a scrf-bench cell file"),
        ('{"kind_of_file": "record", "schema": 1}', "not a scrf-bench cell file"),
        ('{"kind_of_file": "cell", "schema": 99}', "has schema 99"),
        ('{"kind_of_file": "cell", "schema": 1}', "'experiment' is missing"),
    ],
)
def test_malformed_and_foreign_files(tmp_path: Path, text: str, words: str) -> None:
    """A file that is no cell's gives one error that names the file and the reason."""
    path = tmp_path / "strange.json"
    path.write_text(text)
    with pytest.raises(UserError, match=words) as caught:
        Cell.read(path)
    assert "strange.json" in str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    """So does a file that is not there."""
    with pytest.raises(UserError, match=r"nowhere\.json"):
        Cell.read(tmp_path / "nowhere.json")


def test_edited_cells_are_refused() -> None:
    """A cell whose parameters were changed in the file no longer has its id."""
    data = {**CELL.to_json(), "threads": 4}
    with pytest.raises(DataError, match="edited by hand"):
        Cell.from_json(data, "c.json", DataError)
    with pytest.raises(UserError, match="is true, and must be a whole number"):
        Cell.from_json({**CELL.to_json(), "threads": True})


def test_names() -> None:
    """Without a label, a cell is called by its experiment, dataset and scalar parameters."""
    assert Cell("e", {"map": "rks", "D": [1]}, "quality", {}, dataset="dna").name == "e dna map=rks"
    assert Cell("e", {}, "quality", {}, label="nice").name == "nice"


def test_canonical_json_spelling() -> None:
    """Sorted keys, no spaces, ASCII, shortest floats; no NaN."""
    assert canonical_json({"b": 0.1, "a": [1, None, True], "ä": "é"}) == (
        '{"a":[1,null,true],"b":0.1,"\\u00e4":"\\u00e9"}'
    )
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(float("nan"))
