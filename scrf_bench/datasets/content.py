"""From a file's text to its content, whichever format the registry says it has."""

from __future__ import annotations

from scrf_bench.datasets.csv_table import parse_table
from scrf_bench.datasets.parser import ParsedText, parse_libsvm
from scrf_bench.datasets.spec import DatasetSpec, FileSpec


def parse_content(text: bytes, spec: DatasetSpec, file: FileSpec, name: str) -> ParsedText:
    """Parse LIBSVM text, or a table where the registry describes one; raise ParseError where it is neither."""
    if file.table is None:
        return parse_libsvm(text, n_features=spec.n_features, name=name)
    return parse_table(text, file.table, n_features=spec.n_features, name=name)
