"""From words to records to pages: prepare an experiment, run what is missing, render what there is."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scrf_bench import bench
from scrf_bench.bench import Cell, Record, Store
from scrf_bench.datasets import DataSources, fetch, lookup
from scrf_bench.errors import ConfigError, DataError, UserError
from scrf_bench.experiments import experiment_by_name, experiment_names
from scrf_bench.experiments.base import DatasetUse, Experiment, Selection
from scrf_bench.experiments.compilation import compile_loops
from scrf_bench.experiments.config import load_config
from scrf_bench.experiments.map_cells import thread_words
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.report import Layout, render

Say = Callable[[str], None]


@dataclass(frozen=True)
class Prepared:
    """An experiment with its config read, its datasets at hand and its cells planned.

    Attributes
    ----------
    unavailable : dict
        Datasets that could not be had and have no stand-in, with the reason.
    folder : Path
        Where this experiment's tables and figures are, and its records unless they are another's.
    """

    experiment: Experiment[Any]
    config: Any
    selection: Selection
    cells: tuple[Cell, ...]
    store: Store
    unavailable: dict[str, str]
    folder: Path


def prepare(
    name: str,
    selection: Selection,
    *,
    profile: str = "quick",
    results: Path = Path("results"),
    configs: Path | None = None,
    sources: DataSources | None = None,
    say: Say = lambda _: None,
) -> Prepared:
    """Read the config, have the datasets (`sources` given) and plan.

    With `sources` None no dataset is fetched: enough to report, to show the status, or for a dry run. `say` is told,
    in a line each, of options that this experiment has no use for and of what its plan leaves out.

    Raises
    ------
    UserError
        For a bad name, a bad config, a dataset that ``--datasets`` names and that cannot be had, or a plan of nothing
        but cells beyond a declared limit.
    """
    experiment = experiment_by_name(name)
    for dataset in selection.datasets or ():
        lookup(dataset)
    _check_config_names(configs)
    config = load_config(experiment.home, profile, experiment.config_type, configs)
    selection = _heeded(experiment, selection, say)
    uses = experiment.dataset_uses(config, selection)
    store = Store(results / profile / experiment.home)
    unavailable: dict[str, str] = {}
    if sources is not None:
        selection, unavailable = _have_datasets(uses, selection, sources, say)
    else:
        selection = replace(selection, replaced=_replaced_in(store, uses))
    cells = experiment.plan(config, selection, Tuning(configs))
    asked = " ".join(selection.asked_for().values()) or f"the config of its {profile} profile"
    if not cells:
        msg = f"'{name}' has nothing to do with {asked}."
        raise UserError(msg)
    if all(cell.declared_limit for cell in cells):
        msg = f"'{name}' has nothing to run with {asked}: {cells[0].name}: {cells[0].declared_limit}"
        raise UserError(msg)
    for remark in experiment.remarks(config, selection):
        say(f"{name}: {remark}")
    return Prepared(experiment, config, selection, tuple(cells), store, unavailable, results / profile / name)


def _heeded(experiment: Experiment[Any], selection: Selection, say: Say) -> Selection:
    """Drop the options that an experiment has no use for, and say so: nobody should wait for what never comes."""
    idle = {option: typed for option, typed in selection.asked_for().items() if option not in experiment.options}
    if idle:
        takes = " and ".join(f"--{option}" for option in experiment.options)
        verb = "change" if len(idle) > 1 else "changes"
        remedy = f"it can be narrowed down by {takes}." if takes else "it cannot be narrowed down."
        say(f"{experiment.name}: {' and '.join(idle.values())} {verb} nothing here; {remedy}")
    return selection.without(idle)


def _check_config_names(configs: Path | None) -> None:
    """Refuse a config folder with a file that no experiment reads: a misspelt name would be ignored in silence."""
    if configs is None or not configs.is_dir():
        return
    own = [name for name in experiment_names() if experiment_by_name(name).records_of is None]
    names = [*own, "claims", "gate"]
    for path in sorted(configs.glob("*.toml")):
        if path.stem not in names:
            near = difflib.get_close_matches(path.stem, names, n=1)
            hint = f"did you mean {near[0]}.toml?" if near else f"there are {', '.join(names)}."
            msg = f"{path}: no experiment is called '{path.stem}'; {hint}"
            raise ConfigError(msg)


def _have_datasets(
    uses: Sequence[DatasetUse], selection: Selection, sources: DataSources, say: Say
) -> tuple[Selection, dict[str, str]]:
    """Fetch every dataset before the first cell starts: a missing one must not show up after hours."""
    replaced: dict[str, str] = {}
    unavailable: dict[str, str] = {}
    for use in uses:
        try:
            fetch(use.name, sources)
        except DataError as error:
            if use.fallback is not None and _can_be_had(use.fallback, sources):
                say(f"{use.name} cannot be had; {use.fallback} stands in for it. ({error})")
                replaced[use.name] = use.fallback
            elif selection.datasets is not None or len(uses) == 1:
                raise
            else:
                say(f"{use.name} cannot be had and is left out: {error}")
                unavailable[use.name] = str(error)
    return replace(selection, replaced=replaced), unavailable


def _can_be_had(name: str, sources: DataSources) -> bool:
    try:
        fetch(name, sources)
    except DataError:
        return False
    return True


def _replaced_in(store: Store, uses: Sequence[DatasetUse]) -> dict[str, str]:
    """Tell from the records which stand-ins a run used."""
    seen = {record.cell.dataset for record in store.all() if record.status != "unavailable"}
    return {
        use.name: use.fallback
        for use in uses
        if use.fallback is not None and use.name not in seen and use.fallback in seen
    }


def chosen_records(prepared: Prepared) -> bench.Selection:
    """Return, for every planned cell, the record to show, and what is missing or stale."""
    here = bench.capture_environment(prepared.selection.threads).id
    return bench.select_records(prepared.store.all(), prepared.cells, environment_id=here)


def records_holding(prepared: Prepared) -> bench.Selection:
    """Return for every planned cell a record that holds it, whatever other maps its own cell measured beside.

    Like `chosen_records`, which takes the planned cells' own records alone.
    """
    here = bench.capture_environment(prepared.selection.threads).id
    records = prepared.store.all()
    shown: dict[str, Record] = {}
    missing: list[Cell] = []
    stale: list[bench.Stale] = []
    for planned in prepared.cells:
        whole: dict[int, Record] = {}
        parts = []
        for record in records:
            cell = prepared.experiment.part(record.cell, planned)
            if cell is not None:
                parts.append(replace(record, cell=cell))
                whole[id(parts[-1])] = record
        chosen = bench.select_records(parts, [planned], environment_id=here)
        # One record may hold several planned cells.
        shown |= {record.name: record for record in (whole[id(part)] for part in chosen.records)}
        missing += chosen.missing
        stale += chosen.stale
    return bench.Selection(tuple(shown.values()), tuple(missing), tuple(stale))


def lay_out(prepared: Prepared, chosen: bench.Selection) -> Layout:
    """Return tables and figures of the records that are ``ok``; what falls short is named under each table."""
    shows_unavailable = prepared.experiment.shows_unavailable
    shown = [r for r in chosen.records if r.ok or (shows_unavailable and r.status == "unavailable")]
    usable, broken = usable_records(prepared, shown)
    layout: Layout = prepared.experiment.layout(prepared.config, usable, prepared.selection)
    short = shortfalls(chosen, declared=False, unavailable=not shows_unavailable)
    notes = [*_narrowed(prepared.selection), *broken, *short, _provenance(chosen.records)]
    return replace(layout, tables=[replace(table, notes=[*table.notes, *notes]) for table in layout.tables])


def usable_records(prepared: Prepared, records: Sequence[Record]) -> tuple[list[Record], list[str]]:
    """Part the records that a layout can read from those that lack what it needs (edited by hand, say)."""
    usable, broken = [], []
    for record in records:
        try:
            prepared.experiment.layout(prepared.config, [record], prepared.selection)
        except (KeyError, TypeError, ValueError) as error:
            broken.append(f"Left out the record {record.name}.json, which does not hold what the table needs: {error}.")
        else:
            usable.append(record)
    return usable, broken


def _narrowed(selection: Selection) -> list[str]:
    """Say that a table shows a part of its experiment only."""
    asked = " ".join(selection.asked_for().values())
    return [f"A part of the profile: {asked}."] if asked else []


def shortfalls(chosen: bench.Selection, *, declared: bool = True, unavailable: bool = True) -> list[str]:
    """Say which planned cells have no ``ok`` record, and why: one sentence each, none when all is well.

    With `declared` false, limits that the config declares are left out, and with `unavailable` false what a package or
    dataset is missing for: tables that show those themselves need no sentence.
    """
    lines = [
        f"{record.cell.name}: {record.status}. {record.error or ''}".rstrip()
        for record in chosen.not_ok
        if (declared or not record.declared) and (unavailable or record.status != "unavailable")
    ]
    lines += [f"{stale.cell.name}: stale ({stale.reason()})." for stale in chosen.stale]
    if chosen.missing:
        names = ", ".join(cell.name for cell in chosen.missing[:5])
        more = len(chosen.missing) - 5
        lines.append(f"Not run yet: {names}{f' and {more} more' if more > 0 else ''}.")
    return lines


def complete(chosen: bench.Selection) -> bool:
    """Tell whether every planned cell is ``ok``, or short of it only by a limit that the config declares."""
    return not chosen.missing and not chosen.stale and all(record.declared for record in chosen.not_ok)


def _provenance(records: Sequence[Record]) -> str:
    """Say on which machines and at which commits the records were made."""
    machines = sorted({f"{r.environment.cpu_model}, {thread_words(r.cell.threads)}" for r in records})
    commits = sorted(
        {(r.environment.commit or "unknown")[:10] + (" with changes" if r.environment.dirty else "") for r in records}
    )
    days = sorted({record.started[:10] for record in records})
    if not records:
        return "No records."
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    cells = "1 cell" if len(records) == 1 else f"{len(records)} cells"
    return f"Records: {cells}, {when}; {'; '.join(machines)}; commit {', '.join(commits)}."


def render_results(prepared: Prepared, formats: Sequence[str]) -> tuple[Layout, bench.Selection, list[Path]]:
    """Write ``records.csv``, tables and figures under the experiment's folder, from records alone."""
    chosen = chosen_records(prepared)
    layout = lay_out(prepared, chosen)
    csv_path = prepared.folder / "records.csv"
    bench.write_rows(csv_path, bench.records_rows(chosen.records))
    return layout, chosen, [csv_path, *render(layout, prepared.folder, formats)]


def run_prepared(
    prepared: Prepared, options: bench.RunOptions, reporter: bench.Reporter, say: Say = lambda _: None
) -> bench.RunSummary:
    """Run what is missing of a prepared experiment; cells of datasets that cannot be had are recorded as such.

    The maps' loops are compiled first, if they never were on this machine: no cell's time limit has to hold that.
    """
    if not complete(chosen_records(prepared)):
        compile_loops(say)
    cells = [
        replace(cell, unavailable=prepared.unavailable[cell.dataset]) if cell.dataset in prepared.unavailable else cell
        for cell in prepared.cells
    ]
    return bench.run_cells(cells, prepared.store, options, reporter)


def cell_states(prepared: Prepared) -> list[tuple[Cell, str, str]]:
    """Return every planned cell with its state and the reason where it is not ``ok``, in planned order.

    States are those of records (``ok``, ``failed``, ``timeout``, ``memory``, ``unavailable``), ``limit`` for a limit
    that the config declares, ``missing`` and ``stale``.
    """
    chosen = chosen_records(prepared)
    states = {
        record.cell.id: ("limit" if record.declared else str(record.status), record.error or "")
        for record in chosen.records
    }
    states |= {stale.cell.id: ("stale", stale.reason()) for stale in chosen.stale}
    return [(cell, *states.get(cell.id, ("missing", ""))) for cell in prepared.cells]
