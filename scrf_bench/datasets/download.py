"""One download: pooch, with time limits, retries and a progress bar; its faults in words."""

from __future__ import annotations

import logging
import math
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from scrf_bench.atomic import is_full
from scrf_bench.errors import DataError

if TYPE_CHECKING:
    import requests

TIMEOUT_VARIABLE = "SCRF_BENCH_NETWORK_TIMEOUT"
DEFAULT_TIMEOUT_S = 30.0
ATTEMPTS = 3
FIRST_PAUSE_S = 0.5

_ABSENT_STATUS = frozenset({404, 410})
_LONGEST_QUOTE = 100
_RETRIED_STATUS = frozenset({408, 429, 500, 502, 503, 504})
_log = logging.getLogger(__name__)


class NotThereError(DataError):
    """The server is well and does not have the file."""


class Progress(Protocol):
    """What pooch asks of a progress bar."""

    total: int

    def update(self, amount: int) -> None:
        """Count ``amount`` more bytes."""

    def reset(self) -> None:
        """Start from zero again."""

    def close(self) -> None:
        """Take the bar down."""


def network_timeout() -> float:
    """Return the seconds without a byte after which a server counts as stalled.

    Raises
    ------
    DataError
        If SCRF_BENCH_NETWORK_TIMEOUT is set to something else than a positive number.
    """
    text = os.environ.get(TIMEOUT_VARIABLE, "").strip()
    if not text:
        return DEFAULT_TIMEOUT_S
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise DataError(f"{TIMEOUT_VARIABLE} is '{text}'; give it a positive number of seconds.")
    return seconds


def download(url: str, part: Path) -> None:
    """Download ``url`` into the file ``part``, which is removed again if that fails.

    A broken connection or a server's temporary refusal is tried again, with growing pauses; a stalled server
    is not, so that the time is bounded.

    Raises
    ------
    NotThereError
        If the server says that it does not have the file.
    DataError
        If anything else went wrong. The message says what, without the address.
    """
    timeout = network_timeout()
    for attempt in range(1, ATTEMPTS + 1):
        reason = _attempt(url, part, timeout)
        if reason is None:
            return
        part.unlink(missing_ok=True)
        if not reason.passing or attempt == ATTEMPTS:
            tried = f" ({attempt} attempts)" if attempt > 1 else ""
            raise (NotThereError if reason.absent else DataError)(f"{reason.words}{tried}")
        pause = FIRST_PAUSE_S * 2 ** (attempt - 1)
        _log.info("%s: %s; trying again in %g s.", url, reason.words, pause)
        time.sleep(pause)


class _Fault:
    """Why an attempt failed, whether another one may go better, and whether the file just is not there."""

    def __init__(self, words: str, *, passing: bool = False, absent: bool = False) -> None:
        self.words = words
        self.passing = passing
        self.absent = absent


def _attempt(url: str, part: Path, timeout: float) -> _Fault | None:
    import pooch
    import requests

    bar = _progress_bar(part.stem)
    # "identity": the bytes as they lie on the server, so that they can be held against their hash.
    headers = {"Accept-Encoding": "identity", "User-Agent": "scrf-bench"}
    downloader = pooch.HTTPDownloader(
        progressbar=bar or False, chunk_size=1 << 16, timeout=(timeout, timeout), headers=headers
    )
    try:
        with part.open("wb") as out:
            downloader(url, out, None)
            os.fsync(out.fileno())
    except requests.RequestException as error:
        return _network_fault(error, timeout)
    except OSError as error:
        return _Fault(disk_fault(error, part.parent))
    except ValueError as error:  # e.g. a Content-Length that is no number
        return _Fault(f"the server's answer makes no sense ({_quoted(str(error))})")
    finally:
        if bar is not None:
            bar.close()
    return None


def _network_fault(error: requests.RequestException, timeout: float) -> _Fault:
    import requests

    response = error.response
    if response is not None:
        status = response.status_code
        words = f"HTTP {status} {_quoted(str(response.reason or ''))}".rstrip()
        return _Fault(words, passing=status in _RETRIED_STATUS, absent=status in _ABSENT_STATUS)
    words = str(error)
    if isinstance(error, requests.Timeout) or "timed out" in words.lower():
        return _Fault(f"the server stalled: nothing came for {timeout:g} s ({TIMEOUT_VARIABLE} sets this limit)")
    if isinstance(error, requests.exceptions.ChunkedEncodingError) or "IncompleteRead" in words:
        return _Fault(f"the transfer broke off ({_root_cause(error)})", passing=True)
    if isinstance(error, requests.ConnectionError):
        # A name that does not resolve, as on a machine without a network, will not do so a second later.
        resolves = "resolve" not in words.lower() and "Name or service" not in words
        return _Fault(f"no connection ({_root_cause(error)})", passing=resolves)
    return _Fault(f"the request failed ({_root_cause(error)})")


def _root_cause(error: BaseException) -> str:
    """Return the innermost reason of a nest of network errors, on one line."""
    cause: Any = error
    while True:
        inner = getattr(cause, "reason", None) or next((a for a in cause.args if isinstance(a, BaseException)), None)
        if not isinstance(inner, BaseException):
            break
        cause = inner
    words = " ".join(str(cause).split())
    return _quoted(words.rsplit(": ", 1)[-1]) or type(cause).__name__


def _quoted(words: str) -> str:
    """Return words that may hold what a server sent, fit for a terminal: printable ASCII, and not too long."""
    safe = "".join(c if c.isascii() and c.isprintable() else ascii(c)[1:-1] for c in words)
    return safe if len(safe) <= _LONGEST_QUOTE else safe[: _LONGEST_QUOTE - 3] + "..."


def disk_fault(error: OSError, folder: Path) -> str:
    """Return what a failure to write into the cache means, and its remedy."""
    reason = error.strerror or str(error)
    remedy = "free space there" if is_full(error) else "make it a folder that you can write"
    return f"cannot write into the cache folder {folder} ({reason}); {remedy}, or set SCRF_BENCH_CACHE elsewhere"


def _progress_bar(name: str) -> Progress | None:
    if not sys.stderr.isatty():
        return None
    return _RichBar(name)


class _RichBar:
    """A rich progress bar on stderr with the face that pooch expects."""

    def __init__(self, name: str) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )
        from rich.progress import Progress as RichProgress

        self._progress = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(name, total=None)
        self._progress.start()

    @property
    def total(self) -> int:
        return int(self._progress.tasks[0].total or 0)

    @total.setter
    def total(self, value: int) -> None:
        self._progress.update(self._task, total=value or None)

    def update(self, amount: int) -> None:
        self._progress.advance(self._task, amount)

    def reset(self) -> None:
        self._progress.update(self._task, completed=0)

    def close(self) -> None:
        self._progress.stop()
