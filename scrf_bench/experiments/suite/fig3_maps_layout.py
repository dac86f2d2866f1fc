"""What fig3-maps shows: a table a row a map, D and set, and two figures of a panel a set."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from scrf_bench.bench import Point, Record
from scrf_bench.experiments.accuracy_curves import (
    draw_accuracy,
    draw_front,
    in_grid,
    mean_times,
    points_of,
    seconds,
    whole_front,
)
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.map_cells import mean_se, method_label, thread_words
from scrf_bench.report import NOT_APPLICABLE, Column, Figure, Layout, NotMeasured, Table
from scrf_bench.stats import paired

if TYPE_CHECKING:
    from scrf_bench.experiments.suite.fig3_maps import Fig3MapsConfig

TITLE = "Accuracy of every map against D and against CPU time, each tuned for itself"
REFERENCE, EXACT_KERNEL = "rks", "control"
CONFIDENCE = 0.9
_COLUMNS_OF_PANELS = 3


def accuracy_layout(
    config: Fig3MapsConfig,
    exact_seeds: Mapping[str, int],
    methods: Sequence[str],
    exact: Sequence[str],
    records: Sequence[Record],
    selection: Selection,
) -> Layout:
    """Return the table, and where there are points the figures ``accuracy`` and ``time``.

    `exact_seeds` says of each dataset, in order, over how many seeds exact kernels are planned.
    """
    points = [point for record in records for point in record.points]
    datasets = list(exact_seeds)
    shown = [name for name in datasets if any(p.parameters["dataset"] == name for p in points)]
    whole = {
        name: _whole(points, name, methods, exact, selection.seeds or config.seeds, exact_seeds[name])
        for name in datasets
    }
    table = _table(config, datasets, methods, exact, points, selection, whole)
    if not shown:
        return Layout(tables=[table], figures=[])
    words = {"libsvm": "exact LIBSVM", "control": "exact, 1-vs-rest"}
    lines = {name: words[name] for name in exact}
    titles = {name: _title(points, name, methods) for name in shown}
    return Layout(
        tables=[table],
        figures=[
            _figure("accuracy", TITLE.partition(" and ")[0], [
                partial(
                    draw_accuracy, points=points, dataset=name, exact=lines, whole=whole[name], title=titles[name]
                )
                for name in shown
            ]),
            _figure("time", "Accuracy of every map against CPU time, one point a D", [
                partial(draw_front, points=points, dataset=name, whole=whole[name], title=titles[name])
                for name in shown
            ]),
        ],
    )  # fmt: skip


def _whole(
    points: Sequence[Point], dataset: str, methods: Sequence[str], exact: Sequence[str], seeds: int, exact_seeds: int
) -> set[tuple[str, int]]:
    """Return the methods and D (0: exact kernels) that have all their seeds on a set."""
    planned = dict.fromkeys(methods, seeds) | dict.fromkeys(exact, exact_seeds)
    found = set()
    for name, count in planned.items():
        have = [D for D, _ in points_of(points, dataset, name)]
        found |= {(name, D) for D in have if have.count(D) >= count}
    return found


def _title(points: Sequence[Point], dataset: str, methods: Sequence[str]) -> str:
    """Return a panel's title: the set, and how many of the maps have been measured if not all."""
    there = sum(bool(points_of(points, dataset, name)) for name in methods)
    return dataset if there == len(methods) else f"{dataset}: {there} of {len(methods)} maps so far"


def _figure(name: str, caption: str, panels: list[partial[None]]) -> Figure:
    columns = min(_COLUMNS_OF_PANELS, len(panels))
    draw = partial(in_grid, panels=panels, columns=columns, legend=True)
    rows = -(-len(panels) // columns)
    # A single panel is wide enough for the legend below it.
    return Figure(name=name, caption=caption, width=max(6.4, 4.4 * columns), height=0.9 + 3.5 * rows, draw=draw)


def _table(
    config: Fig3MapsConfig,
    datasets: Sequence[str],
    methods: Sequence[str],
    exact: Sequence[str],
    points: Sequence[Point],
    selection: Selection,
    whole: Mapping[str, Collection[tuple[str, int]]],
) -> Table:
    rows: list[dict[str, Any]] = []
    for dataset in datasets:
        found = {name: points_of(points, dataset, name) for name in (*methods, *exact)}
        front = whole_front(mean_times(points, dataset), whole[dataset])
        rows += [_row(dataset, name, D, found, front) for D in sorted(config.components) for name in methods]
        rows += [_row(dataset, name, 0, found, front) for name in exact]
    return Table(
        name="fig3-maps",
        title=f"{TITLE}, {config.embedding} embedding",
        columns=_COLUMNS,
        rows=rows,
        notes=_notes(config, datasets, points, selection),
        group_by="dataset",
    )


_COLUMNS = [
    Column("dataset", "dataset", align="l", kind="text"),
    Column("n", "n", kind="int"),
    Column("D", "D", kind="int"),
    Column("method", "method", align="l", kind="text"),
    Column("seeds", "seeds", kind="int"),
    Column("accuracy", "accuracy", unit="%", kind="mean_se"),
    Column("against", "minus RKS [90 % interval]", align="r", kind="text"),
    Column("excess", "excess risk", unit="points", kind="mean_se"),
    Column("features", "features", unit="s", kind="seconds"),
    Column("train", "train", unit="s", kind="seconds"),
    Column("predict", "predict", unit="s", kind="seconds"),
    Column("total", "all", unit="s", kind="seconds"),
    Column("front", "front", align="l", kind="text"),
    Column("log2_C", "log2 C", kind="float", spec="g"),
    Column("log2_gamma", "log2 γ", kind="float", spec="g"),
]


def _row(
    dataset: str,
    method: str,
    D: int,
    found: dict[str, dict[tuple[int, int], Point]],
    front: Sequence[tuple[str, int]],
) -> dict[str, Any]:
    of_seed = {seed: point for (k, seed), point in found[method].items() if k == D}
    row: dict[str, Any] = {
        "dataset": dataset,
        "D": D or NOT_APPLICABLE,
        "method": method_label(method),
        "front": "yes" if (method, D) in front else "",
    }
    if not of_seed:
        return row
    at = list(of_seed.values())

    def mean(*stages: str) -> float:
        return statistics.fmean(seconds(point, stages) for point in at)

    reference = {seed: p for (k, seed), p in found.get(REFERENCE, {}).items() if k == D}
    return row | {
        "n": at[0].parameters["n_train"],
        "seeds": len(at),
        "accuracy": mean_se([100 * p.number("accuracy") for p in at]),
        "against": NOT_APPLICABLE if method == REFERENCE or not D else _difference(of_seed, reference),
        "excess": _excess(dataset, of_seed, found.get(EXACT_KERNEL, {})),
        "features": mean("draw_cpu_s", "map_cpu_s") if D else NOT_APPLICABLE,
        "train": mean("convert_cpu_s", "train_cpu_s"),
        "predict": mean("predict_cpu_s"),
        "total": statistics.fmean(seconds(point) for point in at),
        # An exact kernel's are parameters, a map's were chosen by its own search.
        **{key: statistics.median(_chosen(p, key) for p in at) for key in ("log2_C", "log2_gamma")},
    }


def _chosen(point: Point, key: str) -> float:
    return float(point.number(key))


def _difference(own: dict[int, Point], other: dict[int, Point]) -> str | None:
    """Return the accuracy minus RKS's in points with its interval, paired by seed."""
    seeds = sorted(own.keys() & other.keys())
    if len(seeds) < 2:
        return None
    first, second = ([100 * points[seed].number("accuracy") for seed in seeds] for points in (own, other))
    if len({a - b for a, b in zip(first, second, strict=True)}) == 1:
        return f"{first[0] - second[0]:+.2f}"
    found = paired(first, second, confidence=CONFIDENCE)
    return f"{found.estimate:+.2f} [{found.low:+.2f}, {found.high:+.2f}]"


def _excess(dataset: str, own: dict[int, Point], exact: dict[tuple[int, int], Point]) -> Any:
    """Return the test error above that of the exact kernel through the same learner, in points, or why it is unknown.

    The exact kernel's seed is the map's, or the only one where all seeds have one split.
    """
    of_seed = {seed: point for (_, seed), point in exact.items()}
    pairs = [(p, of_seed.get(seed, of_seed.get(0) if len(of_seed) == 1 else None)) for seed, p in own.items()]
    values = [100 * (e.number("accuracy") - p.number("accuracy")) for p, e in pairs if e is not None]
    if len(values) == len(own):
        return mean_se(values)
    lacking = "has not been run" if not exact else "lacks some of the seeds"
    return NotMeasured(
        f"The exact kernel through the same learner {lacking} on {dataset}; with the same --profile: "
        f"scrf-bench run fig3-maps --maps {EXACT_KERNEL} --datasets {dataset}",
        short="n/a",
    )


def _notes(config: Fig3MapsConfig, datasets: Sequence[str], points: Sequence[Point], selection: Selection) -> list[str]:
    learner, effort = config.learner, config.effort
    grid = len(effort.log2_C_steps) * len(effort.log2_gamma_steps)
    seeds = selection.seeds or config.seeds
    notes = [
        (
            f"Mean and standard error over seeds, {seeds} where all have run (map draws; splits too where there is no "
            "official one). Excess risk: test error above that of the exact kernel through the same one-vs-rest "
            "learner, paired by seed. "
            f"Minus RKS: at the same D, paired by seed, {CONFIDENCE:.0%} interval over map draws on these test "
            "points."
        ),
        (
            f"Each map is tuned for itself, with the same effort: {effort.folds}-fold cross-validation of {grid} pairs "
            f"of C and gamma on at most {effort.rows:,} training rows, for every seed and D; the table has the median "
            "of what was chosen. Exact kernels have LIBSVM's C and gamma (configs/tuning). No search is in any time."
        ),
        (
            f"Maps: LIBLINEAR -s 3 (hinge), one-vs-rest, eps {learner.liblinear_eps:g}, bias {learner.bias:g}. Times: "
            f"CPU seconds on {thread_words(selection.threads)}, mean over seeds, other work on the machine beside "
            "them; features: drawing the map (or choosing landmarks) and mapping the training rows; train: conversion "
            "into the solver's format included; predict: all test rows, map included. Front: no method at any D is "
            "both faster and more accurate, among those that have all their seeds, if these are of two methods or more."
        ),
    ]
    notes += [
        f"{name}: trained on {config.train_rows[name]:,} random rows of its training part, drawn anew with each seed."
        for name in datasets
        if name in config.train_rows
    ]
    stopped = dict.fromkeys(
        f"{p.parameters['dataset']} {method_label(str(p.parameters['method']))}"
        for p in points
        if not p.metrics["converged"]
    )
    if stopped:
        notes.append(
            f"Stopped at the limit of passes before eps was reached, at some D and seed: {'; '.join(stopped)}."
        )
    return notes
