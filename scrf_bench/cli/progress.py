"""A bar a stage of long work, on stderr of a terminal; gone when the work is done."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def stage_bars(name: str) -> Iterator[Callable[[str, int, int], None]]:
    """Give a function to call as ``show(stage, done, total)``; each stage of `name` gets a bar when it begins."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        stages: dict[str, Any] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in stages:
                stages[stage] = bar.add_task(f"{name}, {stage}", total=total)
            bar.update(stages[stage], completed=done, total=total)

        yield show
