"""One HTML page of several experiments' tables and figures, and of the verdicts on the claims that they judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scrf_bench import bench
from scrf_bench.experiments.campaign import Prepared, shortfalls
from scrf_bench.experiments.claim_table import judge_all
from scrf_bench.experiments.verdicts import Court, declared_claims
from scrf_bench.report import Layout, Section, html_page

VERDICTS_TITLE = "Verdicts on published claims"


def write_page(
    shown: Sequence[tuple[Prepared, Layout, bench.Selection]], path: Path, court: Court, reference: Path | None = None
) -> Path:
    """Write the page: the verdicts first, then a section an experiment.

    Parameters
    ----------
    shown : sequence of (Prepared, Layout, Selection)
        What `render_results` returned of each experiment.
    path : path
        The file to write.
    court : Court
        Judges the claims that these experiments declare, from its results folder.
    reference : path, optional
        Committed records, whose verdicts are shown beside.
    """
    judged_here = {claim.id for prepared, *_ in shown for claim in prepared.experiment.claims}
    claims = [claim for claim in declared_claims() if claim.id in judged_here]
    sections = [
        Section(
            prepared.experiment.title,
            layout,
            [f"scrf-bench run {prepared.experiment.name} --profile {court.profile}", *shortfalls(chosen)],
        )
        for prepared, layout, chosen in shown
    ]
    if claims:
        verdicts = judge_all(court, claims, reference).layout
        # The parts of claims are many; they are in their own file.
        layout = replace(verdicts, tables=verdicts.tables[:2])
        sections.insert(0, Section(VERDICTS_TITLE, layout, [f"scrf-bench claims --profile {court.profile}"]))
    environments = {record.environment.id: record.environment for *_, chosen in shown for record in chosen.records}
    described = {
        key if len(environments) == 1 else f"{key} ({identity})": value
        for identity, environment in environments.items()
        for key, value in environment.to_json().items()
    }
    return html_page(f"scrf-bench, {court.profile} profile", sections, described, path)
