"""What cells that measure a feature map have in common: how the map is named, made and versioned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from inspect import signature
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from scrf_bench.errors import UnknownNameError
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.peers import PEERS
from scrf_bench.maps import Embedding, map_by_name
from scrf_bench.report import MeanSe
from scrf_bench.stats import summarise

Dtype = Literal["float32", "float64"]

# Methods beside the maps that `--maps` may name: label, and the experiments that have them.
BASELINES = {
    "libsvm": ("exact LIBSVM", "fig3, table2, fig3-maps, cosplay-front"),
    "control": ("exact, 1-vs-rest", "table2, fig3-maps: the exact kernel through LIBLINEAR's one-vs-rest problem"),
    "krr": ("KRR", "crhs-fig1, crhs-table3: ridge regression with the exact kernel"),
    "ksvm": ("KSVM", "crhs-table3: exact LIBSVM, gamma and C by its own cross-validation"),
    **{name: (peer.label, f"table1, fig2: of the package {peer.package}") for name, peer in PEERS.items()},
}
METHOD_LABELS = {name: label for name, (label, _) in BASELINES.items()}


def method_label(name: str) -> str:
    """Return what a table calls a map, a baseline or a learner."""
    return METHOD_LABELS.get(name) or map_by_name(name).label


def map_version(name: str) -> int:
    """Return the declared version of a map: part of the identity of every cell that uses it."""
    return map_by_name(name).version


def timed_versions(name: str, key: str = "map") -> dict[str, int]:
    """Return what decides how fast a method is: its version, and how a map of ours is implemented.

    A map's ``implementation`` is raised when its speed changes and its values do not, so that only timings are stale.
    """
    if name in PEERS:
        return {key: PEERS[name].version}
    kind = map_by_name(name)
    return {key: kind.version, f"{key}_implementation": getattr(kind, "implementation", 1)}


def draw_map(name: str, *, n_components: int, gamma: float, embedding: Embedding, seed: int) -> Any:
    """Construct an unfitted map with the seed that its cell declares; one without an embedding goes without."""
    kind = map_by_name(name)
    own: dict[str, Any] = {"embedding": embedding} if "embedding" in signature(kind).parameters else {}
    return kind(n_components=n_components, gamma=gamma, random_state=seed, **own)


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
