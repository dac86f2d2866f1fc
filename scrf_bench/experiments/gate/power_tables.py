"""The gate's false alarms and power as tables and one figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from scrf_bench.bench import Record
from scrf_bench.experiments.gate.comparison import Comparison
from scrf_bench.experiments.gate.power import SLOWER, Loss, Rate, Replay, slowed
from scrf_bench.experiments.map_cells import method_label
from scrf_bench.report import NOT_APPLICABLE, Column, Figure, Layout, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

PROCESSES = (1, 3, 5, 8)
SIZES = (2, 3, 5, 10, 20)
FACTORS = (1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.5)
_USUAL, _SEEDS = 5, 5
_MOST = 50.0  # points: a loss that nobody needs a test for


@dataclass
class PowerStudy:
    """Everything that is shown: rates, losses, and a curve of power for each number of processes.

    Attributes
    ----------
    spread : float
        Largest standard deviation between processes of the logarithm of a ratio.
    slowest : float
        RKS's time in the slowest process over that in the fastest.
    curves : dict
        Number of processes -> the share of comparisons, at each factor of :data:`FACTORS`, in which SCRF is red.
    """

    processes: int
    seeds: int
    spread: float
    slowest: float
    rates: list[Rate] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    curves: dict[int, list[float]] = field(default_factory=dict)


def study(replay: Replay, comparisons: int, say: Callable[[str], None] = lambda _: None) -> PowerStudy:
    """Replay `comparisons` of each kind."""
    seeds = len({record.cell.parameters["seed"] for record in replay.quality})
    fresh = min(_SEEDS, seeds // 2)
    found = PowerStudy(replay.processes, seeds, replay.spread(), max(replay.paces.values()))
    sizes = [n for n in PROCESSES if 2 * n <= replay.processes]
    usual = min(_USUAL, sizes[-1])
    for n in sizes:
        say(f"same code, {n} processes a side")
        found.rates.append(replay.rate("same code", comparisons, processes=n, seeds=fresh))
    say("same code, the base on the faster machine")
    words = "same code, fast against slow processes"
    found.rates.append(replay.rate(words, comparisons, processes=usual, seeds=fresh, uneven=True))
    for n in sizes:
        if n != usual:
            say(f"SCRF slower, {n} processes a side")
            found.rates.append(replay.slower("scrf", comparisons, processes=n, seeds=fresh))
    for name in replay.methods():
        say(f"{name} slower")
        found.rates.append(replay.slower(name, comparisons, processes=usual, seeds=fresh))
    for factor, other in ((1.0 / SLOWER, 1.0), (0.85, 1.0), (1.13, SLOWER), (SLOWER, SLOWER)):
        say(f"RKS {factor:.2f} times as long")
        found.rates.append(_beside_rks(replay, factor, other, comparisons, usual, fresh))
    say("a changed prediction")
    found.rates.append(replay.changed_prediction(comparisons))
    for n in sizes:
        say(f"SCRF slower by more and less, {n} processes a side")
        few = -(-comparisons // 5)
        found.curves[n] = [replay.slower("scrf", few, factor=f, processes=n).share for f in FACTORS]
    found.losses = replay.losses(SIZES, found.rates[0].rows)
    return found


def _beside_rks(replay: Replay, rks: float, factor: float, comparisons: int, processes: int, seeds: int) -> Rate:
    """Return how often another map than RKS is red where RKS takes `rks` times as long, and Fastfood `factor` times."""

    def changed(new: list[Record], _: np.random.Generator) -> list[Record]:
        return [slowed(slowed(record, "rks", rks), "fastfood", factor) for record in new]

    if factor == 1.0:
        words = f"rks {100 * (1 - rks):.0f} % faster: another map red"
    else:
        words = f"fastfood {100 * (factor - 1):.0f} % slower, and rks {100 * (rks - 1):.0f} %"

    def counts(comparison: Comparison) -> bool:
        names = {row.method for row in comparison.red if row.kind == "time"}
        return bool(names - {"rks"}) if factor == 1.0 else "fastfood" in names

    return replay.rate(words, comparisons, processes=processes, seeds=seeds, change=changed, counts=counts)


def power_layout(found: PowerStudy, tolerances: str) -> Layout:
    """Return the rates, what losses are seen, and the curves of power."""
    figure = Figure(
        name="",
        caption="Power of the gate against a slower SCRF",
        width=4.6,
        height=3.6,
        draw=partial(_draw, found=found),
    )
    return Layout(tables=[_rates(found, tolerances), _losses(found)], figures=[figure])


def _rates(found: PowerStudy, tolerances: str) -> Table:
    rows = []
    for rate in found.rates:
        low, high = rate.interval
        rows.append(
            {
                "scenario": rate.scenario,
                "processes": rate.processes or NOT_APPLICABLE,
                "seeds": rate.seeds,
                "rows": rate.rows,
                "comparisons": rate.comparisons,
                "red": rate.red,
                "share": rate.share,
                "interval": f"{100 * low:.2f} to {100 * high:.2f}",
            }
        )
    return Table(
        name="rates",
        title="How often a whole comparison is red",
        columns=[
            Column("scenario", "what is new"),
            Column("processes", "processes a side", align="r"),
            Column("seeds", "seeds a side", kind="int"),
            Column("rows", "rows left to chance", kind="int"),
            Column("comparisons", "comparisons", kind="int"),
            Column("red", "red", kind="int"),
            Column("share", "share", kind="percent", digits=1),
            Column("interval", "95 % interval (%)", align="r"),
        ],
        rows=rows,
        notes=[
            (
                f"Replayed on real records of one code: {found.processes} processes of each map, of which the slowest "
                f"needed {found.slowest:.2f} times as long for RKS as the fastest, and {found.seeds} seeds of each "
                "accuracy. A run is a block of consecutive processes, or (fast against slow) some of the faster half "
                "for the base and some of the slower for the new side; the two sides of a comparison share none, and "
                "the accuracies of the new side are other seeds under another version. Comparisons overlap in what "
                "they draw, so the interval, which takes them for independent, is a little too narrow."
            ),
            (
                f"{tolerances} Largest standard deviation between processes of a ratio's logarithm here: "
                f"{found.spread:.3f}. Slower: all times of one map multiplied; red counts where that map's own row is. "
                "RKS is judged beside scikit-learn's map; faster, it must not be taken for a loss of the others."
            ),
        ],
    )


def _losses(found: PowerStudy) -> Table:
    rows = found.rates[0].rows
    return Table(
        name="losses",
        title="Loss of accuracy that n seeds a side see 95 times in 100 (percentage points)",
        columns=[
            Column("dataset", "dataset"),
            Column("method", "map"),
            Column("spread", "spread of a seed", kind="float", digits=2),
            *(Column(f"n{n}", f"n = {n}", kind="float", digits=2) for n in SIZES),
        ],
        rows=[
            {
                "dataset": loss.dataset,
                "method": method_label(loss.method),
                "spread": loss.spread,
                **{f"n{n}": seen if seen <= _MOST else NOT_APPLICABLE for n, seen in loss.seen.items()},
            }
            for loss in sorted(found.losses, key=lambda loss: loss.dataset)
        ],
        notes=[
            (
                f"D = 512. By Welch's test at the level that one of {rows} rows has in a whole comparison "
                f"(alpha / {rows}), the tolerance included; the spread is the standard deviation over {found.seeds} "
                f"seeds. {NOT_APPLICABLE}: so few seeds see none at that level."
            )
        ],
        group_by="dataset",
    )


def _draw(canvas: Canvas, found: PowerStudy) -> None:
    ax = canvas.subplots()
    # Not methods but amounts of one thing: one hue, darker for more.
    shades = ["#9ecae1", "#6baed6", "#2171b5", "#08306b"]
    markers = ["v", "s", "o", "D"]
    for (n, shares), colour, marker in zip(found.curves.items(), shades, markers, strict=False):
        words = f"{n} process{'es' if n > 1 else ''}"
        ax.plot(100 * (np.array(FACTORS) - 1), 100 * np.array(shares), color=colour, marker=marker, label=words)
    ax.axhline(95.0, color="#555555", linestyle=":", linewidth=1.0, zorder=1, label="95 of 100")
    ax.set_xlabel("SCRF slower by (%)")
    ax.set_ylabel("comparisons that are red (%)")
    ax.set_ylim(-3, 103)
    ax.legend(title="a side", loc="lower right")
