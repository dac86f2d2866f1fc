"""The caches heal: a damaged file is noticed, set aside and replaced; what cannot be kept costs time only."""

import bz2
import logging
import shutil

import numpy as np
import pytest

from scrf_bench.datasets import DatasetUnavailableError, DataSources, catalogue, fetch, load, parse_libsvm
from scrf_bench.datasets import loading as loading_module
from scrf_bench.datasets.acquire import acquire
from scrf_bench.datasets.parsed_cache import ParsedCache

from .conftest import TEXT, give, toy_file, toy_spec

OTHER = TEXT.replace(b"0.5", b"0.6")


@pytest.fixture
def known(monkeypatch):
    """Put datasets of the tests into the registry."""

    def enter(*specs):
        monkeypatch.setattr(catalogue, "registry", lambda: {spec.name: spec for spec in specs})

    return enter


@pytest.fixture
def folder(tmp_path, packed):
    """A mirror folder that holds the toy."""
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "toy.bz2").write_bytes(packed)
    return tmp_path / "mirror"


@pytest.mark.parametrize("damage", [lambda raw: raw[:-1], lambda raw: raw[:40] + b"\x00" + raw[41:], lambda raw: b""])
def test_a_damaged_cached_file_is_set_aside_and_fetched_again(server, from_server, packed, caplog, damage):
    server.answers["/toy.bz2"] = give(packed)
    spec = toy_spec()
    path = acquire(spec, spec.files[0], from_server).path
    path.write_bytes(damage(packed))
    with caplog.at_level(logging.WARNING, "scrf_bench.datasets"):
        again = acquire(spec, spec.files[0], from_server)
    assert again.path.read_bytes() == packed
    assert again.origin.startswith("mirror")
    assert f"The cached file {path} is set aside as toy.bz2.broken: toy.bz2: " in caplog.text
    assert server.hits["/toy.bz2"] == 2


def test_a_mirror_folder_is_read_in_place_and_left_alone(folder, cache, known):
    known(toy_spec())
    sources = DataSources(mirrors=(str(folder),), cache=cache, offline=True)
    assert fetch("toy", sources) == [folder / "toy.bz2"]
    assert fetch("toy", DataSources(mirrors=(folder.as_uri(),), cache=cache)) == [folder / "toy.bz2"]
    assert not sources.raw_folder.exists()
    (folder / "toy.bz2").write_bytes(b"broken")
    with pytest.raises(DatasetUnavailableError, match="its name says bz2, but its first bytes are b'broken'"):
        fetch("toy", sources)
    assert (folder / "toy.bz2").read_bytes() == b"broken"


def test_a_text_is_parsed_once(folder, cache, known, monkeypatch):
    known(toy_spec())
    sources = DataSources(mirrors=(str(folder),), cache=cache)
    first = load("toy", sources=sources)
    shutil.rmtree(folder)

    def not_again(*args, **kwargs):
        raise AssertionError

    monkeypatch.setattr(loading_module, "parse_content", not_again)
    second = load("toy", sources=sources)
    assert np.array_equal(first.X_train, second.X_train)
    assert first.sources == {"toy.bz2": f"mirror {folder}/toy.bz2"}
    assert second.sources == {"toy.bz2": f"parsed copy of mirror {folder}/toy.bz2"}


def test_any_damage_to_a_parsed_copy_is_noticed(cache):
    """A byte flipped or the file cut anywhere: the entry is refused or still gives the same arrays."""
    parsed = parse_libsvm(TEXT, n_features=4)
    store = ParsedCache(cache)
    store.put("ab" * 32, 4, parsed, "somewhere")
    path = store.path("ab" * 32, 4)
    good = path.read_bytes()
    dense = parsed.X.toarray()

    def sound_or_refused(raw):
        path.write_bytes(raw)
        got = store.get("ab" * 32, 4)
        assert got is None or (np.array_equal(got[0].X.toarray(), dense) and np.array_equal(got[0].y, parsed.y))
        return got is None

    refused = [sound_or_refused(good[:at]) for at in range(0, len(good), 53)]
    assert all(refused)
    for at in range(0, len(good), 3):
        for bit in (0x01, 0x80):
            sound_or_refused(good[:at] + bytes([good[at] ^ bit]) + good[at + 1 :])
    assert store.get("cd" * 32, 4) is None


def test_a_damaged_parsed_copy_is_built_again(folder, cache, known):
    known(toy_spec())
    sources = DataSources(mirrors=(str(folder),), cache=cache)
    first = load("toy", sources=sources)
    (entry,) = sources.parsed_folder.glob("*.npz")
    good = entry.read_bytes()
    entry.write_bytes(good[: len(good) // 2])
    assert np.array_equal(load("toy", sources=sources).X_train, first.X_train)
    assert entry.stat().st_size == len(good)


def test_the_parsed_cache_keeps_values_to_the_bit_and_holds_no_pickle(cache):
    text = b"1 1:-0.0 2:0.1 3:3e-320 4:65536\n-7 1:255 2:-32768 3:16777217\n"
    parsed = parse_libsvm(text, n_features=5)
    ParsedCache(cache).put("0" * 64, 5, parsed, "x")
    got, origin = ParsedCache(cache).get("0" * 64, 5)
    assert got.X.data.tobytes() == parsed.X.data.tobytes()
    assert got.X.indices.tolist() == parsed.X.indices.tolist()
    assert got.y.tobytes() == parsed.y.tobytes()
    assert origin == "x"
    with np.load(ParsedCache(cache).path("0" * 64, 5), allow_pickle=False) as entry:
        assert all(entry[name].dtype != object for name in entry.files)


def test_a_cache_that_cannot_be_written_does_not_stop_a_load(folder, tmp_path, known, caplog):
    known(toy_spec())
    (tmp_path / "file").write_text("in the way")
    sources = DataSources(mirrors=(str(folder),), cache=tmp_path / "file")
    with caplog.at_level(logging.WARNING, "scrf_bench.datasets"):
        assert load("toy", sources=sources).X_train.shape == (63, 4)
    assert "cannot be kept" in caplog.text


def test_a_full_disk_does_not_stop_a_load_and_leaves_no_broken_entry(folder, cache, known, monkeypatch, caplog):
    known(toy_spec())

    def full(file, **arrays):
        file.write(b"PK")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("scrf_bench.datasets.parsed_cache.np.savez", full)
    sources = DataSources(mirrors=(str(folder),), cache=cache)
    with caplog.at_level(logging.WARNING, "scrf_bench.datasets"):
        assert load("toy", sources=sources).X_train.shape == (63, 4)
    assert "No space left on device" in caplog.text
    assert not list(sources.parsed_folder.iterdir())


# --- where no hash is known -------------------------------------------------------------------------------


def hashless(**changes):
    return toy_spec(toy_file(text_sha256=None, **changes))


def test_the_first_hash_seen_is_recorded_and_checked_from_then_on(folder, cache, known):
    known(hashless())
    sources = DataSources(mirrors=(str(folder),), cache=cache)
    fetch("toy", sources)
    record = sources.raw_folder / "toy.bz2.sha256"
    assert record.read_text().endswith("  text of toy.bz2\n")
    (folder / "toy.bz2").write_bytes(bz2.compress(OTHER))
    with pytest.raises(DatasetUnavailableError, match=r"as first seen .*run 'scrf-bench data clean toy' first"):
        fetch("toy", sources)
    record.unlink()
    assert fetch("toy", sources) == [folder / "toy.bz2"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rows": 91}, "rows: the registry states 91, the file has 90"),
        (
            {"label_counts": {-1: 31, 1: 59}},
            "rows by label: the registry states {-1: 31, 1: 59}, the file has",
        ),
        ({"value_range": (-1.0, 90.0)}, "values: the registry states -1 to 90, the file has -1.25 to 90"),
    ],
)
def test_content_is_checked_where_no_hash_is_known(folder, cache, known, changes, words):
    known(hashless(**changes))
    sources = DataSources(mirrors=(str(folder),), cache=cache)
    with pytest.raises(DatasetUnavailableError) as caught:
        fetch("toy", sources)
    assert f"toy.bz2: {words}" in str(caught.value)
    assert not (sources.raw_folder / "toy.bz2.sha256").exists()


def test_labels_that_the_dataset_does_not_have_are_refused(folder, cache, known):
    file = toy_file(text_sha256=None, label_counts=None, role="test")
    known(toy_spec(file, toy_file(role="train", name="t.bz2", label_counts={0: 1, 1: 89})))
    words = r"labels: the registry states only \[0, 1\], the file has also \[-1\]"
    with pytest.raises(DatasetUnavailableError, match=words):
        fetch("toy", DataSources(mirrors=(str(folder),), cache=cache))


def test_a_file_that_does_not_parse_is_no_copy_where_no_hash_is_known(folder, cache, known):
    known(hashless())
    (folder / "toy.bz2").write_bytes(bz2.compress(TEXT + b"1 5:1\n"))
    with pytest.raises(
        DatasetUnavailableError, match=r"toy.bz2:91: token '5:1': the index is beyond the data's width 4"
    ):
        fetch("toy", DataSources(mirrors=(str(folder),), cache=cache))


def test_a_published_md5_of_the_packed_file_is_enough(folder, cache, known, packed):
    import hashlib

    known(toy_spec(toy_file(text_sha256=None, packed_md5=hashlib.md5(packed).hexdigest())))
    sources = DataSources(mirrors=(str(folder),), cache=cache)
    assert load("toy", sources=sources).X_train.shape == (63, 4)
    assert load("toy", sources=DataSources(cache=cache, offline=True)).X_train.shape == (63, 4)
    (folder / "toy.bz2").write_bytes(bz2.compress(OTHER))
    shutil.rmtree(cache)
    with pytest.raises(DatasetUnavailableError, match=r"its md5 is .* expected"):
        fetch("toy", sources)
