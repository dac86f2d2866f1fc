"""``scrf-bench claims``: the verdicts, from records alone."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click
from click.core import ParameterSource

from scrf_bench.cli.options import plugin_option, terminal_width
from scrf_bench.errors import UserError


@click.command(epilog="Example: scrf-bench claims scrf --profile paper --json; scrf-bench claims")
@click.argument("paper", required=False)
@click.option(
    "--profile",
    type=click.Choice(["quick", "paper"]),
    default="quick",
    show_default=True,
    help="Whose records to judge from.",
)
@click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    metavar="DIR",
    help="Where the records are, and where the verdicts go.",
)
@click.option(
    "--reference",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Committed records to show beside them.  [default: results/reference, where it is there]",
)
@click.option(
    "--configs", type=click.Path(path_type=Path), metavar="DIR", help="Configs that override the packaged ones."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a claim on stdout.")
@plugin_option
def claims(
    paper: str | None, profile: str, results: Path, reference: Path | None, configs: Path | None, as_json: bool
) -> None:
    """Say of every published claim (or those of one PAPER) whether it holds, from records; runs nothing."""
    from scrf_bench.experiments import claim_table
    from scrf_bench.experiments.claim_json import judgement_json
    from scrf_bench.experiments.verdicts import REFERENCE, Court, declared_claims
    from scrf_bench.report import render, to_terminal
    from scrf_bench.report.layout import DEFAULT_FORMATS

    if reference is not None and not reference.is_dir():
        msg = f"--reference {reference}: there is no such folder."
        raise UserError(msg)
    # The default may be empty: its table says what to run. A folder that somebody names is one that has records.
    named = click.get_current_context().get_parameter_source("results") is not ParameterSource.DEFAULT
    if named and not results.is_dir():
        msg = (
            f"--results {results}: there is no such folder, and so nothing to judge from; name one that is there, or "
            f"make its records first: scrf-bench run --all --profile {profile} --results {results}"
        )
        raise UserError(msg)
    asked = {claim.id for claim in declared_claims(paper)}
    court = Court(results, profile, configs)
    # The files hold every claim, whatever is asked for: a part of them would take the others' place.
    judged = claim_table.judge_all(court, declared_claims(), reference or REFERENCE)
    paths = render(judged.layout, court.folder, DEFAULT_FORMATS)
    shown = [judgement for judgement in judged.judgements if judgement.claim.id in asked]
    if as_json:
        for judgement in shown:
            click.echo(json.dumps(judgement_json(judgement, judged.beside.get(judgement.claim.id))))
    else:
        # The parts of claims are many; they are in their own file, and in the JSON.
        for table in claim_table.read_tables(shown, judged.beside, profile, commands=False):
            click.echo(to_terminal(table, width=terminal_width()))
    for damaged, reason in court.damaged.items():
        click.echo(f"  Skipped the unreadable record {damaged}: {reason}", err=True)
    click.echo(f"Written to {court.folder}: {', '.join(path.name for path in paths)}", err=True)
    lacking = sorted({j.command for j in shown if not j.complete})
    if lacking:
        click.echo("Cells are missing or not ok; what makes them:", err=True)
        # Whole, a line each and nothing before them: to be copied.
        for command in lacking:
            click.echo(command + _folders(results, configs), err=True)
        click.get_current_context().exit(3)


def _folders(results: Path, configs: Path | None) -> str:
    """Return the options with which a run writes where these claims are judged from."""
    named = {"--results": results if results != Path("results") else None, "--configs": configs}
    return "".join(f" {option} {shlex.quote(str(path))}" for option, path in named.items() if path is not None)
