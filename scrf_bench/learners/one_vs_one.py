"""LIBSVM's one-vs-one rule: decision values from a model's coefficients, labels by votes."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray


def pairwise_decisions(
    K: NDArray[np.float64],
    dual_coef: NDArray[np.float64],
    rho: NDArray[np.float64],
    n_support: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Return ``svm_predict_values``' decision values from kernel values.

    Parameters
    ----------
    K : (n, n_sv)
        Kernel between the rows to be classified and the support vectors, which are grouped by class.
    dual_coef : (k - 1, n_sv)
        The model's ``sv_coef``: for a vector of class i, row j - 1 (j > i) or j (j < i) belongs to the pair
        of i and j.
    rho : (k (k - 1) / 2,)
        Thresholds in the order (0,1), (0,2), ..., (1,2), ...
    n_support : (k,)
        Support vectors of each class.

    Returns
    -------
    (n, k (k - 1) / 2) float64
        Positive where the first class of the pair wins.
    """
    k = n_support.shape[0]
    ends = np.cumsum(n_support)
    # One product a class: (k - 1) n_sv multiplications a row, where a (n_sv, pairs) matrix would take k/2 as
    # many.
    parts = [
        K[:, end - size : end] @ dual_coef[:, end - size : end].T for size, end in zip(n_support, ends, strict=True)
    ]
    values = np.empty((K.shape[0], rho.shape[0]))
    for pair, (i, j) in enumerate(combinations(range(k), 2)):
        values[:, pair] = parts[i][:, j - 1] + parts[j][:, i] - rho[pair]
    return values


def votes(values: NDArray[np.float64], n_classes: int) -> NDArray[np.intp]:
    """Count the pairs that each class wins, as ``svm_predict_values`` does: a value of 0 is the second's.

    Parameters
    ----------
    values : (n, k (k - 1) / 2)
        Decision values of the pairs.
    n_classes : int
        k.

    Returns
    -------
    (n, k) intp
        LIBSVM's label is the first class with the most votes, ``argmax(axis=1)``.
    """
    counts = np.zeros((values.shape[0], n_classes), dtype=np.intp)
    for pair, (i, j) in enumerate(combinations(range(n_classes), 2)):
        wins = values[:, pair] > 0
        counts[:, i] += wins
        counts[:, j] += ~wins
    return counts


def per_class_decisions(values: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Turn pairs into one score a class: votes, plus the summed margins squeezed below half a vote.

    The same scores as scikit-learn's ``SVC(decision_function_shape="ovr")``: sum / (3 (|sum| + 1)).

    Returns
    -------
    (n, k) float64
    """
    margins = np.zeros((values.shape[0], n_classes))
    for pair, (i, j) in enumerate(combinations(range(n_classes), 2)):
        margins[:, i] += values[:, pair]
        margins[:, j] -= values[:, pair]
    scores: NDArray[Any] = votes(values, n_classes) + margins / (3.0 * (np.abs(margins) + 1.0))
    return scores
