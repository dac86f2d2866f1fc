"""``scrf-bench status``: what is done, missing, stale or failed, and why."""

from __future__ import annotations

import json

import click

from scrf_bench.cli.options import Chosen, plugin_option, selection_options


@click.command(epilog="Example: scrf-bench status --all --profile paper")
@selection_options
@click.option("--failed", is_flag=True, help="Only what is not ok.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a cell.")
@plugin_option
def status(
    chosen: Chosen,
    failed: bool,
    as_json: bool,
) -> None:
    """Say of every planned cell whether it is done, missing, stale or failed, and why; runs nothing."""
    from scrf_bench.experiments.campaign import cell_states

    for name in chosen.names:
        prepared = chosen.prepare(name)
        states = cell_states(prepared)
        counts: dict[str, int] = {}
        for cell, state, reason in states:
            counts[state] = counts.get(state, 0) + 1
            if failed and state == "ok":
                continue
            if as_json:
                entry = {
                    "id": cell.id,
                    "experiment": name,
                    "cell": cell.name,
                    "state": state,
                    "reason": reason,
                }
                click.echo(json.dumps(entry))
            else:
                click.echo(f"{cell.id}  {state:<11}  {cell.name}" + (f": {reason}" if reason else ""))
        words = ", ".join(f"{count} {state}" for state, count in counts.items())
        click.echo(f"{name} ({chosen.profile}): {len(states)} cells: {words}", err=True)
        for damaged, reason in prepared.store.damaged.items():
            click.echo(f"  Unreadable record {damaged}: {reason}", err=True)
