"""How claims about bias and variance are judged from the variance experiment's records, for any map."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrf_bench.experiments.claims import Evidence
from scrf_bench.experiments.suite.directions import KINDS, kind_label
from scrf_bench.experiments.suite.estimates import EMBEDDINGS, rks_variance
from scrf_bench.experiments.suite.variance_ratios import Ratios, Spot
from scrf_bench.stats import Finding, Region, Verdict, count_finding, mean_finding, ratio_of_means_finding

EXPERIMENT = "variance"
Batches = NDArray[np.float64]


class _Part(NamedTuple):
    """One kind of v at one number of frequencies."""

    d: int
    blocks: int
    kind: str

    @property
    def label(self) -> str:
        blocks = "1 block" if self.blocks == 1 else f"{self.blocks} blocks"
        return f"{kind_label(self.kind)} v, d = {self.d}, {blocks}"


class _Records:
    """What was planned and measured of the experiment."""

    def __init__(self, evidence: Evidence) -> None:
        source = evidence.source(EXPERIMENT)
        self._evidence = evidence
        self.lengths: tuple[float, ...] = source.config.s
        self.ratios = Ratios(source.points)
        self._planned = [
            (name, _Part(cell.parameters["d"], blocks, kind))
            for cell in source.cells
            for name, blocks, kind in product(*(cell.parameters[key] for key in ("maps", "blocks", "kinds")))
        ]

    def parts(self, *names: str) -> list[_Part]:
        """Return the parts at which all these maps are planned."""
        planned = [{part for name, part in self._planned if name == wanted} for wanted in names]
        return [
            part for part in dict.fromkeys(part for _, part in self._planned) if all(part in some for some in planned)
        ]

    def spots(self, name: str, part: _Part) -> list[Spot]:
        return [Spot(name, part.d, part.blocks, part.kind, s) for s in self.lengths]

    def batches(self, name: str, part: _Part, key: str) -> Batches | None:
        """Return means of batches of repetitions, a row a batch and a column an s; None if any s lacks some."""
        rows = []
        for spot in self.spots(name, part):
            point = self.ratios.points.get(spot)
            kept = None if point is None else self._evidence.samples(EXPERIMENT, point.samples.get(key, []))
            if kept is None:
                return None
            rows.append(kept)
        return np.array(rows).T

    def exact_ratio(self, name: str, part: _Part, embedding: str) -> float | None:
        """Return the formula's ratio to RKS, the geometric mean over s; None where there is no formula."""
        found = [self.ratios.formula(spot, embedding) for spot in self.spots(name, part)]
        if any(value is None for value in found):
            return None
        return math.exp(float(np.mean([math.log(value.mean) for value in found if value is not None])))


def _over_parts(
    parts: Sequence[_Part],
    embeddings: Sequence[str],
    find: Callable[[_Part, str], Finding | None],
    evidence: Evidence,
) -> Verdict:
    """Judge all parts together; those without a finding were not measured."""
    findings, missing = [], []
    for part, embedding in product(parts, embeddings):
        finding = find(part, embedding)
        if finding is None:
            missing.append(f"{part.label}, {embedding}")
        else:
            findings.append(finding)
    return evidence.all_of(findings, missing)


def unbiased(evidence: Evidence, name: str) -> Verdict:
    """Judge the mean over v and s of the bias in standard deviations of the estimate: one number a batch."""
    records = _Records(evidence)
    margin = math.sqrt(evidence.margins.variance_ratio)
    groups: dict[tuple[int, int, str], list[_Part]] = {}
    for part in records.parts(name):
        groups.setdefault((part.d, part.blocks, "made-up" if part.kind in KINDS else part.kind), []).append(part)
    findings, missing = [], []
    for ((d, blocks, kind), parts), embedding in product(groups.items(), EMBEDDINGS):
        label = f"{kind} v, d = {d}, {blocks} block{'' if blocks == 1 else 's'}, {embedding}"
        found = [records.batches(name, part, f"{embedding}_bias") for part in parts]
        if any(batches is None for batches in found):
            missing.append(label)
            continue
        scaled = [
            batches / np.sqrt([records.ratios.points[spot].number(f"{embedding}_variance") for spot in spots])
            for batches, spots in zip(found, (records.spots(name, part) for part in parts), strict=True)
            if batches is not None
        ]
        values = np.mean([rows.mean(axis=1) for rows in scaled], axis=0)
        findings.append(mean_finding(values, Region.around(0.0, margin), alpha=evidence.alpha, label=label))
    return evidence.all_of(findings, missing)


def against_rks(
    evidence: Evidence, name: str, region: str, kinds: Sequence[str] | None, embeddings: Sequence[str]
) -> Verdict:
    """Judge the ratio of mean squared errors to RKS's exact variance, the geometric mean over s."""
    records, allowed = _Records(evidence), _region(evidence, region)
    parts = [part for part in records.parts(name) if kinds is None or part.kind in kinds]

    def find(part: _Part, embedding: str) -> Finding | None:
        own = records.batches(name, part, f"{embedding}_mse")
        if own is None:
            return None
        rks = [rks_variance(s, part.blocks * part.d, embedding) for s in records.lengths]
        exact = records.exact_ratio(name, part, embedding)
        label = f"{part.label}, {embedding}" + (f" (exact: {exact:.4g})" if exact is not None else "")
        return ratio_of_means_finding(own, np.broadcast_to(rks, own.shape), allowed, alpha=evidence.alpha, label=label)

    return _over_parts(parts, embeddings, find, evidence)


def below(evidence: Evidence, name: str, other: str, kinds: Sequence[str] | None, embeddings: Sequence[str]) -> Verdict:
    """Judge whether a map's mean squared error is below another's, the geometric mean over s of their ratios."""
    records, allowed = _Records(evidence), _region(evidence, "below")
    parts = [part for part in records.parts(name, other) if kinds is None or part.kind in kinds]

    def find(part: _Part, embedding: str) -> Finding | None:
        own, others = (records.batches(which, part, f"{embedding}_mse") for which in (name, other))
        if own is None or others is None:
            return None
        label = f"{part.label}, {embedding}"
        exact = [records.exact_ratio(which, part, embedding) for which in (name, other)]
        if exact[0] is not None and exact[1] is not None:
            label += f" (exact: {exact[0] / exact[1]:.4g})"
        if np.allclose(own, others, rtol=1e-6, atol=0.0):
            # The same estimates, draw by draw: nothing random is left in their ratio.
            return count_finding(1.0, allowed, label=f"{part.label}, {embedding}: equal draw by draw")
        return ratio_of_means_finding(own, others, allowed, alpha=evidence.alpha, label=label)

    return _over_parts(parts, embeddings, find, evidence)


def _region(evidence: Evidence, name: str) -> Region:
    margin = evidence.margins.variance_ratio
    if name == "at most":
        return Region(0.0, 1.0 + margin, 1.0, log=True)
    return Region.ratio_within(margin) if name == "within" else Region.ratio_below(margin)
