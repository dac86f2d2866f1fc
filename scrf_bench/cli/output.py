"""What becomes of a command whose output nobody takes: a reader that has gone, a full disk."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TextIO


@contextlib.contextmanager
def reader_may_leave() -> Iterator[None]:
    """Go on without output where its reader (head, less) has gone: what the command found still counts."""
    try:
        yield
        if sys.stdout is not None:  # closed by the caller, as in `compare ... >&-`
            sys.stdout.flush()
    except BrokenPipeError:
        close_output()


def close_output(*streams: TextIO) -> None:
    """Send what is still to be printed (to stdout and stderr, or to those given) nowhere: Python flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams or (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            os.dup2(nowhere, stream.fileno())
