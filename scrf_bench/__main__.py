"""``python -m scrf_bench``."""

from scrf_bench.cli import main

main()
