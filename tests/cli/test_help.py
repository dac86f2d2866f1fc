"""Every command helps with an example, and help costs no heavy import."""

import subprocess
import sys

import click
import pytest

from scrf_bench.cli.main import cli
from tests.experiments.tiny_study import run_cli


def all_commands():
    """Yield every command as the words that call it, groups included."""
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        yield (name,)
        if isinstance(command, click.Group):
            yield from ((name, sub) for sub in command.list_commands(context))


@pytest.mark.parametrize("words", [(), *all_commands()], ids=" ".join)
def test_help_shows_an_example_that_calls_this_command(words):
    result = run_cli(*words, "--help")
    assert result.exit_code == 0
    assert "Example: " in result.stdout
    # The last command of the example is the one that is helped with.
    example = " ".join(result.stdout.partition("Example: ")[2].split())
    assert " ".join(("scrf-bench", *words)) in example


def test_the_examples_own_options_exist():
    """Every option that an example uses is one that the command shows in its help."""
    for words in all_commands():
        text = run_cli(*words, "--help").stdout
        usage, _, example = text.partition("Example: ")
        own = example.split(";")[-1].split("|")[0]
        for option in [word for word in own.split() if word.startswith("--")]:
            known = usage + (run_cli("data", "fetch", "--help").stdout if words == ("data",) else "")
            assert option in known, f"{' '.join(words)}: its example uses {option}"


@pytest.mark.parametrize(
    "words",
    [("--help",), ("--version",), ("run", "--help"), ("data", "fetch", "--help"), ("status", "--help")],
    ids=" ".join,
)
def test_help_imports_nothing_heavy(words):
    code = (
        "import sys\n"
        "from scrf_bench.cli import main\n"
        f"sys.argv = ['scrf-bench', *{words!r}]\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'matplotlib', 'pandas', 'numba', 'rich', 'pooch', 'requests'}\n"
        "print('heavy:', *sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "heavy:"
    assert done.stdout


def test_a_command_that_cannot_be_imported_does_not_spoil_help(monkeypatch):
    monkeypatch.setitem(sys.modules, "scrf_bench.cli.tune", None)
    assert run_cli("--help").exit_code == 0
