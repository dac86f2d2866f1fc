"""The gate's settings: levels, what is golden, and tolerances per experiment, dataset and map."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from scrf_bench.datasets import registry
from scrf_bench.errors import ConfigError, did_you_mean
from scrf_bench.experiments import experiment_names
from scrf_bench.experiments.config import build_config, read_toml
from scrf_bench.experiments.map_cells import METHOD_LABELS
from scrf_bench.maps import map_names
from scrf_bench.resources import resource_path


@dataclass(frozen=True)
class Tolerances:
    """What a row may differ by; ``configs/gate.toml`` says what each means."""

    slower: float
    slower_elsewhere: float
    process_spread: float
    process_freedom: float
    accuracy_points: float
    error_ratio: float
    rounding_float64: float
    rounding_float32: float
    rounding_points: float

    def rounding(self, dtype: str) -> float:
        """Return the relative rounding of outputs of a dtype."""
        return self.rounding_float32 if dtype == "float32" else self.rounding_float64


@dataclass(frozen=True)
class SomeTolerances:
    """Tolerances that a rule sets; None leaves one as it is."""

    slower: float | None = None
    slower_elsewhere: float | None = None
    process_spread: float | None = None
    process_freedom: float | None = None
    accuracy_points: float | None = None
    error_ratio: float | None = None
    rounding_float64: float | None = None
    rounding_float32: float | None = None
    rounding_points: float | None = None


@dataclass(frozen=True)
class Rule:
    """Tolerances of the rows of an experiment, dataset and map (or other method); None stands for any."""

    tolerances: SomeTolerances
    experiment: str | None = None
    dataset: str | None = None
    map: str | None = None

    def covers(self, experiment: str, dataset: str | None, method: str) -> bool:
        """Tell whether the rule is about such rows."""
        asked = ((self.experiment, experiment), (self.dataset, dataset), (self.map, method))
        return all(mine is None or mine == theirs for mine, theirs in asked)


@dataclass(frozen=True)
class GateSettings:
    """Keys of ``configs/gate.toml``.

    Attributes
    ----------
    alpha : float
        Chance of a falsely red comparison, over all its rows.
    alpha_same : float
        Level at which one row is said to be the same.
    least_samples : int
        Samples a side for a verdict on times.
    golden, exact, accuracies, errors : tuple of str
        Patterns of metrics' names. Those of `exact` are compared in the same environment only.
    tolerances : Tolerances
    rules : tuple of Rule
        Later ones go before earlier ones.
    """

    alpha: float
    alpha_same: float
    least_samples: int
    golden: tuple[str, ...]
    exact: tuple[str, ...]
    accuracies: tuple[str, ...]
    errors: tuple[str, ...]
    tolerances: Tolerances
    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        for name in ("alpha", "alpha_same"):
            if not 0.0 < getattr(self, name) < 0.5:
                raise ValueError(f"{name} is {getattr(self, name)}; give a chance above 0 and below 0.5.")

    def tolerances_of(self, experiment: str, dataset: str | None, method: str) -> Tolerances:
        """Return the tolerances of one row, all rules that cover it applied in order."""
        found = self.tolerances
        for rule in self.rules:
            if rule.covers(experiment, dataset, method):
                named = {f.name: getattr(rule.tolerances, f.name) for f in fields(SomeTolerances)}
                found = replace(found, **{name: value for name, value in named.items() if value is not None})
        return found

    def is_golden(self, metric: str) -> bool:
        """Tell whether a fixed seed determines a metric."""
        return _matches(metric, self.golden) or self.is_exact(metric)

    def is_exact(self, metric: str) -> bool:
        """Tell whether rounding alone may change a metric by more than rounding: a hash, a count of errors."""
        return _matches(metric, self.exact)

    def is_accuracy(self, metric: str) -> bool:
        """Tell whether a metric is a share that should be high."""
        return _matches(metric, self.accuracies)

    def is_error(self, metric: str) -> bool:
        """Tell whether a metric is a positive number that should be low."""
        return _matches(metric, self.errors)


@cache  # few names, asked for every metric of every point
def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def load_gate(path: Path | None = None) -> GateSettings:
    """Load the packaged gate file; where a file of one's own is given, what it says goes before it.

    Raises
    ------
    ConfigError
        With the key's path, for an unknown key or a wrong value, or a rule for no rows.
    """
    packaged = resource_path("configs") / "gate.toml"
    table = read_toml(packaged)
    if path is not None:
        own = read_toml(path)
        if isinstance(own.get("tolerances"), dict):
            own["tolerances"] = table["tolerances"] | own["tolerances"]
        table |= own
    settings = build_config(GateSettings, table, str(path or packaged))
    for number, rule in enumerate(settings.rules):
        if wrong := _wrong_with(rule):
            raise ConfigError(f"{path or packaged}: rules[{number}]: {wrong}")
    return settings


def _wrong_with(rule: Rule) -> str:
    """Say why a rule would change nothing; empty where it is sound."""
    if rule.experiment is rule.dataset is rule.map is None:
        return "name an experiment, dataset or map that it is about."
    if rule.tolerances == SomeTolerances():
        return f"it sets no tolerance; there are {', '.join(f.name for f in fields(SomeTolerances))}."
    methods = [*map_names(), *METHOD_LABELS]
    known = (
        ("experiment", rule.experiment, experiment_names()),
        ("dataset", rule.dataset, list(registry())),
        # A plug-in that is not loaded here may have a map of any name, but hardly one that is nearly another's.
        ("map", rule.map, methods if rule.map and did_you_mean(rule.map.lower(), methods) else [rule.map]),
    )
    for kind, name, names in known:
        if name is not None and name not in names:
            return f"there is no {kind} '{name}'.{did_you_mean(name.lower(), map(str, names))}"
    return ""
