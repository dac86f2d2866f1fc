"""Files as people have them are read right, or refused with a message that says what to do."""

import bz2
import gzip

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from scrf_bench.errors import UserError
from scrf_bench.experiments.trial.reading import densified, read_rows, with_common_width
from tests.experiments.trial.user_files import COLUMNS, frame, written

PLAIN = frame()


def notes_of(rows):
    return " ".join(rows.notes)


@pytest.mark.parametrize("options", [
    {}, {"sep": ";"}, {"sep": "\t"}, {"sep": "|"}, {"sep": ";", "decimal": ","}, {"sep": "\t", "decimal": ","},
    {"encoding": "utf-8-sig"}, {"encoding": "utf-16"}, {"lineterminator": "\r\n"}, {"quoting": 1},
    {"na_rep": "?"}, {"na_rep": "NA"}, {"compression": "gzip"}, {"compression": "bz2"},
], ids=str)  # fmt: skip
def test_the_same_table_however_it_is_written(tmp_path, options):
    rows = read_rows(written(tmp_path / "data.csv", PLAIN, **options))
    assert rows.target == "y"
    pd.testing.assert_frame_equal(rows.X, PLAIN.drop(columns="y"), check_dtype=False)
    assert list(rows.y) == list(PLAIN["y"])
    assert ("semicolons" in notes_of(rows)) == (options.get("sep") == ";")
    assert ("decimal commas" in notes_of(rows)) == (options.get("decimal") == ",")


def test_blanks_part_columns_where_nothing_else_does(tmp_path):
    (tmp_path / "data.txt").write_text("a   b  y\n 1.5 2    0\n 2   3.5  1\n")
    rows = read_rows(tmp_path / "data.txt")
    assert rows.X.to_numpy().tolist() == [[1.5, 2.0], [2.0, 3.5]]


def test_a_comma_in_a_quoted_field_and_semicolons_in_words_part_nothing(tmp_path):
    (tmp_path / "data.csv").write_text('words,n,y\n"one, two; three",1,a\n"four; five",2,b\n')
    rows = read_rows(tmp_path / "data.csv")
    assert rows.X["words"].tolist() == ["one, two; three", "four; five"]


def test_latin_text_is_read_and_said(tmp_path):
    (tmp_path / "data.csv").write_bytes("größe,y\n1,a\n2,b\n".encode("latin-1"))
    rows = read_rows(tmp_path / "data.csv")
    assert list(rows.X.columns) == ["größe"]
    assert "not UTF-8" in notes_of(rows)
    assert rows.read_by == "pandas.read_csv(FILE, encoding='cp1252')"


def test_without_a_header_columns_are_numbered_and_no_row_is_lost(tmp_path):
    rows = read_rows(written(tmp_path / "data.csv", PLAIN, header=False))
    assert len(rows.y) == len(PLAIN)
    assert rows.target == "column 4"
    assert "--header" in notes_of(rows)


def test_a_header_of_numbers_is_one_if_the_user_says_so(tmp_path):
    (tmp_path / "data.csv").write_text("2019,2020\n1,5\n2,6\n")
    assert len(read_rows(tmp_path / "data.csv").y) == 3
    assert read_rows(tmp_path / "data.csv", header=True).target == "2020"


@pytest.mark.parametrize(("lines", "names", "target"), [
    (",0,1,2,letter\n0,1.5,2,3,a\n1,4,5,6,b\n", ["Unnamed: 0", "0", "1", "2"], "letter"),
    ("Unnamed: 0,0,1\n0,1,2\n1,3,4\n", ["Unnamed: 0", "0"], "1"),
    ("0,1,2,3,price\n1,2,3,4,5\n2,3,4,5,6\n", ["0", "1", "2", "3"], "price"),
    ("0,1,2\n1.5,2,1\n2.5,3,0\n", ["0", "1"], "2"),
    ("y,0,1,2\na,5,6,7\nb,8,9,9\n", ["0", "1", "2"], "y"),
    ("0,1,y\n1.5,2.5,a\n3.5,4.5,b\n", ["0", "1"], "y"),
    ("0,1\n1.5,2\n2.5,3\n", ["0"], "1"),
    ("0,1,2\n1,2,3\n0,1,2\n", ["0", "1"], "2"),
    ("0,1,cost\n1,2,5\n3,4,6\n", ["0", "1"], "cost"),
    ("2019,2020,cost\n1,2,5\n3,4,6\n", ["2019", "2020"], "cost"),
])  # fmt: skip
def test_columns_called_by_numbers_are_a_header_and_it_is_said(tmp_path, lines, names, target):
    (tmp_path / "data.csv").write_text(lines)
    rows = read_rows(tmp_path / "data.csv")
    assert (list(rows.X.columns), rows.target, len(rows.y)) == (names, target, 2)
    assert "read as a header, though it holds numbers" in notes_of(rows)
    assert "--no-header" in notes_of(rows)
    as_data = read_rows(tmp_path / "data.csv", header=False)
    assert len(as_data.y) == 3
    assert as_data.target.startswith("column ")


@pytest.mark.parametrize("lines", [
    "0,1,a\n1,0,b\n1,1,a\n", "0,2,1\n1.5,2,1\n2.5,3,0\n", "1,2,NA\n2,3,4\n5,6,7\n", "1,2,n/k\n2,3,4\n5,6,n/k\n",
    "0.5,1,dog\n1,2,cat\n3,4,dog\n",
])  # fmt: skip
def test_a_first_row_of_data_is_no_header(tmp_path, lines):
    (tmp_path / "data.csv").write_text(lines)
    assert len(read_rows(tmp_path / "data.csv").y) == 3


@pytest.mark.parametrize(("lines", "first"), [
    ('"a" "b" "y"\n"1" 5 6 "u"\n"2" 7 8 "v"\n', [5, 7]), ('"a" "b" "y"\n"Mazda RX4" 5 6 "u"\n"Fiat" 7 8 "v"\n', [5, 7]),
    ("a,b,y\n1,5,6,u\n2,7,8,v\n", [5, 7]), ("a\tb\ty\nr1\t5\t6\tu\nr2\t7\t8\tv\n", [5, 7]),
])  # fmt: skip
def test_a_header_one_field_short_is_what_r_writes_for_rows_with_names(tmp_path, lines, first):
    (tmp_path / "data.txt").write_text(lines)
    rows = read_rows(tmp_path / "data.txt")
    assert (list(rows.X.columns), rows.target) == (["a", "b"], "y")
    assert rows.X["a"].tolist() == first
    assert "names the rows and is left out" in notes_of(rows)
    again = eval(rows.read_by, {"pandas": pd, "FILE": tmp_path / "data.txt"})
    pd.testing.assert_frame_equal(again[["a", "b"]].reset_index(drop=True), rows.X)


def test_rows_that_end_early_are_counted_without_a_short_header(tmp_path):
    lines = [f"r{i},{i},2,u" for i in range(150)]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,y", *lines, "r150,1,2", ""]))
    assert "1 row has fewer fields than the first line (line 152)" in notes_of(read_rows(tmp_path / "data.csv"))


def test_a_separator_at_the_end_of_each_line_makes_no_row_names(tmp_path):
    (tmp_path / "data.csv").write_text("row names,y\n1,2,\n3,4,\n")
    rows = read_rows(tmp_path / "data.csv")
    assert rows.X["row names"].tolist() == [1, 3]
    assert rows.y.tolist() == [2, 4]


def test_a_header_among_the_rows_is_dropped_and_numbers_stay_numbers(tmp_path):
    text = written(tmp_path / "data.csv", PLAIN).read_text()
    (tmp_path / "twice.csv").write_text(text + text)
    rows = read_rows(tmp_path / "twice.csv")
    assert len(rows.y) == 2 * len(PLAIN)
    assert rows.X["a"].dtype == np.float64
    assert "header stands among the rows, too (once more)" in notes_of(rows)
    assert "same as an earlier one" in " ".join(rows.repeated())


def test_repeated_column_names_are_told_apart(tmp_path):
    (tmp_path / "data.csv").write_text("a,a,a.1,y\n1,2,3,p\n4,5,6,q\n")
    rows = read_rows(tmp_path / "data.csv")
    assert len(set(rows.X.columns)) == 3
    assert rows.X.to_numpy().tolist() == [[1, 2, 3], [4, 5, 6]]
    assert "more than once: a" in notes_of(rows)


@pytest.mark.parametrize(("content", "words"), [
    (b"", "empty"), (b"only\n1\n2\n", "one column only"), (b"<html><body>", "HTML page"),
    (b"a,b\n1,2\n\x00\x01", "not a text"), (b"a,b,y\n1,2,x\n1,2,x,9\n", "line 3 has 4 fields, the first has 3"),
    (b'\n\na,b\n"x\ny",1\n1,2,3\n', "line 6 has 3 fields, the first has 2"),
    (b"a,y\n1,2,3\n1,2,3\n", "line 2 has 3 fields"),
    (b"\x1f\x8b junk", "does not unpack"),
    (b"1 1:0.5\n0 2:nan\n", "data:2: token '2:nan'"), (b"1 1:0.5\n0 1000000:2\n", "at most 100,000 features"),
    (b"1 qid:1 1:0.5\n0 qid:1 2:1\n", "data:1: token 'qid:1'"),
])  # fmt: skip
def test_what_cannot_be_read_is_refused_with_its_reason(tmp_path, content, words):
    (tmp_path / "data").write_bytes(content)
    with pytest.raises(UserError) as refused:
        read_rows(tmp_path / "data")
    assert words in str(refused.value)


def test_parquet_says_which_package_it_takes(tmp_path, monkeypatch):
    def absent(path):
        raise ImportError("no engine")

    monkeypatch.setattr(pd, "read_parquet", absent)
    (tmp_path / "data.parquet").write_bytes(b"PAR1")
    with pytest.raises(UserError, match="takes the package pyarrow"):
        read_rows(tmp_path / "data.parquet")


@pytest.mark.parametrize(("names", "target"), [("a,Class,b", "Class"), ("a,b,c", "c"), ("label,y,c", "c")])
def test_the_target_is_found_by_its_name_or_is_the_last(tmp_path, names, target):
    (tmp_path / "data.csv").write_text(f"{names}\n1,2,3\n4,5,6\n")
    assert read_rows(tmp_path / "data.csv").target == target


def test_a_target_is_also_taken_by_its_number(tmp_path):
    (tmp_path / "data.csv").write_text("a,2,c\n1,2,3\n4,5,6\n")
    taken = [read_rows(tmp_path / "data.csv", target=name, header=True).target for name in ("1", "2", "3")]
    assert taken == ["a", "2", "c"]
    assert read_rows(tmp_path / "data.csv", target="1", header=False).target == "column 1"
    with pytest.raises(UserError, match=r"--target 4: there is no such column in .*data\.csv\. There are: a, 2, c"):
        read_rows(tmp_path / "data.csv", target="4", header=True)


@pytest.mark.parametrize(("text", "values", "words"), [
    ('a,y\n"1,5",0\n"0,125",1\n', [1.5, 0.125], "decimal commas"),
    ('a,y\n"1,500",0\n"12,000.5",1\n', [1500, 12000.5], "thousands commas"),
    ("a;y\n1,500;0\n2,125;1\n", [1.5, 2.125], "decimal commas"),
    ("a;b;y\n1,500;0.5;0\n12,125;1.5;1\n", [1500, 12125], "thousands commas"),
])  # fmt: skip
def test_commas_in_numbers_are_told_apart_and_said(tmp_path, text, values, words):
    (tmp_path / "data.csv").write_text(text)
    rows = read_rows(tmp_path / "data.csv")
    assert rows.X["a"].tolist() == values
    assert words in notes_of(rows)
    again = eval(rows.read_by, {"pandas": pd, "FILE": tmp_path / "data.csv"})
    assert again["a"].tolist() == values


def test_comments_before_the_table_are_skipped_and_a_header_that_looks_like_one_is_not(tmp_path):
    (tmp_path / "data.csv").write_text("# by hand, in May\n# twice\na,b,y\n1,2,u\n3,4,v\n5,6\n")
    rows = read_rows(tmp_path / "data.csv")
    assert list(rows.X.columns) == ["a", "b"]
    assert "skipped: 2 lines" in notes_of(rows)
    assert "(line 6)" in notes_of(rows)
    assert eval(rows.read_by, {"pandas": pd, "FILE": tmp_path / "data.csv"})["a"].tolist() == [1, 3, 5]
    (tmp_path / "data.csv").write_text("#a,b,y\n1,2,u\n3,4,v\n")
    assert list(read_rows(tmp_path / "data.csv").X.columns) == ["#a", "b"]


def test_rows_that_end_early_are_counted_and_the_first_is_named(tmp_path):
    (tmp_path / "data.csv").write_text('a,b,y\n1,"two\nlines",0\n3,4\n5\n6,7,1\n8,,\n')
    rows = read_rows(tmp_path / "data.csv")
    assert rows.y.isna().tolist() == [False, True, True, False, True]
    assert "2 rows have fewer fields than the first line (the first in line 4)" in notes_of(rows)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_byte_order_mark_is_read_and_said(tmp_path, encoding):
    (tmp_path / "data.csv").write_bytes(PLAIN.to_csv(index=False).encode(encoding))
    rows = read_rows(tmp_path / "data.csv")
    pd.testing.assert_frame_equal(rows.X, PLAIN.drop(columns="y"), check_dtype=False)
    assert "without a byte-order mark" in notes_of(rows)
    assert f"encoding='{encoding}'" in rows.read_by


def test_a_target_that_is_not_there_is_refused_with_the_names(tmp_path):
    with pytest.raises(UserError, match=r"Did you mean 'y'\? There are: a, b, colour, y"):
        read_rows(written(tmp_path / "data.csv"), target="Y")
    with pytest.raises(UserError, match="Did you mean 'colour'"):
        read_rows(tmp_path / "data.csv", target="color")
    assert list(PLAIN.columns) == COLUMNS


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_libsvm_text_keeps_its_numbers(tmp_path, pack):
    (tmp_path / "data").write_bytes(pack(b"\xef\xbb\xbf+1 1:0.5 3:2 \n-1 2:1e-1\n"))
    rows = read_rows(tmp_path / "data")
    assert rows.X.toarray().tolist() == [[0.5, 0, 2], [0, 0.1, 0]]
    assert list(rows.y) == [1, -1]
    with pytest.raises(UserError, match="leave --target out"):
        read_rows(tmp_path / "data", target="x")


def test_two_libsvm_files_get_the_width_of_the_wider(tmp_path):
    for name, text in (("train", "1 1:1\n0 2:1\n"), ("test", "1 5:1\n")):
        (tmp_path / name).write_text(text)
    first, second = with_common_width(read_rows(tmp_path / "train"), read_rows(tmp_path / "test"))
    assert first.X.shape[1] == second.X.shape[1] == 5
    assert second.X[0, 4] == 1


def test_mostly_empty_rows_stay_sparse(tmp_path):
    (tmp_path / "thin").write_text("".join(f"{i % 2} {i + 1}:1\n" for i in range(20)))
    (tmp_path / "full").write_text("1 1:1 2:2\n0 1:3 2:1\n")
    assert sparse.issparse(densified(read_rows(tmp_path / "thin")).X)
    assert isinstance(densified(read_rows(tmp_path / "full")).X, np.ndarray)
