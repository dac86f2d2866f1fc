"""``scrf-bench merge``: bring the records of several machines together."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command(epilog="Example: scrf-bench merge node1/results node2/results results")
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SOURCE...")
@click.argument("into", type=click.Path(file_okay=False, path_type=Path), metavar="INTO")
@click.option("--json", "as_json", is_flag=True, help="The counts as one JSON object on stdout.")
def merge(sources: tuple[Path, ...], into: Path, as_json: bool) -> None:
    """Copy the records in each SOURCE into the folder INTO; nothing is overwritten, and merging twice changes nothing.

    All of them are of one kind: results folders, profiles (results/quick), or single stores (results/quick/table2).
    Exits with 3 where an unreadable record was left out. `report` renders what there is afterwards.
    """
    from scrf_bench.bench.merging import merge_stores

    merged = merge_stores(sources, into)
    if as_json:
        counts = {"copied": merged.copied, "known": merged.known, "renumbered": merged.renumbered}
        others = {"looks": merged.others, "stores": [str(path) for path in merged.stores]}
        damaged = {"damaged": {str(path): reason for path, reason in merged.damaged.items()}}
        click.echo(json.dumps(counts | others | damaged))
    for path in merged.stores:
        click.echo(f"  {path}", err=True)
    for damaged_path, reason in merged.damaged.items():
        click.echo(f"  Left out the unreadable record {damaged_path}: {reason}", err=True)
    words = f"{merged.copied} records copied, {merged.known} were there already"
    if merged.renumbered:
        words += f"; {merged.renumbered} of the copied got another attempt number"
    click.echo(f"{words}. {into} is {merged.kind}.", err=True)
    if merged.damaged:
        click.get_current_context().exit(3)
