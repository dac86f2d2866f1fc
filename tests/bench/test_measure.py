"""Timing: what is called in which order, and what is computed from the samples. No time is ever asserted."""

from __future__ import annotations

import gc
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrf_bench.bench import Stopwatch, Timing, interleave, measure


def test_tasks_take_turns() -> None:
    """After the warm-up of each, every round calls each task once, in the order given."""
    calls: list[str] = []
    timings = interleave(
        {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, samples=3, warmup=2, min_time_s=0.0
    )
    assert calls == ["a", "a", "b", "b"] + ["a", "b"] * 3
    assert list(timings) == ["a", "b"]
    for timing in timings.values():
        assert timing.loops == 1
        assert len(timing.cpu_s) == len(timing.wall_s) == 3
        assert min(timing.wall_s) >= 0


class FakeClock:
    """Stands for both clocks; a task moves it on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def take(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    fake = FakeClock()
    monkeypatch.setattr(time, "process_time", fake)
    monkeypatch.setattr(time, "perf_counter", fake)
    return fake


def test_short_tasks_are_looped_and_reported_per_call(clock: FakeClock) -> None:
    """A task of 1/1024 s is repeated until a sample lasts 5 ms, one of 1 s is not; both count per call."""
    calls: Counter[str] = Counter()

    def task(name: str, seconds: float) -> None:
        calls[name] += 1
        clock.take(seconds)

    timings = interleave({"short": lambda: task("short", 2**-10), "long": lambda: task("long", 1.0)}, samples=4)
    short, long = timings["short"], timings["long"]
    assert short.loops * 2**-10 >= measure.SHORTEST_SAMPLE_S
    assert short.cpu_s == short.wall_s == (2**-10,) * 4
    assert long.loops == 1
    assert long.cpu_s == (1.0,) * 4
    assert calls["long"] == 1 + 1 + 4  # warm-up, calibration, samples


def test_a_task_that_uses_no_cpu_does_not_loop_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task that only waits ends its calibration by wall-clock time."""
    wall = FakeClock()
    monkeypatch.setattr(time, "process_time", lambda: 0.0)
    monkeypatch.setattr(time, "perf_counter", wall)
    timing = interleave({"wait": lambda: wall.take(0.001)}, samples=2)["wait"]
    assert timing.cpu_s == (0.0, 0.0)
    assert timing.loops < 1000
    with pytest.raises(ValueError, match="took no CPU time"):
        timing.ratios_to(timing)


def test_the_garbage_collector_rests_and_comes_back() -> None:
    """Samples are taken with collection off; afterwards it is as before, also when a task fails."""
    states: list[bool] = []

    def failing() -> None:
        states.append(gc.isenabled())
        if len(states) == 2:
            raise RuntimeError("task failed")

    assert gc.isenabled()
    with pytest.raises(RuntimeError, match="task failed"):
        interleave({"f": failing}, warmup=1, min_time_s=0.0)
    assert states == [True, False]
    assert gc.isenabled()


def test_stopwatch_reads_both_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """CPU and wall-clock seconds are the differences of the two clocks."""
    cpu, wall = FakeClock(), FakeClock()
    monkeypatch.setattr(time, "process_time", cpu)
    monkeypatch.setattr(time, "perf_counter", wall)
    with Stopwatch() as watch:
        cpu.take(1.5)
        wall.take(2.5)
    assert (watch.cpu_s, watch.wall_s) == (1.5, 2.5)


@given(
    st.lists(st.floats(0, 1e6), min_size=1, max_size=30),
    st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
)
def test_quantiles_are_numpys(samples: list[float], fraction: float) -> None:
    """Medians and quartiles agree with numpy.quantile to rounding."""
    np.testing.assert_allclose(measure.quantile(samples, fraction), np.quantile(samples, fraction), rtol=1e-12)


def test_names_of_metrics_and_samples() -> None:
    """A timing goes into a point under the suite's names; the ratio is taken round by round."""
    timing = Timing(cpu_s=(3.0, 1.0, 2.0), wall_s=(4.0, 4.0, 8.0), loops=7)
    assert timing.metrics("map") == {
        "map_cpu_s": 2.0,
        "map_cpu_q1_s": 1.5,
        "map_cpu_q3_s": 2.5,
        "map_wall_s": 4.0,
        "map_wall_q1_s": 4.0,
        "map_wall_q3_s": 6.0,
        "map_loops": 7,
    }
    assert timing.samples("map") == {"map_cpu_s": [3.0, 1.0, 2.0], "map_wall_s": [4.0, 4.0, 8.0]}
    assert timing.cpu_quartiles == (1.5, 2.5)
    assert timing.wall_quartiles == (4.0, 6.0)
    assert (timing.cpu_median, timing.wall_median) == (2.0, 4.0)
    reference = Timing(cpu_s=(6.0, 4.0, 1.0), wall_s=(1.0, 1.0, 1.0))
    assert timing.ratios_to(reference) == (0.5, 0.25, 2.0)
    with pytest.raises(ValueError, match="cannot be paired"):
        timing.ratios_to(Timing(cpu_s=(1.0,), wall_s=(1.0,)))


def test_senseless_calls_are_refused() -> None:
    """No tasks, no samples, no quantile of nothing."""
    with pytest.raises(ValueError, match="nothing to time"):
        interleave({})
    with pytest.raises(ValueError, match="not 0 and 1"):
        interleave({"a": lambda: None}, samples=0)
    with pytest.raises(ValueError, match="no samples"):
        measure.quantile([], 0.5)
