"""From words to records to pages: prepare an experiment, run what is missing, render what there is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scrf_bench.bench import Cell, Record, SelectedRecords, Store, select_records, write_records_csv
from scrf_bench.datasets import DataSources, fetch
from scrf_bench.errors import DataError
from scrf_bench.experiments import experiment_by_name
from scrf_bench.experiments.base import DatasetUse, Experiment, Selection
from scrf_bench.experiments.config import load_config
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
    """

    experiment: Experiment[Any]
    config: Any
    selection: Selection
    cells: tuple[Cell, ...]
    store: Store
    unavailable: dict[str, str]

    @property
    def folder(self) -> Path:
        """Where this experiment's records, tables and figures are."""
        return self.store.folder


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

    With `sources` None no dataset is fetched: enough to report, to show the status, or for a dry run.

    Raises
    ------
    UserError
        For a bad name, a bad config, or a dataset that ``--datasets`` names and that cannot be had.
    """
    experiment = experiment_by_name(name)
    config = load_config(name, profile, experiment.config_type, configs)
    uses = experiment.dataset_uses(config, selection)
    store = Store(results / profile / name)
    unavailable: dict[str, str] = {}
    if sources is not None:
        selection, unavailable = _have_datasets(uses, selection, sources, say)
    else:
        selection = replace(selection, replaced=_replaced_in(store, uses))
    cells = experiment.plan(config, selection, Tuning(configs))
    return Prepared(experiment, config, selection, tuple(cells), store, unavailable)


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
            if use.fallback is not None:
                fetch(use.fallback, sources)
                say(f"{use.name} cannot be had; {use.fallback} stands in for it. ({error})")
                replaced[use.name] = use.fallback
            elif selection.datasets is not None or len(uses) == 1:
                raise
            else:
                say(f"{use.name} cannot be had and is left out: {error}")
                unavailable[use.name] = str(error)
    return replace(selection, replaced=replaced), unavailable


def _replaced_in(store: Store, uses: Sequence[DatasetUse]) -> dict[str, str]:
    """Tell from the records which stand-ins a run used."""
    seen = {record.cell.dataset for record in store.all()}
    return {
        use.name: use.fallback
        for use in uses
        if use.fallback is not None and use.name not in seen and use.fallback in seen
    }


def chosen_records(prepared: Prepared, environment_id: str | None = None) -> SelectedRecords:
    """Return, for every planned cell, the record to show, and what is missing or stale."""
    return select_records(prepared.store.all(), prepared.cells, environment_id=environment_id)


def lay_out(prepared: Prepared, records: Sequence[Record]) -> Layout:
    """Return tables and figures of the records; cells that are not ``ok`` are named in the notes."""
    layout: Layout = prepared.experiment.layout(
        prepared.config, [r for r in records if r.status == "ok"], prepared.selection
    )
    return layout


def render_results(
    prepared: Prepared, formats: Sequence[str], environment_id: str | None = None
) -> tuple[Layout, list[Path]]:
    """Write ``records.csv``, tables and figures under the experiment's folder, from records alone."""
    chosen = chosen_records(prepared, environment_id)
    layout = lay_out(prepared, chosen.records)
    write_records_csv(prepared.folder / "records.csv", chosen.records)
    return layout, render(layout, prepared.folder, formats)
