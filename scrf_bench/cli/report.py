"""``scrf-bench report``: render again, from records alone."""

from __future__ import annotations

import click

from scrf_bench.cli.options import (
    Chosen,
    Names,
    plugin_option,
    selection_options,
    terminal_width,
)
from scrf_bench.errors import UserError


@click.command(epilog="Example: scrf-bench report --all --format html,svg,pdf,latex")
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
    chosen: Chosen,
    formats: tuple[str, ...],
) -> None:
    """Render tables and figures again from records, running nothing; html is one page of all of them."""
    from scrf_bench.experiments.campaign import complete, render_results, shortfalls
    from scrf_bench.report import FORMATS, to_terminal

    unknown = [name for name in formats if name not in (*FORMATS, "html")]
    if unknown:
        msg = f"--format {','.join(unknown)}: unknown; choose among {', '.join((*FORMATS, 'html'))}."
        raise UserError(msg)
    folder = chosen.results / chosen.profile
    shown = []
    for name in chosen.names:
        prepared = chosen.prepare(name)
        found = prepared.store.all()
        for damaged, reason in prepared.store.damaged.items():
            click.echo(f"  Skipped the unreadable record {damaged}: {reason}", err=True)
        if not found:
            click.echo(f"{name}: no records in {prepared.store.records_folder}", err=True)
            continue
        layout, records, paths = render_results(prepared, [f for f in formats if f != "html"])
        shown.append((prepared, layout, records))
        for table in layout.tables:
            click.echo(to_terminal(table, width=terminal_width()))
        click.echo(f"Written to {prepared.folder}: {', '.join(path.name for path in paths)}", err=True)
        for line in shortfalls(records):
            click.echo(f"  {line}", err=True)
    if not shown:
        msg = (
            f"There are no records to report under {folder}; "
            f"run them first: scrf-bench run {' '.join(chosen.names)} --profile {chosen.profile} "
            f"--results {chosen.results}"
        )
        raise UserError(msg)
    if "html" in formats:
        from scrf_bench.experiments.page import write_page
        from scrf_bench.experiments.verdicts import REFERENCE, Court

        court = Court(chosen.results, chosen.profile, chosen.configs)
        click.echo(f"Written: {write_page(shown, folder / 'index.html', court, REFERENCE)}", err=True)
    if not all(complete(records) for *_, records in shown):
        click.get_current_context().exit(3)
