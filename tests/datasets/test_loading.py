"""``load`` gives the arrays that it says it gives."""

import logging

import numpy as np
import pytest

from scrf_bench.datasets import DataSources, catalogue, load, registry
from scrf_bench.datasets.splits import random_split, random_subsample
from scrf_bench.errors import DataError, UnavailableError

from .conftest import TEXT, give, toy_file, toy_spec

EMBEDDED = [spec for spec in registry().values() if spec.embedded]


@pytest.mark.parametrize("spec", EMBEDDED, ids=lambda spec: spec.name)
def test_embedded_sets_load_without_network_or_cache_as_the_registry_states(spec, tmp_path):
    (tmp_path / "file").write_text("")
    data = load(spec.name, sources=DataSources(offline=True, cache=tmp_path / "file"))
    assert data.X_train.shape == (spec.n_train, spec.n_features)
    assert data.X_test.shape == (spec.n_test, spec.n_features)
    assert data.X_train.flags.c_contiguous
    assert data.X_train.dtype == data.X_test.dtype == np.float64
    assert data.identity == spec.identity
    assert data.classes.tolist() == list(spec.classes)
    low, high = spec.main_file.value_range
    assert low <= data.X_train.min()
    assert data.X_train.max() <= high
    if spec.task == "regression":
        assert data.y_train.dtype == np.float64
        return
    assert data.y_train.dtype == np.int64
    both = np.concatenate([data.classes[data.y_train], data.classes[data.y_test]])
    counts = dict(zip(*np.unique(both, return_counts=True), strict=True))
    total = {c: sum((f.label_counts or {}).get(c, 0) for f in spec.loaded_files) for c in spec.classes}
    assert counts == total


def test_official_splits_are_kept_in_file_order():
    data = load("dna")
    assert data.split == "official split"
    assert data.y_train[:2].tolist() == [2, 2], "both rows have label 3, the third class"
    assert data.X_train[0].nonzero()[0][:4].tolist() == [1, 6, 11, 14]
    assert data.scaling == "none"
    assert list(data.sources) == ["dna.scale.xz", "dna.scale.t.xz"]
    assert data.sources["dna.scale.xz"].startswith("embedded ")


def test_a_random_split_is_recorded_seeded_and_exact():
    whole = load("pima", split_seed=4)
    assert whole.split == "random split: 538 of 768 rows to train, shuffled, seed 4"
    train, test = random_split("pima", 4, 768, 538)
    other = load("pima", split_seed=5)
    rows = np.empty((768, 8))
    rows[train], rows[test] = whole.X_train, whole.X_test
    assert rows[0].tolist() == [6, 148, 72, 35, 0, 33.6, 0.627, 50]
    assert not np.array_equal(whole.X_train, other.X_train)
    assert np.array_equal(load("pima", split_seed=4).X_train, whole.X_train)


def test_train_rows_draws_a_recorded_sample_of_the_training_part():
    full, part = load("satimage"), load("satimage", train_rows=300, split_seed=2)
    chosen = random_subsample("satimage", 2, 4435, 300)
    assert np.array_equal(part.X_train, full.X_train[chosen])
    assert np.array_equal(part.y_train, full.y_train[chosen])
    assert np.array_equal(part.X_test, full.X_test)
    assert part.split == ("official split; trained on a plain random sample of 300 of 4,435 training rows, seed 2")
    assert load("satimage", train_rows=4435).split == "official split"


@pytest.mark.parametrize("rows", [0, -1, 4436])
def test_train_rows_out_of_range(rows):
    with pytest.raises(DataError, match=r"satimage: train_rows is .*, but the training part has 4,435 rows"):
        load("satimage", train_rows=rows)


def test_scaling_is_fitted_on_the_training_rows_used():
    data = load("satimage", scaling="minmax", train_rows=50)
    assert data.X_train.min(axis=0).tolist() == [-1] * 36
    assert data.X_train.max(axis=0).tolist() == [1] * 36
    assert np.abs(data.X_test).max() > 1
    assert data.scaling == "minmax to [-1, 1], fitted on train"


def test_float32_is_the_rounded_float64():
    single, double = load("letter", scaling="standard", dtype=np.float32), load("letter", scaling="standard")
    assert single.X_train.dtype == np.float32
    assert np.array_equal(single.X_train, double.X_train.astype(np.float32))
    with pytest.raises(DataError, match="dtype 'int64' is not float32 or float64"):
        load("letter", dtype=np.int64)


def test_settings_come_from_the_environment(monkeypatch, tmp_path):
    for value, expected in [("", False), ("0", False), ("false", False), ("1", True), ("yes", True)]:
        assert DataSources.from_environment({"SCRF_BENCH_OFFLINE": value}).offline is expected
    cases = {
        "/a:/b": ("/a", "/b"),
        "/a, http://host:8080/x": ("/a", "http://host:8080/x"),
        "http://host:8080:/c:https://other/": ("http://host:8080", "/c", "https://other/"),
        "file:///a:/b": ("file:///a", "/b"),
        "/a:http://[::1]:8080/x:/b": ("/a", "http://[::1]:8080/x", "/b"),
        " ": (),
    }
    for text, mirrors in cases.items():
        assert DataSources.from_environment({"SCRF_BENCH_MIRROR": text}).mirrors == mirrors
    monkeypatch.setenv("SCRF_BENCH_CACHE", str(tmp_path / "c"))
    assert DataSources.from_environment().raw_folder == tmp_path / "c" / "raw"
    assert DataSources().cache_folder.name == "scrf-bench"


@pytest.mark.parametrize(
    ("mirror", "words"),
    [
        ("ftp://x", "Mirror 'ftp://x': only http, https and file addresses"),
        ("http://[::bad", r"Mirror 'http://\[::bad': this is not a valid address"),
        ("http://host:99999/", "Mirror 'http://host:99999/': this is not a valid address"),
        ("http:///x", "Mirror 'http:///x': the address names no host"),
        ("", "A mirror's name is empty"),
        ("  ", "A mirror's name is empty"),
    ],
)
def test_mirrors_that_cannot_be_are_refused(mirror, words):
    with pytest.raises(DataError, match=words):
        DataSources(mirrors=("/a", mirror))


@pytest.fixture
def w8a_like(server, monkeypatch):
    """A dataset whose test file is optional and at the site alone."""
    spec = toy_spec(
        toy_file(name="toy.txt", role="train"),
        toy_file(
            name="toy.t.txt",
            role="test",
            rows=TEXT[:480].count(b"\n"),
            site_url=f"{server.url}/toy.t",
            optional=True,
            text_sha256=None,
            label_counts=None,
        ),
    )
    monkeypatch.setattr(catalogue, "registry", lambda: {"toy": spec})
    server.answers["/toy.txt"] = give(TEXT)
    return spec


def test_an_optional_test_file_is_used_if_it_can_be_had(server, from_server, w8a_like):
    end = TEXT[:480].rfind(b"\n") + 1
    server.answers["/toy.t"] = give(TEXT[:end])
    data = load("toy", sources=from_server)
    assert data.split == "official split"
    assert data.identity == w8a_like.identity
    assert len(data.y_test) == w8a_like.n_test


def test_without_its_optional_test_file_the_training_file_is_split_and_says_so(from_server, w8a_like, caplog):
    with caplog.at_level(logging.WARNING, "scrf_bench.datasets"):
        data = load("toy", sources=from_server)
    assert data.split == (
        "random split of the training file (the test file could not be had): 63 of 90 rows to train, shuffled, seed 0"
    )
    assert data.identity != w8a_like.identity
    assert len(data.y_train) + len(data.y_test) == 90
    assert "toy: going on without 'toy.t.txt'" in caplog.text


def test_usps_that_cannot_be_had_names_usps_esl(cache):
    with pytest.raises(UnavailableError, match="use the dataset 'usps_esl' instead") as caught:
        load("usps", sources=DataSources(offline=True, cache=cache))
    assert isinstance(caught.value, DataError)
