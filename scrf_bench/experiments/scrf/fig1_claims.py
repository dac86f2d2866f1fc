"""What the SCRF paper claims of the kernel estimate, as far as Figure 1's records can judge it."""

from __future__ import annotations

from functools import partial

from scrf_bench.experiments.claims import Claim, Evidence
from scrf_bench.experiments.scrf.error_judges import error_below, error_equal, error_rate, mse_equal
from scrf_bench.stats import Verdict, settled

_SETTING = "U[0,1]^16, gamma = 0.25, phase embedding; mean over D from 16 to 8,192 (the paper states no grid)"


def _signs(_: Evidence) -> Verdict:
    return settled(
        "Refuted: cos is even and a uniform phase is symmetric, so the signs drop out and the map has the law of the "
        "unsigned circulant. Proof: 'Row signs' in scrf_bench/maps/theory/circulants.py; held by tests/maps."
    )


CLAIMS = (
    Claim(
        id="scrf-error-rate",
        paper="scrf",
        place="Theorem 3; Figure 1(d)",
        sentence="SCRF's error falls as D^(-1/2)",
        quantifier="U[0,1]^16, gamma = 0.25, phase embedding; D from 16 to 8,192 (the paper states no grid)",
        test="exponent of the relative error on D within +-{margins[error_exponent]:g} of -0.5",
        judge=partial(error_rate, name="scrf"),
        experiments=("fig1",),
    ),
    Claim(
        id="scrf-error-equals-rks",
        paper="scrf",
        place="Corollary 2; Figure 1(d)",
        sentence="SCRF's relative error equals that of RKS",
        quantifier=_SETTING,
        test="ratio SCRF / RKS of mean relative errors within a factor of 1 + {margins[error_ratio]:g} (equivalence)",
        judge=partial(error_equal, name="scrf", other="rks"),
        experiments=("fig1",),
    ),
    Claim(
        id="scrf-mse-equals-rks",
        paper="scrf",
        place="Theorem 2; Corollary 2",
        sentence="SCRF's mean squared error equals that of RKS",
        quantifier=_SETTING,
        test="ratio SCRF / RKS of mean squared errors of the kernel matrix within a factor of "
        "1 + {margins[variance_ratio]:g} (equivalence)",
        judge=partial(mse_equal, name="scrf", other="rks"),
        experiments=("fig1",),
    ),
    Claim(
        id="scrf-error-below-fastfood",
        paper="scrf",
        place="Corollary 2; Figure 1(d)",
        sentence="SCRF's relative error is below Fastfood's",
        quantifier=f"{_SETTING}; Fastfood with its scaling matrix S, the one of 5D parameters",
        test="ratio SCRF / Fastfood of mean relative errors below {below[error_ratio]}",
        judge=partial(error_below, name="scrf", other="fastfood"),
        experiments=("fig1",),
    ),
    Claim(
        id="scrf-row-signs",
        paper="scrf",
        place="Remark 1",
        sentence="Random row signs are needed: they make the features of a block independent",
        quantifier="every x, y, d and D, both embeddings",
        test="proof",
        judge=_signs,
    ),
)
