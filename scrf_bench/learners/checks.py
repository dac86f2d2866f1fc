"""What every learner asks of its parameters and its data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

_DTYPES = [np.float64, np.float32]


def require_positive(name: str, value: float) -> None:
    """Raise ValueError unless ``value`` is a finite number above 0."""
    if isinstance(value, (bool, str)) or not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name}={value!r} is not a positive finite number; give one above 0.")


def require_finite(name: str, value: float) -> None:
    """Raise ValueError unless ``value`` is a finite number."""
    if isinstance(value, (bool, str)) or not math.isfinite(value):
        raise ValueError(f"{name}={value!r} is not a finite number.")


def require_at_least_zero(name: str, value: float) -> None:
    """Raise ValueError unless ``value`` is a finite number of at least 0."""
    if isinstance(value, (bool, str)) or not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{name}={value!r} is not a finite number of at least 0.")


def require_room(what: str, needed: int, max_bytes: float) -> None:
    """Raise ValueError if something takes more than ``max_bytes``, with both figures."""
    if needed > max_bytes:
        raise ValueError(
            f"The memory for {what} is {needed / 1e9:.3g} GB, more than max_bytes={max_bytes / 1e9:.3g} GB; "
            "make it smaller or raise max_bytes."
        )


def require_count(name: str, value: int) -> None:
    """Raise ValueError unless ``value`` is an integer of at least 1."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name}={value!r} is not a whole number of at least 1.")


def class_codes(y: ArrayLike) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the sorted classes and each row's code 0..k-1.

    Raises
    ------
    ValueError
        If ``y`` is not a vector of class labels or holds fewer than two classes.
    """
    check_classification_targets(y)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if classes.shape[0] < 2:
        raise ValueError(
            f"The training labels hold only one class ({classes.tolist()}); a classifier needs at least two classes."
        )
    return classes, codes.astype(np.intp)


def training_data(learner: BaseEstimator, X: ArrayLike, y: ArrayLike) -> tuple[Any, NDArray[Any], NDArray[np.intp]]:
    """Return the validated rows (C-contiguous or CSR, float32 or float64), the classes and the codes."""
    X_valid, y_valid = validate_data(learner, X, y, accept_sparse="csr", dtype=_DTYPES, order="C")
    return X_valid, *class_codes(y_valid)


def prediction_data(learner: BaseEstimator, X: ArrayLike) -> Any:
    """Return the validated rows, of the width that the learner was fitted on."""
    check_is_fitted(learner)
    return validate_data(learner, X, accept_sparse="csr", dtype=_DTYPES, reset=False)


def labels_from_scores(classes: NDArray[Any], scores: NDArray[Any]) -> NDArray[Any]:
    """Return the labels that scores (n,) or (n, k) stand for, in scikit-learn's convention."""
    codes = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
    return np.asarray(classes[codes])


def model_size(vectors: Any, *coefficients: NDArray[Any]) -> tuple[int, int]:
    """Return how many numbers a kernel model holds, and in how many bytes.

    Parameters
    ----------
    vectors : (n_sv, d) ndarray or CSR matrix
        Of a sparse matrix the stored values count; its bytes include the indices.
    *coefficients : ndarray
        Whatever else prediction needs.
    """
    if sparse.issparse(vectors):
        stored: Any = vectors
        values = stored.data.size
        held = stored.data.nbytes + stored.indices.nbytes + stored.indptr.nbytes
    else:
        values, held = vectors.size, vectors.nbytes
    return (
        int(values + sum(array.size for array in coefficients)),
        int(held + sum(array.nbytes for array in coefficients)),
    )
