"""Which record is shown for which cell, and what is missing or outdated."""

from __future__ import annotations

import dataclasses
import itertools

from scrf_bench.bench import Interrupted, RunSummary, select_records
from tests.bench.fake_plan import ENVIRONMENT, make_cell, make_record

CELL = make_cell()
OTHER = dataclasses.replace(ENVIRONMENT, cpu_model="Other")
GONE = dataclasses.replace(ENVIRONMENT, cpu_model="Gone")


def test_order_of_preference() -> None:
    """ok before not ok, then this environment, then the newest; in whatever order the files are read."""
    ranked = [
        make_record(CELL, attempt=3, started="2026-01-03"),
        make_record(CELL, attempt=1, started="2026-01-01"),
        make_record(CELL, environment=OTHER, attempt=1, started="2026-01-09"),
        make_record(CELL, environment=GONE, attempt=5, started="2026-01-08"),
        make_record(CELL, attempt=4, status="failed", error="x", started="2026-01-10"),
        make_record(CELL, environment=OTHER, attempt=2, status="timeout", error="x", started="2026-01-11"),
    ]
    for first in range(len(ranked)):
        for order in itertools.permutations(ranked[first:]):
            assert select_records(order, [CELL], ENVIRONMENT.id).records == (ranked[first],)
    assert select_records(ranked, [CELL]).records == (ranked[2],)
    assert select_records(ranked, [CELL], OTHER.id).records == (ranked[2],)


def test_missing_and_stale() -> None:
    """A cell without a record is missing; one whose record has other versions or data is stale."""
    planned = [
        make_cell("ok", 0),
        make_cell("ok", 1),
        make_cell("ok", 2, versions={"fake": 2, "new": 1}),
        make_cell("ok", 3, dataset="dna", dataset_identity="00"),
    ]
    records = [
        make_record(planned[0]),
        make_record(make_cell("ok", 2), started="2026-01-01"),
        make_record(make_cell("ok", 2), started="2026-01-02", attempt=2),
        make_record(make_cell("ok", 3, dataset="dna", dataset_identity="ff")),
        make_record(make_cell("ok", 1, dtype="float32")),
        make_record(make_cell("ok", 1, parameters={"number": 9})),
    ]
    selection = select_records(records, [*planned, planned[0]])
    assert selection.records == (records[0],)
    assert selection.missing == (planned[1],)
    assert [(stale.cell, stale.record) for stale in selection.stale] == [
        (planned[2], records[2]),
        (planned[3], records[3]),
    ]
    assert [stale.reason() for stale in selection.stale] == [
        "version of fake 1 -> 2, version of new none -> 1",
        "the text of the dataset dna",
    ]


def test_a_dropped_limit_makes_its_record_worthless() -> None:
    """A record that only tells of a declared limit speaks for its cell as long as the limit is declared."""
    limited = make_cell(declared_limit="too large")
    record = make_record(limited, status="memory", error="too large", declared=True)
    assert select_records([record], [limited]).not_ok == (record,)
    assert select_records([record], [CELL]).missing == (CELL,)


def test_exit_codes_and_words() -> None:
    """0 if all is ok or declared, 3 otherwise; the words count every status and what was not run."""
    ok = make_record(CELL)
    declared = make_record(make_cell("ok", 1), status="memory", error="x", declared=True)
    failed = make_record(make_cell("ok", 2), status="failed", error="x")
    assert RunSummary(()).exit_code == 0
    assert RunSummary((ok, declared)).exit_code == 0
    assert RunSummary((ok, failed)).exit_code == 3
    assert RunSummary((ok,), missing=(CELL,)).exit_code == 3
    assert RunSummary(()).words() == "0 cells: nothing to do"
    summary = RunSummary((ok, declared, failed), (make_cell("ok", 3),), skipped=2, untried=(failed,))
    assert summary.words() == (
        "4 cells: 1 ok, 1 failed, 1 memory, 1 of them by a declared limit, 1 not run (2 done before)"
    )
    assert summary.advice() == "1 cell that ended badly before was not run again; to do so, add --retry failed."
    assert str(Interrupted(summary)) == (
        "Interrupted with 3 of 4 cells done, all of them stored; run the same command again to go on."
    )
    assert isinstance(Interrupted(summary), KeyboardInterrupt)
