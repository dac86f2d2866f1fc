"""The registry is complete and consistent; what travels with the package is what it states."""

import hashlib
import lzma
import re
from pathlib import Path

import pytest

from scrf_bench.datasets import load, lookup, registry
from scrf_bench.datasets.catalogue import REGISTRY_FILE
from scrf_bench.errors import UnknownNameError
from scrf_bench.resources import resource_path

NAMES = [
    "dna",
    "splice",
    "mushrooms",
    "usps",
    "usps_esl",
    "a9a",
    "w8a",
    "ijcnn1",
    "mnist",
    "cifar10",
    "cifar10_subset",
    "letter",
    "pendigits",
    "satimage",
    "shuttle",
    "optdigits",
    "vowel",
    "svmguide1",
    "german.numer",
    "skin_nonskin",
    "poker",
    "phishing",
    "ionosphere",
    "bupa",
    "tic-tac-toe",
    "pima",
    "abalone",
    "cadata",
    "cpusmall",
    "cpu",
    "housing",
    "space_ga",
    "winequality-red",
    "winequality-white",
    "ct_slices",
]
EMBEDDED = [
    "dna",
    "splice",
    "satimage",
    "letter",
    "optdigits",
    "german.numer",
    "pima",
    "bupa",
    "tic-tac-toe",
    "ionosphere",
    "abalone",
    "cpusmall",
]
SPECS = list(registry().values())


def test_the_names():
    assert list(registry()) == NAMES
    assert sorted(spec.name for spec in SPECS if spec.embedded) == sorted(EMBEDDED)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_an_entry_is_consistent(spec):
    assert spec.title
    assert spec.licence
    assert spec.n_features > 0
    assert spec.n_train > 0
    assert spec.n_test > 0
    if not spec.has_official_split:
        assert spec.n_train + spec.n_test == spec.main_file.rows
    assert spec.n_classes == 2 if spec.task == "binary" else spec.n_classes != 2
    assert (spec.task == "regression") == (spec.n_classes == 0)
    for file in spec.files:
        assert (file.target_range is not None) == (spec.task == "regression")
        if file.label_counts is not None:
            assert sum(file.label_counts.values()) == file.rows
            assert set(file.label_counts) <= set(spec.classes)
        assert file.value_range[0] < file.value_range[1]
        assert all(re.fullmatch("[0-9a-f]{64}", h) for h in {file.text_sha256 or "0" * 64, *file.packed_sha256})
        assert not (spec.derived and file.site_url), "a derived set is not what the LIBSVM site has"
        # A table is what the data's own site serves; everything else is LIBSVM's.
        site = "https://archive.ics.uci.edu/" if file.table else "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/"
        assert file.site_url is None or file.site_url.startswith(site)


def test_every_hash_is_known_but_those_that_nobody_published():
    unknown = {file.name for spec in SPECS for file in spec.files if not file.has_hash}
    assert unknown == {"cifar10.bz2", "cifar10.t.bz2", "w8a.t.xz", "slice_localization_data.zip"}
    names = [file.name for spec in SPECS for file in spec.files]
    assert len(names) == len(set(names)), "names are unique: they are files of one cache folder"
    hashes = [file.text_sha256 for spec in SPECS for file in spec.files if file.text_sha256]
    assert len(hashes) == len(set(hashes))


def test_identities_differ_and_are_fixed():
    """A changed identity makes every record of the dataset stale."""
    assert len({spec.identity for spec in SPECS}) == len(SPECS)
    assert registry()["dna"].identity == DNA_IDENTITY


DNA_IDENTITY = "00376a701456abd08e6149724017c5c81337083a2a7d09effa362796c1192315"


def test_facts_that_papers_and_the_libsvm_site_state():
    known = registry()
    assert (known["mushrooms"].n_train, known["mushrooms"].n_test) == (4062, 4062)
    assert (known["mnist"].n_features, known["mnist"].n_train, known["mnist"].n_test) == (784, 60_000, 10_000)
    assert (known["cifar10"].n_features, known["cifar10"].n_train, known["cifar10"].n_test) == (
        3072,
        50_000,
        10_000,
    )
    assert (known["w8a"].n_train, known["w8a"].n_test) == (49_749, 14_951)
    assert (known["usps"].n_train, known["usps"].n_test, known["usps"].alternative) == (
        7291,
        2007,
        "usps_esl",
    )
    assert (known["cpu"].n_train, known["cpu"].n_test) == (6554, 1638)
    assert known["usps"].classes == tuple(range(1, 11))
    assert known["ijcnn1"].file("train_part").rows + known["ijcnn1"].file("validation").rows == 49_990


@pytest.mark.parametrize("name", EMBEDDED)
def test_an_embedded_file_has_the_text_that_the_registry_states(name):
    for file in registry()[name].files:
        raw = (resource_path("data/embedded") / file.name).read_bytes()
        assert hashlib.sha256(raw).hexdigest() in file.packed_sha256
        text = lzma.decompress(raw)
        assert hashlib.sha256(text).hexdigest() == file.text_sha256
        assert hashlib.md5(text).hexdigest() == file.text_md5


def test_the_embedded_folder_is_small_and_holds_nothing_else():
    files = list(resource_path("data/embedded").iterdir())
    assert {f.name for f in files} == {f.name for name in EMBEDDED for f in registry()[name].files}
    assert sum(f.stat().st_size for f in files) < 2_000_000


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("mnits", "did you mean 'mnist'?"),
        ("DNA", "did you mean 'dna'?"),
        ("german", "did you mean 'german.numer'?"),
        ("zzz", "known are: dna, splice,"),
    ],
)
def test_an_unknown_name_gets_near_matches(wrong, hint):
    with pytest.raises(UnknownNameError) as caught:
        lookup(wrong)
    assert f"There is no dataset '{wrong}'; {hint}" in str(caught.value)
    with pytest.raises(UnknownNameError):
        load(wrong)


def test_the_registry_file_names_nothing_outside_the_project():
    """Neither folders of somebody's machine nor files on it: sources are schemes of the web and package names."""
    text = REGISTRY_FILE.read_text()
    values = re.findall(r"[\"']([^\"']*)[\"']", text)
    assert len(values) > 100
    assert not [value for value in values if Path(value).is_absolute() or value.startswith(("~", "..", "file:"))]
