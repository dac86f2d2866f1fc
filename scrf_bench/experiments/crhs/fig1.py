"""Figure 1: test accuracy against D of the random spaces, each with its own gamma and lambda at every D."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.datasets import registry
from scrf_bench.experiments.base import DatasetUse, Experiment, Selection
from scrf_bench.experiments.crhs.cells import TEST, SpaceDataset, measure_space, repetitions_of, space_cell
from scrf_bench.experiments.crhs.fig1_claims import FIG1_CLAIMS
from scrf_bench.experiments.crhs.search import SearchSettings
from scrf_bench.experiments.crhs.spaces import EXACT, SPACES, WORDS, memory_limit_words, space_label
from scrf_bench.experiments.map_cells import known_dataset, mean_se, method_label, selected_maps, wanted
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.maps import Embedding
from scrf_bench.report import Column, Figure, Layout, NotMeasured, Table, plots

if TYPE_CHECKING:
    # Cells import this module too, and draw nothing.
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

REFERENCE = "krr"


@dataclass(frozen=True)
class Fig1Config:
    """Keys of ``configs/crhs-fig1.toml``. The paper names dna and ijcnn1; its grid of D is not recoverable.

    `low_components` is what "low D" means in the claim about FRHS. `components_per_cell` and `repetitions_per_cell` are
    how much one process does; `memory_gb` is what exact kernel ridge, the line in each panel, may take.
    """

    datasets: tuple[SpaceDataset, ...]
    maps: tuple[str, ...]
    embedding: Embedding
    components: tuple[int, ...]
    low_components: int
    repetitions: int
    memory_gb: float
    search: SearchSettings
    components_per_cell: int = 100

    def __post_init__(self) -> None:
        if self.low_components not in self.components:
            raise ValueError(f"low_components is {self.low_components}, which is none of {list(self.components)}.")


class Fig1(Experiment[Fig1Config]):
    """Accuracy against the dimension of the hypothesis space."""

    name = "crhs-fig1"
    title = "CRHS Figure 1: test accuracy against D"
    paper = "crhs"
    version = 1
    config_type = Fig1Config
    claims = FIG1_CLAIMS

    def dataset_uses(self, config: Fig1Config, selection: Selection) -> list[DatasetUse]:
        """The two sets of the profile, or those that ``--datasets`` names among them."""
        return [DatasetUse(entry.name) for entry in self._entries(config, selection)]

    def plan(self, config: Fig1Config, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """A cell a set, method and slice of the grid of D, all repetitions inside: they share one search a D."""
        repetitions, step = range(selection.seeds or config.repetitions), config.components_per_cell
        slices = [config.components[start : start + step] for start in range(0, len(config.components), step)]
        return [
            space_cell(
                self.name,
                self.version,
                method,
                entry,
                config.search,
                components=components,
                repetitions=repetitions_of(method, entry.name, repetitions),
                embedding=config.embedding,
                threads=selection.threads,
                declared_limit=memory_limit_words(method, registry()[entry.name], config.memory_gb),
            )
            for entry in self._entries(config, selection)
            for method in [*_maps(config, selection), *([REFERENCE] if wanted(REFERENCE, selection) else [])]
            for components in (slices if method not in EXACT else [()])
        ]

    def measure(self, cell: Cell) -> list[Point]:
        """Search, train and test one method over its slice of the grid."""
        return measure_space(cell)

    def layout(self, config: Fig1Config, records: Sequence[Record], selection: Selection) -> Layout:
        """A panel a dataset in one figure, and the table behind it."""
        points = [p for record in records for p in record.points if p.parameters["stage"] == TEST]
        names = [entry.name for entry in self._entries(config, selection)]
        shown = [name for name in names if any(p.parameters["dataset"] == name for p in points)]
        draw = partial(_draw_all, datasets=shown, maps=_maps(config, selection), points=points)
        figure = Figure(name="", caption=self.title, width=4.6 * len(shown), height=4.0, draw=draw)
        return Layout(tables=[_table(config, names, points, selection)], figures=[figure] if shown else [])

    def _entries(self, config: Fig1Config, selection: Selection) -> list[SpaceDataset]:
        for name in selection.datasets or ():
            known_dataset(name, [entry.name for entry in config.datasets], self.name)
        return [e for e in config.datasets if selection.datasets is None or e.name in selection.datasets]


def _maps(config: Fig1Config, selection: Selection) -> list[str]:
    return [name for name in selected_maps(config.maps, selection) if name not in EXACT]


def accuracies(points: Sequence[Point], dataset: str, method: str) -> dict[int, dict[int, Point]]:
    """Return one method's points on one set by D (0 for the exact kernel) and repetition."""
    found: dict[int, dict[int, Point]] = {}
    for point in points:
        p = point.parameters
        if (p["dataset"], p["method"]) == (dataset, method):
            found.setdefault(int(p["D"] or 0), {})[int(p["repetition"] or 0)] = point
    return found


def _percent(points: Sequence[Point], dataset: str, method: str) -> dict[int, list[float]]:
    found = accuracies(points, dataset, method)
    return {D: [100 * p.number("accuracy") for p in of_D.values()] for D, of_D in sorted(found.items())}


def _draw_all(canvas: Canvas, datasets: Sequence[str], maps: Sequence[str], points: Sequence[Point]) -> None:
    for ax, dataset in zip(canvas.subplots(1, len(datasets), squeeze=False)[0], datasets, strict=True):
        _draw(ax, dataset, maps, points)


def _draw(ax: Axes, dataset: str, maps: Sequence[str], points: Sequence[Point]) -> None:
    runs = 0
    for name in maps:
        found = _percent(points, dataset, name)
        if not found:
            continue
        at = [mean_se(values) for values in found.values()]
        mean, se = np.array([p.mean for p in at]), np.array([p.se or 0.0 for p in at])
        label = f"{SPACES[name]} ({method_label(name)})" if name in SPACES else method_label(name)
        plots.curve_with_band(ax, np.array(list(found)), mean, mean - se, mean + se, name, label=label)
        runs = max(runs, at[0].n)
    if exact := _percent(points, dataset, REFERENCE).get(0):
        value = mean_se(exact).mean
        plots.reference_line(ax, value, f"exact kernel (KRR) {value:.2f} %")
    plots.log2_axis(ax)
    ax.set_xlabel("dimension D of the hypothesis space")
    ax.set_ylabel("test accuracy [%]")
    ax.set_title(dataset)
    if runs:
        ax.legend(title=f"mean ± se, {runs} draw{'s' if runs > 1 else ''}", loc="lower right")


def _table(config: Fig1Config, datasets: Sequence[str], points: Sequence[Point], selection: Selection) -> Table:
    maps = _maps(config, selection)
    rows: list[dict[str, object]] = []
    for dataset in datasets:
        found = {name: _percent(points, dataset, name) for name in (*maps, REFERENCE)}
        limit = memory_limit_words(REFERENCE, registry()[dataset], config.memory_gb)
        absent = NotMeasured(limit, short="memory") if limit else None
        for D in config.components:
            row: dict[str, object] = {"dataset": dataset, "D": D}
            row |= {name: mean_se(found[name][D]) if D in found[name] else None for name in maps}
            row[REFERENCE] = mean_se(found[REFERENCE][0]) if 0 in found[REFERENCE] else absent
            rows.append(row)
    return Table(
        name="crhs-fig1",
        title=f"{Fig1.title}, %, {config.embedding} embedding",
        columns=[
            Column("dataset", "dataset", align="l", kind="text"),
            Column("D", "D", kind="int"),
            *(Column(name, space_label(name), kind="mean_se") for name in maps),
            Column(REFERENCE, space_label(REFERENCE), kind="mean_se"),
            Column("paper", "paper", kind="float"),
        ],
        rows=rows,
        notes=[
            WORDS,
            f"Mean and standard error over {selection.seeds or config.repetitions} map draws; (n=1): one run.",
            f"{config.search.words()} At every D anew.",
            "The paper names dna and ijcnn1; its curves have no recoverable values: n/a.",
        ],
        group_by="dataset",
    )
