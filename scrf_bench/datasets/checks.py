"""Hold what was parsed against what the registry states."""

from __future__ import annotations

import numpy as np

from scrf_bench.datasets.parser import ParsedText
from scrf_bench.datasets.spec import DatasetSpec, FileSpec
from scrf_bench.errors import DataError

_REMEDY = "it is another version of the data; get the file again, or name another mirror"


def check_content(parsed: ParsedText, spec: DatasetSpec, file: FileSpec) -> None:
    """Check rows, width, labels and ranges of one parsed file.

    Raises
    ------
    DataError
        For the first fact that differs; the message holds what was expected and what was seen.
    """
    n, width = parsed.X.shape
    _same(file, "rows", file.rows, n)
    _same(file, "features", spec.n_features, width)
    if file.label_counts is not None:
        labels, counts = np.unique(parsed.y, return_counts=True)
        seen = dict(zip(map(_shown, labels.tolist()), counts.tolist(), strict=True))
        _same(file, "rows by label", dict(sorted(file.label_counts.items())), seen)
    elif spec.task != "regression":
        strange = sorted(set(map(_shown, np.unique(parsed.y).tolist())) - set(spec.classes))
        if strange:
            raise _differs(file, "labels", f"only {list(spec.classes)}", f"also {strange[:5]}")
    _within(file, "values", file.value_range, *value_range(parsed))
    if file.target_range is not None:
        _within(file, "targets", file.target_range, float(parsed.y.min()), float(parsed.y.max()))


def value_range(parsed: ParsedText) -> tuple[float, float]:
    """Return the smallest and largest feature value, zeros left out of the text included."""
    X = parsed.X
    implicit = [0.0] if X.nnz < X.shape[0] * X.shape[1] else []
    extremes = [float(X.data.min()), float(X.data.max())] if X.nnz else []
    return min(extremes + implicit), max(extremes + implicit)


def _shown(label: float) -> float:
    """Return a label as people write it: 1, not 1.0."""
    return int(label) if label.is_integer() else label


def _same(file: FileSpec, what: str, expected: object, seen: object) -> None:
    if expected != seen:
        raise _differs(file, what, expected, seen)


def _within(file: FileSpec, what: str, expected: tuple[float, float], low: float, high: float) -> None:
    if low < expected[0] or high > expected[1]:
        raise _differs(file, what, f"{expected[0]:g} to {expected[1]:g}", f"{low:g} to {high:g}")


def _differs(file: FileSpec, what: str, expected: object, seen: object) -> DataError:
    return DataError(f"{file.name}: {what}: the registry states {expected}, the file has {seen}; {_REMEDY}.")
