"""Counts SIGINT and SIGTERM instead of letting them strike in the middle of a write."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self


class Interrupts:
    """While entered, the first signals are counted; who runs the loop looks at :attr:`count`.

    Outside the main thread, where Python allows no handlers, nothing is installed.
    """

    _SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        self.count = 0
        # What getsignal returns has no better type: a callable, a number or None.
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in self._SIGNALS:
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1
