"""Samples to intervals and verdicts: pure functions that know of no benchmark."""

from __future__ import annotations

from scrf_bench.stats.comparison import (
    Comparison,
    bootstrap_accuracy_difference,
    bootstrap_mean_difference,
    holm,
    paired,
    welch,
)
from scrf_bench.stats.equivalence import (
    Equivalence,
    accuracy_equivalence,
    mean_equivalence,
    paired_equivalence,
    proportion_equivalence,
    variance_equivalence,
)
from scrf_bench.stats.fits import PowerLaw, fit_power_law
from scrf_bench.stats.power import tost_power, tost_sample_size, welch_power, welch_sample_size
from scrf_bench.stats.summary import Summary, summarise

__all__ = [
    "Comparison",
    "Equivalence",
    "PowerLaw",
    "Summary",
    "accuracy_equivalence",
    "bootstrap_accuracy_difference",
    "bootstrap_mean_difference",
    "fit_power_law",
    "holm",
    "mean_equivalence",
    "paired",
    "paired_equivalence",
    "proportion_equivalence",
    "summarise",
    "tost_power",
    "tost_sample_size",
    "variance_equivalence",
    "welch",
    "welch_power",
    "welch_sample_size",
]
