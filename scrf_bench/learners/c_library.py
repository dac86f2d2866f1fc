"""The process-wide state of the C solvers: their random numbers, their output, their threads.

LIBSVM and LIBLINEAR draw from C's ``rand()``, print through one hook a library, and (LIBSVM) run on as many
OpenMP threads as there are cores. All of it belongs to the process, not to a call, so one lock serialises the
trainings and every call puts back what it changed.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

_LOCK = threading.RLock()
_PRINT_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_char_p)


def c_seed(random_state: int | np.random.RandomState | None) -> int:
    """Return the seed for C's ``srand``: an integer as it is (modulo 2^32), else one drawn from the state."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state) % 2**32
    return int(check_random_state(random_state).randint(2**31 - 1))


@contextmanager
def prepared(library: ctypes.CDLL, print_hook: Callable[[Any], None], seed: int) -> Iterator[list[bytes]]:
    """Hold the solvers' lock with ``rand()`` seeded and the library's output collected.

    Parameters
    ----------
    library : ctypes.CDLL
        The solver; its C runtime is the process's own.
    print_hook : callable
        The library's ``set_print_string_function``.
    seed : int
        Handed to ``srand``.

    Yields
    ------
    list of bytes
        Grows with what the library prints; join it after the call.
    """
    said: list[bytes] = []
    callback = _PRINT_FUNCTION(said.append)
    # The bindings declare the hook's argument with function types of their own; a cast satisfies both.
    hook_type: Any = print_hook.argtypes[0]  # type: ignore[attr-defined]
    with _LOCK:
        print_hook(ctypes.cast(callback, hook_type))
        # dlsym on the solver's handle also searches what it links to, so this is the libc whose rand() it
        # calls.
        library.srand(ctypes.c_uint(seed))
        try:
            yield said
        finally:
            print_hook(hook_type())


@contextmanager
def openmp_threads(library: ctypes.CDLL, n_threads: int) -> Iterator[int]:
    """Run a block with ``n_threads`` OpenMP threads in ``library``; yield the number really used.

    The functions are looked up through the solver's own handle: other packages bring their own copies of the
    OpenMP runtime, and setting theirs would change nothing here. A library without OpenMP yields 1.
    """
    try:
        set_threads, get_threads = library.omp_set_num_threads, library.omp_get_max_threads
    except AttributeError:
        yield 1
        return
    before = get_threads()
    set_threads(ctypes.c_int(n_threads))
    try:
        yield int(get_threads())
    finally:
        set_threads(ctypes.c_int(before))
