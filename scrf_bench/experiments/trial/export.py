"""The recommended method as one scikit-learn pipeline that takes raw rows."""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from scrf_bench.atomic import write_over
from scrf_bench.errors import UserError
from scrf_bench.experiments.trial.methods import EXACT, subsample
from scrf_bench.experiments.trial.session import Trial, TrialSettings
from scrf_bench.report.values import format_value

_MOST_ROWS = 50_000
_MOST_BYTES = 2 << 30
_VALUE_BYTES = 24  # a feature of a row: float64, and a node of LIBLINEAR's


def check_export(path: Path) -> None:
    """Raise UserError where a model could not be written, before the trial and not after it."""
    if path.is_dir():
        raise UserError(f"--export {path} is a folder; name a file, say {path / 'model.joblib'}.")
    if not path.parent.is_dir():
        raise UserError(f"--export {path}: there is no folder {path.parent}; create it.")
    if path.exists() and not path.is_file():
        raise UserError(f"--export {path} is a device, not a file; name another one.")
    if not os.access(path.parent, os.W_OK):
        raise UserError(f"--export {path}: {path.parent} cannot be written to; name another folder.")


def check_results(folder: Path) -> None:
    """Raise UserError where results could not be written: the nearest folder above must be one, and writable."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise UserError(f"--results {folder}: {there} cannot be written to; name another folder.")


def build_model(trial: Trial, settings: TrialSettings) -> tuple[Pipeline, str]:
    """Fit the recommended method on all rows but the test rows, and return it with words on which rows these were.

    At most 50,000 rows, or as many as make 2 GB of features; the exact kernel keeps to its own limit.
    """
    method, data = trial.advice.chosen.method, trial.data
    rows = np.sort(np.concatenate([data.split.fit, data.split.validation, data.split.rest]))
    learnable = len(rows)
    most = min(_MOST_ROWS, _MOST_BYTES // (_VALUE_BYTES * (method.D or 1)))
    limit = f"most for an export: {_MOST_ROWS:,} rows, or {format_value(_MOST_BYTES, 'bytes')} of features"
    if method.name == EXACT:
        most, limit = settings.exact_rows, "most for the exact kernel: --exact-rows"
    rows, _ = subsample(rows, rows, most, settings.seed)
    model = Pipeline([("prepare", clone(data.prepare)), *method.steps(settings.seed)])
    model.fit(*data.raw(rows))
    own_test = data.split.test is None
    if len(rows) == learnable:
        return model, f"all {learnable:,} rows{'' if own_test else ' but the test rows'}"
    others = "" if own_test else " that are no test rows"
    return model, f"{len(rows):,} random rows of the {learnable:,}{others} ({limit})"


def export_model(model: Pipeline, path: Path) -> None:
    """Write a fitted pipeline for ``joblib.load``, atomically."""
    import joblib

    content = io.BytesIO()
    joblib.dump(model, content, compress=3)
    write_over(path, content.getvalue())
