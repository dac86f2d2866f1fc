"""Which record speaks for which planned cell, and which cells have none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scrf_bench.bench.canonical import canonical_json
from scrf_bench.bench.cell import Cell
from scrf_bench.bench.record import Record


@dataclass(frozen=True)
class Stale:
    """A planned cell whose only records were made with other versions or other data.

    Parameters
    ----------
    cell : Cell
        The planned cell.
    record : Record
        The newest of those records.
    """

    cell: Cell
    record: Record

    def reason(self) -> str:
        """Return what has changed, e.g. ``version of scrf 1 -> 2``."""
        old, new = self.record.cell, self.cell
        names = sorted({*old.versions, *new.versions})
        changes = [
            f"version of {name} {old.versions.get(name, 'none')} -> {new.versions.get(name, 'none')}"
            for name in names
            if old.versions.get(name) != new.versions.get(name)
        ]
        if old.dataset_identity != new.dataset_identity:
            changes.append(f"the text of the dataset {new.dataset}")
        return ", ".join(changes)


@dataclass(frozen=True)
class Selection:
    """What there is to show of a plan; every planned cell is in exactly one of the three.

    Parameters
    ----------
    records : tuple of Record
        The record that speaks for a cell, in planned order.
    missing : tuple of Cell
        Cells that have no record, nor an outdated one.
    stale : tuple of Stale
        Cells that have only outdated ones.
    """

    records: tuple[Record, ...]
    missing: tuple[Cell, ...]
    stale: tuple[Stale, ...]

    @property
    def not_ok(self) -> tuple[Record, ...]:
        """The records that are not ``ok``."""
        return tuple(record for record in self.records if not record.ok)


def select_records(records: Iterable[Record], planned: Sequence[Cell], environment_id: str | None = None) -> Selection:
    """Choose a record for every planned cell.

    An ``ok`` record goes before any other, then one of the given environment, then the newest: by attempt
    within that environment, by start time otherwise. A record that only tells of a declared limit does not
    speak for a cell that is not limited any more.

    Parameters
    ----------
    records : iterable of Record
        Whatever the stores hold.
    planned : sequence of Cell
        The plan.
    environment_id : str, optional
        The environment to prefer.
    """
    by_id: dict[str, list[Record]] = defaultdict(list)
    by_setting: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_id[record.cell.id].append(record)
        by_setting[setting_key(record.cell)].append(record)

    def rank(record: Record) -> tuple[bool, bool, int, str, int]:
        here = record.environment.id == environment_id
        return record.ok, here, record.attempt if here else 0, record.started, record.attempt

    chosen: list[Record] = []
    missing: list[Cell] = []
    stale: list[Stale] = []
    for cell in {cell.id: cell for cell in planned}.values():
        mine = [record for record in by_id[cell.id] if cell.declared_limit or not record.declared]
        others = [record for record in by_setting[setting_key(cell)] if record.cell.id != cell.id]
        if mine:
            chosen.append(max(mine, key=rank))
        elif others:
            stale.append(Stale(cell, max(others, key=lambda record: record.started)))
        else:
            missing.append(cell)
    return Selection(tuple(chosen), tuple(missing), tuple(stale))


def setting_key(cell: Cell) -> str:
    """Return a cell's identity without what makes it outdated: versions and the dataset's text."""
    kept = {key: value for key, value in cell.identity.items() if key not in {"versions", "dataset_identity"}}
    return canonical_json(kept)
