"""Reads typed fields out of parsed JSON, with an error that names the file and the field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from scrf_bench.errors import UserError

T = TypeVar("T")


class Fields:
    """The fields of one JSON object, each read with the type it must have.

    Parameters
    ----------
    data : object
        What the JSON text held; it must be an object.
    source : str
        The file's name (or another origin), which every error message starts with.
    error : type of UserError
        The error to raise.
    """

    def __init__(self, data: object, source: str, error: type[UserError] = UserError) -> None:
        self.source = source
        self.error = error
        if not isinstance(data, Mapping):
            raise self.wrong(f"it holds a {type(data).__name__} where an object is needed")
        self._data = data

    def wrong(self, reason: str) -> UserError:
        """Return the error that says why this source cannot be used."""
        return self.error(f"{self.source}: {reason}.")

    def check_schema(self, schema: int, kind: str) -> None:
        """Raise unless the object says that it is of this kind and written under this schema number."""
        found = self._data.get("schema")
        if self._data.get("kind_of_file") != kind:
            raise self.wrong(f"this is not a scrf-bench {kind} file")
        if found != schema:
            raise self.wrong(f"it has schema {found!r}, and this version of scrf-bench reads schema {schema}")

    def get(self, key: str, *types: type[T]) -> T:
        """Return the value at `key`, which must be of one of the types (a bool is no int here)."""
        if key not in self._data:
            raise self.wrong(f"the field '{key}' is missing")
        value = self._data[key]
        if isinstance(value, types) and (bool in types or not isinstance(value, bool)):
            return value
        names = " or ".join("null" if kind is type(None) else kind.__name__ for kind in types)
        raise self.wrong(f"the field '{key}' is {value!r}, and must be of type {names}")

    def text(self, key: str) -> str:
        """Return the string at `key`."""
        return self.get(key, str)

    def optional_text(self, key: str) -> str | None:
        """Return the string or null at `key`; a missing field is null."""
        return None if self._data.get(key) is None else self.get(key, str)

    def integer(self, key: str) -> int:
        """Return the integer at `key`."""
        return self.get(key, int)

    def optional_integer(self, key: str) -> int | None:
        """Return the integer or null at `key`; a missing field is null."""
        return None if self._data.get(key) is None else self.get(key, int)

    def number(self, key: str) -> float:
        """Return the number at `key` as a float."""
        if isinstance(self._data.get(key), int):
            return float(self.get(key, int))
        return self.get(key, float)

    def optional_number(self, key: str) -> float | None:
        """Return the number or null at `key`; a missing field is null."""
        return None if self._data.get(key) is None else self.number(key)

    def flag(self, key: str) -> bool:
        """Return the bool at `key`."""
        return self.get(key, bool)

    def mapping(self, key: str) -> dict[str, object]:
        """Return the object at `key`."""
        return dict(self.get(key, dict))

    def sequence(self, key: str) -> list[object]:
        """Return the list at `key`."""
        return list(self.get(key, list))


def _why(cause: OSError | UnicodeDecodeError) -> str:
    return cause.strerror or str(cause) if isinstance(cause, OSError) else str(cause)


def parse_json(path: Path, error: type[UserError] = UserError) -> object:
    """Return what the JSON file at `path` holds; raise `error`, naming the file, where it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as cause:
        raise error(f"{path}: it cannot be read ({_why(cause)}).") from cause
    try:
        parsed: object = json.loads(text)
    except ValueError as cause:
        raise error(f"{path}: it is not valid JSON ({cause}); it may be truncated.") from cause
    return parsed
