"""What every learner asks of its parameters and of its training labels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets


def require_positive(name: str, value: float) -> None:
    """Raise ValueError unless ``value`` is a finite number above 0."""
    if isinstance(value, (bool, str)) or not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name}={value!r} is not a positive finite number; give one above 0.")


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
