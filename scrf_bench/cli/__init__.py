"""The command line: one file a command, no logic."""

from __future__ import annotations


def main() -> None:
    """Entry point of ``scrf-bench``."""
    from scrf_bench.cli.main import cli

    cli()
