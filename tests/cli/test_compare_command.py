"""``compare`` from two folders: exit codes, the three outputs, and folders that cannot be compared."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scrf_bench.bench import Store
from tests.experiments.gate_records import quality, times
from tests.experiments.tiny_study import run_cli


def folder(path, *records):
    for record in records:
        Store(path / record.cell.experiment).add(record)
    return path


@pytest.fixture
def base(tmp_path):
    return folder(tmp_path / "base", quality(0), quality(1), *times())


def test_no_change_is_green(base):
    result = run_cli("compare", base, base)
    assert result.exit_code == 0
    assert "No regression: none of 6 rows is red (5 cells measured on both sides)." in result.stdout
    assert "Regression:" not in result.output


def test_a_regression_exits_with_4_in_all_three_forms(base, tmp_path):
    new = folder(tmp_path / "new", quality(0, digest="bb", errors=51), quality(1), *times(seed=1, ratio=0.75))
    comment = tmp_path / "comment.md"
    result = run_cli("compare", base, new, "--markdown", comment)
    assert result.exit_code == 4
    assert "Regression: 2 of 6 rows are red (5 cells measured on both sides)." in result.stdout
    assert "accuracy at D=64: 0.95 -> 0.949 (errors 50 -> 51)" in result.stderr
    assert comment.read_text().startswith("### 🔴")
    parsed = run_cli("compare", base, new, "--json")
    assert parsed.exit_code == 4
    data = json.loads(parsed.stdout)
    assert (data["red"], data["exit_code"], data["compared"]) == (True, 4, 5)
    slower = next(row for row in data["rows"] if row["kind"] == "time")
    assert (slower["verdict"], slower["red"], len(slower["base"]), len(slower["new"])) == ("worse", True, 3, 3)
    assert slower["p_worse"] <= slower["p_worse_adjusted"] <= 0.01


@pytest.mark.parametrize("columns", ["80", "119", "200"])
def test_the_tables_fit_any_window(base, tmp_path, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    new = folder(tmp_path / "new", quality(0, digest="bb", errors=51), quality(1), *times(seed=1, ratio=0.75))
    result = run_cli("compare", base, new)
    assert result.exit_code == 4
    assert max(map(len, result.stdout.splitlines())) <= int(columns)


def test_one_stdout_takes_one_form(base):
    result = run_cli("compare", base, base, "--json", "--markdown", "-")
    assert result.exit_code == 2
    assert "both print to stdout" in result.stderr


def test_missing_cells_are_named_and_red_with_strict(base, tmp_path):
    new = folder(tmp_path / "new", quality(0), *times())
    plain, strict = (run_cli("compare", base, new, *more) for more in ((), ("--strict", "--markdown", "-")))
    assert (plain.exit_code, strict.exit_code) == (0, 4)
    assert strict.stdout.startswith("### 🔴 scrf-bench: Red, as --strict has it: cells are missing")
    assert "missing: table2: dna scrf seed 1" in plain.stderr


def test_one_experiments_store_and_a_choice_of_experiments(base, tmp_path):
    new = folder(tmp_path / "new", quality(0, digest="bb"), quality(1), *times())
    assert run_cli("compare", base / "table2", new / "table2" / "records").exit_code == 4
    assert run_cli("compare", base, new, "--experiments", "gate-times").exit_code == 0


def test_a_gate_file_of_ones_own(base, tmp_path):
    gate = tmp_path / "mine.toml"
    gate.write_text("alhpa = 0.01\n")
    result = run_cli("compare", base, base, "--gate", gate)
    assert result.exit_code == 2
    assert "mine.toml.alhpa: unknown key. Did you mean 'alpha'" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nowhere", "base"), "there is no such folder"),
        (("base", "empty"), "holds no readable records"),
        ((".", "base"), "holds the profiles base"),
        (("base", "other"), "have no cell in common"),
        (("base", "base", "--experiments", "fig1"), "no readable records of fig1"),
    ],
)
def test_nothing_compared_is_never_green(base, tmp_path, words, message):
    (tmp_path / "empty").mkdir()
    folder(tmp_path / "other", quality(7, method="rks"))
    result = run_cli(
        "compare", *(tmp_path / word if word in ("nowhere", "base", "empty", ".", "other") else word for word in words)
    )
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.fixture
def red(base, tmp_path):
    return folder(tmp_path / "red", quality(0, digest="bb", errors=51), quality(1), *times(seed=1, ratio=0.75))


@pytest.mark.parametrize("more", [(), ("--json",), ("--markdown", "-")])
def test_red_stays_red_where_the_reader_has_gone(base, red, more):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "scrf_bench", "compare", str(base), str(red), *more]
    done = subprocess.run(command, stdout=writing, stderr=writing, check=False)
    os.close(writing)
    assert done.returncode == 4


def test_a_full_disk_behind_the_output_is_said_and_not_a_fault(base, red):
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    command = [sys.executable, "-m", "scrf_bench", "compare", str(base), str(red)]
    with full.open("w") as stream:
        done = subprocess.run(command, stdout=stream, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("Error: No space left")


def test_the_comment_goes_where_it_is_sent(base, red, tmp_path):
    """A pipe is written to and not replaced by a file; a link keeps pointing where it did; - is the terminal."""
    printed = run_cli("compare", base, red, "--markdown", "-").stdout
    assert printed.startswith("### 🔴")
    command = [sys.executable, "-m", "scrf_bench", "compare", str(base), str(red), "--markdown"]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        subprocess.run([*command, str(pipe)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        assert reader.communicate()[0].decode() == printed
    assert pipe.is_fifo()
    (tmp_path / "comment.md").write_text("old")
    link = tmp_path / "link.md"
    link.symlink_to("comment.md")
    run_cli("compare", base, red, "--markdown", link)
    assert link.is_symlink()
    assert (tmp_path / "comment.md").read_text() == printed


def test_unreadable_records_are_in_the_comment_and_the_json(base, tmp_path):
    new = folder(tmp_path / "new", quality(0), quality(1), *times())
    bad = sorted((new / "table2" / "records").glob("*.json"))[0]
    bad.write_text(bad.read_text()[:100])
    result = run_cli("compare", base, new, "--json", "--markdown", tmp_path / "comment.md")
    (line,) = json.loads(result.stdout)["unreadable"]
    assert bad.name in line
    assert "Not compared (2)" in (tmp_path / "comment.md").read_text()
    assert bad.name in (tmp_path / "comment.md").read_text()
