"""One call of LIBSVM's C interface: a problem in, a C-SVC or epsilon-SVR model out as numpy arrays.

Importing this module loads the solver (and with it numba, about half a second): do it inside a function,
before a clock starts.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from libsvm import svm
from numpy.typing import NDArray

from scrf_bench.learners.c_library import openmp_threads, prepared
from scrf_bench.learners.nodes import NodeRows, fill_problem


@dataclass(frozen=True)
class SvmModel:
    """A trained C-SVC or epsilon-SVR, detached from the solver's memory.

    Attributes
    ----------
    support : (n_sv,) intp
        Rows of the problem that are support vectors, grouped by class.
    n_support : (k,) intp
        How many of each class; empty for a regression.
    dual_coef : (k - 1, n_sv) float64
        ``sv_coef``; one row for a regression.
    rho : (k (k - 1) / 2,) float64
        One for a regression.
    log : str
        What the solver printed.
    n_threads : int
        OpenMP threads it ran on.
    """

    support: NDArray[np.intp]
    n_support: NDArray[np.intp]
    dual_coef: NDArray[np.float64]
    rho: NDArray[np.float64]
    log: str
    n_threads: int


def train_svc(
    rows: NodeRows,
    codes: NDArray[np.intp],
    *,
    C: float,
    gamma: float | None,
    eps: float,
    cache_mb: float,
    shrinking: bool,
    seed: int,
    n_threads: int,
) -> SvmModel:
    """Run ``svm_train`` with C-SVC.

    Parameters
    ----------
    rows : NodeRows
        The training rows, sorted by class.
    codes : (n,) intp
        Class codes 0..k-1, sorted: the solver numbers classes by first appearance.
    gamma : float or None
        Of exp(-gamma ||x - y||^2); None: ``rows`` hold a precomputed kernel (value 0 the row's serial
        number).

    Returns
    -------
    SvmModel

    Raises
    ------
    ValueError
        If the solver refuses a parameter (its own words).
    """
    parameter = _parameter(C, gamma, eps, cache_mb, shrinking=shrinking)
    return _trained(rows, codes.astype(np.float64), parameter, seed, n_threads)


def train_svr(
    rows: NodeRows,
    y: NDArray[np.float64],
    *,
    C: float,
    gamma: float,
    epsilon: float,
    eps: float,
    cache_mb: float,
    shrinking: bool,
    seed: int,
    n_threads: int,
) -> SvmModel:
    """Run ``svm_train`` with epsilon-SVR.

    Parameters
    ----------
    rows : NodeRows
        The training rows.
    y : (n,) float64
        Targets.
    epsilon : float
        Half the width of the tube without loss, in the units of ``y``; ``eps`` is the stopping tolerance.

    Returns
    -------
    SvmModel

    Raises
    ------
    ValueError
        If the solver refuses a parameter (its own words).
    """
    parameter = _parameter(C, gamma, eps, cache_mb, shrinking=shrinking)
    parameter.svm_type = svm.svm_forms.EPSILON_SVR
    parameter.p = epsilon
    return _trained(rows, y, parameter, seed, n_threads)


def _parameter(C: float, gamma: float | None, eps: float, cache_mb: float, *, shrinking: bool) -> Any:
    parameter = svm.svm_parameter.__new__(svm.svm_parameter)
    parameter.set_to_default_values()
    parameter.kernel_type = svm.kernel_names.PRECOMPUTED if gamma is None else svm.kernel_names.RBF
    parameter.gamma = 0.0 if gamma is None else gamma
    parameter.C, parameter.eps, parameter.cache_size = C, eps, cache_mb
    parameter.shrinking = int(shrinking)
    return parameter


def _trained(rows: NodeRows, y: NDArray[np.float64], parameter: Any, seed: int, n_threads: int) -> SvmModel:
    problem = fill_problem(svm.svm_problem, rows, y)
    refusal = svm.libsvm.svm_check_parameter(problem, parameter)
    if refusal:
        raise ValueError(
            f"LIBSVM refuses C={parameter.C!r}, gamma={parameter.gamma!r}, eps={parameter.eps!r}: {refusal.decode()}."
        )
    library = svm.libsvm
    with (
        prepared(library, library.svm_set_print_string_function, seed) as said,
        openmp_threads(library, n_threads) as used,
    ):
        model = library.svm_train(problem, parameter)
    try:
        return _detached(model.contents, b"".join(said).decode(errors="replace"), used)
    finally:
        library.svm_free_and_destroy_model(ctypes.byref(model))


def _detached(model: Any, log: str, n_threads: int) -> SvmModel:
    k, n_sv = model.nr_class, model.l

    def copied(pointer: Any, size: int) -> NDArray[Any]:
        return np.ctypeslib.as_array(pointer, (size,)).copy() if size else np.empty(0)

    # A model without support vectors is possible, and ctypes would follow its null pointer.
    dual_coef = np.stack([copied(model.sv_coef[j], n_sv) for j in range(k - 1)])
    return SvmModel(
        support=copied(model.sv_indices, n_sv).astype(np.intp) - 1,
        n_support=copied(model.nSV, k if model.nSV else 0).astype(np.intp),
        dual_coef=dual_coef.astype(np.float64),
        rho=copied(model.rho, k * (k - 1) // 2),
        log=log,
        n_threads=n_threads,
    )
