"""Maps are found by name, other packages' maps included."""

import subprocess
import sys
from importlib.metadata import EntryPoint

import numpy as np
import pytest

from scrf_bench import maps
from scrf_bench.errors import UnknownNameError, UserError
from scrf_bench.maps import (
    MAPS,
    FeatureMap,
    RandomFeatureMap,
    map_by_name,
    map_names,
    register_map,
    registry,
)
from scrf_bench.maps.dense import DenseProjection


class UniformMap(RandomFeatureMap):
    """A map of another package, the least that one has to write."""

    name = "uniform"
    label = "Uniform"

    def _draw_projection(self, rng, dtype):
        d = self.n_features_in_
        return DenseProjection(lambda k: rng.uniform(-1, 1, (k, d)), self.n_frequencies_, d, dtype)


class Nameless(UniformMap):
    name = "other"


class Unfinished(FeatureMap):
    name = "uniform"
    label = "Uniform"


NO_MAP = dict


@pytest.fixture
def plugins(monkeypatch):
    def install(**targets):
        entries = {
            name: EntryPoint(name, f"{__name__}:{target}", registry.ENTRY_POINT_GROUP)
            for name, target in targets.items()
        }
        monkeypatch.setattr(registry, "_entry_points", lambda: entries)

    return install


OWN = {
    "rks": "RKS",
    "fastfood": "Fastfood",
    "scrf": "SCRF",
    "orf": "ORF",
    "sorf": "SORF",
    "column_signed": "ColumnSignedCirculant",
    "ocrf": "OCRF",
    "qmc": "QMC",
    "rbfsampler": "RBFSampler",
    "nystroem": "Nystroem",
    "rpc_nystroem": "RPCholeskyNystroem",
}


def test_own_maps():
    """Every map is listed once, in the order of the tables, and exported under its class's name."""
    assert {name: cls.__name__ for name, cls in MAPS.items()} == OWN
    assert list(MAPS) == list(OWN)
    assert [map_by_name(name) for name in MAPS] == list(MAPS.values())
    assert all(getattr(maps, cls.__name__) is cls and cls.__name__ in maps.__all__ for cls in MAPS.values())
    assert len({cls.label for cls in MAPS.values()}) == len(MAPS)


def test_maps_without_frequencies():
    """Baselines have neither embedding nor projections; all others derive from RandomFeatureMap."""
    others = {name for name, cls in MAPS.items() if not issubclass(cls, RandomFeatureMap)}
    assert others == {"rbfsampler", "nystroem", "rpc_nystroem"}
    assert all(issubclass(cls, FeatureMap) for cls in MAPS.values())


def test_import_is_light():
    """Neither numba nor scikit-learn's kernel approximations are imported before a map is used."""
    code = (
        "import sys, scrf_bench.maps; print([m for m in ('numba', 'sklearn.kernel_approximation') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_unknown_name_lists_known_and_near():
    with pytest.raises(UnknownNameError, match=r"no map named 'scfr'.*mean.*'scrf'.*fastfood, nystroem"):
        map_by_name("scfr")
    with pytest.raises(UnknownNameError, match=r"no map named 'SCRF'.*mean.*'scrf'"):
        map_by_name("SCRF")


def test_other_packages_map_works(plugins):
    """It is listed, loaded by name, and inherits embeddings, dtypes and tiles."""
    plugins(uniform="UniformMap")
    assert map_names() == sorted([*OWN, "uniform"])
    cls = map_by_name("uniform")
    Phi = cls(10, embedding="pair", random_state=0).fit_transform(np.eye(4, dtype=np.float32))
    assert Phi.dtype == np.float32
    np.testing.assert_allclose((Phi**2).sum(axis=1), 1.0, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "target", "message"),
    [
        ("uniform", "Missing", "Cannot import the map 'uniform'"),
        ("uniform", "NO_MAP", "must be a subclass"),
        ("uniform", "RandomFeatureMap", "must be a subclass"),
        ("uniform", "FeatureMap", "must be a subclass"),
        ("uniform", "Unfinished", "must define _tile_map"),
        ("uniform", "Nameless", "calls itself 'other'"),
    ],
)
def test_broken_plugin_is_named(plugins, name, target, message):
    plugins(**{name: target})
    with pytest.raises(UserError, match=message):
        map_by_name(name)


def test_register(monkeypatch):
    monkeypatch.setattr(registry, "MAPS", dict(MAPS))
    assert register_map(UniformMap) is UniformMap
    assert register_map(UniformMap) is UniformMap
    assert map_by_name("uniform") is UniformMap
    usurper = type("Usurper", (UniformMap,), {})
    with pytest.raises(UserError, match=r"'uniform'.*another name"):
        register_map(usurper)
