"""Which methods are timed at which widths: what Table 1's and Figure 2's configs have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scrf_bench.bench import Point, Record
from scrf_bench.errors import UnknownNameError, did_you_mean
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.map_cells import METHOD_LABELS, Dtype, method_label
from scrf_bench.experiments.peers import PEERS
from scrf_bench.maps import map_by_name
from scrf_bench.report import NotMeasured

GATE = (
    "A speed counts only if the features approximate the kernel: in every cell the estimates of 64 pairs must have a "
    "root mean square error below 4/sqrt(D), or the row says 'refused'."
)


@dataclass(frozen=True)
class Sweep:
    """Some methods at some widths.

    Attributes
    ----------
    maps, peers : tuple of str
        Our maps, and what other packages give (``scrf_bench.experiments.peers``).
    d : tuple of int
        Input widths.
    dtypes : tuple of str
        float32, float64.
    d_per_cell : int
        How many widths one process measures one after the other: a process start takes seconds, a small width
        milliseconds.
    stages : bool
        Whether projection and cosine are timed on their own as well.
    samples : int, optional
        Instead of the profile's number of samples: more for a method whose times scatter.
    """

    d: tuple[int, ...]
    dtypes: tuple[Dtype, ...]
    maps: tuple[str, ...] = ()
    peers: tuple[str, ...] = ()
    d_per_cell: int = 1
    stages: bool = True
    samples: int | None = None

    def __post_init__(self) -> None:
        for name in self.peers:
            if name not in PEERS:
                raise ValueError(
                    f"there is no peer '{name}'.{did_you_mean(name, PEERS)} The peers are {', '.join(PEERS)}."
                )

    @property
    def methods(self) -> tuple[str, ...]:
        """Maps, then peers."""
        return (*self.maps, *self.peers)


@dataclass(frozen=True)
class Place:
    """One method of one dtype, at the widths that one cell measures."""

    method: str
    dtype: Dtype
    d: tuple[int, ...]
    stages: bool
    samples: int | None = None


def places(sweeps: Sequence[Sweep], selection: Selection) -> list[Place]:
    """Return what to measure, each (method, dtype, width) once: those of the config, or what ``--maps`` names.

    A method that ``--maps`` names and no sweep has (another package's map) takes the first sweep's widths.

    Raises
    ------
    UnknownNameError
        If ``--maps`` names what nobody registered.
    """
    known = {name for sweep in sweeps for name in sweep.methods}
    asked = selection.maps
    for name in asked or ():
        if name not in PEERS and name not in known:
            if name in METHOD_LABELS:
                raise UnknownNameError(f"--maps {name}: that is no feature map, and expansion times are those of maps.")
            map_by_name(name)
    taken: set[tuple[str, str, int]] = set()
    found = []
    for number, sweep in enumerate(sweeps):
        extra = tuple(name for name in asked or () if name not in known and number == 0)
        for dtype in sweep.dtypes:
            for name in (*sweep.methods, *extra):
                if asked is not None and name not in asked:
                    continue
                d = [k for k in dict.fromkeys(sweep.d) if (name, dtype, k) not in taken]
                taken |= {(name, dtype, k) for k in d}
                found += [Place(name, dtype, part, sweep.stages, sweep.samples) for part in _parts(d, sweep.d_per_cell)]
    return found


def _parts(d: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    for start in range(0, len(d), size):
        yield tuple(d[start : start + size])


def rows_planned(found: Sequence[Place], dtype: str) -> list[tuple[int, str]]:
    """Return a table's rows of one dtype, (d, method): by width, methods in the config's order."""
    methods = list(dict.fromkeys(place.method for place in found))
    pairs = {(d, place.method) for place in found if place.dtype == dtype for d in place.d}
    return sorted(pairs, key=lambda pair: (pair[0], methods.index(pair[1])))


def dtypes_planned(found: Sequence[Place]) -> list[str]:
    """Return the dtypes in the order in which the config has them."""
    return list(dict.fromkeys(place.dtype for place in found))


def points_by_place(records: Sequence[Record]) -> dict[tuple[str, int, str], Point]:
    """Return the measured points of expansion cells by dtype, d and method."""
    return {
        (record.cell.dtype, int(point.number("d")), str(point.parameters["map"])): point
        for record in records
        for point in record.points
    }


def samples_words(found: Sequence[Place], samples: int) -> str:
    """Return ``5 samples``, with the methods that take another number."""
    others = {place.method: place.samples for place in found if place.samples not in (None, samples)}
    apart = ", ".join(f"{method_label(name)}: {count}" for name, count in others.items())
    return f"{samples} samples" + (f" ({apart})" if apart else "")


def missing_peers(records: Sequence[Record]) -> dict[str, NotMeasured]:
    """Return, of the peers whose cells could not run here, what a table's row shows instead of a time."""
    return {
        str(record.cell.parameters["map"]): NotMeasured(record.error or "unavailable", short="unavailable")
        for record in records
        if record.status == "unavailable"
    }


def refused(point: Point) -> NotMeasured:
    """Return what stands instead of a speed whose features do not approximate the kernel."""
    return NotMeasured(
        f"Its features do not approximate the kernel: root mean square error "
        f"{point.number('kernel_rms_error'):.3g} over pairs, above 4/sqrt(D) = {point.number('kernel_rms_bound'):.3g}.",
        short="refused",
    )
