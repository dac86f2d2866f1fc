"""Compile the maps' loops before the first cell starts: compiling must count in no cell's time or time limit."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path


def compile_loops(say: Callable[[str], None] = lambda _: None) -> float | None:
    """Compile what is not on disk yet for this CPU; once a machine and version of the loops.

    Whatever hinders that is said, and stops nothing: each cell then compiles for itself, in its warm-up.

    Returns
    -------
    float or None
        Seconds that it took, None where nothing was to be done, or nothing can be kept.
    """
    from numba.core.errors import NumbaError

    from scrf_bench.maps.compiled import jit
    from scrf_bench.maps.compiled.disk_cache import REMEDY

    if not jit.compile_status().folder:
        own = Path(jit.__file__).parent / "__pycache__"
        say(f"Neither {own} nor another folder can be written for compiled loops: cells compile their own; {REMEDY}.")
        return None
    seconds = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            seconds = jit.compile_all(lambda: say("Compiling the maps' loops, once on this machine (some 20 s) ..."))
        except NumbaError as error:
            # The cells that need the loop will fail with the whole story; those that do not should run.
            say(f"A loop could not be compiled: {str(error).splitlines()[0]}")
    for words in dict.fromkeys(str(warning.message) for warning in caught):
        say(words)
    return seconds
