"""``scrf-bench cell``: run one planned cell in this process; every executor calls it."""

from __future__ import annotations

from pathlib import Path

import click

from scrf_bench.cli.options import plugin_option


@click.command(epilog="Example: scrf-bench run table2 --dry-run --json > cells; scrf-bench cell one-cell.json")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--outcome",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the outcome here instead of printing it.",
)
@plugin_option
def cell(file: Path, outcome: Path | None) -> None:
    """Run the cell that FILE plans and give its outcome as JSON: status, points, times, memory."""
