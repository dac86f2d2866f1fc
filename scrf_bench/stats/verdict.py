"""What becomes of a claim, and what may lack for it; `scrf_bench.stats.quantifiers` decides it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from scrf_bench.stats.finding import Finding

VerdictWord = Literal["holds", "fails", "undecided", "settled by theory", "not testable"]
VERDICT_WORDS: tuple[VerdictWord, ...] = get_args(VerdictWord)
MOST_NAMED = 4
"""How many parts a reason names."""


@dataclass(frozen=True)
class JudgedPart:
    """One part of a claim and its own word, at the level that Holm's correction leaves it: the list can be quoted."""

    finding: Finding
    word: VerdictWord


@dataclass(frozen=True)
class Need:
    """Repetitions of each unclear part, fixed in advance, that would decide a claim.

    Attributes
    ----------
    repetitions : int
    of : str
        What a repetition is, e.g. ``seeds``.
    had : int
        How many there were.
    """

    repetitions: int
    of: str
    had: int


@dataclass(frozen=True)
class Lack:
    """A part of a claim that was not measured, or not as often as was fixed beforehand.

    Attributes
    ----------
    label : str
        As `Finding.label`.
    had, wanted : int
        Repetitions there are, and those that the sample size asks for; 0 of 0 where nothing is there.
    of : str
        What a repetition is, e.g. ``seeds``.
    why : str
        What lacks, where it is no number of repetitions.
    """

    label: str
    had: int = 0
    wanted: int = 0
    of: str = "repetitions"
    why: str = ""

    @property
    def partial(self) -> bool:
        """Whether there is something of it."""
        return bool(self.had or self.why)

    def __str__(self) -> str:
        """Return the label, and how many of how many where there are some: ``dna (6 of 10 seeds)``."""
        if not self.partial:
            return self.label
        count = self.why or f"{self.had:,} of {self.wanted:,} {self.of}"
        return f"{self.label} ({count})" if self.label else count


@dataclass(frozen=True)
class Verdict:
    """What became of a claim.

    Attributes
    ----------
    word : str
        One of `VERDICT_WORDS`.
    headline : Finding or None
        The part that decides: the largest failure, the weakest part of what holds, the least clear of what is
        undecided.
    parts : tuple of JudgedPart
    reason : str
        What the numbers do not say: why it is undecided, where it holds and where not, where the proof is.
    need : Need or None
        For ``undecided``: what would decide; None where that is not known, or where something else lacks.
    """

    word: VerdictWord
    headline: Finding | None = None
    parts: tuple[JudgedPart, ...] = ()
    reason: str = ""
    need: Need | None = None

    @property
    def needed(self) -> int | None:
        """The number of repetitions that would decide, if that is known."""
        return self.need.repetitions if self.need else None


def settled(reason: str) -> Verdict:
    """Return the verdict on what a proof decides; the reason says which way, and where the proof is."""
    return Verdict("settled by theory", reason=reason)


def not_testable(reason: str) -> Verdict:
    """Return the verdict on what nobody can test, e.g. since a setting is not known."""
    return Verdict("not testable", reason=reason)


def undecided(reason: str) -> Verdict:
    """Return the verdict where there is nothing to test yet."""
    return Verdict("undecided", reason=reason)


def lacking(missing: Sequence[Lack | str]) -> str:
    """Say what was not measured at all, and what not often enough."""
    partial = [str(item) for item in missing if isinstance(item, Lack) and item.partial]
    nothing = [str(item) for item in missing if not (isinstance(item, Lack) and item.partial)]
    words = [f"Not measured: {listed(nothing)}."] if nothing else []
    words += [f"Not all there: {listed(partial)}."] if partial else []
    return " ".join(words) or "Nothing was measured."


def listed(labels: Sequence[str]) -> str:
    """Return the first few labels; all of them are in the parts."""
    more = len(labels) - MOST_NAMED
    return "; ".join(labels[:MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")
