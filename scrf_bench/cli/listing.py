"""``scrf-bench list``: the names that other commands take."""

from __future__ import annotations

import click

from scrf_bench.cli.options import plugin_option


@click.command("list", epilog="Example: scrf-bench list datasets")
@click.argument("what", type=click.Choice(["experiments", "datasets", "maps"]), default="experiments")
@plugin_option
def list_command(what: str) -> None:
    """Name the experiments (the default), the datasets or the maps."""
    rows = {"experiments": _experiments, "datasets": _datasets, "maps": _maps}[what]()
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        click.echo("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())


def _experiments() -> list[list[str]]:
    from scrf_bench.experiments import experiment_by_name, experiment_names

    found = [experiment_by_name(name) for name in experiment_names()]
    return [[experiment.name, experiment.paper, experiment.title] for experiment in found]


def _datasets() -> list[list[str]]:
    from scrf_bench.datasets import registry

    rows = [["NAME", "TASK", "TRAIN", "TEST", "WIDTH", "WHERE"]]
    for spec in registry().values():
        test = str(spec.n_test) if spec.has_official_split else "split"
        where = "embedded" if spec.embedded else "download"
        rows.append([spec.name, spec.task, str(spec.n_train), test, str(spec.n_features), where])
    return rows


def _maps() -> list[list[str]]:
    from scrf_bench.experiments.map_cells import BASELINES
    from scrf_bench.maps import map_by_name, map_names

    found = [(name, map_by_name(name)) for name in map_names()]
    rows = [[name, kind.label, _summary(kind.__doc__ or "")] for name, kind in found]
    return rows + [[name, label, f"baseline of {where}"] for name, (label, where) in BASELINES.items()]


def _summary(docstring: str) -> str:
    """Return a docstring's first paragraph, which is its one-sentence summary, in a line of plain text."""
    return " ".join(docstring.strip().partition("\n\n")[0].replace("``", "").split())
