"""LIBLINEAR's dual coordinate descent for the hinge loss (-s 3), on a kernel matrix instead of rows.

Importing this module loads numba: do it inside a function. The source is `solve_l2r_l1l2_svc` of LIBLINEAR,
that is Algorithm 3 of Hsieh, Chang, Lin, Keerthi and Sundararajan, "A dual coordinate descent method for
large-scale linear SVM", ICML 2008; where LIBLINEAR keeps ``w`` and takes inner products, this keeps the
outputs ``f = K beta``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from scrf_bench.maps.compiled.disk_cache import keep

_SHIFTS = (np.uint64(12), np.uint64(25), np.uint64(27), np.uint64(33))
_SCATTER = np.uint64(2685821657736338717)
_TINY = 1e-12  # LIBLINEAR's: a projected gradient below it moves nothing


def _shuffle(index: NDArray[Any], size: int, state: Any) -> Any:
    """Permute ``index[:size]`` in place by xorshift64*; return the generator's next state."""
    for i in range(size):
        state ^= state >> _SHIFTS[0]
        state ^= state << _SHIFTS[1]
        state ^= state >> _SHIFTS[2]
        j = i + np.int64((state * _SCATTER) >> _SHIFTS[3]) % (size - i)
        index[i], index[j] = index[j], index[i]
    return state


_shuffle_compiled: Any = keep(numba.njit(_shuffle))


def _descend(
    K: NDArray[Any],
    y: NDArray[np.float64],
    C: float,
    eps: float,
    bias: float,
    max_iter: int,
    seed: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int, bool]:
    """Solve one class against the rest.

    Minimises ``beta' (K + bias^2) beta / 2 - sum(alpha)`` over ``0 <= alpha <= C``, ``beta = alpha y``.

    Parameters
    ----------
    K : (n, n) float32 or float64
        Kernel matrix, C-contiguous.
    y : (n,) float64
        +1 or -1.
    C, eps, bias : float
        Penalty, tolerance on the spread of the projected gradient, value of the bias column (0: none).
    max_iter : int
        Most passes over the rows.
    seed : int
        Of the row order.

    Returns
    -------
    beta, f : (n,) float64
        Signed coefficients and the outputs ``(K + bias^2) beta`` on the training rows.
    n_iter : int
        Passes made.
    converged : bool
    """
    n = K.shape[0]
    alpha = np.zeros(n)
    f = np.zeros(n)  # without the bias: that part is one number, kept apart
    constant = 0.0
    bias2 = bias * bias
    index = np.arange(n)
    active = n
    state = np.uint64(seed) * np.uint64(2) + np.uint64(88172645463325253)
    shrink_above, shrink_below = np.inf, -np.inf
    n_iter, converged = 0, False
    while n_iter < max_iter:
        largest, smallest = -np.inf, np.inf
        state = _shuffle_compiled(index, active, state)
        s = 0
        while s < active:
            i = index[s]
            G = y[i] * (f[i] + constant) - 1.0
            at_zero, at_C = alpha[i] == 0.0, alpha[i] == C
            if (at_zero and shrink_above < G) or (at_C and shrink_below > G):
                active -= 1
                index[s], index[active] = index[active], index[s]
                continue
            PG = G
            if at_zero:
                PG = min(G, 0.0)
            elif at_C:
                PG = max(G, 0.0)
            largest, smallest = max(largest, PG), min(smallest, PG)
            if abs(PG) > _TINY:
                new = min(max(alpha[i] - G / (K[i, i] + bias2), 0.0), C)
                step = (new - alpha[i]) * y[i]
                alpha[i] = new
                constant += step * bias2
                row = K[i]
                for j in range(n):
                    f[j] += step * row[j]
            s += 1
        n_iter += 1
        if largest - smallest <= eps and abs(largest) <= eps and abs(smallest) <= eps:
            if active == n:
                converged = True
                break
            active, shrink_above, shrink_below = n, np.inf, -np.inf  # look at the shrunken rows again
            continue
        shrink_above = largest if largest > 0.0 else np.inf
        shrink_below = smallest if smallest < 0.0 else -np.inf
    return alpha * y, f + constant, n_iter, converged


descend: Callable[..., tuple[NDArray[np.float64], NDArray[np.float64], int, bool]] = keep(numba.njit(_descend))


def compile_for(dtype: np.dtype[Any]) -> None:
    """Compile (or load from the disk) for a kernel matrix of ``dtype``, so that no clock sees it."""
    descend(np.eye(2, dtype=dtype), np.array([1.0, -1.0]), 1.0, 0.1, 1.0, 1, 0)
