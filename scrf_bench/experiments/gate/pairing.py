"""Two folders of records as pairs of cells: what stands for each cell on either side, across machines and versions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scrf_bench.bench import Cell, Record, Store
from scrf_bench.bench.selection import Stale, setting_key
from scrf_bench.errors import UserError


@dataclass(frozen=True)
class Pair:
    """One cell in both stores, or in one of them.

    Attributes
    ----------
    base, new : Record or None
        At least one of them is there.
    """

    base: Record | None
    new: Record | None

    @property
    def cell(self) -> Cell:
        """The cell: the new one where there is one."""
        record = self.new or self.base
        assert record is not None  # noqa: S101 -- by construction
        return record.cell

    @property
    def both_ok(self) -> bool:
        """Whether it was measured on both sides."""
        return self.base is not None and self.new is not None and self.base.ok and self.new.ok

    @property
    def same_environment(self) -> bool:
        """Whether processor and libraries are the same on both sides."""
        return self.base is not None and self.new is not None and self.base.environment.id == self.new.environment.id

    def outdated(self) -> str:
        """Say which versions or data have changed between the two; empty where it is the same cell."""
        if self.base is None or self.new is None or self.base.cell.id == self.new.cell.id:
            return ""
        return Stale(self.new.cell, self.base).reason()


@dataclass(frozen=True)
class Snapshot:
    """All records of a folder, by experiment.

    Attributes
    ----------
    source : str
        The folder's name, for messages.
    records : tuple of Record
    damaged : dict of Path to str
        Files that could not be read, with the reason.
    """

    source: str
    records: tuple[Record, ...]
    damaged: dict[Path, str] = field(default_factory=dict)


def read_snapshot(folder: Path, experiments: Sequence[str] | None = None) -> Snapshot:
    """Read ``results/<profile>``, one experiment's folder in it, or its ``records`` folder.

    Raises
    ------
    UserError
        If there are no records, or the folder holds several profiles.
    """
    folder = folder.resolve() if folder.name in ("", ".") else folder
    if not folder.is_dir():
        what = "that is no folder" if folder.exists() else "there is no such folder"
        raise UserError(f"{folder}: {what}; give one with records, such as results/quick.")
    if folder.name == "records":
        folder = folder.parent
    stores = [folder] if (folder / "records").is_dir() else sorted(p.parent for p in folder.glob("*/records"))
    profiles = sorted({path.parts[-3] for path in folder.glob("*/*/records")})
    if not stores and profiles:
        raise UserError(f"{folder} holds the profiles {', '.join(profiles)}; name one, such as {folder / profiles[0]}.")
    records: list[Record] = []
    damaged: dict[Path, str] = {}
    for path in stores:
        store = Store(path)
        records += [r for r in store.all() if experiments is None or r.cell.experiment in experiments]
        damaged |= store.damaged
    if not records:
        asked = f" of {', '.join(experiments)}" if experiments else ""
        raise UserError(f"{folder} holds no readable records{asked}; run them first, or name another folder.")
    return Snapshot(str(folder), tuple(records), damaged)


def pair_records(base: Iterable[Record], new: Iterable[Record]) -> list[Pair]:
    """Pair the records that speak for each setting, in the order of experiment and label.

    Of the new store the newest record of each environment speaks, whatever became of it: neither an older success nor
    another machine's may hide a failure. Of the base its newest ``ok`` one does: of the same cell if there is one, of
    other versions of the same setting otherwise; and of the new one's environment if there is one.
    """
    olds, news = _by_setting(base), _by_setting(new)
    pairs = []
    for key in {**olds, **news}:
        latest = {record.environment.id: record for record in sorted(news.get(key, ()), key=_age)}
        pairs += [Pair(_base_of(record, olds.get(key, [])), record) for record in latest.values() or (None,)]
    return sorted(pairs, key=lambda pair: (pair.cell.experiment, pair.cell.name))


def _base_of(new: Record | None, mine: list[Record]) -> Record | None:
    if new is not None:
        mine = [record for record in mine if record.cell.id == new.cell.id] or mine
        mine = [record for record in mine if record.ok and record.environment.id == new.environment.id] or mine
    return max(mine, key=lambda record: (record.ok, *_age(record)), default=None)


def _by_setting(records: Iterable[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        found[setting_key(record.cell)].append(record)
    return found


def _age(record: Record) -> tuple[str, int]:
    return record.started, record.attempt
