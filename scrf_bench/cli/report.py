"""``scrf-bench report``: render again, from records alone."""

from __future__ import annotations

from pathlib import Path

import click

from scrf_bench.cli.options import (
    Names,
    chosen_experiments,
    experiment_arguments,
    plugin_option,
    selection_options,
    terminal_width,
)
from scrf_bench.errors import UserError


@click.command(epilog="Example: scrf-bench report --all --format html,svg,pdf,latex")
@experiment_arguments
@selection_options
@click.option(
    "--format",
    "formats",
    type=Names(),
    default="csv,markdown,png",
    show_default=True,
    metavar="A,B",
    help="Any of csv, markdown, latex, png, svg, pdf, html.",
)
@plugin_option
def report(
    experiments: tuple[str, ...],
    everything: bool,
    profile: str,
    datasets: tuple[str, ...] | None,
    maps: tuple[str, ...] | None,
    seeds: int | None,
    threads: int,
    results: Path,
    configs: Path | None,
    formats: tuple[str, ...],
) -> None:
    """Render tables and figures again from records, running nothing; html is one page of all of them."""
    from scrf_bench.experiments.base import Selection
    from scrf_bench.experiments.campaign import prepare, render_results, write_page
    from scrf_bench.report import FORMATS, to_terminal

    unknown = [name for name in formats if name not in (*FORMATS, "html")]
    if unknown:
        msg = f"--format {','.join(unknown)}: unknown; choose among {', '.join((*FORMATS, 'html'))}."
        raise UserError(msg)
    names = chosen_experiments(experiments, everything)
    selection = Selection(datasets=datasets, maps=maps, seeds=seeds, threads=threads)
    shown = []
    for name in names:
        prepared = prepare(name, selection, profile=profile, results=results, configs=configs)
        if not prepared.store.all():
            click.echo(f"{name}: no records in {prepared.store.records_folder}", err=True)
            continue
        layout, chosen, paths = render_results(prepared, [f for f in formats if f != "html"])
        shown.append((prepared, layout, chosen))
        for table in layout.tables:
            click.echo(to_terminal(table, width=terminal_width()))
        click.echo(f"Written to {prepared.folder}: {', '.join(path.name for path in paths)}", err=True)
    if not shown:
        msg = (
            f"There are no records to report under {results / profile}; "
            f"run them first: scrf-bench run {' '.join(names)} --profile {profile}"
        )
        raise UserError(msg)
    if "html" in formats:
        click.echo(f"Written: {write_page(shown, results / profile / 'index.html', profile)}", err=True)
