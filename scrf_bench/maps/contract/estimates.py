"""What a map is for: its inner products estimate the Gaussian kernel, and better with more columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from scrf_bench.kernels import gaussian_kernel
from scrf_bench.maps.base import RandomFeatureMap
from scrf_bench.maps.contract.breach import Idle, drawn, require
from scrf_bench.maps.contract.breach import rows as made_up_rows
from scrf_bench.maps.tiles import Array

# Structured maps are as good as their blocks are long: at d = 8 SORF's bias shows. Here kernels are about 0.1.
_D, _DRAWS, _WIDTH, _ROWS = 256, 400, 64, 6
_GAMMA = 0.15 * 8 / _WIDTH
# Of the estimate's own standard deviation: what the variance experiment lets pass as no bias.
_BIAS = np.sqrt(0.1)
_STANDARD_ERRORS = 5.0  # 15 pairs: a sound map is wrongly blamed in fewer than 1 of 10^5 sets of seeds


def unbiased(kind: Any) -> None:
    """At d = 64 the mean of 400 draws is within 5 standard errors, and a third standard deviation, of the kernel."""
    if not issubclass(kind, RandomFeatureMap):
        raise Idle("it is no RandomFeatureMap, and may learn from the rows: bias is not asked of it.")
    errors = _errors(kind, _D, _DRAWS)
    bias, sd = errors.mean(axis=0), errors.std(axis=0, ddof=1)
    allowed = (_BIAS + _STANDARD_ERRORS / np.sqrt(_DRAWS)) * sd
    worst = int(np.argmax(np.abs(bias) - allowed))
    require(
        abs(bias[worst]) <= allowed[worst],
        f"bias {bias[worst]:+.3f} where the kernel is {_exact()[worst]:.3f}, beyond {allowed[worst]:.3f}: frequencies "
        "must have standard deviation sqrt(2 gamma) in each direction, and phases be uniform.",
    )


def converges(kind: Any) -> None:
    """A random map's squared error falls by far more than half when D grows 16-fold; another's falls."""
    if issubclass(kind, RandomFeatureMap):
        few, many = (float(np.mean(_errors(kind, D, 60) ** 2)) for D in (64, 1024))
        require(many < few / 4, f"mean squared error {few:.2g} at D = 64 and {many:.2g} at D = 1,024; 1/D is expected.")
        return
    X, gamma = made_up_rows(2, 128), 0.15
    exact = gaussian_kernel(X, gamma=gamma)
    errors = []
    for D in (4, 64):
        Phi = drawn(kind, D, gamma=gamma).fit(X).transform(X)
        errors.append(float(np.mean((Phi @ Phi.T - exact) ** 2)))
    require(errors[1] < errors[0] / 4, f"mean squared error {errors[0]:.2g} at D = 4 and {errors[1]:.2g} at D = 64.")


def _errors(kind: Any, D: int, draws: int) -> Array:
    """Return estimate minus kernel, (draws, pairs)."""
    X = made_up_rows(_WIDTH, _ROWS)
    pairs = np.triu_indices(_ROWS, 1)
    found = np.empty((draws, len(pairs[0])))
    for seed in range(draws):
        Phi = drawn(kind, D, seed, _GAMMA).fit(X).transform(X)
        found[seed] = (Phi @ Phi.T)[pairs]
    errors: Array = found - _exact()
    return errors


def _exact() -> Array:
    X = made_up_rows(_WIDTH, _ROWS)
    exact: Array = gaussian_kernel(X, gamma=_GAMMA)[np.triu_indices(_ROWS, 1)]
    return exact
