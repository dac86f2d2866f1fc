"""What memory a piece of work needs, from the kernel's own books on this process (Linux; elsewhere not known)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"  # <Documentation/filesystems/proc.rst>: sets VmHWM to what is resident now


def resident(field: str = "VmRSS") -> int | None:
    """Return a field of ``/proc/self/status`` in bytes, None where there is none.

    ``VmRSS`` is all that is resident, ``VmHWM`` the most there was, ``RssAnon`` what the process wrote itself and
    ``RssFile`` pages of mapped files, which the kernel can take back at any moment.
    """
    try:
        for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return None


def reset_peak() -> bool:
    """Let ``VmHWM`` start anew from what is resident now; tell whether the kernel does that."""
    _give_free_memory_back()
    try:
        _CLEAR.write_text(_RESET_PEAK, encoding="ascii")
    except OSError:
        return False
    return True


def extra_peak(call: Callable[[], object]) -> int | None:
    """Return how far resident memory rose during a call above what it was before, in bytes.

    What the call writes into must have been written before, or its first touch counts as well.
    """
    if not reset_peak():
        return None
    before = resident()
    result = call()
    peak = resident("VmHWM")
    del result
    return None if before is None or peak is None else max(0, peak - before)


def _give_free_memory_back() -> None:
    """Return the allocator's free pages: memory that it kept would be used again without a trace in the books."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
