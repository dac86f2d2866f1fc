"""The formulas of `scrf_bench.maps.theory` for the maps of the variance experiment, as far as they are cheap enough."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from scrf_bench.experiments.suite.variants import Variant
from scrf_bench.maps import theory
from scrf_bench.maps.hadamard import padded_order as power_of_two
from scrf_bench.maps.ocrf import padded_order
from scrf_bench.maps.theory import Moments

Vector = NDArray[np.float64]

_MOST_DRAWS, _FEWEST_DRAWS = 100, 4
# Cost of one draw at order n, in products of cosines: n^2 for SORF, this many n^2 for OCRF's Bessel functions (with chi
# lengths at all pairs of six nodes), and next to nothing for Fastfood.
_OCRF_UNITS, _OCRF_UNITS_UNSCALED = 30, 3


def formula(variant: Variant, v: Vector, n_frequencies: int, work: float) -> Moments | None:
    """Return mean and variance of the pair estimate by F frequencies; the phase adds ``1/(2 F)`` to the variance.

    Parameters
    ----------
    variant : Variant
    v : ndarray of shape (d,)
        ``(x - y)/sigma``.
    n_frequencies : int
        F.
    work : float
        What one evaluation may cost where the formula is a mean over draws of signs: products of cosines, about 3 ns
        each.

    Returns
    -------
    Moments or None
        With the standard errors of such means. None where there is no formula (quasi-Monte Carlo, other packages'
        maps), or where `work` does not pay for the least number of draws.
    """
    s, d, options = float(np.linalg.norm(v)), len(v), variant.options
    if variant.map == "rks":
        return Moments(theory.gaussian_mean(s), theory.rks_variance(s, n_frequencies))
    if variant.map == "scrf":
        return Moments(theory.gaussian_mean(s), theory.scrf_variance(v, n_frequencies))
    if variant.map == "column_signed":
        return Moments(theory.gaussian_mean(s), theory.column_signed_variance(v, n_frequencies))
    if variant.map == "orf":
        return theory.orf_moments(s, d, n_frequencies)
    if variant.map == "fastfood":
        of = theory.fastfood_variance if options.get("scaling", True) else theory.unscaled_fastfood_variance
        variance, error = of(_padded(v), n_frequencies, n_draws=_MOST_DRAWS)
        return Moments(theory.gaussian_mean(s), variance, 0.0, error)
    if variant.map == "sorf":
        order = power_of_two(d)
        draws = _draws(work, order**2)
        return theory.sorf_moments(_padded(v), n_frequencies, n_draws=draws) if draws else None
    if variant.map == "ocrf":
        return _ocrf(variant, v, s, n_frequencies, work)
    return None


def own_order(variant: Variant, d: int) -> int:
    """Return how many frequencies one block of a map has at width d: 1 for maps without blocks."""
    if variant.map in ("fastfood", "sorf"):
        return power_of_two(d)
    if variant.map == "ocrf" and not _is_dense(variant, d) and variant.options.get("order") != "input":
        return padded_order(d)
    return d if variant.map in ("scrf", "column_signed", "orf", "ocrf") else 1


def _is_dense(variant: Variant, d: int) -> bool:
    """Tell whether OCRF takes dense blocks."""
    return d < int(variant.options.get("dense_below", 64))


def _ocrf(variant: Variant, v: Vector, s: float, n_frequencies: int, work: float) -> Moments | None:
    d, options = len(v), variant.options
    radial = bool(options.get("radial", True))
    if _is_dense(variant, d):
        return theory.orf_moments(s, d, n_frequencies, radial=radial)
    order = own_order(variant, d)
    draws = _draws(work, (_OCRF_UNITS if radial else _OCRF_UNITS_UNSCALED) * order**2)
    if not draws:
        return None
    group = d if options.get("fresh_signs", True) else max(1, -(-n_frequencies // order))
    return theory.ocrf_moments(v, n_frequencies, order=order, blocks_per_group=group, radial=radial, n_draws=draws)


def _draws(work: float, cost: int) -> int:
    """Return how many draws the work pays for, 0 if too few."""
    draws = min(_MOST_DRAWS, math.floor(work / cost))
    return draws if draws >= _FEWEST_DRAWS else 0


def _padded(v: Vector) -> Vector:
    return np.append(v, np.zeros(power_of_two(len(v)) - len(v)))
