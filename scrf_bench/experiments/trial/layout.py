"""A trial's table, and its figure of the test score against CPU time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from scrf_bench.experiments.trial.advice import Estimate, expected_loss, rmse_spec
from scrf_bench.experiments.trial.methods import BLIND, EXACT, LINEAR, Outcome
from scrf_bench.experiments.trial.target import Kind
from scrf_bench.report import Column, Figure, Layout, NotMeasured, Table, plots, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MARK = "*"
_STAR, _RING = 9.0, 14.0  # points: the exact kernel's star is half the size of another mark of the same number
_MOST_COLUMNS, _FILLED = 4, 0.97
_STYLES = {EXACT: "libsvm", LINEAR: "control"}


def trial_layout(outcomes: Sequence[Outcome], kind: Kind, title: str, notes: Sequence[str], chosen: Outcome) -> Layout:
    """Return the table and the figure."""
    rows = [_row(outcome, kind, chosen) for outcome in outcomes]
    score = "accuracy" if kind == "classification" else "RMSE"
    unit = "%" if kind == "classification" else None
    spec = ".1f" if unit else rmse_spec(_score(chosen.test, kind))
    number: dict[str, Any] = {"unit": unit, "kind": "float", "spec": spec}
    columns = [
        Column("D", "D", align="r"),
        Column("method", "method"),
        Column("validation", "valid.", **number),
        Column("score", "test", **number),
        Column("low", "from", **number),
        Column("high", "to", **number),
        Column("fit", "train", kind="seconds"),
        Column("predict", "a row", unit="µs", kind="float", spec=".3g"),
        Column("bytes", "model", kind="bytes"),
    ]
    words = f"{MARK} recommended; {score} on validation and test rows, the latter with a 95 % interval; CPU time to "
    words += "train and to predict a row; memory of the model."
    table = Table(name="try", title=title, columns=columns, rows=rows, notes=[*notes, words], group_by="D")
    able = [outcome for outcome in outcomes if not outcome.failure]
    figure = Figure(
        name="",
        caption=f"{title}: test {score} against CPU time to train and to predict the test rows, a mark a D",
        width=6.4,
        height=5.0,
        draw=partial(_draw, outcomes=able, kind=kind, title=title, chosen=chosen),
    )
    return Layout(tables=[table], figures=[figure])


def shown(loss: Estimate, kind: Kind) -> tuple[float, float, float]:
    """Return the score that people read, and the ends of its interval: accuracy in percent, or the RMSE."""
    if kind == "classification":
        return 100 * (1 - loss.mean), 100 * (1 - loss.high), 100 * (1 - loss.low)
    return math.sqrt(loss.mean), math.sqrt(loss.low), math.sqrt(loss.high)


def _score(losses: Sequence[np.ndarray], kind: Kind) -> float:
    mean = float(np.mean(losses))
    return 100 * (1 - mean) if kind == "classification" else math.sqrt(mean)


def _row(outcome: Outcome, kind: Kind, chosen: Outcome) -> dict[str, Any]:
    row: dict[str, Any] = {
        "D": f"{outcome.method.D:,}" if outcome.method.D else "–",
        "method": f"{outcome.method.label} {MARK}" if outcome is chosen else outcome.method.label,
    }
    if outcome.failure:
        reason = f"{outcome.method.words}: {outcome.failure}"
        return row | {"score": NotMeasured(reason, short="failed")}
    score, low, high = shown(expected_loss(outcome.test, kind), kind)
    return row | {
        "validation": _score(outcome.validation, kind),
        "score": score,
        "low": low,
        "high": high,
        "fit": float(np.mean(outcome.fit_s)),
        "predict": 1e6 * float(np.mean(outcome.predict_s)) / len(outcome.test[0]),
        "bytes": outcome.model_bytes,
    }


def _draw(canvas: Canvas, outcomes: Sequence[Outcome], kind: Kind, title: str, chosen: Outcome) -> None:
    ax = canvas.subplots()
    names = dict.fromkeys(o.method.name for o in outcomes if o.method.name != BLIND)
    for name in names:
        _draw_method(ax, [o for o in outcomes if o.method.name == name], kind)
    x, y = chosen.cost_s(), _score(chosen.test, kind)
    ax.plot(
        [x], [y], "o", markersize=_RING, markerfacecolor="none", markeredgecolor="black", label="recommended", zorder=5
    )
    plots.plain_log_axis(ax, "x")
    for outcome in outcomes:
        if outcome.method.name == BLIND:
            _blind_line(ax, outcome, kind)
    ax.set_xlabel("CPU time to train and to predict the test rows [s]")
    ax.set_ylabel("test accuracy [%]" if kind == "classification" else "test root mean squared error")
    ax.set_title(title)
    _legend(canvas)


def _legend(canvas: Canvas) -> None:
    """Put the legend below, in as many columns as are no wider than the figure: a user's map has any label."""
    for columns in range(_MOST_COLUMNS, 0, -1):
        legend = plots.legend_below(canvas, columns=columns)
        if columns == 1 or legend.get_window_extent().width <= _FILLED * canvas.bbox.width:
            return
        legend.remove()


def _draw_method(ax: Axes, outcomes: Sequence[Outcome], kind: Kind) -> None:
    """Draw a method's marks, one a D, with the spread of the mean over draws of the map."""
    first = outcomes[0].method
    found = [(o.cost_s(), _score(o.test, kind), _spread(o, kind)) for o in outcomes]
    look = _STYLES.get(first.name, first.name)
    times, scores, errors = (list(column) for column in zip(*found, strict=True))
    drawn = plots.marks_with_errors(ax, times, scores, errors, look, label=first.label)
    if first.name == EXACT:
        # One mark among dozens, which all others are measured by.
        drawn.lines[0].set(markersize=_STAR, zorder=4)


def _spread(outcome: Outcome, kind: Kind) -> float:
    """Return the standard error over draws of the map, in the units shown."""
    means = np.mean(outcome.test, axis=1)
    if len(means) < 2:
        return 0.0
    values = 100 * means if kind == "classification" else np.sqrt(means)
    return float(values.std(ddof=1) / math.sqrt(len(values)))


def _blind_line(ax: Axes, outcome: Outcome, kind: Kind) -> None:
    """Show the answer that looks at no feature, unless it would squeeze all else into a corner."""
    value = _score(outcome.test, kind)
    low, high = ax.get_ylim()
    if low - (high - low) <= value <= high + (high - low):
        ax.axhline(
            value, color=style.of("column_signed").color, linewidth=0.9, linestyle=":", label=outcome.method.label
        )
