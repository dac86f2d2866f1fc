"""What is missing in a file, counted and said."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

MISSING = "(missing)"
_AT_ONCE = 64  # columns: one by one is slow, and all take as much memory again


def gap_notes(
    frame: pd.DataFrame, numbers: Sequence[str], words: Sequence[str], floats: Callable[[pd.DataFrame], np.ndarray]
) -> list[str]:
    """Say which columns have infinities, words among numbers and gaps, and how many.

    Parameters
    ----------
    frame : DataFrame
        All rows of the file.
    numbers, words : sequence of str
        Its columns that are used.
    floats : callable
        Makes float64 of columns of numbers: nan where there is none, infinities as they are.

    Raises
    ------
    ValueError
        Of `floats`.
    """
    infinite: dict[str, int] = {}
    odd: dict[str, int] = {}
    gaps: dict[str, int] = {}
    for start in range(0, len(numbers), _AT_ONCE):
        some = list(numbers[start : start + _AT_ONCE])
        values, absent = floats(frame[some]), frame[some].isna().to_numpy()
        infinite |= _counts(some, np.isinf(values))
        odd |= _counts(some, np.isnan(values) & ~absent)
        gaps |= _counts(some, ~np.isfinite(values))
    of_words = _counts(words, frame[list(words)].isna().to_numpy())
    notes = []
    if infinite:
        notes.append(f"Infinite values count as missing ({_told(infinite)}).")
    if odd:
        notes.append(f"Words among numbers count as missing ({_told(odd)}).")
    ways = [*(["numbers by the column's median"] if gaps else []), *([f"words by '{MISSING}'"] if of_words else [])]
    if ways:
        notes.append(f"Missing values of the whole file ({_told(gaps | of_words)}) are imputed: {', '.join(ways)}.")
    return notes


def _counts(names: Sequence[str], found: np.ndarray) -> dict[str, int]:
    """Count by column, where there is something to count."""
    return {name: int(count) for name, count in zip(names, found.sum(axis=0), strict=True) if count}


def _told(counts: dict[str, int]) -> str:
    return listed([f"{name}: {count:,}" for name, count in counts.items()])


def listed(names: Sequence[str]) -> str:
    """Join names, the first eight of many."""
    more = len(names) - 8
    return ", ".join(names[:8]) + (f" and {more} more" if more > 0 else "")
