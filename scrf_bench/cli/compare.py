"""``scrf-bench compare``: the regression gate, from records alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scrf_bench.cli.names import Names
from scrf_bench.cli.options import terminal_width
from scrf_bench.errors import UserError

if TYPE_CHECKING:
    from scrf_bench.experiments.gate.comparison import Comparison

_ROOM_FOR_WHY = 120


@click.command(epilog="Example: scrf-bench compare results/reference/quick results/quick --markdown comment.md")
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--gate",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Levels and tolerances.  [default: the packaged configs/gate.toml]",
)
@click.option("--experiments", type=Names("experiments"), metavar="A,B", help="Only these experiments.")
@click.option("--strict", is_flag=True, help="Exit with 4 also where a cell of BASE is missing in NEW.")
@click.option(
    "--markdown",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="Also write a comment for a pull request (- prints it instead of the tables).",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout, with every row and its samples.")
def compare(
    base: Path,
    new: Path,
    gate: Path | None,
    experiments: tuple[str, ...] | None,
    strict: bool,
    markdown: Path | None,
    as_json: bool,
) -> None:
    """Compare the records in NEW with those in BASE, cell by cell; exit with 4 if anything is worse or newly failed.

    Both are folders of records, such as results/reference/quick and results/quick. Runs nothing.
    """
    from scrf_bench.atomic import write_over
    from scrf_bench.cli.output import reader_may_leave
    from scrf_bench.experiments.gate import page
    from scrf_bench.experiments.gate.comparison import compare_records
    from scrf_bench.experiments.gate.pairing import read_snapshot
    from scrf_bench.experiments.gate.settings import load_gate

    if as_json and str(markdown) == "-":
        raise UserError("--json and --markdown - both print to stdout; give --markdown a file.")
    settings = load_gate(gate)
    before, after = read_snapshot(base, experiments), read_snapshot(new, experiments)
    comparison = compare_records(before.records, after.records, settings)
    if not any(row.verdict not in ("missing", "new") for row in comparison.rows):
        msg = f"{base} and {new} have no cell in common: nothing was compared. Run the same experiments and profile."
        raise UserError(msg)
    damaged = [f"{path}: {reason}" for path, reason in {**before.damaged, **after.damaged}.items()]
    comment = (
        page.markdown_comment(comparison, str(base), str(new), damaged, strict=strict) if markdown is not None else ""
    )
    if markdown is not None and str(markdown) != "-":
        write_over(markdown, comment)
    # A red comparison stays red where nobody reads on, as in `compare ... | head`.
    with reader_may_leave():
        if as_json:
            click.echo(json.dumps(page.as_json(comparison, str(base), str(new), strict=strict, damaged=damaged)))
        elif str(markdown) == "-":
            click.echo(comment, nl=False)
        else:
            _show_tables(comparison, strict=strict)
        for line in page.unmeasured_words(comparison.rows):
            click.echo(f"  {line}", err=True)
        for line in damaged:
            click.echo(f"  Skipped the unreadable record {line}", err=True)
        for row in comparison.red:
            click.echo(page.explain(row), err=True)
        click.echo(page.headline(comparison, strict=strict), err=True)
    click.get_current_context().exit(comparison.exit_code(strict=strict))


def _show_tables(comparison: Comparison, *, strict: bool) -> None:
    from scrf_bench.experiments.gate import page
    from scrf_bench.report import to_terminal

    width = terminal_width()
    click.echo(to_terminal(page.summary_table(comparison, page.headline(comparison, strict=strict)), width=width))
    shown = [row for row in page.shown_rows(comparison) if not page.untested(row)]
    if shown:
        # What a row rests on is said below of the red ones; in a narrow window it would part the table.
        table = page.rows_table(shown, "Rows that are not the same", why=width >= _ROOM_FOR_WHY)
        click.echo(to_terminal(table, width=width))
