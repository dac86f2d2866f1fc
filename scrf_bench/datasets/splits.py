"""Recorded random splits: pure functions of a name, a seed and a number of rows.

The recipe, which a golden test holds (version 1):

1. entropy = the sha256 of the UTF-8 text ``scrf-bench split 1|PURPOSE|NAME|SEED|ROWS``, as a big-endian
   integer;
2. keys = the first ROWS raw 64-bit outputs of ``numpy.random.PCG64(SeedSequence(entropy))``;
3. the order of the rows is the stable argsort of the keys.

NumPy guarantees the streams of its bit generators and of SeedSequence, but not those of ``Generator`` methods
such as ``permutation``; so only the former are used.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

#: Share of rows that go into the training part where neither the data nor a paper says otherwise.
DEFAULT_TRAIN_FRACTION = 0.7


def random_order(purpose: str, name: str, seed: int, rows: int) -> NDArray[np.int64]:
    """Return a permutation of ``range(rows)`` by the recipe above.

    Parameters
    ----------
    purpose : str
        ``"test"`` to set test rows apart, ``"subsample"`` to thin a training part.
    name : str
        Name of the dataset.
    seed : int
        Split seed.
    rows : int

    Returns
    -------
    ndarray of shape (rows,), int64
    """
    text = f"scrf-bench split 1|{purpose}|{name}|{seed}|{rows}"
    entropy = int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
    keys = np.random.PCG64(np.random.SeedSequence(entropy)).random_raw(rows)
    return np.argsort(keys, kind="stable").astype(np.int64)


def default_train_rows(rows: int) -> int:
    """Return the size of the training part of a random split: 70 % of the rows, rounded to the nearest."""
    return round(DEFAULT_TRAIN_FRACTION * rows)


def random_split(name: str, seed: int, rows: int, train_rows: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of a random training part and of the test part, both in shuffled order."""
    order = random_order("test", name, seed, rows)
    return order[:train_rows], order[train_rows:]


def random_subsample(name: str, seed: int, rows: int, wanted: int) -> NDArray[np.int64]:
    """Return ``wanted`` of ``rows`` rows in shuffled order; a larger sample contains a smaller one."""
    return random_order("subsample", name, seed, rows)[:wanted]
