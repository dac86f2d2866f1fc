"""The sums that ridge regression needs, ``Phi' Phi`` and ``Phi' Y``, from one walk over the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from scrf_bench.learners.feature_rows import CHUNK_ROWS, FeatureMap, Matrix, feature_chunks

SINGLE_PRECISION_FLOOR = 1e-6
"""Of the largest eigenvalue: below it, float32 sums of products do not resolve ``Phi' Phi``."""

Array = NDArray[np.float64]


@dataclass
class GramSums:
    """Sums over rows of features ``phi`` and targets ``y``, both about fixed origins.

    Sums over two sets of rows about the same origins add up; sums over a part can be taken away again.

    Attributes
    ----------
    n : int
        Rows.
    products : (D, D) float64, C-contiguous
        ``sum (phi - o)(phi - o)'``; only the lower triangle counts.
    dot : (D, k) float64
        ``sum (phi - o)(y - p)'``.
    features : (D,) float64
        ``sum (phi - o)``.
    targets : (k,) float64
        ``sum (y - p)``.
    origin : (D,) float64
        o.
    target_origin : (k,) float64
        p.
    single : bool
        Whether products were made in float32.
    """

    n: int
    products: Array
    dot: Array
    features: Array
    targets: Array
    origin: Array
    target_origin: Array
    single: bool = False

    def copy(self) -> GramSums:
        """Return the same sums in arrays of their own."""
        products, dot, features, targets = (array.copy() for array in self._sums())
        return replace(self, products=products, dot=dot, features=features, targets=targets)

    def add(self, other: GramSums) -> None:
        """Add the sums over other rows, in place."""
        self.n += other.n
        for mine, its in zip(self._sums(), other._sums(), strict=True):
            mine += its

    def without(self, part: GramSums, out: Array) -> GramSums:
        """Return the sums over the rows that are not in ``part``; ``out`` (D, D) takes the products.

        Each entry loses at most eps = 1.1e-16 times what it was over all rows: no more than the total itself
        has lost, as long as the part does not hold nearly all of the sum of squares.
        """
        dot, features, targets = (a - b for a, b in zip(self._sums()[1:], part._sums()[1:], strict=True))
        products = np.subtract(self.products, part.products, out=out)
        return GramSums(self.n - part.n, products, dot, features, targets, self.origin, self.target_origin, self.single)

    def centre(self) -> tuple[Array, Array]:
        """Move the origins to the rows' own means, in place, and return the means of features and targets."""
        mean, target_mean = self.features / self.n, self.targets / self.n
        # dsyr on the column-major view updates the lower triangle of `products`.
        blas.dsyr(-float(self.n), mean, lower=0, a=self.products.T, overwrite_a=1)
        self.dot -= np.outer(self.features, target_mean)
        self.features[...], self.targets[...] = 0.0, 0.0
        self.origin, self.target_origin = self.origin + mean, self.target_origin + target_mean
        return self.origin, self.target_origin

    def _sums(self) -> tuple[Array, Array, Array, Array]:
        return self.products, self.dot, self.features, self.targets


def origins(feature_map: FeatureMap, X: Matrix, Y: Array, *, centred: bool, n_components: int) -> tuple[Array, Array]:
    """Return the origins for `gram_sums`: zeros, or (with an intercept to come) the means as far as needed.

    Rows given as features may lie far from 0 in units of their spread, and products about 0 would then lose
    the spread; they are taken about their mean. A random feature map's values are bounded by sqrt(2/D), and
    need none.
    """
    if not centred:
        return np.zeros(n_components), np.zeros(Y.shape[1])
    if feature_map is not None:
        return np.zeros(n_components), Y.mean(axis=0)
    total = np.zeros(n_components)
    for _, Phi in feature_chunks(None, X):
        total += Phi.sum(axis=0, dtype=np.float64)
    return total / X.shape[0], Y.mean(axis=0)


def gram_sums(
    feature_map: FeatureMap, X: Matrix, Y: Array, *, origin: Array, target_origin: Array, single: bool = False
) -> GramSums:
    """Sum over the rows of X, never holding all features.

    Parameters
    ----------
    feature_map : fitted transformer or None
    X : (n, d) ndarray or CSR matrix
    Y : (n, k) float64
    origin, target_origin : (D,) and (k,) float64
        From `origins`; a map with fused sums takes zeros only.
    single : bool
        Leave rows of a map with fused sums in float32, if they are: half the time, and sums good to about
        1e-6 of the largest eigenvalue. Otherwise features, products and sums are all float64.

    Returns
    -------
    GramSums
    """
    shifted = Y - target_origin
    if hasattr(feature_map, "gram") and not origin.any():
        rows = X if single else X.astype(np.float64, copy=False)
        products, dot = feature_map.gram(rows, np.column_stack([shifted, np.ones(len(Y))]))
        sums = (products, np.ascontiguousarray(dot[:, :-1]), dot[:, -1].copy())
        lost = single and rows.dtype == np.float32
        return GramSums(len(Y), *sums, shifted.sum(axis=0), origin, target_origin, lost)
    D = origin.shape[0]
    products, dot, features = np.zeros((D, D)), np.zeros((D, Y.shape[1])), np.zeros(D)
    moved = bool(origin.any())
    for part, Phi in feature_chunks(feature_map, _widened(feature_map, X), CHUNK_ROWS):
        chunk = Phi - origin if moved else Phi.astype(np.float64, copy=False)
        # Column-major, products.T gains chunk' chunk in its upper triangle: the lower one of products.
        blas.dsyrk(1.0, chunk.T, 1.0, products.T, lower=0, overwrite_c=1)
        dot += chunk.T @ shifted[part]
        features += chunk.sum(axis=0)
    return GramSums(len(Y), products, dot, features, shifted.sum(axis=0), origin, target_origin)


def require_resolved(sums: GramSums, alpha: float) -> None:
    """Raise ValueError if ``alpha`` is below what sums of float32 products resolve."""
    floor = SINGLE_PRECISION_FLOOR * _largest_eigenvalue(sums.products)
    if alpha < floor:
        raise ValueError(
            f"alpha={alpha:g} is below {floor:.2g}, {SINGLE_PRECISION_FLOOR:g} of the largest eigenvalue of Phi'Phi, "
            "which float32 sums do not resolve; use precision='double' or a larger alpha."
        )


def _largest_eigenvalue(products: Array) -> float:
    """Return the largest eigenvalue from below, by 20 power iterations on the lower triangle."""
    v, value = np.ones(products.shape[0]), 0.0
    for _ in range(20):
        v = blas.dsymv(1.0, products.T, v, lower=0)
        value = float(np.linalg.norm(v))
        v /= max(value, np.finfo(np.float64).tiny)
    return value


def gram_bytes(n_components: int, n_targets: int = 1, *, matrices: int = 1) -> int:
    """Return the bytes that `gram_sums` holds at its peak, input rows apart.

    Parameters
    ----------
    n_components : int
        D.
    n_targets : int
        k.
    matrices : int
        D x D matrices of float64: 1 for a fit.
    """
    chunks = 3 * CHUNK_ROWS * n_components  # float64: features, about their origin, and a map's own scratch
    return 8 * (matrices * n_components**2 + chunks + 3 * n_components * (n_targets + 2))


def _widened(feature_map: FeatureMap, X: Matrix) -> Any:
    """Return X in float64 where a map is to compute in float64; rows that are features are widened later."""
    return X if feature_map is None else X.astype(np.float64, copy=False)
