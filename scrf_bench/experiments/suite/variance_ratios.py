"""Measured points of the variance experiment as ratios to RKS's exact variance, beside the formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scrf_bench.bench import Point
from scrf_bench.experiments.suite.estimates import rks_variance
from scrf_bench.report import MeanSe


@dataclass(frozen=True)
class Spot:
    """Where one number of a table comes from: a map at F = blocks * d frequencies and a kind of v."""

    map: str
    d: int
    blocks: int
    kind: str
    s: float

    @classmethod
    def of(cls, point: Point) -> Spot:
        """Return where a point was measured."""
        p = point.parameters
        return cls(str(p["map"]), int(point.number("d")), int(point.number("blocks")), str(p["v"]), point.number("s"))


class Ratios:
    """The measured points of an experiment, as ratios to RKS's exact variance."""

    def __init__(self, points: Sequence[Point]) -> None:
        self.points = {Spot.of(point): point for point in points}

    def measured(self, spot: Spot, embedding: str) -> MeanSe | None:
        """Return the measured mean squared error over RKS's exact variance; without an error from a single draw."""
        if spot not in self.points:
            return None
        point, rks = self.points[spot], _rks(spot, embedding)
        error = f"{embedding}_mse_se"
        return MeanSe(
            point.number(f"{embedding}_mse") / rks,
            point.number(error) / rks if error in point.metrics else None,
            int(point.number("repetitions")),
        )

    def formula(self, spot: Spot, embedding: str) -> MeanSe | None:
        """Return the same by formula, with the formula's own standard error (0: exact); None if there is none."""
        point = self.points.get(spot)
        if point is None or "formula_mse" not in point.metrics:
            return None
        extra = 0.5 / (spot.blocks * spot.d) if embedding == "phase" else 0.0
        rks = _rks(spot, embedding)
        return MeanSe((point.number("formula_mse") + extra) / rks, point.number("formula_mse_se") / rks, 1)

    def bias(self, spot: Spot, embedding: str) -> MeanSe | None:
        """Return the measured bias in standard deviations of the estimate; None if a single draw says none."""
        point = self.points.get(spot)
        if point is None or f"{embedding}_variance" not in point.metrics:
            return None
        deviation = np.sqrt(point.number(f"{embedding}_variance"))
        mean, error = (point.number(f"{embedding}_{name}") / deviation for name in ("bias", "bias_se"))
        return MeanSe(float(mean), float(error), int(point.number("repetitions")))


def _rks(spot: Spot, embedding: str) -> float:
    return rks_variance(spot.s, spot.blocks * spot.d, embedding)
