"""Choosing gamma and C of a dataset, and writing the choice down with how, when and on what it was made."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scrf_bench import __version__
from scrf_bench.atomic import write_over
from scrf_bench.bench import capture_environment
from scrf_bench.datasets import DataSources, load
from scrf_bench.datasets.loading import Scaling
from scrf_bench.errors import UserError
from scrf_bench.experiments.tuning import TunedSet
from scrf_bench.learners import TuningResult, refined_grid, tune_svm

COARSE_LOG2_C = tuple(range(-3, 12, 2))
COARSE_LOG2_GAMMA = tuple(range(-13, 4, 2))


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
    """

    scaling: Scaling
    max_rows: int = 2000
    folds: int = 5
    seed: int = 0


def tune_dataset(
    dataset: str,
    settings: SearchSettings,
    sources: DataSources | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[TunedSet, list[TuningResult]]:
    """Cross-validate LIBSVM over a coarse grid with steps of 2, then with steps of 1 around its best.

    Raises
    ------
    UserError
        For a regression set.
    """
    data = load(dataset, scaling=settings.scaling, split_seed=settings.seed, sources=sources)
    if data.task == "regression":
        msg = f"'{dataset}' is a regression set; LIBSVM's cross-validation here is for classification."
        raise UserError(msg)

    def search(stage: str, log2_C: tuple[float, ...], log2_gamma: tuple[float, ...]) -> TuningResult:
        try:
            return tune_svm(
                data.X_train,
                data.y_train,
                log2_C=log2_C,
                log2_gamma=log2_gamma,
                folds=settings.folds,
                seed=settings.seed,
                max_rows=settings.max_rows,
                progress=(lambda done, total: progress(stage, done, total)) if progress else None,
            )
        except ValueError as error:
            # Too many folds for the smallest class, as a rule.
            msg = f"{dataset} cannot be tuned with {settings.folds} folds of {settings.max_rows} rows: {error}"
            raise UserError(msg) from error

    coarse = search("coarse", COARSE_LOG2_C, COARSE_LOG2_GAMMA)
    fine = search(
        "fine",
        tuple(refined_grid(coarse.log2_C, reach=1)),
        tuple(refined_grid(coarse.log2_gamma, reach=1)),
    )
    tuned = TunedSet(
        dataset=dataset,
        tuned_on=dataset,
        scaling=settings.scaling,
        log2_C=fine.log2_C,
        log2_gamma=fine.log2_gamma,
        cv_accuracy=fine.cv_accuracy,
        folds=fine.folds,
        rows=fine.rows_used,
        seed=settings.seed,
        grid=f"log2 C {COARSE_LOG2_C[0]}..{COARSE_LOG2_C[-1]}, log2 gamma {COARSE_LOG2_GAMMA[0]}.."
        f"{COARSE_LOG2_GAMMA[-1]} in steps of 2, then steps of 1 around the best",
        solver=fine.solver,
        date=dt.datetime.now(tz=dt.UTC).date().isoformat(),
        package=f"scrf-bench {__version__}, commit {capture_environment().commit or 'unknown'}",
    )
    return tuned, [coarse, fine]


def check_writable(configs: Path) -> None:
    """Make the folder for tuned parameters, so that a fault shows before the search and not after it.

    Raises
    ------
    UserError
        If it cannot be made or written to.
    """
    probe = configs / "tuning" / ".writable"
    write_over(probe, "")
    probe.unlink(missing_ok=True)


def write_tuned(tuned: TunedSet, results: list[TuningResult], configs: Path) -> Path:
    """Write ``tuning/<dataset>.toml`` under a config folder and return its path."""
    tried = sorted(
        {
            (log2_C, log2_gamma, accuracy)
            for result in results
            for log2_C, row in zip(result.grid_log2_C, result.accuracies, strict=True)
            for log2_gamma, accuracy in zip(result.grid_log2_gamma, row, strict=True)
        }
    )
    lines = ["# Every point tried: log2 C, log2 gamma, cross-validated accuracy.", "tried = ["]
    lines += [f"  [{log2_C:g}, {log2_gamma:g}, {accuracy:.6f}]," for log2_C, log2_gamma, accuracy in tried]
    # JSON's strings and numbers are also TOML's.
    lines += ["]", "", "[chosen]", *(f"{key} = {json.dumps(value)}" for key, value in vars(tuned).items())]
    return write_over(configs / "tuning" / f"{tuned.dataset}.toml", "\n".join(lines) + "\n")
