"""Variance, bias and mean squared error of the kernel estimate, measured against the exact formulas and against RKS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.datasets import load, lookup
from scrf_bench.experiments.base import DatasetUse, Experiment, Selection
from scrf_bench.experiments.map_cells import known_dataset, map_version
from scrf_bench.experiments.matrices import DENSE
from scrf_bench.experiments.suite.directions import KINDS, Matrix, base_point, data_directions, directions
from scrf_bench.experiments.suite.estimates import EMBEDDINGS, kernel_errors, moments, named, rounded
from scrf_bench.experiments.suite.formulas import formula
from scrf_bench.experiments.suite.variance_claims import CLAIMS
from scrf_bench.experiments.suite.variance_layout import TITLE, variance_layout
from scrf_bench.experiments.suite.variants import Variant, variant
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.report import Layout


@dataclass(frozen=True)
class Place:
    """Where estimates are measured: synthetic v of one width, or differences of a dataset's rows.

    Attributes
    ----------
    blocks : tuple of int
        Numbers of frequencies, in multiples of d.
    repetitions : int
        Fresh draws of every map.
    dense_repetitions : int, optional
        Of maps that draw a whole matrix, in ``O(d)`` and more a frequency; as many by default.
    d : int, optional
        Width of synthetic v.
    dataset : str, optional
        Registry name; its width is d then.
    also, without : tuple of str
        Maps that are measured here and elsewhere not, or the other way round.
    """

    blocks: tuple[int, ...]
    repetitions: int
    dense_repetitions: int | None = None
    d: int | None = None
    dataset: str | None = None
    also: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.d is None) == (self.dataset is None):
            raise ValueError(f"a place has either d or dataset, not d={self.d} and dataset={self.dataset!r}.")

    def repetitions_of(self, name: str) -> int:
        """Return how many fresh draws of a map are measured."""
        dense = variant(name).map in DENSE
        return self.dense_repetitions if dense and self.dense_repetitions is not None else self.repetitions

    @property
    def width(self) -> int:
        """The number of entries of v."""
        return self.d if self.d is not None else lookup(str(self.dataset)).n_features


@dataclass(frozen=True)
class VarianceConfig:
    """Keys of ``configs/variance.toml``.

    Attributes
    ----------
    maps : tuple of str
        Maps, or variants of them with other options (`scrf_bench.experiments.suite.variants`).
    kinds : tuple of str
        Of synthetic v (`scrf_bench.experiments.suite.directions`).
    s : tuple of float
        The lengths ``||x - y||/sigma``.
    directions : int
        How many v of a random kind, or pairs of a dataset's rows; what is shown is the mean over them.
    places : tuple of Place
    batches : int
        Into how many groups the repetitions of a point are put; claims are judged from those.
    maps_per_cell : int
        How many maps one process measures: its start takes seconds.
    formula_work : float
        What one evaluation of a formula may cost that is a mean over draws of signs; see `suite.formulas`.
    table_s : float
        The s of the tables, one of `s`.
    figure_d : int
        The d of synthetic v that figures show.
    seed : int
        Of v and of the first repetition; later ones count on from it.
    """

    maps: tuple[str, ...]
    kinds: tuple[str, ...]
    s: tuple[float, ...]
    directions: int
    places: tuple[Place, ...]
    batches: int
    maps_per_cell: int
    formula_work: float
    table_s: float
    figure_d: int
    seed: int

    def __post_init__(self) -> None:
        for kind in self.kinds:
            if kind not in KINDS:
                raise ValueError(f"there is no kind of v '{kind}'; there are {', '.join(KINDS)}.")
        if self.table_s not in self.s:
            raise ValueError(f"table_s is {self.table_s:g}, which is none of s; take one of them.")
        if min(place.dense_repetitions or place.repetitions for place in self.places) < self.batches:
            raise ValueError(f"there are {self.batches} batches, but a place has fewer repetitions; give it more.")

    def maps_at(self, place: Place, selection: Selection) -> list[str]:
        """Return the maps of a place: the config's, or those that ``--maps`` names."""
        if selection.maps is not None:
            return list(selection.maps)
        return [name for name in (*self.maps, *place.also) if name not in place.without]


class Variance(Experiment[VarianceConfig]):
    """How far kernel estimates scatter, at differences v of all kinds."""

    name = "variance"
    title = TITLE
    paper = "suite"
    version = 1
    config_type = VarianceConfig
    claims = CLAIMS

    def dataset_uses(self, config: VarianceConfig, selection: Selection) -> list[DatasetUse]:
        """The datasets of the places asked for."""
        return [DatasetUse(place.dataset) for place in _places(config, selection) if place.dataset is not None]

    def plan(self, config: VarianceConfig, selection: Selection, tuning: Tuning) -> list[Cell]:
        """A few maps at one place a cell."""
        for name in selection.maps or ():
            variant(name)
        cells = []
        for place in _places(config, selection):
            alike: dict[int, list[str]] = {}
            for name in config.maps_at(place, selection):
                alike.setdefault(selection.seeds or place.repetitions_of(name), []).append(name)
            for repetitions, maps in alike.items():
                cells += [
                    self._cell(
                        config, place, maps[start : start + config.maps_per_cell], repetitions, selection, tuning
                    )
                    for start in range(0, len(maps), config.maps_per_cell)
                ]
        return cells

    def _cell(
        self,
        config: VarianceConfig,
        place: Place,
        maps: Sequence[str],
        repetitions: int,
        selection: Selection,
        tuning: Tuning,
    ) -> Cell:
        parameters: dict[str, Any] = {
            "maps": list(maps),
            "d": place.width,
            "blocks": list(place.blocks),
            "kinds": [place.dataset] if place.dataset else list(config.kinds),
            "s": list(config.s),
            "directions": config.directions,
            "repetitions": repetitions,
            "batches": min(config.batches, repetitions),
            "formula_work": config.formula_work,
            "seed": config.seed,
        }
        variants = {name: variant(name) for name in maps}
        if place.dataset:
            parameters["scaling"] = tuning[place.dataset].scaling
        named_maps = ", ".join(v.label for v in variants.values()) if len(maps) < 3 else f"{maps[0]} to {maps[-1]}"
        return Cell(
            experiment=self.name,
            kind="quality",
            parameters=parameters,
            versions={"experiment": self.version} | {v.map: map_version(v.map) for v in variants.values()},
            dataset=place.dataset,
            dataset_identity=lookup(place.dataset).identity if place.dataset else None,
            threads=selection.threads,
            label=f"{named_maps} {place.dataset or f'd={place.width}'}",
            expected_s=2.5 + sum(_guess_s(v.map, parameters) for v in variants.values()),
        )

    def part(self, cell: Cell, of: Cell) -> Cell | None:
        """Each map is measured by itself, from the same seeds: its points are the same whatever stands beside it."""
        maps = of.parameters["maps"]
        if not set(maps) <= set(cell.parameters.get("maps", ())):
            return None
        versions = {name: version for name, version in cell.versions.items() if name in of.versions}
        return replace(cell, parameters={**cell.parameters, "maps": maps}, versions=versions)

    def measure(self, cell: Cell) -> list[Point]:
        """Measure every map of the cell, from repetitions that all maps draw from the same seeds."""
        p = cell.parameters
        V = _directions(cell)
        seeds = range(p["seed"], p["seed"] + p["repetitions"])
        x = base_point(p["d"], p["seed"])
        points: list[Point] = []
        for name in p["maps"]:
            for blocks in p["blocks"]:
                errors = kernel_errors(variant(name), np.vstack(list(V.values())), x, p["s"], blocks * p["d"], seeds)
                points += _points(cell, name, blocks, V, errors)
        return points

    def layout(self, config: VarianceConfig, records: Sequence[Record], selection: Selection) -> Layout:
        """Ratios to RKS by kind of v, each map against its formula, and the figures."""
        return variance_layout(config, records, selection)


def _places(config: VarianceConfig, selection: Selection) -> list[Place]:
    """Return the places of the datasets asked for, or all."""
    if selection.datasets is None:
        return list(config.places)
    declared = [place.dataset for place in config.places if place.dataset is not None]
    for name in selection.datasets:
        known_dataset(name, declared, Variance.name)
    return [place for place in config.places if place.dataset in selection.datasets]


def _directions(cell: Cell) -> dict[str, Matrix]:
    """Return the unit vectors of each kind."""
    p = cell.parameters
    if cell.dataset is not None:
        X = load(cell.dataset, scaling=p["scaling"]).X_train
        return {cell.dataset: data_directions(cell.dataset, X, p["directions"], p["seed"])}
    return {kind: directions(kind, p["d"], p["directions"], p["seed"]) for kind in p["kinds"]}


def _points(cell: Cell, name: str, blocks: int, V: dict[str, Matrix], errors: dict[str, Matrix]) -> Iterator[Point]:
    """Yield a point for each kind of v and each s."""
    p = cell.parameters
    last = np.cumsum([len(vectors) for vectors in V.values()])
    for (kind, vectors), end in zip(V.items(), last, strict=True):
        columns = slice(end - len(vectors), end)
        for i, s in enumerate(p["s"]):
            metrics: dict[str, Any] = {"repetitions": p["repetitions"]}
            samples: dict[str, list[float]] = {}
            for embedding in EMBEDDINGS:
                found, kept = moments(errors[embedding][:, i, columns], p["batches"])
                metrics |= named(found, embedding)
                samples |= {f"{embedding}_{key}": values for key, values in kept.items()}
            metrics |= _formula(variant(name), s * vectors, blocks * p["d"], p["formula_work"])
            where = {"map": name, "d": p["d"], "blocks": blocks, "v": kind, "s": s}
            yield Point(where, metrics, samples)


def _formula(of: Variant, vectors: Matrix, n_frequencies: int, work: float) -> dict[str, float]:
    """Return the pair estimate's moments by formula, means over the vectors; nothing where there is none."""
    found = []
    for v in vectors:
        exact = formula(of, v, n_frequencies, work)
        if exact is None:
            return {}
        found.append(exact)
    s = float(np.linalg.norm(vectors[0]))
    mean, variance, mean_error, variance_error = np.array(found).T
    bias = mean - np.exp(-(s**2) / 2)
    # The vectors share the formula's draws of signs: their errors add up instead of averaging out.
    return {
        "formula_bias": rounded(bias.mean()),
        "formula_variance": rounded(variance.mean()),
        "formula_mse": rounded((variance + bias**2).mean()),
        "formula_mse_se": rounded((variance_error + 2 * np.abs(bias) * mean_error).mean()),
    }


def _guess_s(map_name: str, p: dict[str, Any]) -> float:
    """Guess one map's seconds."""
    d, vectors = p["d"], len(p["kinds"]) + p["directions"]
    seconds = 0.0
    for blocks in p["blocks"]:
        F = d * blocks
        dense = F * d * (2e-8 + (d * 2e-10 if map_name == "orf" else 0.0)) if map_name in DENSE else 0.0
        seconds += p["repetitions"] * (1.5e-3 + dense + 4e-9 * F * vectors * len(p["s"]))
        seconds += 0.0 if map_name in DENSE else 3e-9 * p["formula_work"] * vectors * len(p["s"])
    return seconds
