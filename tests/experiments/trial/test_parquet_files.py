"""Parquet files, read by pyarrow, give what the same CSV gives; what is no value a row is left out or refused."""

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import pytest

from scrf_bench.errors import UserError
from scrf_bench.experiments.trial.columns import preparation, sort_columns
from scrf_bench.experiments.trial.reading import read_rows
from scrf_bench.experiments.trial.target import read_target
from tests.experiments.trial.user_files import frame, written

pytest.importorskip("pyarrow")
PLAIN = frame()
N = len(PLAIN)
RNG = np.random.default_rng(3)


def stored(folder, table):
    """Write a table as Parquet and return the path."""
    table.to_parquet(folder / "data.parquet")
    return folder / "data.parquet"


def gaps(values, dtype):
    """Give values of a pandas dtype with a missing one."""
    column = pd.Series(values, dtype=dtype)
    column[3] = pd.NA
    return column


def test_parquet_and_csv_of_one_table_are_the_same_rows(tmp_path):
    rows, text = read_rows(stored(tmp_path, PLAIN)), read_rows(written(tmp_path / "data.csv", PLAIN))
    pd.testing.assert_frame_equal(rows.X, text.X, check_dtype=False)
    assert (rows.target, list(rows.y)) == ("y", list(text.y))
    assert rows.read_by == "pandas.read_parquet(FILE)"
    features = [preparation(sort_columns(X)).fit_transform(X) for X in (rows.X, text.X)]
    np.testing.assert_array_equal(*features)


@pytest.mark.parametrize(("column", "number"), [
    (RNG.integers(0, 9, N), True), (RNG.random(N).astype(np.float32), True), (RNG.random(N) < 0.5, True),
    (gaps(RNG.integers(0, 9, N), "Int64"), True), (gaps(RNG.random(N), "Float64"), True),
    (gaps(RNG.random(N) < 0.5, "boolean"), True), (pd.Series([True, None, False, True] * (N // 4), dtype=object), True),
    ([None] + [decimal.Decimal(int(v)) / 100 for v in RNG.integers(0, 999, N - 1)], True),
    (pd.Categorical(RNG.choice(["u", "v"], N)), False), (gaps(RNG.choice(["u", "v"], N), "string"), False),
    (pd.Categorical(RNG.integers(0, 4, N)), True),
], ids=lambda value: str(getattr(value, "dtype", "")))  # fmt: skip
def test_every_type_of_column_is_a_number_or_a_word_and_its_gaps_are_filled(tmp_path, column, number):
    path = stored(tmp_path, PLAIN.assign(new=column))
    rows = read_rows(path)
    columns = sort_columns(rows.X)
    assert ("new" in columns.numbers, "new" in columns.words) == (number, not number)
    prepare = preparation(columns).fit(rows.X)
    features = prepare.transform(rows.X)
    assert np.isfinite(features).all()
    np.testing.assert_array_equal(prepare.transform(pd.read_parquet(path)), features)
    if number:
        values = pd.to_numeric(pd.Series(column)).astype("Float64")
        values = values.fillna(values.median()).to_numpy(np.float64)
        assert abs(np.corrcoef(features[:, columns.numbers.index("new")], values)[0, 1]) > 1 - 1e-9


@pytest.mark.parametrize("column", [
    pd.date_range("2020-01-01", periods=N), pd.date_range("2020-01-01", periods=N, tz="Europe/Paris"),
    [dt.date(2020, 1, 1 + i % 28) for i in range(N)], [dt.time(i % 24) for i in range(N)],
    pd.to_timedelta(np.arange(N), unit="h"),
], ids=["dates", "zoned", "days", "times", "spans"])  # fmt: skip
def test_dates_are_left_out_and_are_no_target(tmp_path, column):
    rows = read_rows(stored(tmp_path, PLAIN.assign(when=column)))
    columns = sort_columns(rows.X)
    assert "Left out (dates or times: make numbers of them to use them): when." in columns.notes
    assert "when" not in columns.numbers + columns.words
    with pytest.raises(UserError, match="'when' holds dates or times"):
        read_target(pd.Series(column), "when")


@pytest.mark.parametrize("value", [[1, 2], {"u": 1}, b"x"], ids=["list", "record", "bytes"])
def test_lists_records_and_bytes_are_left_out_and_are_no_target(tmp_path, value):
    path = stored(tmp_path, PLAIN.assign(deep=[value] * N))
    rows = read_rows(path)
    assert list(rows.X.columns) == ["a", "b", "colour"]
    assert "Left out (lists, records or bytes, not one value a row): deep." in rows.notes
    with pytest.raises(UserError, match="--target deep holds lists, records or bytes"):
        read_rows(path, target="deep")


def test_a_named_index_is_read_as_a_column_and_row_labels_are_not(tmp_path):
    path = stored(tmp_path, PLAIN.set_index("a"))
    rows = read_rows(path)
    assert list(rows.X.columns) == ["a", "b", "colour"]
    assert "The index is read as columns: a." in rows.notes
    again = eval(rows.read_by, {"pandas": pd, "FILE": path})
    pd.testing.assert_frame_equal(again.drop(columns="y"), rows.X)
    some = stored(tmp_path, PLAIN.sample(50, random_state=0))
    assert list(read_rows(some).X.columns) == ["a", "b", "colour"]


@pytest.mark.parametrize(("column", "kind", "classes"), [
    (gaps(RNG.integers(0, 2, N), "Int64"), "classification", [0, 1]),
    (gaps(RNG.random(N) < 0.5, "boolean"), "classification", [False, True]),
    (pd.Categorical(RNG.choice(["u", "v"], N)), "classification", ["u", "v"]),
    ([decimal.Decimal(i) / 100 for i in range(N)], "regression", None),
    (RNG.random(N).astype(np.float32), "regression", None),
], ids=["Int64", "boolean", "category", "decimal", "float32"])  # fmt: skip
def test_targets_of_every_type_are_classes_or_numbers(tmp_path, column, kind, classes):
    rows = read_rows(stored(tmp_path, PLAIN.assign(y=column)))
    target = read_target(rows.y, "y")
    assert target.kind == kind
    assert len(target.y) == pd.Series(column).notna().sum()
    if classes is None:
        assert target.y.dtype == np.float64
    else:
        assert target.classes.tolist() == classes


def test_a_damaged_or_empty_file_is_refused(tmp_path):
    path = stored(tmp_path, PLAIN)
    whole = path.read_bytes()
    for cut in (b"", whole[: len(whole) // 2], whole[:-20], b"PAR1" + bytes(100) + b"PAR1"):
        path.write_bytes(cut)
        with pytest.raises(UserError, match="not a sound Parquet file"):
            read_rows(path)
    path.write_text(PLAIN.to_csv(index=False))
    with pytest.raises(UserError, match="not a sound Parquet file"):
        read_rows(path)
