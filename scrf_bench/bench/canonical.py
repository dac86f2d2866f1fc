"""One spelling for one value: canonical JSON and the short hashes that name cells and environments."""

from __future__ import annotations

import hashlib
import json
import math
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool | None
Parameter: TypeAlias = Scalar | list[Scalar]


def canonical_json(value: object) -> str:
    """Return JSON with sorted keys, no spaces and ASCII only, so that equal values give equal text.

    Floats are written in Python's shortest form that reads back to the same float; ``1`` and ``1.0`` differ.

    Raises
    ------
    ValueError
        If a float is not finite.
    TypeError
        If a value has no JSON form.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def short_hash(value: object, digits: int) -> str:
    """Return the first `digits` hexadecimal digits of the sha256 of `value`'s canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode("ascii")).hexdigest()[:digits]


def is_text(value: str) -> bool:
    """Tell whether UTF-8 can spell a string; a lone surrogate, as in a name of undecodable bytes, it cannot."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def as_text(words: str) -> str:
    """Return a message with an escape in place of what UTF-8 cannot spell."""
    return words.encode("utf-8", "backslashreplace").decode("utf-8")


def plain_scalar(value: object, what: str) -> Scalar:
    """Return `value` as a plain str, int, finite float, bool or None; NumPy scalars are converted.

    Parameters
    ----------
    value : object
        The value to convert.
    what : str
        The value's name, for the error message.

    Raises
    ------
    ValueError
        If it is a float that is not finite, or a string that is no text.
    TypeError
        If it is anything else.
    """
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        value = value.item()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if not is_text(value):
            raise ValueError(f"{what} is {value!r}: give text that UTF-8 can spell (no lone surrogates).")
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{what} is {value}: give a finite number, or None where there is none.")
        return float(value)
    raise TypeError(f"{what} is a {type(value).__name__}: give a str, int, float, bool or None.")


def plain_parameter(value: object, what: str) -> Parameter:
    """Return `value` as a plain scalar or a list of plain scalars; errors as in :func:`plain_scalar`."""
    if isinstance(value, (list, tuple)):
        return [plain_scalar(item, f"{what}[{index}]") for index, item in enumerate(value)]
    return plain_scalar(value, what)


def finite_or_none(value: float) -> float | None:
    """Return a number that JSON has, which is any but the infinities and nan, or None."""
    return value if math.isfinite(value) else None
