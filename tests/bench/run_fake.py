"""A run of fake cells in a process of its own: ``python -m tests.bench.run_fake FOLDER JOBS PLAN.json``.

Prints the counts of executed, skipped and by_others as JSON; ends with 130 when interrupted.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from scrf_bench.bench import Cell, Interrupted, LineReporter, Store, run_cells
from tests.bench.fake_plan import make_options


def main() -> int:
    folder, jobs, plan = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    cells = [Cell.from_json(cell) for cell in json.loads(plan.read_text())]
    try:
        summary = run_cells(cells, Store(folder / "store"), make_options(folder, jobs=jobs), LineReporter())
    except Interrupted as stop:
        sys.stderr.write(f"{stop}\n")
        return 130
    counts = {"executed": summary.executed, "skipped": summary.skipped, "by_others": summary.by_others}
    sys.stdout.write(json.dumps(counts))
    return summary.exit_code


if __name__ == "__main__":
    sys.exit(main())
