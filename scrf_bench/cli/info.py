"""``scrf-bench info``: the machine, libraries, BLAS, threads and versions that a record would carry."""

from __future__ import annotations

import json

import click


@click.command(epilog="Example: scrf-bench info --json")
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="As given to run.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, the form that records hold.")
def info(threads: int, as_json: bool) -> None:
    """Describe the machine, the libraries, BLAS and threads, and where data and configs are."""
    from scrf_bench.bench import capture_environment
    from scrf_bench.datasets import DataSources
    from scrf_bench.resources import resource_path

    environment = capture_environment(threads)
    sources = DataSources.from_environment()
    described = environment.to_json() | {
        "environment": environment.id,
        "configs": str(resource_path("configs")),
        "embedded_data": str(resource_path("data/embedded")),
        "cache": str(sources.cache_folder),
        "mirrors": list(sources.mirrors),
        "offline": sources.offline,
    }
    if as_json:
        click.echo(json.dumps(described, indent=2))
        return
    width = max(map(len, described))
    for key, value in described.items():
        text = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
        text = ", ".join(map(str, text)) or "none" if isinstance(text, list) else text
        click.echo(f"{key.replace('_', ' '):<{width}}  {'unknown' if text is None else text}")
