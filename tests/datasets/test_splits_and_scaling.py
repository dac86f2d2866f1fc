"""Random splits are pure functions with a fixed recipe; scaling is fitted on the training rows alone."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from scrf_bench.datasets import load
from scrf_bench.datasets.scaling import fit_scaling
from scrf_bench.datasets.splits import default_train_rows, random_order, random_split, random_subsample
from scrf_bench.errors import DataError


def test_golden_splits():
    """These rows must never change: committed records were made with them."""
    assert random_order("test", "mushrooms", 0, 10).tolist() == GOLDEN["mushrooms"]
    assert random_order("subsample", "mnist", 3, 10).tolist() == GOLDEN["mnist"]
    train, _ = random_split("mushrooms", 1, 8124, 4062)
    assert hashlib.sha256(train.astype("<i8").tobytes()).hexdigest()[:16] == GOLDEN["sha256"]


GOLDEN = {
    "mushrooms": [5, 4, 2, 6, 9, 1, 8, 0, 7, 3],
    "mnist": [5, 9, 7, 8, 0, 1, 6, 3, 2, 4],
    "sha256": "f2bc3006c06187d3",
}


@given(st.integers(0, 2**40), st.integers(2, 300), st.data())
@settings(max_examples=50, deadline=None)
def test_a_split_is_a_partition_and_repeats(seed, rows, data):
    n_train = data.draw(st.integers(1, rows - 1))
    train, test = random_split("toy", seed, rows, n_train)
    assert len(train) == n_train
    assert sorted([*train, *test]) == list(range(rows))
    again, _ = random_split("toy", seed, rows, n_train)
    assert np.array_equal(train, again)


def test_a_split_depends_on_name_seed_and_purpose():
    base = random_order("test", "a", 0, 100).tolist()
    others = [
        random_order("test", "b", 0, 100),
        random_order("test", "a", 1, 100),
        random_order("subsample", "a", 0, 100),
    ]
    assert all(base != other.tolist() for other in others)


def test_a_larger_subsample_contains_a_smaller_one():
    large, small = random_subsample("toy", 5, 1000, 400), random_subsample("toy", 5, 1000, 100)
    assert np.array_equal(large[:100], small)


def test_the_default_training_part_is_seventy_per_cent():
    assert default_train_rows(1000) == 700
    assert default_train_rows(351) == 246


def csr(rows):
    return sparse.csr_matrix(np.array(rows, dtype=float))


def test_minmax_takes_training_extremes_exactly_to_the_ends_and_constants_to_zero():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1e3, 1e3, (50, 6)) * 10.0 ** rng.integers(-8, 8, 6)
    X[:, 2] = 7.0
    fitted = fit_scaling("minmax", csr(X))
    Z = fitted.dense(csr(X), np.dtype(np.float64))
    varying = [0, 1, 3, 4, 5]
    assert (Z[:, varying].min(axis=0) == -1).all()
    assert (Z[:, varying].max(axis=0) == 1).all()
    assert (Z[:, 2] == 0).all()
    outside = fitted.dense(csr(X * 2 + 1), np.dtype(np.float64))
    assert (outside[:, 2] == 0).all(), "a feature that training never saw vary carries nothing"
    assert np.abs(outside[:, varying]).max() > 1, "test values are not clipped"


def test_standard_has_mean_zero_and_variance_one_even_at_a_large_offset():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 3)) + 1e8
    X[:, 1] = -4.0
    Z = fit_scaling("standard", csr(X)).dense(csr(X), np.dtype(np.float64))
    assert np.abs(Z.mean(axis=0)).max() < 1e-7
    assert np.allclose(Z[:, [0, 2]].var(axis=0), 1, rtol=1e-7)
    assert (Z[:, 1] == 0).all()


def test_max_divides_everything_by_the_largest_absolute_training_value():
    X = csr([[0, 255, 3], [-17, 0, 1]])
    fitted = fit_scaling("max", X)
    assert np.array_equal(fitted.dense(X, np.dtype(np.float64)), X.toarray() / 255)
    assert fitted.words == "divided by 255, the training maximum"


def test_chunks_do_not_show(monkeypatch):
    rng = np.random.default_rng(2)
    X = csr(rng.standard_normal((64, 5)))
    whole = {k: fit_scaling(k, X).dense(X, np.dtype(np.float64)) for k in ("none", "minmax", "max")}
    monkeypatch.setattr("scrf_bench.datasets.scaling._CHUNK_BYTES", 8 * 5 * 7)
    for kind, expected in whole.items():
        assert np.array_equal(fit_scaling(kind, X).dense(X, np.dtype(np.float64)), expected)


def test_an_unknown_scaling_is_refused_before_anything_is_read():
    with pytest.raises(DataError, match="There is no scaling 'zscore'; use one of none, minmax, standard, max"):
        load("dna", scaling="zscore")
