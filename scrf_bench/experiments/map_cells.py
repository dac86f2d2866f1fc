"""What cells that measure a feature map have in common: how the map is named, made and versioned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scrf_bench.errors import UnknownNameError
from scrf_bench.experiments.base import Selection
from scrf_bench.maps import Embedding, RandomFeatureMap, map_by_name
from scrf_bench.report import MeanSe
from scrf_bench.stats import summarise

Dtype = Literal["float32", "float64"]

# Methods beside the maps that `--maps` may name: label, and the experiments that have them.
BASELINES = {
    "libsvm": ("exact LIBSVM", "fig3, table2"),
    "control": ("exact, 1-vs-rest", "table2: the exact kernel through LIBLINEAR's one-vs-rest problem"),
    "rbfsampler": ("RBFSampler", "table1: scikit-learn's"),
}
METHOD_LABELS = {name: label for name, (label, _) in BASELINES.items()}


def method_label(name: str) -> str:
    """Return what a table calls a map, a baseline or a learner."""
    return METHOD_LABELS.get(name) or map_by_name(name).label


def map_version(name: str) -> int:
    """Return the declared version of a map: part of the identity of every cell that uses it."""
    return map_by_name(name).version


def draw_map(name: str, *, n_components: int, gamma: float, embedding: Embedding, seed: int) -> RandomFeatureMap:
    """Construct an unfitted map with the seed that its cell declares."""
    return map_by_name(name)(n_components=n_components, gamma=gamma, embedding=embedding, random_state=seed)


def selected_maps(declared: Iterable[str], selection: Selection) -> list[str]:
    """Return the maps to run: the config's, or those that ``--maps`` names.

    Raises
    ------
    UnknownNameError
        If ``--maps`` names a map that nobody registered.
    """
    if selection.maps is None:
        return list(declared)
    for name in selection.maps:
        if name not in METHOD_LABELS:
            map_by_name(name)
    return list(selection.maps)


def wanted(method: str, selection: Selection) -> bool:
    """Tell whether a baseline runs: always, unless ``--maps`` names other methods only."""
    return selection.maps is None or method in selection.maps


def uniform_points(rows: int, d: int, *seed: int) -> NDArray[np.float64]:
    """Sample `rows` points uniformly from [0, 1]^d, float64 of shape (rows, d)."""
    return np.random.default_rng(list(seed)).random((rows, d))


def known_dataset(name: str, declared: Iterable[str], experiment: str) -> None:
    """Check a name given to ``--datasets``.

    Raises
    ------
    UnknownNameError
        If the experiment's profile does not declare the dataset.
    """
    names = list(declared)
    if name not in names:
        msg = f"--datasets {name}: this profile of '{experiment}' has no such dataset; it has {', '.join(names)}."
        raise UnknownNameError(msg)


def mean_se(values: Sequence[float]) -> MeanSe:
    """Return what a table prints of one value a seed: mean, standard error, number."""
    summary = summarise(values)
    return MeanSe(summary.mean, summary.standard_error, summary.n)


def thread_words(threads: int) -> str:
    """Return ``one thread`` or ``2 threads``."""
    return "one thread" if threads == 1 else f"{threads} threads"
