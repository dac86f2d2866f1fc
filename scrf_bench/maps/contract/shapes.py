"""Shapes, dtypes, counts, and sums over features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from scrf_bench.maps.contract.breach import ROWS, Idle, drawn, require, rows, takes

_SIZES = ((1, 1), (1, 8), (2, 3), (3, 16), (16, 5), (17, 40), (60, 37))


def any_size(kind: Any) -> None:
    """Widths and D that fit no block, D = 1 and d = 1 among them."""
    for d, D in _SIZES:
        X = rows(d)
        for options in _embeddings(kind, D):
            found = drawn(kind, D, **options).fit(X).transform(X)
            words = f"d = {d}, D = {D}{', pair' if options else ''}"
            require(found.shape == (ROWS, D), f"{words}: the features have shape {found.shape}, not {(ROWS, D)}.")
            require(np.isfinite(found).all(), f"{words}: features are not finite.")


def _embeddings(kind: Any, D: int) -> list[dict[str, Any]]:
    return [{}, {"embedding": "pair"}] if takes(kind, "embedding") and D % 2 == 0 else [{}]


def dtypes(kind: Any) -> None:
    """The map does not depend on the dtype that it is fitted or used with."""
    X = rows()
    wide, second = (drawn(kind).fit(X).transform(X) for _ in range(2))
    if not np.allclose(wide, second, atol=1e-3):
        raise Idle("two fits with one random_state differ, whatever the dtype: see to the seed first (further below).")
    narrow_map = drawn(kind).fit(X.astype(np.float32))
    narrow = narrow_map.transform(X.astype(np.float32))
    require(wide.dtype == np.float64, f"float64 rows give {wide.dtype} features.")
    require(narrow.dtype == np.float32, f"float32 rows give {narrow.dtype} features.")
    apart = float(np.abs(wide - narrow).max())
    require(apart < 1e-3, f"features of float32 and float64 rows differ by {apart:.2g}: draw in float64, then convert.")
    again = narrow_map.transform(X)
    apart = float(np.abs(wide - again).max())
    require(apart < 1e-5, f"fitted on float32 and used on float64 it is another map: features differ by {apart:.2g}.")


def counted(kind: Any) -> None:
    """``n_parameters_``, ``nbytes_`` and ``algorithm_``, which tables show."""
    X = rows()
    fitted = drawn(kind).fit(X)
    width = getattr(fitted, "n_features_in_", None)
    require(width == X.shape[1], f"after fit `n_features_in_` is {width!r}, not {X.shape[1]}: validate X in fit with "
            "sklearn's validate_data, as FeatureMap.fit does.")  # fmt: skip
    for attribute in ("n_parameters_", "nbytes_"):
        value = getattr(fitted, attribute, None)
        require(isinstance(value, int | np.integer) and value > 0, f"`{attribute}` is {value!r}, not a count above 0.")
    require(isinstance(fitted.algorithm_, str) and fitted.algorithm_, f"`algorithm_` is {fitted.algorithm_!r}.")


def refusals(kind: Any) -> None:
    """What has no features has none: a nan that is taken for a number would be seen in no accuracy."""
    X = rows()
    fitted = drawn(kind).fit(X)
    for value in (np.nan, np.inf):
        spoilt = X.copy()
        spoilt[3, 2] = value
        for form, given in (("dense", spoilt), ("CSR", sparse.csr_matrix(spoilt))):
            for name, call in (("fit", drawn(kind).fit), ("transform", fitted.transform)):
                words = f"{name} takes {form} rows with {value} in silence; raise ValueError, as FeatureMap's does."
                require(_raises(call, given), words)
    words = f"transform takes rows of {X.shape[1] - 1} features after fit saw {X.shape[1]}; raise ValueError."
    require(_raises(fitted.transform, X[:, 1:]), words)


def _raises(call: Callable[[Any], Any], X: Any) -> bool:
    try:
        call(X)
    except (TypeError, ValueError):  # a TypeError where it takes no sparse rows at all: `bits.rows` says so
        return True
    return False


def untouched(kind: Any) -> None:
    """A caller's array is the caller's."""
    for dtype in (np.float64, np.float32):
        X = rows(dtype=dtype)
        fitted = drawn(kind)
        for name in ("fit", "transform"):
            given = X.copy()
            getattr(fitted, name)(given)
            words = f"{name} changes the {np.dtype(dtype)} rows that it is given; work on a copy."
            require(np.array_equal(given, X), words)


def sums(kind: Any) -> None:
    """Products with features that are never stored."""
    X = rows()
    fitted = drawn(kind).fit(X)
    Phi = fitted.transform(X)
    W = np.random.default_rng(0).normal(size=(Phi.shape[1], 2))
    apart = float(np.abs(fitted.map_dot(X, W) - Phi @ W).max())
    require(apart < 1e-9, f"map_dot differs from transform(X) @ W by {apart:.2g}.")
    gram, dots = fitted.gram(X, X[:, 0])
    apart = max(float(np.abs(gram - Phi.T @ Phi).max()), float(np.abs(dots - Phi.T @ X[:, 0]).max()))
    require(apart < 1e-9, f"gram differs from transform(X).T @ transform(X) by {apart:.2g}.")
