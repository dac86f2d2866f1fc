"""Table 3: test accuracies and mean squared errors of the random spaces and of the exact kernel methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.datasets import registry
from scrf_bench.experiments.base import DatasetUse, Experiment, Selection
from scrf_bench.experiments.crhs.cells import SpaceDataset, computed_once, measure_space, repetitions_of, space_cell
from scrf_bench.experiments.crhs.search import SearchSettings
from scrf_bench.experiments.crhs.space_tables import accuracy_table, search_table
from scrf_bench.experiments.crhs.spaces import EXACT, applies, memory_limit_words
from scrf_bench.experiments.crhs.table3_claims import TABLE3_CLAIMS
from scrf_bench.experiments.map_cells import known_dataset, selected_maps, wanted
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.maps import Embedding
from scrf_bench.report import Layout


@dataclass(frozen=True)
class Table3Config:
    """Keys of ``configs/crhs-table3.toml``.

    Attributes
    ----------
    maps, exact : tuple of str
        Random spaces by their maps, and of the exact methods ``krr`` and ``ksvm``.
    embedding : str
    repetitions : int
        Map draws; splits too where there is no official one.
    repetitions_per_cell : int
        How many of them one process runs: times of one process alone decide nothing. A set with an official split is
        searched once a cell.
    exact_runs : int
        Processes that time an exact method where the split is given: its accuracy is one number, its time is not.
    memory_gb : float
        What exact kernel ridge may take; a larger one is shown as ``memory``, with its figure.
    search : SearchSettings
    datasets : tuple of SpaceDataset
    """

    maps: tuple[str, ...]
    exact: tuple[str, ...]
    embedding: Embedding
    repetitions: int
    repetitions_per_cell: int
    exact_runs: int
    memory_gb: float
    search: SearchSettings
    datasets: tuple[SpaceDataset, ...]

    def __post_init__(self) -> None:
        if strange := sorted(set(self.exact) - set(EXACT)):
            raise ValueError(f"exact names {', '.join(strange)}; there are {', '.join(EXACT)}.")
        names = [entry.name for entry in self.datasets]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"datasets lists {', '.join(twice)} twice; a set has one row, and one D.")


class Table3(Experiment[Table3Config]):
    """Generalisation of the random spaces against the exact kernel methods."""

    name = "crhs-table3"
    title = "CRHS Table 3: test accuracies and mean squared errors"
    paper = "crhs"
    version = 1
    config_type = Table3Config
    claims = TABLE3_CLAIMS
    shows_unavailable = True

    def dataset_uses(self, config: Table3Config, selection: Selection) -> list[DatasetUse]:
        """The profile's sets, or those that ``--datasets`` names among them."""
        return [DatasetUse(entry.name) for entry in self._entries(config, selection)]

    def plan(self, config: Table3Config, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """A cell a set, method and slice of the repetitions; exact kernel ridge beyond the memory limit is not run."""
        chosen = _repetitions(config, selection)
        return [
            space_cell(
                "crhs-table3",
                self.version,
                method,
                entry,
                config.search,
                components=() if method in EXACT else [entry.D],
                repetitions=repetitions,
                embedding=config.embedding,
                threads=selection.threads,
                declared_limit=memory_limit_words(method, registry()[entry.name], config.memory_gb),
            )
            for entry in self._entries(config, selection)
            for method in methods_of(config, selection)
            if applies(method, registry()[entry.name].task)
            for repetitions in _parts(config, method, entry.name, chosen)
        ]

    def measure(self, cell: Cell) -> list[Point]:
        """Search, train and test one method on one dataset."""
        return measure_space(cell)

    def layout(self, config: Table3Config, records: Sequence[Record], selection: Selection) -> Layout:
        """Accuracies and errors, and what the searches chose."""
        entries, methods = list(self._entries(config, selection)), methods_of(config, selection)
        tables = [
            accuracy_table(
                self.name, self.title, config, entries, methods, records, len(_repetitions(config, selection))
            ),
            search_table(f"{self.name}-search", "CRHS Table 3: what was chosen", config, entries, methods, records),
        ]
        return Layout(tables=tables, figures=[])

    def _entries(self, config: Table3Config, selection: Selection) -> Iterator[SpaceDataset]:
        for name in selection.datasets or ():
            known_dataset(name, [entry.name for entry in config.datasets], self.name)
        yield from (e for e in config.datasets if selection.datasets is None or e.name in selection.datasets)


def methods_of(config: Table3Config, selection: Selection) -> list[str]:
    """Return the methods to run and show, random spaces first."""
    maps = [name for name in selected_maps(config.maps, selection) if name not in EXACT]
    return [*maps, *(name for name in config.exact if wanted(name, selection))]


def _parts(config: Table3Config, method: str, dataset: str, chosen: Sequence[int]) -> Iterator[list[int]]:
    """Yield the repetitions of one process after the other."""
    step = 1 if computed_once(method, dataset) else config.repetitions_per_cell
    repetitions = repetitions_of(method, dataset, chosen, config.exact_runs)
    for start in range(0, len(repetitions), step):
        yield repetitions[start : start + step]


def _repetitions(config: Table3Config, selection: Selection) -> range:
    return range(selection.seeds or config.repetitions)
