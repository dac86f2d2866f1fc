"""``scrf-bench try``: from a file to a recommendation, a figure and a model that predicts on raw rows."""

import json

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from scrf_bench.experiments.trial import split
from scrf_bench.maps import MAPS
from tests.experiments.tiny_study import run_cli
from tests.experiments.trial.user_files import frame, written

SMALL = ["--components", "8,32", "--seeds", "2", "--maps", "scrf,nystroem"]


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    """A CSV of two classes: the command's result, and the folder."""
    folder = tmp_path_factory.mktemp("try")
    file = written(folder / "mine.csv", frame(400).assign(flat=1))
    result = run_cli("try", file, *SMALL, "--results", folder, "--export", folder / "model.joblib", "--json")
    assert result.exit_code == 0, result.output
    return folder, json.loads(result.stdout), result.stderr


def test_every_method_has_its_row_and_one_is_recommended(tried):
    _, answer, _ = tried
    rows = answer["methods"]
    maps = [("scrf", 8), ("nystroem", 8), ("scrf", 32), ("nystroem", 32)]
    assert [(row["name"], row["D"]) for row in rows] == [*maps, ("exact", None), ("linear", None), ("blind", None)]
    (chosen,) = [row for row in rows if row["chosen"]]
    assert chosen["name"] == answer["recommended"]["method"]
    for row in rows:
        assert row["low"] <= row["score"] <= row["high"]
        assert row["fit"] > 0
    best = max(row["score"] for row in rows)
    assert best > next(row["score"] for row in rows if row["name"] == "blind") + 20
    assert any("95 % interval" in line for line in answer["recommendation"])


def test_what_was_done_to_the_columns_is_said(tried):
    _, answer, stderr = tried
    for words in ("Left out (constant): flat", "imputed", "one-hot", "Classification: 'y' is text"):
        assert any(words in note for note in answer["notes"])
        assert words in stderr
    # Of all 400 rows, not of those that were fitted.
    assert "Missing values of the whole file (b: 7, colour: 6)" in stderr


def test_table_and_figure_are_written(tried):
    folder, _, _ = tried
    assert {path.name for path in (folder / "try" / "mine").iterdir()} == {"table.csv", "table.md", "figure.png"}


def test_the_model_predicts_on_raw_rows(tried):
    folder, answer, _ = tried
    model = joblib.load(folder / "model.joblib")
    fresh = frame(300, seed=5)
    predicted = model.predict(fresh.drop(columns="y").assign(flat=1))
    assert set(predicted) <= {"yes", "no"}
    expected = next(row["score"] for row in answer["methods"] if row["chosen"])
    # Another 300 rows: five standard errors of a share.
    assert 100 * np.mean(predicted == fresh["y"]) > expected - 500 * np.sqrt(0.25 / 300)
    # A column that was left out, another order and a gap do not matter.
    odd = fresh[["colour", "b", "a"]].assign(flat=None)
    odd.loc[0, "a"] = np.nan
    assert (model.predict(odd)[1:] == predicted[1:]).all()


def test_a_number_is_regressed_with_its_own_score(tmp_path):
    table = frame(300)
    table["y"] = np.sin(2 * table["a"]) + 0.1 * np.random.default_rng(1).normal(size=300)
    file = written(tmp_path / "numbers.csv", table)
    result = run_cli("try", file, *SMALL, "--results", tmp_path, "--export", tmp_path / "m.joblib")
    assert result.exit_code == 0, result.output
    assert "Regression" in result.stderr
    assert "root mean squared error" in result.stdout
    assert "R²" in result.stdout
    error = joblib.load(tmp_path / "m.joblib").predict(table.drop(columns="y")) - table["y"]
    assert np.sqrt(np.mean(error**2)) < 0.5 * table["y"].std()


def test_libsvm_text_with_a_test_file(tmp_path):
    rng = np.random.default_rng(0)
    for name, n in (("train", 120), ("exam.t", 60)):
        X = rng.normal(size=(n, 3))
        lines = [f"{int(x @ x > 2.5)} " + " ".join(f"{j + 1}:{v:.4f}" for j, v in enumerate(x)) for x in X]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    result = run_cli(
        "try", tmp_path / "train", "--test", tmp_path / "exam.t", *SMALL, "--tune", "--results", tmp_path,
        "--export", tmp_path / "m.joblib",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "Tested on the 60 rows" in result.stderr
    model = joblib.load(tmp_path / "m.joblib")
    assert model.predict(np.zeros((1, 3))).tolist() == [0]
    assert model.predict(sparse.csr_matrix([[0.0, 0, 0], [3, 0, 3]])).tolist() == [0, 1]


def test_a_model_of_sparse_rows_takes_matrices_and_arrays(tmp_path):
    rng = np.random.default_rng(0)
    hot = rng.integers(1, 60, size=(200, 2))
    lines = [f"{int(min(i, j) < 20)} {min(i, j)}:1 {max(i, j)}:2" for i, j in hot if i != j]
    (tmp_path / "thin").write_text("\n".join(lines) + "\n")
    result = run_cli("try", tmp_path / "thin", *SMALL, "--results", tmp_path, "--export", tmp_path / "m.joblib")
    assert result.exit_code == 0, result.output
    assert "the rows are sparse" in result.stderr
    model = joblib.load(tmp_path / "m.joblib")
    new = np.zeros((40, 59))
    new[np.arange(40), rng.integers(0, 59, 40)] = 1
    assert model.predict(new).tolist() == model.predict(sparse.csr_matrix(new)).tolist()


def test_a_map_that_cannot_cope_is_named_and_the_others_go_on(tmp_path):
    """A Nystroem map has no more landmarks than rows."""
    result = run_cli("try", written(tmp_path / "mine.csv"), "--maps", "scrf,nystroem", "--components", "150",
                     "--seeds", "1", "--results", tmp_path)  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "failed" in result.stdout
    words = " ".join(result.stdout.split())
    assert "Nystroem with D = 150: it takes as many rows as columns, and 120 are fitted on" in words


BOOM = """
from scrf_bench.maps import RandomFeatureMap, register_map


@register_map
class Boom(RandomFeatureMap):
    name, label = "boom", "Boom"

    def _draw_projection(self, rng, dtype):
        raise {error}
"""


@pytest.fixture
def without_boom():
    """Forget the plug-in's map afterwards."""
    yield
    MAPS.pop("boom", None)


@pytest.mark.usefixtures("without_boom")
@pytest.mark.parametrize("error", ["RuntimeError('boom')", "UserWarning('boom')", "SystemExit('boom')"])
def test_a_map_that_raises_leaves_a_hole_with_the_error_and_who_tells_more(tmp_path, error):
    plugin = tmp_path / "boom.py"
    plugin.write_text(BOOM.format(error=error))
    result = run_cli("try", written(tmp_path / "mine.csv"), "--maps", "rks,boom", "--components", "16", "--seeds", "1",
                     "--results", tmp_path, "--plugin", plugin)  # fmt: skip
    assert result.exit_code == 3, result.output
    assert "RKS" in result.stdout
    assert "Recommendation: " in result.stdout
    words = " ".join(result.stderr.split())
    assert (
        f"Failed: Boom with D = 16: {error.partition('(')[0]}: boom. What it breaks: scrf-bench check-map boom" in words
    )
    assert f"check-map boom --plugin {plugin}" in words


@pytest.mark.parametrize(("arguments", "words"), [
    (["--target", "nope"], "no such column"), (["--drop", "nope"], "--drop nope"),
    (["--maps", "scfr"], "Did you mean 'scrf'"), (["--export", "/nowhere/m.joblib"], "there is no folder /nowhere"),
    (["--export", "/dev/null"], "is a device"),
    (["--components", "0"], "whole numbers from 1"), (["--task", "regression"], "which is no number"),
])  # fmt: skip
def test_what_the_user_can_mend_is_refused_before_the_work(tmp_path, arguments, words):
    result = run_cli("try", written(tmp_path / "mine.csv"), *arguments, "--results", tmp_path / "results")
    assert result.exit_code == 2
    assert words in result.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(("table", "words"), [
    (frame(3), "3 rows; a trial needs at least 20"), (frame(60).assign(y="yes"), "the same value of 'y'"),
    (pd.DataFrame({"u": 1, "v": 2, "y": [0, 1] * 20}), "(constant): u, v"),
])  # fmt: skip
def test_files_without_anything_to_learn(tmp_path, table, words):
    result = run_cli("try", written(tmp_path / "mine.csv", table), "--results", tmp_path)
    assert result.exit_code == 2
    assert words in result.stderr


def test_a_test_file_that_does_not_fit_is_refused(tmp_path):
    file = written(tmp_path / "mine.csv")
    for table, words in (
        (frame().drop(columns="a"), "lacks the columns a"),
        (frame().assign(y="perhaps"), "none of its targets (perhaps)"),
        (frame().drop(columns="y"), "no such column in"),
        (frame().assign(y=np.nan), "no row has a value"),
    ):
        other = written(tmp_path / "other.csv", table)
        result = run_cli("try", file, "--test", other, "--results", tmp_path)
        assert result.exit_code == 2
        assert words in result.stderr


def test_test_rows_of_an_unknown_class_are_counted_and_only_columns_in_use_are_needed(tmp_path):
    file = written(tmp_path / "mine.csv", frame().assign(flat=1, extra=np.arange(200) % 7))
    other = frame(60, seed=2)
    other.loc[:5, "y"] = "perhaps"
    result = run_cli("try", file, "--test", written(tmp_path / "other.csv", other), *SMALL, "--drop", "extra",
                     "--results", tmp_path)  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "6 test rows have a target that no row to learn from has (perhaps)" in result.stderr


def test_help_says_how_many_rows_are_tested_on():
    words = " ".join(run_cli("try", "--help").stdout.split())
    assert f"Test rows, all of them. [default: a random quarter, at most {split._MOST_TEST:,}]" in words


def test_a_test_file_of_rows_to_learn_from_is_pointed_out(tmp_path):
    file = written(tmp_path / "mine.csv")
    result = run_cli("try", file, "--test", file, *SMALL, "--results", tmp_path)
    assert result.exit_code == 0, result.output
    assert "200 of the test rows stand among the rows to learn from" in result.stderr


def test_test_targets_that_are_no_numbers_are_refused_where_numbers_are_learned(tmp_path):
    file = written(tmp_path / "mine.csv", frame().assign(y=np.arange(200) / 7))
    result = run_cli("try", file, "--test", written(tmp_path / "other.csv"), "--results", tmp_path)
    assert result.exit_code == 2
    assert "'y' should be a number there, too, but holds" in result.stderr


def test_the_answer_is_printed_even_where_it_cannot_be_written(tmp_path):
    (tmp_path / "try").write_text("a file in the way")
    result = run_cli("try", written(tmp_path / "mine.csv"), *SMALL, "--results", tmp_path)
    assert result.exit_code == 2
    assert "Recommendation:" in result.stdout
    assert "Cannot write" in result.stderr


def test_an_export_that_is_cut_to_fewer_rows_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("scrf_bench.experiments.trial.export._MOST_ROWS", 100)
    result = run_cli("try", written(tmp_path / "mine.csv", frame(400)), *SMALL, "--results", tmp_path,
                     "--exact-rows", "90", "--export", tmp_path / "m.joblib")  # fmt: skip
    assert result.exit_code == 0, result.output
    words = " ".join(result.stderr.split())
    assert "random rows of the 300 that are no test rows (most for" in words


@pytest.mark.parametrize("options", [
    {"sep": ";", "decimal": ",", "encoding": "utf-8-sig"}, {"header": False}, {"sep": "|", "encoding": "utf-16"},
])  # fmt: skip
def test_the_message_says_how_to_read_rows_for_the_model(tmp_path, options):
    """What pandas reads in the way that is printed is what the model takes; other rows are refused, not guessed."""
    table = frame(300).rename(columns={"a": " a "})
    file = written(tmp_path / "mine.csv", table, **options)
    result = run_cli("try", file, "--maps", "scrf", "--components", "16", "--seeds", "1", "--results", tmp_path,
                     "--export", tmp_path / "m.joblib")  # fmt: skip
    assert result.exit_code == 0, result.output
    words = result.stderr.partition("such rows: ")[2].strip().removesuffix(".")
    raw = eval(words, {"pandas": pd, "FILE": file})
    model = joblib.load(tmp_path / "m.joblib")
    target = raw[raw.columns[-1]]
    assert np.mean(model.predict(raw) == target) > 0.75
    with pytest.raises(TypeError, match="pandas DataFrame"):
        model.predict(raw.to_numpy())
    if "decimal" in options:
        with pytest.raises(ValueError, match="Column 'a' should hold numbers"):
            model.predict(pd.read_csv(file, sep=";"))
