"""Environments: what parts two of them, and that capturing one is repeatable and light."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scrf_bench.bench import Environment, capture_environment, environment
from tests.bench.fake_plan import ENVIRONMENT


def test_golden_identity() -> None:
    """Records committed to the repository carry such ids: the recipe must never change."""
    assert ENVIRONMENT.id == "ce830d6cc4"


@pytest.mark.parametrize(
    "change",
    [
        {"commit": "def"},
        {"dirty": True},
        {"governor": None},
        {"memory_total": 1},
        {"os": "Linux 7"},
        {"package_version": "9"},
        {"packages": {**ENVIRONMENT.packages, "matplotlib": "4"}},
    ],
    ids=str,
)
def test_what_changes_no_result_is_not_identity(change: dict[str, object]) -> None:
    """Commit, governor and drawing libraries are recorded, but part no records."""
    assert dataclasses.replace(ENVIRONMENT, **change).id == ENVIRONMENT.id  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"cpu_model": "Other"},
        {"physical_cores": 2},
        {"logical_cores": 4},
        {"libc": "musl"},
        {"python": "CPython 3.12.0"},
        {"blas": "mkl"},
        {"threads": 2},
        {"packages": {**ENVIRONMENT.packages, "numpy": "3.0"}},
    ],
    ids=str,
)
def test_what_changes_bits_or_speed_is_identity(change: dict[str, object]) -> None:
    """Each of these gives another id."""
    assert dataclasses.replace(ENVIRONMENT, **change).id != ENVIRONMENT.id  # type: ignore[arg-type]


def test_capture_is_the_same_in_another_process_and_light() -> None:
    """A fresh process elsewhere finds the same id, and loads no heavy library for it."""
    code = (
        "import json, sys; from scrf_bench.bench import capture_environment;"
        "e = capture_environment(1).to_json();"
        "heavy = [m for m in ('pandas', 'matplotlib', 'sklearn', 'scipy', 'numba') if m in sys.modules];"
        "import scipy.linalg;"
        "print(json.dumps([e, heavy]))"
    )
    import scipy.linalg  # noqa: F401 -- brings a second BLAS into this process

    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd="/",
        env={**os.environ, "OMP_NUM_THREADS": "1", "LANG": "C"},
        capture_output=True,
        text=True,
        check=True,
    )
    data, heavy = json.loads(done.stdout)
    assert heavy == []
    here = capture_environment(1)
    assert Environment.from_json(data).id == here.id
    assert here.blas != "unknown"
    assert here.packages["numpy"] is not None
    assert capture_environment(2).id != here.id


def test_commit_is_that_of_the_sources_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation inside a foreign repository does not report its commit; a checkout reports its own."""
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@example.org", "-C", str(tmp_path)]
    site = tmp_path / ".venv" / "scrf_bench"
    own = tmp_path / "scrf_bench"
    site.mkdir(parents=True)
    own.mkdir()
    (own / "a.py").write_text("a = 1\n")
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "scrf_bench"], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()

    monkeypatch.setattr(environment, "_PACKAGE", site)
    assert environment._git_state() == (None, None)
    monkeypatch.setattr(environment, "_PACKAGE", own)
    assert environment._git_state() == (head, False)
    (own / "a.py").write_text("a = 2\n")
    assert environment._git_state() == (head, True)
