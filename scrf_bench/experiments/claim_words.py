"""One judged claim in words: its verdict, its effect, what was asked, and how many it rests on."""

from __future__ import annotations

import math

from scrf_bench.experiments.verdicts import Judgement
from scrf_bench.report import NOT_APPLICABLE
from scrf_bench.stats import Finding

NO_RECORDS = "no records"


def word_of(judgement: Judgement) -> str:
    """Return the verdict's word, or that there is nothing to judge from."""
    if judgement.verdict is not None:
        return judgement.verdict.word
    return "stale records" if judgement.stale else NO_RECORDS


def effect_text(finding: Finding | None) -> str:
    """Return an effect with interval and unit, as in ``1.27× [1.20, 1.34]`` or ``0.3 [-0.1, 0.7] points``."""
    if finding is None:
        return NOT_APPLICABLE
    text = f"{_short(finding.estimate)}{_times(finding)}"
    if finding.runs is not None:
        text += f" [{_short(finding.low)}, {_short(finding.high)}]"
    if finding.unit == "exponent":
        return f"exponent {text}"
    return f"{text} {finding.unit}" if finding.unit else text


def asked_text(finding: Finding | None) -> str:
    """Return what a claim allows an effect to be, as in ``≤ 0.952×``: what one must know to read the effect."""
    if finding is None:
        return NOT_APPLICABLE
    region, times = finding.region, _times(finding)
    low, high = _short(region.low), _short(region.high)
    if region.low == region.high:
        return f"{low}{times}"
    if math.isinf(region.ends[0]):
        return f"≤ {high}{times}"
    return f"≥ {low}{times}" if math.isinf(region.ends[1]) else f"{low} to {high}{times}"


def count_text(finding: Finding | None) -> str:
    """Return how many of what an effect rests on, as in ``10 seeds`` or ``5 against 3 timings``."""
    if finding is None:
        return NOT_APPLICABLE
    if finding.runs is None:
        return "counted"
    against = "" if finding.against is None else f" against {finding.against:,}"
    of_processes = "process" if finding.runs == 1 else "processes"
    processes = f" ({finding.runs} {of_processes})" if finding.of == "points of a fit" else ""
    return f"{finding.n:,}{against} {finding.of}{processes}"


def _times(finding: Finding) -> str:
    return "×" if finding.region.log else ""


def effect_with_label(finding: Finding | None) -> str:
    """Return :func:`effect_text` with the finding's label behind it."""
    label = f" ({finding.label})" if finding is not None and finding.label else ""
    return effect_text(finding) + label


def _short(value: float) -> str:
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:.3g}"
