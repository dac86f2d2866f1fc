"""The papers' own figures, from ``data/reported.csv``: what a source states, and nothing recalled.

A figure that no source states is None, and a table prints it as ``n/a``.
"""

from __future__ import annotations

import csv
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from scrf_bench.errors import ScrfBenchError
from scrf_bench.resources import resource_path

STATED = "stated in source"
"""The only certainty whose figures pass as the paper's own unless the caller asks for more."""

_COLUMNS = (
    "paper",
    "table_or_figure",
    "dataset",
    "method",
    "quantity",
    "value",
    "unit",
    "source",
    "certainty",
)
_NOT_GIVEN = ("", "n.a.", "n/a")  # how a paper's table says that it has no figure itself


@dataclass(frozen=True)
class ReportedFigure:
    """One figure as its source states it.

    ``value`` is a float where the source gives a plain number, in ``unit`` (percent stays percent: 95.4, not
    0.954), and text otherwise (``"3D"``). ``certainty`` is ``"stated in source"`` unless more was asked for.
    """

    paper: str
    table: str
    dataset: str
    method: str
    quantity: str
    value: float | str
    unit: str
    source: str
    certainty: str


def reported(
    paper: str,
    table: str,
    dataset: str | None = None,
    method: str | None = None,
    quantity: str | None = None,
    *,
    include: Collection[str] = (),
) -> ReportedFigure | None:
    """Return the one figure that a paper states for what is named, or None if it states none.

    Parameters
    ----------
    paper, table : str
        As in the file, e.g. ``"SCRF-IJCAI2015"`` and ``"Table 2"``.
    dataset, method, quantity : str, optional
        As in the file; None leaves it open.
    include : collection of str
        Further values of the column ``certainty`` that are accepted beside ``"stated in source"``, each
        spelled out; the figure returned carries its own, for the table to show.

    Raises
    ------
    ScrfBenchError
        If several figures match, since choosing one would be a guess; the message lists them.
    """
    wanted = {"table": table, "dataset": dataset, "method": method, "quantity": quantity}
    found = [
        figure
        for figure in reported_figures(paper, include=include)
        if all(text is None or getattr(figure, key) == text for key, text in wanted.items())
    ]
    if len(found) > 1:
        choices = "; ".join(f"{f.dataset}, {f.method}, {f.quantity}" for f in found[:5])
        raise ScrfBenchError(
            f"{len(found)} reported figures match {paper}, {table}, {dataset}, {method}, {quantity}; "
            f"name dataset, method and quantity so that one is left. Among them: {choices}."
        )
    return found[0] if found else None


def reported_figures(paper: str | None = None, *, include: Collection[str] = ()) -> tuple[ReportedFigure, ...]:
    """Return the figures of one paper (or all), stated in a source or of a certainty in ``include``."""
    accepted = {STATED, *include}
    return tuple(
        figure for figure in _read() if figure.certainty in accepted and (paper is None or figure.paper == paper)
    )


@cache
def _read() -> tuple[ReportedFigure, ...]:
    path = resource_path("data/reported.csv")
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, restkey="beyond")
        if tuple(reader.fieldnames or ()) != _COLUMNS:
            raise ScrfBenchError(f"'{path}' has the columns {reader.fieldnames}, not {list(_COLUMNS)}.")
        figures = []
        for row in reader:
            if None in row.values() or "beyond" in row:
                raise ScrfBenchError(f"Line {reader.line_num} of '{path}' has too few or too many fields.")
            if row["value"].strip() not in _NOT_GIVEN:
                figures.append(_figure(row))
    return tuple(figures)


def _figure(row: dict[str, str]) -> ReportedFigure:
    value: float | str = row["value"].strip()
    with suppress(ValueError):  # "3D", "2^-9;2^-7;...": a source may state more than a number
        value = float(value)
    return ReportedFigure(
        paper=row["paper"],
        table=row["table_or_figure"],
        dataset=row["dataset"],
        method=row["method"],
        quantity=row["quantity"],
        value=value,
        unit=row["unit"],
        source=row["source"],
        certainty=row["certainty"].strip(),
    )
