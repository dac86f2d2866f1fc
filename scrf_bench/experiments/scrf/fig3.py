"""Figure 3: test accuracy against D for the maps with LIBLINEAR, and exact LIBSVM as a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.datasets import registry
from scrf_bench.experiments.accuracy_curves import accuracies, draw_accuracy, in_grid
from scrf_bench.experiments.base import DatasetUse, Experiment, Selection
from scrf_bench.experiments.classification import (
    LearnerSettings,
    classification_cell,
    measure_classification,
)
from scrf_bench.experiments.map_cells import known_dataset, mean_se, method_label, selected_maps, wanted
from scrf_bench.experiments.scrf.classification_claims import FIG3_CLAIMS
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.experiments.tuning.own_choices import own_choices, own_tuning_notes
from scrf_bench.maps import Embedding
from scrf_bench.report import Column, Figure, Layout, Table


@dataclass(frozen=True)
class Fig3Config:
    """Keys of ``configs/fig3.toml``. The paper names dna and ijcnn1; its grid of D is ours."""

    datasets: tuple[str, ...]
    maps: tuple[str, ...]
    embedding: Embedding
    components: tuple[int, ...]
    seeds: int
    learner: LearnerSettings
    components_per_cell: int = 100


class Fig3(Experiment[Fig3Config]):
    """Accuracy against the number of features."""

    name = "fig3"
    title = "Figure 3: test accuracy against D"
    paper = "scrf"
    version = 1
    config_type = Fig3Config
    claims = FIG3_CLAIMS

    def dataset_uses(self, config: Fig3Config, selection: Selection) -> list[DatasetUse]:
        """The two sets of the profile, or those that ``--datasets`` names among them."""
        for name in selection.datasets or ():
            known_dataset(name, config.datasets, self.name)
        return [DatasetUse(name) for name in config.datasets if name in (selection.datasets or config.datasets)]

    def plan(self, config: Fig3Config, selection: Selection, tuning: Tuning) -> list[Cell]:
        """Exact LIBSVM once a set, then a cell a map and seed with the grid of D inside (in slices where asked)."""
        cells = []
        step = config.components_per_cell
        for use in self.dataset_uses(config, selection):
            plan = partial(
                classification_cell,
                self.name,
                self.version,
                dataset=use.name,
                learner=config.learner,
                embedding=config.embedding,
                train_rows=None,
                threads=selection.threads,
            )
            seeds = range(selection.seeds or config.seeds)
            if wanted("libsvm", selection):
                # Without an official split the seed draws one, for exact LIBSVM as for the maps.
                splits = seeds[:1] if registry()[use.name].has_official_split else seeds
                cells += [plan("libsvm", tuned=tuning[use.name], seed=seed, components=()) for seed in splits]
            names = [name for name in selected_maps(config.maps, selection) if name not in ("libsvm", "control")]
            tuned = {name: tuning.of_map(use.name, name, config.embedding) for name in names}
            cells += [
                plan(name, tuned=tuned[name], seed=seed, components=config.components[start : start + step])
                for seed in seeds
                for name in names
                for start in range(0, len(config.components), step)
            ]
        return cells

    def measure(self, cell: Cell) -> list[Point]:
        """Train and test one map and seed over the grid of D, or exact LIBSVM."""
        return measure_classification(cell)

    def layout(self, config: Fig3Config, records: Sequence[Record], selection: Selection) -> Layout:
        """A panel a dataset in one figure, each panel by itself, and the table behind them."""
        points = [point for record in records for point in record.points]
        datasets = [u.name for u in self.dataset_uses(config, selection)]
        shown = [name for name in datasets if any(p.parameters["dataset"] == name for p in points)]
        seeds = selection.seeds or config.seeds
        legend = f"mean ± se, {seeds} seed{'s' if seeds > 1 else ''}"
        exact = {"libsvm": "exact LIBSVM"}
        cells = [record.cell for record in records]
        own, notes = own_choices(cells), own_tuning_notes(cells)
        panels = [
            partial(draw_accuracy, points=points, dataset=name, exact=exact, legend=legend, title=_title(name, own))
            for name in shown
        ]
        figures = [
            Figure(
                name="",
                caption=self.title,
                width=4.6 * len(panels),
                height=4.0,
                draw=partial(in_grid, panels=panels, columns=len(panels)),
            ),
            # One panel is the whole figure already.
            *(
                Figure(
                    name=chr(ord("a") + i),
                    caption=name,
                    width=4.6,
                    height=4.0,
                    draw=partial(in_grid, panels=[panel], columns=1),
                )
                for i, (name, panel) in enumerate(zip(shown, panels, strict=True))
                if len(panels) > 1
            ),
        ]
        return Layout(tables=[_table(config, datasets, points, selection, notes)], figures=figures if panels else [])


def _title(dataset: str, own: Mapping[tuple[str, str], str]) -> str:
    names = [method_label(name) for of, name in own if of == dataset]
    which = ", ".join(names) if len(names) < 3 else f"{len(names)} maps"
    return f"{dataset} ({which}: own gamma and C)" if names else dataset


def _table(
    config: Fig3Config,
    datasets: list[str],
    points: list[Point],
    selection: Selection,
    own: Sequence[str],
) -> Table:
    methods = [m for m in selected_maps(config.maps, selection) if m not in ("libsvm", "control")]
    rows: list[dict[str, object]] = []
    for dataset in datasets:
        exact = accuracies(points, dataset, "libsvm").get(0)
        for D in config.components:
            row: dict[str, object] = {"dataset": dataset, "D": D, "libsvm": mean_se(exact) if exact else None}
            for name in methods:
                found = accuracies(points, dataset, name).get(D)
                row[name] = mean_se(found) if found else None
            rows.append(row)
    learner = config.learner
    return Table(
        name="fig3",
        title=f"{Fig3.title}, %, {config.embedding} embedding",
        columns=[
            Column("dataset", "dataset", align="l", kind="text"),
            Column("D", "D", kind="int"),
            *(Column(name, method_label(name), kind="mean_se") for name in methods),
            Column("libsvm", "exact LIBSVM", kind="mean_se"),
            Column("paper", "paper", kind="float"),
        ],
        rows=rows,
        notes=[
            (
                "Mean and standard error over seeds (n=1: a single run). Maps: LIBLINEAR, hinge loss, one-vs-rest, "
                f"eps {learner.liblinear_eps:g}, bias {learner.bias:g}; C and gamma are LIBSVM's, "
                + ("but for the maps named next." if own else "as in the paper.")
            ),
            *own,
            "The paper draws these curves without recoverable values: n/a.",
        ],
        group_by="dataset",
    )
