"""``scrf-bench data``: results on stdout, words on stderr, the suite's own errors with exit code 2."""

import json

import pytest
from click.testing import CliRunner

from scrf_bench.cli.data import data
from scrf_bench.datasets import registry
from scrf_bench.errors import DataError, UnknownNameError
from scrf_bench.resources import resource_path


@pytest.fixture(autouse=True)
def _own_environment(tmp_path, monkeypatch):
    for name in ("SCRF_BENCH_MIRROR", "SCRF_BENCH_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SCRF_BENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path):
    """An empty mirror folder."""
    (tmp_path / "mirror").mkdir()
    return tmp_path / "mirror"


def run(*arguments):
    return CliRunner().invoke(data, [str(a) for a in arguments])


def fault(result, kind=DataError):
    assert isinstance(result.exception, kind), result.output
    assert result.exception.exit_code == 2
    return str(result.exception)


@pytest.mark.parametrize("command", ["fetch", "verify", "path", "clean", "info"])
def test_help_has_an_example(command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"Example: scrf-bench data {command} " in result.stdout


def test_fetch_prints_the_paths_and_nothing_else_on_stdout():
    result = run("fetch", "dna", "bupa", "dna", "--offline")
    assert result.exit_code == 0
    folder = resource_path("data/embedded")
    names = ["dna.scale.xz", "dna.scale.t.xz", "bupa.xz"]
    assert result.stdout.splitlines() == [str(folder / name) for name in names]


def test_fetch_goes_on_after_a_fault_and_then_tells_all(folder):
    result = run("fetch", "usps", "pima", "vowel", "--offline", "--mirror", folder)
    assert result.stdout.splitlines() == [str(resource_path("data/embedded") / "pima.xz")]
    message = fault(result)
    assert "usps: cannot get the file 'usps.bz2' (train)." in message
    assert "use the dataset 'usps_esl' instead" in message
    assert f"mirror {folder}/vowel.xz: not there" in message


def test_options_win_over_the_environment(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("SCRF_BENCH_MIRROR", "/nowhere")
    message = fault(run("fetch", "vowel", "--offline", "--mirror", folder, "--cache", tmp_path / "other"))
    assert "/nowhere" not in message
    assert f"cache {tmp_path}/other/raw/vowel.xz: not there" in message


def test_verify_looks_inside_and_names_what_is_missing_or_broken(folder):
    assert run("verify", "german.numer").stdout == (
        f"german.numer\tgerman.numer.xz\tok\tembedded {resource_path('data/embedded')}/german.numer.xz\n"
    )
    (folder / "vowel.xz").write_bytes(b"<html>")
    result = run("verify", "vowel", "bupa", "--mirror", folder)
    states = [line.split("\t")[2] for line in result.stdout.splitlines()]
    assert states == ["broken", "missing", "ok"]
    message = fault(result)
    assert "vowel: vowel.xz: broken: vowel.xz: an HTML page in place of data" in message
    assert "vowel: vowel.t.xz: missing: not on this machine" in message
    assert (folder / "vowel.xz").exists()


def test_path_prints_what_is_here_and_fails_for_the_rest():
    result = run("path", "letter", "mnist")
    assert len(result.stdout.splitlines()) == 2
    message = fault(result)
    assert "mnist: mnist.bz2: not on this machine" in message
    assert "'scrf-bench data fetch NAME'" in message


def test_clean_removes_what_is_cached_of_the_named_sets_only(tmp_path):
    raw, parsed = tmp_path / "cache" / "raw", tmp_path / "cache" / "parsed"
    raw.mkdir(parents=True)
    parsed.mkdir()
    spec = registry()["vowel"]
    entry = parsed / f"{spec.files[0].text_sha256[:32]}-w10-v1.npz"
    gone = [entry, *(raw / n for n in ("vowel.xz", "vowel.xz.part", "vowel.t.xz.broken", "vowel.xz.lock"))]
    kept = [parsed / "other.npz", raw / "mnist.bz2"]
    for path in [*gone, *kept]:
        path.write_bytes(b"")
    result = run("clean", "vowel", "pima")
    assert set(result.stdout.splitlines()) == {str(path) for path in gone}
    assert not any(path.exists() for path in gone)
    assert all(path.exists() for path in kept)
    again = run("clean", "vowel")
    assert (again.stdout, again.exit_code) == ("", 0)
    assert "Nothing of that is in the cache" in again.stderr


def test_info_for_people_and_for_programs():
    words = run("info", "dna").stdout
    assert "multiclass, 3 classes, 180 features" in words
    assert "2,000 rows to train, 1,186 to test (official split)" in words
    assert "CC BY 4.0" in words
    entries = json.loads(run("info", "--all", "--json").stdout)
    assert [entry["name"] for entry in entries] == list(registry())
    dna = entries[0]
    assert dna["files"][0]["label_counts"] == {"1": 464, "2": 485, "3": 1051}
    assert dna["files"][0]["path"].endswith("embedded/dna.scale.xz")
    assert dna["identity"] == registry()["dna"].identity


def test_names_or_all_but_not_both_or_neither():
    for arguments in (("fetch",), ("fetch", "dna", "--all")):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "Error: " in result.stderr
    assert "did you mean 'mnist'?" in fault(run("info", "mnits"), UnknownNameError)
