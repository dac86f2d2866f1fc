"""The vectorised node arrays are what the official bindings build element by element."""

import ctypes
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from liblinear import liblinear
from libsvm import svm
from scipy import sparse

from scrf_bench.learners.nodes import NODE, fill_problem, node_rows


def rows_of(problem):
    """Read a C problem back, row by row, as the solver would: up to index -1."""
    rows = []
    for i in range(problem.l):
        row, k = [], 0
        while problem.x[i][k].index != -1:
            row.append((problem.x[i][k].index, problem.x[i][k].value))
            k += 1
        rows.append(row)
    return rows


def without_zeros(rows):
    return [[node for node in row if node[1] != 0.0] for row in rows]


def test_the_node_has_the_layout_of_the_c_struct():
    for struct in (liblinear.feature_node, svm.svm_node):
        assert ctypes.sizeof(struct) == NODE.itemsize
        for name in ("index", "value"):
            assert getattr(struct, name).offset == NODE.fields[name][1]


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix, sparse.csr_array], ids=lambda m: m.__name__)
@pytest.mark.parametrize("bias", [-1.0, 0.0, 2.5])
@pytest.mark.parametrize("density", [0.1, 1.0])
def test_a_liblinear_problem_equals_the_official_one(make, bias, density):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 7)) * (rng.random((9, 7)) < density)
    X[4] = 0.0  # a row without entries
    y = rng.normal(size=9)
    theirs = liblinear.problem(y, sparse.csr_matrix(X), bias)
    ours = fill_problem(liblinear.problem, node_rows(make(X), bias), y)
    assert without_zeros(rows_of(ours)) == without_zeros(rows_of(theirs))
    assert (ours.l, ours.n, ours.bias) == (theirs.l, theirs.n, theirs.bias)
    assert ours.y[:9] == theirs.y[:9]


def test_a_libsvm_problem_equals_the_official_one():
    X = np.random.default_rng(1).normal(size=(6, 5))
    y = np.arange(6.0)
    theirs, ours = svm.svm_problem(y, X), fill_problem(svm.svm_problem, node_rows(X), y)
    assert rows_of(ours) == rows_of(theirs)
    assert ours.y[:6] == theirs.y[:6]


@settings(max_examples=60, deadline=None)
@given(
    X=hnp.arrays(
        st.sampled_from([np.float32, np.float64]),
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=12),
        elements=st.sampled_from([0.0, 0.0, -1.5, 2.0, 1e-30]),
    ),
    bias=st.sampled_from([-1.0, 1.0]),
    as_csr=st.booleans(),
)
def test_every_matrix_can_be_read_back(X, bias, as_csr):
    problem = fill_problem(liblinear.problem, node_rows(sparse.csr_array(X) if as_csr else X, bias), np.zeros(len(X)))
    back = np.zeros((X.shape[0], X.shape[1] + 1))
    for i, row in enumerate(rows_of(problem)):
        assert [index for index, _ in row] == sorted({index for index, _ in row})
        for index, value in row:
            back[i, index - 1] = value
    np.testing.assert_array_equal(back[:, :-1], X)
    np.testing.assert_array_equal(back[:, -1], 1.0 if bias >= 0 else 0.0)


def test_rows_larger_than_a_block_and_blocks_that_do_not_divide_are_filled():
    X = np.random.default_rng(2).normal(size=(37, 5000)) + 5.0
    rows = node_rows(X, 1.0)
    nodes = rows.nodes.reshape(37, 5002)
    np.testing.assert_array_equal(nodes["value"][:, :5000], X)
    np.testing.assert_array_equal(nodes["index"], np.tile(np.append(np.arange(1, 5002), -1), (37, 1)))


def test_unsorted_and_repeated_csr_indices_are_put_in_order_without_touching_the_input():
    X = sparse.csr_matrix((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 4))
    problem = fill_problem(liblinear.problem, node_rows(X), np.zeros(1))
    assert rows_of(problem) == [[(1, 2.0), (3, 4.0)]]
    assert X.indices.tolist() == [2, 0, 2]


def test_64_bit_csr_indices_are_accepted():
    X = sparse.csr_array(np.eye(3))
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    problem = fill_problem(liblinear.problem, node_rows(X), np.zeros(3))
    assert rows_of(problem) == [[(1, 1.0)], [(2, 1.0)], [(3, 1.0)]]


def test_ordering_moves_pointers_and_shares_nodes():
    X = np.arange(1.0, 7.0).reshape(3, 2)
    rows = node_rows(X)
    ordered = rows.ordered(np.array([2, 0, 1]))
    assert ordered.nodes is rows.nodes
    problem = fill_problem(liblinear.problem, ordered, np.zeros(3))
    assert [row[0][1] for row in rows_of(problem)] == [5.0, 1.0, 3.0]


def test_float32_rows_are_filled_without_a_float64_copy_of_the_matrix():
    X = np.ones((2000, 400), dtype=np.float32)
    tracemalloc.start()
    try:
        rows = node_rows(X, 1.0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak - rows.nodes.nbytes < 0.25 * 8 * X.size


def test_the_problem_keeps_its_memory_alive():
    problem = fill_problem(liblinear.problem, node_rows(np.full((50, 200), 3.0)), np.ones(50))
    for _ in range(20):  # would reuse freed memory
        np.full((50, 202 * 2), -7.0)
    assert rows_of(problem)[49][199] == (200, 3.0)
    assert problem.y[49] == 1.0


def test_wrong_shapes_are_named():
    with pytest.raises(ValueError, match=r"shape \(n, d\)"):
        node_rows(np.ones(3))
    with pytest.raises(ValueError, match="3 rows need 3 targets"):
        fill_problem(liblinear.problem, node_rows(np.ones((3, 2))), np.ones(2))
