"""Names to arrays: the registry of datasets, getting them, reading them, splitting and scaling them.

``load("dna")`` gives arrays; ``fetch("dna")`` gives verified files; ``registry()`` states what is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrf_bench.datasets.catalogue import lookup, registry
from scrf_bench.datasets.locations import DataSources
from scrf_bench.datasets.spec import DatasetSpec, FileSpec

if TYPE_CHECKING:
    from scrf_bench.datasets.acquire import DatasetUnavailableError
    from scrf_bench.datasets.loading import Dataset, fetch, load
    from scrf_bench.datasets.parser import ParsedText, parse_libsvm

__all__ = [
    "DataSources",
    "Dataset",
    "DatasetSpec",
    "DatasetUnavailableError",
    "FileSpec",
    "ParsedText",
    "fetch",
    "load",
    "lookup",
    "parse_libsvm",
    "registry",
]

# Reading files needs NumPy and SciPy; a command that only lists names must not wait for them.
_LAZY = {
    "Dataset": "loading",
    "DatasetUnavailableError": "acquire",
    "ParsedText": "parser",
    "fetch": "loading",
    "load": "loading",
    "parse_libsvm": "parser",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        msg = f"module '{__name__}' has no attribute '{name}'"
        raise AttributeError(msg)
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
