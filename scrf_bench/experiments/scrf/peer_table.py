"""Other packages' maps against ours: each row's two times come from one process, in turns."""

from __future__ import annotations

from collections.abc import Sequence

from scrf_bench.bench import Point, Record
from scrf_bench.experiments.map_cells import method_label
from scrf_bench.experiments.matrices import REFERENCE
from scrf_bench.experiments.peers import PEERS
from scrf_bench.experiments.ratios import passes_gate, ratio_of
from scrf_bench.experiments.scrf.sweeps import Place, missing_peers, points_by_place, refused
from scrf_bench.report import Column, Table

_COLUMNS = [
    Column("d", "d", kind="int"),
    Column("dtype", "input"),
    Column("peer", "peer", align="l"),
    Column("computes", "it computes in"),
    Column("returns", "it returns"),
    Column("peer_time", "its time", unit="s", kind="seconds"),
    Column("map", "our map", align="l"),
    Column("map_time", "our time", unit="s", kind="seconds"),
    Column("ratio", "ours is faster by", kind="ratio"),
    Column("low", "lower quartile", kind="ratio"),
    Column("high", "upper quartile", kind="ratio"),
    Column("output", "outputs", align="l"),
]


def peer_table(name: str, title: str, planned: Sequence[Place], records: Sequence[Record]) -> Table | None:
    """Return the table of every planned peer against its counterparts among our maps; None without peers."""
    points, missing = points_by_place(records), missing_peers(records)
    order = sorted(
        {(d, place.dtype, place.method) for place in planned if place.method in PEERS for d in place.d},
        key=lambda key: (key[0], key[1], list(PEERS).index(key[2])),
    )
    rows = []
    for d, dtype, peer in order:
        computes, returns = PEERS[peer].precision(dtype)
        for ours in _counterparts(peer):
            row: dict[str, object] = {"d": d, "dtype": dtype, "peer": method_label(peer), "map": method_label(ours)}
            row |= {"computes": computes if PEERS[peer].estimates else "–", "returns": returns}
            point = points.get((dtype, d, peer))
            if point is None:
                rows.append(row | ({"peer_time": missing[peer]} if peer in missing else {}))
                continue
            rows += [row | pair for pair in _pairs(peer, ours, point)]
    if not rows:
        return None
    return Table(
        name=name,
        title=title,
        columns=_COLUMNS,
        rows=rows,
        notes=[
            (
                "CPU seconds and their ratio, round by round, in turns in one process: median and quartiles. 'reused': "
                "both write into an output that is there already; 'fresh': both make one; 'fresh, reused': the peer "
                "makes one since it cannot take one, ours reuses one, as their users would have it."
            ),
            (
                "Our maps compute in the input's precision and return it. A peer that computes in float32 and returns "
                "float64 does half the arithmetic of a float64 map and writes twice the bytes of a float32 one."
            ),
            "Below 1, the peer is the faster one; filling the output is the floor, which nothing can reach.",
        ],
        group_by="d",
    )


def _counterparts(peer: str) -> tuple[str, ...]:
    """Return our maps that do what a peer does: plain RKS only where nothing nearer is timed beside it."""
    return tuple(other for other in PEERS[peer].beside if other != REFERENCE) or PEERS[peer].beside


def _pairs(peer: str, ours: str, point: Point) -> list[dict[str, object]]:
    """Return one row for each way in which the two outputs can be had."""
    kinds = [("map", "map", "reused")] if PEERS[peer].takes_out else []
    kinds += [("map_fresh", "map_fresh", "fresh")]
    kinds += [] if PEERS[peer].takes_out else [("map_fresh", "map", "fresh, reused")]
    rows: list[dict[str, object]] = []
    for its, own, output in kinds:
        ratio = ratio_of(point.samples, its, f"{ours}_{own}")
        if ratio is None:
            continue
        row: dict[str, object] = {"output": output, "map_time": point.metrics[f"{ours}_{own}_cpu_s"]}
        if passes_gate(point):
            row |= {"peer_time": point.metrics[f"{its}_cpu_s"]}
            row |= {"ratio": ratio.median, "low": ratio.low, "high": ratio.high}
        else:
            row |= {"peer_time": refused(point)}
        rows.append(row)
    return rows
