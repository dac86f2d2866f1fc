"""Cross-validation finds what training fold by fold finds, on folds that are even and repeatable."""

import dataclasses

import numpy as np
import pytest
from scipy import sparse

from scrf_bench.learners import LibsvmClassifier, refined_grid, stratified_folds, tune_svm, tuning

GRID = {"log2_C": [-1, 3], "log2_gamma": [-5, -2, 1]}


def by_hand(X, y, grid_C, grid_gamma, folds, seed):
    codes = np.unique(y, return_inverse=True)[1]
    rows, fold = stratified_folds(codes, folds, seed, None)
    X, codes = X[rows], codes[rows]
    return [
        [
            sum(
                int(
                    (
                        LibsvmClassifier(C=2.0**C, gamma=2.0**gamma)
                        .fit(X[fold != f], codes[fold != f])
                        .predict(X[fold == f])
                        == codes[fold == f]
                    ).sum()
                )
                for f in range(folds)
            )
            / len(codes)
            for gamma in grid_gamma
        ]
        for C in grid_C
    ]


def test_the_grid_is_that_of_libsvm_trained_on_each_fold(blobs):
    X, y = blobs
    result = tune_svm(X, y, **GRID, folds=4, seed=3)
    expected = by_hand(X, y, result.grid_log2_C, result.grid_log2_gamma, 4, 3)
    assert [list(row) for row in result.accuracies] == expected
    assert result.cv_accuracy == max(map(max, expected))


def test_folds_given_as_vectors_or_as_kernels_or_sparse_agree(blobs, monkeypatch):
    X, y = blobs
    as_kernels = tune_svm(X, y, **GRID)
    assert tune_svm(sparse.csr_array(X), y, **GRID) == as_kernels
    monkeypatch.setattr(tuning, "_PRECOMPUTED_BYTES", 0)
    assert tune_svm(X, y, **GRID) == as_kernels


def test_equals_go_to_the_smaller_C_and_then_the_smaller_gamma():
    X = np.repeat([[0.0], [100.0]], 10, axis=0) + np.arange(20)[:, None] * 1e-3
    y = np.repeat([0, 1], 10)  # far apart: every point of the grid is perfect
    result = tune_svm(X, y, log2_C=[4, 2, 6], log2_gamma=[0, -3], folds=5)
    assert result.cv_accuracy == 1.0
    assert set(map(min, result.accuracies)) == {1.0}
    assert (result.log2_C, result.log2_gamma) == (2.0, -3.0)
    assert (result.C, result.gamma) == (4.0, 0.125)
    assert result.grid_log2_C == (2.0, 4.0, 6.0)


def test_a_subsample_has_a_rare_class_in_every_fold():
    codes = np.repeat([0, 1, 2], [6, 900, 5000])
    rows, fold = stratified_folds(codes, 5, 3, max_rows=200)
    assert sorted(fold[codes[rows] == 0]) == [0, 1, 2, 3, 4]
    plain = np.bincount(codes[rows])[1:] / rows.size
    assert plain == pytest.approx([900 / 5906, 5000 / 5906], abs=0.03)
    assert rows.size <= 200 + 5
    assert np.bincount(fold).max() - np.bincount(fold).min() <= 1
    with pytest.raises(ValueError, match="Class number 0 has 4 rows, fewer than folds=5; give fewer folds"):
        stratified_folds(np.repeat([0, 1], [4, 900]), 5, 3, max_rows=200)


@pytest.mark.parametrize("max_rows", [None, 100, 77])
def test_folds_are_stratified_and_even(max_rows):
    codes = np.random.default_rng(0).permutation(np.repeat([0, 1, 2], [200, 60, 40]))
    rows, fold = stratified_folds(codes, 5, 1, max_rows)
    used = max_rows or 300
    assert len(np.unique(rows)) == used
    assert (np.diff(rows) > 0).all()
    sizes = np.bincount(fold, minlength=5)
    assert sizes.max() - sizes.min() <= 1
    for c in range(3):
        of_class = np.bincount(fold[codes[rows] == c], minlength=5)
        assert of_class.max() - of_class.min() <= 1
        share = (codes == c).mean() * used
        assert abs(of_class.sum() - share) <= 1


def test_rows_and_folds_depend_on_the_seed_alone():
    codes = np.repeat([0, 1], 50)
    first, again, other = (stratified_folds(codes, 5, seed, 60) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first[0], other[0])


def test_a_subsample_and_its_circumstances_are_recorded(blobs):
    X, y = blobs
    seen = []
    result = tune_svm(
        X, y, **GRID, folds=3, seed=9, max_rows=90, progress=lambda done, total: seen.append((done, total))
    )
    assert (result.rows_used, result.rows_given, result.folds, result.seed) == (90, 240, 3, 9)
    assert seen == [(i, 18) for i in range(1, 19)]
    assert "LIBSVM" in result.solver
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.folds = 4


def test_a_fine_grid_is_steps_around_the_coarse_best():
    assert refined_grid(3.0) == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert refined_grid(-2, step=0.5, reach=1) == [-2.5, -2.0, -1.5]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"log2_C": []}, "grid is empty"),
        ({"folds": 1}, "folds=1 leaves nothing to test on"),
        ({"folds": 100}, "80 rows, fewer than folds=100"),
        ({"max_rows": 0}, "max_rows=0"),
        ({"eps": 0}, "eps=0"),
    ],
)
def test_impossible_requests_are_named(blobs, settings, words):
    with pytest.raises(ValueError, match=words):
        tune_svm(*blobs, **{**GRID, **settings})


def test_some_points_of_the_grid_have_the_accuracies_they_have_among_all(blobs):
    whole = tune_svm(*blobs, **GRID)
    some = tune_svm(*blobs, **GRID, points=[(-1, -5), (3, 1)])
    assert [(C, gamma) for C, gamma, _ in some.tried] == [(-1, -5), (3, 1)]
    assert set(some.tried) <= set(whole.tried)
    with pytest.raises(ValueError, match="not on the grid"):
        tune_svm(*blobs, **GRID, points=[(0, 0)])


def test_what_is_known_is_not_trained_again(blobs):
    """Half of the counts are handed in, wrong on purpose: they are taken as they are."""
    known, seen = {}, []
    first = tune_svm(*blobs, **GRID, folds=2, known=known)
    assert len(known) == 12
    known = {key: 0 for key in known if key[1] == 3}
    again = tune_svm(*blobs, **GRID, folds=2, known=known, progress=lambda *at: seen.append(at))
    assert seen == [(i, 12) for i in range(7, 13)]
    assert again.accuracies[0] == first.accuracies[0]
    assert again.accuracies[1] == (0.0, 0.0, 0.0)
