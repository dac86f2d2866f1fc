"""Every set of a mirror, once loaded, has the rows, labels and ranges that the registry states."""

import os

import numpy as np
import pytest

from scrf_bench.datasets import DataSources, load, registry
from scrf_bench.datasets.acquire import acquire
from scrf_bench.datasets.checks import value_range
from scrf_bench.datasets.compression import sha256, unpack
from scrf_bench.datasets.inventory import local_status
from scrf_bench.datasets.parser import parse_libsvm

MIRROR = os.environ.get("SCRF_BENCH_MIRROR", "")
FILES = [(spec, file) for spec in registry().values() for file in spec.files]

pytestmark = [
    pytest.mark.mirror,
    pytest.mark.skipif(not MIRROR, reason="SCRF_BENCH_MIRROR names no mirror with the large sets"),
]


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """One cache for all tests here: the large sets are parsed once."""
    mirrors = DataSources.from_environment({"SCRF_BENCH_MIRROR": MIRROR}).mirrors
    return DataSources(mirrors=mirrors, offline=True, cache=tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize(("spec", "file"), FILES, ids=lambda value: getattr(value, "name", ""))
def test_a_file_is_exactly_what_the_registry_states(spec, file, sources):
    if local_status(spec, file, sources).state == "missing":
        pytest.skip(f"the mirror lacks {file.name}")
    path = acquire(spec, file, sources).path
    text = unpack(path.read_bytes(), path.name)
    assert file.text_sha256 in (sha256(text), None)
    parsed = parse_libsvm(text, n_features=spec.n_features, name=path.name)
    assert parsed.X.shape == (file.rows, spec.n_features)
    assert value_range(parsed) == file.value_range
    if file.label_counts is not None:
        labels, counts = np.unique(parsed.y, return_counts=True)
        assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == file.label_counts
    if file.target_range is not None:
        assert (parsed.y.min(), parsed.y.max()) == file.target_range


@pytest.mark.parametrize("name", ["mnist", "ijcnn1", "dna"])
def test_loaded_arrays_agree_with_the_registry(name, sources):
    spec = registry()[name]
    data = load(name, sources=sources, dtype=np.float32)
    for role, X, y in (("train", data.X_train, data.y_train), ("test", data.X_test, data.y_test)):
        file = spec.file(role)
        assert X.shape == (file.rows, spec.n_features)
        assert np.bincount(y).tolist() == [file.label_counts[c] for c in data.classes]
        assert (X.min(), X.max()) == tuple(np.float32(file.value_range))
    again = load(name, sources=sources, dtype=np.float32)
    assert np.array_equal(again.X_train, data.X_train)


def test_ijcnn1s_training_file_is_its_two_parts(sources):
    spec = registry()["ijcnn1"]
    whole, *parts = (
        unpack(acquire(spec, spec.file(role), sources).path.read_bytes(), role)
        for role in ("train", "train_part", "validation")
    )
    assert whole == b"".join(parts)


def test_w8a_loads_from_its_training_file_alone(sources):
    data = load("w8a", sources=sources)
    assert len(data.y_train) + len(data.y_test) == 49_749
    share = data.y_train.mean()
    # Rows are grouped in the file; shuffled, the rare class has its share to within 5 standard errors.
    assert abs(share - 1479 / 49_749) < 5 * np.sqrt(0.03 / len(data.y_train))


def test_mnist_by_max_is_pixels_over_255(sources):
    raw = load("mnist", sources=sources, train_rows=500)
    scaled = load("mnist", sources=sources, train_rows=500, scaling="max")
    assert np.array_equal(scaled.X_train, raw.X_train / 255)
    assert np.array_equal(scaled.X_test, raw.X_test / 255)
