"""Plays a cell's process: called like ``scrf-bench cell``, it does what the cell's parameter ``act`` says.

It leaves ``<cell id>-<pid>.start`` and ``.end`` in the folder of FAKE_CELL_TRACES, and ``.again`` where the
store holds an ``ok`` record of the cell already.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from scrf_bench.bench import Cell, Point, Store, execute_cell_file
from scrf_bench.errors import DataError, UnavailableError

_TRACES = Path(os.environ["FAKE_CELL_TRACES"])


def main() -> None:
    cell_path, outcome_path = Path(sys.argv[1]), Path(sys.argv[3])
    cell = Cell.read(cell_path)
    act = cell.parameters["act"]
    if act == "exit2":
        sys.stderr.write("The plugin 'nothing.py' is not there.\n")
        sys.exit(2)
    if act == "garbage":
        outcome_path.write_text('{"kind_of_file": "outcome", "sch')
        return
    if act == "foreign":
        outcome_path.write_text('{"accuracy": 1.0}')
        return
    store = Store(cell_path.parents[2])
    execute_cell_file(cell_path, outcome_path, lambda cell: measure(cell, store))
    if act == "crash_later":
        os.kill(os.getpid(), signal.SIGSEGV)


def measure(cell: Cell, store: Store) -> list[Point]:
    trace = f"{cell.id}-{os.getpid()}"
    (_TRACES / f"{trace}.start").touch()
    if any(record.ok for record in store.records(cell)):
        (_TRACES / f"{trace}.again").touch()
    number = cell.parameters["number"]
    ACTS[str(cell.parameters["act"])](cell)
    (_TRACES / f"{trace}.end").touch()
    return [Point({"D": D}, {"accuracy": 1.0 / (1 + int(number) + D)}) for D in (1, 2)]


def nothing(cell: Cell) -> None:
    time.sleep(float(cell.parameters.get("seconds", 0.0)))


def hog(cell: Cell) -> None:
    held = []
    while True:
        held.append(b"x" * 10_000_000)
        time.sleep(0.005)


def child_hog(cell: Cell) -> None:
    code = "import time; held = b'x' * 300_000_000; time.sleep(600)"
    subprocess.run([sys.executable, "-c", code], check=True)


def crash(cell: Cell) -> None:
    sys.stderr.write("about to touch forbidden memory\n")
    sys.stderr.flush()
    os.kill(os.getpid(), getattr(signal, str(cell.parameters["signal"])))


def stubborn(cell: Cell) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


def finisher(cell: Cell) -> None:
    """Measure until told to end, and then come to a good end."""
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    while not told:
        time.sleep(0.01)


def chatty(cell: Cell) -> None:
    for number in range(20_000):
        sys.stderr.write(f"line {number} of far too many\n")
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGABRT)


def unavailable(cell: Cell) -> None:
    if not (_TRACES / "now_available").exists():
        raise UnavailableError("The dataset 'moon' is not here: fetch it.")


def failing(cell: Cell) -> None:
    raise DataError("The dataset 'moon' is made of cheese.")


def out_of_memory(cell: Cell) -> None:
    raise MemoryError


ACTS = {
    "ok": nothing,
    "sleep": nothing,
    "hog": hog,
    "child_hog": child_hog,
    "crash": crash,
    "crash_later": nothing,
    "stubborn": stubborn,
    "finisher": finisher,
    "chatty": chatty,
    "unavailable": unavailable,
    "failing": failing,
    "out_of_memory": out_of_memory,
}

if __name__ == "__main__":
    main()
