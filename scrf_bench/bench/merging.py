"""Stores brought together: records copied as they are, none overwritten, none twice."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scrf_bench import atomic
from scrf_bench.bench.record import Record
from scrf_bench.bench.store import Store
from scrf_bench.errors import UserError

# What a results folder, a profile in it, and an experiment's store are called, by how deep records lie in them.
_LEVELS = {3: "a results folder", 2: "a profile", 1: "one experiment's store"}


@dataclass
class Merged:
    """What came of a merge.

    Attributes
    ----------
    kind : str
        What the target is, as a results folder.
    copied, known, renumbered : int
        Records that were copied, that the target had, and those of the copied that got another attempt number, since
        their own was taken.
    others : int
        Copied files that are no records: looks at claims.
    damaged : dict of Path to str
        Records that could not be read and were left where they are, with the reason.
    stores : list of Path
        Stores that got anything.
    """

    kind: str
    copied: int = 0
    known: int = 0
    renumbered: int = 0
    others: int = 0
    damaged: dict[Path, str] = field(default_factory=dict)
    stores: list[Path] = field(default_factory=list)


def merge_stores(sources: Sequence[Path], into: Path) -> Merged:
    """Copy all records of the source folders into another of the same level, which is made if need be.

    A record that is there already, under whatever attempt number, is not copied again, so that merging twice changes
    nothing; another one of the same name gets the next free attempt number.

    Raises
    ------
    UserError
        If a source has no records, or lies on another level than the target (a profile into a results folder, say).
    """
    levels = {source: _level(source) for source in sources}
    for source, level in levels.items():
        if level is None:
            raise UserError(f"{source}: there are no records in it; give a results folder, a profile or a store.")
    target = _level(into)
    for source, level in levels.items():
        expected = target or levels[sources[0]]
        if level != expected and level is not None and expected is not None:
            other = into if target else sources[0]
            raise UserError(f"{source} is {_LEVELS[level]}, but {other} is {_LEVELS[expected]}; give two of a kind.")
    merged = Merged(_LEVELS[target or levels[sources[0]] or 3])
    for source in sources:
        inside = source.resolve(), into.resolve()
        if inside[0].is_relative_to(inside[1]) or inside[1].is_relative_to(inside[0]):
            raise UserError(f"{source} cannot be merged into itself or a folder within; name another to merge into.")
        for folder in sorted({path.parent.parent for path in _record_files(source)}):
            _merge_store(Store(folder), Store(into / folder.relative_to(source)), merged)
        for path in sorted(source.glob("**/looks/*/*.json")):
            with contextlib.suppress(FileExistsError):
                atomic.write_new(into / path.relative_to(source), path.read_bytes())
                merged.others += 1
    return merged


def _merge_store(source: Store, target: Store, merged: Merged) -> None:
    known = {_content(record) for record in target.all()}
    before = merged.copied
    for record in source.all():
        content = _content(record)
        if content in known:
            merged.known += 1
            continue
        path = source.records_folder / f"{record.name}.json"
        # The file as it is; one that was copied under another name is written anew under its own.
        text = path.read_bytes() if path.exists() else (json.dumps(record.to_json(), indent=1) + "\n").encode()
        _copy(record, text, target, merged)
        known.add(content)
    merged.damaged |= source.damaged
    if merged.copied > before:
        merged.stores.append(target.folder)


def _copy(record: Record, text: bytes, target: Store, merged: Merged) -> None:
    """Copy a record's file, under the next number where another record has its name: also one of another merge now."""
    path = target.records_folder / f"{record.name}.json"
    try:
        atomic.write_new(path, text)
    except FileExistsError:
        if path.read_bytes() == text:
            merged.known += 1
            return
        target.add(record)
        merged.renumbered += 1
    merged.copied += 1


def _content(record: Record) -> str:
    """Return everything of a record but its number."""
    return json.dumps({**record.to_json(), "attempt": 0}, sort_keys=True)


def _record_files(folder: Path) -> Iterator[Path]:
    yield from folder.glob("**/records/*.json")


def _level(folder: Path) -> int | None:
    """Return how deep records lie in a folder: 1 in a store, 2 in a profile, 3 in results; None without any."""
    for level, pattern in ((1, "records/*.json"), (2, "*/records/*.json"), (3, "*/*/records/*.json")):
        if next(folder.glob(pattern), None) is not None:
            return level
    return None
