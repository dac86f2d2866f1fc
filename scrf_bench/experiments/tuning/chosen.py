"""Hyper-parameters chosen by cross-validation: one file a dataset under ``configs/tuning``, with its provenance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path

from scrf_bench.datasets import registry
from scrf_bench.datasets.loading import Scaling
from scrf_bench.errors import ConfigError
from scrf_bench.experiments.config import config_file, load_config, read_toml
from scrf_bench.maps import map_by_name
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
    """Gamma and C of one map on one dataset, in ``<dataset>.<map>.toml`` of a user's config folder.

    Attributes
    ----------
    map : str
        Registered name.
    map_version, components : int
        The map's declared version, and its number of columns D.
    embedding : str
        The map's, where it has one.
    """

    map: str
    map_version: int
    components: int
    embedding: str

    def command(self, dataset: str, name: str, *, scaling: str, embedding: str) -> str:
        """Return the command that chooses for a dataset and a map as this was chosen, at the same D."""
        return (
            f"scrf-bench tune {dataset} --map {name} --components {self.components} --scaling {scaling} "
            f"--embedding {embedding} --rows {self.rows} --folds {self.folds} --seed {self.seed}"
        )


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

    def of_map(self, dataset: str, name: str, embedding: str) -> TunedSet:
        """Return what a map uses on a dataset: its own choice where the user's config folder has one, or the dataset's.

        A map's own is looked for in the folder given by ``--configs`` alone, never among the packaged configs: what
        the package compares, it compares at one gamma and C.

        Parameters
        ----------
        dataset, name : str
            Of the dataset and of the map.
        embedding : str
            The experiment's.

        Raises
        ------
        ConfigError
            If nobody tuned the dataset; or if the map's own was chosen for another dataset, map, scaling or embedding,
            or for an earlier version of the map.
        """
        common = self[dataset]
        stem = f"tuning/{dataset}.{name}"
        if self.configs is None or not (self.configs / f"{stem}.toml").exists():
            return common
        own = load_config(stem, "chosen", TunedMap, self.configs)
        reason = _misfit(own, dataset, name, common.scaling, embedding)
        if reason is not None:
            other = config_file(f"tuning/{dataset}", self.configs)
            again = own.command(dataset, name, scaling=common.scaling, embedding=embedding)
            msg = (
                f"{self.configs / stem}.toml: {reason.format(other=other)} Remove the file, or: "
                f"{again} --configs {self.configs}"
            )
            raise ConfigError(msg)
        return own

    def scaling(self, dataset: str) -> Scaling:
        """Return the scaling that a dataset was tuned with; none, if nobody tuned it."""
        return self[dataset].scaling if config_file(f"tuning/{dataset}", self.configs).exists() else "none"

    def names(self) -> list[str]:
        """Return the datasets with packaged parameters (not what a user tuned for a map into that folder)."""
        return sorted(
            path.stem for path in (resource_path("configs") / "tuning").glob("*.toml") if path.stem in registry()
        )

    def grid(self, dataset: str) -> list[list[float]]:
        """Return every point that was tried, as [log2 C, log2 gamma, cross-validated accuracy]."""
        points: list[list[float]] = read_toml(config_file(f"tuning/{dataset}", self.configs)).get("tried", [])
        return points


def _misfit(own: TunedMap, dataset: str, name: str, scaling: str, embedding: str) -> str | None:
    """Return why a map's own choice cannot be used, ``{other}`` standing for the dataset's file; None if it can."""
    kind = map_by_name(name)
    if (own.dataset, own.map) != (dataset, name):
        return f"it holds gamma and C of {own.map} on {own.dataset}."
    if own.scaling != scaling:
        return (
            f"chosen with scaling '{own.scaling}', but {{other}} has '{scaling}', and all methods must see the same "
            f"rows (or tune the dataset with --scaling {own.scaling})."
        )
    if own.map_version != kind.version:
        return f"chosen for version {own.map_version} of {name}, which is at version {kind.version} now."
    if own.embedding != embedding and "embedding" in signature(kind).parameters:
        return f"chosen with the embedding '{own.embedding}', but the experiment's is '{embedding}'."
    return None
