"""Cosplay's recipe from pixels to labels: uncentred PCA, the median trick, a feature map, and a learner on top."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from scrf_bench.bench import Stopwatch
from scrf_bench.experiments.map_cells import draw_map
from scrf_bench.learners import FeatureRidgeClassifier, LogisticClassifier, gaussian_prior_alpha
from scrf_bench.learners.gaussian_prior import PriorReading

Learner = Literal["logistic", "ridge"]
Array = NDArray[Any]

EMBEDDING: Literal["phase"] = "phase"
"""The recipe's cosines have a phase each, ``b ~ U[0, 2 pi]``."""

RIDGE_BYTES = 6 * 10**9
"""Room for the D x D sums of a ridge: D = 16,384 takes 2.6 GB."""


@dataclass(frozen=True)
class LogisticSettings:
    """The recipe's logistic regression.

    Attributes
    ----------
    prior : float
        The number that the recipe gives for the Gaussian prior on the weights.
    prior_reading : str
        What that number is of the weights: see `gaussian_prior_alpha`.
    iterations : int
        Most L-BFGS iterations.
    features_gb : float
        Float32 features up to this size are kept; beyond it they are made anew for every iteration.
    """

    prior: float
    prior_reading: PriorReading
    iterations: int
    features_gb: float


@dataclass(frozen=True)
class Setting:
    """One classifier, but for the penalty of a ridge.

    Attributes
    ----------
    learner : {"logistic", "ridge"}
    map : str
        A registered map.
    D : int
        Number of features.
    pca : int
        Principal directions that the rows are projected on; 0: none, the map sees the pixels.
    gamma : float
        Of the Gaussian kernel; 0: by the median trick.
    bandwidth_rows : int
        Random training rows of the median trick.
    """

    learner: Learner
    map: str
    D: int
    pca: int
    gamma: float
    bandwidth_rows: int


@dataclass(frozen=True)
class Trained:
    """Learners on one feature map (one a ridge's penalty), and what came before them.

    Attributes
    ----------
    axes : (d, pca) ndarray or None
    models : list of learners
    gamma : float
        That was used.
    metrics : dict
        Seconds of the steps and of all of them, ``train_cpu_s``, from pixels to weights.
    """

    axes: Array | None
    models: list[Any]
    gamma: float
    metrics: dict[str, Any]

    def project(self, X: Array) -> Array:
        """Return what the feature map sees of the rows."""
        return X if self.axes is None else X @ self.axes


def principal_axes(X: Array, k: int) -> Array:
    """Return the k leading eigenvectors of ``X' X`` (uncentred PCA), largest first, (d, k) in X's dtype.

    Raises
    ------
    ValueError
        If rows have fewer than k entries.
    """
    d = X.shape[1]
    if not 1 <= k <= d:
        raise ValueError(f"pca={k}: rows of {d} entries have 1 to {d} principal directions.")
    products = np.asarray(X.T @ X, dtype=np.float64)
    vectors = eigh(products, subset_by_index=(d - k, d - 1))[1]
    return np.ascontiguousarray(vectors[:, ::-1], dtype=X.dtype)


def median_gamma(X: Array, rows: int, seed: int) -> float:
    """Return ``gamma = 1 / (2 median ||x - y||^2)`` over all pairs of a random sample of rows.

    As in the recipe, a row and itself are pairs too, which lowers the median a little.

    Raises
    ------
    ValueError
        If more than half of the pairs are equal rows.
    """
    chosen = np.random.default_rng([seed, rows]).permutation(X.shape[0])[:rows]
    sample = X[chosen].astype(np.float64)
    norms = np.einsum("ij,ij->i", sample, sample)
    median = float(np.median(norms[:, None] + norms - 2.0 * (sample @ sample.T)))
    if not median > 1e-12 * norms.max(initial=0.0):
        raise ValueError(f"Most of {len(sample)} sampled rows are equal: their median distance gives no bandwidth.")
    return 0.5 / median


def logistic_penalty(logistic: LogisticSettings, D: int) -> tuple[float, float]:
    """Return ``alpha`` and the constant column of our logistic regression that stand for the recipe's prior.

    Our cosines carry a factor ``sqrt(2/D)`` that the recipe's lack, so ``alpha = precision * 2/D``; the recipe's
    constant 1 among the features, penalised like them, becomes ``sqrt(2/D)``.
    """
    scale = math.sqrt(2.0 / D)
    return gaussian_prior_alpha(logistic.prior, reading=logistic.prior_reading, feature_scale=scale), scale


def train(
    setting: Setting,
    seed: int,
    X: Array,
    y: NDArray[np.int64],
    *,
    logistic: LogisticSettings | None = None,
    alphas: Sequence[float] = (),
) -> Trained:
    """Train from pixels, every step timed.

    Parameters
    ----------
    setting : Setting
    seed : int
        Draws the bandwidth's sample and the map.
    X : (n, d) ndarray
        Pixels divided by their maximum; float32 is what the recipe uses.
    y : (n,) int64
    logistic : LogisticSettings, optional
        For the learner "logistic".
    alphas : sequence of float
        For the learner "ridge": penalties, a model each.
    """
    with Stopwatch() as watch_pca:
        axes = principal_axes(X, setting.pca) if setting.pca else None
        rows = X if axes is None else X @ axes
    with Stopwatch() as watch_bandwidth:
        gamma = setting.gamma or median_gamma(rows, setting.bandwidth_rows, seed)
    feature_map = draw_map(setting.map, n_components=setting.D, gamma=gamma, embedding=EMBEDDING, seed=seed)
    # Loading compiled loops is not the method's time.
    feature_map.fit(rows[:2]).transform(rows[:2])
    models: list[Any]
    if logistic is not None:
        models = [_logistic(logistic, setting.D, feature_map).fit(rows, y)]
    else:
        ridge = FeatureRidgeClassifier(feature_map, precision="single", max_bytes=RIDGE_BYTES)
        models = ridge.fit_path(rows, y, alphas)
    times = {"pca_cpu_s": watch_pca.cpu_s, "bandwidth_cpu_s": watch_bandwidth.cpu_s}
    stopwatch = models[0].stopwatch_
    steps = ("draw", "map", "gram", "solve")
    times |= {f"{step}_cpu_s": stopwatch[f"{step}_cpu_s"] for step in steps if f"{step}_cpu_s" in stopwatch}
    for clock in ("cpu", "wall"):
        before = getattr(watch_pca, f"{clock}_s") + getattr(watch_bandwidth, f"{clock}_s")
        times[f"train_{clock}_s"] = before + stopwatch[f"train_{clock}_s"]
    return Trained(axes, models, gamma, times)


def _logistic(settings: LogisticSettings, D: int, feature_map: Any) -> LogisticClassifier:
    alpha, column = logistic_penalty(settings, D)
    return LogisticClassifier(
        feature_map,
        alpha=alpha,
        intercept_column=column,
        penalise_intercept=True,
        max_iter=settings.iterations,
        max_bytes=round(settings.features_gb * 1e9),
    )


def model_metrics(trained: Trained, model: Any) -> dict[str, Any]:
    """Return what a record holds of one trained learner: width, size, and how the optimiser ended."""
    axes_bytes = 0 if trained.axes is None else int(trained.axes.nbytes)
    metrics: dict[str, Any] = {
        "gamma": trained.gamma,
        "model_bytes": int(model.model_bytes_ + model.feature_map_.nbytes_ + axes_bytes),
        "solver": model.solver_,
        "converged": bool(getattr(model, "converged_", True)),
    }
    if isinstance(model, LogisticClassifier):
        metrics |= {
            "alpha": float(model.alpha),
            "iterations": model.n_iter_,
            "evaluations": model.n_evaluations_,
            "objective": model.objective_,
            "features": model.features_,
        }
    return metrics


def scores(trained: Trained, model: Any, parts: Mapping[str, tuple[Array, Array]]) -> dict[str, Any]:
    """Return accuracy, errors and prediction times, pixels to labels, on each named part of the data.

    The part ``test`` gives ``accuracy``, any other ``<part>_accuracy``.
    """
    metrics: dict[str, Any] = {}
    for part, (X, y) in parts.items():
        with Stopwatch() as watch:
            predicted = model.predict(trained.project(X))
        wrong = predicted != y
        prefix = "" if part == "test" else f"{part}_"
        metrics |= {
            f"{prefix}accuracy": float(1.0 - wrong.mean()),
            f"{prefix}errors": int(wrong.sum()),
            f"{prefix}predict_cpu_s": watch.cpu_s,
            f"{prefix}predict_wall_s": watch.wall_s,
            f"{prefix}predictions_sha256": hashlib.sha256(predicted.astype("<i4").tobytes()).hexdigest()[:16],
        }
    return metrics
