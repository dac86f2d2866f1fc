"""One call of LIBLINEAR's C interface: a problem in, weights out as numpy arrays.

Importing this module loads the solver (and with it numba, about half a second): do it inside a function,
before a clock starts.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from liblinear import liblinear
from numpy.typing import NDArray

from scrf_bench.learners.c_library import prepared
from scrf_bench.learners.nodes import fill_problem

# A dual solver that gives up says so and "Switching to" the primal one, whose own lines then decide.
_GAVE_UP = re.compile(r"reaching max number of (Newton )?iterations(?!\s*Switching)|line search fails")


@dataclass(frozen=True)
class LinearModel:
    """A trained linear model, detached from the solver's memory.

    Attributes
    ----------
    weights : (n_features [+ 1 with a bias], 1 or k) float64
        As LIBLINEAR keeps them: for two classes one column, positive for class 0.
    log : str
        What the solver printed.
    """

    weights: NDArray[np.float64]
    log: str

    @property
    def converged(self) -> bool:
        """False if the solver says that it stopped short of its tolerance for any class."""
        return _GAVE_UP.search(self.log) is None


def linear_problem(rows: Any, codes: NDArray[np.intp]) -> Any:
    """Return LIBLINEAR's ``problem`` for `NodeRows` sorted by class and their class codes 0..k-1."""
    return fill_problem(liblinear.problem, rows, codes.astype(np.float64))


def train_linear(problem: Any, *, solver_type: int, C: float, eps: float, seed: int) -> LinearModel:
    """Run LIBLINEAR's ``train``.

    Parameters
    ----------
    problem : liblinear.problem
        From `linear_problem`.
    solver_type : int
        LIBLINEAR's ``-s``.
    C, eps : float
    seed : int
        For C's ``srand``.

    Raises
    ------
    ValueError
        If the solver refuses a parameter (its own words).
    """
    parameter = liblinear.parameter.__new__(liblinear.parameter)
    parameter.set_to_default_values()
    parameter.solver_type, parameter.C, parameter.eps = solver_type, C, eps
    library = liblinear.liblinear
    refusal = library.check_parameter(problem, parameter)
    if refusal:
        raise ValueError(f"LIBLINEAR refuses -s {solver_type}, C={C!r}, eps={eps!r}: {refusal.decode()}.")
    with prepared(library, library.set_print_string_function, seed) as said:
        model = library.train(problem, parameter)
    try:
        k = model.contents.nr_class
        shape = (problem.n, 1 if k == 2 else k)
        weights = np.ctypeslib.as_array(model.contents.w, shape).copy()
    finally:
        library.free_and_destroy_model(ctypes.byref(model))
    return LinearModel(weights, b"".join(said).decode(errors="replace"))
