"""Targets as least squares takes them: one column a target, classes as +1 and -1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data

from scrf_bench.learners.checks import training_data

_DTYPES = [np.float64, np.float32]


def signed_classes(codes: NDArray[np.intp], n_classes: int) -> NDArray[np.float64]:
    """Return one column a class, +1 on its rows and -1 elsewhere; of two classes only the second's column.

    Returns
    -------
    (n, k) float64, or (n, 1) for two classes
    """
    if n_classes == 2:
        return np.where(codes == 1, 1.0, -1.0)[:, None]
    Y = np.full((codes.shape[0], n_classes), -1.0)
    Y[np.arange(codes.shape[0]), codes] = 1.0
    return Y


class SignedClassTargets:
    """How a classifier reads its labels: classes as columns of +1 and -1 (`signed_classes`)."""

    classes_: NDArray[Any]
    _one_column: bool

    def _training_targets(self, X: ArrayLike, y: ArrayLike) -> tuple[Any, NDArray[np.float64]]:
        rows, self.classes_, codes = training_data(self, X, y)
        self._one_column = self.classes_.shape[0] == 2
        return rows, signed_classes(codes, self.classes_.shape[0])


class RealTargets:
    """How a regressor reads its targets: (n,) or (n, k) finite numbers, one column each, in float64."""

    _one_column: bool

    def _training_targets(self, X: ArrayLike, y: ArrayLike) -> tuple[Any, NDArray[np.float64]]:
        rows, Y = validate_data(
            self, X, y, accept_sparse="csr", dtype=_DTYPES, order="C", multi_output=True, y_numeric=True
        )
        Y = np.asarray(Y, dtype=np.float64)
        self._one_column = Y.ndim == 1
        return rows, Y.reshape(Y.shape[0], -1)
