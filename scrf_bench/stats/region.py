"""What a claim allows a quantity to be, and the scale it is tested on."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Region:
    """What a claim allows, closed: from `low` to `high`, one of them possibly infinite (or 0 for ratios).

    Attributes
    ----------
    low, high : float
        In the quantity's own unit.
    null : float
        The claimed value, or that of no effect: margins are counted from it.
    log : bool
        Whether the quantity is a ratio, tested on its logarithm.
    """

    low: float
    high: float
    null: float
    log: bool = False

    @classmethod
    def around(cls, value: float, margin: float) -> Region:
        """``value +- margin``."""
        return cls(value - margin, value + margin, value)

    @classmethod
    def at_most(cls, value: float, margin: float) -> Region:
        """Up to ``value + margin``."""
        return cls(-math.inf, value + margin, value)

    @classmethod
    def at_least(cls, value: float, margin: float) -> Region:
        """Down to ``value - margin``."""
        return cls(value - margin, math.inf, value)

    @classmethod
    def above(cls, value: float, margin: float) -> Region:
        """Above ``value`` by the margin at least: ``value + margin`` and more."""
        return cls(value + margin, math.inf, value)

    @classmethod
    def ratio_within(cls, margin: float) -> Region:
        """A ratio of 1 up to the margin: ``1 / (1 + margin) .. 1 + margin``, equally far on the log scale."""
        return cls(1.0 / (1.0 + margin), 1.0 + margin, 1.0, log=True)

    @classmethod
    def ratio_below(cls, margin: float) -> Region:
        """A ratio below 1 by the margin at least: ``0 .. 1 / (1 + margin)``."""
        return cls(0.0, 1.0 / (1.0 + margin), 1.0, log=True)

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends on the scale of the test."""
        return self.scaled(self.low), self.scaled(self.high)

    @property
    def sides(self) -> int:
        """The number of finite ends on the scale of the test: 1 or 2."""
        return sum(math.isfinite(end) for end in self.ends)

    @property
    def margin(self) -> float:
        """The distance from the claimed value (or none) to the nearest end, on the scale of the test."""
        return min(abs(end - self.scaled(self.null)) for end in self.ends if math.isfinite(end))

    def scaled(self, value: float) -> float:
        """Return a value on the scale of the test."""
        if not self.log:
            return value
        return math.log(value) if 0.0 < value < math.inf else -math.inf if value <= 0.0 else math.inf

    def natural(self, value: float) -> float:
        """Return a value of the test's scale in the quantity's own unit."""
        if not self.log:
            return value
        return math.exp(value) if value < 700.0 else math.inf
