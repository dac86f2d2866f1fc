"""What the SCRF paper claims of the kernel estimate, as far as Figure 1's records can judge it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scrf_bench.experiments.claims import Claim, Evidence
from scrf_bench.stats import Region, Verdict, mean_finding, ratio_of_means_finding, settled, undecided

_SETTING = "U[0,1]^16, gamma = 0.25, phase embedding; mean over D from 16 to 8,192 (the paper states no grid)"


def _rows(evidence: Evidence, name: str, metric: str) -> NDArray[np.float64] | None:
    """Return a metric of one map, a row a repetition and a column a D; None unless all of them were measured."""
    source = evidence.source("fig1")
    grid = source.config.curve_components
    found: dict[int, dict[int, float]] = {}
    for point in source.points:
        if point.parameters["panel"] == "curve" and point.parameters["map"] == name:
            repetition = int(point.number("repetition"))
            found.setdefault(repetition, {})[int(point.number("D"))] = point.number(metric)
    whole = {i: [row[D] for D in grid] for i, row in found.items() if all(D in row for D in grid)}
    rows = evidence.repetitions("fig1", whole)
    return None if rows is None else np.array(rows)


def _error_rate(evidence: Evidence) -> Verdict:
    errors = _rows(evidence, "scrf", "relative_frobenius_error")
    if errors is None or errors.shape[1] < 2:
        return undecided("The planned repetitions are not all there.")
    u = np.log(evidence.source("fig1").config.curve_components)
    u = u - u.mean()
    exponents = np.log(errors) @ u / (u @ u)
    region = Region.around(-0.5, evidence.margins.error_exponent)
    method = "t test of one fitted exponent a repetition"
    return evidence.all_of([mean_finding(exponents, region, alpha=evidence.alpha, method=method)])


def _compared(evidence: Evidence, other: str, metric: str, power: int, region: Region) -> Verdict:
    own, others = _rows(evidence, "scrf", metric), _rows(evidence, other, metric)
    if own is None or others is None:
        return undecided("The planned repetitions are not all there.")
    return evidence.all_of([ratio_of_means_finding(own**power, others**power, region, alpha=evidence.alpha)])


def _error_equals_rks(evidence: Evidence) -> Verdict:
    region = Region.ratio_within(evidence.margins.error_ratio)
    return _compared(evidence, "rks", "relative_frobenius_error", 1, region)


def _mse_equals_rks(evidence: Evidence) -> Verdict:
    return _compared(evidence, "rks", "rms_error", 2, Region.ratio_within(evidence.margins.variance_ratio))


def _error_below_fastfood(evidence: Evidence) -> Verdict:
    region = Region.ratio_below(evidence.margins.error_ratio)
    return _compared(evidence, "fastfood", "relative_frobenius_error", 1, region)


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
        judge=_error_rate,
        experiments=("fig1",),
    ),
    Claim(
        id="scrf-error-equals-rks",
        paper="scrf",
        place="Corollary 2; Figure 1(d)",
        sentence="SCRF's relative error equals that of RKS",
        quantifier=_SETTING,
        test="ratio SCRF / RKS of mean relative errors within a factor of 1 + {margins[error_ratio]:g} (equivalence)",
        judge=_error_equals_rks,
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
        judge=_mse_equals_rks,
        experiments=("fig1",),
    ),
    Claim(
        id="scrf-error-below-fastfood",
        paper="scrf",
        place="Corollary 2; Figure 1(d)",
        sentence="SCRF's relative error is below Fastfood's",
        quantifier=f"{_SETTING}; Fastfood with its scaling matrix S, the one of 5D parameters",
        test="ratio SCRF / Fastfood of mean relative errors below 1 / (1 + {margins[error_ratio]:g})",
        judge=_error_below_fastfood,
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
