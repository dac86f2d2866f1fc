"""Task, columns, split, gamma and recommendation are decided as documented."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist
from sklearn.datasets import make_blobs
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import Pipeline

from scrf_bench.errors import UserError
from scrf_bench.experiments.trial.advice import advise, expected_loss
from scrf_bench.experiments.trial.columns import preparation, sort_columns
from scrf_bench.experiments.trial.methods import Method, Outcome
from scrf_bench.experiments.trial.search import Choice, choose, median_gamma
from scrf_bench.experiments.trial.split import split_rows
from scrf_bench.experiments.trial.target import read_target
from tests.experiments.trial.user_files import frame

CHOICE = Choice(1.0, 1.0, 1.0, ())


@pytest.mark.parametrize(("values", "asked", "kind"), [
    (["a", "b", "a"] * 4, None, "classification"), ([True, False] * 5, None, "classification"),
    ([1.0, 2.0, 3.0] * 5, None, "classification"), (np.arange(30.0), None, "regression"),
    ([0.5, 1.5, 0.5, 2.5] * 4, None, "regression"), ([1, 2, 3] * 5, "regression", "regression"),
    ([0.5, 1.5, 0.5, 1.5] * 4, "classification", "classification"),
    (list(range(1, 27)) * 12, None, "classification"), (list(range(1, 27)) * 12 + [28], None, "regression"),
    (np.random.default_rng(0).poisson(9, 2000), None, "regression"),
])  # fmt: skip
def test_the_task_follows_the_values_and_is_said(values, asked, kind):
    target = read_target(pd.Series(values), "y", asked)
    assert target.kind == kind
    assert target.notes[0].startswith(kind.capitalize())


def test_labels_are_those_of_the_file():
    assert read_target(pd.Series([1.0, 2.0] * 3), "y").y.tolist() == [1, 2] * 3
    assert read_target(pd.Series(["x", "z"] * 3), "y").y.tolist() == ["x", "z"] * 3


def test_rows_without_a_target_are_left_out_and_counted():
    target = read_target(pd.Series([1.0, np.nan, 2.0, 1.0, np.inf, 2.0]), "y")
    assert target.rows.tolist() == [0, 2, 3, 5]
    assert "2 rows have no 'y'" in target.notes[1]


@pytest.mark.parametrize(("values", "asked", "words"), [
    (["a"] * 30, None, "the same value of 'y', a"), ([2.5] * 30, None, "the same value"),
    ([f"n{i}" for i in range(30)], None, "more like a name"), ([np.nan] * 30, None, "No row has a value"),
    (["a", "b"] * 9, "regression", "'a', which is no number"),
])  # fmt: skip
def test_what_cannot_be_learned_is_refused(values, asked, words):
    with pytest.raises(UserError) as refused:
        read_target(pd.Series(values), "y", asked)
    assert words in str(refused.value)


def test_columns_become_scaled_numbers_and_one_hot_words_or_are_left_out():
    table = frame().drop(columns="y").assign(flat=1, void=np.nan, id=range(200), name=[f"n{i}" for i in range(200)])
    columns = sort_columns(table)
    assert (columns.numbers, columns.words) == (("a", "b"), ("colour",))
    notes = " ".join(columns.notes)
    for words in ("(constant): flat", "(empty): void", "(row numbers): id", "most rows): name", "b: 7", "colour: 6"):
        assert words in notes
    features = preparation(columns).fit_transform(table)
    assert features.shape == (200, 2 + 4)  # three colours, and what is missing
    np.testing.assert_allclose(features[:, :2].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(features[:, :2].std(axis=0), 1)
    median = table["b"].median()
    filled = table["b"].fillna(median)
    assert features[3, 1] == pytest.approx((median - filled.mean()) / filled.std(ddof=0))
    assert (features[:, 2:].sum(axis=1) == 1).all()


def test_new_rows_may_hold_what_was_never_seen():
    table = frame().drop(columns="y")
    prepare = preparation(sort_columns(table)).fit(table)
    strange = pd.DataFrame({"colour": ["violet"], "b": ["no number"], "a": [np.inf]})
    assert np.isfinite(prepare.transform(strange)).all()


def test_a_few_words_among_numbers_count_as_missing():
    table = pd.DataFrame({"n": [str(i) for i in range(95)] + ["n/k"] * 5, "m": range(100)})
    columns = sort_columns(table)
    assert "n" in columns.numbers
    assert "n: 5" in " ".join(columns.notes)


def test_what_is_missing_is_counted_over_the_file_and_infinities_are_said():
    whole = frame().drop(columns="y").assign(n=np.arange(200) / 7, m=np.arange(200) / 3)
    whole.loc[150:152, "n"] = np.inf
    whole.loc[[0, 160], "m"] = -np.inf
    notes = sort_columns(whole.iloc[:100], whole=whole).notes
    assert "Infinite values count as missing (n: 3, m: 2)." in notes
    assert (
        "Missing values of the whole file (b: 7, n: 3, m: 2, colour: 6) are imputed: numbers by the column's median, "
        "words by '(missing)'." in notes
    )
    assert "b: 7" not in " ".join(sort_columns(whole.iloc[:5]).notes)
    words = whole.astype({"n": object}).assign(a=["odd", *map(str, range(199))])
    assert "Words among numbers count as missing (a: 1)." in sort_columns(words).notes
    with pytest.raises(UserError, match=r"Column 'n' holds numbers beyond 1e\+100"):
        sort_columns(whole.iloc[:100], whole=whole.replace({"n": np.inf}, 1e200))


def test_only_the_imputation_that_takes_place_is_said():
    table = frame().drop(columns="y")
    numbers, words = (" ".join(sort_columns(table.assign(**{name: 1.0})).notes) for name in ("colour", "b"))
    assert "numbers by the column's median." in numbers
    assert "words" not in numbers
    assert "imputed: words by '(missing)'." in words


@pytest.mark.parametrize(("texts", "numbers", "mark"), [
    (["$1,234.50", "-$2.00", "$-3", "($4.25)"], [1234.5, -2, -3, -4.25], "$"),
    (["12.3%", "-0.5 %", "7%", "+0.9%"], [12.3, -0.5, 7, 0.9], "%"),
    (["1.234,50 €", "2,5 €", "-3,00 €", "4 €"], [1234.5, 2.5, -3, 4], "€"),
    (["£1,000", "£2,500,000", "£3", "£4"], [1000, 2.5e6, 3, 4], "£"),
])  # fmt: skip
def test_numbers_with_a_sign_are_numbers_in_the_file_and_in_new_rows(texts, numbers, mark):
    table = pd.DataFrame({"money": texts * 30, "a": np.arange(120) / 7})
    columns = sort_columns(table)
    assert columns.numbers == ("money", "a")
    assert f"(money: {mark})" in " ".join(columns.notes)
    prepare = pickle.loads(pickle.dumps(preparation(columns).fit(table)))
    values = np.tile(numbers, 30).astype(float)
    fresh = pd.DataFrame({"money": [*texts, None, "cheap", f"0{'.' if mark == '€' else ','}9{mark}"], "a": 1.0})
    scaled = (np.array([*numbers, *[np.median(values)] * 3]) - values.mean()) / values.std()
    np.testing.assert_allclose(prepare.transform(fresh)[:, 0], scaled, atol=1e-12)
    # Who has read the numbers already may pass them.
    read = fresh.iloc[:4].assign(money=numbers)
    np.testing.assert_allclose(prepare.transform(read)[:, 0], scaled[:4], atol=1e-12)


def test_what_only_resembles_numbers_with_a_sign_stays_text():
    for texts in (["$1.2.3", "$2.3.4"], ["5%", "about 5%"], ["$5", "€5"], ["US$", "C$"]):
        table = pd.DataFrame({"money": texts * 30, "a": np.arange(60) / 7})
        assert sort_columns(table).words == ("money",)


def test_a_target_with_a_sign_is_a_number_and_round_classes_keep_theirs():
    target = read_target(pd.Series([f"${1000 + i / 4:,.2f}" for i in range(60)]), "price")
    assert target.kind == "regression"
    assert target.y[:2].tolist() == [1000, 1000.25]
    assert "'price' is read as numbers without the sign $." in target.notes
    assert read_target(pd.Series(["5%", "10%"] * 30), "rate").classes.tolist() == ["10%", "5%"]
    assert read_target(pd.Series(["5%", "10%"] * 30), "rate", "regression").y[:2].tolist() == [5, 10]


def test_a_table_of_numbered_columns_may_be_passed_as_an_array_has_them():
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=["0", "1", "2"])
    prepare = preparation(sort_columns(table)).fit(table)
    np.testing.assert_array_equal(prepare.transform(pd.DataFrame(table.to_numpy())), prepare.transform(table))
    numbered = table.set_axis(["column 1", "column 2", "column 3"], axis=1)
    prepare = preparation(sort_columns(numbered)).fit(numbered)
    assert np.isfinite(prepare.transform(pd.DataFrame(table.to_numpy()))).all()


def test_no_column_left_is_refused():
    with pytest.raises(UserError, match=r"No column is left.*constant"):
        sort_columns(pd.DataFrame({"flat": [1] * 30}))
    with pytest.raises(UserError, match="Did you mean 'flat'"):
        sort_columns(pd.DataFrame({"flat": [1] * 30}), ["falt"])


@pytest.mark.parametrize("own_test", [True, False])
def test_the_parts_share_no_row_and_lose_none(own_test):
    y = np.repeat([0, 1], [300, 100])
    split = split_rows(y, "classification", seed=1, most_fit=50, own_test=own_test)
    parts = [split.fit, split.validation, split.rest, *([] if split.test is None else [split.test])]
    assert sorted(np.concatenate(parts).tolist()) == list(range(400))
    assert len(split.fit) == 50
    assert np.mean(y[split.validation]) == pytest.approx(0.25, abs=0.02)
    assert "--rows" in " ".join(split.notes)


def test_a_class_of_one_row_and_too_few_rows():
    y = np.array([0] * 30 + [1] * 30 + [2])
    assert "2 (1)" in " ".join(split_rows(y, "classification", seed=0, most_fit=100, own_test=False).notes)
    with pytest.raises(UserError, match="There are 19 rows"):
        split_rows(y[:19], "classification", seed=0, most_fit=100, own_test=False)


def test_gamma_of_the_median_rule_is_half_the_inverse_median_squared_distance():
    X = np.random.default_rng(0).normal(size=(300, 5))
    assert median_gamma(X, 0) == pytest.approx(0.5 / np.median(pdist(X, "sqeuclidean")))
    twins = np.vstack([np.zeros((50, 2)), np.ones((3, 2))])
    assert median_gamma(twins, 0) == pytest.approx(0.5 / 2)
    with pytest.raises(UserError, match="All rows have the same features"):
        median_gamma(np.ones((30, 2)), 0)


def test_searching_gamma_stays_near_the_median_rule_and_finds_what_separates():
    X, y = make_blobs(120, centers=3, n_features=2, random_state=0)
    given, found = (choose(X, y, "classification", tune=tune, seed=0) for tune in (False, True))
    assert given.gamma == pytest.approx(median_gamma(X, 0))
    assert abs(math.log2(found.gamma / given.gamma)) <= 6
    rare = np.append(y[:-1], 9)  # a class of one row cannot be in every fold
    assert choose(X, rare, "classification", tune=False, seed=0).penalty > 0


def outcome(name, loss, cost, D=None, rows=400, kind="classification", test=None):
    """A method with these losses on validation and test rows: the first `loss` share of the rows is wrong."""
    losses = [(np.arange(rows) < loss * rows).astype(float)]
    tested = losses if test is None else [(np.arange(rows) < test * rows).astype(float)]
    return Outcome(Method(name, kind, CHOICE, D), [cost], [cost], losses, tested, 1000)


BLIND = outcome("blind", 0.5, 0.001)


@pytest.mark.parametrize(("others", "chosen"), [
    ([outcome("scrf", 0.050, 1.0, 64), outcome("exact", 0.048, 9.0)], "scrf"),
    ([outcome("scrf", 0.200, 1.0, 64), outcome("exact", 0.048, 9.0)], "exact"),
    ([outcome("scrf", 0.050, 1.0, 64), outcome("linear", 0.052, 0.1)], "linear"),
])  # fmt: skip
def test_the_cheapest_of_the_good_is_recommended(others, chosen):
    advice = advise([*others, BLIND], "classification", 0.0, fitted=100, all_rows=100)
    assert advice.chosen.method.name == chosen
    assert advice.lines[0].startswith("Recommendation: ")
    assert "always the commonest class" in " ".join(advice.lines)


def test_the_exact_kernel_is_not_for_the_many_rows_that_were_not_fitted():
    others = [outcome("scrf", 0.05, 2.0, 64), outcome("exact", 0.05, 1.0), BLIND]
    assert advise(others, "classification", 0.0, fitted=100, all_rows=100).chosen.method.name == "exact"
    many = advise(others, "classification", 0.0, fitted=100, all_rows=10_000)
    assert many.chosen.method.name == "scrf"
    assert "(extrapolated)" in " ".join(many.lines)


def test_where_nothing_beats_chance_none_is_recommended():
    lucky = outcome("scrf", 0.3, 1.0, 64, test=0.4975)
    advice = advise([lucky, BLIND], "classification", 0.0, fitted=100, all_rows=100)
    assert advice.lines[0].startswith("Recommendation: none.")


def test_the_best_is_named_where_test_rows_show_that_it_is_better():
    """A loss of 0.050 is as good as 0.048 to the choice; of the test rows 0.3 against 0.02 is not."""
    best, linear = outcome("exact", 0.048, 9.0, test=0.02), outcome("linear", 0.050, 0.1, test=0.3)
    advice = advise([best, linear, outcome("blind", 0.5, 0.001, test=0.6)], "classification", 0.0, fitted=9, all_rows=9)
    assert advice.chosen is linear
    words = " ".join(advice.lines)
    assert "on the test rows exact LIBSVM is better beyond chance (98.0 %" in words
    assert "No map is needed" not in words


def test_time_and_memory_of_training_are_said_and_extrapolated():
    ridge = outcome("exact", 4e6, 2.0, rows=100, kind="regression")
    ridge.validation, ridge.test = [np.full(100, 4e6)], [np.full(100, 4e6)]
    words = " ".join(advise([ridge], "regression", 8e6, fitted=1000, all_rows=10_000).lines)
    assert "root mean squared error on new rows: 2,000 [2,000, 2,000], R² 0.500" in words
    assert "in training on 1,000 rows 8.00 MB of kernel values" in words
    assert "about 2,020 s and 800 MB of kernel values (extrapolated)" in words
    ridge.share = 0.5  # fitted on 500 rows: twenty times as many are 8,000 times the work
    words = " ".join(advise([ridge], "regression", 8e6, fitted=1000, all_rows=10_000).lines)
    assert "in training on 500 rows 2.00 MB of kernel values" in words
    assert "about 16,040 s" in words
    map_words = advise([outcome("scrf", 0.1, 2.0, 64), BLIND], "classification", 0.0, fitted=1000, all_rows=1000).lines
    assert "in training on 1,000 rows 1.54 MB of features" in " ".join(map_words)


def test_methods_that_failed_are_passed_over_and_all_failing_is_said():
    broken = Outcome(Method("scrf", "classification", CHOICE, 64), failure="ValueError: too wide")
    good = outcome("exact", 0.1, 1.0)
    assert advise([broken, good, BLIND], "classification", 0.0, fitted=9, all_rows=9).chosen is good
    with pytest.raises(UserError, match="SCRF with D = 64: ValueError: too wide"):
        advise([broken, BLIND], "classification", 0.0, fitted=9, all_rows=9)


@pytest.mark.statistical
def test_the_interval_covers_the_expected_loss_over_rows_and_draws():
    """A draw's error rate is Beta(20, 80), a row's difficulty shifts it; three draws, 300 rows.

    Of 400 intervals of 95 % at most 5 % + 5 sqrt(0.05 0.95 / 400) = 10.4 % may miss the true mean (0.2); a sound
    interval fails this with probability below 1e-5. Seeds are fixed.
    """
    rng = np.random.default_rng(11)
    missed = 0
    for _ in range(400):
        rates = rng.beta(20, 80, size=(3, 1))
        losses = (rng.random((3, 300)) < rates).astype(float)
        found = expected_loss(list(losses), "classification")
        missed += not found.low <= 0.2 <= found.high
    assert missed / 400 <= 0.104


def test_intervals_at_the_ends_and_of_squared_errors():
    perfect = expected_loss([np.zeros(50)], "classification")
    assert perfect.low == 0
    assert 0.02 < perfect.high < 0.1
    assert expected_loss([np.zeros(50)], "regression").high == 0


@pytest.mark.statistical
def test_the_interval_of_skewed_squared_errors_covers_their_mean():
    """Errors are normal, so their squares have mean 1; 20 rows.

    Of 400 intervals of 95 % at most 5 % + 5 sqrt(0.05 0.95 / 400) = 10.4 % may miss it; an interval that holds its
    level fails this with probability below 1e-5, and 1.96 errors of the logarithm either way miss 11 % here. Seeds are
    fixed.
    """
    rng = np.random.default_rng(5)
    found = [expected_loss([rng.normal(size=20) ** 2], "regression") for _ in range(400)]
    assert sum(not e.low <= 1 <= e.high for e in found) / 400 <= 0.104


MANY = np.repeat([f"c{i}" for i in range(11)], 30)


def test_many_classes_are_learned_by_ridge_regression_and_few_by_liblinear():
    X, y = make_blobs(330, centers=11, n_features=3, random_state=2)
    many = choose(X, y, "classification", tune=False, seed=0)
    assert many.alpha is not None
    assert "11 classes" in many.notes[0]
    model = Pipeline(Method("scrf", "classification", many, 64).steps(0)).fit(X, MANY[y * 30])
    exact = Pipeline(Method("exact", "classification", many).steps(0)).fit(X, MANY[y * 30])
    assert isinstance(model.named_steps["learner"], RidgeClassifier)
    assert np.mean(model.predict(X) == exact.predict(X)) > 0.9
    assert Method("linear", "classification", many).label == "linear (ridge)"
    few = choose(X[y < 10], y[y < 10], "classification", tune=False, seed=0)
    assert few.alpha is None
    assert Method("linear", "classification", few).label == "linear (LIBLINEAR)"


def test_times_that_do_not_differ_beyond_noise_do_not_decide():
    """Of what is as good and as fast, the simpler is recommended, whatever the clock said."""
    linear, exact, narrow, wide = (
        outcome("linear", 0.05, 0.004),
        outcome("exact", 0.05, 0.002),
        outcome("scrf", 0.05, 0.001, 64),
        outcome("rks", 0.05, 0.001, 256),
    )
    for others, chosen in (
        ([linear, exact, narrow, wide], linear),
        ([wide, narrow, exact], exact),
        ([wide, narrow], narrow),
    ):
        assert advise([*others, BLIND], "classification", 0.0, fitted=9, all_rows=9).chosen is chosen
    slow = outcome("linear", 0.05, 0.02)
    assert advise([slow, narrow, BLIND], "classification", 0.0, fitted=9, all_rows=9).chosen is narrow


def test_where_one_class_is_nearly_all_accuracy_is_not_blamed_on_the_columns():
    y = np.array([0] * 190 + [1] * 10)
    assert "95.0% of the rows are '0'" in " ".join(
        split_rows(y, "classification", seed=0, most_fit=100, own_test=False).notes
    )
    rare = [outcome("scrf", 0.05, 1.0, 64), outcome("blind", 0.05, 0.001)]
    assert "classes so unequal" in advise(rare, "classification", 0.0, fitted=9, all_rows=9).lines[0]


def test_a_target_of_numbers_with_a_few_words_is_a_number_with_gaps():
    values = [str(i / 7) for i in range(95)] + ["n/k"] * 5
    target = read_target(pd.Series(values), "y")
    assert (target.kind, len(target.y)) == ("regression", 95)
    assert "'y' is a number but for 5 words such as 'n/k', taken for gaps." in target.notes
    one = read_target(pd.Series(values[:96]), "y")
    assert "'y' is a number but for one word, 'n/k', taken for a gap." in one.notes
    assert read_target(pd.Series(["1", "2", "n/k"] * 20), "y").classes.tolist() == ["1", "2", "n/k"]
    with pytest.raises(UserError, match="decimal commas such as '0,5'"):
        read_target(pd.Series([f"{i},5" for i in range(60)]), "y")


@pytest.mark.parametrize("text", ["2020-01-{:02d}", "{}.3.2021", "2020-03-{:02d} 12:30:00", "{}:30"])
def test_dates_as_text_are_left_out_with_the_reason(text):
    table = pd.DataFrame({"when": [text.format(1 + i % 20) for i in range(60)], "a": np.arange(60) / 7})
    columns = sort_columns(table)
    assert columns.words == ()
    assert "dates or times" in columns.notes[0]
    assert sort_columns(table.assign(when=[f"v{i % 9}.2.3" for i in range(60)])).words == ("when",)


def test_whole_numbers_that_differ_in_every_row_are_pointed_out():
    table = pd.DataFrame({"customer": 1000 + np.random.default_rng(0).permutation(60), "a": np.arange(60) % 7})
    columns = sort_columns(table)
    assert "customer" in columns.numbers
    assert "--drop customer" in " ".join(columns.notes)


def test_numbers_too_large_to_square_are_refused():
    with pytest.raises(UserError, match=r"Column 'b' holds numbers beyond 1e\+100"):
        sort_columns(pd.DataFrame({"a": np.arange(30.0), "b": np.arange(30.0) * 1e300}))


def test_a_gamma_that_was_not_searched_may_be_to_blame():
    for searched in (False, True):
        choice = Choice(1.0, 1.0, 1.0, (), searched=searched)
        nothing = Outcome(Method("scrf", "classification", choice, 64), [1.0], [1.0], BLIND.validation, BLIND.test, 9)
        lines = advise([nothing, BLIND], "classification", 0.0, fitted=9, all_rows=9).lines
        assert lines[0].startswith("Recommendation: none.")
        assert ("--tune" in lines[0]) is not searched
        straight = [(np.arange(400) < 20).astype(float)]
        linear = Outcome(Method("linear", "classification", choice), [1.0], [1.0], straight, straight, 9)
        words = " ".join(advise([linear, BLIND], "classification", 0.0, fitted=9, all_rows=9).lines)
        assert "a kernel adds nothing here" in words
        assert ("--tune" in words) is not searched


def test_more_rows_promise_accuracy_only_where_something_was_learned():
    good, bad = outcome("scrf", 0.05, 2.0, 64), outcome("scrf", 0.5, 2.0, 64)
    words = " ".join(advise([good, BLIND], "classification", 0.0, fitted=100, all_rows=1000).lines)
    assert "should take at least 22" in words
    assert "be more accurate" in words
    words = " ".join(advise([bad, BLIND], "classification", 0.0, fitted=100, all_rows=1000).lines)
    assert "Recommendation: none." in words
    assert "more accurate" not in words
    assert "Only 100 of 1,000 rows" in words
