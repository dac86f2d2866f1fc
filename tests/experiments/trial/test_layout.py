"""The figure of a trial shows every method it was drawn from, and its legend whole."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from scrf_bench.experiments.trial.layout import trial_layout
from scrf_bench.experiments.trial.methods import Outcome, all_methods
from scrf_bench.experiments.trial.search import Choice
from scrf_bench.maps import MAPS
from scrf_bench.report import style


def drawn(maps):
    """Draw a trial of classes with made-up losses of these maps."""
    rng = np.random.default_rng(0)
    outcomes = []
    for method in all_methods("classification", Choice(1.0, 1.0, 1.0, ()), maps, (64, 256)):
        losses = [(rng.random(200) < 0.1).astype(float) for _ in range(2)]
        outcomes.append(Outcome(method, [rng.random()], [rng.random()], losses, losses, 1000))
    figure = trial_layout(outcomes, "classification", "mine.csv: every map over D", (), outcomes[0]).figures[0]
    canvas = plt.figure(figsize=(figure.width, figure.height))
    figure.draw(canvas)
    canvas.draw_without_rendering()
    return canvas


@pytest.mark.parametrize("maps", [list(MAPS), ["rks"]])
def test_the_legend_lies_within_the_figure_and_names_all(maps):
    with style.settings():
        canvas = drawn(maps)
        (legend,) = canvas.legends
        box = legend.get_window_extent()
        labels = [text.get_text() for text in legend.get_texts()]
        plt.close(canvas)
    assert canvas.bbox.x0 <= box.x0 < box.x1 <= canvas.bbox.x1
    assert canvas.bbox.y0 <= box.y0 < box.y1 <= canvas.bbox.y1
    assert {MAPS[name].label for name in maps} <= set(labels)


def test_the_exact_kernels_mark_is_the_largest():
    with style.settings():
        canvas = drawn(list(MAPS))
        sizes = {container.get_label(): container.lines[0].get_markersize() for container in canvas.axes[0].containers}
        plt.close(canvas)
    exact = sizes.pop("exact LIBSVM")
    assert exact >= 1.5 * max(sizes.values())
