"""The group of all commands; each is imported only when it is called, so that ``--help`` answers at once."""

from __future__ import annotations

import contextlib
import sys
import traceback
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from scrf_bench import __version__
from scrf_bench.atomic import is_full
from scrf_bench.cli.output import close_output
from scrf_bench.errors import ScrfBenchError, UserError

# Command -> (module, attribute, what `scrf-bench --help` says of it).
_COMMANDS = {
    "list": ("scrf_bench.cli.listing", "list_command", "Name the experiments, datasets or maps."),
    "data": ("scrf_bench.cli.data", "data", "Fetch, verify, describe or remove datasets."),
    "run": ("scrf_bench.cli.run", "run", "Run what is missing of an experiment and print its table."),
    "status": ("scrf_bench.cli.status", "status", "Say what is done, missing, stale or failed, and why."),
    "report": ("scrf_bench.cli.report", "report", "Render tables and figures again from records."),
    "claims": ("scrf_bench.cli.claims", "claims", "Say of each published claim whether it holds, from records."),
    "compare": ("scrf_bench.cli.compare", "compare", "Compare two folders of records: the regression gate."),
    "gate-power": ("scrf_bench.cli.gate_power", "gate_power", "Say how often the gate is red, and rightly."),
    "merge": ("scrf_bench.cli.merge", "merge", "Bring the records of several folders together."),
    "tune": ("scrf_bench.cli.tune", "tune", "Choose gamma and C of a dataset by cross-validation."),
    "try": ("scrf_bench.cli.try_file", "try_file", "Try all maps on your own file, and recommend one."),
    "check-map": ("scrf_bench.cli.check_map", "check_map_command", "Say what of the contract a map of yours breaks."),
    "cell": ("scrf_bench.cli.cell", "cell", "Run one planned cell (what every executor calls)."),
    "completion": ("scrf_bench.cli.completion", "completion", "Print a script for bash, zsh or fish."),
    "info": ("scrf_bench.cli.info", "info", "Describe the machine, libraries, BLAS and threads."),
}


class LazyGroup(click.Group):
    """A group that knows its commands' names and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the commands in the order people meet them."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return one command."""
        if cmd_name not in _COMMANDS:
            return None
        module, attribute, _ = _COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, _, help_text) in _COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete commands without importing them, then the group's own options."""
        names = [
            CompletionItem(name, help=text) for name, (_, _, text) in _COMMANDS.items() if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; turn the suite's own errors into one message and their exit code."""
        try:
            return super().invoke(ctx)
        except ScrfBenchError as error:
            if ctx.params.get("debug"):
                click.echo(traceback.format_exc(), err=True)
            click.echo(f"Error: {error}", err=True)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(130)
        except BrokenPipeError:
            close_output()  # the reader (head, less) has gone: not an error
            ctx.exit(0)
        except OSError as error:
            if not is_full(error):
                raise
            close_output(sys.stdout)
            with contextlib.suppress(OSError):  # it may be stderr's disk that is full
                click.echo("Error: No space left on the disk (or quota) for what is printed; free some.", err=True)
            ctx.exit(UserError.exit_code)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: scrf-bench run table2",
)
@click.version_option(__version__, prog_name="scrf-bench")
@click.option("--debug", is_flag=True, help="Show a traceback with an error.")
def cli(debug: bool) -> None:
    """Re-run the experiments of papers on fast kernel machines; every number comes from a record."""
