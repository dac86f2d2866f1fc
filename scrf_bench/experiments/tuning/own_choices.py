"""What tables, figures and verdicts say of maps that ran with gamma and C of their own, read from the cells."""

from __future__ import annotations

from collections.abc import Iterable

from scrf_bench.bench import Cell
from scrf_bench.experiments.map_cells import method_label

TUNED_AT = "tuned_at_D"
"""Parameter of a cell whose gamma and C were chosen for its map: the number of columns at which they were."""


def own_choices(cells: Iterable[Cell]) -> dict[tuple[str, str], str]:
    """Return (dataset, map) -> what its gamma and C are, for the cells that do not have LIBSVM's; each once."""
    found: dict[tuple[str, str], str] = {}
    for cell in cells:
        p = cell.parameters
        if TUNED_AT in p:
            dataset, name = str(cell.dataset), str(p["method"])
            found[dataset, name] = (
                f"{method_label(name)} on {dataset} has gamma and C of its own, chosen at D = {p[TUNED_AT]:,} with the "
                f"{p['embedding']} embedding (tuning/{dataset}.{name}.toml in the --configs folder)"
            )
    return found


def own_tuning_notes(cells: Iterable[Cell]) -> list[str]:
    """Return what stands under a table or beside a verdict: a note for each map with gamma and C of its own."""
    return [f"Not the paper's way: {words}." for words in own_choices(cells).values()]
