"""``scrf-bench tune``: gamma and C by cross-validation, with provenance."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from scrf_bench.cli.names import complete_names
from scrf_bench.cli.options import data_options, plugin_option
from scrf_bench.cli.progress import stage_bars

if TYPE_CHECKING:
    from scrf_bench.datasets.loading import Scaling
    from scrf_bench.maps import Embedding


@click.command(epilog="Example: scrf-bench tune satimage --scaling minmax --configs my-configs")
@click.argument("dataset")
@click.option(
    "--scaling",
    type=click.Choice(["none", "minmax", "standard", "max"]),
    help="Fitted on the training rows.  [default: none; with --map the scaling that DATASET was tuned with]",
)
@click.option(
    "--rows",
    type=click.IntRange(min=50),
    default=2000,
    show_default=True,
    help="Cross-validate a stratified random subsample of at most this many rows (more, if a rare class would else "
    "have fewer rows than folds); beyond 5,000 by successive halving.",
)
@click.option("--folds", type=click.IntRange(min=2), default=5, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--configs",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("configs"),
    show_default=True,
    metavar="DIR",
    help="Writes DIR/tuning/DATASET.toml, which `run --configs DIR` reads; with --map DATASET.MAP.toml, which table2 "
    "and fig3 read from there.",
)
@click.option("--map", "map_name", metavar="MAP", shell_complete=complete_names("maps"),
              help="Tune this map with LIBLINEAR, not exact LIBSVM.")  # fmt: skip
@click.option("--components", type=click.IntRange(min=1), default=512, show_default=True, metavar="D",
              help="The map's columns.")  # fmt: skip
@click.option("--embedding", type=click.Choice(["phase", "pair"]), default="phase", show_default=True,
              help="The map's, if it has one.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="What was chosen as one JSON object on stdout.")
@data_options
@plugin_option
def tune(
    dataset: str,
    scaling: Scaling | None,
    rows: int,
    folds: int,
    seed: int,
    configs: Path,
    map_name: str | None,
    components: int,
    embedding: Embedding,
    as_json: bool,
) -> None:
    """Choose gamma and C of DATASET by cross-validation over a log2 grid, coarse to fine, and draw a heat map.

    The choice goes to DIR with how, when and on what it was made. Killed or interrupted, the same command goes on.
    """
    from scrf_bench.datasets import DataSources, lookup
    from scrf_bench.experiments.tuning import Tuning
    from scrf_bench.experiments.tuning.search import SearchSettings, searching, tune_dataset
    from scrf_bench.experiments.tuning.writing import check_writable, write_tuned
    from scrf_bench.maps import map_by_name

    lookup(dataset)
    if map_name is not None:
        map_by_name(map_name)
    else:
        source = click.get_current_context().get_parameter_source
        for option in ("components", "embedding"):
            if source(option) is not ParameterSource.DEFAULT:
                click.echo(f"--{option} changes nothing without --map.", err=True)
    check_writable(configs)
    settings = SearchSettings(
        scaling=scaling or (Tuning(configs).scaling(dataset) if map_name else "none"),
        max_rows=rows,
        folds=folds,
        seed=seed,
        map=map_name,
        components=components,
        embedding=embedding,
    )
    with (
        # What a map prints is for people: stdout is kept for the choice.
        contextlib.redirect_stdout(sys.stderr),
        searching(dataset, settings, configs),
        stage_bars(dataset) as show,
    ):

        def say(line: str) -> None:
            click.echo(line, err=True)

        tuned, results = tune_dataset(dataset, settings, configs, DataSources.from_environment(), show, say)
        paths = write_tuned(tuned, settings, results, configs)
    if as_json:
        click.echo(json.dumps(dataclasses.asdict(tuned) | {"written": str(paths[0])}))
    else:
        click.echo(
            f"{dataset}: log2 C = {tuned.log2_C:g}, log2 gamma = {tuned.log2_gamma:g}, "
            f"{100 * tuned.cv_accuracy:.2f} % over {tuned.folds} folds of {tuned.rows} rows"
        )
    click.echo(f"Written to {', '.join(map(str, paths))}", err=True)
