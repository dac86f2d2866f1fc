"""The rows of the front: what its config says of each, its cells, and its points among the records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.experiments.cosplay.cells import recipe_cell
from scrf_bench.experiments.cosplay.recipe import Learner, LogisticSettings, Setting

FRONT = "cosplay-front"
FRONT_VERSION = 1


@dataclass(frozen=True)
class Row:
    """One point of the front.

    Attributes
    ----------
    learner, map : str
        Logistic regression with the recipe's prior, or ridge; on the features of a map.
    D : int
    pca : int or None
        Principal directions; None: the map sees the pixels.
    gamma : float or None
        None: by the recipe's median trick.
    alphas : tuple of float
        Penalty of a ridge (several where they are compared on held-out rows).
    iterations : int or None
        Of a logistic regression; None: as many as the recipe's.
    seeds : int
        Repetitions.
    """

    learner: Learner
    map: str
    D: int
    pca: int | None = None
    gamma: float | None = None
    alphas: tuple[float, ...] = ()
    iterations: int | None = None
    seeds: int = 1

    def __post_init__(self) -> None:
        """Refuse a ridge without a penalty, and what a learner would not look at."""
        if (self.learner == "ridge") != bool(self.alphas):
            msg = f"the {self.learner} row of {self.map}, D={self.D}: alphas are for a ridge, which needs one at least."
            raise ValueError(msg)
        if self.learner == "ridge" and self.iterations is not None:
            msg = f"the ridge row of {self.map}, D={self.D}: a ridge has no iterations; leave them out."
            raise ValueError(msg)


@dataclass(frozen=True)
class FrontConfig:
    """Keys of ``configs/cosplay-front.toml``.

    Attributes
    ----------
    dataset : str
    C, gamma : float
        Of exact LIBSVM, on the pixels.
    bandwidth_rows, logistic
        As in the recipe.
    exact_runs : int
        Processes that time exact LIBSVM where the split is given: its accuracy is one number, its time is not.
    share : float
        Of LIBSVM's time: the figure and the table mark what takes no more.
    rows : tuple of Row
        What is measured on the test rows, in the order to run it. The first is the recipe.
    held_out : int
        Random training rows that `choices` are compared on.
    choices : tuple of Row
        What was compared on held-out rows, to choose the other rows' numbers: never on test rows.
    """

    dataset: str
    C: float
    gamma: float
    bandwidth_rows: int
    logistic: LogisticSettings
    exact_runs: int
    share: float
    rows: tuple[Row, ...]
    held_out: int = 1
    choices: tuple[Row, ...] = ()

    def __post_init__(self) -> None:
        """Refuse several penalties for a row that is tested: one has to be chosen."""
        for row in self.rows:
            if len(row.alphas) > 1:
                msg = f"rows: the ridge row of {row.map}, D={row.D} has {len(row.alphas)} alphas; choose one."
                raise ValueError(msg)


def row_cell(config: FrontConfig, row: Row, *, seed: int = 0, threads: int = 1, held_out: bool = False) -> Cell:
    """Plan one row and seed: on the test rows alone on the machine, on held-out rows for their accuracy alone."""
    iterations = row.iterations or config.logistic.iterations
    return recipe_cell(
        FRONT,
        FRONT_VERSION,
        [Setting(row.learner, row.map, row.D, row.pca or 0, row.gamma or 0.0, config.bandwidth_rows)],
        dataset=config.dataset,
        seed=seed,
        threads=threads,
        kind="quality" if held_out else "timing",
        logistic=replace(config.logistic, iterations=iterations),
        alphas=row.alphas,
        held_out=config.held_out if held_out else 0,
    )


def row_points(config: FrontConfig, row: Row, records: Sequence[Record], *, held_out: bool = False) -> list[Point]:
    """Return the points of a row, of whatever seed."""
    wanted = {**row_cell(config, row, held_out=held_out).parameters, "seed": None}
    return [
        point for record in records if {**record.cell.parameters, "seed": None} == wanted for point in record.points
    ]
