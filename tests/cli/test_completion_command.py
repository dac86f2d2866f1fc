"""Completion of commands and names, and its scripts."""

import json
import os
import subprocess
import sys

import pytest

from scrf_bench.datasets import registry
from scrf_bench.experiments import experiment_names
from scrf_bench.maps import MAPS
from tests.experiments.tiny_study import run_cli


def completed(*words):
    """What bash is told to complete behind these words."""
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv = ['scrf-bench']\nfrom scrf_bench.cli import main\nmain()"],
        env={
            **os.environ,
            "_SCRF_BENCH_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join(("scrf-bench", *words)),
            "COMP_CWORD": str(len(words)),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_commands_and_options():
    assert completed("com") == ["compare", "completion"]
    assert "--markdown" in completed("compare", "--m")


def test_names_of_what_is_registered():
    assert completed("run", "table") == [name for name in experiment_names() if name.startswith("table")]
    assert completed("data", "path", "mn") == [name for name in registry() if name.startswith("mn")]
    maps = completed("run", "table1", "--maps", "rks,s")
    assert maps == [f"rks,{name}" for name in [*maps_and_baselines()] if name.startswith("s")]
    assert completed("run", "table1", "--retry", "failed,") == ["failed,timeout", "failed,memory"]


def maps_and_baselines():
    from scrf_bench.experiments.map_cells import BASELINES
    from scrf_bench.maps import map_names

    assert set(MAPS) <= set(map_names())
    return [*map_names(), *BASELINES]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shells_script_calls_the_program(shell):
    result = run_cli("completion", shell)
    assert result.exit_code == 0
    assert f"_SCRF_BENCH_COMPLETE={shell}_complete" in result.stdout
    assert "scrf-bench completion" in result.stderr


def test_listings_as_json():
    datasets = [json.loads(line) for line in run_cli("list", "datasets", "--json").stdout.splitlines()]
    assert {entry["name"] for entry in datasets} == set(registry())
    maps = [json.loads(line) for line in run_cli("list", "maps", "--json").stdout.splitlines()]
    assert {"name", "label", "description"} == set(maps[0])
    (path,) = json.loads(run_cli("data", "path", "pima", "--json").stdout)
    assert (path["name"], path["path"].rpartition("/")[2]) == ("pima", "pima.xz")
    assert json.loads(run_cli("data", "verify", "pima", "--json").stdout)[0]["state"] == "ok"
