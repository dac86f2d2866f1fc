"""Gamma and the penalty are searched beyond the edge of the grid, and a choice that stays there is said."""

import math

import numpy as np
import pytest
from sklearn.pipeline import Pipeline

from scrf_bench.experiments.trial.grid import follow_edges
from scrf_bench.experiments.trial.methods import Method
from scrf_bench.experiments.trial.search import choose, median_gamma


@pytest.mark.parametrize(("peak", "found", "edges"), [
    ((1, 2), (1, 2), (False, False)),
    ((5, 7), (5, 7), (False, False)),  # a step beyond the grid of gamma and half a step more
    ((20, -20), (10, -10), (True, True)),  # two steps beyond and two half steps more, and no further
])  # fmt: skip
def test_the_edge_of_a_grid_is_followed_and_then_said(peak, found, edges):
    tried = []

    def scores_of(points):
        tried.extend(points)
        return {point: -math.dist(point, peak) for point in points}

    best = follow_edges(scores_of, [0, 2, 4], [-4, -2, 0, 2, 4])
    assert (best.log2_penalty, best.log2_gamma) == found
    assert (best.penalty_at_edge, best.gamma_at_edge) == edges
    assert len(tried) == len(set(tried)), "nothing is tried twice"


def test_a_gamma_that_is_given_stays_and_a_penalty_at_the_edge_is_said():
    best = follow_edges(lambda points: {point: point[0] for point in points}, [0, 2], [3.5])
    assert (best.log2_penalty, best.log2_gamma) == (6, 3.5)
    assert best.penalty_at_edge
    assert not best.gamma_at_edge


def test_an_alpha_at_the_edge_is_said_and_that_of_noise_is_not_followed():
    X = np.random.default_rng(0).normal(size=(90, 3))
    (_, said) = choose(X, X[:, 0], "regression", tune=False, seed=0).notes
    assert "lies at the edge of what was searched" in said
    noise = np.random.default_rng(1).normal(size=90)
    assert len(choose(X, noise, "regression", tune=False, seed=0).notes) == 1
    found = choose(X, (noise > 0).astype(int), "classification", tune=False, seed=0)
    assert len(found.notes) == 1
    assert found.penalty <= 2**7


def test_a_target_that_changes_fast_is_found_by_the_search():
    """A noise-free checkerboard of 8 x 8 fields: the median rule's gamma sees nothing there."""
    rng = np.random.default_rng(3)
    X = rng.random((600, 2))
    y = np.floor(8 * X).sum(axis=1).astype(int) % 2
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    found = choose(X[:500], y[:500], "classification", tune=True, seed=0)
    assert found.searched
    assert found.gamma > 16 * median_gamma(X[:500], 0)
    model = Pipeline(Method("exact", "classification", found).steps(0)).fit(X[:500], y[:500])
    assert np.mean(model.predict(X[500:]) == y[500:]) > 0.7
