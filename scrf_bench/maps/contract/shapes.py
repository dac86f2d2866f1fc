"""Shapes, dtypes, counts, and sums over features."""

from __future__ import annotations

from typing import Any

import numpy as np

from scrf_bench.maps.contract.breach import ROWS, drawn, require, rows, takes

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
    wide = drawn(kind).fit(X).transform(X)
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
    fitted = drawn(kind).fit(rows())
    for attribute in ("n_parameters_", "nbytes_"):
        value = getattr(fitted, attribute)
        require(isinstance(value, int | np.integer) and value > 0, f"`{attribute}` is {value!r}, not a count above 0.")
    require(isinstance(fitted.algorithm_, str) and fitted.algorithm_, f"`algorithm_` is {fitted.algorithm_!r}.")


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
