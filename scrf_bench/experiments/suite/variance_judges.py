"""How claims about bias and variance are judged from the variance experiment's records, for any map."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrf_bench.experiments.claims import Evidence
from scrf_bench.experiments.suite.directions import kind_label
from scrf_bench.experiments.suite.estimates import EMBEDDINGS, rks_variance
from scrf_bench.experiments.suite.variance_ratios import Ratios, Spot
from scrf_bench.stats import Finding, Lack, Region, Verdict, count_finding, mean_finding, ratio_of_means_finding

EXPERIMENT = "variance"
# One draw's error at one frequency has the skewness -2.83 for s near 0 (that of 1 - z^2), and less for larger s and
# more frequencies. Taken for more, few batches keep the level: simulated in tests/stats.
_SKEWNESS_OF_A_DRAW = 4.0
_ROUNDING = 1e-9
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

    def batches(self, name: str, part: _Part, key: str) -> Batches | Lack:
        """Return means of batches of repetitions, a row a batch and a column an s; what lacks if any s has too few."""
        rows = []
        for spot in self.spots(name, part):
            point = self.ratios.points.get(spot)
            values = [] if point is None else point.samples.get(key, [])
            kept = self._evidence.samples(EXPERIMENT, values)
            if kept is None:
                return self._evidence.lack(EXPERIMENT, part.label, range(len(values)), "batches")
            rows.append(kept)
        return np.array(rows).T

    def draws(self, name: str, part: _Part) -> float:
        """Return how many draws of a map a batch has, the smallest of them."""
        point = self.ratios.points[self.spots(name, part)[0]]
        return point.number("repetitions") // len(point.samples["pair_mse"])

    def of(self, *names: str, part: _Part) -> str:
        """Return what a batch is."""
        return f"batches of {min(self.draws(name, part) for name in names):,.0f} draws"

    def exact_ratio(self, name: str, part: _Part, embedding: str) -> float | None:
        """Return the formula's ratio to RKS, the geometric mean over s; None where there is no formula."""
        found = [self.ratios.formula(spot, embedding) for spot in self.spots(name, part)]
        if any(value is None for value in found):
            return None
        return math.exp(float(np.mean([math.log(value.mean) for value in found if value is not None])))


def _over_parts(
    parts: Sequence[_Part],
    embeddings: Sequence[str],
    find: Callable[[_Part, str], Sequence[Finding] | Lack],
    evidence: Evidence,
) -> Verdict:
    """Judge all parts together; those without findings were not measured."""
    findings: list[Finding] = []
    missing: list[Lack] = []
    for part, embedding in product(parts, embeddings):
        found = find(part, embedding)
        if isinstance(found, Lack):
            missing.append(replace(found, label=f"{part.label}, {embedding}"))
        else:
            findings += found
    return evidence.all_of(findings, missing)


def unbiased(evidence: Evidence, name: str) -> Verdict:
    """Judge the bias in standard deviations of the estimate, at each v and each s by itself.

    No mean over v and s, in which biases of both signs could cancel, or a large one at one place be diluted.
    """
    records = _Records(evidence)
    region = Region.around(0.0, math.sqrt(evidence.margins.variance_ratio))

    def find(part: _Part, embedding: str) -> list[Finding] | Lack:
        batches = records.batches(name, part, f"{embedding}_bias")
        if isinstance(batches, Lack):
            return batches
        spots = records.spots(name, part)
        deviations = [math.sqrt(records.ratios.points[spot].number(f"{embedding}_variance")) for spot in spots]
        return [
            mean_finding(
                # What has no variance but rounding has no bias but rounding, or one without end.
                column / max(deviation, _ROUNDING),
                region,
                alpha=evidence.alpha,
                skewness=_SKEWNESS_OF_A_DRAW / math.sqrt(records.draws(name, part)),
                label=f"{part.label}, s = {spot.s:g}, {embedding}",
                unit="sd",
                of=records.of(name, part=part),
            )
            for column, deviation, spot in zip(batches.T, deviations, spots, strict=True)
        ]

    return _over_parts(records.parts(name), EMBEDDINGS, find, evidence)


def against_rks(
    evidence: Evidence, name: str, region: str, kinds: Sequence[str] | None, embeddings: Sequence[str]
) -> Verdict:
    """Judge the ratio of mean squared errors to RKS's exact variance, the geometric mean over s."""
    records, allowed = _Records(evidence), _region(evidence, region)
    parts = [part for part in records.parts(name) if kinds is None or part.kind in kinds]

    def find(part: _Part, embedding: str) -> list[Finding] | Lack:
        own = records.batches(name, part, f"{embedding}_mse")
        if isinstance(own, Lack):
            return own
        rks = [rks_variance(s, part.blocks * part.d, embedding) for s in records.lengths]
        exact = records.exact_ratio(name, part, embedding)
        label = f"{part.label}, {embedding}" + (f", exact: {exact:.4g}" if exact is not None else "")
        of, known = records.of(name, part=part), np.broadcast_to(rks, own.shape)
        return [ratio_of_means_finding(own, known, allowed, alpha=evidence.alpha, label=label, of=of)]

    return _over_parts(parts, embeddings, find, evidence)


def below(evidence: Evidence, name: str, other: str, kinds: Sequence[str] | None, embeddings: Sequence[str]) -> Verdict:
    """Judge whether a map's mean squared error is below another's, the geometric mean over s of their ratios."""
    records, allowed = _Records(evidence), _region(evidence, "below")
    parts = [part for part in records.parts(name, other) if kinds is None or part.kind in kinds]

    def find(part: _Part, embedding: str) -> list[Finding] | Lack:
        own, others = (records.batches(which, part, f"{embedding}_mse") for which in (name, other))
        if isinstance(own, Lack) or isinstance(others, Lack):
            return min((rows for rows in (own, others) if isinstance(rows, Lack)), key=lambda lack: lack.had)
        label = f"{part.label}, {embedding}"
        exact = [records.exact_ratio(which, part, embedding) for which in (name, other)]
        if exact[0] is not None and exact[1] is not None:
            label += f", exact: {exact[0] / exact[1]:.4g}"
        if np.allclose(own, others, rtol=1e-6, atol=0.0):
            # The same estimates, draw by draw: nothing random is left in their ratio.
            return [count_finding(1.0, allowed, label=f"{part.label}, {embedding}: equal draw by draw")]
        of = records.of(name, other, part=part)
        return [ratio_of_means_finding(own, others, allowed, alpha=evidence.alpha, label=label, of=of)]

    return _over_parts(parts, embeddings, find, evidence)


def _region(evidence: Evidence, name: str) -> Region:
    margin = evidence.margins.variance_ratio
    if name == "at most":
        return Region(0.0, 1.0 + margin, 1.0, log=True)
    return Region.ratio_within(margin) if name == "within" else Region.ratio_below(margin)
