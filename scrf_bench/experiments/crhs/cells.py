"""One method on one dataset: search gamma and lambda, then train and predict with one map draw after the other.

Shared by Figure 1 and Tables 3 to 5. A set with an official split is searched once, and its repetitions are map draws;
a set without one is split anew by every repetition and searched on that split's training rows, so that no test row
plays a part in the choice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrf_bench.bench import Cell, Point, Stopwatch, interleave
from scrf_bench.datasets import Dataset, load, registry
from scrf_bench.datasets.loading import Scaling
from scrf_bench.experiments.crhs.search import Choice, SearchSettings, Task, search
from scrf_bench.experiments.crhs.spaces import EXACT, space_label, space_versions, unfitted

SEARCH, TEST = "search", "test"
# A prediction shorter than this is timed again, several times: the CPU clock and a first touch would show.
_SHORT_S = 0.1
_PREDICT_SAMPLES = 5
# What a cell may take unless told otherwise.
_LONGEST_S = 6 * 3600.0


@dataclass(frozen=True)
class SpaceDataset:
    """One dataset of a table or figure.

    Attributes
    ----------
    name : str
    status : str
        ``named`` in the paper's text, or ``ours``: the paper's list of sets is not recoverable.
    scaling : str
        Fitted on the training rows.
    D : int
        Columns of every map; the paper's are "a few hundred to a few thousand".
    """

    name: str
    status: str
    scaling: Scaling
    D: int = 1

    def __post_init__(self) -> None:
        if self.status not in ("named", "ours"):
            raise ValueError(f"datasets.{self.name}.status is '{self.status}'; it must be named or ours.")


def task_of(dataset: str) -> Task:
    """Return what a dataset is learnt by: its classes or its target."""
    return "regression" if registry()[dataset].task == "regression" else "classification"


def computed_once(method: str, dataset: str) -> bool:
    """Tell whether every repetition computes the same: an exact method draws nothing, nor does an official split."""
    return method in EXACT and registry()[dataset].has_official_split


def repetitions_of(method: str, dataset: str, repetitions: Sequence[int], exact_runs: int = 1) -> list[int]:
    """Return the repetitions to run; what is computed once is run `exact_runs` times, for its time alone."""
    return list(repetitions[:exact_runs] if computed_once(method, dataset) else repetitions)


def space_cell(
    experiment: str,
    version: int,
    method: str,
    dataset: SpaceDataset,
    settings: SearchSettings,
    *,
    components: Sequence[int],
    repetitions: Sequence[int],
    embedding: str,
    threads: int,
    declared_limit: str | None = None,
) -> Cell:
    """Plan one method on one dataset with its grid of D and some repetitions inside; exact kernels have no D."""
    spec = registry()[dataset.name]
    parameters: dict[str, Any] = {
        "method": method,
        "repetitions": list(repetitions),
        "scaling": dataset.scaling,
        **{f"search_{key}": value for key, value in asdict(settings).items()},
    }
    if method not in EXACT:
        parameters |= {"components": list(components), "embedding": embedding}
    return Cell(
        experiment=experiment,
        kind="quality",
        parameters=parameters,
        versions={"experiment": version, **space_versions(method, task_of(dataset.name))},
        dataset=dataset.name,
        dataset_identity=spec.identity,
        threads=threads,
        label=f"{dataset.name} {space_label(method)} {_span('D', components)}{_span('repetition', repetitions)}",
        expected_s=_guess_s(method, spec.n_train, components, len(repetitions), settings),
        declared_limit=declared_limit,
    )


def measure_space(cell: Cell) -> list[Point]:
    """Return a point for every search and one for every repetition, at every D."""
    p = cell.parameters
    dataset = str(cell.dataset)
    groups = [p["repetitions"]] if registry()[dataset].has_official_split else [[r] for r in p["repetitions"]]
    points: list[Point] = []
    for repetitions in groups:
        data = load(dataset, scaling=p["scaling"], split_seed=repetitions[0])
        for D in p.get("components", [None]):
            points += _searched_and_tested(cell, data, D, repetitions)
    return points


def _searched_and_tested(cell: Cell, data: Dataset, D: int | None, repetitions: Sequence[int]) -> Iterator[Point]:
    task = task_of(data.name)
    target = _Target(data)
    choice = search(cell, _settings(cell), data.X_train, target.train, task, D)
    common = _common(cell, data, D)
    yield Point(
        parameters={**common, "stage": SEARCH, "repetition": repetitions[0]},
        metrics={
            "log2_gamma": choice.log2_gamma,
            "log2_lambda": choice.log2_lambda,
            "cv_loss": choice.loss,
            "cv_rows": choice.rows,
            "cv_cpu_s": choice.cpu_s,
            "at_edge": choice.at_edge,
            "data_identity": data.identity,
        },
        samples={
            "tried_log2_gamma": [gamma for gamma, _ in choice.tried],
            "tried_log2_lambda": [penalty for _, penalty in choice.tried],
            "tried_loss": list(choice.tried.values()),
        },
    )
    for repetition in repetitions:
        metrics = _tested(cell, data, target, choice, task, D, repetition)
        yield Point({**common, "stage": TEST, "repetition": repetition}, metrics)


class _Target:
    """What is learnt: class codes as they are, a regression's target standardised on the training rows."""

    def __init__(self, data: Dataset) -> None:
        self._data = data
        self._regression = data.task == "regression"
        self._mean = float(data.y_train.mean()) if self._regression else 0.0
        self._deviation = (float(data.y_train.std()) or 1.0) if self._regression else 1.0
        self.train: NDArray[Any] = (data.y_train - self._mean) / self._deviation if self._regression else data.y_train

    def scores(self, predicted: NDArray[Any]) -> dict[str, Any]:
        """Return the test metrics: accuracy, or the mean squared error in the target's own unit and R^2."""
        truth = self._data.y_test
        if not self._regression:
            return {
                "accuracy": float(np.mean(predicted == truth)),
                "errors": int(np.sum(predicted != truth)),
                "predictions_sha256": hashlib.sha256(predicted.astype("<i4").tobytes()).hexdigest()[:16],
            }
        mse = float(np.mean((self._mean + self._deviation * predicted - truth) ** 2))
        return {"mse": mse, "r2": 1.0 - mse / float(truth.var())}


def _tested(
    cell: Cell, data: Dataset, target: _Target, choice: Choice, task: Task, D: int | None, repetition: int
) -> dict[str, Any]:
    model = unfitted(cell, task, D, choice.log2_gamma, choice.log2_lambda, repetition)
    model.fit(data.X_train, target.train)
    training = dict(model.stopwatch_)
    with Stopwatch() as watch:
        predicted = model.predict(data.X_test)
    predict_s = watch.cpu_s
    if predict_s < _SHORT_S:
        timed = interleave({"predict": lambda: model.predict(data.X_test)}, samples=_PREDICT_SAMPLES, warmup=0)
        predict_s = timed["predict"].cpu_median
    fitted_map = getattr(model, "feature_map_", None)
    metrics = target.scores(predicted) | {
        "log2_gamma": choice.log2_gamma,
        "log2_lambda": choice.log2_lambda,
        # From rows to a model: the exact methods' conversion is part of it, as the maps' expansion is.
        "train_cpu_s": training["train_cpu_s"] + training.get("convert_cpu_s", 0.0),
        "predict_cpu_s": predict_s,
        "model_bytes": int(model.model_bytes_) + (int(fitted_map.nbytes_) if fitted_map is not None else 0),
        "solver": model.solver_,
        "data_identity": data.identity,
    }
    metrics |= {f"{key}_cpu_s": training[f"{key}_cpu_s"] for key in ("draw", "gram", "solve") if D is not None}
    if hasattr(model, "n_support_"):
        metrics["support_vectors"] = int(model.n_support_)
    return metrics


def _common(cell: Cell, data: Dataset, D: int | None) -> dict[str, Any]:
    n_train, d = data.X_train.shape
    return {
        "dataset": data.name,
        "task": data.task,
        "method": cell.parameters["method"],
        "D": D,
        "n_train": n_train,
        "n_test": len(data.y_test),
        "d": d,
        "split": data.split,
    }


def _settings(cell: Cell) -> SearchSettings:
    fields = {key.removeprefix("search_"): v for key, v in cell.parameters.items() if key.startswith("search_")}
    return SearchSettings(**{**fields, "log2_values": tuple(fields["log2_values"])})


def _span(what: str, values: Sequence[int]) -> str:
    """Return ``D 32-1024``, ``repetition 0``; nothing for no values."""
    if not values:
        return ""
    return f"{what} {values[0]}" + (f"-{values[-1]}" if len(values) > 1 else "") + (" " if what == "D" else "")


def _guess_s(method: str, n: int, components: Sequence[int], repetitions: int, settings: SearchSettings) -> float:
    """Guess a cell's seconds, for the time left on the progress bar only."""
    tried, flops = 12 * settings.folds, 2e10
    rows = min(n, settings.rows)
    if method in EXACT:
        one = 1e-6 * n**1.9 if method == "ksvm" else n**3 / 3 / flops
        return min(_LONGEST_S, 3.0 + tried * rows**3 / 2 / flops + repetitions * one)
    fits = sum((n * D**2 + D**3 / 3) / flops for D in components)
    return min(_LONGEST_S, 3.0 + sum(tried * D**3 / flops for D in components) + repetitions * fits)
