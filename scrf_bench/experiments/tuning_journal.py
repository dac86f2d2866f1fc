"""What a search for gamma and C has found so far, on disk: killed at any moment, the same command goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scrf_bench.atomic import mendable, write_over

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
    """

    def __init__(self, path: Path, search: Mapping[str, Any]) -> None:
        self._path = path
        self._search = json.dumps(search, sort_keys=True)
        self._known = self._read()
        self.found = sum(len(counts) for counts in self._known.values())
        # Whole lines only: what a killed run left of its last one goes.
        lines = [self._search, *(_line(rows, key, n) for rows, some in self._known.items() for key, n in some.items())]
        write_over(path, "\n".join(lines) + "\n")

    def stage(self, rows: int) -> _Stage:
        """Return the counts of a cross-validation of so many rows: what it knows, and where it adds."""
        known = self._known.setdefault(rows, {})

        def write(key: _Key, hits: int) -> None:
            known[key] = hits
            with mendable(self._path), self._path.open("a", encoding="utf-8") as file:
                file.write(_line(rows, key, hits) + "\n")

        return _Stage(known, write)

    def _read(self) -> dict[int, dict[_Key, int]]:
        known: dict[int, dict[_Key, int]] = {}
        try:
            header, *lines = self._path.read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError):
            return known
        if header != self._search:
            return known
        for line in lines:
            try:
                rows, fold, C, gamma, hits = json.loads(line)
                known.setdefault(int(rows), {})[int(fold), float(C), float(gamma)] = int(hits)
            except (ValueError, TypeError):
                continue
        return known


def _line(rows: int, key: _Key, hits: int) -> str:
    return json.dumps([rows, *key, hits])
