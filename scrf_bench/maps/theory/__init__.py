"""Means and variances of the maps' kernel estimates ``<Phi(x), Phi(y)>``, exact or up to a stated error.

Notation: ``v = (x - y)/sigma``, ``s = ||v||``, ``K = exp(-s^2/2)``; F frequencies. The pair estimate is
``(1/F) sum_j cos z_j`` with ``z = sigma Pi v``; the phase estimate is ``(2/D) sum_j cos(z_j(x) + b_j)
cos(z_j(y) + b_j)`` with ``D = F``.

Every variance follows from one block's ``Cov(cos z_j, cos z_k)``, since ``cos a cos b = (cos(a + b) +
cos(a - b))/2`` and ``E cos(z_j +- z_k)`` is a characteristic function. A uniform phase adds ``cos(z_j(x) +
z_j(y) + 2 b_j)`` to each term, uncorrelated with everything else and of variance 1/2: for every map
``Var_phase = Var_pair + 1/(2 D)`` at equal numbers of frequencies.

Modules: `cosines` (RKS, any radial kernel), `circulants` (SCRF, column-signed), `hadamards` (Fastfood, SORF),
`orthogonal` (ORF), `random_phases` (OCRF).
"""

from scrf_bench.maps.theory.circulants import (
    circulant_correlation,
    circulant_excess,
    column_signed_variance,
    scrf_variance,
)
from scrf_bench.maps.theory.cosines import (
    Moments,
    cosine_covariance,
    cosine_variance,
    gaussian_mean,
    kernel_mean,
    rks_variance,
)
from scrf_bench.maps.theory.hadamards import (
    fastfood_variance,
    hadamard_excess,
    sorf_bias_bound,
    sorf_moments,
    unscaled_fastfood_variance,
)
from scrf_bench.maps.theory.orthogonal import (
    orf_moments,
    orf_variance_bound,
    orthogonal_limit_ratio,
    unscaled_row_mean,
)
from scrf_bench.maps.theory.random_phases import ocrf_moments

__all__ = [
    "Moments",
    "circulant_correlation",
    "circulant_excess",
    "column_signed_variance",
    "cosine_covariance",
    "cosine_variance",
    "fastfood_variance",
    "gaussian_mean",
    "hadamard_excess",
    "kernel_mean",
    "ocrf_moments",
    "orf_moments",
    "orf_variance_bound",
    "orthogonal_limit_ratio",
    "rks_variance",
    "scrf_variance",
    "sorf_bias_bound",
    "sorf_moments",
    "unscaled_fastfood_variance",
    "unscaled_row_mean",
]
