"""What one comparison found: an estimate, its interval, and two p-values against what a claim allows."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scrf_bench.stats.power import TooManyNeededError, decision_sample_size
from scrf_bench.stats.region import Region


@dataclass(frozen=True)
class Finding:
    """What one comparison found.

    Attributes
    ----------
    label : str
        What it is about, e.g. ``dna`` or ``d = 1024``; empty where a claim has one part only.
    estimate, low, high : float
        The effect and its interval, in its own unit.
    confidence : float
        Of the interval: ``1 - 2 alpha``.
    region : Region
    p_holds, p_fails : float
        That of the truth lying outside the region, and inside it; both 1 where nothing can be said.
    n : int
        How many there are of what `of` says: of the first side where there are two.
    runs : int or None
        Distinct seeds or processes behind them, on the side with fewer; None for what is counted and has no randomness.
    method : str
    spread : float
        Standard deviation of one repetition on the scale of the test; 0 where it is not known, or where there is no
        repetition (the points of a fit).
    process : str
        The one process behind it, by whatever name, where other findings may come from the same one: however many
        findings a process gives, it is one run.
    unit : str
        Of the effect, e.g. ``points``; empty for ratios.
    of : str
        What `n` counts, e.g. ``seeds``.
    against : int or None
        How many there are on the other side of a comparison that is not paired.
    skewness : float
        What the test allowed for, of one repetition.
    efficiency : float
        Of the test, against the t test.
    tie : bool
        Whether both sides do the same thing here, so that other parts tell more.
    """

    label: str
    estimate: float
    low: float
    high: float
    confidence: float
    region: Region
    p_holds: float
    p_fails: float
    n: int
    runs: int | None
    method: str
    spread: float = 0.0
    process: str = ""
    unit: str = ""
    of: str = "repetitions"
    against: int | None = None
    skewness: float = 0.0
    efficiency: float = 1.0
    tie: bool = False

    def in_margins(self, value: float) -> float:
        """Return a value's distance from the claimed one in margins: -1 and 1 are the ends of what is allowed."""
        return (self.region.scaled(value) - self.region.scaled(self.region.null)) / self.region.margin

    @property
    def outside(self) -> float:
        """How far the whole interval lies outside the region, on the scale of the test; negative where it does not."""
        bottom, top = self.region.ends
        return max(bottom - self.region.scaled(self.high), self.region.scaled(self.low) - top)

    @property
    def short_of_margin(self) -> bool:
        """Whether a claim of "less" (or "more") is missed in size alone: the whole interval is on the claimed side."""
        region = self.region
        below, above = region.high < region.null, region.low > region.null
        return (below and self.high < region.null) or (above and self.low > region.null)

    def needed(self, alpha: float, power: float | None, alpha_fails: float | None = None) -> int | None:
        """Return how many repetitions, fixed in advance, would decide, if that is known: `decision_sample_size`.

        Of each side where a comparison is not paired. A rank test needs as many more as it is less efficient, and
        enough for its level to be reached at all.
        """
        if power is None or self.spread <= 0.0 or self.region.margin <= 0.0:
            return None
        try:
            n = decision_sample_size(
                self.region.margin,
                self.spread,
                power=power,
                sides=self.region.sides,
                alpha=alpha,
                alpha_fails=alpha_fails,
                skewness=self.skewness,
            )
        except TooManyNeededError:
            return None
        if self.efficiency == 1.0:
            return n
        level = min(alpha, alpha if alpha_fails is None else alpha_fails) / self.region.sides
        n = math.ceil(n / self.efficiency)
        while math.comb(2 * n, n) * level < 1.0:
            n += 1
        return n
