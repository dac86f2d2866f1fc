"""A map that another package brings along, from the entry point of its pyproject.toml to its verdicts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scrf_bench.maps.registry import foreign_map_names
from tests.experiments.tiny_study import run_cli, write_configs

ROOT = Path(__file__).parents[2]
EXAMPLE = Path(__file__).parent / "example"
VARIANCE = """
    [quick]
    maps = ["rks", "scrf"]
    kinds = ["random", "constant"]
    s = [0.5, 1.0, 2.0]
    directions = 2
    places = [{ d = 16, blocks = [1], repetitions = 600 }]
    batches = 10
    maps_per_cell = 4
    formula_work = 1e5
    table_s = 1.0
    figure_d = 16
    seed = 7
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The example package, built without the network and installed into a folder of its own."""
    target = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--no-cache-dir"]
    subprocess.run([*pip, "install", *offline, "--target", target, EXAMPLE], check=True, cwd=target)
    return target


@pytest.fixture(scope="module")
def scrf_bench(installed, tmp_path_factory):
    """Return the command, as it runs where the example package is installed."""
    folder = tmp_path_factory.mktemp("run")
    configs = write_configs(folder / "configs", variance=VARIANCE)

    def run(*words, code=0):
        environ = os.environ | {"PYTHONPATH": f"{installed}{os.pathsep}{ROOT}"}
        command = [sys.executable, "-m", "scrf_bench", *words]
        done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout

    run.configs = configs
    return run


def test_it_is_listed(scrf_bench):
    rows = [json.loads(line) for line in scrf_bench("list", "maps", "--json").splitlines()]
    (mine,) = [row for row in rows if row["name"] == "antithetic"]
    assert mine["label"] == "Antithetic lengths"
    assert mine["description"].startswith("Gaussian frequencies")


def test_it_keeps_the_contract(scrf_bench):
    findings = [json.loads(line) for line in scrf_bench("check-map", "antithetic", "--json").splitlines()]
    assert [f["word"] for f in findings] == ["kept"] * len(findings)
    assert len(findings) > 10


@pytest.mark.statistical
def test_it_runs_and_is_judged(scrf_bench):
    """Its estimate is unbiased by construction (a false "fails": 5 %); without records, its claims have none."""
    claims = ("claims", "plug-ins", "--json", "--configs", "configs")
    before = [json.loads(line) for line in scrf_bench(*claims, code=3).splitlines()]
    assert {claim["verdict"] for claim in before} == {"no records"}
    table = scrf_bench("run", "variance", "--maps", "antithetic", "--configs", "configs")
    assert "Antithetic lengths" in table
    after = {claim["id"]: claim for claim in (json.loads(line) for line in scrf_bench(*claims).splitlines())}
    assert set(after) == {
        "antithetic-unbiased", "antithetic-variance-below-rks", "antithetic-variance-at-most-rks"
    }  # fmt: skip
    assert after["antithetic-unbiased"]["verdict"] == "holds"
    assert after["antithetic-unbiased"]["sentence"] == "Antithetic lengths's bias does not matter"
    assert after["antithetic-unbiased"]["place"] == "example_maps:Antithetic"


def test_others_tables_know_nothing_of_it():
    """Without the package there is no such map, and no claim about one."""
    assert foreign_map_names() == []
    result = run_cli("claims", "plug-ins")
    assert result.exit_code == 2
    assert "No claims of a paper 'plug-ins'" in result.stderr


UNBIASED, BELOW, AT_MOST = "unbiased", "variance-below-rks", "variance-at-most-rks"


@pytest.mark.statistical
@pytest.mark.parametrize(("name", "factor", "verdicts"), [
    ("mirrored", 1.0, {UNBIASED: "holds"}), ("widened", 1.3, {UNBIASED: "fails", BELOW: "fails", AT_MOST: "fails"}),
])  # fmt: skip
def test_a_plugin_file_is_judged_as_well(name, factor, verdicts, tmp_path, scrf_bench):
    """A map whose frequencies are as they should be, and one of another kernel: a false verdict has a chance of 5 %."""
    source = (EXAMPLE / "src" / "example_maps" / "__init__.py").read_text().replace("antithetic", name)
    scaled = source.replace("W *= (self._inverse_sigma *", f"W *= ({factor} * self._inverse_sigma *")
    assert scaled != source
    plugin = tmp_path / "mine.py"
    plugin.write_text(scaled + "\n\nfrom scrf_bench.maps import register_map\n\nregister_map(Antithetic)\n")
    options = ("--plugin", str(plugin), "--configs", "configs", "--results", str(tmp_path))
    scrf_bench("run", "variance", "--maps", name, *options)
    # The installed package's map has claims too, and no records in this folder.
    lines = scrf_bench("claims", "plug-ins", "--json", *options, code=3).splitlines()
    judged = {claim["id"]: claim for claim in map(json.loads, lines)}
    assert judged[f"{name}-unbiased"]["place"] == "mine.py:Antithetic"
    assert judged[f"{name}-unbiased"]["command"].endswith(f"--maps {name} --plugin {plugin}")
    found = {key: claim["verdict"] for key, claim in judged.items()}
    assert len(found) == 6
    assert verdicts.items() <= {key.removeprefix(f"{name}-"): word for key, word in found.items()}.items()


@pytest.mark.statistical
@pytest.mark.parametrize("groups", [["antithetic,second"], ["antithetic", "second"]])
def test_maps_that_were_run_together_are_judged_as_those_run_alone(groups, tmp_path, scrf_bench):
    """A record counts for each map in its cell, until that map changes (a false verdict: 5 % of each map)."""
    plugin = second_plugin(tmp_path)
    options = ("--plugin", str(plugin), "--configs", "configs", "--results", str(tmp_path))
    for maps in groups:
        scrf_bench("run", "variance", "--maps", maps, *options)
    assert len(list((tmp_path / "quick" / "variance" / "records").glob("*.json"))) == len(groups)
    judged = judgements(scrf_bench, *options)
    assert len(judged) == 6
    assert {judged[f"{name}-unbiased"]["verdict"] for name in ("antithetic", "second")} == {"holds"}
    assert {claim["verdict"] for claim in judged.values()} <= {"holds", "fails", "undecided"}
    assert {(claim["looks"], claim["complete"]) for claim in judged.values()} == {(1, True)}
    text = plugin.read_text()
    plugin.write_text(text.replace("    version = 1", "    version = 2"))
    assert plugin.read_text() != text
    again = judgements(scrf_bench, *options, code=3)
    assert again["second-unbiased"]["verdict"] == "stale records"
    assert again["antithetic-unbiased"] == judged["antithetic-unbiased"]


def second_plugin(folder):
    """Return a plug-in file with the example's map under another name."""
    source = (EXAMPLE / "src" / "example_maps" / "__init__.py").read_text().replace("antithetic", "second")
    plugin = folder / "mine.py"
    plugin.write_text(source + "\n\nfrom scrf_bench.maps import register_map\n\nregister_map(Antithetic)\n")
    return plugin


def judgements(scrf_bench, *options, code=0):
    """Return the plug-ins' claims by id."""
    lines = scrf_bench("claims", "plug-ins", "--json", *options, code=code).splitlines()
    return {claim["id"]: claim for claim in map(json.loads, lines)}
