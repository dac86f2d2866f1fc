"""Hyper-parameters chosen by cross-validation: one file a dataset under ``configs/tuning``, with its provenance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from scrf_bench.datasets.loading import Scaling
from scrf_bench.errors import ConfigError
from scrf_bench.experiments.config import config_file, load_config, read_toml
from scrf_bench.resources import resource_path


@dataclass(frozen=True)
class TunedSet:
    """Gamma and C of one dataset, and how, when and on what they were chosen.

    Attributes
    ----------
    dataset : str
        Whose parameters these are.
    tuned_on : str
        The dataset they were chosen on (another one where the set itself could not be had).
    scaling : str
        Scaling fitted on the training part before anything else; the maps must use the same.
    log2_C, log2_gamma : float
        Base-2 logarithms of LIBSVM's C and of gamma in exp(-gamma ||x-y||^2).
    cv_accuracy : float
        Cross-validated accuracy at the choice, a fraction.
    folds, rows, seed : int
        Number of folds, training rows used, and the seed of folds and subsample.
    grid, solver, date, package : str
        The grid searched, the solver and its settings, the day, and the package version with its commit.
    """

    dataset: str
    tuned_on: str
    scaling: Scaling
    log2_C: float
    log2_gamma: float
    cv_accuracy: float
    folds: int
    rows: int
    seed: int
    grid: str
    solver: str
    date: str
    package: str


@dataclass(frozen=True)
class TunedMap(TunedSet):
    """Gamma and C of one map on one dataset, in ``<dataset>.<map>.toml``: for the user, no experiment reads it.

    Attributes
    ----------
    map : str
        Registered name.
    map_version, components : int
        The map's declared version, and its number of columns D.
    embedding : str
    """

    map: str
    map_version: int
    components: int
    embedding: str


@dataclass(frozen=True)
class Tuning:
    """Looks tuned sets up: in the user's config folder first, then in the packaged one."""

    configs: Path | None = None

    def __getitem__(self, dataset: str) -> TunedSet:
        """Return the tuned parameters of a dataset.

        Raises
        ------
        ConfigError
            If nobody tuned it; the message says which command does.
        """
        name = f"tuning/{dataset}"
        path = config_file(name, self.configs)
        if not path.exists():
            msg = (
                f"Dataset '{dataset}' has no tuned gamma and C (no {path}). "
                f"Choose them with: scrf-bench tune {dataset} --configs DIR"
            )
            raise ConfigError(msg)
        same_as = read_toml(path).get("same_as")
        if same_as is not None:
            # A set that could not be had when the others were tuned, like the full cifar10, borrows a relative's.
            return replace(self[same_as], dataset=dataset)
        return load_config(name, "chosen", TunedSet, self.configs)

    def names(self) -> list[str]:
        """Return the datasets with packaged parameters."""
        return sorted(path.stem for path in (resource_path("configs") / "tuning").glob("*.toml"))

    def grid(self, dataset: str) -> list[list[float]]:
        """Return every point that was tried, as [log2 C, log2 gamma, cross-validated accuracy]."""
        points: list[list[float]] = read_toml(config_file(f"tuning/{dataset}", self.configs)).get("tried", [])
        return points
