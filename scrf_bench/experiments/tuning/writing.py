"""What was chosen as a file with its provenance, and the picture of the search."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from scrf_bench.atomic import write_over
from scrf_bench.experiments.tuning.chosen import TunedSet
from scrf_bench.experiments.tuning.search import SearchSettings, journal_path
from scrf_bench.learners import TuningResult
from scrf_bench.maps import map_by_name
from scrf_bench.report import Figure, draw_heat_map, save_figure


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


def write_tuned(
    tuned: TunedSet, settings: SearchSettings, results: Sequence[TuningResult], configs: Path
) -> list[Path]:
    """Write ``tuning/<dataset>.toml`` (of a map ``<dataset>.<map>.toml``) and its heat map under a config folder.

    Points of fewer rows than the last are in neither: their accuracies are not comparable. The journal goes.
    """
    last = [result for result in results if result.rows_used == results[-1].rows_used]
    tried = sorted({point for result in last for point in result.tried})
    lines = ["# Every point tried: log2 C, log2 gamma, cross-validated accuracy.", "tried = ["]
    lines += [f"  [{log2_C:g}, {log2_gamma:g}, {accuracy:.6f}]," for log2_C, log2_gamma, accuracy in tried]
    # JSON's strings and numbers are also TOML's.
    lines += ["]", "", "[chosen]", *(f"{key} = {json.dumps(value)}" for key, value in vars(tuned).items())]
    stem = f"{tuned.dataset}{settings.stem}"
    path = write_over(configs / "tuning" / f"{stem}.toml", "\n".join(lines) + "\n")
    drawn = save_figure(_heat_map(tuned, settings, results), configs / "tuning", stem, ("png",))
    journal_path(tuned.dataset, settings, configs).unlink(missing_ok=True)
    return [path, *drawn]


def _heat_map(tuned: TunedSet, settings: SearchSettings, results: Sequence[TuningResult]) -> Figure:
    of = "exact LIBSVM" if settings.map is None else f"{map_by_name(settings.map).label}, D = {settings.components:,}"
    title = f"{tuned.dataset}, {of}: {100 * tuned.cv_accuracy:.2f} % over {tuned.folds} folds of {tuned.rows:,} rows"
    fewer = sorted({result.rows_used for result in results} - {tuned.rows})
    note = f"\nwhere the search stopped early: over {', '.join(map(str, fewer))} rows" if fewer else ""
    grids, best = [result.tried for result in results], (tuned.log2_C, tuned.log2_gamma)
    draw = partial(draw_heat_map, grids=grids, best=best, title=title + note)
    return Figure(name="", caption=title, width=5.4, height=4.2, draw=draw)
