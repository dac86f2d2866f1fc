"""A trial from file to recommendation."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from scrf_bench.errors import UserError
from scrf_bench.experiments.trial import methods
from scrf_bench.experiments.trial.advice import Advice, advise
from scrf_bench.experiments.trial.columns import preparation, sort_columns, vector_preparation
from scrf_bench.experiments.trial.layout import trial_layout
from scrf_bench.experiments.trial.reading import Rows, densified, read_rows, with_common_width
from scrf_bench.experiments.trial.search import Choice, choose
from scrf_bench.experiments.trial.split import LEAST_ROWS, Split, split_rows
from scrf_bench.experiments.trial.target import Kind, Target, read_target
from scrf_bench.report import Layout

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class TrialSettings:
    """How to try.

    Attributes
    ----------
    target : str or None
        Name of a table's target column.
    task : str or None
        ``classification`` or ``regression``; None decides by the target's values.
    header : bool or None
        Whether a CSV file's first line names the columns; None finds out.
    drop : tuple of str
        Columns to leave out.
    maps : tuple of str
        Registered names.
    components : tuple of int
        The D of each map.
    seeds, seed : int
        Draws of each map, and the first one's seed, which also deals out the rows.
    rows, exact_rows : int
        Most rows to fit on, and most of those for the exact kernel.
    tune : bool
        Search gamma instead of taking the median rule's.
    threads : int
        Of BLAS and of the maps.
    """

    maps: tuple[str, ...]
    target: str | None = None
    task: Kind | None = None
    header: bool | None = None
    drop: tuple[str, ...] = ()
    components: tuple[int, ...] = (64, 256, 1024)
    seeds: int = 3
    seed: int = 0
    rows: int = 5000
    exact_rows: int = 5000
    tune: bool = False
    threads: int = 1


@dataclass(frozen=True)
class Data:
    """A file read, its target decided, its rows dealt out, and what prepares them.

    Attributes
    ----------
    rows, target, split
        Of the file; row numbers of `split` count rows with a target.
    test_rows : (features, targets)
        Raw, from the file itself or the test file.
    prepare : transformer
        Unfitted: raw features to float64.
    notes : tuple of str
    """

    rows: Rows
    target: Target
    split: Split
    test_rows: tuple[Any, np.ndarray]
    prepare: Any
    notes: tuple[str, ...]

    def raw(self, chosen: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return raw features and targets of some rows."""
        X, _ = self.rows.taken(self.target.rows[chosen])
        return X, self.target.y[chosen]


@dataclass(frozen=True)
class Trial:
    """What a trial found."""

    data: Data
    choice: Choice
    outcomes: tuple[methods.Outcome, ...]
    advice: Advice
    layout: Layout


def read_data(path: Path, test: Path | None, settings: TrialSettings) -> Data:
    """Read a file (and a test file), decide the task, deal rows out, and decide what becomes of each column.

    Raises
    ------
    UserError
        For whatever makes a trial impossible, with the remedy.
    """
    rows = read_rows(path, target=settings.target, header=settings.header)
    other = None if test is None else _test_file(test, rows, settings)
    if not rows.is_table:
        if settings.drop:
            raise UserError(f"--drop {','.join(settings.drop)}: LIBSVM text has no named columns.")
        if other is not None:
            rows, other = with_common_width(rows, other)
        rows = densified(rows)
        other = None if other is None else densified(other, isinstance(rows.X, np.ndarray))
    if len(rows.y) < LEAST_ROWS:
        raise UserError(f"{path} has {len(rows.y)} rows; a trial needs at least {LEAST_ROWS}.")
    target = read_target(rows.y, rows.target, settings.task)
    split = split_rows(target.y, target.kind, seed=settings.seed, most_fit=settings.rows, own_test=other is not None)
    notes = [*rows.notes, *target.notes, *split.notes, *rows.repeated()]
    fitted_on, _ = rows.taken(target.rows[split.fit])
    if rows.is_table:
        columns = sort_columns(fitted_on, settings.drop, rows.X)
        prepare, more = preparation(columns), columns.notes
        used = (*columns.numbers, *columns.words)
        if other is not None and (lacking := [name for name in used if name not in other.X.columns]):
            raise UserError(f"--test {test} lacks the columns {', '.join(lacking)}; --drop leaves columns out of both.")
    else:
        prepare, more = _vector_columns(fitted_on)
    if other is not None:
        X, y, unknown = _test_rows(other, target, test)
        tested = (X, y)
        notes += [f"Tested on the {len(y):,} rows of {test}.", *unknown, *rows.shared_with(other)]
    else:
        assert split.test is not None  # noqa: S101 - there is no test file
        tested = (rows.taken(target.rows[split.test])[0], target.y[split.test])
    return Data(rows, target, split, tested, prepare, (*notes, *more))


def _test_file(path: Path, rows: Rows, settings: TrialSettings) -> Rows:
    other = read_rows(path, target=rows.target if rows.is_table else None, header=settings.header)
    if other.is_table != rows.is_table:
        raise UserError(f"--test {path} is of another format than the file to learn from; give both in one.")
    return other


def _test_rows(other: Rows, target: Target, path: Path | None) -> tuple[Any, np.ndarray, list[str]]:
    """Return a test file's rows with a target, labels written as those to learn from, and a remark on unknown ones."""
    try:
        found = read_target(other.y, other.target, target.kind)
        rows, y = found.rows, found.y
    except UserError:
        # One class only is no fault of test rows.
        column = pd.Series(other.y)
        rows = np.flatnonzero(column.notna().to_numpy())
        y = column.to_numpy()[rows]
    if not len(y):
        raise UserError(f"--test {path}: no row has a value of the target '{other.target}'.")
    if target.kind == "regression":
        numbers = pd.to_numeric(pd.Series(y), errors="coerce")
        if numbers.isna().any():
            word = y[numbers.isna().to_numpy()][0]
            raise UserError(f"--test {path}: '{other.target}' should be a number there, too, but holds {str(word)!r}.")
        return other.taken(rows)[0], numbers.to_numpy(np.float64), []
    y = y.astype(str) if target.y.dtype.kind == "U" else y
    unknown = [str(label) for label in pd.unique(y) if label not in target.classes]
    if len(unknown) == len(pd.unique(y)):
        raise UserError(f"--test {path}: none of its targets ({', '.join(unknown[:5])}) is one to learn from.")
    count = int(np.count_nonzero(~np.isin(y.astype(str), target.classes.astype(str))))
    some = "1 test row has" if count == 1 else f"{count:,} test rows have"
    remark = f"{some} a target that no row to learn from has ({', '.join(unknown[:5])}): all wrong."
    return other.taken(rows)[0], y, [remark] if unknown else []


def _vector_columns(X: Any) -> tuple[Any, tuple[str, ...]]:
    dense = isinstance(X, np.ndarray)
    low, high = (X.min(axis=0), X.max(axis=0)) if dense else (_dense_row(X.min(axis=0)), _dense_row(X.max(axis=0)))
    constant = int(np.count_nonzero(low == high))
    words = "standardised" if dense else "divided by their largest absolute value (the rows are sparse)"
    notes = [f"Features are {words}."]
    if constant:
        some = "1 feature is" if constant == 1 else f"{constant:,} features are"
        notes.append(f"{some} constant in the rows to learn from and of no use.")
    if constant == X.shape[1]:
        raise UserError("All features are constant in the rows to learn from: nothing tells their targets apart.")
    return vector_preparation(dense=dense), tuple(notes)


def _dense_row(row: Any) -> np.ndarray:
    return np.asarray(row.toarray()).ravel()


def run_trial(data: Data, name: str, settings: TrialSettings, progress: Progress | None = None) -> Trial:
    """Choose gamma, measure every method, and recommend one."""
    show = progress or (lambda *_: None)
    kind = data.target.kind
    with _threads(settings.threads):
        prepare = clone(data.prepare)
        X, y = data.raw(data.split.fit)
        fit = prepare.fit_transform(X), y
        parts = methods.Parts(
            fit,
            (prepare.transform(data.raw(data.split.validation)[0]), data.target.y[data.split.validation]),
            (prepare.transform(data.test_rows[0]), data.test_rows[1]),
        )
        choice = _chosen(*fit, kind, tune=settings.tune, seed=settings.seed, progress=lambda k, n: show("search", k, n))
        planned = methods.all_methods(kind, choice, settings.maps, settings.components)
        outcomes = _measured(planned, parts, settings, show)
    variance = float(np.var(parts.test[1])) if kind == "regression" else 0.0
    learnable = sum(len(part) for part in (data.split.fit, data.split.validation, data.split.rest))
    advice = advise(outcomes, kind, variance, fitted=len(data.split.fit), all_rows=learnable)
    layout = trial_layout(
        outcomes, kind, f"{name}: every map over D", _notes(data, choice, parts, settings), advice.chosen
    )
    return Trial(data, choice, tuple(outcomes), advice, layout)


def _chosen(*args: Any, **options: Any) -> Choice:
    try:
        return choose(*args, **options)
    except ValueError as error:
        raise UserError(f"Gamma and the penalty cannot be chosen from these rows: {error}") from error


def _measured(
    planned: Sequence[methods.Method], parts: methods.Parts, settings: TrialSettings, show: Progress
) -> list[methods.Outcome]:
    total = sum(method.draws(settings.seeds) for method in planned)
    done = itertools.count(1)

    def step() -> None:
        show("methods", next(done), total)

    limits = {"seeds": settings.seeds, "first_seed": settings.seed, "most_exact": settings.exact_rows}
    return [methods.measure(method, parts, after_each=step, **limits) for method in planned]


def _notes(data: Data, choice: Choice, parts: methods.Parts, settings: TrialSettings) -> list[str]:
    n, d = parts.fit[0].shape
    notes = [*data.notes, *choice.notes]
    if n > settings.exact_rows:
        notes.append(f"The exact kernel is fitted on a random {settings.exact_rows:,} of the {n:,} rows.")
    notes.append(
        f"{d:,} features after preparation. Draws of each map: {settings.seeds}; means over them, intervals over test "
        f"rows and draws. CPU time of {settings.threads} thread{'' if settings.threads == 1 else 's'}; a map's "
        "is in training and in prediction, preparation in neither."
    )
    return notes


@contextlib.contextmanager
def _threads(wanted: int) -> Iterator[None]:
    """Hold BLAS, OpenMP and the maps to so many threads."""
    import numba
    from threadpoolctl import threadpool_limits

    before = numba.get_num_threads()
    numba.set_num_threads(min(wanted, numba.config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
    try:
        with threadpool_limits(limits=wanted):
            yield
    finally:
        numba.set_num_threads(before)
