"""The experiments by name: ours, and those of other packages (entry points ``scrf_bench.experiments``)."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from scrf_bench.errors import UnknownNameError, UserError, did_you_mean

# Name -> module:class, so that listing names imports nothing.
_OWN = {
    "fig1": "scrf_bench.experiments.scrf.fig1:Fig1",
    "table1": "scrf_bench.experiments.scrf.table1:Table1",
    "fig2": "scrf_bench.experiments.scrf.fig2:Fig2",
    "fig3": "scrf_bench.experiments.scrf.fig3:Fig3",
    "table2": "scrf_bench.experiments.scrf.table2:Table2",
    "variance": "scrf_bench.experiments.suite.variance:Variance",
    "fig3-maps": "scrf_bench.experiments.suite.fig3_maps:Fig3Maps",
    "fig-scale": "scrf_bench.experiments.suite.scale:Scale",
    "crhs-table1": "scrf_bench.experiments.crhs.table1:Table1",
    "crhs-table2": "scrf_bench.experiments.crhs.table2:Table2",
    "crhs-fig1": "scrf_bench.experiments.crhs.fig1:Fig1",
    "crhs-table3": "scrf_bench.experiments.crhs.table3:Table3",
    "crhs-table4": "scrf_bench.experiments.crhs.table45:Table4",
    "crhs-table5": "scrf_bench.experiments.crhs.table45:Table5",
    "cosplay": "scrf_bench.experiments.cosplay.cosplay:Cosplay",
    "cosplay-front": "scrf_bench.experiments.cosplay.front:Front",
    "ridge": "scrf_bench.experiments.suite.ridge:Ridge",
    "conversion": "scrf_bench.experiments.suite.conversion:Conversion",
    "gate-times": "scrf_bench.experiments.suite.gate_times:GateTimes",
}
_PLUGINS: dict[str, Any] = {}


def register_experiment(experiment_type: Any) -> Any:
    """Make an experiment of a plug-in file known by its `name`; usable as a class decorator."""
    _PLUGINS[experiment_type.name] = experiment_type
    return experiment_type


def experiment_names() -> list[str]:
    """Return every experiment's name, ours first, in the papers' order."""
    others = [point.name for point in entry_points(group="scrf_bench.experiments")]
    return list(dict.fromkeys([*_OWN, *others, *_PLUGINS]))


def experiment_by_name(name: str) -> Any:
    """Return a fresh instance of an experiment.

    Raises
    ------
    UnknownNameError
        If there is none of that name; the message lists what there is.
    """
    if name in _PLUGINS:
        return _PLUGINS[name]()
    if name in _OWN:
        module, _, attribute = _OWN[name].partition(":")
        return getattr(import_module(module), attribute)()
    for point in entry_points(group="scrf_bench.experiments"):
        if point.name == name:
            try:
                return point.load()()
            except (ImportError, AttributeError, TypeError) as error:
                msg = (
                    f"Cannot import the experiment '{name}' ({point.value}): {error}. Reinstall or remove its package."
                )
                raise UserError(msg) from error
    names = experiment_names()
    msg = f"There is no experiment '{name}'.{did_you_mean(name, names)} Known: {', '.join(names)}."
    raise UnknownNameError(msg)
