"""The outcome: what a cell's process hands back to the one that started it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scrf_bench.bench.fields import Fields, parse_json
from scrf_bench.bench.record import Point, Status, read_result
from scrf_bench.errors import DataError

SCHEMA = 1


@dataclass(frozen=True)
class Outcome:
    """How the measuring of one cell ended; the fields are those of a record."""

    status: Status
    points: tuple[Point, ...] = ()
    error: str | None = None
    traceback: str | None = None
    peak_rss: int = 0
    wall_s: float = 0.0
    cpu_s: float = 0.0

    def to_json(self, cell_id: str) -> dict[str, object]:
        """Return a dictionary for ``json.dumps``, marked as the outcome of that cell."""
        return {
            "kind_of_file": "outcome",
            "schema": SCHEMA,
            "cell": cell_id,
            "status": self.status,
            "points": [point.to_json() for point in self.points],
            "error": self.error,
            "traceback": self.traceback,
            "peak_rss": self.peak_rss,
            "wall_s": self.wall_s,
            "cpu_s": self.cpu_s,
        }

    @classmethod
    def read(cls, path: Path, cell_id: str) -> Outcome:
        """Read the outcome file of a cell.

        Raises
        ------
        DataError
            Naming the file, if it is not that.
        """
        fields = Fields(parse_json(path, DataError), str(path), DataError)
        fields.check_schema(SCHEMA, "outcome")
        if fields.text("cell") != cell_id:
            raise fields.wrong(f"it belongs to the cell {fields.text('cell')}, not to {cell_id}")
        status, points = read_result(fields)
        return cls(
            status=status,
            points=points,
            error=fields.optional_text("error"),
            traceback=fields.optional_text("traceback"),
            peak_rss=fields.integer("peak_rss"),
            wall_s=fields.number("wall_s"),
            cpu_s=fields.number("cpu_s"),
        )
