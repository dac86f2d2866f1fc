"""Cosplay: the recipe beside its author's figures, and, as he suggests, other maps, other D, and no PCA."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.experiments.base import DatasetUse, Experiment, Selection
from scrf_bench.experiments.cosplay.cells import measure_recipe, recipe_cell
from scrf_bench.experiments.cosplay.claims import RECIPE_CLAIMS
from scrf_bench.experiments.cosplay.cosplay_layout import TITLE, cosplay_layout
from scrf_bench.experiments.cosplay.published import RECIPE_MAP
from scrf_bench.experiments.cosplay.recipe import LogisticSettings, Setting
from scrf_bench.experiments.map_cells import selected_maps
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.report import Layout


@dataclass(frozen=True)
class CosplayConfig:
    """Keys of ``configs/cosplay.toml``.

    Attributes
    ----------
    dataset : str
    pca, components, bandwidth_rows, logistic
        The recipe: principal directions, D, rows of the median trick, and the logistic regression.
    recipe_seeds : int
        Repetitions of the recipe.
    maps : tuple of str
        What is tried instead of the recipe's map, beside it.
    sweep_components : tuple of int
        D of every map, in the order to run them.
    pixels : bool
        Whether every map is also tried without PCA.
    seeds : int
        Repetitions of the sweep.
    points_per_cell : int
        How many (PCA, D) one process measures.
    """

    dataset: str
    pca: int
    components: int
    bandwidth_rows: int
    logistic: LogisticSettings
    recipe_seeds: int
    maps: tuple[str, ...]
    sweep_components: tuple[int, ...]
    pixels: bool
    seeds: int
    points_per_cell: int

    @property
    def spaces(self) -> tuple[int, ...]:
        """What the maps see: numbers of principal directions, 0 for the pixels."""
        return (self.pca, 0) if self.pixels else (self.pca,)


class Cosplay(Experiment[CosplayConfig]):
    """Accuracy and time of the recipe; accuracy against D for other maps."""

    name = "cosplay"
    title = TITLE
    paper = "cosplay"
    version = 1
    options = ("maps", "seeds")
    config_type = CosplayConfig
    claims = RECIPE_CLAIMS

    def dataset_uses(self, config: CosplayConfig, selection: Selection) -> list[DatasetUse]:  # noqa: ARG002
        """The one set of the profile."""
        return [DatasetUse(config.dataset)]

    def plan(self, config: CosplayConfig, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """The recipe's repetitions first, then every map, space and D that the recipe has not."""
        plan = partial(
            recipe_cell,
            self.name,
            self.version,
            dataset=config.dataset,
            threads=selection.threads,
            kind="quality",
            logistic=config.logistic,
        )
        maps = selected_maps(config.maps, selection)
        recipe_seeds = selection.seeds or config.recipe_seeds
        own = config.pca, config.components
        cells = []
        if RECIPE_MAP in maps:
            cells = [plan([_setting(config, RECIPE_MAP, *own)], seed=seed) for seed in range(recipe_seeds)]
        for seed in range(selection.seeds or config.seeds):
            for part in _parts(config):
                for name in maps:
                    # The recipe's own point is there already.
                    places = [place for place in part if (name, *place) != (RECIPE_MAP, *own) or seed >= recipe_seeds]
                    if places:
                        cells.append(plan([_setting(config, name, *place) for place in places], seed=seed))
        return cells

    def measure(self, cell: Cell) -> list[Point]:
        """Train and test one map and seed."""
        return measure_recipe(cell)

    def layout(self, config: CosplayConfig, records: Sequence[Record], selection: Selection) -> Layout:
        """The recipe beside its author's figures; the sweep; accuracy against D."""
        return cosplay_layout(config, selected_maps(config.maps, selection), records, selection)


def _setting(config: CosplayConfig, name: str, pca: int, D: int) -> Setting:
    return Setting("logistic", name, D, pca, 0.0, config.bandwidth_rows)


def _parts(config: CosplayConfig) -> Iterator[list[tuple[int, int]]]:
    """Yield the (PCA, D) of one process after the other, those of the recipe's PCA first."""
    places = [(pca, D) for pca in config.spaces for D in config.sweep_components]
    for start in range(0, len(places), config.points_per_cell):
        yield places[start : start + config.points_per_cell]
