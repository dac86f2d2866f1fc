"""A row of a comparison: what was compared, the verdict on it, and the two samples it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from scrf_bench.bench.canonical import finite_or_none
from scrf_bench.stats import Change

Word: TypeAlias = Literal["better", "same", "worse", "uncertain", "missing", "stale", "new", "failed"]
WORDS: tuple[Word, ...] = get_args(Word)
Kind: TypeAlias = Literal["cell", "outputs", "quality", "time"]


@dataclass(frozen=True)
class Row:
    """One line of a comparison.

    Attributes
    ----------
    experiment, dataset, method : str
        Where it belongs; dataset and method may be empty.
    kind : {"cell", "outputs", "quality", "time"}
        A cell that was not compared; outputs of a fixed seed; accuracies or errors over seeds; a ratio of times.
    what : str
        The quantity and the place, e.g. ``time over RKS, d=64``.
    verdict : str
        One of :data:`WORDS`.
    reason : str
        In words, where the verdict needs any.
    red : bool
        Whether it fails the comparison: worse, or newly failed.
    change : Change or None
        Where chance plays a part.
    adjusted : float or None
        ``change.p_worse``, adjusted for all rows of the comparison.
    base, new : tuple of float
        The two samples.
    unit : str
        ``points``, ``ratio`` or empty.
    """

    experiment: str
    dataset: str
    method: str
    kind: Kind
    what: str
    verdict: Word
    reason: str = ""
    red: bool = False
    change: Change | None = None
    adjusted: float | None = None
    base: tuple[float, ...] = field(default=(), repr=False)
    new: tuple[float, ...] = field(default=(), repr=False)
    unit: str = ""

    @property
    def place(self) -> str:
        """Experiment, dataset and method in one line."""
        return " ".join(part for part in (self.experiment, self.dataset, self.method) if part)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for ``json.dumps``, the two samples included."""
        change = self.change
        return {
            "experiment": self.experiment,
            "dataset": self.dataset or None,
            "method": self.method or None,
            "kind": self.kind,
            "what": self.what,
            "verdict": self.verdict,
            "red": self.red,
            "reason": self.reason or None,
            "unit": self.unit or None,
            "estimate": None if change is None else finite_or_none(change.estimate),
            "low": None if change is None else finite_or_none(change.low),
            "high": None if change is None else finite_or_none(change.high),
            "p_worse": None if change is None else change.p_worse,
            "p_worse_adjusted": self.adjusted,
            "p_better": None if change is None else change.p_better,
            "p_same": None if change is None else change.p_same,
            "method_of_test": None if change is None else change.method,
            "base": list(self.base),
            "new": list(self.new),
        }
