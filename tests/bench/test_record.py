"""Points and records: what may be in them, and what a record file must be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrf_bench.bench import Point, Record
from scrf_bench.errors import DataError
from tests.bench.fake_plan import make_cell, make_record


def test_record_files_round_trip() -> None:
    """A record read back from JSON text equals the one written, in every field."""
    record = make_record(
        make_cell(dataset="dna", memory_limit=5, declared_limit="too much"),
        status="memory",
        error="too much",
        traceback="trace",
        peak_rss=7,
        wall_s=1.5,
        cpu_s=1,
        declared=True,
        attempt=3,
    )
    for each in (record, make_record(make_cell())):
        again = Record.from_json(json.loads(json.dumps(each.to_json())))
        assert again == each
        assert again.cell.declared_limit == each.cell.declared_limit
        assert again.name == each.name == f"{each.cell.id}-{each.environment.id}-{each.attempt}"


def test_numpy_values_in_points_become_plain() -> None:
    """What NumPy computes can be put into a point as it is."""
    metrics: dict[str, Any] = {"accuracy": np.float32(0.5), "n": np.int32(3), "solver": "hinge", "none": None}
    samples: dict[str, Any] = {"s": np.array([0.5, 1.5])}
    point = Point({"D": np.int64(8)}, metrics, samples)  # type: ignore[dict-item]
    text = json.dumps(point.to_json())
    assert Point.from_json(json.loads(text)) == point
    assert point.metrics == {"accuracy": 0.5, "n": 3, "solver": "hinge", "none": None}
    assert point.samples == {"s": [0.5, 1.5]}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (({}, {"accuracy": float("nan")}), "'accuracy' is nan"),
        (({}, {"accuracy": np.float32("inf")}), "'accuracy' is inf"),
        (({"D": float("-inf")},), "'D' is -inf"),
        (({}, {}, {"t": [0.5, float("nan")]}), "Sample 1 of 't' is nan"),
        (({}, {}, {"t": [None]}), "give a number"),
        (({}, {}, {"t": [True]}), "give a number"),
        (({}, {"solver": "\ud800"}), "UTF-8"),
        (({}, {"weights": [1.0]}), "'weights' is a list"),
        (({}, {"w": np.zeros(2)}), "'w' is a ndarray"),
        (({"D": 1}, {"D": 2}), "both a parameter and a metric"),
    ],
)
def test_points_refuse_what_json_cannot_say(arguments: tuple[dict[str, Any], ...], words: str) -> None:
    """Not-finite numbers and arrays are refused where the point is made, by name."""
    with pytest.raises((TypeError, ValueError), match=words):
        Point(*arguments)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": 2}, "has schema 2"),
        ({"kind_of_file": "cell"}, "not a scrf-bench record file"),
        ({"status": "fine"}, "status is 'fine'"),
        ({"attempt": "1"}, "'attempt' is '1'"),
        ({"points": [{"parameters": {}, "metrics": {"a": [1]}, "samples": {}}]}, "'a' is a list"),
        ({"points": [{"parameters": {}, "metrics": {"a": {}}, "samples": {}}]}, "'a' is a dict"),
        ({"points": [{"parameters": {}, "metrics": [], "samples": {}}]}, "'metrics' is .*must be an object"),
        ({"points": [{"metrics": {}, "samples": {}}]}, r"points\[0\]: the field 'parameters' is missing"),
        ({"points": [{"parameters": {}, "samples": {}}]}, "'metrics' is missing"),
        ({"points": [{"parameters": {}, "metrics": {}}]}, "'samples' is missing"),
        ({"points": [{"parameters": {}, "metrics": {}, "samples": {"t": {}}}]}, "samples: .*'t' is .*must be a list"),
        ({"points": [3]}, "holds a whole number where an object is needed"),
        ({"points": None}, "'points' is null, and must be a list"),
        ({"points": []}, "'ok', but there are no points"),
        ({"environment": {}}, "'cpu_model' is missing"),
        ({"cell": {"kind_of_file": "cell", "schema": 1}}, "'experiment' is missing"),
    ],
)
def test_malformed_records(change: dict[str, object], words: str) -> None:
    """Whatever is wrong, the error is a DataError that names the file."""
    data = {**make_record(make_cell()).to_json(), **change}
    with pytest.raises(DataError, match=words) as caught:
        Record.from_json(data, "r.json")
    assert str(caught.value).startswith("r.json: ")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("packages", {"numpy": 2}),
        ("packages", {"numpy": []}),
        ("packages", []),
        ("threads", True),
        ("dirty", "no"),
        ("governor", 3),
        ("cpu_model", None),
        ("memory_total", 1.5),
        ("libc", ["glibc"]),
    ],
)
def test_environments_with_wrong_types_are_refused(name: str, value: object) -> None:
    """A field of the environment has its type, also where the id does not hold it."""
    data: Any = json.loads(json.dumps(make_record(make_cell()).to_json()))
    data["environment"][name] = value
    with pytest.raises(DataError, match=r"^r\.json: environment: .* must be "):
        Record.from_json(data, "r.json")


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (("environment", "packages", "numpy"), float("nan"), "environment.packages.numpy is nan"),
        (("points", 0, "metrics", "accuracy"), float("inf"), r"points\[0\]\.metrics\.accuracy is inf"),
        (("wall_s",), float("-inf"), "wall_s is -inf"),
        (("unknown",), [[float("nan")]], r"unknown\[0\]\[0\] is nan"),
        (("peak_rss",), 10**400, "peak_rss has more than 300 digits"),
        (("error",), "\ud800", r"error holds half a character: '\\ud800'"),
        (("points", 0, "parameters", "\udc80"), 1, r"a name at points\[0\]\.parameters holds half a character"),
    ],
)
def test_what_json_reads_and_nothing_can_use(
    tmp_path: Path, place: tuple[str | int, ...], value: object, words: str
) -> None:
    """Not-finite and giant numbers and lone surrogates are refused wherever they stand, with their place."""
    data: Any = json.loads(json.dumps(make_record(make_cell()).to_json()))
    inner = data
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    path = tmp_path / "r.json"
    path.write_text(json.dumps(data))
    with pytest.raises(DataError, match=words) as caught:
        Record.read(path)
    assert str(caught.value).count("r.json") == 1


def test_edited_environments_are_refused(tmp_path: Path) -> None:
    """An environment whose fields were changed in the file no longer has its id."""
    data = json.loads(json.dumps(make_record(make_cell()).to_json()))
    data["environment"]["cpu_model"] = "Faster 10000"
    path = tmp_path / "r.json"
    path.write_text(json.dumps(data))
    with pytest.raises(DataError, match=r"r\.json: .*edited by hand"):
        Record.read(path)


def test_every_truncation_is_noticed(tmp_path: Path) -> None:
    """A record file cut anywhere is not read as a record."""
    text = json.dumps(make_record(make_cell()).to_json())
    path = tmp_path / "cut.json"
    for length in range(0, len(text), 7):
        path.write_text(text[:length])
        with pytest.raises(DataError, match=r"cut\.json"):
            Record.read(path)
