"""What every test here asks of its samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def as_sample(values: ArrayLike, *, at_least: int = 1, name: str = "sample") -> NDArray[np.float64]:
    """Return the values as a float64 vector.

    Raises
    ------
    ValueError
        If they are not a vector, fewer than ``at_least``, or not all finite.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1:
        raise ValueError(f"The {name} has shape {sample.shape}; give a vector of numbers.")
    if sample.size < at_least:
        raise ValueError(f"The {name} has {sample.size} value(s); at least {at_least} are needed.")
    if not np.isfinite(sample).all():
        raise ValueError(f"The {name} holds nan or infinite values; leave out what was not measured.")
    return sample


def as_outcomes(values: ArrayLike, *, name: str = "outcomes") -> NDArray[np.bool_]:
    """Return a vector of right/wrong as booleans; 0 and 1 of any type are taken.

    Raises
    ------
    ValueError
        If it is empty, not a vector, or holds anything else.
    """
    outcomes = as_sample(values, name=name)
    if not np.isin(outcomes, (0.0, 1.0)).all():
        raise ValueError(f"The {name} must be right or wrong (True/False, 1/0) for each test point.")
    return outcomes.astype(np.bool_)


def require_share(name: str, value: float) -> None:
    """Raise ValueError unless ``0 < value < 1``."""
    if not 0.0 < value < 1.0:
        raise ValueError(f"{name}={value!r} is not strictly between 0 and 1.")


def require_positive(name: str, value: float) -> None:
    """Raise ValueError unless ``value`` is finite and above 0."""
    if not (np.isfinite(value) and value > 0):
        raise ValueError(f"{name}={value!r} is not a positive finite number.")
