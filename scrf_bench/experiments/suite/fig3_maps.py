"""Figure 3 with every map: test accuracy against D and against CPU time, each map tuned for itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.datasets import registry
from scrf_bench.experiments.base import DatasetUse, Experiment, Selection
from scrf_bench.experiments.classification import (
    EXACT,
    LearnerSettings,
    classification_cell,
    measure_classification,
)
from scrf_bench.experiments.map_cells import known_dataset, selected_maps, wanted
from scrf_bench.experiments.self_tuned import TuningEffort, measure_self_tuned, self_tuned_cell
from scrf_bench.experiments.suite.fig3_maps_claims import CLAIMS
from scrf_bench.experiments.suite.fig3_maps_layout import TITLE, accuracy_layout
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.maps import Embedding
from scrf_bench.report import Layout


@dataclass(frozen=True)
class Fig3MapsConfig:
    """Keys of ``configs/fig3-maps.toml``.

    Attributes
    ----------
    datasets : tuple of str
    images : tuple of str
        Those of them whose features are pixels in their order, so that differences of rows are smooth.
    maps : tuple of str
        In the order to run them.
    embedding : str
    components, low_components : tuple of int
        Numbers of columns D in the order to run them, and those at which claims about images are judged.
    components_per_cell, seeds, seeds_per_cell : int
        A cell holds so many D of one map, and so many of its seeds.
    learner : LearnerSettings
    effort : TuningEffort
        The same for every map.
    train_rows : dict
        Dataset -> number of random training rows, where all of them would cost too much.
    """

    datasets: tuple[str, ...]
    images: tuple[str, ...]
    maps: tuple[str, ...]
    embedding: Embedding
    components: tuple[int, ...]
    low_components: tuple[int, ...]
    components_per_cell: int
    seeds: int
    seeds_per_cell: int
    learner: LearnerSettings
    effort: TuningEffort
    train_rows: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse parts that are no part of the whole: a claim would wait for them forever."""
        for part, whole in (("images", "datasets"), ("train_rows", "datasets"), ("low_components", "components")):
            for item in getattr(self, part):
                if item not in getattr(self, whole):
                    raise ValueError(f"{part} has {item}, which is not in {whole}; add it there or take it out.")


class Fig3Maps(Experiment[Fig3MapsConfig]):
    """Accuracy of all maps against the number of features and against time."""

    name = "fig3-maps"
    title = TITLE
    paper = "suite"
    version = 1
    config_type = Fig3MapsConfig
    claims = CLAIMS

    def dataset_uses(self, config: Fig3MapsConfig, selection: Selection) -> list[DatasetUse]:
        """The sets of the profile, or those that ``--datasets`` names among them."""
        for name in selection.datasets or ():
            known_dataset(name, config.datasets, self.name)
        return [DatasetUse(name) for name in config.datasets if name in (selection.datasets or config.datasets)]

    def plan(self, config: Fig3MapsConfig, selection: Selection, tuning: Tuning) -> list[Cell]:
        """The first D of every set, seed by seed with all maps; exact kernels once a split; then the other D."""
        cells = []
        datasets = [use.name for use in self.dataset_uses(config, selection)]
        for start in range(0, len(config.components), config.components_per_cell):
            part = config.components[start : start + config.components_per_cell]
            for dataset in datasets:
                cells += self._map_cells(config, selection, tuning, dataset, part)
                if start == 0:
                    cells += self._exact_cells(config, selection, tuning, dataset)
        return cells

    def _map_cells(
        self, config: Fig3MapsConfig, selection: Selection, tuning: Tuning, dataset: str, components: Sequence[int]
    ) -> list[Cell]:
        seeds = range(selection.seeds or config.seeds)
        return [
            self_tuned_cell(
                self.name,
                self.version,
                name,
                dataset,
                tuning[dataset],
                config.learner,
                config.effort,
                seeds=seeds[first : first + config.seeds_per_cell],
                components=components,
                embedding=config.embedding,
                train_rows=config.train_rows.get(dataset),
                threads=selection.threads,
            )
            for first in range(0, len(seeds), config.seeds_per_cell)
            for name in selected_maps(config.maps, selection)
            if name not in EXACT
        ]

    def _exact_cells(self, config: Fig3MapsConfig, selection: Selection, tuning: Tuning, dataset: str) -> list[Cell]:
        return [
            classification_cell(
                self.name,
                self.version,
                method,
                dataset,
                tuning[dataset],
                config.learner,
                seed=seed,
                components=(),
                embedding=config.embedding,
                train_rows=config.train_rows.get(dataset),
                threads=selection.threads,
            )
            for seed in range(self._exact_seeds(config, selection, dataset))
            for method in EXACT
            if wanted(method, selection)
        ]

    def _exact_seeds(self, config: Fig3MapsConfig, selection: Selection, dataset: str) -> int:
        """Without an official split the seed draws one, and it draws the training rows: for exact kernels too."""
        fixed = registry()[dataset].has_official_split and dataset not in config.train_rows
        return 1 if fixed else selection.seeds or config.seeds

    def measure(self, cell: Cell) -> list[Point]:
        """Tune and test one map over its seeds and D, or an exact kernel at LIBSVM's C and gamma."""
        return measure_classification(cell) if cell.parameters["method"] in EXACT else measure_self_tuned(cell)

    def layout(self, config: Fig3MapsConfig, records: Sequence[Record], selection: Selection) -> Layout:
        """Two figures of a panel a set, and the table behind them."""
        methods = [name for name in selected_maps(config.maps, selection) if name not in EXACT]
        exact = [name for name in EXACT if wanted(name, selection)]
        seeds = {
            use.name: self._exact_seeds(config, selection, use.name) for use in self.dataset_uses(config, selection)
        }
        return accuracy_layout(config, seeds, methods, exact, records, selection)
