"""``scrf-bench run``: plan, run what is missing, render, print the table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import click

from scrf_bench.cli.options import (
    Chosen,
    MemorySize,
    Names,
    data_options,
    loaded_plugins,
    plugin_option,
    selection_options,
    terminal_width,
)

if TYPE_CHECKING:
    from scrf_bench.bench import RunOptions, Status
    from scrf_bench.experiments.campaign import Prepared


@click.command(epilog="Example: scrf-bench run table2 --profile paper --datasets dna,splice --seeds 2")
@selection_options
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Cells at once; timing cells run alone.",
)
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Wall-clock limit of a cell.")
@click.option("--memory-limit", type=MemorySize(), metavar="SIZE", help="Limit of a cell, e.g. 8GB.")
@click.option("--retry", type=Names(), metavar="STATUS,...", help="Try again: failed, timeout, memory.")
@click.option("--force", is_flag=True, help="Run finished cells again too; old records stay.")
@click.option("--dry-run", is_flag=True, help="Show what would run, and run nothing.")
@click.option("--json", "as_json", is_flag=True, help="Records (or planned cells) as JSON lines on stdout.")
@data_options
@plugin_option
def run(
    chosen: Chosen,
    jobs: int,
    timeout: float | None,
    memory_limit: int | None,
    retry: tuple[str, ...] | None,
    force: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Run what is missing of each EXPERIMENT, write its tables and figures, and print the tables.

    Killed or interrupted at any moment, the same command goes on; a finished cell is not run again.
    """
    from scrf_bench.bench import RunOptions
    from scrf_bench.datasets import DataSources

    options = RunOptions(
        jobs=jobs,
        timeout_s=timeout,
        memory_limit=memory_limit,
        retry=frozenset(cast("tuple[Status, ...]", retry or ())),
        force=force,
        # What a cell needs has been fetched before the first one starts.
        environ={"SCRF_BENCH_OFFLINE": "1"},
        plugins=loaded_plugins(),
    )
    # All plans first: a bad name or a missing dataset of the last experiment must not show up after hours.
    sources = None if dry_run else DataSources.from_environment()
    prepared = [chosen.prepare(name, sources) for name in chosen.names]
    if dry_run:
        for one in prepared:
            _show_plan(one, as_json=as_json)
        return
    worst = max(_run_one(one, options, as_json=as_json) for one in prepared)
    click.get_current_context().exit(worst)


def _run_one(prepared: Prepared, options: RunOptions, *, as_json: bool) -> int:
    from scrf_bench.bench import Interrupted, choose_reporter
    from scrf_bench.experiments.campaign import render_results, run_prepared, shortfalls
    from scrf_bench.report import to_terminal
    from scrf_bench.report.layout import DEFAULT_FORMATS

    click.echo(f"{prepared.experiment.name}: {prepared.experiment.title}", err=True)
    try:
        summary = run_prepared(prepared, options, choose_reporter(), say=lambda line: click.echo(line, err=True))
    except Interrupted as stopped:
        click.echo(str(stopped), err=True)
        click.get_current_context().exit(130)
    layout, records, paths = render_results(prepared, DEFAULT_FORMATS)
    click.echo(f"{prepared.experiment.name}: {summary.words()}", err=True)
    for line in (*shortfalls(records), summary.advice()):
        if line:
            click.echo(f"  {line}", err=True)
    for damaged, reason in prepared.store.damaged.items():
        click.echo(f"  Skipped the unreadable record {damaged}: {reason}", err=True)
    if as_json:
        for record in records.records:
            click.echo(json.dumps(record.to_json()))
    else:
        width = terminal_width()
        for table in layout.tables:
            click.echo(to_terminal(table, width=width))
    click.echo(f"Written to {prepared.folder}: {', '.join(path.name for path in paths)}", err=True)
    return summary.exit_code


def _show_plan(prepared: Prepared, *, as_json: bool) -> None:
    from scrf_bench.experiments.campaign import chosen_records

    if as_json:
        for cell in prepared.cells:
            click.echo(json.dumps(cell.to_json()))
        return
    done = {record.cell.id for record in chosen_records(prepared).records if record.ok}
    for cell in prepared.cells:
        state = "limit" if cell.declared_limit else "done" if cell.id in done else "to run"
        click.echo(f"{cell.id}  {state:<6}  {cell.experiment}  {cell.name}")
    to_run = [cell for cell in prepared.cells if cell.id not in done and not cell.declared_limit]
    minutes = sum(cell.expected_s for cell in to_run) / 60
    click.echo(
        f"{prepared.experiment.name}: {len(prepared.cells)} cells, {len(to_run)} to run, "
        f"roughly {minutes:.0f} minutes one after the other.",
        err=True,
    )
