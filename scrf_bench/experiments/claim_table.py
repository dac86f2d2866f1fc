"""Judged claims as a table of verdicts, a table of tests, a table of parts, and a forest plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from scrf_bench.experiments.claim_words import asked_text, count_text, effect_text, effect_with_label, word_of
from scrf_bench.experiments.claims import Claim, ClaimSettings
from scrf_bench.experiments.verdicts import Court, Judgement, reference_judgements
from scrf_bench.report import NOT_APPLICABLE, Column, Figure, ForestRow, Layout, Table, draw_forest, forest_size
from scrf_bench.stats import JudgedPart, Verdict

OURS = "suite (ours)"
"""What stands for the paper where a claim is this project's own."""


@dataclass(frozen=True)
class Judged:
    """Claims judged from one results folder, the committed verdicts by claim id, and both laid out."""

    judgements: list[Judgement]
    beside: dict[str, Judgement]
    layout: Layout


def judge_all(court: Court, claims: Sequence[Claim], reference: Path | None) -> Judged:
    """Judge claims in a court, and beside them from committed records, unless those are the court's own."""
    judgements = [court.judge(claim) for claim in claims]
    beside: dict[str, Judgement] = {}
    if reference is not None and reference.is_dir() and reference.resolve() != court.results.resolve():
        beside = reference_judgements(claims, reference)
    return Judged(judgements, beside, claims_layout(judgements, beside, court.profile))


def claims_layout(judgements: Sequence[Judgement], reference: Mapping[str, Judgement], profile: str) -> Layout:
    """Return the three tables and the picture; `reference` maps claim ids to their committed verdicts."""
    rows = [_forest_row(j) for j in judgements]
    drawn = [row for row in rows if row is not None]
    figures = []
    if drawn:
        width, height = forest_size(drawn)
        axis = (
            f"effect and its {_interval(judgements)}, in margins of the claim (0: as claimed, or no effect; "
            "logarithmic beyond 2)"
        )
        draw = partial(draw_forest, rows=drawn, axis_label=axis)
        figures = [Figure(name="", caption=f"Verdicts, {profile} profile", width=width, height=height, draw=draw)]
    return Layout(tables=[*read_tables(judgements, reference, profile), _parts(judgements)], figures=figures)


def read_tables(
    judgements: Sequence[Judgement], reference: Mapping[str, Judgement], profile: str, *, commands: bool = True
) -> list[Table]:
    """Return the tables of verdicts and of tests: those a terminal shows, without the many parts.

    Without `commands`, what would make the records is for the caller to say: a narrow column breaks a command up.
    """
    return [_verdicts(judgements, reference, profile, commands=commands), _tests(judgements)]


def _verdicts(
    judgements: Sequence[Judgement], reference: Mapping[str, Judgement], profile: str, *, commands: bool
) -> Table:
    rows = []
    for judgement in judgements:
        headline = judgement.verdict.headline if judgement.verdict else None
        known = reference.get(judgement.claim.id)
        rows.append(
            {
                "paper": OURS if judgement.claim.paper == "suite" else judgement.claim.paper,
                "claim": judgement.claim.sentence,
                "place": judgement.claim.place,
                "verdict": word_of(judgement),
                "effect": effect_with_label(headline),
                "asked": asked_text(headline),
                "n": count_text(headline),
                "looks": f"{judgement.looks}×" if judgement.looks else NOT_APPLICABLE,
                "why": _why(judgement, commands=commands),
                "reference": NOT_APPLICABLE if known is None else _reference_text(known),
            }
        )
    columns = [
        Column("paper", "paper"),
        Column("claim", "claim"),
        Column("place", "where"),
        Column("verdict", "verdict"),
        Column("effect", f"effect, {_interval(judgements)}"),
        Column("asked", "asked for"),
        Column("n", "n"),
        Column("looks", "looked at"),
        Column("why", "why"),
    ]
    if reference:
        columns.append(Column("reference", "from committed records"))
    else:
        rows = [{key: value for key, value in row.items() if key != "reference"} for row in rows]
    return Table(
        name="",
        title=f"Verdicts on published claims, {profile} profile",
        columns=columns,
        rows=rows,
        notes=_notes(judgements[0].settings),
        group_by="paper",
    )


def _notes(settings: ClaimSettings) -> tuple[str, str]:
    return (
        (
            f"holds and fails: each error (a false claim that holds, a true one that fails) has a chance of at most "
            f"{_percent(settings.alpha)} in one look, whatever the number of parts; 'no difference' is shown by "
            "equivalence within the margin of configs/claims.toml (which says what was set after a first look), never "
            "by a lack of significance. undecided: neither is shown; as many "
            "repetitions of each unclear part as are said to decide, fixed in advance, make all of these clear with a "
            f"power of {_percent(settings.power)} where the truth lies a margin away from the edge of what the claim "
            "allows. What is so from some point on can hold up to the largest one tried; it cannot fail."
        ),
        (
            "Effect: of the part that decides, for 'fails' the largest of all parts: picked for its size, it tends to "
            "overshoot, and its interval does not allow for that. × marks ratios, sd standard deviations of the "
            "estimate, points percentage points. Asked for: where the effect must lie, the least effect that counts "
            "included. n: of what the interval is made (a batch is the mean of several draws of the map). Looked at: "
            "from how many different bodies of evidence (records or settings) the claim was judged in this folder. no "
            "records: none of the planned cells was run. table-tests has quantifiers, tests and margins, table-parts "
            "every part."
        ),
    )


def _percent(share: float) -> str:
    return f"{100.0 * share:g} %"


def _interval(judgements: Sequence[Judgement]) -> str:
    """Return the confidence of the effects' intervals in words; every claim of a table has the same settings."""
    return f"{_percent(1.0 - 2.0 * judgements[0].settings.alpha)} interval"


def _tests(judgements: Sequence[Judgement]) -> Table:
    return Table(
        name="tests",
        title="How each claim is judged",
        columns=[
            Column("claim", "claim"),
            Column("quantifier", "for"),
            Column("test", "test and margin"),
            Column("method", "statistics"),
            Column("id", "id"),
        ],
        rows=[
            {
                "claim": j.claim.sentence,
                "quantifier": j.claim.quantifier,
                "test": j.claim.test_words(j.settings),
                "method": j.verdict.headline.method if j.verdict and j.verdict.headline else NOT_APPLICABLE,
                "id": j.claim.id,
            }
            for j in judgements
        ],
    )


def _parts(judgements: Sequence[Judgement]) -> Table:
    rows = [
        {
            "claim": j.claim.sentence,
            "part": part.finding.label,
            "verdict": part.word,
            "effect": effect_text(part.finding),
            "asked": asked_text(part.finding),
            "n": count_text(part.finding),
            "remark": _part_remark(part),
        }
        for j in judgements
        if j.verdict and len(j.verdict.parts) > 1
        for part in j.verdict.parts
    ]
    return Table(
        name="parts",
        title="The parts of claims that have several",
        columns=[
            Column("claim", "claim"),
            Column("part", "part"),
            Column("verdict", "verdict"),
            Column("effect", f"effect, {_interval(judgements)}"),
            Column("asked", "asked for"),
            Column("n", "n"),
            Column("remark", "remark"),
        ],
        rows=rows,
        notes=["A part's verdict is corrected for the number of parts (Holm); the claim's follows its quantifier."],
        group_by="claim",
    )


def _part_remark(part: JudgedPart) -> str:
    if part.word == "fails" and part.finding.short_of_margin:
        return "the claimed way, but by less than the margin"
    return NOT_APPLICABLE


def _why(judgement: Judgement, *, commands: bool) -> str:
    if judgement.verdict is None:
        return "See below." if not (commands or judgement.complete) else f"Run: {judgement.command}"
    words = [judgement.verdict.reason] if judgement.verdict.reason else []
    words += [*_needed(judgement.verdict), *judgement.remarks]
    return " ".join(words) or NOT_APPLICABLE


def _needed(verdict: Verdict) -> list[str]:
    """Say how many repetitions, fixed in advance, would decide; or that luck was against as many."""
    need = verdict.need
    if verdict.word != "undecided" or need is None:
        return []
    if need.repetitions <= need.had:
        return [f"{need.repetitions:,} {need.of} would decide in most cases; {need.had:,} did not."]
    return [f"{need.repetitions:,} {need.of} would decide."]


def _reference_text(judgement: Judgement) -> str:
    verdict = judgement.verdict
    effect = f", {effect_text(verdict.headline)}" if verdict and verdict.headline else ""
    return f"{word_of(judgement)} ({judgement.profile}{effect})"


def _forest_row(judgement: Judgement) -> ForestRow | None:
    """Return a line of the picture, for what has an interval."""
    verdict = judgement.verdict
    if verdict is None or verdict.headline is None or verdict.headline.runs is None:
        return None
    finding = verdict.headline
    estimate, low, high, start, end = (
        finding.in_margins(value)
        for value in (finding.estimate, finding.low, finding.high, finding.region.low, finding.region.high)
    )
    return ForestRow(
        judgement.claim.sentence, estimate, low, high, start, end, verdict.word, effect_with_label(finding)
    )
