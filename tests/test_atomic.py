"""Files are there whole or not at all, and what stands in the way is named with a remedy."""

import errno
import os
from pathlib import Path

import pytest

from scrf_bench import atomic
from scrf_bench.errors import UserError


def contents(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = atomic.write_over(tmp_path / "table.csv", "old")

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(atomic.os, "fsync", full)
    with pytest.raises(UserError, match=r"No space left .*table\.csv"):
        atomic.write_over(path, "new")
    assert path.read_text() == "old"
    assert contents(tmp_path) == ["table.csv"]


def test_a_new_file_never_takes_anothers_place(tmp_path):
    atomic.write_new(tmp_path / "r.json", "first")
    with pytest.raises(FileExistsError):
        atomic.write_new(tmp_path / "r.json", "second")
    assert (tmp_path / "r.json").read_text() == "first"
    assert contents(tmp_path) == ["r.json"]


def test_a_file_in_a_folders_place_is_named(tmp_path):
    (tmp_path / "results").write_text("I am a file")
    for write in (atomic.write_new, atomic.write_over):
        for path in (tmp_path / "results" / "x", tmp_path / "results" / "deep" / "x"):
            with pytest.raises(UserError, match="a file stands where its folder should be"):
                write(path, b"x")


def test_a_folder_in_the_files_place_is_named(tmp_path):
    (tmp_path / "x").mkdir()
    with pytest.raises(UserError, match="a folder stands in its place"):
        atomic.write_over(tmp_path / "x", b"x")
    assert contents(tmp_path) == ["x"]


def test_a_denied_folder_is_named(tmp_path, monkeypatch):
    def denied(*_args, **_options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(UserError, match=r"Permission denied\. Choose a folder you can write to"):
        atomic.write_over(tmp_path / "x.csv", "x")


def test_files_follow_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        path = atomic.write_over(tmp_path / "x", b"x")
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == 0o640
