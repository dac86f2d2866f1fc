"""Table 2: test accuracy, times and model size on nine sets: exact LIBSVM, the maps with LIBLINEAR, and a control."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.datasets import registry
from scrf_bench.experiments.base import DatasetUse, Experiment, Selection
from scrf_bench.experiments.classification import (
    EXACT,
    LearnerSettings,
    classification_cell,
    measure_classification,
)
from scrf_bench.experiments.map_cells import known_dataset, mean_se, method_label, selected_maps, thread_words, wanted
from scrf_bench.experiments.scrf.classification_claims import TABLE2_CLAIMS
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.experiments.tuning.own_choices import own_tuning_notes
from scrf_bench.maps import Embedding
from scrf_bench.report import NOT_APPLICABLE, Column, Layout, Table, reported


@dataclass(frozen=True)
class Table2Dataset:
    """One row group of the table.

    Attributes
    ----------
    name, fallback : str
        The set, and what stands in for it where it cannot be had.
    status : str
        ``named`` by the paper, ``inferred`` from its ranges of n and d, or ``ours``.
    D : int
        Number of columns of every map; the paper's are not recoverable.
    seeds : int or None
        Instead of the profile's number of seeds.
    train_rows : int or None
        Random training rows for every method (mushrooms: 4,062, as the paper states).
    control_rows : int or None
        Random training rows for the control alone, where its kernel matrix would not fit.
    """

    name: str
    status: str
    D: int
    fallback: str | None = None
    seeds: int | None = None
    train_rows: int | None = None
    control_rows: int | None = None

    def __post_init__(self) -> None:
        """Refuse a status that the table could not explain."""
        if self.status not in ("named", "inferred", "ours"):
            msg = f"datasets.{self.name}.status is '{self.status}'; it must be named, inferred or ours."
            raise ValueError(msg)


@dataclass(frozen=True)
class Table2Config:
    """Keys of ``configs/table2.toml``.

    Attributes
    ----------
    exact_runs : int
        Processes that time exact LIBSVM where the split is given: its accuracy is one number, its time is not.
    """

    maps: tuple[str, ...]
    embedding: Embedding
    seeds: int
    exact_runs: int
    learner: LearnerSettings
    datasets: tuple[Table2Dataset, ...]


class Table2(Experiment[Table2Config]):
    """Generalisation of the maps against exact LIBSVM."""

    name = "table2"
    title = "Table 2: test accuracy, times and model size"
    paper = "scrf"
    version = 1
    config_type = Table2Config
    claims = TABLE2_CLAIMS

    def dataset_uses(self, config: Table2Config, selection: Selection) -> list[DatasetUse]:
        """The profile's sets, or those that ``--datasets`` names; a stand-in may be named directly."""
        return [
            DatasetUse(entry.name, None if entry.name in (selection.datasets or ()) else entry.fallback)
            for entry in self._entries(config, replace(selection, replaced={}))
        ]

    def plan(self, config: Table2Config, selection: Selection, tuning: Tuning) -> list[Cell]:
        """Exact LIBSVM (`exact_runs` times a given split) and the control a split; a cell a map and seed."""
        cells = []
        for entry in self._entries(config, selection):
            seeds = _seeds(entry, config, selection)
            plan = partial(
                classification_cell,
                self.name,
                self.version,
                dataset=entry.name,
                learner=config.learner,
                embedding=config.embedding,
                threads=selection.threads,
            )
            for method in EXACT:
                if wanted(method, selection):
                    control_rows = entry.control_rows if method == "control" else None
                    runs = seeds
                    if _one_split(entry) and control_rows is None:
                        runs = min(seeds, config.exact_runs) if method == "libsvm" else 1
                    cells += [
                        plan(
                            method,
                            tuned=tuning[entry.name],
                            seed=seed,
                            components=(),
                            train_rows=control_rows or entry.train_rows,
                        )
                        for seed in range(runs)
                    ]
            names = [name for name in selected_maps(config.maps, selection) if name not in EXACT]
            tuned = {name: tuning.of_map(entry.name, name, config.embedding) for name in names}
            cells += [
                plan(name, tuned=tuned[name], seed=seed, components=(entry.D,), train_rows=entry.train_rows)
                for seed in range(seeds)
                for name in names
            ]
        return cells

    def measure(self, cell: Cell) -> list[Point]:
        """Train and test one method on one dataset and seed."""
        return measure_classification(cell)

    def layout(self, config: Table2Config, records: Sequence[Record], selection: Selection) -> Layout:
        """One table, a group of rows a dataset."""
        groups: dict[tuple[str, str], list[Point]] = {}
        for record in records:
            for point in record.points:
                key = str(point.parameters["dataset"]), str(point.parameters["method"])
                groups.setdefault(key, []).append(point)
        methods = dict.fromkeys([*EXACT, *selected_maps(config.maps, selection)])
        rows = [
            _row(entry, method, groups.get((entry.name, method), []))
            for entry in self._entries(config, selection)
            for method in methods
            if wanted(method, selection)
        ]
        own = own_tuning_notes(record.cell for record in records)
        return Layout(tables=[_table(config, rows, list(self._entries(config, selection)), selection, own)], figures=[])

    def _entries(self, config: Table2Config, selection: Selection) -> Iterator[Table2Dataset]:
        """Yield the sets to run, each under the name that will be loaded."""
        declared = [name for e in config.datasets for name in (e.name, e.fallback) if name]
        for name in selection.datasets or ():
            known_dataset(name, declared, self.name)
        for entry in config.datasets:
            if selection.datasets is None or entry.name in selection.datasets:
                yield replace(entry, name=selection.replaced.get(entry.name, entry.name))
            if selection.datasets is not None and entry.fallback in selection.datasets:
                yield replace(entry, name=entry.fallback, fallback=None)


def _one_split(entry: Table2Dataset) -> bool:
    """Tell whether every seed trains exact LIBSVM on the same rows."""
    return registry()[entry.name].has_official_split and entry.train_rows is None


def _seeds(entry: Table2Dataset, config: Table2Config, selection: Selection) -> int:
    """Return the number of seeds: the command's, but never more than a set's own limit (cifar10: 1)."""
    if entry.seeds is not None:
        return min(entry.seeds, selection.seeds or entry.seeds)
    return selection.seeds or config.seeds


_COLUMNS = [
    Column("dataset", "dataset", align="l", kind="text"),
    Column("status", "in paper", align="l", kind="text"),
    Column("n", "n", kind="int"),
    Column("d", "d", kind="int"),
    Column("log2_C", "log2 C", kind="int"),
    Column("log2_gamma", "log2 γ", kind="int"),
    Column("method", "method", align="l", kind="text"),
    Column("D", "D", kind="int"),
    Column("accuracy", "accuracy", unit="%", kind="mean_se"),
    Column("paper", "paper", unit="%", kind="float", digits=2),
    Column("map", "map", unit="s", kind="seconds"),
    Column("convert", "conv.", unit="s", kind="seconds"),
    Column("train", "train", unit="s", kind="seconds"),
    Column("predict", "predict", unit="s", kind="seconds"),
    Column("size", "model", unit="bytes", kind="bytes"),
    Column("vectors", "SVs", kind="int"),
]


def _row(entry: Table2Dataset, method: str, points: list[Point]) -> dict[str, object]:
    row: dict[str, object] = {
        "dataset": entry.name,
        "status": {"named": "named", "inferred": "inferred", "ours": "no"}[entry.status],
        "method": method_label(method),
        "paper": None,
    }
    figure = reported("SCRF-IJCAI2015", "Table 2", dataset=entry.name, method=method_label(method))
    if figure is not None and figure.quantity == "test accuracy":
        row["paper"] = figure.value
    if not points:
        return row

    def mean(key: str) -> float | None:
        values = [p.number(key) for p in points if p.metrics.get(key) is not None]
        return mean_se(values).mean if values else None

    first = points[0].parameters
    vectors = mean("support_vectors")
    accuracy = [100 * p.number("accuracy") for p in points]
    if method == "libsvm" and _one_split(entry):
        # Timed again, not drawn again: an error of 0 would say that another draw gives the same.
        accuracy = accuracy[:1]
    return row | {
        "n": first["n_train"],
        "d": first["d"],
        "log2_C": first["log2_C"],
        "log2_gamma": first["log2_gamma"],
        "D": NOT_APPLICABLE if method in EXACT else first["D"],
        "accuracy": mean_se(accuracy),
        "map": NOT_APPLICABLE if method in EXACT else mean("map_cpu_s"),
        "convert": mean("convert_cpu_s"),
        "train": mean("train_cpu_s"),
        "predict": mean("predict_cpu_s"),
        "size": mean("model_bytes"),
        "vectors": round(vectors) if vectors is not None else NOT_APPLICABLE,
        "unfinished": [p for p in points if not p.metrics["converged"]],
    }


def _table(
    config: Table2Config,
    rows: list[dict[str, object]],
    entries: list[Table2Dataset],
    selection: Selection,
    own: Sequence[str],
) -> Table:
    learner = config.learner
    threads = thread_words(selection.threads)
    notes = [
        (
            "Accuracy: mean and standard error over seeds (map draws; splits too where there is no official one); a "
            "value without an error has one draw only (exact LIBSVM on a given split is one computation, timed in up "
            f"to {config.exact_runs} processes). Times: CPU seconds on {threads}, mean over seeds; map: "
            "expansion of the training rows; conv.: into the solver's format (the kernel matrix for the one-vs-rest "
            "row); predict: all test rows, map included. Model: bytes needed to predict, the map's parameters "
            "included; SVs: support vectors."
        ),
        (
            f"LIBSVM: one-vs-one, C-SVC, eps {learner.libsvm_eps:g}. Maps: LIBLINEAR -s 3 (hinge), one-vs-rest, eps "
            f"{learner.liblinear_eps:g}, bias {learner.bias:g}, {config.embedding} embedding. The one-vs-rest row is "
            "the exact kernel through LIBLINEAR's own problem, so that map and learner can be told apart."
        ),
        (
            "gamma and C: chosen by cross-validation with LIBSVM (configs/tuning says how, when and on what), and "
            + ("reused for every map but those named next." if own else "reused for every map, as in the paper.")
        ),
        *own,
        "The paper's cells, its D and its times are not recoverable: n/a.",
    ]
    inferred = [e.name for e in entries if e.status == "inferred"]
    if inferred:
        notes.append(
            f"Inferred: the paper's text does not name {', '.join(inferred)}; its ranges of n and d suggest them."
        )
    notes += [
        f"{stand_in} stands in for {name}, which could not be had." for name, stand_in in selection.replaced.items()
    ]
    notes += [
        f"{e.name}: the one-vs-rest row trains on {e.control_rows} random rows; its kernel matrix would not fit."
        for e in entries
        if e.control_rows
    ]
    unfinished = [f"{r['dataset']} {r['method']}" for r in rows if r.pop("unfinished", None)]
    if unfinished:
        notes.append(f"Stopped at the limit of passes before eps was reached: {'; '.join(unfinished)}.")
    return Table(name="table2", title=Table2.title, columns=_COLUMNS, rows=rows, notes=notes, group_by="dataset")
