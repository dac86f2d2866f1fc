"""Records as flat rows, one a measured point: the form of ``records.csv``."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from scrf_bench.atomic import write_over
from scrf_bench.bench.canonical import Scalar, canonical_json
from scrf_bench.bench.record import Point, Record

Row: TypeAlias = dict[str, Scalar]

_HEAD = ("id", "experiment", "status", "dataset", "kind", "dtype")
_TAIL = ("attempt", "environment", "peak_rss", "error")


def records_rows(records: Iterable[Record]) -> list[Row]:
    """Return one row a measured point, and one for a record without any.

    Every row has all columns, None where it has no value: ``id experiment status dataset kind dtype``, then
    the parameters (the cell's and the point's; the point's value where both have one), then the metrics, then
    ``attempt environment peak_rss error``. Lists become JSON text. A parameter or metric with the name of
    one of the fixed columns gets an underscore behind it. A name is a parameter's column if any point has it
    as one.
    """
    parts = [
        (record, _parameters(record, point), _renamed(point.metrics))
        for record in records
        for point in record.points or (Point(),)
    ]
    parameters = list(dict.fromkeys(name for _, own, _ in parts for name in own))
    metrics = list(dict.fromkeys(name for _, _, own in parts for name in own if name not in parameters))
    rows = []
    for record, own, measured in parts:
        row: Row = dict.fromkeys((*_HEAD, *parameters, *metrics, *_TAIL))
        row.update(_fixed(record))
        row.update(measured)
        row.update(own)
        rows.append(row)
    return rows


def write_rows(path: Path, rows: Sequence[Row]) -> None:
    """Write rows as CSV, atomically, in place of an older file; None is an empty field.

    Raises
    ------
    UserError
        If the file cannot be written.
    """
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    write_over(path, text.getvalue())


def _parameters(record: Record, point: Point) -> Row:
    merged: dict[str, object] = {**record.cell.parameters, **point.parameters}
    # An experiment may repeat the dataset among its parameters; its column is there already.
    if merged.get("dataset") == record.cell.dataset:
        merged.pop("dataset", None)
    return _renamed(
        {name: canonical_json(value) if isinstance(value, list) else value for name, value in merged.items()}
    )


def _renamed(values: Mapping[str, object]) -> Row:
    taken = {*_HEAD, *_TAIL}
    return {f"{name}_" if name in taken else name: _scalar(value) for name, value in values.items()}


def _scalar(value: object) -> Scalar:
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def _fixed(record: Record) -> Row:
    return {
        "id": record.cell.id,
        "experiment": record.cell.experiment,
        "status": record.status,
        "dataset": record.cell.dataset,
        "kind": record.cell.kind,
        "dtype": record.cell.dtype,
        "attempt": record.attempt,
        "environment": record.environment.id,
        "peak_rss": record.peak_rss or None,
        "error": record.error,
    }
