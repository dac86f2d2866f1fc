"""The differences ``v = (x - y)/sigma`` at which kernel estimates are measured, as unit vectors."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def _spread(d: int, step: int) -> Matrix:
    return np.where(np.arange(d) % step == 0, 1.0, 0.0)


# Label, and the vector before it is scaled to length 1. The last two live on subgroups of the positions modulo d.
_SHAPES: Mapping[str, tuple[str, Callable[[int], Matrix]]] = {
    "one_hot": ("one-hot", lambda d: _spread(d, d)),
    "constant": ("constant", np.ones),
    "alternating": ("alternating", lambda d: np.where(np.arange(d) % 2 == 0, 1.0, -1.0)),
    "ramp": ("ramp", lambda d: np.arange(1.0, d + 1)),
    "half_shift": ("two entries", lambda d: _spread(d, d // 2)),
    "every_4th": ("every 4th entry", lambda d: _spread(d, 4)),
}
RANDOM = "random"
KINDS = (RANDOM, *_SHAPES)


def kind_label(kind: str) -> str:
    """Return what tables call a kind of v; a dataset is called by its name."""
    return _SHAPES[kind][0] if kind in _SHAPES else kind


def directions(kind: str, d: int, count: int, seed: int) -> Matrix:
    """Return unit vectors of a kind.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    d : int
    count : int
        How many, where the kind is random: uniform on the sphere. The others are one vector each.
    seed : int

    Returns
    -------
    ndarray of shape (count or 1, d), float64
    """
    if kind == RANDOM:
        return _unit(_generator(kind, d, seed).standard_normal((count, d)))
    return _unit(_SHAPES[kind][1](d)[np.newaxis])


def data_directions(name: str, X: Matrix, count: int, seed: int) -> Matrix:
    """Return ``x - y`` of `count` random pairs of different rows of X, scaled to length 1."""
    rng = _generator(name, X.shape[1], seed)
    found: list[Matrix] = []
    while len(found) < count:
        i, j = rng.choice(len(X), 2, replace=False)
        difference = X[i] - X[j]
        if difference.any():
            found.append(difference)
    return _unit(np.array(found))


def base_point(d: int, seed: int) -> Matrix:
    """Return x, near the unit sphere; y is ``x - v``."""
    return np.asarray(_generator("base", d, seed).standard_normal(d) / np.sqrt(d), dtype=np.float64)


def _unit(V: Matrix) -> Matrix:
    return np.asarray(V / np.linalg.norm(V, axis=1, keepdims=True), dtype=np.float64)


def _generator(name: str, d: int, seed: int) -> np.random.Generator:
    # crc32, since Python's own hash of a str changes with every process.
    return np.random.default_rng([zlib.crc32(name.encode()), d, seed])
