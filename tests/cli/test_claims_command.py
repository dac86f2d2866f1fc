"""``scrf-bench claims``: verdicts from records alone, beside the committed ones; nothing is run."""

import csv
import json
import re
import shutil
from pathlib import Path

import pytest

from scrf_bench.experiments import experiment_by_name, experiment_names
from scrf_bench.experiments.verdicts import declared_claims
from tests.experiments.made_up import accuracies, errors, made_up_configs, made_up_records, times
from tests.experiments.tiny_study import run_cli

REFERENCE = Path(__file__).parents[2] / "results" / "reference"
ALL = {
    "fig1": errors({"scrf": 1.3}),
    "table1": times(lambda name, d: {"rks": d, "fastfood": 9.0, "scrf": 8.0}[name]),
    "fig2": times(lambda name, d: d),
    "table2": accuracies(lambda *_: 0.9),
    "fig3-maps": accuracies(lambda *_: 0.9),
}


@pytest.fixture(scope="module")
def configs(tmp_path_factory):
    return made_up_configs(tmp_path_factory.mktemp("configs"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory, configs):
    """A results folder with made-up records of the experiments above: fig3 is not among them."""
    results = tmp_path_factory.mktemp("results")
    for name, points in ALL.items():
        made_up_records(name, results, configs, points)
    return results


@pytest.fixture
def results(filled, tmp_path):
    return Path(shutil.copytree(filled, tmp_path / "results"))


@pytest.fixture
def without_reference(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def claims(configs, results, *arguments):
    return run_cli("claims", *arguments, "--configs", configs, "--results", results)


def entries(result):
    return {entry["id"]: entry for entry in map(json.loads, result.stdout.splitlines())}


@pytest.mark.usefixtures("without_reference")
def test_the_table_has_every_claim_and_what_is_missing_is_named(configs, results):
    result = claims(configs, results)
    assert result.exit_code == 3, result.output
    lacking = {" ".join(c.experiments) for c in declared_claims() if not set(c.experiments) <= set(ALL)}
    assert "fig3" in lacking
    folders = f"--results {results} --configs {configs}"
    _, *commands = result.stderr.partition("Cells are missing or not ok")[2].splitlines()
    assert sorted(commands) == sorted(f"scrf-bench run {names} --profile quick {folders}" for names in lacking)
    with (results / "quick" / "claims" / "table.csv").open() as stream:
        rows = {row["claim"]: row for row in csv.DictReader(stream)}
    assert list(rows) == [claim.sentence for claim in declared_claims()]
    equal = rows["SCRF's relative error equals that of RKS"]
    assert (equal["verdict"], equal["n"], equal["looks"]) == ("fails", "12 repetitions", "1×")
    assert re.fullmatch(r"1\.[23]\d?× \[1\.[23]\d?, 1\.3\d?\]", equal["effect"])
    assert equal["asked"] == "0.952 to 1.05×"
    below = rows["SCRF's relative error is below Fastfood's"]
    assert below["asked"] == "≤ 0.952×"
    rate = rows["SCRF's error falls as D^(-1/2)"]
    assert re.fullmatch(r"exponent -0\.\d+ \[-0\.\d+, -0\.\d+\]", rate["effect"])
    accuracy = rows["SCRF's test accuracy equals that of RKS"]
    assert re.search(r"\] points \((dna|ionosphere)\)$", accuracy["effect"])
    assert accuracy["n"] == "4 seeds"
    assert rows["SCRF stores 3D parameters, Fastfood 5D"]["effect"] == "3 a column (SCRF, d = 16)"
    open_one = rows["SCRF's test accuracy equals that of RKS at every D"]
    assert (open_one["verdict"], open_one["why"]) == ("no records", "Run: scrf-bench run fig3 --profile quick")
    assert "reference" not in equal
    assert result.stdout.startswith("Verdicts on published claims, quick profile")
    assert "How each claim is judged" in result.stdout


@pytest.mark.usefixtures("without_reference")
def test_a_narrow_table_holds_no_command_and_says_of_each_part_whose_it_is(configs, results, monkeypatch):
    """At 80 columns a command in a field would be cut to pieces: those below are whole."""
    monkeypatch.setenv("COLUMNS", "80")
    result = claims(configs, results, "crhs")
    verdicts, _, _ = result.stdout.partition("How each claim is judged")
    assert "See below." in verdicts
    assert "scrf-" not in verdicts
    assert "crhs" in result.stderr.partition("Cells are missing")[2]
    heads = [line for line in verdicts.splitlines() if line.startswith("paper")]
    assert len(heads) > 1, "it is too wide for one block"
    assert all(line.split()[:2] == ["paper", "claim"] for line in heads)


@pytest.mark.usefixtures("without_reference")
def test_it_writes_tables_and_a_picture_and_runs_nothing(configs, results, monkeypatch):
    monkeypatch.setattr("scrf_bench.bench.run_cells", lambda *_: pytest.fail("ran something"))
    before = sorted(results.rglob("records/*.json"))
    claims(configs, results)
    folder = results / "quick" / "claims"
    assert (folder / "table.md").read_text().startswith("**Verdicts on published claims, quick profile**")
    assert "within +-0.5 points (equivalence)" in (folder / "table-tests.md").read_text()
    assert "| dna" in (folder / "table-parts.md").read_text()
    assert (folder / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(results.rglob("records/*.json")) == before
    first = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    claims(configs, results)
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == first


@pytest.mark.usefixtures("without_reference")
def test_json_says_everything_of_a_claim(configs, results):
    found = entries(claims(configs, results, "scrf", "--json"))
    assert set(found) == {claim.id for claim in declared_claims("scrf")} < {claim.id for claim in declared_claims()}
    rate = found["scrf-error-rate"]
    assert (rate["verdict"], rate["looks"], rate["complete"], rate["reference"]) == ("holds", 1, True, None)
    assert rate["effect"]["allowed"] == pytest.approx([-0.55, -0.45])
    assert rate["effect"]["low"] < -0.5 < rate["effect"]["high"]
    assert (rate["effect"]["n"], rate["effect"]["confidence"]) == (12, 0.9)
    assert (rate["effect"]["unit"], rate["effect"]["of"]) == ("exponent", "repetitions")
    timed = found["scrf-training-faster-than-libsvm"]["effect"]
    assert (timed["unit"], timed["n"], timed["n_against"], timed["runs"]) == ("ratio", 4, 2, 2)
    assert rate["settings"]["margins"]["error_exponent"] == 0.05
    assert [part["label"] for part in found["scrf-accuracy-equals-rks"]["parts"]] == ["ionosphere", "dna"]
    assert found["scrf-row-signs"]["verdict"] == "settled by theory"
    assert found["scrf-table1-cells"]["verdict"] == "not testable"
    assert (found["scrf-accuracy-equals-rks-fig3"]["verdict"], found["scrf-row-signs"]["command"]) == (
        "no records",
        None,
    )


def test_committed_verdicts_stand_beside_and_stay_untouched(configs, results, tmp_path):
    """The reference has fig1 in its paper profile and table2 in its quick one alone: each gives what it has."""
    reference = tmp_path / "reference"
    made_up_records("fig1", reference, None, errors({"scrf": 1.3}), profile="paper")
    made_up_records("table2", reference, None, accuracies(lambda *_: 0.9))
    before = sorted(reference.rglob("*"))
    found = entries(claims(configs, results, "--json", "--reference", reference))
    beside = {name: entry["reference"] and entry["reference"]["profile"] for name, entry in found.items()}
    assert (beside["scrf-error-rate"], beside["scrf-accuracy-equals-rks"]) == ("paper", "quick")
    assert beside["scrf-parameters"] is None
    assert found["scrf-mse-equals-rks"]["reference"]["verdict"] == "fails"
    assert sorted(reference.rglob("*")) == before
    text = (results / "quick" / "claims" / "table.md").read_text()
    assert "from committed records" in text
    assert "fails (paper, " in text


@pytest.fixture(scope="module", params=["quick", "paper"])
def from_committed_records(request, tmp_path_factory):
    """The profile, what ``claims --json`` says of the committed records, and the table that it wrote."""
    results = tmp_path_factory.mktemp("committed")
    # The committed tables and pictures need not be copied.
    ignored = shutil.ignore_patterns("*.png", "*.md", "*.csv")
    shutil.copytree(REFERENCE / request.param, results / request.param, ignore=ignored)
    result = run_cli("claims", "--json", "--profile", request.param, "--results", results, "--reference", results)
    assert result.exit_code in (0, 3), result.output
    return request.param, entries(result), results / request.param / "claims" / "table.md"


def test_the_committed_records_give_these_verdicts(from_committed_records):
    """What no new seed and no other machine would change: counts, exact rates, and the failed equality at n = 100."""
    profile, found, _ = from_committed_records
    expected = dict.fromkeys(("scrf-error-rate", "scrf-parameters", "scrf-memory-linear", "ocrf-parameters"), "holds")
    expected |= {"scrf-row-signs": "settled by theory", "scrf-table1-cells": "not testable"}
    if profile == "paper":
        equal = ("scrf-mse-equals-rks", "scrf-error-equals-rks", "scrf-variance-rks", "scrf-variance-rks-random")
        expected |= dict.fromkeys(equal, "fails") | {"scrf-unbiased": "holds", "scrf-row-signs-lower-variance": "fails"}
    assert {name: found[name]["verdict"] for name in expected} == expected
    assert found["scrf-mse-equals-rks"]["verdict"] != "holds"


def rows_of(table):
    """Return verdict and effect by claim of a Markdown table."""
    cells = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in table.read_text().splitlines()
        if line.startswith("|")
    ]
    at = {name: i for i, name in enumerate(cells[0])}
    effect = next(i for name, i in at.items() if name.startswith("effect"))
    return {row[at["claim"]]: (row[at["verdict"]], row[effect]) for row in cells[2:]}


def test_the_committed_table_is_that_of_the_committed_records(from_committed_records):
    """Of every claim; where it is not: scrf-bench claims --results results/reference, for both profiles."""
    profile, found, written = from_committed_records
    now, committed = rows_of(written), rows_of(REFERENCE / profile / "claims" / "table.md")
    assert len(now) == len(found)
    assert committed == now


@pytest.mark.usefixtures("without_reference")
def test_all_there_is_exit_code_0(configs, results, monkeypatch):
    """Without the claims that lack records nothing is missing: a claim that fails is no failure of the command."""
    for name in set(experiment_names()) - set(ALL):
        monkeypatch.setattr(type(experiment_by_name(name)), "claims", ())
    result = claims(configs, results)
    assert result.exit_code == 0, result.stderr
    assert "Cells are missing" not in result.stderr


@pytest.mark.usefixtures("without_reference")
def test_the_default_folder_without_records_gives_the_commands_that_would_fill_it(configs):
    result = run_cli("claims", "--json", "--configs", configs)
    assert result.exit_code == 3, result.output
    found = entries(result)
    assert {found[claim.id]["verdict"] for claim in declared_claims() if claim.experiments} == {"no records"}
    assert found["scrf-parameters"]["command"] == "scrf-bench run table1 --profile quick"
    assert Path("results/quick/claims/table.md").is_file()


def test_a_named_folder_that_is_not_there_is_refused_and_not_made(configs, tmp_path):
    result = claims(configs, tmp_path / "typo")
    assert result.exit_code == 2
    assert f"--results {tmp_path / 'typo'}: there is no such folder" in result.stderr
    assert f"scrf-bench run --all --profile quick --results {tmp_path / 'typo'}" in result.stderr
    assert not (tmp_path / "typo").exists()


@pytest.mark.usefixtures("without_reference")
def test_a_damaged_record_is_named_and_skipped(configs, results):
    record = sorted((results / "quick" / "fig2" / "records").glob("*.json"))[0]
    record.write_text(record.read_text()[:-20])
    result = claims(configs, results)
    assert result.exit_code == 3
    assert record.name in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["scfr"], "Did you mean 'scrf'"),
        (["--reference", "nowhere"], "--reference nowhere: there is no such folder"),
    ],
)
def test_what_the_user_can_mend_is_exit_code_2(configs, results, arguments, words):
    result = claims(configs, results, *arguments)
    assert result.exit_code == 2
    assert words in result.stderr


@pytest.mark.usefixtures("without_reference")
def test_a_plugins_experiment_brings_its_claims(tmp_path, monkeypatch):
    monkeypatch.setattr("scrf_bench.experiments._PLUGINS", {})
    plugin = tmp_path / "mine.py"
    plugin.write_text(
        "from scrf_bench.experiments import register_experiment\n"
        "from scrf_bench.experiments.claims import Claim\n"
        "from scrf_bench.experiments.scrf.fig1 import Fig1\n"
        "from scrf_bench.stats import settled\n"
        "@register_experiment\n"
        "class Mine(Fig1):\n"
        "    name, paper = 'mine', 'my-paper'\n"
        "    claims = (Claim('my-claim', 'my-paper', 'p. 1', 'It is so', 'always', 'proof', "
        "lambda evidence: settled('Proved in p. 1.')),)\n"
    )
    result = run_cli("claims", "my-paper", "--json", "--plugin", plugin)
    assert result.exit_code == 0, result.output
    (entry,) = map(json.loads, result.stdout.splitlines())
    assert (entry["id"], entry["verdict"], entry["reason"]) == ("my-claim", "settled by theory", "Proved in p. 1.")
