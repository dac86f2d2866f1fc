"""What people read while cells run: plain lines, the bar, and the time left."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from scrf_bench.bench import LineReporter, Reporter, RichReporter, SilentReporter, choose_reporter
from scrf_bench.bench.pace import Pace, duration_words
from tests.bench.fake_plan import make_cell, make_record

A = make_cell("ok", 0, label="table2 dna scrf", expected_s=30.0)
B = make_cell("ok", 1, label="table2 [dna] rks", expected_s=60.0)
DONE = make_record(A, wall_s=12.34)
BAD = make_record(B, status="failed", error="ValueError: bad D\nsecond line", wall_s=1.0)


def tell(reporter: Reporter) -> None:
    reporter.run_started([A, B], done=3, jobs=1)
    reporter.waiting("another run on this machine")
    reporter.cell_finished(DONE, by_other=True)
    reporter.cell_started(B)
    reporter.cell_finished(BAD)
    reporter.run_finished()


def test_lines() -> None:
    """One line a finished cell with its number, status, time, name and reason."""
    stream = io.StringIO()
    tell(LineReporter(stream))
    assert stream.getvalue().splitlines() == [
        "2 to run, 3 done before; about 1 min 30 s",
        "Waiting: another run on this machine",
        "[1/2] ok           12.3 s  table2 dna scrf [run by another] (about 1 min 00 s left)",
        "[2/2] failed        1.0 s  table2 [dna] rks: ValueError: bad D",
    ]


def test_bar() -> None:
    """On a terminal the bar shows what runs and what is waited for; only failures leave a line."""
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=160, color_system=None)
    reporter = RichReporter(console)
    reporter.run_started([A, B], done=3, jobs=1)
    assert reporter._progress is not None
    task = reporter._progress.tasks[0]
    assert (task.completed, task.total, task.fields["left"]) == (3, 5, "about 1 min 30 s left")
    reporter.cell_started(A)
    assert task.description == "table2 dna scrf"
    reporter.waiting("another run")
    assert task.description == "waiting: another run"
    reporter.cell_finished(DONE)
    reporter.cell_started(B)
    reporter.cell_finished(BAD)
    assert (task.completed, task.description) == (5, "")
    reporter.run_finished()
    text = stream.getvalue()
    assert "failed        1.0 s  table2 [dna] rks: ValueError: bad D" in text
    assert "12.3 s" not in text


def test_nothing_to_run_shows_no_bar() -> None:
    """A run without cells starts no bar, and the silent reporter says nothing at all."""
    stream = io.StringIO()
    reporter = RichReporter(Console(file=stream, force_terminal=True))
    reporter.run_started([], done=3, jobs=1)
    reporter.run_finished()
    assert stream.getvalue() == ""


def test_the_silent_one_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    """Neither stream gets a byte."""
    tell(SilentReporter())
    assert capfd.readouterr() == ("", "")


def test_choice_by_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal gets the bar, a log file gets lines."""
    stream = io.StringIO()
    assert isinstance(choose_reporter(stream), LineReporter)
    monkeypatch.setattr(stream, "isatty", lambda: True)
    assert isinstance(choose_reporter(stream), RichReporter)


def test_time_left_follows_the_pace() -> None:
    """Expected 40 s and took 80: the rest counts double; running cells count what they have left."""
    now = 0.0
    cells = [make_cell("ok", number, expected_s=40.0) for number in range(3)]
    cells.append(make_cell("ok", 3, kind="timing", expected_s=10.0))
    pace = Pace(cells, jobs=2, clock=lambda: now)
    assert pace.remaining_s() == 3 * 40 / 2 + 10
    pace.started(cells[0])
    now = 15.0
    assert pace.remaining_s() == (2 * 40 + 25) / 2 + 10
    now = 80.0
    pace.finished(make_record(cells[0]))
    assert (pace.done, pace.total) == (1, 4)
    assert pace.remaining_s() == 2 * 80 / 2 + 20
    pace.finished(make_record(cells[1], status="timeout", error="slow"))  # tells nothing about the pace
    assert pace.remaining_s() == 80 / 2 + 20
    pace.started(cells[2])
    now = 1000.0
    assert pace.remaining_s() == 20


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (200, "3 min 20 s"), (7500, "2 h 05 min")],
)
def test_durations(seconds: float, words: str) -> None:
    """Durations are said in two units at most."""
    assert duration_words(seconds) == words
