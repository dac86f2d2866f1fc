"""Names on the command line: lists of them, and what a shell completes them to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem


def known_names(kind: str) -> list[str]:
    """Return the names of a kind: experiments, datasets, maps, statuses or formats."""
    if kind == "experiments":
        from scrf_bench.experiments import experiment_names

        return experiment_names()
    if kind == "datasets":
        from scrf_bench.datasets import registry

        return list(registry())
    if kind == "maps":
        from scrf_bench.experiments.map_cells import BASELINES
        from scrf_bench.maps import map_names

        return [*map_names(), *BASELINES]
    if kind == "formats":
        from scrf_bench.report import FORMATS

        return [*FORMATS, "html"]
    return ["failed", "timeout", "memory"] if kind == "statuses" else []


def complete_names(kind: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return what completes an argument that takes names of a kind."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001
        return [name for name in known_names(kind) if name.startswith(incomplete)]

    return complete


class Names(click.ParamType[tuple[str, ...]]):
    """``a,b,c`` -> a tuple of names, each once.

    Parameters
    ----------
    kind : str
        What a shell completes, the last name of the list; see `known_names`.
    """

    name = "names"

    def __init__(self, kind: str = "") -> None:
        self.kind = kind

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """Complete the name behind the last comma, leaving out those that stand before it."""
        before, comma, last = incomplete.rpartition(",")
        taken = before.split(",")
        return [
            CompletionItem(f"{before}{comma}{name}")
            for name in known_names(self.kind)
            if name.startswith(last) and name not in taken
        ]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Split at commas and drop blanks."""
        if isinstance(value, tuple):
            return value
        names = tuple(dict.fromkeys(part.strip() for part in str(value).split(",") if part.strip()))
        if not names:
            self.fail("no names given; write for instance a,b", param, ctx)
        return names
