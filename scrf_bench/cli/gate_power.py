"""``scrf-bench gate-power``: how often the gate is red, and rightly, replayed on records of one code."""

from __future__ import annotations

from pathlib import Path

import click

from scrf_bench.cli.options import terminal_width


@click.command(epilog="Example: scrf-bench gate-power results/reference/gate")
@click.argument("records", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--gate",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Levels and tolerances.  [default: the packaged configs/gate.toml]",
)
@click.option(
    "--comparisons", type=click.IntRange(20), default=400, show_default=True, metavar="N", help="Of each kind."
)
@click.option("--json", "as_json", is_flag=True, help="The rates as JSON lines on stdout, instead of the tables.")
def gate_power(records: Path, gate: Path | None, comparisons: int, as_json: bool) -> None:
    """Replay whole comparisons on RECORDS of one code, and write how often they are red beside them.

    RECORDS is a folder with gate-times of many processes and table2 of many seeds, made for instance by
    `scrf-bench run gate-times --seeds 40` and `scrf-bench run table2 --datasets dna,splice --seeds 20`.
    """
    import dataclasses
    import json

    from scrf_bench.experiments.gate.pairing import read_snapshot
    from scrf_bench.experiments.gate.power import Replay
    from scrf_bench.experiments.gate.power_tables import power_layout, study
    from scrf_bench.experiments.gate.settings import load_gate
    from scrf_bench.report import render, to_terminal
    from scrf_bench.report.layout import DEFAULT_FORMATS

    settings = load_gate(gate)
    snapshot = read_snapshot(records, ["gate-times", "table2"])
    found = study(Replay(snapshot.records, settings), comparisons, say=lambda line: click.echo(f"  {line}", err=True))
    tolerances = settings.tolerances
    words = (
        f"alpha {settings.alpha:g}; slower than {1 + tolerances.slower:g}×, spread between processes "
        f"{tolerances.process_spread:g}, worth {tolerances.process_freedom:g} degrees of freedom; "
        f"{tolerances.accuracy_points:g} points of accuracy."
    )
    layout = power_layout(found, words)
    paths = render(layout, records, DEFAULT_FORMATS)
    if as_json:
        for rate in found.rates:
            click.echo(json.dumps(dataclasses.asdict(rate) | {"share": rate.share, "interval": rate.interval}))
    else:
        for table in layout.tables:
            click.echo(to_terminal(table, width=terminal_width()))
    for damaged, reason in snapshot.damaged.items():
        click.echo(f"  Skipped the unreadable record {damaged}: {reason}", err=True)
    click.echo(f"Written to {records}: {', '.join(path.name for path in paths)}", err=True)
