"""``scrf-bench completion``: what a shell needs to complete commands, options and names."""

from __future__ import annotations

import click

_WHERE = {
    "bash": 'eval "$(scrf-bench completion bash)"   # in ~/.bashrc',
    "zsh": 'eval "$(scrf-bench completion zsh)"   # in ~/.zshrc',
    "fish": "scrf-bench completion fish > ~/.config/fish/completions/scrf-bench.fish",
}


@click.command(epilog=f"Example: {_WHERE['bash']}")
@click.argument("shell", type=click.Choice(list(_WHERE)))
def completion(shell: str) -> None:
    """Print a script that makes SHELL complete commands, options, experiments, datasets and maps."""
    from click.shell_completion import get_completion_class

    from scrf_bench.cli.main import cli

    kind = get_completion_class(shell)
    if kind is None:  # pragma: no cover -- click knows all three
        raise click.UsageError(f"There is no completion for {shell}.")
    # Not `source()`: it would ask the installed bash for its version, which need not be the one that reads this.
    script = kind(cli, {}, "scrf-bench", "_SCRF_BENCH_COMPLETE")
    click.echo(script.source_template % script.source_vars())
    click.echo(f"To have it in every shell: {_WHERE[shell]}", err=True)
