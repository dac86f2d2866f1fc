"""What this project claims of the maps that repair SCRF: errors, time and memory, by the tests of SCRF's own claims."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from scrf_bench.experiments.claims import Claim, Evidence
from scrf_bench.experiments.scrf.error_judges import error_below, error_rate
from scrf_bench.experiments.scrf.expansion_claims import FIG2, GRID, TIMING
from scrf_bench.experiments.scrf.expansion_judges import (
    Expansion,
    faster_than_other,
    faster_than_reference,
    flat_in_d,
    linear_memory,
    parameters_per_column,
    quasilinear_time,
)
from scrf_bench.stats import Region, Verdict, count_finding, undecided

_PLACE = "README, Two repairs"
_NAMES = {"ocrf": "OCRF", "column_signed": "The column-signed circulant"}
# At d = 16 the map's blocks are the dense ones that it takes below d = 64.
_FIG1 = "U[0,1]^16 (where OCRF's blocks are dense and orthogonal), gamma = 0.25, phase embedding; D from 16 to 8,192"
_FASTER = "below {below[time_ratio]}"


def _claim(
    own: str, about: str, says: str, quantifier: str, test: str, judge: Callable[..., Verdict], experiment: str
) -> Claim:
    """Return a claim about a map, `judge` being told its name."""
    return Claim(
        id=f"{own.replace('_', '-')}-{about}",
        paper="suite",
        place=_PLACE,
        sentence=says.format(_NAMES[own]),
        quantifier=quantifier,
        test=test,
        judge=partial(judge, name=own),
        experiments=(experiment,),
    )


def _error_below(other: str, label: str) -> Claim:
    return _claim(
        "ocrf",
        f"error-below-{other}",
        f"{{}}'s relative error is below {label}",
        f"{_FIG1}; in the mean over D",
        f"ratio OCRF / {other.upper()} of mean relative errors below {{below[error_ratio]}}",
        partial(error_below, other=other),
        "fig1",
    )


def _where_timed(judge: Callable[..., Verdict], experiment: str, *others: str) -> Callable[..., Verdict]:
    """Return a judge that says so where a profile plans no width of the map, or none of it and the others."""

    def judged(evidence: Evidence, name: str) -> Verdict:
        if not Expansion(evidence, experiment).planned(name, *others):
            return undecided(f"This profile measures it nowhere in {experiment}; the paper profile does.")
        return judge(evidence, name=name)

    return judged


def bytes_at_most(evidence: Evidence, name: str, other: str, experiment: str) -> Verdict:
    """Judge the bytes that a map holds over those of another, at every d where both are planned."""
    expansion = Expansion(evidence, experiment)
    own, others = expansion.points(name), expansion.points(other)
    wanted = expansion.planned(name, other)
    findings = {
        d: count_finding(
            own[d].number("held_bytes") / others[d].number("held_bytes"),
            Region(0.0, 1.0, 1.0, log=True),
            label=expansion.label(d),
        )
        for d in wanted
        if d in own and d in others
    }
    return evidence.all_of(list(findings.values()), expansion.missing(wanted, findings))


def _fig2_claims(own: str) -> tuple[Claim, ...]:
    return (
        _claim(
            own,
            "time-quasilinear",
            "{} takes O(D log d) time",
            f"{FIG2}; fitted over d >= 256",
            "exponent of CPU time on d log d at most 1 + {margins[time_exponent]:g}",
            _where_timed(quasilinear_time, "fig2"),
            "fig2",
        ),
        _claim(
            own,
            "memory-linear",
            "{} takes O(D) memory",
            "every step of the grid of D = d from 16 on",
            "counted: exponent of the bytes held on D at most 1 + {margins[time_exponent]:g} between neighbours",
            _where_timed(linear_memory, "fig2"),
            "fig2",
        ),
    )


def _bytes_claim(own: str, experiment: str, about: str, says: str, quantifier: str) -> Claim:
    return _claim(
        own,
        about,
        says,
        quantifier,
        "counted: bytes that the map holds over those that Fastfood holds, at most 1; as this library holds them, "
        "cached spectra included, and both as a dense matrix where d is small",
        _where_timed(partial(bytes_at_most, other="fastfood", experiment=experiment), experiment, "fastfood"),
        experiment,
    )


def _table1_claims(own: str) -> tuple[Claim, ...]:
    return (
        _claim(
            own,
            "faster-than-rks",
            "{} is faster than RKS from some d on",
            TIMING,
            f"ratio of CPU times of samples taken in turns, {_FASTER}; from the largest d downwards",
            _where_timed(faster_than_reference, "table1"),
            "table1",
        ),
        _claim(
            own,
            "faster-than-fastfood",
            "{} is faster than Fastfood",
            f"{GRID} where both are; {TIMING}",
            f"ratio of CPU times, each over that of RKS in the same process, {_FASTER}",
            _where_timed(partial(faster_than_other, other="fastfood"), "table1", "fastfood"),
            "table1",
        ),
        _bytes_claim(
            own,
            "table1",
            "bytes-below-fastfood",
            "{} holds no more bytes than Fastfood at D = 8,192",
            f"{GRID} where both are, D = 8,192",
        ),
    )


def _parameters(own: str, says: str, most: float, quantifier: str, d_from: int = 1) -> Claim:
    judge = partial(_few_parameters, most=most, d_from=d_from)
    test = f"counted: parameters over D at most {most:g}"
    return _claim(own, "parameters", says, quantifier, test, _where_timed(judge, "table1"), "table1")


def _few_parameters(evidence: Evidence, name: str, most: float, d_from: int) -> Verdict:
    return parameters_per_column(evidence, {name: Region.at_most(most, 0.0)}, d_from=d_from)


FIG1_CLAIMS = (
    _claim(
        "ocrf",
        "error-rate",
        "{}'s error falls as D^(-1/2)",
        _FIG1,
        "exponent of the relative error on D within +-{margins[error_exponent]:g} of -0.5",
        error_rate,
        "fig1",
    ),
    _error_below("rks", "that of RKS"),
    _error_below("scrf", "SCRF's"),
)

FIG2_CLAIMS = (
    *_fig2_claims("ocrf"),
    _bytes_claim(
        "ocrf",
        "fig2",
        "bytes-below-fastfood-square",
        "{} holds no more bytes than Fastfood where D = d",
        "every d of the grid of D = d",
    ),
    *_fig2_claims("column_signed"),
)

TABLE1_CLAIMS = (
    _claim(
        "ocrf",
        "time-flat-in-d",
        "{}'s time is almost independent of d at fixed D",
        TIMING,
        "exponent of CPU time on d at most {margins[time_exponent]:g}",
        _where_timed(flat_in_d, "table1"),
        "table1",
    ),
    _parameters(
        "ocrf",
        "{} stores at most Fastfood's 5D parameters",
        5.0,
        f"{GRID} from 64 on (its blocks are dense below), D = 8,192",
        d_from=64,
    ),
    *_table1_claims("ocrf"),
    _parameters("column_signed", "{} stores at most SCRF's 3D parameters", 3.0, f"{GRID} where it is, D = 8,192"),
    *_table1_claims("column_signed"),
)
