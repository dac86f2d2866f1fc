"""Golden rows: what a fixed seed determines must be the same in both records of a cell, to rounding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from scrf_bench.bench import Cell, Metric, Point
from scrf_bench.bench.canonical import canonical_json
from scrf_bench.experiments.gate.pairing import Pair
from scrf_bench.experiments.gate.rows import Row
from scrf_bench.experiments.gate.settings import GateSettings, Tolerances


def method_of(cell: Cell) -> str:
    """Return the map or other method that a cell measures, or nothing."""
    return str(cell.parameters.get("method") or cell.parameters.get("map") or "")


def point_words(parameters: Mapping[str, object], *, without: frozenset[str] = frozenset()) -> str:
    """Return what tells a point from its cell's other points, e.g. ``D=512``."""
    shown = {key: value for key, value in parameters.items() if value is not None and key not in _OBVIOUS | without}
    return ", ".join(f"{key}={value}" for key, value in shown.items())


# Test points on the boundary that another processor's rounding may turn over, however small the test set.
_FLIPPED = 2

# In the row's other columns, the same for all points of a cell, or told by the cell's seed.
_OBVIOUS = frozenset(
    {"dataset", "method", "map", "panel", "n_train", "n_test", "log2_C", "log2_gamma", "split", "rows"}
)


def outputs_row(pair: Pair, settings: GateSettings) -> Row | None:
    """Compare the golden metrics of two ``ok`` records; None where they have none.

    Records of different versions or data are not compared: the row is ``stale``.
    """
    assert pair.base is not None and pair.new is not None  # noqa: S101, PT018 -- who calls has looked
    cell = pair.cell
    row = Row(cell.experiment, cell.dataset or "", method_of(cell), "outputs", cell.name, "same")
    tolerances = settings.tolerances_of(cell.experiment, cell.dataset, method_of(cell))
    measured = [*pair.base.points, *pair.new.points]
    if not any(settings.is_golden(metric) for point in measured for metric in point.metrics):
        return None
    if changes := pair.outdated():
        return replace(row, verdict="stale", reason=f"The base was made with another {changes}: renew it.")
    olds, news = _by_place(pair.base.points), _by_place(pair.new.points)
    if olds.keys() != news.keys():
        count = f"{len(olds.keys() - news.keys())} points are gone and {len(news.keys() - olds.keys())} are new"
        return replace(row, verdict="worse", red=True, reason=f"Not the same points were measured: {count}.")
    found = [
        difference
        for place, old in olds.items()
        for difference in _differences(old, news[place], cell.dtype, settings, tolerances, here=pair.same_environment)
    ]
    if not found:
        return row
    first = found[0]
    same = [d for d in found if d.metric == first.metric]
    reason = f"{first.words()}; {len({d.place for d in found})} of {len(olds)} points differ"
    reason += "." if pair.same_environment else ", more than another processor or library explains."
    reason += " Better or not, a fixed seed gives the same until a version is raised."
    numbers = [
        (float(d.old), float(d.new))
        for d in same
        if isinstance(d.old, (int, float)) and isinstance(d.new, (int, float))
    ]
    return replace(
        row,
        verdict="worse",
        red=True,
        reason=reason,
        base=tuple(a for a, _ in numbers),
        new=tuple(b for _, b in numbers),
    )


@dataclass(frozen=True)
class _Difference:
    place: str
    metric: str
    old: Metric
    new: Metric
    aside: str = ""

    def words(self) -> str:
        where = f" at {self.place}" if self.place else ""
        return f"{self.metric}{where}: {_short(self.old)} -> {_short(self.new)}{self.aside}"


_GONE = "not there"


def _short(value: Metric) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _by_place(points: tuple[Point, ...]) -> dict[str, Point]:
    return {canonical_json(dict(point.parameters)): point for point in points}


def _differences(
    old: Point, new: Point, dtype: str, settings: GateSettings, tolerances: Tolerances, *, here: bool
) -> Iterator[_Difference]:
    """Yield the golden metrics in which two points do not agree, and those that the new point lost.

    One that the new point alone has is not compared: a new metric does not make old records wrong.
    """
    words = point_words(new.parameters, without=frozenset({"seed"}))
    tested = new.parameters.get("n_test")
    points = max(tolerances.rounding_points / 100.0, _FLIPPED / tested if isinstance(tested, int) else 0.0)
    for metric, before in old.metrics.items():
        if not settings.is_golden(metric):
            continue
        if metric not in new.metrics:
            yield _Difference(words, metric, before, _GONE)
            continue
        value = new.metrics[metric]
        if not here and settings.is_exact(metric):
            continue
        if not _agree(metric, before, value, tolerances.rounding(dtype), points, settings, here=here):
            errors = old.metrics.get("errors"), new.metrics.get("errors")
            aside = f" (errors {errors[0]} -> {errors[1]})" if None not in errors and metric != "errors" else ""
            yield _Difference(words, metric, before, value, aside)


def _agree(
    metric: str,
    old: Metric,
    new: Metric,
    rounding: float,
    points: float,
    settings: GateSettings,
    *,
    here: bool,
) -> bool:
    if isinstance(old, (int, float)) and isinstance(new, (int, float)):
        allowed = rounding * max(abs(old), abs(new))
        if not here and settings.is_accuracy(metric):
            allowed = points
        elif not here and settings.is_error(metric):
            allowed = points * max(abs(old), abs(new))
        elif isinstance(old, int) and isinstance(new, int):
            allowed = 0.0
        return abs(old - new) <= allowed * (1.0 + 1e-9)
    return old == new
