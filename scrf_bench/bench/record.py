"""The record: everything that is known about one run of one cell, complete in itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias, cast, get_args

from scrf_bench.bench.canonical import Scalar, as_text, plain_scalar
from scrf_bench.bench.cell import Cell
from scrf_bench.bench.environment import Environment
from scrf_bench.bench.fields import Fields, parse_json
from scrf_bench.errors import DataError, UserError

Status: TypeAlias = Literal["ok", "failed", "timeout", "memory", "unavailable"]
STATUSES: tuple[Status, ...] = get_args(Status)
Metric: TypeAlias = float | int | str | None

SCHEMA = 1


@dataclass(frozen=True)
class Point:
    """One measured point of a cell: a row of ``records.csv``.

    Parameters
    ----------
    parameters : mapping of str to scalar
        What distinguishes it from the cell's other points, e.g. ``{"D": 512}``. All three become plain
        dictionaries of plain Python values.
    metrics : mapping of str to float, int, str or None
        What was measured, named with its unit (``train_cpu_s``, ``map_bytes``); floats are finite, and None
        says that there is no value.
    samples : mapping of str to list of float
        Raw samples, in the order taken.

    Raises
    ------
    TypeError, ValueError
        If a value has no JSON form or is not finite, or a metric has the name of a parameter.
    """

    parameters: Mapping[str, Scalar] = field(default_factory=dict)
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    samples: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if both := sorted(set(self.parameters) & set(self.metrics)):
            raise ValueError(f"'{both[0]}' names both a parameter and a metric of one point: rename one.")
        object.__setattr__(self, "parameters", _plain(self.parameters, "Parameter"))
        object.__setattr__(self, "metrics", _plain(self.metrics, "Metric"))
        samples = {
            str(name): [_sample(value, f"Sample {i} of '{name}'") for i, value in enumerate(values)]
            for name, values in self.samples.items()
        }
        object.__setattr__(self, "samples", samples)

    def number(self, name: str) -> float:
        """Return a metric or parameter that is a number.

        Raises
        ------
        KeyError, TypeError
            If there is none of that name, or it is none.
        """
        value = self.metrics[name] if name in self.metrics else self.parameters[name]
        if not isinstance(value, (int, float)):
            raise TypeError(f"'{name}' is {value!r}, not a number.")
        return float(value)

    def to_json(self) -> dict[str, object]:
        """Return a dictionary for ``json.dumps``."""
        return {"parameters": self.parameters, "metrics": self.metrics, "samples": self.samples}

    @classmethod
    def from_json(cls, data: object, source: str = "point", error: type[UserError] = DataError) -> Point:
        """Build a point from what :meth:`to_json` wrote; raise `error` naming `source` otherwise."""
        fields = Fields(data, source, error)
        try:
            return cls(
                parameters=cast("dict[str, Scalar]", fields.mapping("parameters")),
                metrics=cast("dict[str, Metric]", fields.mapping("metrics")),
                samples=_lists(fields, "samples"),
            )
        except (TypeError, ValueError) as cause:
            raise error(f"{source}: {cause}") from cause


def _plain(values: Mapping[str, object], what: str) -> dict[str, Scalar]:
    return {str(name): plain_scalar(value, f"{what} '{name}'") for name, value in values.items()}


def _lists(fields: Fields, key: str) -> dict[str, list[float]]:
    """Return the object of lists at `key`; what is in them is for the point to check."""
    lists = Fields(fields.mapping(key), f"{fields.source}: {key}", fields.error)
    return {name: cast("list[float]", lists.sequence(name)) for name in fields.mapping(key)}


def _sample(value: object, what: str) -> float:
    number = plain_scalar(value, what)
    if isinstance(number, (int, float)) and not isinstance(number, bool):
        return float(number)
    raise TypeError(f"{what} is {number!r}: give a number.")


@dataclass(frozen=True)
class Record:
    """One attempt at one cell in one environment.

    Parameters
    ----------
    cell : Cell
        What was to be measured.
    environment : Environment
        Where.
    attempt : int
        Counts from 1 for each cell and environment.
    status : {"ok", "failed", "timeout", "memory", "unavailable"}
        How it ended.
    points : tuple of Point
        What was measured; empty unless the status is ``ok``.
    error : str or None
        What went wrong, in words. What UTF-8 cannot spell, here and in the traceback, becomes an escape.
    peak_rss : int
        The largest resident memory of the cell's process, in bytes.
    wall_s, cpu_s : float
        Seconds the measurement took.
    started : str
        When, in ISO 8601 (UTC).
    declared : bool
        Whether it was not run because of a limit the configuration declares.
    traceback : str or None
        The traceback of the exception, if there was one.
    """

    cell: Cell
    environment: Environment
    attempt: int
    status: Status
    points: tuple[Point, ...] = ()
    error: str | None = None
    peak_rss: int = 0
    wall_s: float = 0.0
    cpu_s: float = 0.0
    started: str = ""
    declared: bool = False
    traceback: str | None = None

    def __post_init__(self) -> None:
        for name in ("error", "traceback"):
            words = getattr(self, name)
            object.__setattr__(self, name, None if words is None else as_text(words))

    @property
    def ok(self) -> bool:
        """Whether the cell was measured."""
        return self.status == "ok"

    @property
    def name(self) -> str:
        """The record's file name without its suffix: cell id, environment id and attempt."""
        return f"{self.cell.id}-{self.environment.id}-{self.attempt}"

    def to_json(self) -> dict[str, object]:
        """Return a dictionary for ``json.dumps`` that :meth:`from_json` reads back."""
        return {
            "kind_of_file": "record",
            "schema": SCHEMA,
            "cell": self.cell.to_json(),
            "environment": self.environment.to_json(),
            "attempt": self.attempt,
            "status": self.status,
            "declared": self.declared,
            "error": self.error,
            "started": self.started,
            "wall_s": self.wall_s,
            "cpu_s": self.cpu_s,
            "peak_rss": self.peak_rss,
            "points": [point.to_json() for point in self.points],
            "traceback": self.traceback,
        }

    @classmethod
    def from_json(cls, data: object, source: str = "record") -> Record:
        """Build a record from what :meth:`to_json` wrote.

        Raises
        ------
        DataError
            Naming `source`, if the data are not a record's or of another schema.
        """
        fields = Fields(data, source, DataError)
        fields.check_schema(SCHEMA, "record")
        status, points = read_result(fields)
        return cls(
            cell=Cell.from_json(fields.mapping("cell"), f"{source}: cell", DataError),
            environment=Environment.from_json(fields.mapping("environment"), f"{source}: environment"),
            attempt=fields.integer("attempt"),
            status=status,
            points=points,
            error=fields.optional_text("error"),
            peak_rss=fields.integer("peak_rss"),
            wall_s=fields.number("wall_s"),
            cpu_s=fields.number("cpu_s"),
            started=fields.text("started"),
            declared=fields.flag("declared"),
            traceback=fields.optional_text("traceback"),
        )

    @classmethod
    def read(cls, path: Path) -> Record:
        """Read a record file; raise DataError naming it where that fails."""
        return cls.from_json(parse_json(path, DataError), str(path))


def read_result(fields: Fields) -> tuple[Status, tuple[Point, ...]]:
    """Return status and points of a record or outcome; raise its error where they are wrong or do not agree."""
    status = fields.text("status")
    if status not in STATUSES:
        raise fields.wrong(f"the status is {status!r}, which is none of {', '.join(STATUSES)}")
    points = tuple(
        Point.from_json(point, f"{fields.source}: points[{index}]", fields.error)
        for index, point in enumerate(fields.sequence("points"))
    )
    if status == "ok" and not points:
        raise fields.wrong("the status is 'ok', but there are no points")
    return status, points
