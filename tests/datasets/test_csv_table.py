"""Sets that their own site serves as a zipped table: read strictly, and through the same doors as LIBSVM's files."""

import io
import zipfile

import numpy as np
import pytest

from scrf_bench.datasets import DataSources, lookup
from scrf_bench.datasets import loading as loading_module
from scrf_bench.datasets.compression import unpack
from scrf_bench.datasets.csv_table import parse_table
from scrf_bench.datasets.locations import places
from scrf_bench.datasets.spec import DatasetSpec, FileSpec, TableSpec
from scrf_bench.errors import DataError, ParseError

from .conftest import give

TABLE = TableSpec(target="y", left_out=("id",))
TEXT = b"id,a,b,y\n" + b"".join(b"%d,%g,%d,%g\n" % (i // 3, i / 8, i % 2, 10.0 - i) for i in range(10))


def zipped(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return stream.getvalue()


def spec(**changes):
    fields = {"rows": 10, "value_range": (0.0, 2.0), "target_range": (1.0, 10.0), "table": TABLE}
    file = FileSpec(role="all", name="toy.zip", **{**fields, **changes})
    return DatasetSpec(name="toy", title="A toy", task="regression", n_features=2, files=(file,), licence="none")


def test_every_column_is_a_feature_but_the_target_and_those_left_out():
    parsed = parse_table(TEXT, TABLE, n_features=2, name="toy.csv")
    np.testing.assert_array_equal(parsed.X.toarray(), [[i / 8, i % 2] for i in range(10)])
    np.testing.assert_array_equal(parsed.y, 10.0 - np.arange(10))


def test_more_lines_than_a_block_holds():
    text = b"id,a,b,y\n" + b"".join(b"0,%d,1,%d\n" % (i, -i) for i in range(9000))
    parsed = parse_table(text, TABLE, n_features=2, name="toy.csv")
    np.testing.assert_array_equal(parsed.X.toarray()[:, 0], np.arange(9000))
    np.testing.assert_array_equal(parsed.y, -np.arange(9000))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"id,a,b,z\n1,2,3,4\n", ["toy.csv:1", "no column 'y'"]),
        (b"id,a,y\n1,2,3\n", ["toy.csv:1", "1 feature columns", "states 2"]),
        (b"id,a,b,y\n", ["toy.csv", "holds no data"]),
        (b"id,a,b,y\n1,2,3,4\n1,2,3\n", ["toy.csv:3", "3 fields", "has 4"]),
        (b"id,a,b,y\n1,2,3,4\n1,2,nan,4\n", ["toy.csv:3", "'nan' is not a finite number"]),
        (b"id,a,b,y\n1,2,3,4\n1,2,x,4\n", ["toy.csv:3", "'x' is not a finite number"]),
        (b"id,a,b,y\n1,2,,4\n", ["toy.csv:2", "'' is not a finite number"]),
    ],
)
def test_every_fault_names_file_and_line(text, words):
    with pytest.raises(ParseError) as caught:
        parse_table(text, TABLE, n_features=2, name="toy.csv")
    for word in words:
        assert word in str(caught.value)


def test_a_zip_of_one_file_is_unpacked_and_others_are_refused():
    assert unpack(zipped(**{"data.csv": TEXT}), "toy.zip") == TEXT
    with pytest.raises(DataError, match=r"toy\.zip: does not unpack .*2 files, not one"):
        unpack(zipped(a="1", b="2"), "toy.zip")
    with pytest.raises(DataError, match=r"toy\.zip: does not unpack"):
        unpack(TEXT, "toy.zip")
    with pytest.raises(DataError, match=r"toy\.bz2: packed with zip"):
        unpack(zipped(a="1"), "toy.bz2")


def test_loaded_through_a_mirror_and_then_from_the_parsed_cache(server, from_server, monkeypatch):
    server.answers["/toy.zip"] = give(zipped(**{"data.csv": TEXT}))
    monkeypatch.setattr(loading_module, "lookup", lambda _: spec())
    for _ in range(2):
        data = loading_module.load("toy", sources=from_server)
        rows = np.concatenate([data.X_train, data.X_test])
        targets = np.concatenate([data.y_train, data.y_test])
        # Whatever the split, a row keeps its target: a = i / 8 and y = 10 - i.
        np.testing.assert_array_equal(10.0 - 8.0 * rows[:, 0], targets)
        assert len(targets) == 10
    assert server.hits["/toy.zip"] == 1


def test_another_version_of_the_table_is_refused(server, from_server, monkeypatch):
    server.answers["/toy.zip"] = give(zipped(**{"data.csv": TEXT}))
    monkeypatch.setattr(loading_module, "lookup", lambda _: spec(rows=11))
    with pytest.raises(DataError, match="rows: the registry states 11, the file has 10"):
        loading_module.load("toy", sources=from_server)


def test_ct_slices_is_sought_at_its_own_site():
    known = lookup("ct_slices")
    assert (known.n_train, known.n_test, known.n_features) == (42_800, 10_700, 384)
    *_, site = places(known, known.files[0], DataSources())
    assert site.words.startswith("site https://archive.ics.uci.edu/")
