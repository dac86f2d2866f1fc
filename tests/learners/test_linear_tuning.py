"""Tuning a map for itself: the grid's accuracies are those of training fold by fold, and the map never sees a label."""

import numpy as np
import pytest

from scrf_bench.learners import LiblinearClassifier, tune_linear
from scrf_bench.learners.folds import stratified_folds
from scrf_bench.maps import RKS

RNG = np.random.default_rng(4)
X = np.vstack([RNG.normal(-1.0, 1.2, (60, 3)), RNG.normal(1.0, 1.2, (60, 3))])
Y = np.repeat(["no", "yes"], 60)


def features(gamma, rows):
    return RKS(n_components=20, gamma=gamma, random_state=1).fit(X).transform(X[rows])


def test_accuracies_are_those_of_training_fold_by_fold():
    grid_C, grid_gamma = [-3.0, 1.0], [-6.0, -2.0, 1.0]
    found = tune_linear(features, Y, log2_C=grid_C, log2_gamma=grid_gamma, folds=3, seed=5, max_rows=90, eps=0.01)
    codes = (Y == "yes").astype(int)
    rows, fold = stratified_folds(codes, 3, 5, 90)
    for i, C in enumerate(grid_C):
        for j, gamma in enumerate(grid_gamma):
            Phi, hits = features(2.0**gamma, rows), 0
            for k in range(3):
                model = LiblinearClassifier(2.0**C, loss="hinge", eps=0.01, bias=1.0, random_state=5)
                model.fit(Phi[fold != k], codes[rows][fold != k])
                hits += np.sum(model.predict(Phi[fold == k]) == codes[rows][fold == k])
            assert found.accuracies[i][j] == hits / 90
    assert found.cv_accuracy == np.max(found.accuracies)
    assert found.accuracies[grid_C.index(found.log2_C)][grid_gamma.index(found.log2_gamma)] == found.cv_accuracy
    assert (found.rows_used, found.rows_given) == (90, 120)


def test_the_map_is_made_once_a_gamma_for_the_rows_that_are_used():
    seen = []

    def watched(gamma, rows):
        seen.append((gamma, len(rows)))
        return features(gamma, rows)

    tune_linear(watched, Y, log2_C=[1, -1, 1], log2_gamma=[0, -2], folds=2, seed=0, max_rows=50)
    assert seen == [(0.25, 50), (1.0, 50)]


def test_of_equals_the_smaller_C_and_gamma_are_taken():
    """Features that tell the classes apart whatever C and gamma: every point of the grid is right on every row."""

    def perfect(gamma, rows):
        return np.where(Y[rows] == "yes", 9.0, -9.0)[:, None]

    found = tune_linear(perfect, Y, log2_C=[2, 0], log2_gamma=[3, -3], folds=2, seed=0)
    assert (found.log2_C, found.log2_gamma, found.cv_accuracy) == (0.0, -3.0, 1.0)


@pytest.mark.parametrize(
    ("change", "words"),
    [({"log2_C": []}, "grid is empty"), ({"folds": 1}, "nothing to test on"), ({"eps": 0.0}, "eps")],
)
def test_what_cannot_be_searched_is_refused(change, words):
    options = {"log2_C": [0], "log2_gamma": [0], "folds": 2, "seed": 0, **change}
    with pytest.raises(ValueError, match=words):
        tune_linear(features, Y, **options)
