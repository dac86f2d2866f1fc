"""The machine's lock: who shares, who is alone, who waits, and that nobody is kept out for ever."""

from __future__ import annotations

import logging
import os
import tempfile
from pathlib import Path

import pytest

from scrf_bench.bench.machine_lock import MachineLock, Slot


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "machine.lock"


def enter(lock: MachineLock, *, alone: bool) -> Slot:
    slot = lock.try_enter(alone=alone)
    assert slot is not None
    return slot


def test_shared_slots_go_together_and_exclude_alone(path: Path) -> None:
    """Any number of quality cells run at once; a timing cell waits for all of them, and all wait for it."""
    a, b = MachineLock(path), MachineLock(path)
    slots = [enter(a, alone=False), enter(a, alone=False), enter(b, alone=False)]
    assert b.try_enter(alone=True) is None
    for slot in slots:
        slot.leave()
        slot.leave()
    alone = enter(b, alone=True)
    assert a.try_enter(alone=False) is None
    assert a.try_enter(alone=True) is None
    alone.leave()
    enter(a, alone=False).leave()


def test_who_asked_to_be_alone_is_not_overtaken(path: Path) -> None:
    """After a refusal, no shared slot is given out until the one who waits has had his turn or gives up."""
    a, b, c = MachineLock(path), MachineLock(path), MachineLock(path)
    held = enter(a, alone=False)
    assert b.try_enter(alone=True) is None
    assert a.try_enter(alone=False) is None
    assert c.try_enter(alone=True) is None
    b.give_up()
    enter(c, alone=False).leave()
    assert b.try_enter(alone=True) is None
    held.leave()
    alone = enter(b, alone=True)
    alone.leave()
    enter(a, alone=False).leave()


def test_asking_to_share_forgets_the_wish_to_be_alone(path: Path) -> None:
    """A run that turns to quality cells meanwhile keeps nobody out."""
    a, b = MachineLock(path), MachineLock(path)
    held = enter(a, alone=False)
    assert b.try_enter(alone=True) is None
    own = enter(b, alone=False)
    another = enter(a, alone=False)
    for slot in (held, own, another):
        slot.leave()


def test_the_file_serves_other_users(path: Path) -> None:
    """Whatever the umask, others can open the lock file to lock it, and nobody else can write to it."""
    before = os.umask(0o077)
    try:
        enter(MachineLock(path), alone=True).leave()
    finally:
        os.umask(before)
    assert {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {
        "machine.lock": 0o644,
        "machine.lock.queue": 0o644,
    }


def test_an_unusable_lock_is_no_obstacle(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Where the file cannot be opened (a link somebody laid there, say), cells run, with one warning."""
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    lock = MachineLock(tmp_path / "link")
    with caplog.at_level(logging.WARNING):
        enter(lock, alone=True).leave()
        enter(lock, alone=False).leave()
    assert len(caplog.messages) == 1
    assert str(tmp_path / "link") in caplog.messages[0]


def test_where_the_file_is(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """In the temporary folder, unless the environment names another place."""
    monkeypatch.delenv("SCRF_BENCH_MACHINE_LOCK", raising=False)
    assert MachineLock().path == Path(tempfile.gettempdir()) / "scrf-bench.lock"
    monkeypatch.setenv("SCRF_BENCH_MACHINE_LOCK", str(path))
    assert MachineLock().path == path
