"""Cells in which a map is tuned for itself before it is tested: the same effort for each, and the fair comparison.

For each seed and D the map is drawn, gamma and C are cross-validated on a subsample of the training rows over a grid
around LIBSVM's choice, and the map is then trained on all training rows and tested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrf_bench.bench import Cell, Point
from scrf_bench.datasets import Dataset, load, registry
from scrf_bench.experiments.classification import LearnerSettings, data_parameters, map_metrics
from scrf_bench.experiments.map_cells import draw_map, map_version, method_label
from scrf_bench.experiments.tuning import TunedSet
from scrf_bench.learners import LiblinearClassifier, TuningResult, tune_linear


@dataclass(frozen=True)
class TuningEffort:
    """How each map is tuned for itself.

    Attributes
    ----------
    log2_C_steps, log2_gamma_steps : tuple of float
        The grid, relative to LIBSVM's choice for the set (``configs/tuning``); a map of few columns smooths, and does
        best with a smaller gamma and C.
    folds, rows : int
        Of the cross-validation, on a stratified random subsample of at most so many training rows.
    eps : float
        LIBLINEAR's tolerance in the search.
    """

    log2_C_steps: tuple[float, ...]
    log2_gamma_steps: tuple[float, ...]
    folds: int
    rows: int
    eps: float


def self_tuned_cell(
    experiment: str,
    version: int,
    method: str,
    dataset: str,
    around: TunedSet,
    learner: LearnerSettings,
    effort: TuningEffort,
    *,
    seeds: Sequence[int],
    components: Sequence[int],
    embedding: str,
    train_rows: int | None,
    threads: int,
) -> Cell:
    """Plan one map on one dataset, with some seeds and a grid of D inside.

    A seed draws the map, the folds, the split where there is no official one, and the subsample of `train_rows`.
    """
    spec = registry()[dataset]
    rows = train_rows or spec.n_train
    # Small C, of which most of the grid consists, trains fast.
    points = len(effort.log2_C_steps) * len(effort.log2_gamma_steps)
    searched = 0.2 * points * effort.folds * min(rows, effort.rows)
    words = f"seed {_span(seeds)} D {_span(sorted(components))}"
    return Cell(
        experiment=experiment,
        kind="quality",
        parameters={
            "method": method,
            "seeds": list(seeds),
            "components": list(components),
            "embedding": embedding,
            "tune_log2_C": [around.log2_C + step for step in effort.log2_C_steps],
            "tune_log2_gamma": [around.log2_gamma + step for step in effort.log2_gamma_steps],
            "tune_folds": effort.folds,
            "tune_rows": effort.rows,
            "tune_eps": effort.eps,
            "scaling": around.scaling,
            "train_rows": train_rows or 0,
            "eps": learner.liblinear_eps,
            "bias": learner.bias,
        },
        versions={"experiment": version, "map": map_version(method), "learner": LiblinearClassifier.version},
        dataset=dataset,
        dataset_identity=spec.identity,
        threads=threads,
        label=f"{dataset} {method_label(method)} {words}",
        expected_s=4 + len(seeds) * (rows + searched) * sum(components) * spec.n_classes * 1.2e-7,
    )


def _span(values: Sequence[int]) -> str:
    return f"{values[0]}" if len(values) == 1 else f"{values[0]}-{values[-1]}"


def measure_self_tuned(cell: Cell) -> list[Point]:
    """Tune, train and test the cell's map, a point a seed and D; the tuning is not in any of its times."""
    p = cell.parameters
    points = []
    for seed in p["seeds"]:
        data = load(str(cell.dataset), scaling=p["scaling"], split_seed=seed, train_rows=p["train_rows"] or None)
        for D in p["components"]:
            chosen = _tuned(p, data, D, seed)
            metrics = map_metrics(p, data, D, seed, chosen.log2_C, chosen.log2_gamma) | {
                "log2_C": chosen.log2_C,
                "log2_gamma": chosen.log2_gamma,
                "cv_accuracy": chosen.cv_accuracy,
                "cv_rows": chosen.rows_used,
            }
            points.append(Point(data_parameters(cell, data, D, seed), metrics))
    return points


def _tuned(p: Mapping[str, Any], data: Dataset, D: int, seed: int) -> TuningResult:
    """Cross-validate the map that will be tested: the same draw, all training rows (but no label) known to it."""

    def features(gamma: float, rows: np.ndarray) -> np.ndarray:
        feature_map = draw_map(p["method"], n_components=D, gamma=gamma, embedding=p["embedding"], seed=seed)
        Phi: np.ndarray = feature_map.fit(data.X_train).transform(data.X_train[rows])
        return Phi

    return tune_linear(
        features,
        data.y_train,
        log2_C=p["tune_log2_C"],
        log2_gamma=p["tune_log2_gamma"],
        folds=p["tune_folds"],
        seed=seed,
        max_rows=p["tune_rows"],
        eps=p["tune_eps"],
        bias=p["bias"],
    )
