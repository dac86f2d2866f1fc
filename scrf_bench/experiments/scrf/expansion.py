"""Timing of one method at one width or several, in turns with what it is compared with: Table 1 and Figure 2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrf_bench.bench import Cell, Point, Stopwatch, Timing, interleave
from scrf_bench.bench.measure import SHORTEST_SAMPLE_S
from scrf_bench.experiments.kernel_gate import error_bound, kernel_error
from scrf_bench.experiments.map_cells import draw_map, method_label, timed_versions, uniform_points
from scrf_bench.experiments.matrices import DENSE, REFERENCE, keeps_landmarks, rows_to_fit_on
from scrf_bench.experiments.memory import extra_peak, resident
from scrf_bench.experiments.peers import PEERS

EMBEDDING = "phase"
# From here on one call lasts long enough for a sample (5 ms and more), and calls for calibration are time lost.
_LONG_VALUES = 1 << 23
# A draw that takes seconds (Haar matrices of high order) is drawn three times more, not as often as the map runs.
_LONG_DRAW_S, _FEW_DRAWS = 0.5, 3
# One that takes longer still (the decomposition of a Nystroem map's matrix) is not repeated: its first is its sample.
_ONE_DRAW_S = 10.0

Task = Callable[[], object]


def expansion_cell(
    experiment: str,
    version: int,
    name: str,
    *,
    d: Sequence[int],
    D: Sequence[int],
    rows: int,
    dtype: str,
    samples: int,
    seed: int,
    threads: int,
    stages: bool = True,
    with_reference: bool = True,
    declared_limit: str | None = None,
) -> Cell:
    """Plan the timing of one method at the widths `d` and `D` columns each, on `rows` points of U[0,1]^d.

    gamma is 1/d, which keeps ||x - y||/sigma of the order of one at every d; the paper does not state its own.
    What is timed beside the method is part of the cell's identity: RKS for a map, RKS and our counterpart for a peer.
    """
    beside = companions(name, with_reference=with_reference)
    versions = {"experiment": version, **timed_versions(name)}
    for other in beside:
        versions |= timed_versions(other, other)
    guess = sum(_guess_s(name, beside, a, b, rows) for a, b in zip(d, D, strict=True))
    guess *= 0.5 if dtype == "float32" else 1.0
    where = f"d={','.join(map(str, d))} D={D[0] if len(set(D)) == 1 else 'd'}"
    return Cell(
        experiment=experiment,
        kind="timing",
        parameters={
            "map": name,
            "d": list(d),
            "D": list(D),
            "rows": rows,
            "embedding": EMBEDDING,
            "samples": samples,
            "stages": stages,
            "seed": seed,
            "beside": list(beside),
        },
        versions=versions,
        dtype=dtype,
        threads=threads,
        label=f"{method_label(name)} {where} {dtype}",
        expected_s=3.5 + (samples + 1) * guess + (sum(map(_guess_fit_s, D)) if keeps_landmarks(name) else 0.0),
        declared_limit=declared_limit,
        unavailable=PEERS[name].unavailable() if name in PEERS else None,
    )


def companions(name: str, *, with_reference: bool = True) -> tuple[str, ...]:
    """Return what is timed in turns with a method: every ratio that is printed comes from one process."""
    others = PEERS[name].beside if name in PEERS else (REFERENCE,)
    return tuple(other for other in others if other != name and (with_reference or other != REFERENCE))


def measure_expansion(cell: Cell) -> list[Point]:
    """Time draw and whole map (and project and cosine), CPU and wall, A b A b with the companions, at each width."""
    p = cell.parameters
    return [_measure(cell, d, D) for d, D in zip(p["d"], p["D"], strict=True)]


def takes_output(name: str) -> bool:
    """Tell whether a method can write into an output that is there already."""
    return name not in PEERS or PEERS[name].takes_out


def outputs(name: str, *, fresh: bool) -> tuple[str, ...]:
    """Name the tasks of a whole transform: into a reused output if it can, and into a fresh one if asked for."""
    reused = takes_output(name)
    return (*(["map"] if reused else []), *(["map_fresh"] if fresh or not reused else []))


def companion_outputs(name: str, other: str) -> tuple[str, ...]:
    """Name the tasks of `other` that are timed beside a method: those that its own can fairly be compared with."""
    if other == REFERENCE:
        return ("map" if takes_output(name) else "map_fresh",)
    return outputs(other, fresh=not takes_output(name))


def timed_tasks(name: str) -> set[str]:
    """Name every whole transform that a method's cell times, companions' as ``<companion>_map``."""
    beside = {f"{other}_{task}" for other in companions(name) for task in companion_outputs(name, other)}
    return {*outputs(name, fresh=True), *beside}


class _Method:
    """A fitted map or peer at one size, with what it needs to be timed."""

    def __init__(self, name: str, p: Any, D: int, X: NDArray[Any]) -> None:
        self._name, self._p, self._D, self._X = name, p, D, X
        self._fitted_on = rows_to_fit_on(name, X, D, p["seed"])
        with Stopwatch() as watch:
            self.fitted = self.draw()
        self._first_draw = watch
        self.takes_out = takes_output(name)
        self.estimates = name not in PEERS or PEERS[name].estimates

    def draw(self) -> Any:
        """Draw the method anew."""
        gamma, seed = 1.0 / self._X.shape[1], self._p["seed"]
        if self._name in PEERS:
            return PEERS[self._name](self._D, gamma=gamma, seed=seed).fit(self._fitted_on)
        embedding = self._p["embedding"]
        drawn = draw_map(self._name, n_components=self._D, gamma=gamma, embedding=embedding, seed=seed)
        return drawn.fit(self._fitted_on)

    def draw_timing(self, samples: int) -> Timing:
        """Time the draw by itself, the less often the longer the first one took."""
        first = self._first_draw
        if first.cpu_s > _ONE_DRAW_S:
            return Timing((first.cpu_s,), (first.wall_s,))
        few = min(samples, _FEW_DRAWS) if first.cpu_s > _LONG_DRAW_S else samples
        return interleave({"draw": self.draw}, samples=few, warmup=0)["draw"]

    def features(self, X: NDArray[Any]) -> NDArray[Any]:
        """Return features whose inner products estimate the kernel."""
        return np.asarray(self.fitted.transform(X)) * getattr(self.fitted, "scale_", 1.0)

    def map_tasks(self, names: Sequence[str], out: NDArray[Any]) -> dict[str, Task]:
        """Return the whole map as the tasks named: ``map`` into the output given, ``map_fresh`` into a fresh one."""
        tasks: dict[str, Task] = {
            "map": lambda: self.fitted.transform(self._X, out=out),
            "map_fresh": lambda: self.fitted.transform(self._X),
        }
        return {name: tasks[name] for name in names}

    def stage_tasks(self, out: NDArray[Any]) -> dict[str, Task]:
        """Return projection and cosine as tasks of their own, where the method has them."""
        if not hasattr(self.fitted, "featurize"):
            return {}
        projected = np.empty((len(self._X), self.fitted.n_frequencies_), dtype=self._X.dtype)
        return {
            "project": lambda: self.fitted.project(self._X, out=projected),
            "cosine": lambda: self.fitted.featurize(projected, out=out),
        }


def _measure(cell: Cell, d: int, D: int) -> Point:
    p = cell.parameters
    X = uniform_points(p["rows"], d, p["seed"]).astype(cell.dtype)
    out = np.zeros((p["rows"], D), dtype=cell.dtype)
    method = _Method(p["map"], p, D, X)
    # Compiled and planned before anything counts, and the memory's books closed before others add to them.
    metrics = _checked(method, X, 1.0 / d, D) | _memory(method, X, out)
    tasks = method.map_tasks(outputs(p["map"], fresh=True), out) | (method.stage_tasks(out) if p["stages"] else {})
    for other in p["beside"]:
        companion = _Method(other, p, D, X)
        own = companion.map_tasks(companion_outputs(p["map"], other), out)
        tasks |= {f"{other}_{task}": call for task, call in own.items()}
        metrics |= {f"{other}_{key}": value for key, value in _held(companion).items()}
    long = p["rows"] * D >= _LONG_VALUES
    timings = interleave(tasks, samples=p["samples"], min_time_s=0.0 if long else SHORTEST_SAMPLE_S)
    timings["draw"] = method.draw_timing(p["samples"])
    samples: dict[str, list[float]] = {}
    for task, timing in timings.items():
        metrics |= {f"{task}_cpu_s": timing.cpu_median, f"{task}_wall_s": timing.wall_median}
        samples |= timing.samples(task)
    metrics["peak_rss"] = resident("VmHWM")
    return Point(parameters={"map": p["map"], "d": d, "D": D, "rows": p["rows"]}, metrics=metrics, samples=samples)


def _held(method: _Method) -> dict[str, Any]:
    fitted = method.fitted
    return {"parameters": int(fitted.n_parameters_), "held_bytes": int(fitted.nbytes_)}


def _checked(method: _Method, X: NDArray[Any], gamma: float, D: int) -> dict[str, Any]:
    """Return what the method holds, and how well it estimates the kernel; the table refuses the speed of a bad one."""
    found = _held(method) | {"algorithm": str(method.fitted.algorithm_)}
    if not method.estimates:
        return found
    return found | {
        "kernel_rms_error": kernel_error(method.features, X, gamma),
        "kernel_rms_bound": error_bound(D),
    }


def _memory(method: _Method, X: NDArray[Any], out: NDArray[Any]) -> dict[str, Any]:
    """Return the peak of memory that one transform takes besides its output, in bytes.

    Measured before the timing: the book of the peak starts anew here, and what follows needs more than what went
    before, so that the cell's own peak is right in the end.
    """
    transform = method.fitted.transform
    if method.takes_out:
        transform(X, out=out)
        return {"transform_extra_bytes": extra_peak(lambda: transform(X, out=out))}
    extra = extra_peak(lambda: transform(X))
    output = len(X) * out.shape[1] * np.dtype(transform(X[:2]).dtype).itemsize
    return {"transform_extra_bytes": None if extra is None else max(0, extra - output)}


def _guess_s(name: str, beside: Sequence[str], d: int, D: int, rows: int) -> float:
    """Guess one sample's seconds, for the time left on the progress bar only."""
    dense = rows * D * (d * 4.5e-11 + 3e-9)
    fast = rows * D * (2e-8 if name in PEERS else 2e-9 if not keeps_landmarks(name) else D * 1e-10)
    return 2.0 * (dense if name in DENSE else fast) + sum(dense if other == REFERENCE else fast for other in beside)


def _guess_fit_s(D: int) -> float:
    """Guess the seconds of fitting D landmarks, repeated or not: a decomposition of a D x D matrix."""
    once = 2e-9 * D**3
    return once * (1 if once > _ONE_DRAW_S else 1 + _FEW_DRAWS)
