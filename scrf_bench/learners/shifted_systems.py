"""``(A + alpha I) W = B`` for many alphas: one matrix of memory, one Cholesky factorisation an alpha.

CPU seconds on one thread (OpenBLAS 0.3.30, AVX-512, a core shared with others) of ten alphas with ten right-hand sides:
as here; by one reduction to tridiagonal form (dsytrd), which serves all alphas; by eigenvectors (dsyevd). Beside them
a single Cholesky factorisation.

======  ============  ========  ===========  ============
n       one Cholesky  ten here  tridiagonal  eigenvectors
======  ============  ========  ===========  ============
1,024          0.013      0.18         0.06          0.20
2,048          0.095      1.03         0.50          1.47
4,096           0.65       6.7          6.5     not timed
======  ============  ========  ===========  ============

So eigenvectors cost more, and the reduction less where the matrix is small: half of its work is matrix times vector,
which loses that gain once the matrix leaves the cache. Cholesky is the cheaper one for few alphas and in the long run,
and its error follows the condition number of the best scaled matrix, which reflections do not keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, lapack

_COPY_BLOCK = 512
_EPS = float(np.finfo(np.float64).eps)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ShiftedSolution:
    """The solution for one alpha.

    Attributes
    ----------
    W : (n, k) float64
    rcond : float
        LAPACK's estimate of the reciprocal condition number of ``A + alpha I`` in the 1-norm; of the
        eigenvalues kept where ``method`` is "eigh".
    method : {"cholesky", "eigh"}
    """

    W: Array
    rcond: float
    method: str


def solve_shifted(A: Array, B: Array, alphas: Sequence[float]) -> list[ShiftedSolution]:
    """Solve ``(A + alpha I) W = B`` for each alpha.

    Where Cholesky meets a pivot that is not positive, or the condition estimate falls below ``max(n, 500) eps``
    (eps = 2.2e-16), the matrix is singular in float64, and the solution of least norm is given instead:
    eigenvalues below that share of the largest count as zero. One eigendecomposition then serves all alphas left.

    Parameters
    ----------
    A : (n, n) float64, C-contiguous
        Symmetric, positive semi-definite; only its lower triangle is read. Overwritten.
    B : (n, k) float64
    alphas : sequence of float
        At least 0; in any order.

    Returns
    -------
    list of ShiftedSolution
        In the order of ``alphas``.

    Notes
    -----
    A stays in the lower triangle, the factor grows in the upper one, the diagonal of A is kept aside: no
    second matrix is held, unless the fallback makes eigenvectors (one more matrix). Cholesky needs no scaling
    beforehand: it commutes with a diagonal scaling, and its error follows the condition number of the best
    scaled matrix (Demmel 1989).
    """
    F = A.T  # LAPACK's column-major view: its upper triangle is the lower one of A
    diagonal = A.diagonal().copy()
    found: dict[int, ShiftedSolution] = {}
    spread = -1.0
    descending = sorted(range(len(alphas)), key=lambda i: -alphas[i])
    for done, i in enumerate(descending):
        mirror_lower_triangle(A)
        np.fill_diagonal(A, diagonal)
        if spread < 0.0:
            spread = float(lapack.dlange("1", F))
        np.fill_diagonal(A, diagonal + alphas[i])
        solution = _by_cholesky(F, B, spread + alphas[i])
        if solution is None:
            np.fill_diagonal(A, diagonal)
            rest = descending[done:]
            found.update(zip(rest, _by_eigenvectors(F, B, [alphas[j] for j in rest]), strict=True))
            break
        found[i] = solution
    return [found[i] for i in range(len(alphas))]


def mirror_lower_triangle(A: Array) -> None:
    """Copy the lower triangle of a square matrix into the upper one, in place."""
    n = A.shape[0]
    for start in range(0, n, _COPY_BLOCK):
        stop = min(start + _COPY_BLOCK, n)
        block = A[start:stop, start:stop]
        block[...] = np.tril(block) + np.tril(block, -1).T
        A[start:stop, stop:] = A[stop:, start:stop].T


def _by_cholesky(F: Array, B: Array, norm: float) -> ShiftedSolution | None:
    factor, failed = lapack.dpotrf(F, lower=1, clean=0, overwrite_a=1)
    if failed:
        return None
    rcond, _ = lapack.dpocon(factor, norm, uplo="L")
    if not rcond > _resolution(F.shape[0]):
        return None
    W, _ = lapack.dpotrs(factor, B, lower=1)
    return ShiftedSolution(np.ascontiguousarray(W), float(rcond), "cholesky")


def _by_eigenvectors(F: Array, B: Array, alphas: Sequence[float]) -> Iterator[ShiftedSolution]:
    # The factorisation has spoilt the lower triangle of F, and LAPACK reads the upper one, which holds A.
    values, vectors = eigh(F, lower=False, overwrite_a=True, check_finite=False, driver="evr")
    floor = _resolution(F.shape[0]) * max(float(values[-1]), 0.0)
    rotated = vectors.T @ B
    for alpha in alphas:
        shifted = values + alpha
        kept = shifted > floor
        inverse = np.zeros_like(shifted)
        inverse[kept] = 1.0 / shifted[kept]
        rcond = float(shifted[kept].min() / shifted[kept].max()) if kept.any() else 0.0
        yield ShiftedSolution(vectors @ (inverse[:, None] * rotated), rcond, "eigh")


def _resolution(n: int) -> float:
    """Return the share of the largest eigenvalue below which an eigenvalue is rounding.

    500 stands for what the entries themselves have lost as sums over many rows, of which a small matrix shows
    nothing in its size.
    """
    return max(n, 500) * _EPS
