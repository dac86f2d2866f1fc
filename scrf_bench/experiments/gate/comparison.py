"""The whole comparison: every row of two stores with its verdict, and whether it is red."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scrf_bench.bench import Record
from scrf_bench.experiments.gate.outputs import method_of, outputs_row
from scrf_bench.experiments.gate.pairing import Pair, pair_records
from scrf_bench.experiments.gate.quality import quality_rows
from scrf_bench.experiments.gate.rows import WORDS, Row, Word
from scrf_bench.experiments.gate.settings import GateSettings
from scrf_bench.experiments.gate.times import holds_ratios, time_rows
from scrf_bench.stats import holm


@dataclass(frozen=True)
class Comparison:
    """All rows of two stores.

    Attributes
    ----------
    rows : tuple of Row
    settings : GateSettings
    compared : int
        Cells that were measured on both sides.
    """

    rows: tuple[Row, ...]
    settings: GateSettings
    compared: int

    @property
    def red(self) -> tuple[Row, ...]:
        """Rows that are worse or newly failed."""
        return tuple(row for row in self.rows if row.red)

    @property
    def counts(self) -> dict[Word, int]:
        """Rows per verdict, in the order of :data:`WORDS`; verdicts without any are left out."""
        found = {word: sum(row.verdict == word for row in self.rows) for word in WORDS}
        return {word: count for word, count in found.items() if count}

    def exit_code(self, *, strict: bool) -> int:
        """Return 4 if any row is red (or missing, if `strict`), else 0."""
        return 4 if self.red or (strict and "missing" in self.counts) else 0


def compare_records(base: Iterable[Record], new: Iterable[Record], settings: GateSettings) -> Comparison:
    """Compare the records of two stores; nothing is run.

    Every row that chance could turn red has a p-value of not being worse; Holm's correction over all of them keeps the
    chance of any false red at ``settings.alpha``, whatever their dependence. Fixed seeds leave nothing to chance.
    """
    pairs = pair_records(base, new)
    rows: list[Row] = []
    by_seeds, fresh = quality_rows(pairs, settings)
    for pair in pairs:
        if pair.cell.id in fresh and (pair.base is None or pair.new is None):
            continue  # neither missing nor new: other seeds of it stand on the other side
        row = outputs_row(pair, settings) if pair.both_ok else _cell_row(pair)
        rows += [] if row is None else [row]
        if row is None and not holds_ratios(pair):
            rows.append(replace(_blank(pair), verdict="uncertain", reason="It holds nothing that the gate compares."))
    rows += by_seeds
    rows += time_rows(pairs, settings)
    return Comparison(tuple(_settled(rows, settings)), settings, sum(pair.both_ok for pair in pairs))


def _cell_row(pair: Pair) -> Row:
    """Return the row of a cell that is not ``ok`` on both sides."""
    old, new, row = pair.base, pair.new, _blank(pair)
    if new is None:
        return row if old is None or old.ok else replace(row, reason=f"In the base it was {_words(old)}")
    if new.ok:
        before = "" if old is None else f"In the base it was {_words(old)}"
        return replace(row, verdict="new", reason=before)
    if new.declared or new.status == "unavailable":
        if old is not None and (old.status, old.declared) == (new.status, new.declared):
            return replace(row, verdict="same", reason=f"On both sides {_words(new)}")
        return replace(row, verdict="new" if old is None else "missing", reason=_words(new))
    newly = old is None or old.ok
    aside = "" if newly else " It was not ok in the base either."
    return replace(row, verdict="failed", red=newly, reason=f"{_words(new)}{aside}")


def _blank(pair: Pair) -> Row:
    cell = pair.cell
    return Row(cell.experiment, cell.dataset or "", method_of(cell), "cell", cell.name, "missing")


def _words(record: Record) -> str:
    status = "not run by a declared limit" if record.declared else str(record.status)
    error = (record.error or "").strip().rstrip(".")
    return f"{status}: {error}." if error else f"{status}."


def _settled(rows: Sequence[Row], settings: GateSettings) -> list[Row]:
    """Give the rows that rest on chance their verdicts, all of them together."""
    open_rows = [row for row in rows if row.change is not None]
    worse = holm([row.change.p_worse for row in open_rows if row.change]) if open_rows else []
    better = holm([row.change.p_better for row in open_rows if row.change]) if open_rows else []
    verdicts = iter(zip(worse, better, strict=True))
    return [row if row.change is None else _verdict(row, *next(verdicts), settings) for row in rows]


def _verdict(row: Row, worse: float, better: float, settings: GateSettings) -> Row:
    assert row.change is not None  # noqa: S101 -- who calls has looked
    if worse <= settings.alpha:
        return replace(row, verdict="worse", red=True, adjusted=worse)
    if better <= settings.alpha:
        return replace(row, verdict="better", adjusted=worse)
    if row.change.p_same <= settings.alpha_same:
        return replace(row, verdict="same", adjusted=worse)
    return replace(row, verdict="uncertain", adjusted=worse)
