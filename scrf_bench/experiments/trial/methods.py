"""What a trial compares: maps over D, the exact kernel, a linear model, and the answer that looks at no feature."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from scrf_bench.bench import Stopwatch
from scrf_bench.errors import error_words
from scrf_bench.experiments.map_cells import draw_map, method_label
from scrf_bench.experiments.trial.search import Choice
from scrf_bench.experiments.trial.target import Kind
from scrf_bench.learners import LiblinearClassifier, LibsvmClassifier

EXACT, LINEAR, BLIND = "exact", "linear", "blind"
_EPS = 0.01
_FEW_ROWS = "n_components="  # how a map begins its warning of fewer rows than landmarks


@dataclass(frozen=True)
class Method:
    """One row of the table.

    Attributes
    ----------
    name : str
        A map's registered name, or ``exact``, ``linear``, ``blind``.
    kind : str
        ``classification`` or ``regression``.
    choice : Choice
    D : int or None
        Columns of a map.
    """

    name: str
    kind: Kind
    choice: Choice
    D: int | None = None

    @property
    def label(self) -> str:
        """What people read."""
        if self.D is not None:
            return method_label(self.name)
        classes = self.kind == "classification"
        return {
            EXACT: "exact LIBSVM" if classes else "exact kernel ridge",
            LINEAR: "linear (LIBLINEAR)" if classes and self.choice.alpha is None else "linear (ridge)",
            BLIND: "always the commonest class" if classes else "always the mean",
        }[self.name]

    @property
    def words(self) -> str:
        """The label, and a map's number of columns."""
        return self.label if self.D is None else f"{self.label} with D = {self.D:,}"

    def draws(self, seeds: int) -> int:
        """Return how many times to measure it: once where another seed gives the same model."""
        return seeds if self.D is not None else 1

    def steps(self, seed: int) -> list[tuple[str, Any]]:
        """Return unfitted scikit-learn steps: a map, if any, and the learner."""
        if self.D is None:
            return [("learner", self._learner(seed))]
        drawn = draw_map(self.name, n_components=self.D, gamma=self.choice.gamma, embedding="phase", seed=seed)
        return [("map", drawn), ("learner", self._learner(seed))]

    def _learner(self, seed: int) -> Any:
        classes = self.kind == "classification"
        if self.name == BLIND:
            return DummyClassifier(strategy="most_frequent") if classes else DummyRegressor()
        if self.name == EXACT:
            if classes:
                return LibsvmClassifier(self.choice.penalty, gamma=self.choice.gamma, random_state=seed)
            exact = KernelRidge(alpha=self.choice.penalty, kernel="rbf", gamma=self.choice.gamma)
            return TransformedTargetRegressor(exact, transformer=StandardScaler(with_std=False))
        penalty = self.choice.linear_penalty if self.name == LINEAR else self.choice.penalty
        if not classes:
            return Ridge(alpha=penalty)
        if self.choice.alpha is not None:
            return RidgeClassifier(alpha=penalty if self.name == LINEAR else self.choice.alpha)
        return LiblinearClassifier(penalty, loss="hinge", eps=_EPS, random_state=seed)


@dataclass
class Outcome:
    """What was measured of a method, over its seeds.

    Attributes
    ----------
    method : Method
    fit_s, predict_s : list of float
        CPU seconds a seed: map and training; map and prediction of the test rows.
    validation, test : list of (n,) ndarray
        Loss of every row, an array a seed: 0 or 1, or the squared error.
    model_bytes : int
        Of map and weights.
    failure : str
        Why there is nothing.
    broke : bool
        It failed by an error, not by what it is known to need.
    share : float
        Of the rows to fit on, those that it was fitted on: less than 1 for an exact kernel on many.
    """

    method: Method
    fit_s: list[float] = field(default_factory=list)
    predict_s: list[float] = field(default_factory=list)
    validation: list[np.ndarray] = field(default_factory=list)
    test: list[np.ndarray] = field(default_factory=list)
    model_bytes: int = 0
    failure: str = ""
    broke: bool = False
    share: float = 1.0

    def cost_s(self, growth: float = 1.0) -> float:
        """Return CPU seconds to train and to predict the test rows, mean over seeds.

        With `growth` times as many rows to learn from, extrapolated: training a map and linear weights takes so many
        times as long, LIBSVM the square of it and kernel ridge the cube; of these two, prediction grows as well.
        """
        exact = self.method.name == EXACT
        if exact and growth > 1:
            growth /= self.share
        power = (2 if self.method.kind == "classification" else 3) if exact else 1
        predicting = float(np.mean(self.predict_s)) * (growth if exact else 1.0)
        return float(np.mean(self.fit_s)) * growth**power + predicting


@dataclass(frozen=True)
class Parts:
    """Prepared features and targets of the three parts."""

    fit: tuple[Any, np.ndarray]
    validation: tuple[Any, np.ndarray]
    test: tuple[Any, np.ndarray]


def all_methods(kind: Kind, choice: Choice, maps: Sequence[str], components: Sequence[int]) -> list[Method]:
    """Return the methods in the order of the table."""
    return [
        *(Method(name, kind, choice, D) for D in sorted(components) for name in maps),
        *(Method(name, kind, choice) for name in (EXACT, LINEAR, BLIND)),
    ]


def measure(
    method: Method,
    parts: Parts,
    *,
    seeds: int,
    first_seed: int,
    most_exact: int,
    after_each: Callable[[], None] = lambda: None,
) -> Outcome:
    """Fit and test a method once a seed, or once only where nothing is random.

    A method that cannot cope is an outcome with its reason, not an end of the trial, whatever a user's map raises.
    """
    outcome = Outcome(method)
    for seed in range(first_seed, first_seed + method.draws(seeds)):
        try:
            with warnings.catch_warnings():
                # Fewer landmarks than asked for would be another D.
                warnings.filterwarnings("error", message=_FEW_ROWS)
                _measure_one(outcome, parts, seed, most_exact)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a user's map raises anything
            if isinstance(error, UserWarning) and str(error).startswith(_FEW_ROWS):
                outcome.failure = f"it takes as many rows as columns, and {parts.fit[0].shape[0]:,} are fitted on"
            else:
                outcome.failure, outcome.broke = error_words(error), True
        after_each()
        if outcome.failure:
            break
    return outcome


def _measure_one(outcome: Outcome, parts: Parts, seed: int, most_exact: int) -> None:
    X, y = parts.fit
    if outcome.method.name == EXACT:
        X, y = subsample(X, y, most_exact, seed)
        outcome.share = len(y) / len(parts.fit[1])
    model = Pipeline(outcome.method.steps(seed))
    _warm_up(outcome.method, X, seed)
    with Stopwatch() as fitting:
        model.fit(X, y)
    losses = []
    for rows, targets in (parts.validation, parts.test):
        with Stopwatch() as predicting:
            predicted = model.predict(rows)
        losses.append(row_losses(predicted, targets, outcome.method.kind))
    outcome.fit_s.append(fitting.cpu_s)
    outcome.predict_s.append(predicting.cpu_s)
    outcome.validation.append(losses[0])
    outcome.test.append(losses[1])
    outcome.model_bytes = model_bytes(model)


def subsample(X: Any, y: np.ndarray, most: int, seed: int) -> tuple[Any, np.ndarray]:
    """Return at most so many random rows."""
    if len(y) <= most:
        return X, y
    rows = np.random.default_rng(seed).permutation(len(y))[:most]
    return X[rows], y[rows]


def _warm_up(method: Method, X: Any, seed: int) -> None:
    """Touch a map's code paths first: a first FFT plan or BLAS call is not the method's time."""
    if method.D is not None:
        rows = X[: min(X.shape[0], 2 * method.D)]
        method.steps(seed)[0][1].fit(rows).transform(rows[:2])


def row_losses(predicted: np.ndarray, targets: np.ndarray, kind: Kind) -> np.ndarray:
    """Return each row's loss, float64: 1 for a wrong class, or the squared error."""
    if kind == "classification":
        return np.asarray(predicted != targets, dtype=np.float64)
    return np.asarray(np.square(predicted - targets), dtype=np.float64)


def model_bytes(model: Pipeline) -> int:
    """Return the bytes that a fitted map and its weights, or an exact model, take."""
    held = int(model.named_steps["map"].nbytes_) if "map" in model.named_steps else 0
    learner = model.named_steps["learner"]
    learner = getattr(learner, "regressor_", learner)
    if hasattr(learner, "model_bytes_"):
        return held + int(learner.model_bytes_)
    arrays = [getattr(learner, name, None) for name in ("coef_", "X_fit_", "dual_coef_")]
    data = [getattr(array, "data", array) if hasattr(array, "indptr") else array for array in arrays]
    return held + sum(int(array.nbytes) for array in data if array is not None)
