"""``scrf-bench data``: fetch, verify, describe and remove datasets."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from scrf_bench.cli.names import complete_names
from scrf_bench.datasets import DatasetSpec, DataSources, lookup, registry
from scrf_bench.errors import DataError

if TYPE_CHECKING:
    from scrf_bench.datasets.inventory import FileStatus

F = TypeVar("F", bound=Callable[..., Any])


@click.group()
@click.pass_context
def data(ctx: click.Context) -> None:
    """Fetch, verify, describe or remove datasets.

    Example: scrf-bench data fetch dna mnist --mirror /data/libsvm
    """
    handler = _ToStderr()
    log = logging.getLogger("scrf_bench.datasets")
    level, propagate = log.level, log.propagate
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False

    def undo() -> None:
        log.removeHandler(handler)
        log.setLevel(level)
        log.propagate = propagate

    ctx.call_on_close(undo)


class _ToStderr(logging.Handler):
    """Show what the datasets package logs to the person at the terminal."""

    def emit(self, record: logging.LogRecord) -> None:
        click.echo(record.getMessage(), err=True)


def _selection(command: F) -> F:
    """Add NAME... and ``--all``, and turn them into ``specs``."""
    command = click.argument("names", nargs=-1, metavar="NAME...", shell_complete=complete_names("datasets"))(command)
    return click.option("--all", "everything", is_flag=True, help="Every dataset of the registry.")(command)


def _places(command: F) -> F:
    """Add ``--mirror``, ``--offline`` and ``--cache``."""
    for option in (
        click.option(
            "--cache",
            type=click.Path(file_okay=False, path_type=Path),
            metavar="DIR",
            help="The cache folder (also SCRF_BENCH_CACHE).",
        ),
        click.option("--offline", is_flag=True, help="Never touch the network (also SCRF_BENCH_OFFLINE)."),
        click.option(
            "--mirror",
            "mirrors",
            multiple=True,
            metavar="URL_OR_DIR",
            help="Look for data here before the LIBSVM site (also SCRF_BENCH_MIRROR). Can be repeated.",
        ),
    ):
        command = option(command)
    return command


def _as_json(command: F) -> F:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Machine-readable: a list of objects.")(command)


def _show(entries: list[dict[str, Any]], as_json: bool, *, line: str) -> None:
    """Print entries as JSON, or each as a line made of its fields."""
    if as_json:
        click.echo(json.dumps(entries, indent=2))
    else:
        for entry in entries:
            click.echo(line.format(**entry))


def _chosen(names: tuple[str, ...], everything: bool) -> list[DatasetSpec]:
    if everything and names:
        raise click.UsageError("Give either --all or names, not both.")
    if not everything and not names:
        raise click.UsageError(f"Name a dataset, or --all. There are: {', '.join(registry())}.")
    return list(registry().values()) if everything else [lookup(name) for name in dict.fromkeys(names)]


def _sources(mirrors: tuple[str, ...], offline: bool, cache: Path | None) -> DataSources:
    environment = DataSources.from_environment()
    return DataSources(
        mirrors=mirrors or environment.mirrors,
        offline=offline or environment.offline,
        cache=cache or environment.cache,
    )


@data.command(epilog="Example: scrf-bench data fetch dna ijcnn1 --mirror https://mirror.example.org/libsvm")
@_selection
@_places
@_as_json
def fetch(
    names: tuple[str, ...],
    everything: bool,
    mirrors: tuple[str, ...],
    offline: bool,
    cache: Path | None,
    as_json: bool,
) -> None:
    """Get the files of datasets and print where they lie.

    Files that travel with scrf-bench or lie in a mirror folder are used in place; others are downloaded into
    the cache. What is there already is verified, not fetched again.
    """
    specs, sources = _chosen(names, everything), _sources(mirrors, offline, cache)
    from scrf_bench.datasets import fetch as fetch_dataset

    faults, got = [], []
    for spec in specs:
        try:
            found = [{"name": spec.name, "path": str(path)} for path in fetch_dataset(spec.name, sources)]
        except DataError as error:
            faults.append(str(error))
            continue
        got += found
        if not as_json:  # each as soon as it is there: a large set takes minutes
            _show(found, as_json, line="{path}")
    if as_json:
        _show(got, as_json, line="")
    if faults:
        raise DataError("\n".join(faults))


@data.command(epilog="Example: scrf-bench data verify --all")
@_selection
@_places
@_as_json
def verify(
    names: tuple[str, ...],
    everything: bool,
    mirrors: tuple[str, ...],
    offline: bool,
    cache: Path | None,
    as_json: bool,
) -> None:
    """Check what lies on this machine: hash, rows, width, labels and ranges. Never uses the network."""
    specs, sources = _chosen(names, everything), _sources(mirrors, offline, cache)
    faults, entries = [], []
    for spec in specs:
        for status in _statuses(spec, sources, deep=True):
            optional = " (optional)" if status.file.optional and status.state == "missing" else ""
            entry: dict[str, Any] = {"name": spec.name, "file": status.file.name, "state": status.state}
            entry |= {"origin": status.origin, "optional": status.file.optional, "reason": status.reason or None}
            entries.append(entry)
            if not as_json:
                _show([entry], as_json, line="{name}\t{file}\t{state}" + optional + "\t{origin}")
            if status.state != "ok" and not optional:
                faults.append(f"{spec.name}: {status.file.name}: {status.state}: {status.reason}")
    if as_json:
        _show(entries, as_json, line="")
    if faults:
        lines = "".join(f"\n  {fault}" for fault in faults)
        raise DataError(f"Not everything is here and sound; 'scrf-bench data fetch NAME' gets it.{lines}")


@data.command(epilog="Example: scrf-bench data path dna")
@_selection
@_places
@_as_json
def path(
    names: tuple[str, ...],
    everything: bool,
    mirrors: tuple[str, ...],
    offline: bool,
    cache: Path | None,
    as_json: bool,
) -> None:
    """Print where the files of datasets lie on this machine, without getting any."""
    specs, sources = _chosen(names, everything), _sources(mirrors, offline, cache)
    faults, found = [], []
    for spec in specs:
        for status in _statuses(spec, sources):
            if status.state == "ok":
                found.append({"name": spec.name, "path": str(status.path)})
            elif not status.file.optional:
                faults.append(f"{spec.name}: {status.file.name}: {status.reason}")
    _show(found, as_json, line="{path}")
    if faults:
        lines = "".join(f"\n  {fault}" for fault in faults)
        raise DataError(f"Some files are not to be had; 'scrf-bench data fetch NAME' gets them.{lines}")


@data.command(epilog="Example: scrf-bench data clean mnist")
@_selection
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The cache folder (also SCRF_BENCH_CACHE).",
)
@_as_json
def clean(names: tuple[str, ...], everything: bool, cache: Path | None, as_json: bool) -> None:
    """Remove datasets from the cache: raw and parsed files and recorded hashes. Prints what was removed."""
    specs, sources = _chosen(names, everything), _sources((), False, cache)  # noqa: FBT003
    from scrf_bench.datasets.inventory import clean as clean_dataset

    removed = [{"name": spec.name, "path": str(path)} for spec in specs for path in clean_dataset(spec, sources)]
    _show(removed, as_json, line="{path}")
    if not removed:
        click.echo(f"Nothing of that is in the cache {sources.cache_folder}.", err=True)


@data.command(epilog="Example: scrf-bench data info mnist --json")
@_selection
@_places
@_as_json
def info(
    names: tuple[str, ...],
    everything: bool,
    mirrors: tuple[str, ...],
    offline: bool,
    cache: Path | None,
    as_json: bool,
) -> None:
    """Describe datasets: task, sizes, labels, files, hashes, licence, and what lies on this machine."""
    specs, sources = _chosen(names, everything), _sources(mirrors, offline, cache)
    described = [_described(spec, sources) for spec in specs]
    if as_json:
        click.echo(json.dumps(described, indent=2))
        return
    click.echo("\n\n".join(_paragraph(entry) for entry in described))


def _statuses(spec: DatasetSpec, sources: DataSources, *, deep: bool = False) -> list[FileStatus]:
    from scrf_bench.datasets.inventory import local_status

    return [local_status(spec, file, sources, deep=deep) for file in spec.loaded_files]


def _described(spec: DatasetSpec, sources: DataSources) -> dict[str, Any]:
    from scrf_bench.datasets.locations import is_there, places

    def lies(file: Any) -> str | None:
        found = (p.path for p in places(spec, file, sources) if p.path is not None and is_there(p.path))
        return next((str(path) for path in found), None)

    return {
        "name": spec.name,
        "title": spec.title,
        "task": spec.task,
        "n_features": spec.n_features,
        "n_train": spec.n_train,
        "n_test": spec.n_test,
        "n_classes": spec.n_classes,
        "official_split": spec.has_official_split,
        "embedded": spec.embedded,
        "derived": spec.derived,
        "identity": spec.identity,
        "page": spec.page,
        "licence": spec.licence,
        "notes": spec.notes,
        "files": [
            {
                "role": file.role,
                "name": file.name,
                "rows": file.rows,
                "value_range": list(file.value_range),
                "target_range": list(file.target_range) if file.target_range else None,
                "label_counts": {str(k): v for k, v in (file.label_counts or {}).items()} or None,
                "text_sha256": file.text_sha256,
                "site_url": file.site_url,
                "optional": file.optional,
                "path": lies(file),
            }
            for file in spec.files
        ],
    }


def _paragraph(entry: dict[str, Any]) -> str:
    split = "official split" if entry["official_split"] else "random split, seeded"
    classes = f", {entry['n_classes']} classes" if entry["n_classes"] else ""
    lines = [
        f"{entry['name']}: {entry['title']}",
        f"  {entry['task']}{classes}, {entry['n_features']:,} features",
        f"  {entry['n_train']:,} rows to train, {entry['n_test']:,} to test ({split})",
        f"  licence: {entry['licence']}",
    ]
    lines += [f"  notes: {entry['notes']}"] if entry["notes"] else []
    lines += [f"  page: {entry['page']}"] if entry["page"] else []
    for file in entry["files"]:
        where = file["path"] or "not on this machine"
        lines.append(f"  {file['role']}: {file['name']}, {file['rows']:,} rows, {where}")
    return "\n".join(lines)
