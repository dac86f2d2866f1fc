"""Merging: nothing overwritten, nothing twice, and wrong folders refused."""

import json

import pytest

from scrf_bench.bench import Store
from tests.bench.fake_plan import make_cell, make_record
from tests.experiments.tiny_study import run_cli


def store(folder, *numbers, **changes):
    found = Store(folder / "quick" / "fake")
    for number in numbers:
        found.add(make_record(make_cell(number=number), **changes))
    return found


def numbers(folder):
    return sorted(record.cell.parameters["number"] for record in Store(folder / "quick" / "fake").all())


def merge(*folders, code=0):
    result = run_cli("merge", *folders, "--json")
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def test_records_of_two_machines_come_together_and_twice_changes_nothing(tmp_path):
    store(tmp_path / "a", 1, 2)
    store(tmp_path / "b", 3)
    into = tmp_path / "all"
    assert merge(tmp_path / "a", tmp_path / "b", into)["copied"] == 3
    assert numbers(into) == [1, 2, 3]
    again = merge(tmp_path / "a", tmp_path / "b", into)
    assert (again["copied"], again["known"], again["stores"]) == (0, 3, [])


def test_another_record_of_the_same_name_is_kept_beside_the_first(tmp_path):
    """Two machines of one environment both have a first attempt: both are measurements."""
    store(tmp_path / "a", 1, wall_s=1.0)
    store(tmp_path / "b", 1, wall_s=2.0)
    assert merge(tmp_path / "a", tmp_path / "b", tmp_path / "all")["renumbered"] == 1
    found = Store(tmp_path / "all" / "quick" / "fake").all()
    assert sorted((record.wall_s, record.attempt) for record in found) == [(1.0, 1), (2.0, 2)]
    again = merge(tmp_path / "b", tmp_path / "a", tmp_path / "all")
    assert (again["copied"], again["known"]) == (0, 2)


def test_files_are_copied_byte_for_byte_with_the_looks_at_claims(tmp_path):
    source = store(tmp_path / "a", 1)
    look = tmp_path / "a" / "quick" / "claims" / "looks" / "one" / "abc.json"
    look.parent.mkdir(parents=True)
    look.write_text("{}")
    assert merge(tmp_path / "a", tmp_path / "all")["looks"] == 1
    (path,) = source.records_folder.iterdir()
    copy = tmp_path / "all" / path.relative_to(tmp_path / "a")
    assert copy.read_bytes() == path.read_bytes()
    assert (tmp_path / "all" / look.relative_to(tmp_path / "a")).read_text() == "{}"


def test_a_damaged_record_is_named_and_left_out(tmp_path):
    source = store(tmp_path / "a", 1, 2)
    bad = sorted(source.records_folder.iterdir())[0]
    bad.write_text(bad.read_text()[:-30])
    merged = merge(tmp_path / "a", tmp_path / "all", code=3)
    assert merged["copied"] == 1
    assert list(merged["damaged"]) == [str(bad)]


def test_another_merge_may_be_there_first(tmp_path, monkeypatch):
    """Between the look at the target and the copy, another merge wrote the same name: the same record, or another."""
    for name, wall_s in (("a", 1.0), ("b", 1.0), ("c", 2.0)):
        store(tmp_path / name, 1, wall_s=wall_s, started="2026-11-30T00:00:00.000+00:00")
    first = Store(tmp_path / "all" / "quick" / "fake")
    merge(tmp_path / "a", tmp_path / "all")
    # The second merge saw an empty target.
    monkeypatch.setattr(Store, "all", lambda self: [] if self.folder == first.folder else original(self))
    assert merge(tmp_path / "b", tmp_path / "all")["known"] == 1
    assert merge(tmp_path / "c", tmp_path / "all")["renumbered"] == 1
    monkeypatch.undo()
    assert sorted((record.wall_s, record.attempt) for record in first.all()) == [(1.0, 1), (2.0, 2)]


original = Store.all


def test_profiles_and_stores_merge_like_results_folders(tmp_path):
    store(tmp_path / "a", 1)
    merge(tmp_path / "a" / "quick", tmp_path / "b" / "quick")
    merge(tmp_path / "a" / "quick" / "fake", tmp_path / "c" / "quick" / "fake")
    assert numbers(tmp_path / "b") == numbers(tmp_path / "c") == [1]


@pytest.mark.parametrize(
    ("source", "into", "words"),
    [
        ("a/quick", "b", "is a profile, but"),
        ("a", "b/quick", "is a results folder, but"),
        ("empty", "b", "there are no records"),
        ("a", "a", "merged into itself"),
        ("a", "a/quick/sub", "merged into itself"),
    ],
)
def test_folders_of_two_kinds_are_refused(tmp_path, source, into, words):
    store(tmp_path / "a", 1)
    store(tmp_path / "b", 2)
    (tmp_path / "empty").mkdir()
    result = run_cli("merge", tmp_path / source, tmp_path / into)
    assert result.exit_code == 2
    assert words in result.stderr
    assert numbers(tmp_path / "b") == [2]
