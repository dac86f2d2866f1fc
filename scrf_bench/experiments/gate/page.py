"""A comparison for people: summary and rows as tables, each red row explained, and one Markdown comment."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scrf_bench.bench.measure import quantile
from scrf_bench.experiments.gate.comparison import Comparison
from scrf_bench.experiments.gate.rows import WORDS, Row
from scrf_bench.report import NOT_APPLICABLE, Column, Table, to_markdown
from scrf_bench.report.text import escape_markdown

# Worst first; a row that is the same says nothing that its count does not.
_SHOWN = ("worse", "failed", "better", "uncertain", "stale")
# A comment that nobody scrolls through, and below the 65,536 characters that GitHub takes.
_MOST_ROWS = 60
_MOST_CHARACTERS = 60_000
_LONGEST_REASON = 400  # an error may be a page long; the record and the JSON have all of it


def headline(comparison: Comparison, *, strict: bool = False) -> str:
    """Return the result in one sentence, and how much it rests on; `strict` as for the exit code."""
    red, rows = len(comparison.red), sum(row.verdict not in ("missing", "new") for row in comparison.rows)
    aside = f"{comparison.compared} cells measured on both sides"
    for word in ("missing", "new"):
        if count := comparison.counts.get(word):
            aside += f", {count} {word}"
    if red == 0 and comparison.exit_code(strict=strict):
        return f"Red, as --strict has it: cells are missing, and none of {rows} rows is worse ({aside})."
    if red == 0:
        return f"No regression: none of {rows} rows is red ({aside})."
    return f"Regression: {red} of {rows} rows {'is' if red == 1 else 'are'} red ({aside})."


def summary_table(comparison: Comparison, title: str) -> Table:
    """Return the number of rows of each experiment and verdict."""
    words = [word for word in WORDS if word in comparison.counts]
    names = list(dict.fromkeys(row.experiment for row in comparison.rows))
    rows: list[dict[str, Any]] = [
        {
            "experiment": name,
            **{
                word: sum(row.experiment == name and row.verdict == word for row in comparison.rows) or NOT_APPLICABLE
                for word in words
            },
        }
        for name in names
    ]
    alpha = comparison.settings.alpha
    return Table(
        name="summary",
        title=title,
        columns=[Column("experiment", "experiment"), *(Column(word, word, kind="int") for word in words)],
        rows=rows,
        notes=[
            (
                "worse and newly failed are red. Outputs of a fixed seed must agree to rounding; accuracies over fresh "
                f"seeds and times over RKS are tested, all together, at a chance of {alpha:.0%} for any false red. "
                "uncertain: neither a change nor its absence is shown. missing: not in the new records."
            )
        ],
    )


def rows_table(rows: Iterable[Row], title: str, *, why: bool = True) -> Table:
    """Return rows with their verdicts and the two sides in short; `why` adds the reason, which takes room."""
    return Table(
        name="rows",
        title=title,
        columns=[
            Column("verdict", "verdict"),
            Column("place", "of"),
            Column("what", "what"),
            Column("base", "base", align="r"),
            Column("new", "new", align="r"),
            Column("change", "change, 90 % interval", align="r"),
            *([Column("why", "why")] if why else []),
        ],
        rows=[{key: value for key, value in _fields(row).items() if why or key != "why"} for row in rows],
    )


def shown_rows(comparison: Comparison) -> list[Row]:
    """Return the rows that are not the same on both sides, worst first; missing and new ones are only counted."""
    found = [row for word in _SHOWN for row in comparison.rows if row.verdict == word]
    return sorted(found, key=lambda row: not row.red)


def untested(row: Row) -> bool:
    """Tell whether a row has no verdict since nothing could be tested."""
    return row.verdict == "uncertain" and row.change is None


def explain(row: Row) -> str:
    """Return why a row is red, with the two samples it rests on."""
    lines = [f"{row.place}: {row.what}. {_cut(row.reason)}"]
    if row.change is not None:
        lines.append(
            f"  {_change(row)}; p = {row.change.p_worse:.2g}, {row.adjusted:.2g} adjusted for all rows "
            f"({row.change.method})."
        )
    for name, values in (("base", row.base), ("new", row.new)):
        if values:
            lines.append(f"  {name}: {_sample(row, values)}")
    return "\n".join(lines)


def markdown_comment(
    comparison: Comparison, base: str, new: str, damaged: Iterable[str] = (), *, strict: bool = False
) -> str:
    """Return the whole comparison as a comment for a pull request: red rows first, the rest folded.

    `damaged` says in a line each which records could not be read.
    """
    mark = "🔴" if comparison.exit_code(strict=strict) else "🟢"
    title = f"### {mark} scrf-bench: {escape_markdown(headline(comparison, strict=strict))}"
    opening = [title, "", f"`{new}` against `{base}`", ""]
    most = _MOST_ROWS
    text = _comment(comparison, opening, list(damaged), most)
    while len(text) > _MOST_CHARACTERS and most > 1:
        most //= 2
        text = _comment(comparison, opening, list(damaged), most)
    return text


def _comment(comparison: Comparison, opening: Sequence[str], damaged: Sequence[str], most: int) -> str:
    parts = list(opening)
    if comparison.red:
        first = comparison.red[:most]
        more = len(comparison.red) - len(first)
        title = f"Red rows{f' (the first {len(first)}; {more} more)' if more else ''}"
        parts += [to_markdown(rows_table(first, title))]
        parts += _folded("The two samples of each red row", _fenced("\n".join(explain(row) for row in first)))
    parts += [to_markdown(summary_table(comparison, "Rows of each verdict"))]
    rest = [row for row in shown_rows(comparison) if not row.red and not untested(row)]
    if rest:
        table = rows_table(rest[:most], "Not the same, and not red")
        parts += _folded(f"Other rows that are not the same ({len(rest)})", [to_markdown(table)])
    lacking = [*unmeasured_words(comparison.rows), *(_cut(f"unreadable: {line}") for line in damaged)]
    if lacking:
        shown = [f"- {escape_markdown(line)}" for line in lacking[:most]]
        parts += _folded(f"Not compared ({len(lacking)})", shown)
    return "\n".join(parts).rstrip() + "\n"


def _fenced(text: str) -> list[str]:
    """Return text between fences that it cannot close: longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", text, fence]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON].rstrip()} ..."


def unmeasured_words(rows: Sequence[Row]) -> list[str]:
    """Return a line for each experiment and reason of what was not compared."""
    lines = []
    for word, ending in (("missing", "in the base, and not in the new records"), ("new", "in the new records alone")):
        for name in dict.fromkeys(row.experiment for row in rows if row.verdict == word):
            cells = [row.what for row in rows if row.verdict == word and row.experiment == name]
            more = f" and {len(cells) - 3} more" if len(cells) > 3 else ""
            lines.append(f"{word}: {name}: {', '.join(cells[:3])}{more} ({ending}).")
    few = [row for row in rows if untested(row)]
    for name, reason in dict.fromkeys((row.experiment, row.reason) for row in few):
        count = sum((row.experiment, row.reason) == (name, reason) for row in few)
        lines.append(f"uncertain: {name}: {count} row{'s' if count > 1 else ''}: {reason}")
    return lines


def as_json(
    comparison: Comparison, base: str, new: str, *, strict: bool, damaged: Iterable[str] = ()
) -> Mapping[str, Any]:
    """Return everything as plain values for ``json.dumps``."""
    return {
        "base": base,
        "new": new,
        "red": bool(comparison.exit_code(strict=strict)),
        "exit_code": comparison.exit_code(strict=strict),
        "compared": comparison.compared,
        "counts": comparison.counts,
        "alpha": comparison.settings.alpha,
        "unreadable": list(damaged),
        "rows": [row.to_json() for row in comparison.rows],
    }


def _folded(summary: str, lines: Sequence[str]) -> list[str]:
    return [f"<details><summary>{summary}</summary>", "", *lines, "", "</details>", ""]


def _fields(row: Row) -> dict[str, Any]:
    return {
        "verdict": row.verdict,
        "place": row.place,
        "what": row.what,
        "base": _side(row, row.base),
        "new": _side(row, row.new),
        "change": NOT_APPLICABLE if row.change is None else _change(row),
        "why": _cut(row.reason) or NOT_APPLICABLE,
    }


def _side(row: Row, values: Sequence[float]) -> str:
    if not values:
        return NOT_APPLICABLE
    if row.kind == "time":
        return f"{_mean(values):.3g}×"
    return f"{_mean(values):.4g}{' %' if row.unit == 'points' else ''}"


def _change(row: Row) -> str:
    assert row.change is not None  # noqa: S101 -- who calls has looked
    low, middle, high = row.change.low, row.change.estimate, row.change.high
    if row.unit == "points":
        return f"{middle:+.2f} [{low:+.2f}, {high:+.2f}] points"
    if row.unit == "log ratio":
        low, middle, high = (math.exp(min(value, 700.0)) for value in (low, middle, high))
    return f"{middle:.3g}× [{low:.3g}, {high:.3g}]"


def _sample(row: Row, values: Sequence[float]) -> str:
    if row.kind == "time":
        what = "median of each process"
    elif row.kind == "quality":
        what = "one a seed"
    else:
        what = "one a point"
    shown = ", ".join(f"{value:.4g}" for value in values[:12]) + (", ..." if len(values) > 12 else "")
    spread = f"; median {quantile(values, 0.5):.4g}" if len(values) > 2 else ""
    return f"{shown} ({what}, n = {len(values)}{spread})"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
