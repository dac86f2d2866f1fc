"""The checks in a process of their own: a map that hangs, or takes its process down, is a finding like any other."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Iterator, Sequence
from typing import IO

from scrf_bench.maps.contract.checks import CHECKS, Finding


def check_apart(command: Sequence[str], timeout_s: float) -> Iterator[Finding]:
    """Run the checks by a command that does, and go on after one that never ends.

    Parameters
    ----------
    command : sequence of str
        Given the number of a check as one more argument, it runs that check and all after it, and prints the fields
        of each `Finding` as a line of JSON.
    timeout_s : float
        Seconds that one check may take; the first one's include the start of Python.

    Yields
    ------
    Finding
        One a check, in their order; of what fails the first check no more. After two checks in a row that end the
        process, or never end, in the same way, the rest are not checked: they would most likely do the same.
    """
    done = 0
    before = ""
    while done < len(CHECKS):
        process = subprocess.Popen([*command, str(done)], stdout=subprocess.PIPE, text=True)
        try:
            for line in _lines(process.stdout, timeout_s):
                finding = Finding(**json.loads(line))
                yield finding
                done += 1
                before = ""
                if finding.word == "broken" and done == 1:
                    return
            ended = True
        except TimeoutError:
            ended = False
        finally:
            process.kill()
            code = process.wait()
        if done < len(CHECKS):
            words = _end(code) if ended else f"not finished after {timeout_s:g} s: it hangs, or takes too long for use."
            yield Finding(CHECKS[done].name, "broken", words)
            done += 1
            if done == 1:
                return
            if words == before:
                yield from _skipped(done)
                return
            before = words


def _skipped(first: int) -> Iterator[Finding]:
    """Yield what is left from check number `first` on; the reason stands once."""
    reason = "Skipped, like all after it: two checks in a row ended in the same way. Mend that, and check again."
    for check in CHECKS[first:]:
        yield Finding(check.name, "not checked", reason)
        reason = ""


def _lines(stream: IO[str] | None, timeout_s: float) -> Iterator[str]:
    """Yield lines as they come; raise TimeoutError if the next one does not."""
    assert stream is not None  # noqa: S101 - it is piped
    arrived: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        with stream:
            for line in stream:
                arrived.put(line)
        arrived.put(None)

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = arrived.get(timeout=timeout_s)
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            return
        yield line


def _end(code: int) -> str:
    how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
    return f"the process ended {how} in the middle of it; run the check's steps under a debugger."
