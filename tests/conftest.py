"""What every test runs in: a cache and a machine lock of the tests' own, and none of the user's settings."""

import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def _own_places(tmp_path_factory):
    """Parsed data are shared by the tests of a session; a timing cell waits for nobody outside it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCRF_BENCH_CACHE", str(tmp_path_factory.mktemp("scrf-bench-cache")))
        patch.setenv("SCRF_BENCH_MACHINE_LOCK", str(tmp_path_factory.mktemp("lock") / "machine.lock"))
        patch.delenv("SCRF_BENCH_OFFLINE", raising=False)
        yield


@pytest.fixture(autouse=True)
def _settings_do_not_leak(monkeypatch):
    """``--offline`` and ``--mirror`` speak to cells through the environment: undo what a command set in-process."""
    for name in ("SCRF_BENCH_OFFLINE", "SCRF_BENCH_MIRROR"):
        before = os.environ.get(name)
        # Setting first makes monkeypatch remember also that a variable was not there.
        monkeypatch.setenv(name, before or "")
        if not before:
            monkeypatch.delenv(name)
