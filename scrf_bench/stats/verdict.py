"""From findings to a verdict on a claim, with the claim's quantifier taken at its word.

A claim is true or false; it comes out as ``holds``, ``fails`` or ``undecided``, and each of the two errors (a false
claim that holds, a true one that fails) has probability at most alpha. Which side needs a correction for asking
several times depends on the quantifier:

*For all* parts (`all_of`)
    It holds if every part holds at level alpha. No correction: were the claim false, one particular part would be
    false, and all of them hold at most as often as that one does (intersection-union test, Berger 1982). It fails if
    any part fails, and there one false alarm among k suffices: Holm's correction (1979).
*For some* part (`any_of`)
    The mirror image: Holm where one part suffices to hold, none where all must fail.
*From some point on* (`from_some_on`)
    Parts in order, the largest last. The last is tested first, then the one before, and so on until one does not
    hold: each at level alpha, since every step is taken only after all later ones held (fixed-sequence test). The
    claim holds if the last part does, and the verdict says from where on. It fails if the last part fails.

Whatever the rule, the parts that decide must rest on two distinct runs (seeds, or processes for times) at least: no
verdict rests on one seed. What is counted has no randomness and needs no second run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from scrf_bench.stats.comparison import holm
from scrf_bench.stats.findings import Finding

VerdictWord = Literal["holds", "fails", "undecided", "settled by theory", "not testable"]
VERDICT_WORDS: tuple[VerdictWord, ...] = get_args(VerdictWord)


@dataclass(frozen=True)
class JudgedPart:
    """One part of a claim and its own word, at the level that Holm's correction leaves it: the list can be quoted."""

    finding: Finding
    word: VerdictWord


@dataclass(frozen=True)
class Verdict:
    """What became of a claim.

    Attributes
    ----------
    word : str
        One of `VERDICT_WORDS`.
    headline : Finding or None
        The part that decides: the clearest failure, the weakest part of what holds, the least clear of what is
        undecided.
    parts : tuple of JudgedPart
    reason : str
        What the numbers do not say: why it is undecided, from where on it holds, where the proof is.
    needed : int or None
        For ``undecided``: repetitions a part, fixed in advance, that would decide; None where that is not known, or
        where the reason asks for something else.
    """

    word: VerdictWord
    headline: Finding | None = None
    parts: tuple[JudgedPart, ...] = ()
    reason: str = ""
    needed: int | None = None


def settled(reason: str) -> Verdict:
    """Return the verdict on what a proof decides; the reason says which way, and where the proof is."""
    return Verdict("settled by theory", reason=reason)


def not_testable(reason: str) -> Verdict:
    """Return the verdict on what nobody can test, e.g. since a setting is not known."""
    return Verdict("not testable", reason=reason)


def undecided(reason: str) -> Verdict:
    """Return the verdict where there is nothing to test yet."""
    return Verdict("undecided", reason=reason)


def all_of(
    findings: Sequence[Finding],
    *,
    alpha: float = 0.05,
    power: float | None = 0.8,
    least_runs: int = 2,
    missing: Sequence[str] = (),
) -> Verdict:
    """Judge a claim about all parts.

    Parameters
    ----------
    findings : sequence of Finding
        One a part; a claim about one thing has one.
    alpha : float
    power : float or None, default=0.8
        Of the number of repetitions of each part that an undecided claim is told to need: so often the whole claim is
        decided, though all its parts must be clear. None tells none.
    least_runs : int, default=2
        Distinct runs behind the parts that decide.
    missing : sequence of str
        Parts that were not measured: the claim may still fail, but not hold.
    """
    if not findings:
        return undecided(_not_measured(missing))
    failing = [adjusted <= alpha for adjusted in holm([f.p_fails for f in findings])]
    parts = _judged(findings, alpha)
    if any(failing):
        decisive = [f for f, fails in zip(findings, failing, strict=True) if fails]
        reason = _where("fails", decisive, findings)
        return _decided("fails", min(decisive, key=lambda f: f.p_fails), decisive, parts, least_runs, reason)
    weakest = max(findings, key=lambda f: f.p_holds)
    if weakest.p_holds <= alpha and not missing:
        return _decided("holds", weakest, findings, parts, least_runs, "")
    unclear = [f for f in findings if f.p_holds > alpha]
    each = _power_of_each(power, len(findings))
    needed = _needed(findings, alpha, each, alpha / len(findings))
    return _open(parts, unclear, missing, weakest, needed)


def any_of(
    findings: Sequence[Finding],
    *,
    alpha: float = 0.05,
    power: float | None = 0.8,
    least_runs: int = 2,
    missing: Sequence[str] = (),
) -> Verdict:
    """Judge a claim that some part is so; parameters as in `all_of`, but what is missing may yet hold."""
    if not findings:
        return undecided(_not_measured(missing))
    holding = [adjusted <= alpha for adjusted in holm([f.p_holds for f in findings])]
    parts = _judged(findings, alpha)
    if any(holding):
        decisive = [f for f, holds in zip(findings, holding, strict=True) if holds]
        reason = _where("holds", decisive, findings)
        return _decided("holds", min(decisive, key=lambda f: f.p_holds), decisive, parts, least_runs, reason)
    weakest = max(findings, key=lambda f: f.p_fails)
    if weakest.p_fails <= alpha and not missing:
        return _decided("fails", weakest, findings, parts, least_runs, "")
    unclear = [f for f in findings if f.p_fails > alpha]
    each = _power_of_each(power, len(findings))
    needed = _needed(findings, alpha / len(findings), each, alpha)
    return _open(parts, unclear, missing, weakest, needed)


def from_some_on(
    findings: Sequence[Finding],
    *,
    alpha: float = 0.05,
    power: float | None = 0.8,
    least_runs: int = 2,
    missing: Sequence[str] = (),
) -> Verdict:
    """Judge a claim that something is so from some point on, the findings in order, the largest last.

    With parts `missing` nothing is said: they may be the last ones.
    """
    if not findings:
        return undecided(_not_measured(missing))
    parts = _judged(findings, alpha)
    last = findings[-1]
    holding = _tail(findings, [f.p_holds <= alpha for f in findings])
    failing = _tail(findings, [f.p_fails <= alpha for f in findings])
    since = f"from {holding[0].label} on" if holding else f"not at {last.label}"
    if missing:
        return Verdict("undecided", last, parts, f"{_not_measured(missing)} What was measured: {since}.", None)
    if holding:
        weakest = max(holding, key=lambda f: f.p_holds)
        return _decided("holds", weakest, holding, parts, least_runs, f"{since[0].upper()}{since[1:]}.")
    if failing:
        return _decided("fails", last, failing, parts, least_runs, f"Not even at {last.label}, the largest.")
    return _open(parts, [last], missing, last, last.needed(alpha, power))


def _power_of_each(power: float | None, parts: int) -> float | None:
    """Return the power that each part needs for all to succeed together with `power`, however they depend."""
    # Bonferroni: the chances of failing add up at most.
    return None if power is None else 1.0 - (1.0 - power) / parts


def _tail(findings: Sequence[Finding], good: Sequence[bool]) -> list[Finding]:
    """Return the longest run of good parts that ends with the last one."""
    start = len(findings)
    while start > 0 and good[start - 1]:
        start -= 1
    return list(findings[start:])


def _judged(findings: Sequence[Finding], alpha: float) -> tuple[JudgedPart, ...]:
    holds, fails = holm([f.p_holds for f in findings]), holm([f.p_fails for f in findings])

    def word(h: float, f: float) -> VerdictWord:
        return "holds" if h <= alpha else "fails" if f <= alpha else "undecided"

    return tuple(JudgedPart(part, word(h, f)) for part, h, f in zip(findings, holds, fails, strict=True))


def _decided(
    word: VerdictWord,
    headline: Finding,
    decisive: Sequence[Finding],
    parts: tuple[JudgedPart, ...],
    least_runs: int,
    reason: str,
) -> Verdict:
    """Return the verdict, unless what decides it was run too few times."""
    random = [f for f in decisive if f.runs is not None]
    runs = sum(f.runs or 0 for f in random if not f.process) + len({f.process for f in random if f.process})
    if random and runs < least_runs:
        words = f"It would be '{word}', but rests on {_runs(runs)}; at least {least_runs} are asked for."
        return Verdict("undecided", headline, parts, words)
    return Verdict(word, headline, parts, reason)


def _open(
    parts: tuple[JudgedPart, ...],
    unclear: Sequence[Finding],
    missing: Sequence[str],
    headline: Finding,
    needed: int | None,
) -> Verdict:
    labels = [f.label for f in unclear if f.label]
    reasons = []
    if labels and len(parts) > 1:
        reasons.append(f"Not clear: {_listed(labels)}.")
    if any(f.n < 2 and f.runs is not None for f in unclear):
        reasons.append("One run tells nothing of the spread.")
    if missing:
        reasons.append(_not_measured(missing))
    return Verdict("undecided", headline, parts, " ".join(reasons), needed)


def _needed(findings: Sequence[Finding], alpha: float, power: float | None, alpha_fails: float) -> int | None:
    """Return the repetitions that decide every part: those of the widest spread, in margins, for either test."""
    # The number grows with the spread alone, and finding it takes a second: not for each of a hundred parts.
    alike = [[f for f in findings if f.region.sides == sides and f.spread > 0.0] for sides in (1, 2)]
    widest = [max(some, key=_relative_spread) for some in alike if some]
    numbers = [finding.needed(alpha, power, alpha_fails) for finding in widest]
    return max((number for number in numbers if number is not None), default=None)


def _relative_spread(finding: Finding) -> float:
    return finding.spread / finding.region.margin if finding.region.margin > 0.0 else 0.0


def _where(word: str, decisive: Sequence[Finding], findings: Sequence[Finding]) -> str:
    """Say for which parts a claim is decided, where it has several."""
    labels = [f.label for f in decisive if f.label]
    return f"{word.capitalize()} for {_listed(labels)}." if labels and len(findings) > 1 else ""


def _not_measured(missing: Sequence[str]) -> str:
    return f"Not measured: {_listed(missing)}." if missing else "Nothing was measured."


def _listed(labels: Sequence[str], most: int = 4) -> str:
    """Return the first few labels; all of them are in the parts."""
    more = len(labels) - most
    return "; ".join(labels[:most]) + (f"; and {more} more" if more > 0 else "")


def _runs(count: int) -> str:
    return "one run" if count == 1 else f"{count} runs"
