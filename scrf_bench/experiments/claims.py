"""What a claim of a paper is: its words, how it is tested, and which experiments' records it is judged from.

Each experiment module declares the claims that its records can judge (`Experiment.claims`); margins and numbers of
repetitions stand in ``configs/claims.toml``, fixed before anything is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from scrf_bench.bench import Cell, Point, Record
from scrf_bench.stats import Finding, Lack, Verdict, all_of, any_of, from_some_on


@dataclass(frozen=True)
class Margins:
    """The differences that count as none (or the least that count as some), fixed beforehand.

    Attributes
    ----------
    variance_ratio : float
        Of variances and mean squared errors: 0.10 is +-10 %.
    error_ratio : float
        Of relative errors, the root of such a thing: half of it.
    accuracy_points : float
        Percentage points of test accuracy.
    time_ratio : float
        Least effect of "faster": 0.10 asks for a time below 1/1.10 of the other's.
    storage_ratio : float
        Of "around so many times less storage": 0.10 takes 1/1.10 of the factor for it, and more than it too.
    error_exponent, time_exponent : float
        Of fitted power laws: times bend with caches and overheads, errors do not.
    """

    variance_ratio: float
    error_ratio: float
    accuracy_points: float
    time_ratio: float
    storage_ratio: float
    error_exponent: float
    time_exponent: float


@dataclass(frozen=True)
class ClaimSettings:
    """Keys of ``configs/claims.toml``.

    Attributes
    ----------
    alpha : float
        Chance of a wrong ``holds``, and of a wrong ``fails``, of one claim.
    power : float
        Of the number of repetitions that an undecided claim is told to need.
    least_runs : int
        Distinct seeds or processes that a verdict must rest on.
    process_sd : float
        Standard deviation of the logarithm of a ratio of times, taken in turns in one process, from one process to
        another: what the samples of a single process cannot know.
    margins : Margins
    sample_sizes : dict
        Experiment name -> repetitions (seeds, samples) that each part of a claim is judged on: all of them, and no
        more. With fewer the claim is undecided; an experiment without an entry takes every repetition planned.
    """

    alpha: float
    power: float
    least_runs: int
    process_sd: float
    margins: Margins
    sample_sizes: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse levels that no test could have."""
        for key in ("alpha", "power"):
            if not 0.0 < getattr(self, key) < (0.5 if key == "alpha" else 1.0):
                below = "below 0.5" if key == "alpha" else "below 1"
                msg = f"{key} is {getattr(self, key)}; give a probability above 0 and {below}."
                raise ValueError(msg)


@dataclass(frozen=True)
class Source:
    """The records of one experiment that a claim is judged from: of its planned cells, those that are ``ok``."""

    experiment: str
    config: Any
    cells: tuple[Cell, ...]
    records: tuple[Record, ...]
    not_run: int = 0
    stale: int = 0

    @property
    def points(self) -> list[Point]:
        """Every measured point, in the order of the plan."""
        return [point for record in self.records for point in record.points]

    @property
    def datasets(self) -> list[str]:
        """The datasets of the plan, in its order, measured or not."""
        return list(dict.fromkeys(cell.dataset for cell in self.cells if cell.dataset))


class Evidence:
    """What `Claim.judge` is handed: settings, and the records of the experiments that the claim names."""

    def __init__(self, settings: ClaimSettings, sources: Mapping[str, Source]) -> None:
        self.settings = settings
        self.sources = sources

    @property
    def margins(self) -> Margins:
        """The margins of the config."""
        return self.settings.margins

    @property
    def alpha(self) -> float:
        """The level of every test."""
        return self.settings.alpha

    def source(self, experiment: str) -> Source:
        """Return the records of one of the claim's experiments."""
        return self.sources[experiment]

    def repetitions(self, experiment: str, values: Mapping[int, Any], first: int = 0) -> list[Any] | None:
        """Return the values of the repetitions that the sample size fixes, numbered from `first`; None if one lacks."""
        size = self.settings.sample_sizes.get(experiment, len(values))
        wanted = range(first, first + size)
        return [values[i] for i in wanted] if size and all(i in values for i in wanted) else None

    def lack(
        self, experiment: str, label: str, values: Iterable[int], of: str = "repetitions", planned: int = 0
    ) -> Lack:
        """Return what to say of a part that `repetitions` found too few values of, counted from number 0.

        `planned` counts where no sample size is fixed.
        """
        wanted = range(self.settings.sample_sizes.get(experiment, planned))
        return Lack(label, len(set(values) & set(wanted)), len(wanted), of)

    def samples(self, experiment: str, values: Sequence[float]) -> list[float] | None:
        """Return as many of a point's raw samples as the sample size fixes; None if there are fewer."""
        return self.repetitions(experiment, dict(enumerate(values)))

    def all_of(self, findings: Sequence[Finding], missing: Sequence[Lack | str] = ()) -> Verdict:
        """Judge a claim about all parts at the settings' levels: see `scrf_bench.stats.all_of`."""
        return all_of(findings, missing=missing, **self._levels())

    def any_of(self, findings: Sequence[Finding], missing: Sequence[Lack | str] = ()) -> Verdict:
        """Judge a claim about some part: see `scrf_bench.stats.any_of`."""
        return any_of(findings, missing=missing, **self._levels())

    def from_some_on(self, findings: Sequence[Finding], missing: Sequence[Lack | str] = ()) -> Verdict:
        """Judge a claim that holds from some point on: see `scrf_bench.stats.from_some_on`."""
        return from_some_on(findings, missing=missing, **self._levels())

    def _levels(self) -> dict[str, Any]:
        return {name: getattr(self.settings, name) for name in ("alpha", "power", "least_runs")}


@dataclass(frozen=True)
class Claim:
    """One claim of one paper.

    Attributes
    ----------
    id : str
        Unique, fit for a file name, e.g. ``scrf-error-rate``.
    paper : str
        As `Experiment.paper`.
    place : str
        Where the paper says it.
    sentence : str
        What it says, in our own words.
    quantifier : str
        For which v, which d, which data it is judged; "on our setting" where the paper's is not known.
    test : str
        How, in words; ``{margins[...]}`` and ``{alpha}`` stand for what ``configs/claims.toml`` says, ``{below[...]}``
        for the ratio ``1 / (1 + margin)`` that "below" asks for.
    judge : callable
        Evidence -> Verdict. It runs nothing and looks at nothing but the evidence.
    experiments : tuple of str
        Whose records it is judged from; none for what theory settles.
    maps : tuple of str or None
        Maps that the experiments are run with, instead of those of their configs (``run EXPERIMENT --maps ...``).
    plugin : str or None
        The plug-in file that brings these maps along.
    """

    id: str
    paper: str
    place: str
    sentence: str
    quantifier: str
    test: str
    judge: Callable[[Evidence], Verdict]
    experiments: tuple[str, ...] = ()
    maps: tuple[str, ...] | None = None
    plugin: str | None = None

    def test_words(self, settings: ClaimSettings) -> str:
        """Return the test with the numbers of the settings in it."""
        margins = asdict(settings.margins)
        below = {name: f"{1.0 / (1.0 + value):.3f} (by {100.0 * value:g} % or more)" for name, value in margins.items()}
        return self.test.format(**asdict(settings), below=below)


def same_ids(claims: Iterable[Claim]) -> list[str]:
    """Return the ids that two claims share; none, if all is well."""
    seen: list[str] = [claim.id for claim in claims]
    return sorted({name for name in seen if seen.count(name) > 1})
