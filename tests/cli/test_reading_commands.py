"""Commands that run nothing: names, machine, plans, states, and rendering from records."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scrf_bench.bench import Cell
from scrf_bench.datasets import registry
from scrf_bench.experiments import experiment_names
from scrf_bench.experiments.map_cells import BASELINES
from scrf_bench.maps import MAPS
from tests.experiments.tiny_study import record_files, run_cli


def ids_in(folder):
    return sorted(path.name for path in (folder / "quick" / "fig1" / "records").glob("*.json"))


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ([], experiment_names()),
        (["experiments"], experiment_names()),
        (["datasets"], ["NAME", *registry()]),
        (["maps"], [*sorted(MAPS), *BASELINES]),
    ],
)
def test_list_gives_one_name_a_line(arguments, names):
    result = run_cli("list", *arguments)
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == names


def test_list_says_where_a_dataset_comes_from():
    lines = {line.split()[0]: line.split() for line in run_cli("list", "datasets").stdout.splitlines()}
    assert lines["dna"] == ["dna", "multiclass", "2000", "1186", "180", "embedded"]
    assert lines["ionosphere"][3] == "split"
    assert lines["mnist"][-1] == "download"


def test_list_gives_each_maps_summary_whole():
    """Summaries that go over a line, or hold "eq. 4", end where their docstring's first paragraph does."""
    lines = {line.split()[0]: line for line in run_cli("list", "maps").stdout.splitlines()}
    assert lines["rks"].endswith("(SCRF paper, eq. 4).")
    for name, kind in MAPS.items():
        summary = " ".join(kind.__doc__.split("\n\n")[0].replace("`", "").split())
        assert summary.endswith(".")
        assert lines[name].endswith(f"  {summary}")


def test_list_shows_a_plugins_map_even_without_a_docstring(tmp_path, monkeypatch):
    monkeypatch.setattr("scrf_bench.maps.registry.MAPS", dict(MAPS))
    plugin = tmp_path / "mine.py"
    plugin.write_text(
        "from scrf_bench.maps import RKS, register_map\n"
        "class Mine(RKS):\n    name = 'mine'\n    label = 'My map'\n"
        "Mine.__doc__ = None\n"
        "register_map(Mine)\n"
    )
    result = run_cli("list", "maps", "--plugin", plugin)
    assert result.exit_code == 0, result.output
    assert ["mine", "My", "map"] in [line.split() for line in result.stdout.splitlines()]


def test_info_is_what_a_record_would_carry(ran):
    described = json.loads(run_cli("info", "--json").stdout)
    recorded = record_files(ran / "quick" / "fig1")[0]["environment"]
    assert {key: described[key] for key in recorded if key != "dirty"} == {
        key: value for key, value in recorded.items() if key != "dirty"
    }
    assert described["threads"] == 1
    assert described["cache"] == os.environ["SCRF_BENCH_CACHE"]
    assert Path(described["configs"], "table2.toml").is_file()
    assert Path(described["embedded_data"], "dna.scale.xz").is_file()
    assert (described["offline"], isinstance(described["mirrors"], list)) == (False, True)
    assert json.loads(run_cli("info", "--json", "--threads", "2").stdout)["id"] != described["id"]


def test_info_for_people_names_each_fact(monkeypatch):
    monkeypatch.setenv("SCRF_BENCH_MIRROR", "/a/mirror")
    text = run_cli("info").stdout
    for word in ("cpu model", "blas", "numpy ", "libsvm-official ", "/a/mirror"):
        assert word in text


def test_dry_run_json_gives_cells_that_can_be_run(configs, tmp_path):
    result = run_cli("run", "fig2", "fig3", "--dry-run", "--json", "--configs", configs, "--results", tmp_path / "r")
    assert result.exit_code == 0
    cells = [Cell.from_json(json.loads(line)) for line in result.stdout.splitlines()]
    assert [cell.experiment for cell in cells] == ["fig2"] * 6 + ["fig3"] * 3
    assert [cell.name for cell in cells if cell.declared_limit] == ["RKS d=64 D=64 float64"]
    assert not (tmp_path / "r").exists()


def test_a_planned_cell_can_be_run_by_hand(configs, tmp_path):
    """What ``run --dry-run --json`` prints is what ``cell`` takes; its points are those of a record."""
    lines = run_cli("run", "fig1", "--maps", "rks", "--dry-run", "--json", "--configs", configs).stdout.splitlines()
    (tmp_path / "c.json").write_text(lines[1])
    result = run_cli("cell", tmp_path / "c.json")
    assert result.exit_code == 0, result.output
    outcome = json.loads(result.stdout)
    assert (outcome["status"], outcome["cell"]) == ("ok", json.loads(lines[1])["id"])
    assert [point["parameters"]["D"] for point in outcome["points"]] == [16, 64, 16, 64]


def test_a_cell_that_fails_says_why_and_exits_with_3(configs, tmp_path):
    line = run_cli("run", "fig1", "--maps", "rks", "--dry-run", "--json", "--configs", configs).stdout.splitlines()[0]
    broken = Cell.from_json(json.loads(line))
    cell = Cell("fig1", {**broken.parameters, "rows": -1}, "quality", broken.versions, label="broken one")
    (tmp_path / "c.json").write_text(json.dumps(cell.to_json()))
    result = run_cli("cell", tmp_path / "c.json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["status"] == "failed"
    assert "broken one: failed. ValueError" in result.stderr


def test_dry_run_tells_what_is_done(configs, ran):
    before = ids_in(ran)
    result = run_cli("run", "fig1", "--dry-run", "--configs", configs, "--results", ran)
    states = {line.partition("  fig1  ")[2]: line[18:24].strip() for line in result.stdout.splitlines()}
    assert states == {
        "RKS scatter": "done",
        "RKS D curve 1-2": "done",
        "SCRF scatter": "to run",
        "SCRF D curve 1-2": "to run",
    }
    assert "4 cells, 2 to run" in result.stderr
    assert ids_in(ran) == before


def test_status_before_and_after(configs, ran, tmp_path):
    def states(results, *arguments):
        result = run_cli("status", "fig1", "--json", "--configs", configs, "--results", results, *arguments)
        assert result.exit_code == 0
        entries = [json.loads(line) for line in result.stdout.splitlines()]
        return {entry["cell"]: entry["state"] for entry in entries}, result.stderr

    before, words = states(tmp_path / "empty")
    assert set(before.values()) == {"missing"}
    assert "fig1 (quick): 4 cells: 4 missing" in words
    assert not (tmp_path / "empty").exists()
    after, words = states(ran)
    assert after == {
        "RKS scatter": "ok",
        "SCRF scatter": "missing",
        "RKS D curve 1-2": "ok",
        "SCRF D curve 1-2": "missing",
    }
    assert "2 ok" in words
    assert "2 missing" in words
    assert set(states(ran, "--failed")[0]) == {"SCRF scatter", "SCRF D curve 1-2"}


def test_status_tells_of_a_damaged_record(configs, ran, tmp_path):
    folder = tmp_path / "quick" / "fig1" / "records"
    folder.mkdir(parents=True)
    name = ids_in(ran)[0]
    (folder / name).write_text((ran / "quick" / "fig1" / "records" / name).read_text()[:-20])
    result = run_cli("status", "fig1", "--maps", "rks", "--configs", configs, "--results", tmp_path)
    assert result.exit_code == 0
    assert "2 missing" in result.stderr
    assert name in result.stderr


def test_status_names_what_made_a_record_stale(configs, ran, monkeypatch):
    monkeypatch.setattr(MAPS["rks"], "version", MAPS["rks"].version + 1)
    result = run_cli("status", "fig1", "--maps", "rks", "--configs", configs, "--results", ran)
    assert result.stdout.count("stale") == 2
    assert f"version of map {MAPS['rks'].version - 1} -> {MAPS['rks'].version}" in result.stdout


def test_report_renders_every_format_from_records_alone(configs, ran, monkeypatch):
    monkeypatch.setattr("scrf_bench.bench.run_cells", lambda *_: pytest.fail("ran something"))
    folder, before = ran / "quick" / "fig1", ids_in(ran)
    formats = "html,svg,pdf,latex,csv,markdown,png"
    result = run_cli("report", "fig1", "--maps", "rks", "--format", formats, "--configs", configs, "--results", ran)
    assert result.exit_code == 0, result.output
    for suffix, start in {
        "table.tex": b"", "table.csv": b"D,method,", "table.md": b"**Figure 1(d)", "figure.svg": b"<?xml",
        "figure.pdf": b"%PDF", "figure.png": b"\x89PNG", "figure-a.png": b"\x89PNG", "records.csv": b"id,experiment,",
    }.items():  # fmt: skip
        assert (folder / suffix).read_bytes().startswith(start), suffix
    assert r"\toprule" in (folder / "table.tex").read_text()
    page = (ran / "quick" / "index.html").read_text()
    assert "scrf-bench run fig1 --profile quick" in page
    assert "<svg" in page or "<img" in page
    assert "Figure 1: kernel approximation" in page
    # The claims that fig1 judges, each with its verdict, and no others.
    assert "Verdicts on published claims" in page
    assert "SCRF&#39;s error falls as D^(-1/2)" in page
    assert "O(D log d)" not in page
    assert str(ran / "quick" / "index.html") in result.stderr
    assert ids_in(ran) == before


def test_report_goes_on_where_one_experiment_has_no_records(configs, ran):
    result = run_cli("report", "table1", "fig1", "--maps", "rks", "--configs", configs, "--results", ran)
    assert result.exit_code == 0
    assert "table1: no records" in result.stderr
    assert "Figure 1(d)" in result.stdout


def test_only_the_table_is_on_stdout(configs, ran):
    """A second run runs nothing, says so on stderr, and gives the table, or with ``--json`` the records, on stdout."""
    arguments = ["run", "fig1", "--maps", "rks", "--configs", configs, "--results", ran]
    words = run_cli(*arguments)
    assert words.stdout.startswith("Figure 1(d)") or "Figure 1(d)" in words.stdout.splitlines()[0]
    assert "2 cells: 2 ok (2 done before)" in words.stderr
    assert "Written to" not in words.stdout
    records = [json.loads(line) for line in run_cli(*arguments, "--json").stdout.splitlines()]
    assert sorted(record["cell"]["label"] for record in records) == ["RKS D curve 1-2", "RKS scatter"]


def test_a_reader_that_goes_away_is_no_error():
    """``scrf-bench list datasets | head -1`` prints no traceback."""
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m scrf_bench list datasets | head -1; echo ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[1] in ("0", "1")
