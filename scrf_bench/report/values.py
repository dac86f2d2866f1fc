"""What may stand in a table's field, and how each kind of number is written out.

The text made here is plain Unicode; the LaTeX, HTML and Markdown renderers translate it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

Kind: TypeAlias = Literal["text", "int", "float", "percent", "mean_se", "seconds", "bytes", "ratio", "power2"]
KINDS: tuple[Kind, ...] = (
    "text",
    "int",
    "float",
    "percent",
    "mean_se",
    "seconds",
    "bytes",
    "ratio",
    "power2",
)
MISSING = "n/a"
# For a field that this row has no such thing to fill with, as against a number that is not known.
NOT_APPLICABLE = "–"


@dataclass(frozen=True)
class MeanSe:
    """A mean over ``n`` runs with its standard error, in the column's unit.

    ``se`` is None where one run gives none; the field then says ``(n=1)``.
    """

    mean: float
    se: float | None
    n: int


@dataclass(frozen=True)
class NotMeasured:
    """A number that was not measured, and why.

    The field shows ``short`` and a footnote mark; the footnote is ``reason``.
    """

    reason: str
    short: str = "over limit"


Value: TypeAlias = str | int | float | bool | MeanSe | NotMeasured | None


def format_value(value: Value, kind: Kind = "text", digits: int | None = None, spec: str | None = None) -> str:
    """Write one value as plain text.

    Parameters
    ----------
    value : str, int, float, bool, MeanSe, NotMeasured or None
        None and NaN give ``n/a``; a NotMeasured gives its short word; a str stands for itself in every kind.
    kind : str
        One of :data:`KINDS`. ``percent`` takes a **fraction** (0.9545 is written 95.45); ``power2`` takes
        the number itself (0.125 is written 2^-3); ``bytes`` and ``seconds`` take bytes and seconds.
    digits : int, optional
        Decimals for float, percent and mean_se; significant digits for seconds, ratio and bytes.
    spec : str, optional
        A Python format specification that replaces the kind's own, e.g. ``".1e"``.

    Raises
    ------
    ValueError
        For an unknown kind, or a percent that is plainly no fraction (beyond 10, i.e. 1,000 %).
    """
    if kind not in KINDS:
        raise ValueError(f"The column kind {kind!r} does not exist; use one of {', '.join(KINDS)}.")
    value = _plain(value)
    if value is None:
        return MISSING
    if isinstance(value, NotMeasured):
        return value.short
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, MeanSe):
        return _mean_se(value, kind, digits, spec)
    return format(value, spec) if spec is not None else _number(value, kind, digits)


def raw_value(value: Value) -> str | int | float | None:
    """Return what a machine-readable file holds for a value: the bare number or text, or None for nothing."""
    value = _plain(value)
    if value is None or value == NOT_APPLICABLE or isinstance(value, NotMeasured):
        return None
    if isinstance(value, MeanSe):
        return None if math.isnan(value.mean) else float(value.mean)
    return value


def _plain(value: Value) -> Value:
    """Turn numpy's scalars into Python's own, whose repr reads back to the same bits, and NaN into None."""
    item: Any = getattr(value, "item", None)
    if callable(item):
        value = cast("Value", item())
    return None if isinstance(value, float) and math.isnan(value) else value


def _number(value: float, kind: Kind, digits: int | None) -> str:
    if kind == "text":
        return str(value)
    if kind == "int":
        return f"{int(value):,d}" if float(value).is_integer() else f"{value:,g}"
    if kind in ("float", "mean_se"):
        return _decimal(float(value), 3 if digits is None else digits)
    if kind == "percent":
        return _decimal(100.0 * _fraction(float(value)), 2 if digits is None else digits)
    if kind == "power2":
        return _power_of_two(float(value))
    significant = 3 if digits is None else digits
    if kind == "seconds":
        return _significant(float(value), significant)
    if kind == "ratio":
        return _significant(float(value), significant) + "×"
    return _bytes(float(value), significant)


def _mean_se(value: MeanSe, kind: Kind, digits: int | None, spec: str | None) -> str:
    if math.isnan(value.mean):
        return MISSING
    factor = 1.0
    if kind == "percent":
        _fraction(value.mean)
        factor = 100.0
    mean = factor * value.mean
    fallback = 2 if digits is None else digits
    if value.se is None or math.isnan(value.se):
        text = format(mean, spec) if spec is not None else _decimal(mean, fallback)
        return f"{text} (n={value.n})"
    se = factor * value.se
    if spec is not None:
        return f"{mean:{spec}} ± {se:{spec}}"
    decimals = decimals_from_error(se, fallback)
    return f"{_decimal(mean, decimals)} ± {_decimal(se, decimals)}"


def decimals_from_error(se: float, fallback: int = 2) -> int:
    """Return how many decimals a number deserves whose standard error is ``se``: two digits of the error.

    0.123 gives 2 decimals (95.45 ± 0.12), 1.23 gives 1, 12.3 gives none; an error of zero or infinity gives
    ``fallback``.
    """
    if se <= 0 or not math.isfinite(se):
        return fallback
    exponent = int(f"{se:.1e}".split("e")[1])  # of the rounded error: 0.0996 counts as 0.10
    return min(max(1 - exponent, 0), 12)


def _fraction(value: float) -> float:
    if abs(value) > 10:
        raise ValueError(
            f"A percent column takes fractions (0.9545 is written 95.45), not {value:g}; divide it by 100."
        )
    return value


def _decimal(value: float, digits: int) -> str:
    """Write fixed decimals, or powers of ten where fixed ones would show nothing or too much."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞"
    size = abs(value)
    if size >= 1e7 or 0 < size < 0.5 * 10.0**-digits:
        return f"{value:.{max(digits - 1, 1)}e}"
    text = f"{value:,.{digits}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.,") else text


def _significant(value: float, digits: int) -> str:
    """Write ``digits`` significant digits, without an exponent between 1e-6 and 1e7 (1234.5: 1,234)."""
    if not math.isfinite(value) or value == 0:
        return _decimal(value, 0)
    if not 1e-6 <= abs(value) < 1e7:
        return f"{value:.{digits - 1}e}"
    exponent = int(f"{value:.{digits - 1}e}".split("e")[1])
    return f"{value:,.{max(digits - 1 - exponent, 0)}f}"


def _bytes(value: float, digits: int) -> str:
    """Write a number of bytes in decimal units (1 MB = 10^6 B), as disks and the command line count them."""
    for factor, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if abs(value) >= factor * (1 - 0.5 * 10.0**-digits):
            return f"{_significant(value / factor, digits)} {unit}"
    return f"{value:,.0f} B"


def _power_of_two(value: float) -> str:
    if value > 0 and math.isfinite(value):
        mantissa, exponent = math.frexp(value)
        if mantissa == 0.5:
            return f"2^{exponent - 1}"
    return f"{value:.4g}"
