"""A dataset that cannot be had: refused where it was asked for by name, replaced or left out otherwise."""

import csv
import json

import pytest

from scrf_bench.bench import Record
from scrf_bench.errors import DataError
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import prepare
from tests.bench.fake_plan import ENVIRONMENT
from tests.experiments.tiny_study import CONFIGS, LEARNER, record_files, run_cli, write_configs

TUNING = CONFIGS["tuning/ionosphere"]
USPS = """
    [quick]
    maps = ["scrf"]
    embedding = "phase"
    seeds = 1
    exact_runs = 1
    learner = {learner}
    datasets = [
      {{ name = "ionosphere", status = "ours", D = 32 }},
      {{ name = "{name}", status = "inferred", D = 32 {more} }},
    ]
"""


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """An empty mirror, an empty cache and no network."""
    (tmp_path / "mirror").mkdir()
    monkeypatch.setenv("SCRF_BENCH_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("SCRF_BENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path


def table2(folder, name, more="", **tunings):
    text = USPS.format(learner=LEARNER, name=name, more=more)
    texts = {f"tuning__{key}": TUNING.replace("ionosphere", key) for key in tunings or (name,)}
    return write_configs(folder / "configs", table2=text, **texts)


def test_asked_for_by_name_it_is_refused_before_anything_runs(nowhere):
    arguments = ["run", "table2", "--profile", "paper", "--datasets", "a9a", "--offline", "--results", nowhere / "r"]
    result = run_cli(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: a9a: cannot get the file ")
    assert f"mirror {nowhere}/mirror/a9a" in result.stderr
    assert "run without --offline" in result.stderr
    assert "Traceback" not in result.output
    assert not (nowhere / "r").exists()
    assert not list((nowhere / "cache").rglob("*")) if (nowhere / "cache").exists() else True


def test_a_dry_run_needs_no_data(nowhere):
    result = run_cli("run", "table2", "--profile", "paper", "--datasets", "a9a", "--offline", "--dry-run")
    assert result.exit_code == 0
    assert "a9a" in result.stdout


def test_one_of_several_is_left_out_and_recorded(nowhere):
    """Its cells are recorded ``unavailable``, the others are measured, and the exit code says 3."""
    configs = table2(nowhere, "a9a")
    arguments = ["run", "table2", "--offline", "--configs", configs, "--results", nowhere]
    result = run_cli(*arguments)
    assert result.exit_code == 3, result.output
    assert "a9a cannot be had and is left out: a9a: cannot get the file" in result.stderr
    statuses = {(r["cell"]["dataset"], r["status"]) for r in record_files(nowhere / "quick" / "table2")}
    assert statuses == {("ionosphere", "ok"), ("a9a", "unavailable")}
    assert "a9a SCRF seed 0: unavailable. a9a: cannot get the file" in result.stderr
    with (nowhere / "quick" / "table2" / "table.csv").open() as stream:
        accuracies = [(row["dataset"], bool(row["accuracy"])) for row in csv.DictReader(stream)]
    assert accuracies == [("ionosphere", True)] * 3 + [("a9a", False)] * 3
    table = (nowhere / "quick" / "table2" / "table.md").read_text()
    assert "a9a SCRF seed 0: unavailable" in table

    states = [
        json.loads(line)["state"]
        for line in run_cli(
            "status", "table2", "--json", "--configs", configs, "--results", nowhere
        ).stdout.splitlines()
    ]
    assert states == ["ok"] * 3 + ["unavailable"] * 3
    again = run_cli(*arguments)
    assert again.exit_code == 3
    assert len(record_files(nowhere / "quick" / "table2")) == 6, "the same words are not recorded twice"


def fetch_only(*available):
    def fetch(name, sources):
        if name not in available:
            raise DataError(f"{name}: cannot get it")
        return []

    return fetch


def planned(configs, results, monkeypatch, *available):
    """Return the cells that a run would run, and what it says, with only some datasets to be had."""
    seen = []
    monkeypatch.setattr("scrf_bench.experiments.campaign.fetch", fetch_only(*available))

    def run_cells(cells, *_):
        seen.extend(cells)
        raise DataError("stop here")

    monkeypatch.setattr("scrf_bench.bench.run_cells", run_cells)
    result = run_cli("run", "table2", "--configs", configs, "--results", results)
    return seen, result


def test_a_stand_in_is_used_and_said(nowhere, monkeypatch):
    configs = table2(nowhere, "usps", ', fallback = "usps_esl"', usps=1, usps_esl=1)
    cells, result = planned(configs, nowhere, monkeypatch, "ionosphere", "usps_esl")
    assert {cell.dataset for cell in cells} == {"ionosphere", "usps_esl"}
    assert not any(cell.unavailable for cell in cells)
    assert "usps cannot be had; usps_esl stands in for it." in result.stderr


def test_the_set_itself_goes_before_its_stand_in(nowhere, monkeypatch):
    configs = table2(nowhere, "usps", ', fallback = "usps_esl"', usps=1, usps_esl=1)
    cells, result = planned(configs, nowhere, monkeypatch, "ionosphere", "usps", "usps_esl")
    assert {cell.dataset for cell in cells} == {"ionosphere", "usps"}
    assert "stands in" not in result.stderr


def test_without_the_stand_in_either_the_set_is_left_out(nowhere, monkeypatch):
    configs = table2(nowhere, "usps", ', fallback = "usps_esl"', usps=1, usps_esl=1)
    cells, result = planned(configs, nowhere, monkeypatch, "ionosphere")
    assert {cell.dataset: bool(cell.unavailable) for cell in cells} == {"ionosphere": False, "usps": True}
    assert "usps cannot be had and is left out" in result.stderr


def test_set_and_stand_in_can_both_be_asked_for(nowhere):
    configs = table2(nowhere, "usps", ', fallback = "usps_esl"', usps=1, usps_esl=1)
    result = run_cli("run", "table2", "--datasets", "usps,usps_esl", "--configs", configs, "--dry-run", "--json")
    assert {json.loads(line)["dataset"] for line in result.stdout.splitlines()} == {"usps", "usps_esl"}


def test_status_and_report_follow_the_stand_in_that_was_used(nowhere):
    """A record that only says that the set was not to be had does not hide its stand-in's records."""
    configs = table2(nowhere, "usps", ', fallback = "usps_esl"', usps=1, usps_esl=1)

    def seen(**options):
        found = prepare("table2", Selection(**options), results=nowhere, configs=configs)
        return found, {cell.dataset: cell for cell in found.cells}

    plain, cells = seen()
    assert set(cells) == {"ionosphere", "usps"}
    plain.store.add(Record(cells["usps"], ENVIRONMENT, 1, "unavailable", error="not to be had"))
    _, stand_in = seen(datasets=("usps_esl",))
    plain.store.add(Record(stand_in["usps_esl"], ENVIRONMENT, 1, "failed", error="something else"))
    again, cells = seen()
    assert set(cells) == {"ionosphere", "usps_esl"}
    assert again.selection.replaced == {"usps": "usps_esl"}
