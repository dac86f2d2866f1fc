"""What Cosplay's author prints of his run: his data set, his map and his figures."""

from __future__ import annotations

from scrf_bench.report import reported

PAPER_DATASET = "mnist"
RECIPE_MAP = "rks"
"""The recipe's own map: Gaussian frequencies, uniform phases."""


def paper_figure(quantity: str) -> float | None:
    """Return a number that Cosplay's author prints, None if no source states it."""
    figure = reported("cosplay-2013", "blog run output", "MNIST", "cos features + maxent", quantity)
    return float(figure.value) if figure is not None else None
