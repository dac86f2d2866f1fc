"""What a map must keep to, checked on any class: for the authors of maps, ours and other packages'."""

from __future__ import annotations

from scrf_bench.maps.contract.apart import check_apart
from scrf_bench.maps.contract.checks import CHECKS, Check, Finding, check_map, run_check

__all__ = ["CHECKS", "Check", "Finding", "check_apart", "check_map", "run_check"]
