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
from scrf_bench.stats.finding import Finding
from scrf_bench.stats.findings import count_finding, mean_finding, ratio_of_means_finding
from scrf_bench.stats.fits import PowerLaw, fit_power_law
from scrf_bench.stats.power import (
    decision_power,
    decision_power_table,
    decision_sample_size,
    tost_power,
    tost_sample_size,
    welch_power,
    welch_sample_size,
)
from scrf_bench.stats.quantifiers import all_of, any_of, from_some_on
from scrf_bench.stats.region import Region
from scrf_bench.stats.summary import Summary, summarise
from scrf_bench.stats.time_findings import exponent_finding, rank_finding, two_sample_finding
from scrf_bench.stats.verdict import (
    VERDICT_WORDS,
    JudgedPart,
    Lack,
    Need,
    Verdict,
    VerdictWord,
    lacking,
    not_testable,
    settled,
    undecided,
)

__all__ = [
    "VERDICT_WORDS",
    "Comparison",
    "Equivalence",
    "Finding",
    "JudgedPart",
    "Lack",
    "Need",
    "PowerLaw",
    "Region",
    "Summary",
    "Verdict",
    "VerdictWord",
    "accuracy_equivalence",
    "all_of",
    "any_of",
    "bootstrap_accuracy_difference",
    "bootstrap_mean_difference",
    "count_finding",
    "decision_power",
    "decision_power_table",
    "decision_sample_size",
    "exponent_finding",
    "fit_power_law",
    "from_some_on",
    "holm",
    "lacking",
    "mean_equivalence",
    "mean_finding",
    "not_testable",
    "paired",
    "paired_equivalence",
    "proportion_equivalence",
    "rank_finding",
    "ratio_of_means_finding",
    "settled",
    "summarise",
    "tost_power",
    "tost_sample_size",
    "two_sample_finding",
    "undecided",
    "variance_equivalence",
    "welch",
    "welch_power",
    "welch_sample_size",
]
