"""How claims about errors of the kernel estimate are judged from Figure 1's records, for any map."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scrf_bench.experiments.claims import Evidence
from scrf_bench.stats import Lack, Region, Verdict, lacking, mean_finding, ratio_of_means_finding, undecided


def _rows(evidence: Evidence, name: str, metric: str) -> NDArray[np.float64] | Lack:
    """Return a metric of one map, a row a repetition and a column a D; what lacks unless all of them were measured."""
    source = evidence.source("fig1")
    grid = source.config.curve_components
    found: dict[int, dict[int, float]] = {}
    for point in source.points:
        if point.parameters["panel"] == "curve" and point.parameters["map"] == name:
            repetition = int(point.number("repetition"))
            found.setdefault(repetition, {})[int(point.number("D"))] = point.number(metric)
    whole = {i: [row[D] for D in grid] for i, row in found.items() if all(D in row for D in grid)}
    rows = evidence.repetitions("fig1", whole)
    return evidence.lack("fig1", "", whole, planned=source.config.repetitions) if rows is None else np.array(rows)


def error_rate(evidence: Evidence, name: str) -> Verdict:
    """Judge the exponent of a map's relative error on D, one fit a repetition."""
    errors = _rows(evidence, name, "relative_frobenius_error")
    if isinstance(errors, Lack):
        return undecided(lacking([errors]))
    if errors.shape[1] < 2:
        return undecided("One D has no exponent.")
    u = np.log(evidence.source("fig1").config.curve_components)
    u = u - u.mean()
    exponents = np.log(errors) @ u / (u @ u)
    region = Region.around(-0.5, evidence.margins.error_exponent)
    method = "t test of one fitted exponent a repetition"
    return evidence.all_of([mean_finding(exponents, region, alpha=evidence.alpha, method=method, unit="exponent")])


def error_ratio(evidence: Evidence, name: str, other: str, metric: str, power: int, region: Region) -> Verdict:
    """Judge one map's mean error (a metric to some power) over another's, paired by repetition, all D together."""
    own, others = _rows(evidence, name, metric), _rows(evidence, other, metric)
    if isinstance(own, Lack) or isinstance(others, Lack):
        return undecided(lacking([rows for rows in (own, others) if isinstance(rows, Lack)]))
    return evidence.all_of([ratio_of_means_finding(own**power, others**power, region, alpha=evidence.alpha)])


def error_below(evidence: Evidence, name: str, other: str) -> Verdict:
    """Judge whether one map's relative error is below another's by the margin."""
    region = Region.ratio_below(evidence.margins.error_ratio)
    return error_ratio(evidence, name, other, "relative_frobenius_error", 1, region)


def error_equal(evidence: Evidence, name: str, other: str) -> Verdict:
    """Judge whether one map's relative error equals another's up to the margin."""
    region = Region.ratio_within(evidence.margins.error_ratio)
    return error_ratio(evidence, name, other, "relative_frobenius_error", 1, region)


def mse_equal(evidence: Evidence, name: str, other: str) -> Verdict:
    """Judge whether one map's mean squared error equals another's up to the margin."""
    region = Region.ratio_within(evidence.margins.variance_ratio)
    return error_ratio(evidence, name, other, "rms_error", 2, region)
