"""What a search for gamma and C has found so far, on disk: killed at any moment, the same command goes on."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scrf_bench.atomic import mendable, write_over
from scrf_bench.errors import UserError

_Key = tuple[int, float, float]


class _Stage(dict[_Key, int]):
    """Counts of one number of rows; a new one is written down at once."""

    def __init__(self, known: Mapping[_Key, int], write: Callable[[_Key, int], None]) -> None:
        super().__init__(known)
        self._write = write

    def __setitem__(self, key: _Key, hits: int) -> None:
        super().__setitem__(key, hits)
        self._write(key, hits)


class Journal:
    """A file of JSON lines: first what is searched, then a line for each fold of each point.

    It is written with the first new count, and not before: a search that cannot begin leaves what was there.

    Parameters
    ----------
    path : Path
        Where it is, or will be.
    search : dict
        What decides the counts (data, folds, seed, learner). A journal of another search is begun anew.

    Attributes
    ----------
    found : int
        Counts that were there already.
    other : list of str
        In what the search differs whose journal is there; none if it does not, or there is none.
    """

    def __init__(self, path: Path, search: Mapping[str, Any]) -> None:
        self._path = path
        self._search = json.dumps(search, sort_keys=True)
        self.other: list[str] = []
        self._known = self._read()
        self.found = sum(len(counts) for counts in self._known.values())
        self._begun = False

    def stage(self, rows: int) -> _Stage:
        """Return the counts of a cross-validation of so many rows: what it knows, and where it adds."""
        known = self._known.setdefault(rows, {})

        def write(key: _Key, hits: int) -> None:
            if not self._begun:
                self._begin()
            known[key] = hits
            with mendable(self._path), self._path.open("a", encoding="utf-8") as file:
                file.write(_line(rows, key, hits) + "\n")

        return _Stage(known, write)

    def _begin(self) -> None:
        """Write what is known in whole lines: what a killed run left of its last one goes."""
        lines = [self._search, *(_line(rows, key, n) for rows, some in self._known.items() for key, n in some.items())]
        write_over(self._path, "\n".join(lines) + "\n")
        self._begun = True

    def _read(self) -> dict[int, dict[_Key, int]]:
        known: dict[int, dict[_Key, int]] = {}
        try:
            header, *lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        except (OSError, ValueError):
            return known
        if header != self._search:
            self.other = _differences(header, self._search)
            return known
        for line in lines:
            try:
                rows, fold, C, gamma, hits = json.loads(line)
                known.setdefault(int(rows), {})[int(fold), float(C), float(gamma)] = int(hits)
            except (ValueError, TypeError, OverflowError):
                continue
        return known


def _line(rows: int, key: _Key, hits: int) -> str:
    return json.dumps([rows, *key, hits])


def _differences(header: str, search: str) -> list[str]:
    """Return the settings that differ between two searches; ``a damaged file`` where one cannot be read."""
    try:
        there, here = dict(json.loads(header)), dict(json.loads(search))
    except (ValueError, TypeError):
        return ["a damaged file"]
    return sorted(key for key in there.keys() | here.keys() if there.get(key) != here.get(key))


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the search whose journal is at `path`: two at once would write into one journal and one result.

    Raises
    ------
    UserError
        If another process holds it. A lock that a killed process left holds nobody.
    """
    from filelock import FileLock, Timeout

    lock_path = path.with_suffix(".lock")
    with mendable(lock_path):
        lock_path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(lock_path)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            msg = (
                f"Another search of the same is under way and holds {lock_path}; wait for it, or write to another "
                "folder with --configs."
            )
            raise UserError(msg) from None
    try:
        yield
    finally:
        lock_path.unlink(missing_ok=True)
        lock.release()
