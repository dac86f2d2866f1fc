"""``scrf-bench info``: the machine, libraries, BLAS, threads and versions that a record would carry."""

from __future__ import annotations

import json

import click


@click.command(epilog="Example: scrf-bench info --json")
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="As given to run.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, the form that records hold.")
def info(threads: int, as_json: bool) -> None:
    """Describe the machine, the libraries, BLAS and threads, where data and configs are, and what is compiled."""
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
        **_compiled(),
    }
    if as_json:
        click.echo(json.dumps(described, indent=2))
        return
    width = max(map(len, described))
    for key, value in described.items():
        text = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
        text = ", ".join(map(str, text)) or "none" if isinstance(text, list) else text
        click.echo(f"{key.replace('_', ' '):<{width}}  {'unknown' if text is None else text}")


def _compiled() -> dict[str, object]:
    """Say what of the maps' loops is compiled on this machine: nothing is compiled by asking."""
    from scrf_bench.maps.compiled.disk_cache import REMEDY
    from scrf_bench.maps.compiled.jit import compile_status

    status = compile_status()
    missing = [name for name, count in status.kernels.items() if not count]
    done = len(status.kernels) - len(missing)
    return {
        "compiled_loops": f"{done} of {len(status.kernels)} kernels, {sum(status.kernels.values())} versions "
        f"(one a dtype and use), {status.nbytes / 1e6:.1f} MB",
        "compiled_in": status.folder or f"nowhere: no folder can be written, so every process compiles anew; {REMEDY}",
        "compiled_for": f"{status.cpu}, numba {status.numba}, LLVM {status.llvm}",
        "compiled_kernels": {name: count for name, count in status.kernels.items() if count},
        "not_compiled_yet": missing,
        "compile_seconds": None if status.seconds is None else round(status.seconds, 1),
    }
