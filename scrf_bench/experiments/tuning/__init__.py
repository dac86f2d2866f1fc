"""Gamma and C by cross-validation: searching, keeping a journal of it, writing and looking up what was chosen."""

from __future__ import annotations

from scrf_bench.experiments.tuning.chosen import TunedMap, TunedSet, Tuning

__all__ = ["TunedMap", "TunedSet", "Tuning"]
