"""The tables of a comparison of spaces: accuracies and errors, times, and what the searches chose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from scrf_bench.bench import Point, Record
from scrf_bench.datasets import registry
from scrf_bench.experiments.crhs.cells import SEARCH, TEST, SpaceDataset, computed_once
from scrf_bench.experiments.crhs.spaces import EXACT, PAPER, WORDS, applies, memory_limit_words, space_label
from scrf_bench.experiments.map_cells import mean_se, thread_words
from scrf_bench.report import NOT_APPLICABLE, Column, NotMeasured, Table, reported

if TYPE_CHECKING:
    from scrf_bench.experiments.crhs.table3 import Table3Config

_TASKS = {"binary": "binary", "multiclass": "multi-class", "regression": "regression"}
_NOT_KNOWN = "The paper's cells and all but four of its sets are not recoverable: n/a."


class _Measured:
    """The points of Table 3's records by dataset and method, and what stands where there are none."""

    def __init__(self, config: Table3Config, records: Sequence[Record]) -> None:
        self._config = config
        self._points = [(str(r.cell.dataset), str(r.cell.parameters["method"]), p) for r in records for p in r.points]
        self._unavailable = {r.cell.dataset: r.error or "unavailable" for r in records if r.status == "unavailable"}

    def points(self, dataset: str, method: str, stage: str = TEST) -> list[Point]:
        """Return one method's points on one set."""
        return [p for d, m, p in self._points if (d, m) == (dataset, method) and p.parameters["stage"] == stage]

    def absent(self, dataset: str, method: str) -> object:
        """Return what a field shows whose method has no points: the reason, or None where it was not run yet."""
        spec = registry()[dataset]
        if not applies(method, spec.task):
            return NOT_APPLICABLE
        if dataset in self._unavailable:
            # The first line says what cannot be had; those below it are where it was sought.
            return NotMeasured(self._unavailable[dataset].splitlines()[0], short="unavailable")
        limit = memory_limit_words(method, spec, self._config.memory_gb)
        return NotMeasured(limit, short="memory") if limit else None

    def mean(self, dataset: str, method: str, metric: str, factor: float = 1.0) -> object:
        """Return mean and standard error over the repetitions, or what stands instead."""
        points = self.points(dataset, method)
        if not points:
            return self.absent(dataset, method)
        if computed_once(method, dataset):
            # Timed again, not drawn again: an error of 0 would say that another draw gives the same.
            points = points[:1]
        return mean_se([factor * p.number(metric) for p in points])


def accuracy_table(
    name: str,
    title: str,
    config: Table3Config,
    entries: Sequence[SpaceDataset],
    methods: Sequence[str],
    records: Sequence[Record],
    repetitions: int,
) -> Table:
    """Return the paper's Table 3: a row a set, or two (MSE and R^2) for a regression."""
    measured = _Measured(config, records)
    rows = []
    for entry in entries:
        for metric, words, factor, quantity in _scores(entry.name):
            row = _dataset_columns(entry) | {"score": words}
            stated = _paper_cell(entry, "Table 3", quantity) if quantity else NOT_APPLICABLE
            # Sources state accuracies in percent already, and errors in the target's own units.
            row["paper"] = factor * stated if metric == "mse" and isinstance(stated, float) else stated
            row |= {method: measured.mean(entry.name, method, metric, factor) for method in methods}
            rows.append(row)
    return Table(
        name=name,
        title=title,
        columns=[
            *_DATASET_COLUMNS,
            Column("score", "score", align="l", kind="text"),
            *(Column(method, space_label(method), kind="mean_se", digits=2) for method in methods),
            Column("paper", "paper's CRHS", kind="float", digits=2),
        ],
        rows=rows,
        notes=[
            f"{WORDS} KSVM: LIBSVM's C-SVC.",
            (
                f"Mean and standard error over {repetitions} repetitions: map draws, and splits too where there "
                "is no official one; (n=1): an exact method on one split, which gives one number. MSE: in the target's "
                "own units, squared (over 10^6 where targets are in the thousands); R²: 1 - MSE over the variance of "
                "the test targets. Targets are standardised on the training rows for learning."
            ),
            config.search.words() + " A random split is searched on its own training rows.",
            (
                "The objective is sum of losses + lambda ||f||^2, without 1/n (inferred: the paper's equation is not "
                "recoverable): alpha = lambda for ridge, C = 1 / (2 lambda) for the SVM."
            ),
            _NOT_KNOWN,
        ],
        group_by="task",
    )


def time_table(
    name: str,
    title: str,
    stage: str,
    config: Table3Config,
    entries: Sequence[SpaceDataset],
    methods: Sequence[str],
    records: Sequence[Record],
    threads: int,
) -> Table:
    """Return the paper's Table 4 or 5: mean CPU seconds, and CRHS's speed-up over the exact methods."""
    measured = _Measured(config, records)
    metric = f"{stage}_cpu_s"
    table, quantity = {"train": ("Table 4", "training time"), "predict": ("Table 5", "predicting time")}[stage]
    exact = [method for method in methods if method in EXACT]
    rows = []
    for entry in entries:
        row = _dataset_columns(entry) | {"paper": _paper_cell(entry, table, quantity)}
        means = {}
        for method in methods:
            points = measured.points(entry.name, method)
            means[method] = mean_se([p.number(metric) for p in points]).mean if points else None
            row[method] = means[method] if points else measured.absent(entry.name, method)
        for other in exact:
            own, reference = means.get("scrf"), means[other]
            absent = measured.absent(entry.name, other)
            row[f"over_{other}"] = reference / own if own and reference else NOT_APPLICABLE if absent else None
        rows.append(row)
    what = {
        "train": "from scaled rows to a model: drawing the map, expansion, sums, factorisation; for KRR and KSVM the "
        "kernel matrix or the conversion, and the solver. The search for gamma and lambda is not in it (its time is "
        "in crhs-table3's second table)",
        "predict": "all test rows, map or kernel included; the median of repeated calls where one is short",
    }[stage]
    return Table(
        name=name,
        title=title,
        columns=[
            *_DATASET_COLUMNS,
            *(Column(method, space_label(method), kind="seconds") for method in methods),
            *(Column(f"over_{other}", f"{space_label(other)} / CRHS", kind="ratio") for other in exact),
            Column("paper", "paper's CRHS", kind="seconds"),
        ],
        rows=rows,
        notes=[
            f"{WORDS} KSVM: LIBSVM's C-SVC.",
            (
                f"CPU seconds on {thread_words(threads)}, mean over repetitions (an exact method on an official split: "
                f"over up to {config.exact_runs} processes): {what}."
            ),
            "Each method has its own gamma and lambda, chosen for accuracy; D is the same for all maps.",
            "A view of crhs-table3's records. " + _NOT_KNOWN,
        ],
        group_by="task",
    )


def search_table(
    name: str,
    title: str,
    config: Table3Config,
    entries: Sequence[SpaceDataset],
    methods: Sequence[str],
    records: Sequence[Record],
) -> Table:
    """Return what was chosen for each set and method, over its splits."""
    measured = _Measured(config, records)
    rows: list[dict[str, object]] = []
    for entry in entries:
        for method in methods:
            if not applies(method, registry()[entry.name].task):
                continue
            row: dict[str, object] = {"dataset": entry.name, "method": space_label(method)}
            if searched := measured.points(entry.name, method, SEARCH):
                # Every process searches an official split for itself, and finds the same.
                points = searched[:1] if registry()[entry.name].has_official_split else searched
                row |= {
                    "gamma": _values(p.number("log2_gamma") for p in points),
                    "lambda": _values(p.number("log2_lambda") for p in points),
                    "edge": f"{sum(bool(p.metrics['at_edge']) for p in points)} of {len(points)}",
                    "loss": mean_se([p.number("cv_loss") for p in points]),
                    "rows": points[0].number("cv_rows"),
                    "time": mean_se([p.number("cv_cpu_s") for p in searched]).mean,
                }
            else:
                row["loss"] = measured.absent(entry.name, method)
            rows.append(row)
    return Table(
        name=name,
        title=title,
        columns=[
            Column("dataset", "dataset", align="l", kind="text"),
            Column("method", "method", align="l", kind="text"),
            Column("gamma", "log2 γ", kind="text", align="r"),
            Column("lambda", "log2 λ", kind="text", align="r"),
            Column("edge", "at the grid's edge", kind="text", align="r"),
            Column("loss", "CV loss", kind="mean_se", digits=4),
            Column("rows", "rows", kind="int"),
            Column("time", "search", unit="s", kind="seconds"),
        ],
        rows=rows,
        notes=[
            config.search.words(),
            (
                "Where splits are random each is searched: values with their number of splits. CV loss: share of rows "
                "misclassified, or mean squared error of the standardised target. At the edge the best may lie beyond."
            ),
        ],
        group_by="dataset",
    )


_DATASET_COLUMNS = [
    Column("task", "task", align="l", kind="text"),
    Column("dataset", "dataset", align="l", kind="text"),
    Column("status", "in paper", align="l", kind="text"),
    Column("n", "n train", kind="int"),
    Column("n_test", "n test", kind="int"),
    Column("d", "d", kind="int"),
    Column("D", "D", kind="int"),
]


def _dataset_columns(entry: SpaceDataset) -> dict[str, object]:
    spec = registry()[entry.name]
    return {
        "task": _TASKS[spec.task],
        "dataset": entry.name,
        "status": "named" if entry.status == "named" else "ours",
        "n": spec.n_train,
        "n_test": spec.n_test,
        "d": spec.n_features,
        "D": entry.D,
    }


def _scores(dataset: str) -> list[tuple[str, str, float, str]]:
    """Return metric, words, factor, and what reported.csv would call it (R^2 is ours alone) of a set's rows."""
    spec = registry()[dataset]
    if spec.task != "regression":
        return [("accuracy", "accuracy %", 100.0, "test accuracy")]
    low, high = spec.main_file.target_range or (0.0, 1.0)
    # Targets in the hundreds of thousands have squares that nobody can read.
    million = high - low > 10_000
    return [("mse", "MSE / 10^6" if million else "MSE", 1e-6 if million else 1.0, "MSE"), ("r2", "R²", 1.0, "")]


def _paper_cell(entry: SpaceDataset, table: str, quantity: str) -> float | None:
    """Return the paper's figure for CRHS where a source states it (none does today)."""
    figure = reported(PAPER, table, dataset=entry.name, method="CRHS", quantity=quantity)
    return figure.value if figure and isinstance(figure.value, float) else None


def _values(values: Iterable[float]) -> str:
    """Return ``-7`` for one value everywhere, else each with its number: ``-7 (8), -5 (2)``."""
    counted = Counter(f"{value:g}" for value in values)
    if len(counted) == 1:
        return next(iter(counted))
    return ", ".join(f"{value} ({number})" for value, number in counted.most_common())
