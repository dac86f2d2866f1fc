"""What a check raises, and the maps and rows that all of them work on."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from scrf_bench.maps.tiles import Array

ROWS = 40


class Breach(Exception):  # noqa: N818 - not an error of ours
    """The contract is broken; the message says how, and what to do."""


class Idle(Exception):  # noqa: N818
    """The promise does not apply to this map; the message says why."""


def require(kept: object, words: str) -> None:
    """Raise `Breach` with these words unless something is so."""
    if not kept:
        raise Breach(words)


@contextmanager
def attempt(words: str) -> Iterator[None]:
    """Raise `Breach` with these words, and the error's, where the block fails."""
    try:
        yield
    except Breach:
        raise
    except Exception as error:
        raise Breach(f"{words} ({error_words(error)})") from error


def error_words(error: BaseException) -> str:
    """Return an error's kind and words, and the place in the source that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"; {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{place}"


def drawn(kind: Any, n_components: int = 24, seed: int = 0, gamma: float = 0.2, **options: Any) -> Any:
    """Construct an unfitted map."""
    return kind(n_components=n_components, gamma=gamma, random_state=seed, **options)


def rows(d: int = 7, n: int = ROWS, dtype: Any = np.float64) -> Array:
    """Return n fixed rows of d standard normal numbers."""
    X: Array = np.random.default_rng([d, n]).normal(size=(n, d)).astype(dtype)
    return X


def takes(kind: Any, name: str) -> bool:
    """Tell whether a class's constructor has a parameter."""
    return name in signature(kind).parameters


def same_bits(a: Array, b: Array) -> bool:
    """Tell whether two arrays agree in shape, dtype and every bit."""
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
