"""Cells of the recipe: one map and learner at some widths, trained from pixels; on test rows or on held-out ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from scrf_bench.bench import Cell, Point
from scrf_bench.bench.cell import Kind
from scrf_bench.datasets import Dataset, load, registry
from scrf_bench.experiments.cosplay.recipe import Array, LogisticSettings, Setting, model_metrics, scores, train
from scrf_bench.experiments.map_cells import map_version, method_label, timed_versions
from scrf_bench.learners import FeatureRidgeClassifier, LogisticClassifier

SCALING = "max"
"""Pixels divided by the largest one of the training rows: 255 for mnist."""

_LEARNERS: dict[str, type[LogisticClassifier | FeatureRidgeClassifier]] = {
    "logistic": LogisticClassifier,
    "ridge": FeatureRidgeClassifier,
}


def space_words(pca: int) -> str:
    """Return what a table calls the space that a map sees."""
    return f"PCA {pca}" if pca else "pixels"


def recipe_cell(
    experiment: str,
    version: int,
    settings: Sequence[Setting],
    *,
    dataset: str,
    seed: int,
    threads: int,
    kind: Kind,
    logistic: LogisticSettings,
    alphas: Sequence[float] = (),
    held_out: int = 0,
) -> Cell:
    """Plan settings that differ in D and PCA alone, one after the other in one process.

    With `held_out`, that many random training rows are kept from training and predicted instead of the test rows.
    """
    first = settings[0]
    spec = registry()[dataset]
    timed = timed_versions(first.map) if kind == "timing" else {"map": map_version(first.map)}
    parameters: dict[str, Any] = {
        "learner": first.learner,
        "map": first.map,
        "seed": seed,
        "D": [setting.D for setting in settings],
        "pca": [setting.pca for setting in settings],
        "gamma": first.gamma,
        "scaling": SCALING,
        "held_out": held_out,
        "bandwidth_rows": first.bandwidth_rows,
    }
    parameters |= asdict(logistic) if first.learner == "logistic" else {"alphas": list(alphas)}
    return Cell(
        experiment=experiment,
        kind=kind,
        parameters=parameters,
        versions={"experiment": version, "learner": _LEARNERS[first.learner].version, **timed},
        dataset=dataset,
        dataset_identity=spec.identity,
        dtype="float32",
        threads=threads,
        label=_label(dataset, settings, seed, held_out),
        expected_s=4.0 + sum(_guess(s, spec.n_train - held_out, spec.n_classes, logistic.iterations) for s in settings),
    )


def _label(dataset: str, settings: Sequence[Setting], seed: int, held_out: int) -> str:
    first = settings[0]
    places = ", ".join(f"{space_words(s.pca)} D {s.D}" for s in settings)
    # Settings that differ in gamma alone must not read the same.
    width = f" gamma {first.gamma:g}" if first.gamma else ""
    part = " held out" if held_out else ""
    return f"{dataset} {method_label(first.map)} {first.learner} {places}{width}{part} seed {seed}"


def _guess(setting: Setting, n: int, classes: int, iterations: int) -> float:
    mapped = n * setting.D * 2e-9
    if setting.learner == "logistic":
        return mapped + n * setting.D * classes * iterations * 8e-11
    return mapped + n * setting.D**2 * 1.5e-11 + setting.D**3 * 1.2e-11


def measure_recipe(cell: Cell) -> list[Point]:
    """Train and predict every setting of a cell; a point each, and one a penalty where a ridge has several."""
    p = cell.parameters
    data = load(str(cell.dataset), scaling=p["scaling"], split_seed=p["seed"], dtype=np.float32)
    points = []
    for D, pca in zip(p["D"], p["pca"], strict=True):
        setting = Setting(p["learner"], p["map"], D, pca, p["gamma"], p["bandwidth_rows"])
        points += _points(cell, setting, data)
    return points


def _points(cell: Cell, setting: Setting, data: Dataset) -> list[Point]:
    p = cell.parameters
    X, y, parts = _parts(data, p["held_out"], p["seed"])
    logistic = None
    if setting.learner == "logistic":
        logistic = LogisticSettings(**{field.name: p[field.name] for field in fields(LogisticSettings)})
    trained = train(setting, p["seed"], X, y, logistic=logistic, alphas=p.get("alphas", ()))
    where = {
        "dataset": cell.dataset,
        "method": setting.map,
        "learner": setting.learner,
        "seed": p["seed"],
        "D": setting.D,
        "pca": setting.pca,
        "n_train": len(y),
        "n_test": len(parts["test"][1]),
        "d": X.shape[1],
        "held_out": p["held_out"],
        "split": data.split,
    }
    return [
        Point(
            where | {"alpha": float(model.alpha)} if setting.learner == "ridge" else where,
            trained.metrics
            | model_metrics(trained, model)
            | scores(trained, model, parts)
            | {"data_identity": data.identity},
            {},
        )
        for model in trained.models
    ]


def _parts(data: Dataset, held_out: int, seed: int) -> tuple[Array, Array, dict[str, tuple[Array, Array]]]:
    """Return the rows to train on, their labels, and what to predict: ``test``, and ``train`` with all its rows."""
    X, y = data.X_train, data.y_train
    if not held_out:
        return X, y, {"test": (data.X_test, data.y_test), "train": (X, y)}
    kept, others = held_out_rows(len(y), held_out, seed)
    return X[kept], y[kept], {"test": (X[others], y[others])}


def held_out_rows(n: int, held_out: int, seed: int) -> tuple[Array, Array]:
    """Part n training rows at random into those to train on and those to predict.

    Raises
    ------
    ValueError
        If nothing is left to train on.
    """
    if held_out >= n:
        raise ValueError(f"held_out={held_out} leaves nothing of {n} training rows; hold fewer out.")
    order = np.random.default_rng([seed, held_out]).permutation(n)
    return order[held_out:], order[:held_out]
