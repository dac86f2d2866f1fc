"""scrf-bench: the experiments of five papers on fast kernel machines, re-run and checked claim by claim."""

__version__ = "0.1.0"
