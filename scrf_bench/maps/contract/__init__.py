"""What a map must keep to, checked on any class: for the authors of maps, ours and other packages'."""

from __future__ import annotations

from scrf_bench.maps.contract.checks import CHECKS, Check, Finding, check_map

__all__ = ["CHECKS", "Check", "Finding", "check_map"]
