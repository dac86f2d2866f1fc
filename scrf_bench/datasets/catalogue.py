"""The registry: ``registry.toml`` as records, and look-up by name."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scrf_bench.datasets.spec import ROLES, TASKS, DatasetSpec, FileSpec, TableSpec
from scrf_bench.errors import UnknownNameError

REGISTRY_FILE = Path(__file__).with_name("registry.toml")
_PACKED_HASHES = ("mirror_sha256", "embedded_sha256", "site_sha256")


@cache
def registry() -> Mapping[str, DatasetSpec]:
    """Return every dataset that scrf-bench knows, by name.

    Examples
    --------
    >>> registry()["dna"].n_features
    180
    """
    table = tomllib.loads(REGISTRY_FILE.read_text(encoding="utf-8"))
    return MappingProxyType({name: _dataset(name, entry) for name, entry in table.items()})


def lookup(name: str) -> DatasetSpec:
    """Return the dataset called ``name``.

    Raises
    ------
    UnknownNameError
        If there is none; the message names near matches, or all names.
    """
    known = registry()
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"known are: {', '.join(known)}."
    msg = f"There is no dataset '{name}'; {hint}"
    raise UnknownNameError(msg)


def _dataset(name: str, entry: Mapping[str, Any]) -> DatasetSpec:
    if entry["task"] not in TASKS:
        msg = f"{REGISTRY_FILE.name}: {name}.task is '{entry['task']}', not one of {', '.join(TASKS)}."
        raise ValueError(msg)
    fields = {key: value for key, value in entry.items() if key != "files"}
    return DatasetSpec(name=name, files=tuple(_file(name, f) for f in entry["files"]), **fields)


def _file(name: str, entry: Mapping[str, Any]) -> FileSpec:
    if entry["role"] not in ROLES:
        msg = f"{REGISTRY_FILE.name}: {name}.files role '{entry['role']}' is not one of {', '.join(ROLES)}."
        raise ValueError(msg)
    fields = {key: value for key, value in entry.items() if key not in _PACKED_HASHES}
    fields["packed_sha256"] = frozenset(entry[key] for key in _PACKED_HASHES if key in entry)
    fields["value_range"] = _interval(entry["value_range"])
    if "target_range" in entry:
        fields["target_range"] = _interval(entry["target_range"])
    if "label_counts" in entry:
        counts = {int(label): int(count) for label, count in entry["label_counts"].items()}
        fields["label_counts"] = MappingProxyType(counts)
    if "table" in entry:
        fields["table"] = TableSpec(entry["table"]["target"], tuple(entry["table"].get("left_out", ())))
    return FileSpec(**fields)


def _interval(pair: list[float]) -> tuple[float, float]:
    low, high = pair
    return float(low), float(high)
