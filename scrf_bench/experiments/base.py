"""What an experiment is: a plan of cells, a measurement of one cell, and a layout of records as tables and figures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Literal, Self, TypeAlias, TypeVar, get_args

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.experiments.claims import Claim
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.report import Layout

ConfigT = TypeVar("ConfigT")
Option: TypeAlias = Literal["datasets", "maps", "seeds"]
"""What a command line may narrow an experiment down by."""


@dataclass(frozen=True)
class Selection:
    """What of an experiment a command asks for; ``None`` means everything that the profile names.

    Attributes
    ----------
    datasets, maps : tuple of str or None
        Registry names, in the order asked for.
    seeds : int or None
        Number of seeds instead of the profile's.
    threads : int
        Threads of every BLAS and OpenMP pool inside a cell.
    replaced : dict
        Datasets that could not be had, with the name of the stand-in that the config declares.
    """

    datasets: tuple[str, ...] | None = None
    maps: tuple[str, ...] | None = None
    seeds: int | None = None
    threads: int = 1
    replaced: dict[str, str] = field(default_factory=dict)

    def asked_for(self) -> dict[Option, str]:
        """Return the options that narrow an experiment down, as typed: ``{"datasets": "--datasets dna,splice"}``."""
        typed: dict[Option, str] = {}
        if self.datasets:
            typed["datasets"] = f"--datasets {','.join(self.datasets)}"
        if self.maps:
            typed["maps"] = f"--maps {','.join(self.maps)}"
        if self.seeds:
            typed["seeds"] = f"--seeds {self.seeds}"
        return typed

    def without(self, options: Iterable[Option]) -> Self:
        """Return the selection as if these options had not been given."""
        cleared: dict[str, Any] = dict.fromkeys(options)
        return replace(self, **cleared)


@dataclass(frozen=True)
class DatasetUse:
    """A dataset that a plan will load, and what may stand in for it."""

    name: str
    fallback: str | None = None


class Experiment(ABC, Generic[ConfigT]):
    """One table or figure of one paper.

    Subclasses declare `name` (the word on the command line), `title`, `paper`, `config_type` (a frozen dataclass
    whose fields are the keys of ``configs/<name>.toml``) and `version`, which goes into every cell's identity:
    raise it when the same parameters would give other metrics. With `shows_unavailable`, `layout` also gets the
    records of cells that could not run for want of a package, which have no points, and shows them itself. `options`
    are those of the command line that its plan heeds; any other is dropped, and the user is told so. `claims`
    are those of the paper that its records judge, alone or with another experiment's. With `records_of` it is another
    view of that experiment's records (a paper may print one run's accuracies and times in two tables), and has neither
    a config nor records of its own.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    version: ClassVar[int] = 1
    shows_unavailable: ClassVar[bool] = False
    records_of: ClassVar[str | None] = None
    options: ClassVar[tuple[Option, ...]] = get_args(Option)
    config_type: type[ConfigT]
    claims: ClassVar[tuple[Claim, ...]] = ()

    @property
    def home(self) -> str:
        """Name of the experiment whose config and records this one reads: its own, unless `records_of` says so."""
        return self.records_of or self.name

    def dataset_uses(self, config: ConfigT, selection: Selection) -> list[DatasetUse]:  # noqa: ARG002
        """Return the datasets that `plan` will need; none for synthetic data."""
        return []

    @abstractmethod
    def plan(self, config: ConfigT, selection: Selection, tuning: Tuning) -> list[Cell]:
        """Return every cell of the experiment, in the order to run them."""

    def part(self, cell: Cell, of: Cell) -> Cell | None:  # noqa: ARG002
        """Return what `cell` measured of the maps of the planned cell `of`, as a cell of these maps alone.

        None if it measured not all of them. An id says which maps were measured by one process: this finds the records
        of a plan that were made with other maps beside. Here every cell is taken as it is.
        """
        return cell

    def remarks(self, config: ConfigT, selection: Selection) -> list[str]:  # noqa: ARG002
        """Return what the user should know of a plan before it runs, a line each."""
        return []

    @abstractmethod
    def measure(self, cell: Cell) -> Sequence[Point]:
        """Measure one cell, inside the cell's own process."""

    @abstractmethod
    def layout(self, config: ConfigT, records: Sequence[Record], selection: Selection) -> Layout:
        """Turn records into tables and figures, running nothing."""
