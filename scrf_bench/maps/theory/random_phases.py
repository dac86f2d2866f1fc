"""Orthogonal circulants with random phases (OCRF): exact given the signs on the input.

With ``X = rfft(pad(eps o v))`` and independent uniform phases, row j of a block is ``z_j = (r_j/n) (+-X_0
+- (-1)^j X_{n/2} + sum_k 2 |X_k| cos(theta_k + 2 pi j k/n))``, ``r_j ~ chi_n`` (or sqrt(n)). So ``E cos(a z_0
+ b z_m)`` is a product of cosines for the two real frequencies and of Bessel functions ``J_0`` for the
others, ``E cos(c cos theta) = J_0(c)``.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import j0

from scrf_bench.maps.epilogue import Embedding
from scrf_bench.maps.theory.cosines import (
    FloatArray,
    Moments,
    block_sum_variance,
    gamma_quadrature,
    phase_variance,
)

# The chi law is narrow, so few nodes suffice: the variance is right to 1e-4 of itself at order 16, to 1e-7 at 64.
_LENGTH_NODES = 6
_PIECE_VALUES = 2**17


def ocrf_moments(
    v: npt.ArrayLike,
    n_frequencies: int,
    embedding: Embedding = "pair",
    *,
    order: int,
    blocks_per_group: int = 1,
    radial: bool = True,
    n_draws: int = 200,
    random_state: int = 0,
) -> Moments:
    """Return mean and variance of the estimate by orthogonal circulants of order n with signs on the input.

    Given its signs a block has mean m(eps), not K, so blocks that share them are correlated: ``Var_eps m``
    is a floor that more blocks of one group cannot lower. Means over the signs are taken over `n_draws` draws
    (errors 0 where the signs do not matter, as for a one-sparse v).

    Parameters
    ----------
    v : array-like of shape (d,)
        ``(x - y)/sigma``, d at most `order`.
    n_frequencies : int
        F; a last block may be cut off.
    embedding : {"pair", "phase"}
    order : int
        n, that of the circulants.
    blocks_per_group : int, default=1
        How many blocks share their signs.
    radial : bool, default=True
        Whether rows have chi_n lengths (else sqrt(n)).
    n_draws : int, default=200
    random_state : int, default=0

    Returns
    -------
    Moments
    """
    v = np.asarray(v, dtype=np.float64)
    signs = np.random.RandomState(random_state).choice([-1.0, 1.0], (n_draws, len(v)))
    n_blocks, cut = divmod(n_frequencies, order)
    conditional = [_given_signs(v * eps, order, radial=radial) for eps in signs]
    means = np.array([mean for mean, _, _ in conditional])
    within = np.array(
        [
            n_blocks * block_sum_variance(variance, covariances, order) + block_sum_variance(variance, covariances, cut)
            for _, variance, covariances in conditional
        ]
    )
    n_groups, blocks_left = divmod(n_blocks, blocks_per_group)
    group_rows = [blocks_per_group * order] * n_groups + [blocks_left * order + cut]
    floor = sum(rows**2 for rows in group_rows) * (means - means.mean()) ** 2 * n_draws / (n_draws - 1)
    total = (within + floor) / n_frequencies**2
    root = math.sqrt(n_draws)
    return Moments(
        float(means.mean()),
        float(total.mean()) + phase_variance(embedding) / n_frequencies,
        float(means.std(ddof=1)) / root,
        float(total.std(ddof=1)) / root,
    )


def _given_signs(signed: FloatArray, order: int, *, radial: bool) -> tuple[float, float, FloatArray]:
    """Return the mean and variance of ``cos z_0`` and its covariance with ``cos z_m``, ``m = 0 .. n-1``."""
    spectrum = np.abs(np.fft.rfft(signed, order)) / order
    if radial:
        nodes, weights = gamma_quadrature(order / 2, _LENGTH_NODES)
        r = np.sqrt(2 * nodes)
    else:
        r, weights = np.array([math.sqrt(order)]), np.ones(1)
    mean, doubled = (
        float(weights @ _characteristic(factor * r[:, np.newaxis] * np.ones(len(spectrum)), spectrum, order))
        for factor in (1, 2)
    )
    i, j = np.triu_indices(len(r))
    pair_weights = weights[i] * weights[j] * np.where(i == j, 0.5, 1.0)  # halved: both signs are summed
    squares, products = r[i] ** 2 + r[j] ** 2, 2 * r[i] * r[j]
    covariances = np.zeros(order)
    step = max(1, _PIECE_VALUES // (len(i) * len(spectrum)))
    for first in range(1, order // 2 + 1, step):
        lags = np.arange(first, min(first + step, order // 2 + 1))
        cosines = np.cos(2 * np.pi / order * np.outer(lags, np.arange(len(spectrum))))[:, np.newaxis]
        # |r_i +- r_j e^{2 pi i k m/n}|, the amplitude at frequency k of r_i z_0 +- r_j z_m.
        squared = [squares[:, np.newaxis] + sign * products[:, np.newaxis] * cosines for sign in (1, -1)]
        both = sum(_characteristic(np.sqrt(np.maximum(square, 0.0)), spectrum, order) for square in squared)
        covariances[lags] = covariances[order - lags] = both @ pair_weights - mean**2
    return mean, (1 + doubled) / 2 - mean**2, covariances


def _characteristic(amplitude: FloatArray, spectrum: FloatArray, order: int) -> FloatArray:
    """Return ``E cos`` of sums whose frequency k has amplitude ``amplitude[.., k] spectrum[k]``; real
    frequencies (zero, Nyquist) carry a random sign, the others twice a uniform phase.
    """
    argument = amplitude * spectrum
    last = argument.shape[-1] - (order % 2 == 0)
    cosines = np.cos(argument[..., 0])
    if order % 2 == 0:
        cosines = cosines * np.cos(argument[..., -1])
    return np.asarray(cosines * j0(2 * argument[..., 1:last]).prod(axis=-1), dtype=np.float64)
