"""The same seed and row give the same bits, whatever stands around them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from scrf_bench.maps.contract.breach import attempt, drawn, require, same_bits
from scrf_bench.maps.contract.breach import rows as made_up_rows

_MANY = 300  # rows: more than a tile


def seeds(kind: Any) -> None:
    """Every draw comes from ``random_state``."""
    X = made_up_rows()
    first, second, other = (drawn(kind, seed=seed).fit(X).transform(X) for seed in (3, 3, 4))
    require(same_bits(first, second), "two fits with one random_state differ: draw from the generator that is given.")
    require(not np.allclose(first, other), "another random_state gives the same features: nothing is drawn from it.")
    if hasattr(kind, "project"):
        # Phases are drawn for the map: they alone would make the features differ.
        first, other = (drawn(kind, seed=seed).fit(X).project(X) for seed in (3, 4))
        words = "another random_state gives the same projections: nothing is drawn from it."
        require(not np.allclose(first, other), words)


def rows(kind: Any) -> None:
    """Not on chunks, neighbours, memory layout, ``out``, or sparse input."""
    X = made_up_rows(n=_MANY)
    X[np.abs(X) < 0.3] = 0.0
    fitted = drawn(kind).fit(X[:40])
    whole = fitted.transform(X)
    for picked in (slice(0, 1), slice(7, 8), slice(17, 140), slice(_MANY - 1, _MANY)):
        alone = f"rows {picked.start} to {picked.stop - 1} alone have"
        if picked.stop - picked.start == 1:
            alone = f"row {picked.start} alone has"
        words = f"{alone} other features than among {_MANY}"
        require(same_bits(fitted.transform(X[picked]), whole[picked]), f"{words}: work on tiles of a fixed size.")
    order = np.random.default_rng(1).permutation(_MANY)
    require(same_bits(fitted.transform(X[order]), whole[order]), "rows in another order have other features.")
    chunks = np.concatenate([part for _, part in fitted.iter_transform(X, rows=33)])
    words = "iter_transform gives other features than transform: they may not depend on the size of a chunk."
    require(same_bits(chunks, whole), words)
    with attempt("CSR rows are refused; make them dense a chunk at a time, as FeatureMap's transform does"):
        from_sparse = fitted.transform(sparse.csr_matrix(X))
    require(same_bits(from_sparse, whole), "sparse rows have other features than dense.")
    require(same_bits(fitted.transform(np.asfortranarray(X)), whole), "rows in Fortran order have other features.")
    out = np.empty_like(whole)
    with attempt("transform takes no `out`; write the features into it where one is given"):
        returned = fitted.transform(X, out=out)
    require(returned is out, "transform(X, out=...) returns another array; write the features into out and return it.")
    require(same_bits(out, whole), "transform(X, out=...) writes other features than transform(X) returns.")


def copies(kind: Any) -> None:
    """A map travels as its seed."""
    X = made_up_rows()
    fitted = drawn(kind).fit(X)
    before = fitted.transform(X)
    require(same_bits(fitted.fit(X).transform(X), before), "fitted again on the same rows it is another map.")
    require(same_bits(clone(fitted).fit(X).transform(X), before), "its clone is another map: store all parameters.")
    require(same_bits(pickle.loads(pickle.dumps(fitted)).transform(X), before), "pickled and back it is another map.")  # noqa: S301
