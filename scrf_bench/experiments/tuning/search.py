"""Choosing gamma and C of a dataset, for exact LIBSVM or one map, and writing the choice down with its provenance."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from scrf_bench import __version__
from scrf_bench.bench import capture_environment
from scrf_bench.datasets import Dataset, DataSources, load
from scrf_bench.datasets.loading import Scaling
from scrf_bench.errors import UserError, error_words
from scrf_bench.experiments.map_cells import draw_map, map_version
from scrf_bench.experiments.tuning import TunedMap, TunedSet
from scrf_bench.experiments.tuning.journal import Journal, alone
from scrf_bench.learners import LiblinearClassifier, LibsvmClassifier, TuningResult, refined_grid, tune_linear, tune_svm
from scrf_bench.maps import Embedding

COARSE_LOG2_C = tuple(range(-3, 12, 2))
COARSE_LOG2_GAMMA = tuple(range(-13, 4, 2))
# LIBLINEAR on a map's features: a large C takes its 300 passes, and gains nothing.
COARSE_LOG2_C_OF_MAPS = tuple(range(-5, 8, 2))
# More rows than these are come to in steps: three times the rows for a third of the points.
_HALVING_ABOVE, _FACTOR = 5000, 3

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class SearchSettings:
    """How to search.

    Attributes
    ----------
    scaling : str
        Fitted on the training rows that are searched.
    max_rows : int
        A stratified random subsample of at most this many training rows is cross-validated.
    folds, seed : int
        Of the cross-validation; the seed also draws the subsample (and the split, where there is no official one).
    map : str or None
        Tune this map with LIBLINEAR, instead of exact LIBSVM.
    components : int
        The map's number of columns.
    embedding : str
        The map's, if it has one.
    """

    scaling: Scaling
    max_rows: int = 2000
    folds: int = 5
    seed: int = 0
    map: str | None = None
    components: int = 512
    embedding: Embedding = "phase"

    @property
    def stem(self) -> str:
        """What is behind a dataset's name in the names of the files written."""
        return "" if self.map is None else f".{self.map}"


def rungs(rows: int) -> list[int]:
    """Return the numbers of rows of successive halving, ascending: the last is `rows`, each a third of the next.

    Examples
    --------
    >>> rungs(5000), rungs(40_000)
    ([5000], [4445, 13334, 40000])
    """
    found = [rows]
    while found[0] > _HALVING_ABOVE:
        found.insert(0, math.ceil(found[0] / _FACTOR))
    return found


def tune_dataset(
    dataset: str,
    settings: SearchSettings,
    configs: Path,
    sources: DataSources | None = None,
    progress: Progress | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> tuple[TunedSet, list[TuningResult]]:
    """Cross-validate over a coarse grid with steps of 2, then with steps of 1 around its best.

    On many rows the coarse grid is halved: all points on few rows, the best third on three times as many, and so on
    (Jamieson and Talwalkar, 2016). What is found is kept in a hidden file of the config folder until the search is
    over: one that was stopped goes on.

    Parameters
    ----------
    dataset : str
    settings : SearchSettings
    configs : Path
        The config folder.
    sources : DataSources, optional
    progress : callable, optional
        Called as ``progress(stage, done, total)``.
    say : callable, optional
        Told in a line what the user should know.

    Returns
    -------
    TunedSet, or TunedMap of a map
    list of TuningResult
        Of every stage; the fine grid is the last.

    Raises
    ------
    UserError
        For a regression set, or too many folds for the smallest class.
    """
    data = load(dataset, scaling=settings.scaling, split_seed=settings.seed, sources=sources)
    if data.task == "regression":
        msg = f"'{dataset}' is a regression set; this cross-validation is for classification."
        raise UserError(msg)
    journal = Journal(journal_path(dataset, settings, configs), _identity(data, settings))
    if journal.found:
        say(f"Going on where a search was stopped: {journal.found:,} trainings are there.")
    if journal.other:
        say(f"Begun anew: the search that was stopped here differs ({', '.join(journal.other)}).")
    grid_C = COARSE_LOG2_C if settings.map is None else COARSE_LOG2_C_OF_MAPS
    steps = rungs(min(settings.max_rows, len(data.y_train)))
    results: list[TuningResult] = []
    points: list[tuple[float, float]] | None = None
    for rows in steps:
        stage = "coarse grid" if len(steps) == 1 else f"coarse grid, {rows:,} rows"
        search = partial(_search, data, settings, journal, rows, progress)
        results.append(search(stage, grid_C, COARSE_LOG2_GAMMA, points))
        points = best_third(results[-1])
    coarse = results[-1]
    fine_C, fine_gamma = (refined_grid(centre, reach=1) for centre in (coarse.log2_C, coarse.log2_gamma))
    results.append(_search(data, settings, journal, steps[-1], progress, "fine grid", fine_C, fine_gamma, None))
    for words in _at_an_edge(results):
        say(words)
    return _tuned(dataset, settings, results[-1], _grid_words(grid_C, steps)), results


def _at_an_edge(results: Sequence[TuningResult]) -> Iterator[str]:
    """Say where the choice is the outermost that any stage tried; the fine grid may have gone beyond the coarse one."""
    chosen = results[-1].log2_C, results[-1].log2_gamma
    tried_C, tried_gamma, _ = zip(*(point for result in results for point in result.tried), strict=True)
    for name, value, tried in zip(("C", "gamma"), chosen, (tried_C, tried_gamma), strict=True):
        if not min(tried) < value < max(tried):
            yield f"log2 {name} = {value:g} is at the edge of the grid: a better one may lie beyond."


def best_third(result: TuningResult) -> list[tuple[float, float]]:
    """Return the best third of the points tried; of equals those of the smaller C, then gamma."""
    ranked = sorted(result.tried, key=lambda tried: (-tried[2], tried[0], tried[1]))
    return [(C, gamma) for C, gamma, _ in ranked[: math.ceil(len(ranked) / _FACTOR)]]


def _search(
    data: Dataset,
    settings: SearchSettings,
    journal: Journal,
    rows: int,
    progress: Progress | None,
    stage: str,
    log2_C: Sequence[float],
    log2_gamma: Sequence[float],
    points: list[tuple[float, float]] | None,
) -> TuningResult:
    options: dict[str, Any] = {
        "log2_C": log2_C,
        "log2_gamma": log2_gamma,
        "points": points,
        "folds": settings.folds,
        "seed": settings.seed,
        "max_rows": rows,
        "known": journal.stage(rows),
        "progress": (lambda done, total: progress(stage, done, total)) if progress else None,
    }
    try:
        if settings.map is None:
            return tune_svm(data.X_train, data.y_train, **options)
        return tune_linear(partial(_features, data, settings), data.y_train, **options)
    except ValueError as error:
        # Too many folds for the smallest class, as a rule.
        msg = f"{data.name} cannot be tuned with {settings.folds} folds of {rows} rows: {error}"
        raise UserError(msg) from error


def _features(data: Dataset, settings: SearchSettings, gamma: float, rows: np.ndarray) -> np.ndarray:
    """Draw the map for one gamma; it may know all training rows, since it never sees a label."""
    try:
        feature_map = draw_map(
            str(settings.map),
            n_components=settings.components,
            gamma=gamma,
            embedding=settings.embedding,
            seed=settings.seed,
        )
        Phi: np.ndarray = feature_map.fit(data.X_train).transform(data.X_train[rows])
    except (Exception, SystemExit) as error:
        # A user's map may raise anything.
        msg = (
            f"The map '{settings.map}' fails at D = {settings.components}, log2 gamma = {np.log2(gamma):g}: "
            f"{error_words(error)}. What it breaks: scrf-bench check-map {settings.map} (with the same --plugin)"
        )
        raise UserError(msg) from error
    return Phi


def _identity(data: Dataset, settings: SearchSettings) -> dict[str, Any]:
    """Return what decides every count of a search but the number of rows."""
    learner = LibsvmClassifier.version if settings.map is None else LiblinearClassifier.version
    version = None if settings.map is None else map_version(settings.map)
    kept = {key: value for key, value in asdict(settings).items() if key != "max_rows"}
    return kept | {"data": data.identity, "split": data.split, "learner": learner, "map_version": version}


def _tuned(dataset: str, settings: SearchSettings, fine: TuningResult, grid: str) -> TunedSet:
    chosen: dict[str, Any] = {
        "dataset": dataset,
        "tuned_on": dataset,
        "scaling": settings.scaling,
        "log2_C": fine.log2_C,
        "log2_gamma": fine.log2_gamma,
        "cv_accuracy": fine.cv_accuracy,
        "folds": fine.folds,
        "rows": fine.rows_used,
        "seed": settings.seed,
        "grid": grid,
        "solver": fine.solver,
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "package": f"scrf-bench {__version__}, commit {capture_environment().commit or 'unknown'}",
    }
    if settings.map is None:
        return TunedSet(**chosen)
    return TunedMap(
        **chosen,
        map=settings.map,
        map_version=map_version(settings.map),
        components=settings.components,
        embedding=settings.embedding,
    )


def _grid_words(grid_C: Sequence[int], steps: Sequence[int]) -> str:
    halved = (
        f" (the best third of the points goes on, over {', '.join(map(str, steps))} rows)" if len(steps) > 1 else ""
    )
    return (
        f"log2 C {grid_C[0]}..{grid_C[-1]}, log2 gamma {COARSE_LOG2_GAMMA[0]}..{COARSE_LOG2_GAMMA[-1]} in steps of 2"
        f"{halved}, then steps of 1 around the best"
    )


def searching(dataset: str, settings: SearchSettings, configs: Path) -> AbstractContextManager[None]:
    """Return a ``with`` block for the search and the writing of its result, that one process at a time may be in.

    Raises
    ------
    UserError
        If another process is in it, or the folder cannot be written to.
    """
    return alone(journal_path(dataset, settings, configs))


def journal_path(dataset: str, settings: SearchSettings, configs: Path) -> Path:
    """Return where a search keeps its journal: a hidden file beside the result."""
    return configs / "tuning" / f".{dataset}{settings.stem}.part.jsonl"
