"""One classifier on one dataset: a map with LIBLINEAR, exact LIBSVM, or the exact kernel one-vs-rest.

In a cell of `classification_cell` gamma and C are LIBSVM's, from its cross-validation, for every map, as in the SCRF
paper, unless the user tuned a map for itself; loss (hinge), C and a bias column are the same for LIBLINEAR, so map and
learner can be told apart. Where each map is tuned for itself (`self_tuned`), `map_metrics` trains and tests it all the
same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scrf_bench.bench import Cell, Point, Stopwatch
from scrf_bench.datasets import Dataset, load, registry
from scrf_bench.experiments.map_cells import draw_map, map_version, method_label
from scrf_bench.experiments.tuning import TunedMap, TunedSet
from scrf_bench.experiments.tuning.own_choices import TUNED_AT
from scrf_bench.learners import LiblinearClassifier, LibsvmClassifier, OneVsRestKernelSVM
from scrf_bench.maps import RandomFeatureMap

EXACT: dict[str, type[LibsvmClassifier | OneVsRestKernelSVM]] = {
    "libsvm": LibsvmClassifier,
    "control": OneVsRestKernelSVM,
}
ROWS_AT_ONCE = 4096


@dataclass(frozen=True)
class LearnerSettings:
    """What every learner of a table shares.

    Attributes
    ----------
    liblinear_eps, libsvm_eps : float
        Stopping tolerances on the dual's projected gradient, in each solver's own sense.
    bias : float
        Value of LIBLINEAR's constant column.
    control_max_iter : int
        The control's limit on passes (LIBLINEAR's own is fixed at 300); a fit that hits its limit is marked.
    """

    liblinear_eps: float
    libsvm_eps: float
    bias: float
    control_max_iter: int


def classification_cell(
    experiment: str,
    version: int,
    method: str,
    dataset: str,
    tuned: TunedSet,
    learner: LearnerSettings,
    *,
    seed: int,
    components: Sequence[int],
    embedding: str,
    train_rows: int | None,
    threads: int,
    timeout_s: float | None = None,
) -> Cell:
    """Plan one method on one dataset and seed, with its whole grid of D inside.

    The seed draws the map and the split where the set has no official one. `components` is empty for exact kernels.
    A map whose gamma and C were chosen for itself (`TunedMap`) says so in the parameters.
    """
    spec = registry()[dataset]
    exact = method in EXACT
    learner_version = EXACT[method].version if exact else LiblinearClassifier.version
    parameters: dict[str, Any] = {
        "method": method,
        "seed": seed,
        "log2_C": tuned.log2_C,
        "log2_gamma": tuned.log2_gamma,
        "scaling": tuned.scaling,
        "train_rows": train_rows or 0,
        "eps": learner.libsvm_eps if method == "libsvm" else learner.liblinear_eps,
    }
    versions = {"experiment": version, "learner": learner_version}
    if method != "libsvm":
        parameters["bias"] = learner.bias
    if method == "control":
        parameters["max_iter"] = learner.control_max_iter
    if not exact:
        parameters |= {"components": list(components), "embedding": embedding}
        versions["map"] = map_version(method)
    if isinstance(tuned, TunedMap):
        parameters[TUNED_AT] = tuned.components
    rows = train_rows or spec.n_train
    return Cell(
        experiment=experiment,
        kind="quality",
        parameters=parameters,
        versions=versions,
        dataset=dataset,
        dataset_identity=spec.identity,
        threads=threads,
        label=f"{dataset} {method_label(method)} seed {seed}"
        + (f" D {components[0]}-{components[-1]}" if len(components) > 1 else ""),
        expected_s=4 + (rows / 4000) ** 1.7 * 6 if exact else 4 + rows * sum(components) * spec.n_classes * 3e-7,
        timeout_s=timeout_s,
    )


def measure_classification(cell: Cell) -> list[Point]:
    """Train and test one method; every point holds its accuracy, its split times and its model's size."""
    p = cell.parameters
    data = load(str(cell.dataset), scaling=p["scaling"], split_seed=p["seed"], train_rows=p["train_rows"] or None)
    if p["method"] in EXACT:
        return [_exact_point(cell, data)]
    return [
        Point(_point_parameters(cell, data, D), map_metrics(p, data, D, p["seed"], p["log2_C"], p["log2_gamma"]))
        for D in p["components"]
    ]


def _exact_point(cell: Cell, data: Dataset) -> Point:
    p = cell.parameters
    C, gamma = 2.0 ** p["log2_C"], 2.0 ** p["log2_gamma"]
    model: Any
    if p["method"] == "libsvm":
        model = LibsvmClassifier(C, gamma=gamma, eps=p["eps"], cache_mb=1000, random_state=p["seed"])
    else:
        model = OneVsRestKernelSVM(
            C, gamma=gamma, eps=p["eps"], bias=p["bias"], max_iter=p["max_iter"], random_state=p["seed"]
        )
    model.fit(data.X_train, data.y_train)
    predicted = model.predict(data.X_test)
    metrics = _common_metrics(data, predicted, model) | {
        "predict_cpu_s": model.stopwatch_["predict_cpu_s"],
        "model_bytes": int(model.model_bytes_),
    }
    if p["method"] == "libsvm":
        metrics["support_vectors"] = int(model.n_support_)
    return Point(_point_parameters(cell, data, None), metrics)


def map_metrics(
    p: Mapping[str, Any], data: Dataset, D: int, seed: int, log2_C: float, log2_gamma: float
) -> dict[str, Any]:
    """Draw a map, train LIBLINEAR on its features, test it, and return accuracy, split times and model size.

    Parameters
    ----------
    p : mapping
        A cell's parameters, of which ``method``, ``embedding``, ``eps`` and ``bias`` count.
    data : Dataset
    D : int
        Number of columns.
    seed : int
        Of the map and of LIBLINEAR's order of rows.
    log2_C, log2_gamma : float
        Base-2 logarithms of the penalty, and of gamma in exp(-gamma ||x-y||^2).
    """
    feature_map = draw_map(p["method"], n_components=D, gamma=2.0**log2_gamma, embedding=p["embedding"], seed=seed)
    with Stopwatch() as drawing:
        feature_map.fit(data.X_train)
    # Touch the code paths first: a first FFT plan or BLAS call is not the method's time.
    feature_map.transform(data.X_train[:2])
    with Stopwatch() as mapping:
        Phi = feature_map.transform(data.X_train)
    model = LiblinearClassifier(2.0**log2_C, loss="hinge", eps=p["eps"], bias=p["bias"], random_state=seed)
    model.fit(Phi, data.y_train)
    del Phi
    with Stopwatch() as predicting:
        predicted = _predict_in_chunks(feature_map, model, data.X_test)
    return _common_metrics(data, predicted, model) | {
        "draw_cpu_s": drawing.cpu_s,
        "map_cpu_s": mapping.cpu_s,
        "predict_cpu_s": predicting.cpu_s,
        "model_bytes": int(model.model_bytes_ + feature_map.nbytes_),
    }


def _predict_in_chunks(feature_map: RandomFeatureMap, model: LiblinearClassifier, X: np.ndarray) -> np.ndarray:
    """Predict without holding all of Phi(X_test): (n, d) -> (n,) labels."""
    parts = [model.predict(chunk) for _, chunk in feature_map.iter_transform(X, rows=ROWS_AT_ONCE)]
    return np.concatenate(parts)


def _common_metrics(data: Dataset, predicted: np.ndarray, model: Any) -> dict[str, Any]:
    return {
        "accuracy": float(np.mean(predicted == data.y_test)),
        "errors": int(np.sum(predicted != data.y_test)),
        "predictions_sha256": hashlib.sha256(predicted.astype("<i4").tobytes()).hexdigest()[:16],
        "convert_cpu_s": model.stopwatch_["convert_cpu_s"],
        "train_cpu_s": model.stopwatch_["train_cpu_s"],
        "converged": bool(getattr(model, "converged_", True)),
        "solver": model.solver_,
        # A set without its optional test file is split at random: not the data that the plan knows.
        "data_identity": data.identity,
    }


def _point_parameters(cell: Cell, data: Dataset, D: int | None) -> dict[str, Any]:
    p = cell.parameters
    return data_parameters(cell, data, D, p["seed"]) | {"log2_C": p["log2_C"], "log2_gamma": p["log2_gamma"]}


def data_parameters(cell: Cell, data: Dataset, D: int | None, seed: int) -> dict[str, Any]:
    """Return what a point says of its method and data; D is None for an exact kernel."""
    n_train, d = data.X_train.shape
    return {
        "dataset": cell.dataset,
        "method": cell.parameters["method"],
        "seed": seed,
        "D": D,
        "n_train": n_train,
        "n_test": len(data.y_test),
        "d": d,
        "split": data.split,
    }
