"""The front: accuracy against CPU seconds of the exact Gaussian SVM and of linear learners on random features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scrf_bench.bench import Cell, Point, Record, Stopwatch
from scrf_bench.datasets import load, registry
from scrf_bench.experiments.base import DatasetUse, Experiment, Selection
from scrf_bench.experiments.cosplay.cells import SCALING, measure_recipe
from scrf_bench.experiments.cosplay.claims import FRONT_CLAIMS
from scrf_bench.experiments.cosplay.front_layout import TITLE, front_layout
from scrf_bench.experiments.cosplay.front_rows import FRONT, FRONT_VERSION, FrontConfig, row_cell
from scrf_bench.experiments.map_cells import method_label, wanted
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.learners import LibsvmClassifier
from scrf_bench.report import Layout

EXACT = "libsvm"


class Front(Experiment[FrontConfig]):
    """Exact LIBSVM, the recipe, and ridge on random features, each alone on the machine."""

    name = FRONT
    title = TITLE
    paper = "cosplay"
    version = FRONT_VERSION
    options = ("maps", "seeds")
    config_type = FrontConfig
    claims = FRONT_CLAIMS

    def dataset_uses(self, config: FrontConfig, selection: Selection) -> list[DatasetUse]:  # noqa: ARG002
        """The one set of the profile."""
        return [DatasetUse(config.dataset)]

    def plan(self, config: FrontConfig, selection: Selection, tuning: Tuning) -> list[Cell]:  # noqa: ARG002
        """What chose the rows' numbers; the rows in the config's order; exact LIBSVM."""
        choices = [row_cell(config, row, threads=selection.threads, held_out=True) for row in config.choices]
        tested = [
            row_cell(config, row, seed=seed, threads=selection.threads)
            for row in config.rows
            for seed in range(selection.seeds or row.seeds)
        ]
        cells = [cell for cell in [*choices, *tested] if wanted(str(cell.parameters["map"]), selection)]
        if wanted(EXACT, selection):
            seeds = selection.seeds or config.rows[0].seeds
            if registry()[config.dataset].has_official_split:
                seeds = min(seeds, config.exact_runs)
            cells += [_exact_cell(config, seed, selection.threads) for seed in range(seeds)]
        return cells

    def measure(self, cell: Cell) -> list[Point]:
        """Train and test one row and seed, or exact LIBSVM."""
        return [_measure_exact(cell)] if cell.parameters["map"] == EXACT else measure_recipe(cell)

    def layout(self, config: FrontConfig, records: Sequence[Record], selection: Selection) -> Layout:
        """The front as table and figure, and what was compared on held-out rows."""
        shown = replace(
            config,
            rows=tuple(row for row in config.rows if wanted(row.map, selection)),
            choices=tuple(row for row in config.choices if wanted(row.map, selection)),
        )
        return front_layout(shown, wanted(EXACT, selection), records, selection)


def _exact_cell(config: FrontConfig, seed: int, threads: int) -> Cell:
    spec = registry()[config.dataset]
    return Cell(
        experiment=FRONT,
        kind="timing",
        parameters={"map": EXACT, "seed": seed, "C": config.C, "gamma": config.gamma, "scaling": SCALING},
        versions={"experiment": FRONT_VERSION, "learner": LibsvmClassifier.version},
        dataset=config.dataset,
        dataset_identity=spec.identity,
        threads=threads,
        label=f"{config.dataset} {method_label(EXACT)} seed {seed}",
        expected_s=4.0 + (spec.n_train / 4000) ** 1.7 * 7,
    )


def _measure_exact(cell: Cell) -> Point:
    p = cell.parameters
    data = load(str(cell.dataset), scaling=p["scaling"], split_seed=p["seed"], dtype=np.float64)
    model = LibsvmClassifier(p["C"], gamma=p["gamma"], cache_mb=1000, random_state=p["seed"])
    with Stopwatch() as training:
        model.fit(data.X_train, data.y_train)
    with Stopwatch() as predicting:
        predicted = model.predict(data.X_test)
    wrong = predicted != data.y_test
    return Point(
        {
            "dataset": cell.dataset,
            "method": EXACT,
            "learner": "svm",
            "seed": p["seed"],
            "n_train": len(data.y_train),
            "n_test": len(data.y_test),
            "d": data.X_train.shape[1],
            "held_out": 0,
            "split": data.split,
        },
        {
            "accuracy": float(1.0 - wrong.mean()),
            "errors": int(wrong.sum()),
            "train_cpu_s": training.cpu_s,
            "train_wall_s": training.wall_s,
            "predict_cpu_s": predicting.cpu_s,
            "predict_wall_s": predicting.wall_s,
            "gamma": p["gamma"],
            "C": p["C"],
            "model_bytes": int(model.model_bytes_),
            "support_vectors": int(model.n_support_),
            "solver": model.solver_,
            "data_identity": data.identity,
        },
        {},
    )
