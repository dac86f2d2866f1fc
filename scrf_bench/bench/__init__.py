"""From cells to records: run a cell in its own process, store what came of it; stop and go on at will."""

from __future__ import annotations

from scrf_bench.bench.canonical import Parameter, Scalar
from scrf_bench.bench.cell import Cell
from scrf_bench.bench.environment import Environment, capture_environment
from scrf_bench.bench.executor import run_cells
from scrf_bench.bench.measure import Stopwatch, Timing, interleave
from scrf_bench.bench.options import RunOptions
from scrf_bench.bench.outcome import Outcome
from scrf_bench.bench.progress import LineReporter, Reporter, RichReporter, SilentReporter, choose_reporter
from scrf_bench.bench.record import STATUSES, Metric, Point, Record, Status
from scrf_bench.bench.rows import records_rows, write_rows
from scrf_bench.bench.selection import Selection, Stale, select_records
from scrf_bench.bench.store import Store
from scrf_bench.bench.summary import Interrupted, RunSummary
from scrf_bench.bench.worker import Measure, execute_cell_file, run_cell

__all__ = [
    "STATUSES",
    "Cell",
    "Environment",
    "Interrupted",
    "LineReporter",
    "Measure",
    "Metric",
    "Outcome",
    "Parameter",
    "Point",
    "Record",
    "Reporter",
    "RichReporter",
    "RunOptions",
    "RunSummary",
    "Scalar",
    "Selection",
    "SilentReporter",
    "Stale",
    "Status",
    "Stopwatch",
    "Store",
    "Timing",
    "capture_environment",
    "choose_reporter",
    "execute_cell_file",
    "interleave",
    "records_rows",
    "run_cell",
    "run_cells",
    "select_records",
    "write_rows",
]
