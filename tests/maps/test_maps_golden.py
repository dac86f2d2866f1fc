"""Golden outputs: a map's results may change only together with its ``version``.

Records are keyed by map, dtype and version, so an unnoticed change would mix old results with new ones. After
an intended change, raise the class's ``version`` and run ``python -m tests.maps.test_maps_golden`` from the
project's top level; it refuses to store other values under an old version.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from scrf_bench.maps import MAPS

GOLDEN = Path(__file__).with_name("golden.json")
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
_MATERN = {"kernel": "matern", "nu": 1.5}
# Suffix and options of each variant beyond the plain map. Below 64 features OCRF takes dense blocks by default.
_VARIANTS = {
    "rks": {"": {}},
    "scrf": {"": {}},
    "fastfood": {"": {}, "-no-S": {"scaling": False}},
    "orf": {"": {}},
    "sorf": {"": {}},
    "column_signed": {"": {}, "-fresh": {"fresh_signs": True}},
    "ocrf": {
        "": {},
        "-circulant": {"dense_below": 0},
        "-input-order": {"dense_below": 0, "order": "input"},
        "-unscaled": {"dense_below": 0, "radial": False, "fresh_signs": False},
    },
    "qmc": {"": {}, "-halton": {"sequence": "halton"}},
}
# Landmarks come from the rows, of which there are three.
_LANDMARKS = {"n_components": 2}
CASES = {
    **{
        f"{name}{suffix}{kernel}/{embedding}": (name, {**options, **law, "embedding": embedding})
        for name, variants in _VARIANTS.items()
        for suffix, options in variants.items()
        for kernel, law in (("", {}), ("-matern", _MATERN))
        for embedding in ("phase", "pair")
    },
    "rbfsampler": ("rbfsampler", {}),
    **{
        f"{name}{suffix}": (name, {**_LANDMARKS, **law})
        for name in ("nystroem", "rpc_nystroem")
        for suffix, law in (("", {}), ("-matern", _MATERN))
    },
}


def compute(case):
    """Features of three fixed rows: 5 features (no power of two), 12 columns (5 does not divide 12)."""
    name, options = CASES[case]
    X = np.linspace(-1.0, 2.0, 15).reshape(3, 5) ** 3
    return MAPS[name](**{"n_components": 12, "gamma": 0.7, "random_state": 42, **options}).fit(X), X


def stored():
    return json.loads(GOLDEN.read_text(encoding="utf-8"))


def changed_without_version(old, new):
    """Return the cases of `new` whose values differ from `old` though the version is the same."""
    return [
        case
        for case, entry in new.items()
        if case in old
        and old[case]["version"] == entry["version"]
        and not np.allclose(old[case]["features"], entry["features"], rtol=0, atol=TOLERANCE["float64"])
    ]


def fresh():
    entries = {}
    for case in CASES:
        fitted, X = compute(case)
        entries[case] = {"version": fitted.version, "features": fitted.transform(X).tolist()}
    return entries


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("case", CASES)
def test_output_is_golden(case, dtype):
    entry = stored()[case]
    fitted, X = compute(case)
    cls = type(fitted).__name__
    versions = f"{cls}.version is {fitted.version}, that of the stored output is {entry['version']}"
    assert fitted.version == entry["version"], f"{versions}: run 'python -m tests.maps.test_maps_golden'."
    np.testing.assert_allclose(
        fitted.transform(X.astype(dtype)),
        np.array(entry["features"]),
        rtol=0,
        atol=TOLERANCE[dtype],
        err_msg=f"{versions}, but the outputs differ. If they are meant to, raise {cls}.version and run "
        "'python -m tests.maps.test_maps_golden'; if not, this is a regression.",
    )


def test_every_map_has_a_golden_output():
    assert {name for name, _ in CASES.values()} == set(MAPS)
    assert set(stored()) == set(CASES)


def test_regeneration_needs_a_new_version():
    old = stored()
    new = json.loads(json.dumps(old))
    assert changed_without_version(old, new) == []
    new["scrf/pair"]["features"][0][0] += 1e-6
    assert changed_without_version(old, new) == ["scrf/pair"]
    new["scrf/pair"]["version"] += 1
    assert changed_without_version(old, new) == []


def regenerate():
    new, old = fresh(), stored() if GOLDEN.exists() else {}
    refused = changed_without_version(old, new)
    if refused:
        sys.exit(f"The output of {', '.join(refused)} changed: raise the version of its map first.")
    # What is within rounding stays as it is stored, so that the difference shows what is new.
    new |= {case: old[case] for case in new if case in old and old[case]["version"] == new[case]["version"]}
    GOLDEN.write_text(json.dumps(new, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    regenerate()
