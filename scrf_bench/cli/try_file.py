"""``scrf-bench try``: a user's own file, and which map and D to take for it."""

from __future__ import annotations

import json
import shlex
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from scrf_bench.cli.names import Names
from scrf_bench.cli.options import loaded_plugins, plugin_option, terminal_width
from scrf_bench.cli.progress import stage_bars

if TYPE_CHECKING:
    from scrf_bench.experiments.trial.session import Data, Trial, TrialSettings


class Counts(click.ParamType[tuple[int, ...]]):
    """``64,256`` -> a tuple of whole numbers above 0, ascending."""

    name = "counts"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Split at commas."""
        if isinstance(value, tuple):
            return value
        parts = [part.strip() for part in str(value).split(",") if part.strip()]
        if not parts or not all(part.isdecimal() and 0 < int(part) <= 1 << 20 for part in parts):
            self.fail(f"'{value}' are not whole numbers from 1 to {1 << 20:,}; write for instance 64,256.", param, ctx)
        return tuple(sorted({int(part) for part in parts}))


@click.command("try", epilog="Example: scrf-bench try data.csv --target price --export model.joblib")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--target",
    metavar="NAME",
    help="A table's target column, or its number.  [default: called target, class .., or the last]",
)
@click.option("--test", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="Test rows, all of them.  [default: a random quarter, at most 10,000]")  # fmt: skip
@click.option("--task", type=click.Choice(["classification", "regression"]), help="[default: by the target's values]")
@click.option("--header/--no-header", default=None, help="Whether a CSV's first line names columns.  [default: found]")
@click.option("--drop", type=Names(), default=(), metavar="A,B", help="Columns to leave out.")
@click.option("--maps", type=Names("maps"), metavar="A,B", help="Only these maps.  [default: all]")
@click.option("--components", type=Counts(), default="64,256,1024", show_default=True, metavar="D,D", help="Columns.")
@click.option("--seeds", type=click.IntRange(1, 100), default=3, show_default=True, help="Draws of each map.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 200), default=0, show_default=True, help="Of split and draws.")
@click.option("--rows", type=click.IntRange(min=20), default=5000, show_default=True, help="Most rows to fit on.")
@click.option("--exact-rows", type=click.IntRange(min=20), default=5000, show_default=True,
              help="Most rows for the exact kernel.")  # fmt: skip
@click.option("--tune", is_flag=True, help="Search gamma by cross-validation, not by the median rule.")
@click.option("--export", type=click.Path(path_type=Path), metavar="MODEL.joblib",
              help="Write what is recommended as a scikit-learn pipeline that predicts from raw rows (fitted on at "
              "most 50,000).")  # fmt: skip
@click.option("--results", type=click.Path(file_okay=False, path_type=Path), default=Path("results"),
              show_default=True, metavar="DIR", help="Table and figure go to DIR/try/<name of FILE>.")  # fmt: skip
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, metavar="N")
@click.option("--json", "as_json", is_flag=True, help="Everything as one JSON object on stdout.")
@plugin_option
def try_file(
    file: Path,
    test: Path | None,
    task: Literal["classification", "regression"] | None,
    maps: tuple[str, ...] | None,
    export: Path | None,
    results: Path,
    as_json: bool,
    **given: Any,
) -> None:
    """Try every map over D on FILE, against the exact kernel and a linear model, and recommend one.

    FILE is LIBSVM text, CSV (any usual separator) or Parquet. Text columns become one-hot features, missing values are
    imputed; whatever is done is said. Exits with 3 where a method failed by an error; the others are shown.
    """
    from scrf_bench.experiments.compilation import compile_loops
    from scrf_bench.experiments.trial.export import check_export, check_results
    from scrf_bench.experiments.trial.session import TrialSettings, read_data
    from scrf_bench.maps import MAPS, map_by_name, map_names

    for name in maps or ():
        map_by_name(name)
    if export is not None:
        check_export(export)
    check_results(results)
    settings = TrialSettings(maps=maps or tuple(dict.fromkeys([*MAPS, *map_names()])), task=task, **given)
    click.echo(f"Reading {file} ...", err=True)
    data = read_data(file, test, settings)
    for note in data.notes:
        click.echo(_wrapped(note, "  "), err=True)
    compile_loops(lambda line: click.echo(line, err=True))
    trial = _tried(data, file.name, settings)
    _show(trial, results / "try" / file.name.partition(".")[0], as_json=as_json)
    if export is not None:
        _export(trial, settings, export)
    if broken := _broken(trial):
        for line in broken:
            click.echo(_wrapped(line), err=True)
        click.get_current_context().exit(3)


def _tried(data: Data, name: str, settings: TrialSettings) -> Trial:
    from scrf_bench.experiments.trial.session import run_trial

    with stage_bars(name) as show:
        return run_trial(data, name, settings, show)


def _show(trial: Trial, folder: Path, *, as_json: bool) -> None:
    from scrf_bench.report import render, to_terminal
    from scrf_bench.report.layout import DEFAULT_FORMATS

    (table,) = trial.layout.tables
    # Before files are written: a full disk must not cost the answer.
    if as_json:
        click.echo(json.dumps(_as_json(trial), allow_nan=False))
    else:
        # What was found in the file has been said before the wait.
        rest = replace(table, notes=table.notes[len(trial.data.notes) :])
        click.echo(to_terminal(rest, width=terminal_width()))
        for line in trial.advice.lines:
            click.echo(_wrapped(line))
    paths = render(trial.layout, folder, DEFAULT_FORMATS)
    click.echo(f"Written to {folder}: {', '.join(path.name for path in paths)}", err=True)


def _broken(trial: Trial) -> list[str]:
    """Return a line a method that failed by an error: which, how, and what tells its author more."""
    plugins = "".join(f" --plugin {shlex.quote(str(path))}" for path in loaded_plugins())
    found: dict[tuple[str, str], list[str]] = {}
    for outcome in trial.outcomes:
        if outcome.broke:
            found.setdefault((outcome.method.name, outcome.failure), []).append(outcome.method.words)
    maps = {outcome.method.name for outcome in trial.outcomes if outcome.method.D is not None}
    return [
        f"Failed: {', '.join(words)}: {failure}."
        + (f" What it breaks: scrf-bench check-map {name}{plugins}" if name in maps else "")
        for (name, failure), words in found.items()
    ]


def _wrapped(line: str, indent: str = "") -> str:
    """Break a line between words where it is wider than the terminal."""
    return textwrap.fill(
        line,
        terminal_width(),
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _as_json(trial: Trial) -> dict[str, Any]:
    from scrf_bench.report.values import raw_value

    (table,) = trial.layout.tables
    chosen = trial.advice.chosen.method
    return {
        "task": trial.data.target.kind,
        "target": trial.data.rows.target,
        "gamma": trial.choice.gamma,
        "penalty": trial.choice.penalty,
        "recommended": {"method": chosen.name, "D": chosen.D},
        "recommendation": list(trial.advice.lines),
        "notes": list(table.notes),
        "methods": [
            {"name": outcome.method.name}
            | {key: raw_value(value) for key, value in row.items()}
            | {"method": outcome.method.label, "D": outcome.method.D, "chosen": outcome is trial.advice.chosen}
            for outcome, row in zip(trial.outcomes, table.rows, strict=True)
        ],
    }


def _export(trial: Trial, settings: TrialSettings, path: Path) -> None:
    from scrf_bench.experiments.trial.export import build_model, export_model

    model, rows = build_model(trial, settings)
    export_model(model, path)
    click.echo(
        f"Exported {trial.advice.chosen.method.words}, fitted on {rows}, to {path}; joblib.load it, and predict on "
        f"such rows: {trial.data.rows.read_by}.",
        err=True,
    )
