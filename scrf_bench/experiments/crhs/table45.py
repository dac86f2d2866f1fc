"""Tables 4 and 5: training and predicting times of the runs whose accuracies Table 3 shows."""

from __future__ import annotations

from collections.abc import Sequence

from scrf_bench.bench import Record
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.crhs.space_tables import time_table
from scrf_bench.experiments.crhs.table3 import Table3, Table3Config, methods_of
from scrf_bench.report import Layout


class _Times(Table3):
    """Another view of Table 3's records."""

    claims = ()
    records_of = "crhs-table3"
    stage: str

    def layout(self, config: Table3Config, records: Sequence[Record], selection: Selection) -> Layout:
        """One table of times."""
        entries, methods = list(self._entries(config, selection)), methods_of(config, selection)
        table = time_table(self.name, self.title, self.stage, config, entries, methods, records, selection.threads)
        return Layout(tables=[table], figures=[])


class Table4(_Times):
    """Training times."""

    name = "crhs-table4"
    title = "CRHS Table 4: training time"
    stage = "train"


class Table5(_Times):
    """Predicting times."""

    name = "crhs-table5"
    title = "CRHS Table 5: predicting time"
    stage = "predict"
