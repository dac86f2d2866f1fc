"""One judged claim as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from scrf_bench.bench.canonical import finite_or_none
from scrf_bench.experiments.claim_words import word_of
from scrf_bench.experiments.verdicts import Judgement
from scrf_bench.stats import Finding, Verdict


def judgement_json(judgement: Judgement, reference: Judgement | None) -> dict[str, Any]:
    """Return everything about one judged claim as plain values for ``json.dumps``."""
    claim = judgement.claim
    return {
        "id": claim.id,
        "paper": claim.paper,
        "place": claim.place,
        "sentence": claim.sentence,
        "quantifier": claim.quantifier,
        "test": claim.test_words(judgement.settings),
        "experiments": list(claim.experiments),
        "settings": asdict(judgement.settings),
        "looks": judgement.looks,
        "complete": judgement.complete,
        "command": judgement.command if claim.experiments else None,
        "remarks": list(judgement.remarks),
        **_verdict_json(judgement),
        "reference": None if reference is None else {"profile": reference.profile, **_verdict_json(reference)},
    }


def _verdict_json(judgement: Judgement) -> dict[str, Any]:
    verdict = judgement.verdict or Verdict("undecided")
    headline = verdict.headline
    return {
        "verdict": word_of(judgement),
        "reason": verdict.reason or None,
        "needed": verdict.needed,
        "needed_of": verdict.need.of if verdict.need else None,
        "effect": None if headline is None else _finding_json(headline),
        "parts": [{"word": part.word, **_finding_json(part.finding)} for part in verdict.parts],
    }


def _finding_json(finding: Finding) -> dict[str, Any]:
    numbers = ("estimate", "low", "high", "confidence", "p_holds", "p_fails")
    return {
        "label": finding.label or None,
        **{name: finite_or_none(getattr(finding, name)) for name in numbers},
        "allowed": [finite_or_none(finding.region.low), finite_or_none(finding.region.high)],
        "unit": "ratio" if finding.region.log else finding.unit or None,
        "n": finding.n,
        "of": finding.of,
        "n_against": finding.against,
        "runs": finding.runs,
        "short_of_margin": finding.short_of_margin,
        "method": finding.method,
    }
