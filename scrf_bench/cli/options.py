"""Options that several commands share, and the values they parse to."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from scrf_bench.errors import ScrfBenchError, UserError

if TYPE_CHECKING:
    from scrf_bench.datasets import DataSources
    from scrf_bench.experiments.base import Selection
    from scrf_bench.experiments.campaign import Prepared

F = TypeVar("F", bound=Callable[..., Any])

_PLUGINS = "scrf_bench.plugins"
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


class MemorySize(click.ParamType[int]):
    """``8GB``, ``500MiB`` or a number of bytes -> bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Parse a size; the message shows the form wanted."""
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMG]?I?B?)\s*", str(value).upper())
        if not match or match[2] not in _UNITS or float(match[1]) <= 0:
            self.fail(f"'{value}' is not a size; write for instance 8GB or 500MB.", param, ctx)
        return int(float(match[1]) * _UNITS[match[2]])


class Names(click.ParamType[tuple[str, ...]]):
    """``a,b,c`` -> a tuple of names, each once."""

    name = "names"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Split at commas and drop blanks."""
        if isinstance(value, tuple):
            return value
        names = tuple(dict.fromkeys(part.strip() for part in str(value).split(",") if part.strip()))
        if not names:
            self.fail("no names given; write for instance a,b", param, ctx)
        return names


def _load_plugins(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001
    for i, name in enumerate(value):
        path = Path(name)
        if not path.is_file():
            msg = f"--plugin {name}: there is no such file."
            raise UserError(msg)
        spec = importlib.util.spec_from_file_location(f"scrf_bench_plugin_{i}_{path.stem}", path)
        if spec is None or spec.loader is None:
            msg = f"--plugin {name}: not a Python file (its name must end in .py)."
            raise UserError(msg)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            # What it prints is for people: stdout is kept for tables and JSON.
            with contextlib.redirect_stdout(sys.stderr):
                spec.loader.exec_module(module)
        except ScrfBenchError as error:
            msg = f"--plugin {name}: {error}"
            raise UserError(msg) from error
        except (Exception, SystemExit) as error:
            msg = f"--plugin {name}: it fails to load: {type(error).__name__}: {error}"
            raise UserError(msg) from error
    ctx.meta[_PLUGINS] = tuple(Path(name).resolve() for name in value)
    return value


def loaded_plugins() -> tuple[Path, ...]:
    """Return the files that ``--plugin`` named, for handing on to cells."""
    plugins: tuple[Path, ...] = click.get_current_context().meta.get(_PLUGINS, ())
    return plugins


plugin_option = click.option(
    "--plugin",
    "plugins",
    multiple=True,
    metavar="FILE",
    callback=_load_plugins,
    expose_value=False,
    help="Load maps or experiments from a Python file.",
)


def _set_data_environment(ctx: click.Context, param: click.Parameter, value: Any) -> Any:  # noqa: ARG001
    # Cells run in processes of their own: what they may read travels in the environment.
    if param.name == "mirrors" and "" in (value or ()):
        msg = "--mirror '' names nothing; give a folder or a URL."
        raise UserError(msg)
    if param.name == "mirrors" and value:
        os.environ["SCRF_BENCH_MIRROR"] = ",".join(
            name if "://" in name else str(Path(name).resolve()) for name in value
        )
    if param.name == "offline" and value:
        os.environ["SCRF_BENCH_OFFLINE"] = "1"
    return value


def data_options(command: F) -> F:
    """Add ``--mirror`` and ``--offline``."""
    command = click.option(
        "--mirror",
        "mirrors",
        multiple=True,
        metavar="URL_OR_DIR",
        expose_value=False,
        callback=_set_data_environment,
        help="Look for data here before the LIBSVM site (also SCRF_BENCH_MIRROR).",
    )(command)
    return click.option(
        "--offline",
        is_flag=True,
        expose_value=False,
        callback=_set_data_environment,
        help="Never touch the network.",
    )(command)


@dataclass(frozen=True)
class Chosen:
    """What a command's words choose: experiments, how they are narrowed down, and where things are."""

    names: tuple[str, ...]
    selection: Selection
    profile: str
    results: Path
    configs: Path | None

    def prepare(self, name: str, sources: DataSources | None = None) -> Prepared:
        """Read one experiment's config, have its datasets (`sources` given), and plan it; remarks go to stderr."""
        from scrf_bench.experiments.campaign import prepare

        return prepare(
            name,
            self.selection,
            profile=self.profile,
            results=self.results,
            configs=self.configs,
            sources=sources,
            say=lambda line: click.echo(line, err=True),
        )


_SELECTION_OPTIONS = (
    click.argument("experiments", nargs=-1, metavar="EXPERIMENT..."),
    click.option("--all", "everything", is_flag=True, help="Every experiment."),
    click.option(
        "--profile",
        type=click.Choice(["quick", "paper"]),
        default="quick",
        show_default=True,
        help="quick: minutes, embedded data; paper: the paper's settings, hours.",
    ),
    click.option("--datasets", type=Names(), metavar="A,B", help="Only these datasets."),
    click.option("--maps", type=Names(), metavar="A,B", help="Only these maps and baselines."),
    click.option("--seeds", type=click.IntRange(1, 10_000), metavar="N", help="Seeds (or repetitions) of each map."),
    click.option(
        "--threads",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="N",
        help="Threads inside a cell.",
    ),
    click.option(
        "--results",
        type=click.Path(file_okay=False, path_type=Path),
        default=Path("results"),
        show_default=True,
        metavar="DIR",
        help="Where records, tables and figures go.",
    ),
    click.option(
        "--configs",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Configs that override the packaged ones.",
    ),
)


def selection_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add EXPERIMENT..., ``--all`` and what narrows experiments down; the command gets them as one `Chosen`."""

    @functools.wraps(command)
    def with_choice(
        *,
        experiments: tuple[str, ...],
        everything: bool,
        profile: str,
        datasets: tuple[str, ...] | None,
        maps: tuple[str, ...] | None,
        seeds: int | None,
        threads: int,
        results: Path,
        configs: Path | None,
        **others: Any,
    ) -> None:
        from scrf_bench.experiments.base import Selection

        selection = Selection(datasets=datasets, maps=maps, seeds=seeds, threads=threads)
        names = tuple(chosen_experiments(experiments, everything))
        command(Chosen(names, selection, profile, results, configs), **others)

    for option in reversed(_SELECTION_OPTIONS):
        option(with_choice)
    return with_choice


def chosen_experiments(experiments: tuple[str, ...], everything: bool) -> list[str]:
    """Return the experiments that a command names, each once.

    Raises
    ------
    UserError
        If none is named, names stand beside ``--all``, or nobody registered a name.
    """
    from scrf_bench.experiments import experiment_by_name, experiment_names

    if everything and experiments:
        msg = f"Give either --all or names ({', '.join(experiments)}), not both."
        raise UserError(msg)
    if not everything and not experiments:
        msg = f"Name an experiment, or --all. There are: {', '.join(experiment_names())}."
        raise UserError(msg)
    for name in experiments:
        # All of them before anything is fetched or run for the first.
        experiment_by_name(name)
    return experiment_names() if everything else list(dict.fromkeys(experiments))


def terminal_width() -> int:
    """Return how wide tables may be: the terminal, or enough for the widest table where output goes to a file."""
    return max(80, shutil.get_terminal_size((150, 24)).columns)
