"""``scrf-bench cell``: run one planned cell in this process; every executor calls it."""

from __future__ import annotations

import json
from pathlib import Path

import click

from scrf_bench.cli.options import plugin_option


@click.command(epilog="Example: scrf-bench run table2 --dry-run --json | head -1 > c.json; scrf-bench cell c.json")
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
    from scrf_bench.bench import Cell, execute_cell_file, run_cell
    from scrf_bench.experiments import experiment_by_name

    planned = Cell.read(file)
    measure = experiment_by_name(planned.experiment).measure
    if outcome is not None:
        execute_cell_file(file, outcome, measure)
        return
    result = run_cell(planned, measure)
    click.echo(json.dumps(result.to_json(planned.id)))
    if result.status != "ok":
        click.echo(f"{planned.name}: {result.status}. {result.error}", err=True)
        click.get_current_context().exit(3)
