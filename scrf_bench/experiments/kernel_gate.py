"""A speed counts only if the features approximate the kernel: estimates of a few pairs against exact values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

PAIRS = 64
BOUND = 4.0
"""Largest root mean square error times sqrt(D).

With a random phase, one frequency's estimate of ``k`` has variance ``((1 - k^2)^2 + 1) / 2 <= 1``, so the error of D
independent frequencies is at most 1/sqrt(D) in the root mean square; maps whose frequencies depend on each other
within blocks stay within twice that. Four times it is never chance, while a kernel of another width, or a factor left
out, is far beyond it at the D of the tables.
"""


def kernel_error(transform: Callable[[NDArray[Any]], NDArray[Any]], X: NDArray[Any], gamma: float) -> float:
    """Return the root mean square error of ``Phi(x) Phi(y)`` over up to 64 pairs of X's rows."""
    pairs = min(PAIRS, len(X) // 2)
    features = np.asarray(transform(X[: 2 * pairs]), dtype=np.float64)
    left, right = features[:pairs], features[pairs:]
    exact = np.exp(-gamma * ((X[:pairs].astype(np.float64) - X[pairs : 2 * pairs]) ** 2).sum(axis=1))
    estimate = (left * right).sum(axis=1)
    return float(np.sqrt(np.mean((estimate - exact) ** 2)))


def error_bound(n_components: int) -> float:
    """Return the largest error that passes, ``4/sqrt(D)``."""
    return BOUND / math.sqrt(n_components)
