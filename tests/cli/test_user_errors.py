"""What a user can mend ends with exit code 2 and one message that names the value; nothing was run or written."""

import subprocess
import sys

import pytest

from tests.experiments.tiny_study import CONFIGS, run_cli, write_configs


@pytest.fixture
def results(tmp_path):
    """A results folder that a refused command must not make."""
    yield tmp_path / "results"
    assert not (tmp_path / "results").exists()


def refused(*arguments):
    """Run a command that must be refused, and return its one message."""
    result = run_cli(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert len([line for line in result.stderr.splitlines() if line.startswith("Error: ")]) == 1
    return result.stderr.partition("Error: ")[2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["frobnicate"], ["'frobnicate'"]),
        (["run", "tabel2"], ["'tabel2'", "Did you mean 'table2'?"]),
        (["run", "table2", "zebra"], ["'zebra'", "fig1, table1"]),
        (["run"], ["Name an experiment, or --all", "fig1", "table2"]),
        (["status"], ["Name an experiment, or --all"]),
        (["report"], ["Name an experiment, or --all"]),
        (["run", "--all", "fig1", "fig2"], ["--all", "fig1, fig2", "not both"]),
        (["run", "table2", "--datasets", "zebra"], ["'zebra'"]),
        (["run", "fig1", "--datasets", "zebra"], ["'zebra'"]),
        (["run", "table2", "--datasets", "pima"], ["--datasets pima", "'table2'", "dna"]),
        (["run", "fig3", "--datasets", "letter"], ["--datasets letter", "'fig3'", "satimage"]),
        (["run", "table2", "--datasets", ","], ["--datasets", "no names"]),
        (["run", "table2", "--maps", "zebra"], ["'zebra'", "scrf"]),
        (["run", "fig1", "--maps", "scrff"], ["'scrff'", "Did you mean 'scrf'"]),
        (["run", "fig3", "--maps", "control"], ["'fig3'", "--maps control"]),
        (["run", "fig1", "--maps", "libsvm"], ["'libsvm'"]),
        (["run", "fig1", "--profile", "huge"], ["'huge'", "'quick', 'paper'"]),
        (["run", "fig1", "--memory-limit", "8 cows"], ["'8 cows'", "8GB"]),
        (["run", "fig1", "--memory-limit", "0GB"], ["'0GB'"]),
        (["run", "fig1", "--retry", "zebra"], ["'zebra'", "failed, timeout, memory"]),
        (["run", "fig1", "--retry", "ok"], ["'ok'", "--force"]),
        (["run", "fig1", "--seeds", "0"], ["--seeds", "0"]),
        (["run", "fig1", "--jobs", "0"], ["--jobs", "0"]),
        (["run", "fig1", "--threads", "-1"], ["--threads", "-1"]),
        (["run", "fig1", "--timeout", "0"], ["--timeout", "0"]),
        (["run", "fig1", "--timeout", "nan"], ["--timeout", "nan"]),
        (["run", "fig1", "--configs", "/nowhere"], ["/nowhere", "no such folder"]),
        (["run", "fig1", "--mirror", "gopher://x"], ["gopher://x"]),
        (["run", "fig1", "--plugin", "/nowhere.py"], ["/nowhere.py"]),
        (["run", "fig1", "--zebra"], ["--zebra"]),
        (["status", "zebra"], ["'zebra'"]),
        (["report", "zebra"], ["'zebra'"]),
        (["report", "fig1", "--format", "bmp,png,gif"], ["bmp,gif", "html"]),
        (["report", "fig1", "table1"], ["no records", "scrf-bench run fig1 table1 --profile quick"]),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_a_bad_argument_is_named(arguments, words, results):
    where = ["--results", results] if arguments[0] in ("run", "status", "report") else []
    message = refused(*arguments, *where)
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["list", "zebras"], "'zebras'"),
        (["tune", "zebra"], "'zebra'"),
        (["tune", "abalone"], "'abalone' is a regression set"),
        (["cell", "/nowhere.json"], "/nowhere.json"),
        (["data", "info", "zebra"], "'zebra'"),
        (["info", "--threads", "0"], "--threads"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_other_commands_name_it_too(arguments, word):
    result = run_cli(*arguments)
    assert result.exit_code == 2
    assert word in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("fig1", "[quick\n", ["fig1.toml", "not valid TOML", "line 1"]),
        ("fig1", CONFIGS["fig1"].replace("d = 16", "d = 'wide'"), ["fig1.toml", "quick.d", "expected int", "'wide'"]),
        ("fig1", CONFIGS["fig1"].replace('"phase"', '"wave"'), ["fig1.toml", "quick.embedding", "'wave'", "phase"]),
        ("fig1", CONFIGS["fig1"].replace("seed =", "sead ="), ["fig1.toml", "quick.sead", "Did you mean 'seed'?"]),
        ("fig1", CONFIGS["fig1"].replace("per_cell = 2", "per_cell = 0"), ["repetitions_per_cell: 0", "at least 1"]),
        ("table1", CONFIGS["table1"].replace("[16, 20]", "[16, 2.5]"), ["table1.toml", "quick.d[1]", "2.5"]),
        ("fig2", CONFIGS["fig2"].replace('["rks"', '["zebra"'), ["'zebra'"]),
        ("fig3", CONFIGS["fig3"] + "components_per_cell = 0", ["quick.components_per_cell: 0", "at least 1"]),
        ("table2", CONFIGS["table2"].replace("bias = 1.0, ", ""), ["table2.toml", "quick.learner.bias", "missing"]),
        ("table2", CONFIGS["table2"].replace('"ours"', '"guessed"'), ["table2.toml", "datasets[0]", "guessed"]),
        ("table2", CONFIGS["table2"].replace('"ionosphere"', '"zebra"'), ["'zebra'"]),
        ("table2", CONFIGS["table2"].replace('"ionosphere"', '"pima"'), ["'pima'", "scrf-bench tune pima"]),
        ("tuning/ionosphere", "[chosen]\ndataset = 3", ["tuning/ionosphere.toml", "chosen.dataset", "3"]),
    ],
)  # fmt: skip
def test_a_broken_config_names_file_and_key(name, text, words, tmp_path, results):
    configs = write_configs(tmp_path / "configs", **{name.replace("/", "__"): text})
    experiment = "table2" if "/" in name else name
    message = refused("run", experiment, "--configs", configs, "--results", results)
    for word in words:
        assert word in message


def test_a_config_that_is_a_folder_is_named(tmp_path, results):
    (tmp_path / "configs" / "fig1.toml").mkdir(parents=True)
    message = refused("run", "fig1", "--configs", tmp_path / "configs", "--results", results)
    assert "fig1.toml" in message
    assert "directory" in message


def test_a_plugin_that_fails_to_load_is_named_with_its_reason(tmp_path, results):
    plugin = tmp_path / "mine.py"
    plugin.write_text("import nothing_of_that_name")
    message = refused("run", "fig1", "--plugin", plugin, "--results", results)
    assert str(plugin) in message
    assert "nothing_of_that_name" in message


def test_a_results_folder_that_cannot_be_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    result = run_cli("run", "fig1", "--results", tmp_path / "file" / "below", "--maps", "rks", "--seeds", "1")
    assert result.exit_code == 2
    assert str(tmp_path / "file" / "below") in result.stderr
    assert "Traceback" not in result.output


def test_a_name_is_refused_before_anything_is_fetched_for_another(monkeypatch, tmp_path):
    monkeypatch.setattr("scrf_bench.experiments.campaign.fetch", lambda *_: pytest.fail("fetched"))
    assert run_cli("run", "table2", "zebra", "--results", tmp_path).exit_code == 2


def test_debug_shows_the_traceback_and_keeps_message_and_exit_code():
    result = run_cli("--debug", "run", "zebra")
    assert result.exit_code == 2
    assert "Traceback (most recent call last)" in result.stderr
    assert "UnknownNameError" in result.stderr
    assert result.stderr.rstrip().splitlines()[-1].startswith("Error: There is no experiment 'zebra'")


def test_the_installed_command_ends_with_the_exit_code():
    """The process itself, not only click's runner: one message, no traceback, exit code 2."""
    done = subprocess.run(
        [sys.executable, "-m", "scrf_bench", "run", "zebra"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: There is no experiment 'zebra'. Known: fig1, table1, ")
    assert len(done.stderr.splitlines()) == 1


def test_a_config_that_no_experiment_reads_is_named(tmp_path):
    (tmp_path / "fgi1.toml").write_text("[quick]\n")
    result = run_cli("run", "fig1", "--configs", tmp_path, "--dry-run")
    assert result.exit_code == 2
    assert "fgi1.toml: no experiment is called 'fgi1'; did you mean fig1.toml?" in result.stderr


def test_a_plug_in_that_exits_or_is_unfinished_is_named(tmp_path):
    (tmp_path / "leaves.py").write_text("import sys\nsys.exit(0)\n")
    result = run_cli("list", "maps", "--plugin", tmp_path / "leaves.py")
    assert result.exit_code == 2
    assert "leaves.py: it fails to load: SystemExit: 0" in result.stderr
    (tmp_path / "half.py").write_text(
        "from scrf_bench.maps import RandomFeatureMap, register_map\n\n\n"
        "@register_map\nclass Half(RandomFeatureMap):\n    name = label = 'half'\n"
    )
    result = run_cli("list", "maps", "--plugin", tmp_path / "half.py")
    assert result.exit_code == 2
    assert "is not finished: it must define _draw_projection" in result.stderr


def test_a_plug_in_prints_on_stderr(tmp_path):
    (tmp_path / "talks.py").write_text("print('hello from a plug-in')\n")
    result = run_cli("list", "maps", "--plugin", tmp_path / "talks.py")
    assert result.exit_code == 0
    assert "hello" not in result.stdout
    assert "hello" in result.stderr


def test_tune_finds_out_that_it_cannot_write_before_it_searches(tmp_path, monkeypatch):
    from scrf_bench.experiments.tuning import search

    def never(*_args, **_options):
        pytest.fail("it searched")

    monkeypatch.setattr(search, "tune_dataset", never)
    (tmp_path / "file").write_text("")
    result = run_cli("tune", "bupa", "--configs", tmp_path / "file" / "configs")
    assert result.exit_code == 2
    assert "Cannot write" in result.stderr
