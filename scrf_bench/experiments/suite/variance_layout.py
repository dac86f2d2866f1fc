"""Tables of the variance experiment, from its records; the figures are `variance_figure`'s."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scrf_bench.bench import Record
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.suite.directions import kind_label
from scrf_bench.experiments.suite.estimates import EMBEDDINGS
from scrf_bench.experiments.suite.formulas import own_order
from scrf_bench.experiments.suite.variance_figure import variance_figures
from scrf_bench.experiments.suite.variance_ratios import Ratios, Spot
from scrf_bench.experiments.suite.variants import variant
from scrf_bench.report import NOT_APPLICABLE, Column, Layout, Table

if TYPE_CHECKING:
    from scrf_bench.experiments.suite.variance import Place, VarianceConfig

TITLE = "Variance of the kernel estimate, over that of RKS"


def variance_layout(config: VarianceConfig, records: Sequence[Record], selection: Selection) -> Layout:
    """Return the tables, and the figures if there is anything to draw."""
    ratios = Ratios([point for record in records for point in record.points])
    places = [p for p in config.places if selection.datasets is None or p.dataset in selection.datasets]
    synthetic = [place for place in places if place.dataset is None]
    tables = [_by_kind(config, synthetic, selection, ratios, e) for e in EMBEDDINGS] if synthetic else []
    shown = [place for place in places if place.dataset or place.d == config.figure_d]
    tables += [_by_map(config, shown, selection, ratios), _checks(ratios)]
    figures = variance_figures(config, places, selection, ratios) if ratios.points else []
    return Layout(tables=tables, figures=figures)


_WHAT = (
    "Mean squared error of the estimate over the exact variance of RKS at as many columns and the same s = ||x - y||/"
    "sigma; for an unbiased map that is the ratio of variances. Mean over the v of a kind, ± standard error over "
    "repetitions, each a fresh draw of the map. A block is d frequencies."
)
_KINDS = "Two entries: positions 0 and d/2, a subgroup like every 4th."


def _by_kind(
    config: VarianceConfig, places: Sequence[Place], selection: Selection, ratios: Ratios, embedding: str
) -> Table:
    """Return a table of one embedding: a row a place and map, a column a kind of v."""
    rows: list[dict[str, Any]] = []
    for place in places:
        for blocks in place.blocks:
            for name in config.maps_at(place, selection):
                row: dict[str, Any] = {"place": _place_words(place, blocks), "map": variant(name).label}
                for kind in config.kinds:
                    row[kind] = ratios.measured(Spot(name, place.width, blocks, kind, config.table_s), embedding)
                rows.append(row)
    return Table(
        name=embedding,
        title=f"Mean squared error over RKS's variance, {embedding} embedding, s = {config.table_s:g}",
        columns=[
            Column("place", "width, blocks"),
            Column("map", "map"),
            *(Column(kind, kind_label(kind), kind="mean_se") for kind in config.kinds),
        ],
        rows=rows,
        notes=[_WHAT, _KINDS, *_cut_off(config, places, selection)],
        group_by="place",
    )


def _place_words(place: Place, blocks: int) -> str:
    return f"d = {place.width}, {blocks} block{'' if blocks == 1 else 's'}"


def _cut_off(config: VarianceConfig, places: Sequence[Place], selection: Selection) -> list[str]:
    """Say where d frequencies and a few are only a part of one block of a map whose blocks are larger than d."""
    parts: dict[str, list[str]] = {}
    for place in places:
        for blocks in place.blocks:
            F = blocks * place.width
            for name in config.maps_at(place, selection):
                order = own_order(variant(name), place.width)
                if order > F:
                    where = f"{_place_words(place, blocks)} ({F:,} of {order:,} frequencies)"
                    parts.setdefault(where, []).append(f"'{variant(name).label}'")
    if not parts:
        return []
    words = "; ".join(f"{where}: {', '.join(names)}" for where, names in parts.items())
    larger = "Fastfood and SORF have blocks of the next power of two, OCRF's circulants of 2 d or more and at least 64"
    return [f"{larger}. Less than one whole block, and so without all that orthogonal rows gain: {words}."]


def _by_map(config: VarianceConfig, places: Sequence[Place], selection: Selection, ratios: Ratios) -> Table:
    """Return measured and exact ratios and biases, on datasets and at the figure's d, where they have most blocks."""
    rows = []
    for place in places:
        blocks = max(place.blocks)
        for kind in [place.dataset] if place.dataset else config.kinds:
            for name in config.maps_at(place, selection):
                spot = Spot(name, place.width, blocks, str(kind), config.table_s)
                row: dict[str, Any] = {
                    "v": f"{kind_label(spot.kind)}, {_place_words(place, blocks)}",
                    "map": variant(name).label,
                }
                for embedding in EMBEDDINGS:
                    exact = ratios.formula(spot, embedding)
                    row[f"{embedding}_ratio"] = ratios.measured(spot, embedding)
                    row[f"{embedding}_formula"] = NOT_APPLICABLE if exact is None else exact.mean
                    row[f"{embedding}_bias"] = ratios.bias(spot, embedding)
                rows.append(row)
    columns = [Column("v", "v"), Column("map", "map")]
    for embedding in EMBEDDINGS:
        columns += [
            Column(f"{embedding}_ratio", f"{embedding}: measured", kind="mean_se"),
            Column(f"{embedding}_formula", "formula", kind="float", digits=3),
            Column(f"{embedding}_bias", "bias", unit="sd", kind="mean_se"),
        ]
    return Table(
        name="points",
        title=f"Measured ratios to RKS's variance beside the formulas, s = {config.table_s:g}",
        columns=columns,
        rows=rows,
        notes=[
            _WHAT,
            (
                "v of a dataset: differences of random pairs of its training rows, scaled to length s. Bias in "
                "standard deviations of an estimate, of which a single draw has none. "
                f"{NOT_APPLICABLE}: no formula, or one that is too dear here."
            ),
        ],
        group_by="v",
    )


def _checks(ratios: Ratios) -> Table:
    """Return how well each map agrees with its formula, over all points of the records."""
    rows = []
    for name in dict.fromkeys(spot.map for spot in ratios.points):
        spots = [spot for spot in ratios.points if spot.map == name]
        row: dict[str, Any] = {"map": variant(name).label, "points": len(spots)}
        for embedding in EMBEDDINGS:
            scores = [score for _, score in _scores(ratios, spots, embedding)]
            row[f"{embedding}_within"] = float(np.mean(np.abs(scores) < 2)) if scores else NOT_APPLICABLE
            row[f"{embedding}_largest"] = max(scores, key=abs) if scores else NOT_APPLICABLE
        biases = [bias.mean / bias.se for spot in spots if (bias := ratios.bias(spot, "pair")) and bias.se]
        row["biased"] = float(np.mean(np.abs(biases) < 2)) if biases else NOT_APPLICABLE
        rows.append(row)
    columns = [Column("map", "map"), Column("points", "points", kind="int")]
    for embedding in EMBEDDINGS:
        columns += [
            Column(f"{embedding}_within", f"{embedding}: within 2 se", kind="percent", digits=1),
            Column(f"{embedding}_largest", "largest deviation", unit="se", kind="float", digits=1),
        ]
    columns.append(Column("biased", "bias within 2 se of 0", kind="percent", digits=1))
    return Table(
        name="formulas",
        title="Measured mean squared errors against the formulas, over all kinds of v, s, d and blocks",
        columns=columns,
        rows=rows,
        notes=[
            (
                "Standard errors of measurement and, where a formula is a mean over draws of signs, of the formula. "
                "95.4 % would be within 2 if errors were normal; squared errors are skewed, and points share draws."
            )
        ],
    )


def _scores(ratios: Ratios, spots: Sequence[Spot], embedding: str) -> Iterator[tuple[Spot, float]]:
    """Yield how many standard errors each point is off its formula."""
    for spot in spots:
        measured, exact = ratios.measured(spot, embedding), ratios.formula(spot, embedding)
        if measured and measured.se is not None and exact:
            # Squared errors spread in proportion to their mean, so few and small ones would claim too small an error.
            error = float(np.hypot(measured.se * exact.mean / measured.mean, exact.se or 0.0))
            if error > 0:
                yield spot, (measured.mean - exact.mean) / error
