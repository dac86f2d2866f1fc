"""The disk that rows stream from: what does not fit is told with folder, bytes and remedy, before or while writing."""

import errno
import io
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest

from scrf_bench.bench import run_cell
from scrf_bench.errors import UserError
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import prepare
from scrf_bench.experiments.suite import streaming
from scrf_bench.experiments.suite.streaming import rows_on_disk
from tests.experiments.tiny_study import write_configs


@pytest.fixture
def own_tmp(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


NEEDED = 128 + 25 * 7 * 4
"""Bytes of the .npy file of 25 x 7 float32: a header of two lines of 64, and the rows."""


def with_free(monkeypatch, free):
    real = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: real._replace(free=free))


def test_rows_fit_to_the_byte(own_tmp, monkeypatch):
    with_free(monkeypatch, NEEDED)
    with rows_on_disk(25, 7, "float32", 3, 10) as X:
        assert X.offset + X.nbytes == NEEDED


def test_rows_that_do_not_fit_are_not_begun(own_tmp, monkeypatch):
    with_free(monkeypatch, NEEDED - 1)
    monkeypatch.setattr(tempfile, "TemporaryFile", None)
    with (
        pytest.raises(UserError, match=f"need {NEEDED} bytes in {own_tmp}, where {NEEDED - 1} are free.*set TMPDIR"),
        rows_on_disk(25, 7, "float32", 3, 10),
    ):
        pass


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_disk_that_fills_up_meanwhile_is_told_like_one_that_was_full(own_tmp, monkeypatch):
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **options: io.FileIO("/dev/full", "w"))
    with_free(monkeypatch, 12_345)
    with pytest.raises(UserError, match=f"need {NEEDED} bytes in {own_tmp}, where 12,345 are free.*set TMPDIR") as told:
        rows_on_disk(25, 7, "float32", 3, 10).__enter__()
    assert told.value.__cause__.errno == errno.ENOSPC


def test_a_folder_that_cannot_be_written_is_named(own_tmp, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(own_tmp / "a-file" / "folder"))
    (own_tmp / "a-file").touch()
    with_free(monkeypatch, 10**9)
    with pytest.raises(UserError, match=r"a-file/folder: Not a directory. Set TMPDIR"):
        rows_on_disk(25, 7, "float32", 3, 10).__enter__()


def test_no_folder_for_temporary_files_at_all_is_told_with_the_remedy(own_tmp, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: [str(own_tmp / "none")])
    with pytest.raises(UserError, match=rf"{NEEDED} bytes.*{own_tmp}/none.*Set TMPDIR"):
        rows_on_disk(25, 7, "float32", 3, 10).__enter__()


def test_an_error_of_the_measurement_is_its_own(own_tmp):
    """Only what writing raises is about the disk."""
    with pytest.raises(OSError, match="elsewhere"), rows_on_disk(25, 7, "float32", 3, 10):
        raise OSError(errno.ENOSPC, "elsewhere")


def test_short_writes_go_on_where_they_ended():
    """A system takes at most 2 GB a call; this file at most 7 bytes."""
    taken = []

    class Frugal:
        def write(self, content):
            taken.append(bytes(content[:7]))
            return len(taken[-1])

    rows = np.arange(12, dtype=np.float32).reshape(3, 4)
    streaming._write(Frugal(), rows.data)
    assert b"".join(taken) == rows.tobytes()


def test_a_cell_without_room_fails_with_these_words(tmp_path, own_tmp, monkeypatch):
    """``failed``, so that ``run`` ends with exit code 3 and ``--retry failed`` tries it again."""
    plan = prepare("fig-scale", Selection(), results=tmp_path, configs=write_configs(tmp_path / "configs"))
    cell = next(cell for cell in plan.cells if cell.parameters["part"] == "stream")
    with_free(monkeypatch, 10)
    outcome = run_cell(cell, plan.experiment.measure)
    assert outcome.status == "failed"
    assert outcome.error.startswith("No room for the rows to stream: they need 1,408 bytes")
