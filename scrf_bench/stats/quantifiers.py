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
    claim holds if the last part does, and the verdict says from where on. It never fails: a point beyond the last one
    was not tried, and that it is not so up to there is the reason why it stays undecided.

Whatever the rule, the parts that decide must rest on two distinct runs (seeds, or processes for times) at least: no
verdict rests on one seed. What is counted has no randomness and needs no second run.
"""

from __future__ import annotations

from collections.abc import Sequence

from scrf_bench.stats.comparison import holm
from scrf_bench.stats.finding import Finding
from scrf_bench.stats.verdict import (
    MOST_NAMED,
    JudgedPart,
    Lack,
    Need,
    Verdict,
    VerdictWord,
    lacking,
    listed,
    undecided,
)


def all_of(
    findings: Sequence[Finding],
    *,
    alpha: float = 0.05,
    power: float | None = 0.8,
    least_runs: int = 2,
    missing: Sequence[Lack | str] = (),
) -> Verdict:
    """Judge a claim about all parts.

    Parameters
    ----------
    findings : sequence of Finding
        One a part; a claim about one thing has one.
    alpha : float
    power : float or None, default=0.8
        Of the number of repetitions of each unclear part that an undecided claim is told to need: so often all of them
        become clear. None tells none.
    least_runs : int, default=2
        Distinct runs behind the parts that decide.
    missing : sequence of Lack or str
        Parts that were not measured (as often as planned): the claim may still fail, but not hold.
    """
    if not findings:
        return undecided(lacking(missing))
    failing = [adjusted <= alpha for adjusted in holm([f.p_fails for f in findings])]
    parts = _judged(findings, alpha)
    if any(failing):
        decisive = [f for f, fails in zip(findings, failing, strict=True) if fails]
        reason = _where_it_fails(decisive, parts)
        return _decided("fails", _largest_failure(decisive), decisive, parts, least_runs, reason)
    weakest = max(findings, key=lambda f: (f.p_holds, f.outside))
    if weakest.p_holds <= alpha and not missing:
        return _decided("holds", weakest, findings, parts, least_runs, "")
    unclear = [f for f in findings if f.p_holds > alpha]
    need = _need(unclear, alpha, power, alpha / len(findings))
    return _open(parts, unclear, missing, weakest, need, least_runs)


def any_of(
    findings: Sequence[Finding],
    *,
    alpha: float = 0.05,
    power: float | None = 0.8,
    least_runs: int = 2,
    missing: Sequence[Lack | str] = (),
) -> Verdict:
    """Judge a claim that some part is so; parameters as in `all_of`, but what is missing may yet hold."""
    if not findings:
        return undecided(lacking(missing))
    holding = [adjusted <= alpha for adjusted in holm([f.p_holds for f in findings])]
    parts = _judged(findings, alpha)
    if any(holding):
        decisive = [f for f, holds in zip(findings, holding, strict=True) if holds]
        reason = f"Holds for {listed([f.label for f in decisive])}." if len(findings) > 1 else ""
        return _decided("holds", min(decisive, key=lambda f: f.p_holds), decisive, parts, least_runs, reason)
    weakest = max(findings, key=lambda f: f.p_fails)
    if weakest.p_fails <= alpha and not missing:
        return _decided("fails", weakest, findings, parts, least_runs, "")
    unclear = [f for f in findings if f.p_fails > alpha]
    need = _need(unclear, alpha / len(findings), power, alpha)
    return _open(parts, unclear, missing, weakest, need, least_runs)


def from_some_on(
    findings: Sequence[Finding],
    *,
    alpha: float = 0.05,
    power: float | None = 0.8,
    least_runs: int = 2,
    missing: Sequence[Lack | str] = (),
) -> Verdict:
    """Judge a claim that something is so from some point on, the findings in order, the largest last.

    With parts `missing` nothing is said: they may be the last ones.
    """
    if not findings:
        return undecided(lacking(missing))
    parts = _judged(findings, alpha)
    last = findings[-1]
    holding = _tail(findings, [f.p_holds <= alpha for f in findings])
    fails = last.p_fails <= alpha
    if holding:
        since = f"from {holding[0].label} on"
    else:
        since = f"{'not up to' if fails else 'not clear at'} {last.label}, the largest"
    if missing:
        return Verdict("undecided", last, parts, f"{lacking(missing)} What was measured: {since}.")
    if holding:
        weakest = max(holding, key=lambda f: (f.p_holds, f.outside))
        return _decided("holds", weakest, holding, parts, least_runs, f"{since[0].upper()}{since[1:]}.")
    if fails:
        reason = f"Not up to {last.label}, the largest: {_remark(last)}what lies beyond was not tried."
        return Verdict("undecided", last, parts, reason)
    return _open(parts, [last], missing, last, _need([last], alpha, power, alpha), least_runs)


def _remark(finding: Finding) -> str:
    return "there the claimed way, but by less than the margin; " if finding.short_of_margin else ""


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
    runs = _distinct_runs(decisive)
    if runs is not None and runs < least_runs:
        words = f"It would be '{word}', but rests on {_runs(runs)}; at least {least_runs} are asked for."
        return Verdict("undecided", headline, parts, words)
    return Verdict(word, headline, parts, reason)


def _distinct_runs(findings: Sequence[Finding]) -> int | None:
    """Return how many seeds or processes are behind findings; None for what is counted alone."""
    random = [f for f in findings if f.runs is not None]
    if not random:
        return None
    return sum(f.runs or 0 for f in random if not f.process) + len({f.process for f in random if f.process})


def _open(
    parts: tuple[JudgedPart, ...],
    unclear: Sequence[Finding],
    missing: Sequence[Lack | str],
    headline: Finding,
    need: Need | None,
    least_runs: int,
) -> Verdict:
    """Return an open verdict; while something lacks, other runs included, repetitions of the rest decide nothing."""
    labels = [f.label for f in unclear if f.label]
    reasons = []
    if labels and len(parts) > 1:
        reasons.append(f"Not clear: {listed(labels)}.")
    if any(f.n < 2 and f.runs is not None for f in unclear):
        reasons.append("One run tells nothing of the spread.")
    elif need is not None and (runs := _distinct_runs([part.finding for part in parts]) or 0) < least_runs:
        reasons.append(f"It rests on {_runs(runs)}; at least {least_runs} are asked for.")
        need = None
    if missing:
        reasons.append(lacking(missing) + ("" if unclear else " All that was measured agrees."))
    return Verdict("undecided", headline, parts, " ".join(reasons), None if missing else need)


def _need(unclear: Sequence[Finding], alpha: float, power: float | None, alpha_fails: float) -> Need | None:
    """Return the repetitions that make every unclear part clear; None if that is not known of one of them."""
    if power is None or not unclear or not all(f.spread > 0.0 and f.region.margin > 0.0 for f in unclear):
        return None
    # All must become clear, however they depend: their chances of not doing so add up at most (Bonferroni).
    each = 1.0 - (1.0 - power) / len(unclear)
    # The number grows with spread and skewness, and finding it takes a second: not for each of a hundred parts.
    alike: dict[tuple[int, float], list[Finding]] = {}
    for finding in unclear:
        alike.setdefault((finding.region.sides, finding.efficiency), []).append(finding)
    hardest = [
        max(some, key=key)
        for some in alike.values()
        for key in (lambda f: f.spread / f.region.margin, lambda f: f.skewness * f.spread / f.region.margin)
    ]
    needs = []
    for finding in dict.fromkeys(hardest):
        number = finding.needed(alpha, each, alpha_fails)
        if number is None:
            return None
        needs.append(Need(number, finding.of, finding.n))
    return max(needs, key=lambda need: need.repetitions)


def _largest_failure(decisive: Sequence[Finding]) -> Finding:
    """Return the failure that lies farthest outside with its whole interval; what is counted comes before luck.

    Parts where both sides do the same thing come last: that they tie tells nothing.
    """
    telling = [f for f in decisive if not f.tie] or list(decisive)
    certain = [f for f in telling if f.runs is None] or telling
    return max(certain, key=lambda f: f.outside / f.region.margin if f.region.margin > 0.0 else f.outside)


def _where_it_fails(decisive: Sequence[Finding], parts: Sequence[JudgedPart]) -> str:
    """Say where a claim fails, where only for want of size, and where it holds."""
    short = [f for f in decisive if f.short_of_margin]
    if len(parts) == 1:
        return "The effect goes the claimed way, but by less than the margin." if short else ""
    words = [f"Fails for {_largest_first(decisive)}."]
    if short:
        words.append(f"The claimed way there, but by less than the margin: {_largest_first(short)}.")
    if holding := [part.finding.label for part in parts if part.word == "holds"]:
        words.append(f"Holds for {listed(holding)}.")
    return " ".join(words)


def _largest_first(failing: Sequence[Finding]) -> str:
    """Return the labels in their order, or those of the largest failures if there are too many for all to be named."""
    if len(failing) > MOST_NAMED:
        failing = sorted(failing, key=lambda f: -f.outside)
    return listed([f.label for f in failing])


def _runs(count: int) -> str:
    return "one run" if count == 1 else f"{count} runs"
