"""Reads typed fields out of parsed JSON, with an error that names the file and the field."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from scrf_bench.bench.canonical import is_text
from scrf_bench.errors import UserError

T = TypeVar("T")

_LONGEST_SHOWN = 60
_KINDS: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


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
            raise self.wrong(f"it holds {_kind(type(data))} where an object is needed")
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
        wanted = " or ".join(_kind(kind) for kind in types)
        raise self.wrong(f"the field '{key}' is {_shown(value)}, and must be {wanted}")

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
        fault = _fault(parsed)
    except ValueError as cause:
        raise error(f"{path}: it is not valid JSON ({cause}); it may be truncated.") from cause
    except RecursionError as cause:
        raise error(f"{path}: its lists and objects are nested too deeply.") from cause
    if fault:
        raise error(f"{path}: {fault}.")
    return parsed


def _kind(kind: type) -> str:
    return _KINDS.get(kind, kind.__name__)


def _shown(value: object) -> str:
    """Return a JSON value fit for a message: printable, on one line, and not too long."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    text = ascii(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


def _fault(value: object, where: str = "") -> str:
    """Return what in a JSON value Python reads and nothing can be done with, and where; empty if nothing."""
    place = f"at {where.removeprefix('.')}" if where else "in it"
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"the number {place} is {value}, not a finite one"
    if isinstance(value, int):
        # Beyond this an integer is no float either, and arithmetic with it fails.
        return "" if value.bit_length() <= 1000 else f"the number {place} has more than 300 digits"
    if isinstance(value, str):
        return "" if is_text(value) else f"the text {place} holds half a character: {_shown(value)}"
    items: list[tuple[str, object]] = []
    if isinstance(value, list):
        items = [(f"[{index}]", item) for index, item in enumerate(value)]
    elif isinstance(value, dict):
        if odd := next((key for key in value if not is_text(key)), None):
            return f"a name {place} holds half a character: {_shown(odd)}"
        items = [(f".{key}", item) for key, item in value.items()]
    return next((fault for step, item in items if (fault := _fault(item, where + step))), "")
