"""Compile the maps' loops before the first cell starts: compiling must count in no cell's time or time limit."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from scrf_bench.atomic import write_over
from scrf_bench.datasets import DataSources
from scrf_bench.errors import UserError

_NOTE = "compiled.json"


def compile_loops(say: Callable[[str], None] = lambda _: None) -> float | None:
    """Compile what is not on disk yet for this CPU; once a machine and version of the loops.

    Returns
    -------
    float or None
        Seconds that it took, None where nothing was to be done, or nothing can be kept: each cell then compiles for
        itself, in its warm-up.
    """
    from numba.core.errors import NumbaError

    from scrf_bench.maps.compiled.jit import compile_all, compile_status, source_stamp

    before, note = compile_status(), _read()
    if note.get("stamp") != source_stamp():
        note = {}
    known = note.get("kernels", {})
    if not before.folder or (known and all(before.kernels.get(name, 0) >= count for name, count in known.items())):
        return None
    say("Compiling the maps' loops, once on this machine (some 20 s) ...")
    try:
        seconds = compile_all()
    except NumbaError as error:
        # The cells that need the loop will fail with the whole story; those that do not should run.
        say(f"A loop could not be compiled: {str(error).splitlines()[0]}")
        return None
    after = compile_status()
    # Loops that were on the disk already were loaded only: that time says nothing of compiling.
    compiled = any(count > before.kernels.get(name, 0) for name, count in after.kernels.items())
    took = round(seconds, 3) if compiled else note.get("seconds")
    note = {"stamp": source_stamp(), "kernels": after.kernels, "seconds": took, "cpu": after.cpu, "numba": after.numba}
    # Where it cannot be written, only `info` lacks it.
    with suppress(UserError):
        write_over(_path(), json.dumps(note) + "\n")
    return seconds


def last_compilation() -> float | None:
    """Return how many seconds it took to compile the loops as they are now, None if nobody noted it down."""
    from scrf_bench.maps.compiled.jit import source_stamp

    note = _read()
    seconds = note.get("seconds")
    return float(seconds) if note.get("stamp") == source_stamp() and isinstance(seconds, (int, float)) else None


def _path() -> Path:
    return DataSources.from_environment().cache_folder / _NOTE


def _read() -> dict[str, Any]:
    try:
        note = json.loads(_path().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}
