"""Names of maps: those that come with the package, and those that other packages bring along."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from scrf_bench.errors import UnknownNameError, UserError, did_you_mean
from scrf_bench.maps.base import FeatureMap, RandomFeatureMap
from scrf_bench.maps.column_signed import ColumnSignedCirculant
from scrf_bench.maps.fastfood import Fastfood
from scrf_bench.maps.nystroem import Nystroem, RPCholeskyNystroem
from scrf_bench.maps.ocrf import OCRF
from scrf_bench.maps.orf import ORF
from scrf_bench.maps.qmc import QMC
from scrf_bench.maps.rbfsampler import RBFSampler
from scrf_bench.maps.rks import RKS
from scrf_bench.maps.scrf import SCRF
from scrf_bench.maps.sorf import SORF

ENTRY_POINT_GROUP = "scrf_bench.maps"

_OWN: tuple[type[FeatureMap], ...] = (
    RKS,
    Fastfood,
    SCRF,
    ORF,
    SORF,
    ColumnSignedCirculant,
    OCRF,
    QMC,
    RBFSampler,
    Nystroem,
    RPCholeskyNystroem,
)
MAPS: dict[str, type[FeatureMap]] = {cls.name: cls for cls in _OWN}


def register_map(cls: type[FeatureMap]) -> type[FeatureMap]:
    """Add a map class to `MAPS` under its `name`; usable as a decorator.

    Raises
    ------
    UserError
        If it is no concrete `FeatureMap` with a name and a label, or another class has the name
        already.
    """
    _check_map(cls, f"the map {cls!r}")
    other = MAPS.setdefault(cls.name, cls)
    if other is not cls:
        raise UserError(f"The map name '{cls.name}' of {cls!r} belongs to {other!r}; give it another name.")
    return cls


def map_names() -> list[str]:
    """Return the names of all maps, other packages' included, without importing those packages."""
    return sorted({*MAPS, *_entry_points()})


def map_by_name(name: str) -> type[FeatureMap]:
    """Return the map class registered under `name`.

    Maps of other packages (entry-point group ``scrf_bench.maps``) are imported when their name is asked for.

    Raises
    ------
    UnknownNameError
        If there is none; the message lists the known names.
    UserError
        If another package's map cannot be imported or is no `FeatureMap`.
    """
    if name in MAPS:
        return MAPS[name]
    entry = _entry_points().get(name)
    if entry is not None:
        return _load(entry)
    known = map_names()
    hint = did_you_mean(name.lower(), known, at_most=2)
    raise UnknownNameError(f"There is no map named '{name}'.{hint} Known maps: {', '.join(known)}.")


def _entry_points() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}


def _load(entry: EntryPoint) -> type[FeatureMap]:
    where = f"the map '{entry.name}' ({entry.value})"
    try:
        cls = entry.load()
    except (ImportError, AttributeError) as error:
        raise UserError(f"Cannot import {where}: {error}. Reinstall or remove its package.") from error
    _check_map(cls, where)
    if cls.name != entry.name:
        raise UserError(f"{where} calls itself '{cls.name}'; entry point and class must have one name.")
    loaded: type[FeatureMap] = cls
    return loaded


def _check_map(cls: object, where: str) -> None:
    if isinstance(cls, type) and issubclass(cls, FeatureMap) and cls not in (FeatureMap, RandomFeatureMap):
        unwritten = sorted(getattr(cls, "__abstractmethods__", ()))
        if unwritten:
            raise UserError(f"{where} is not finished: it must define {' and '.join(unwritten)}.")
    else:
        raise UserError(f"{where} is no map: it must be a subclass of scrf_bench.maps.RandomFeatureMap or FeatureMap.")
    missing = [attribute for attribute in ("name", "label") if not hasattr(cls, attribute)]
    if missing:
        raise UserError(f"{where} lacks the class attribute {' and '.join(missing)}.")
