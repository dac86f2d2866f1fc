"""The store: records are written once and whole; claims are exclusive; damage is reported, not fatal."""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

import pytest

from scrf_bench import atomic
from scrf_bench.bench import Store
from scrf_bench.errors import UserError
from tests.bench.fake_plan import ENVIRONMENT, ROOT, make_cell, make_record

CELL = make_cell()


def test_nothing_is_created_by_looking(tmp_path: Path) -> None:
    """A store that does not exist is empty, and stays away until something is written."""
    store = Store(tmp_path / "none")
    assert store.all() == []
    assert store.latest(CELL) is None
    assert store.finished(CELL, ENVIRONMENT.id) is None
    assert not store.folder.exists()


def test_attempts_are_numbered_and_kept(tmp_path: Path) -> None:
    """A second record of a cell takes the next number; the first stays as it was, byte for byte."""
    store = Store(tmp_path)
    first = store.add(make_record(CELL, status="failed", error="x"))
    path = store.records_folder / f"{CELL.id}-{ENVIRONMENT.id}-1.json"
    before = path.read_bytes()
    second = store.add(make_record(CELL))
    assert (first.attempt, second.attempt) == (1, 2)
    assert path.read_bytes() == before
    assert Store(tmp_path).records(CELL) == [first, second]
    assert sorted(file.name for file in store.records_folder.iterdir()) == [
        f"{first.name}.json",
        f"{second.name}.json",
    ]


def test_ok_stands_before_newer_failures(tmp_path: Path) -> None:
    """`finished` prefers ok, then the newest; `latest` is the one started last, whatever it was."""
    store = Store(tmp_path)
    store.add(make_record(CELL, status="timeout", error="slow", started="2026-01-01"))
    assert store.finished(CELL, ENVIRONMENT.id) == store.latest(CELL)
    good = store.add(make_record(CELL, started="2026-01-02"))
    bad = store.add(make_record(CELL, status="failed", error="x", started="2026-01-03"))
    assert store.finished(CELL, ENVIRONMENT.id) == good
    assert store.latest(CELL) == bad
    assert store.finished(CELL, "0123456789") is None
    assert store.records(make_cell(number=1)) == []


@pytest.mark.parametrize("text", ["", '{"kind_of_file": "rec', "<html>", '{"a": 1}', "null", "[" * 100_000, "\x00\xff"])
def test_damaged_files_are_named_skipped_and_left(tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture) -> None:
    """A broken file is named once in the log (not by default) and among the damaged, and is not touched.

    Its attempt number stays taken.
    """
    store = Store(tmp_path)
    good = store.add(make_record(make_cell(number=1)))
    broken = store.records_folder / f"{CELL.id}-{ENVIRONMENT.id}-1.json"
    broken.write_text(text, encoding="latin-1")
    with caplog.at_level(logging.DEBUG):
        assert Store(tmp_path).all() == [good]
        assert store.finished(CELL, ENVIRONMENT.id) is None
        store.all()
    told = [record for record in caplog.records if broken.name in record.getMessage()]
    assert [record.levelno for record in told] == [logging.DEBUG] * 2  # once for each Store
    assert all(record.getMessage().count(broken.name) == 1 for record in told)
    assert list(store.damaged) == [broken]
    assert str(broken) not in store.damaged[broken]
    assert store.add(make_record(CELL)).attempt == 2
    assert broken.read_text(encoding="latin-1") == text


def test_a_record_under_a_wrong_name_is_not_another_cells(tmp_path: Path) -> None:
    """Renaming a file does not turn its record into that of the cell it is named after."""
    store = Store(tmp_path)
    record = store.add(make_record(CELL))
    other = make_cell(number=1)
    path = store.records_folder / f"{record.name}.json"
    path.rename(path.with_name(path.name.replace(CELL.id, other.id)))
    assert Store(tmp_path).records(other) == []


def test_stores_merge_by_copying(tmp_path: Path) -> None:
    """The files of two stores in one folder are the records of both."""
    a, b = Store(tmp_path / "a"), Store(tmp_path / "b")
    records = [a.add(make_record(CELL)), b.add(make_record(make_cell(number=1)))]
    shutil.copytree(b.records_folder, a.records_folder, dirs_exist_ok=True)
    assert sorted(Store(tmp_path / "a").all(), key=lambda r: r.name) == sorted(records, key=lambda r: r.name)


def test_two_processes_adding_at_once_collide_nowhere(tmp_path: Path) -> None:
    """Two processes that add 40 records of one cell each end up with attempts 1 to 80."""
    code = (
        "import sys; from scrf_bench.bench import Store; from tests.bench.fake_plan import *\n"
        "for _ in range(40): Store(sys.argv[1]).add(make_record(make_cell(), error=sys.argv[2]))"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    processes = [subprocess.Popen([*command, name], cwd=ROOT) for name in ("one", "two")]
    assert [process.wait() for process in processes] == [0, 0]
    records = Store(tmp_path).records(CELL)
    assert sorted(record.attempt for record in records) == list(range(1, 81))
    assert sorted(record.error or "" for record in records) == ["one"] * 40 + ["two"] * 40


def test_claims_exclude_other_processes_and_end_with_them(tmp_path: Path) -> None:
    """A claimed cell is refused to others, at once, until the holder lets go or is killed."""
    code = (
        "import sys, time; from scrf_bench.bench import Store; from tests.bench.fake_plan import *\n"
        "with Store(sys.argv[1]).claim(make_cell()) as mine: print(mine, flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    with holder.stdout as stdout:
        assert stdout.readline() == b"True\n"
        store = Store(tmp_path)
        with store.claim(CELL) as mine:
            assert not mine
        with store.claim(make_cell(number=1)) as mine:
            assert mine
        holder.kill()
        holder.wait()
    with store.claim(CELL) as mine:
        assert mine
        assert store.try_claim(CELL) is None
    claim = store.try_claim(CELL)
    assert claim is not None
    claim.release()
    claim.release()


def full(*_: object) -> NoReturn:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("broken", ["fsync", "link"])
def test_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    """A full disk gives one message with path and remedy; nothing half-written stays, nothing is lost."""
    store = Store(tmp_path)
    kept = store.add(make_record(CELL))
    with monkeypatch.context() as patch:
        patch.setattr(os, broken, full)
        with pytest.raises(UserError, match="No space left") as caught:
            store.add(make_record(make_cell(number=1)))
    assert str(store.records_folder) in str(caught.value)
    assert "run the same command again" in str(caught.value)
    assert [path.stem for path in store.records_folder.iterdir()] == [kept.name]
    assert Store(tmp_path).all() == [kept]


def test_no_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a file system without hard links, names are still never taken twice."""

    def refuse(*_: object) -> NoReturn:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    store = Store(tmp_path)
    added = [store.add(make_record(CELL)) for _ in range(3)]
    assert Store(tmp_path).records(CELL) == added
    with pytest.raises(FileExistsError):
        atomic.write_new(store.records_folder / f"{added[0].name}.json", "other")
    assert Store(tmp_path).records(CELL) == added


def test_unwritable_folder(tmp_path: Path) -> None:
    """A store whose place is taken by a file says so, with the path."""
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file")
    with pytest.raises(UserError, match=r"Cannot write .*file.records"):
        store.add(make_record(CELL))
    with pytest.raises(UserError, match=r"Cannot write .*file"):
        store.try_claim(CELL)


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    """Reading from or writing into a folder whose name no file system takes gives an error that names it."""
    store = Store(tmp_path / ("n" * 300))
    does = (
        store.all,
        lambda: store.latest(CELL),
        lambda: store.names(CELL, ENVIRONMENT.id),
        store.sweep,
        lambda: store.add(make_record(CELL)),
        lambda: store.try_claim(CELL),
        lambda: store.make_scratch(CELL),
        lambda: atomic.write_over(store.folder / "records.csv", ""),
        lambda: atomic.write_new(store.folder / "records.csv", ""),
    )
    for do in does:
        with pytest.raises(UserError, match="n" * 300 + ".*name too long"):
            do()


def test_words_that_are_no_text_do_not_damage_a_record(tmp_path: Path) -> None:
    """An error that quotes an undecodable file name is stored with an escape, and can be read again."""
    stored = Store(tmp_path).add(make_record(CELL, status="failed", error="no \udce4", traceback="in \udce4"))
    assert (stored.error, stored.traceback) == ("no \\udce4", "in \\udce4")
    assert Store(tmp_path).all() == [stored]


def test_write_over_replaces_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is replaced as a whole, and stays as it was when the disk is full."""
    path = tmp_path / "records.csv"
    atomic.write_over(path, "old")
    atomic.write_over(path, "new")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match=r"records\.csv"):
        atomic.write_over(path, "newer")
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_sweep_removes_only_old_leavings(tmp_path: Path) -> None:
    """Temporary files of killed runs go after an hour; fresh ones may be in use, and records stay."""
    store = Store(tmp_path)
    store.sweep()
    record = store.add(make_record(CELL))
    old, fresh = (store.records_folder / f".part-{name}" for name in ("old", "fresh"))
    for path in (old, fresh):
        path.write_text("{")
    os.utime(old, (time.time() - 7200,) * 2)
    store.sweep()
    assert {path.name for path in store.records_folder.iterdir()} == {fresh.name, f"{record.name}.json"}
    assert Store(tmp_path).all() == [record]


def test_record_files_are_readable_json(tmp_path: Path) -> None:
    """Another program finds the id, the status and the metrics without this one."""
    store = Store(tmp_path)
    record = store.add(make_record(CELL))
    data = json.loads((store.records_folder / f"{record.name}.json").read_text())
    assert (data["cell"]["id"], data["environment"]["id"]) == (CELL.id, ENVIRONMENT.id)
    assert (data["status"], data["points"][0]["metrics"]) == ("ok", {"accuracy": 0.5})
