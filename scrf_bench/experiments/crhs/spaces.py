"""The paper's hypothesis spaces by their names, and the learner that each method trains.

A random hypothesis space is what a map's features span: RRHS of RKS, FRHS of Fastfood, CRHS of SCRF. All of them learn
by ridge regression, and so does the exact kernel method (KRR); for classes the paper's other exact kernel method is the
SVM (KSVM), here LIBSVM's C-SVC. One penalty serves all: the objective is ``sum of losses + lambda ||f||^2``, without
1/n (the paper's equation is not recoverable), so that ``alpha = lambda`` and ``C = 1/(2 lambda)``.
"""

from __future__ import annotations

from typing import Any

from scrf_bench.bench import Cell
from scrf_bench.datasets import DatasetSpec
from scrf_bench.experiments.map_cells import draw_map, map_version, method_label
from scrf_bench.learners import (
    FeatureRidgeClassifier,
    FeatureRidgeRegressor,
    KernelRidgeClassifier,
    KernelRidgeRegressor,
    LibsvmClassifier,
    kernel_ridge_bytes,
)

PAPER = "CRHS-FCST2018"
SPACES = {"rks": "RRHS", "fastfood": "FRHS", "scrf": "CRHS"}
EXACT = ("krr", "ksvm")
WORDS_OF_SPACES = (
    "RRHS, FRHS and CRHS are the paper's names for what the features of RKS, Fastfood and SCRF span; OCRF is ours "
    "(orthogonal circulants)."
)
WORDS = f"{WORDS_OF_SPACES} All learn by ridge regression; KRR: the same with the exact kernel."
BYTES_PER_GB = 10**9
# The plan has held what is needed against the config's limit; the learners' own default must not come before it.
NO_LIMIT = 10**15
SVM_EPS = 1e-3
SVM_CACHE_MB = 1000


def space_label(method: str) -> str:
    """Return what the tables call a method: the paper's name of the space, or the method's own."""
    return SPACES.get(method) or method_label(method)


def learner_version(method: str, task: str) -> int:
    """Return the declared version of the learner that a method trains."""
    if method == "ksvm":
        return LibsvmClassifier.version
    if method == "krr":
        return KernelRidgeRegressor.version if task == "regression" else KernelRidgeClassifier.version
    return FeatureRidgeRegressor.version if task == "regression" else FeatureRidgeClassifier.version


def space_versions(method: str, task: str) -> dict[str, int]:
    """Return the versions, the experiment's apart, that decide what a method predicts."""
    versions = {"learner": learner_version(method, task)}
    return versions if method in EXACT else versions | {"map": map_version(method)}


def applies(method: str, task: str) -> bool:
    """Tell whether a method has a learner for a task: the SVM has none for targets."""
    return method != "ksvm" or task != "regression"


def unfitted(cell: Cell, task: str, D: int | None, log2_gamma: float, log2_lambda: float, seed: int) -> Any:
    """Return the learner of a cell's method, to be fitted with these parameters."""
    method = cell.parameters["method"]
    gamma, alpha = 2.0**log2_gamma, 2.0**log2_lambda
    if method == "ksvm":
        return LibsvmClassifier(0.5 / alpha, gamma=gamma, eps=SVM_EPS, cache_mb=SVM_CACHE_MB, random_state=seed)
    if method == "krr":
        exact = KernelRidgeRegressor if task == "regression" else KernelRidgeClassifier
        return exact(alpha=alpha, gamma=gamma, max_bytes=NO_LIMIT)
    ridge = FeatureRidgeRegressor if task == "regression" else FeatureRidgeClassifier
    return ridge(space_map(cell, D, gamma, seed), alpha=alpha, max_bytes=NO_LIMIT)


def space_map(cell: Cell, D: int | None, gamma: float, seed: int) -> Any:
    """Return the unfitted map of a cell's method with D columns."""
    if D is None:
        raise ValueError(f"'{cell.parameters['method']}' needs a number of columns D.")
    embedding = cell.parameters["embedding"]
    return draw_map(cell.parameters["method"], n_components=D, gamma=gamma, embedding=embedding, seed=seed)


def memory_limit_words(method: str, spec: DatasetSpec, memory_gb: float) -> str | None:
    """Return why exact kernel ridge is not run on a set, or None where its matrix fits the config's limit."""
    if method != "krr":
        return None
    needed = kernel_ridge_bytes(spec.n_train, spec.n_features, spec.n_classes if spec.n_classes > 2 else 1)
    if needed <= memory_gb * BYTES_PER_GB:
        return None
    return (
        f"Exact kernel ridge on n = {spec.n_train:,} training rows needs {needed / BYTES_PER_GB:.3g} GB, more than the "
        f"{memory_gb:g} GB that the config declares (memory_gb)."
    )
