"""``scrf-bench check-map``: what of the contract a map keeps and breaks, for its author."""

from __future__ import annotations

import contextlib
import json
import sys
import textwrap
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from scrf_bench.cli.names import complete_names
from scrf_bench.cli.options import loaded_plugins, plugin_option, terminal_width
from scrf_bench.errors import UserError


@click.command("check-map", epilog="Example: scrf-bench check-map my_package.maps:MyMap")
@click.argument("target", metavar="MODULE:CLASS", shell_complete=complete_names("maps"))
@click.option("--json", "as_json", is_flag=True, help="One JSON object a check on stdout.")
@click.option("--timeout", "timeout_s", type=click.FloatRange(min=1.0), default=300.0, show_default=True, metavar="S",
              help="Seconds that one check may take.")  # fmt: skip
@click.option("--from", "first", type=click.IntRange(min=0), hidden=True)
@plugin_option
def check_map_command(target: str, as_json: bool, timeout_s: float, first: int | None) -> None:
    """Check the map MODULE:CLASS (or a registered name) against the contract; exit with 2 where it is broken.

    MODULE is imported as Python would from this folder. The checks run in a process of their own, so that a map that
    hangs or crashes is found too.
    """
    from scrf_bench.maps.contract import check_apart, check_map

    # What a map prints is for people: stdout is kept for findings.
    with contextlib.redirect_stdout(sys.stderr):
        kind = _find(target)
        if first is not None:
            for finding in check_map(kind, first):
                print(json.dumps(asdict(finding)), file=sys.__stdout__, flush=True)
            return
    plugins = [word for path in loaded_plugins() for word in ("--plugin", str(path))]
    command = [sys.executable, "-m", "scrf_bench", "check-map", target, *plugins, "--from"]
    broken = total = 0
    for finding in check_apart(command, timeout_s):
        total += 1
        broken += finding.word == "broken"
        if as_json:
            click.echo(json.dumps(asdict(finding)))
        else:
            click.echo(f"{finding.word:<12} {finding.check}")
            if finding.reason:
                indent = " " * 13
                width = min(terminal_width(), 120)
                click.echo(textwrap.fill(finding.reason, width, initial_indent=indent, subsequent_indent=indent))
    click.echo(f"{target}: {broken} of {total} checks are broken.", err=True)
    if broken:
        click.get_current_context().exit(2)


def _find(target: str) -> Any:
    if Path(target.partition(":")[0]).suffix == ".py":
        file, _, attribute = target.partition(":")
        how = f"scrf-bench check-map {attribute.lower() or 'NAME'} --plugin {file}"
        msg = f"{file} is a file, not a module; register the map in it (@register_map) and give its name: {how}"
        raise UserError(msg)
    if ":" not in target:
        from scrf_bench.maps import map_by_name

        return map_by_name(target)
    module, _, attribute = target.partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        how = "Write MODULE:CLASS, and run this where Python finds MODULE; for a file: --plugin FILE NAME."
        msg = f"Cannot import '{target}': {error}. {how}"
        raise UserError(msg) from error
    except Exception as error:
        msg = f"Cannot import '{target}': importing {module} raises {type(error).__name__}: {error}."
        raise UserError(msg) from error
    finally:
        sys.path.remove(str(Path.cwd()))
