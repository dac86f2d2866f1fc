"""Rows of a matrix as the arrays of C structs that LIBSVM and LIBLINEAR read.

Both libraries take ``struct { int index; double value; }`` nodes: a row is a run of nodes with increasing
1-based indices, ended by index -1; LIBLINEAR wants the bias as one more node. The packages' own bindings fill
them element by element (seconds for a dense matrix); here numpy does it, in blocks of rows that stay in the
cache.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

NODE = np.dtype([("index", np.int32), ("value", np.float64)], align=True)
"""One node as C lays it out: 16 bytes, four of them padding."""

_BLOCK_BYTES = 1 << 18  # index and value are written in two strided passes; the second must find the first in L2
_DENSE_FROM = 0.5  # below this share of non-zeros the solvers gain more from short rows than the fill costs

Matrix = Any  # (n, d) ndarray or scipy sparse matrix/array of float32 or float64


@dataclass(frozen=True)
class NodeRows:
    """A matrix as solver nodes.

    Attributes
    ----------
    nodes : ndarray of NODE
        All rows, one after the other. The C side points into it: keep it alive as long as a problem uses it.
    pointers : ndarray of uintp, shape (n,)
        The address of each row's first node; permute it to permute the rows.
    n_features : int
        Width of the matrix, without the bias.
    bias : float
        Value of the bias node; negative if there is none.
    """

    nodes: NDArray[np.void]
    pointers: NDArray[np.uintp]
    n_features: int
    bias: float

    def ordered(self, order: NDArray[np.intp]) -> NodeRows:
        """Return the same nodes with the rows in another order; only pointers move."""
        return NodeRows(self.nodes, np.ascontiguousarray(self.pointers[order]), self.n_features, self.bias)


def node_rows(X: Matrix, bias: float = -1.0) -> NodeRows:
    """Fill solver nodes from a dense or sparse matrix.

    Parameters
    ----------
    X : (n, d) ndarray or scipy sparse matrix or array, float32 or float64
        Values are widened to double one block at a time; no float64 copy of the whole is made. Exact zeros of
        a mostly zero dense matrix are left out, as the official bindings leave them out of every dense
        matrix; that changes no result (a zero adds nothing to an inner product), only the time.
    bias : float
        If not negative, every row ends in a node ``(d + 1, bias)``, as LIBLINEAR's ``-B`` does it.

    Returns
    -------
    NodeRows

    Raises
    ------
    ValueError
        If ``X`` is not two-dimensional.
    """
    if X.ndim != 2:
        raise ValueError(f"Expected a matrix of shape (n, d), got an array of {X.ndim} dimension(s).")
    if sparse.issparse(X) or (X.size and np.count_nonzero(X) < _DENSE_FROM * X.size):
        return _from_csr(sparse.csr_matrix(X), bias)
    return _from_dense(X, bias)


def _from_dense(X: NDArray[Any], bias: float) -> NodeRows:
    n, d = X.shape
    width = d + 1 + (bias >= 0)
    nodes = np.empty((n, width), dtype=NODE)
    index = np.arange(1, width + 1, dtype=np.int32)
    index[-1] = -1
    rows = max(1, _BLOCK_BYTES // (width * NODE.itemsize))
    for start in range(0, n, rows):
        block = nodes[start : start + rows]
        block["index"] = index
        block["value"][:, :d] = X[start : start + rows]
        if bias >= 0:
            block["value"][:, d] = bias
    nodes["value"][:, -1] = 0.0
    pointers = nodes.ctypes.data + np.arange(n, dtype=np.uintp) * np.uintp(width * NODE.itemsize)
    return NodeRows(nodes.reshape(-1), pointers, d, bias)


def _from_csr(X: Any, bias: float) -> NodeRows:
    if not X.has_canonical_format:  # the solvers' merges need sorted indices without repeats
        X = X.copy()
        X.sum_duplicates()
    n, d = X.shape
    extra = 1 + (bias >= 0)
    nodes = np.empty(X.nnz + n * extra, dtype=NODE)
    starts = X.indptr[:-1].astype(np.intp) + extra * np.arange(n)
    ends = X.indptr[1:].astype(np.intp) + extra * np.arange(1, n + 1)
    own = np.arange(X.nnz) + np.repeat(extra * np.arange(n), np.diff(X.indptr))
    nodes["index"][own] = X.indices + 1
    nodes["value"][own] = X.data
    nodes[ends - 1] = (-1, 0.0)
    if bias >= 0:
        nodes[ends - 2] = (d + 1, bias)
    pointers = np.uintp(nodes.ctypes.data) + starts.astype(np.uintp) * np.uintp(NODE.itemsize)
    return NodeRows(nodes, pointers, d, bias)


def fill_problem(problem_type: type[ctypes.Structure], rows: NodeRows, y: NDArray[np.float64]) -> Any:
    """Build a LIBSVM or LIBLINEAR ``problem`` that points into numpy's memory.

    Parameters
    ----------
    problem_type : type
        ``libsvm.svm.svm_problem`` or ``liblinear.liblinear.problem``; its Python constructor, which would
        copy everything, is not run.
    rows : NodeRows
        The rows, in the order wanted.
    y : (n,) float64
        The targets, in the same order.

    Returns
    -------
    problem_type
        Holds references to ``rows`` and ``y`` (attribute ``kept_alive``).

    Raises
    ------
    ValueError
        If ``y`` has another length than ``rows``.
    """
    n = rows.pointers.shape[0]
    if y.shape != (n,):
        raise ValueError(f"{n} rows need {n} targets in a vector, got an array of shape {y.shape}.")
    y = np.ascontiguousarray(y, dtype=np.float64)
    pointers = np.ascontiguousarray(rows.pointers)
    problem: Any = problem_type.__new__(problem_type)
    types: Any = {field[0]: field[1] for field in problem_type._fields_}
    problem.l = n
    problem.y = ctypes.cast(y.ctypes.data, types["y"])
    problem.x = ctypes.cast(pointers.ctypes.data, types["x"])
    if "bias" in types:
        problem.n = rows.n_features + (rows.bias >= 0)
        problem.bias = rows.bias
    problem.kept_alive = (rows.nodes, pointers, y)
    return problem
