"""What this project claims of OCRF's errors, time and memory: the tests that the SCRF paper's claims are held to."""

from __future__ import annotations

from functools import partial

from scrf_bench.experiments.claims import Claim
from scrf_bench.experiments.scrf.error_judges import error_below, error_rate
from scrf_bench.experiments.scrf.expansion_claims import FIG2, GRID, TIMING
from scrf_bench.experiments.scrf.expansion_judges import (
    faster_than_other,
    faster_than_reference,
    flat_in_d,
    linear_memory,
    parameters_per_column,
    quasilinear_time,
)
from scrf_bench.stats import Region

_PLACE = "README; docstring of OCRF"
# At d = 16 the map's blocks are the dense ones that it takes below d = 64.
_FIG1 = "U[0,1]^16 (where OCRF's blocks are dense and orthogonal), gamma = 0.25, phase embedding; D from 16 to 8,192"

OCRF_FIG1_CLAIMS = (
    Claim(
        id="ocrf-error-rate",
        paper="suite",
        place=_PLACE,
        sentence="OCRF's error falls as D^(-1/2)",
        quantifier=_FIG1,
        test="exponent of the relative error on D within +-{margins[error_exponent]:g} of -0.5",
        judge=partial(error_rate, name="ocrf"),
        experiments=("fig1",),
    ),
    Claim(
        id="ocrf-error-below-rks",
        paper="suite",
        place=_PLACE,
        sentence="OCRF's relative error is below that of RKS",
        quantifier=f"{_FIG1}; in the mean over D",
        test="ratio OCRF / RKS of mean relative errors below 1 / (1 + {margins[error_ratio]:g})",
        judge=partial(error_below, name="ocrf", other="rks"),
        experiments=("fig1",),
    ),
    Claim(
        id="ocrf-error-below-scrf",
        paper="suite",
        place=_PLACE,
        sentence="OCRF's relative error is below SCRF's",
        quantifier=f"{_FIG1}; in the mean over D",
        test="ratio OCRF / SCRF of mean relative errors below 1 / (1 + {margins[error_ratio]:g})",
        judge=partial(error_below, name="ocrf", other="scrf"),
        experiments=("fig1",),
    ),
)

OCRF_FIG2_CLAIMS = (
    Claim(
        id="ocrf-time-quasilinear",
        paper="suite",
        place=_PLACE,
        sentence="OCRF takes O(D log d) time",
        quantifier=f"{FIG2}; fitted over d >= 256",
        test="exponent of CPU time on d log d at most 1 + {margins[time_exponent]:g}",
        judge=partial(quasilinear_time, name="ocrf"),
        experiments=("fig2",),
    ),
    Claim(
        id="ocrf-memory-linear",
        paper="suite",
        place=_PLACE,
        sentence="OCRF takes O(D) memory",
        quantifier="every step of the grid of D = d from 16 on",
        test="counted: exponent of the bytes held on D at most 1 + {margins[time_exponent]:g} between neighbours",
        judge=partial(linear_memory, name="ocrf"),
        experiments=("fig2",),
    ),
)

OCRF_TABLE1_CLAIMS = (
    Claim(
        id="ocrf-time-flat-in-d",
        paper="suite",
        place=_PLACE,
        sentence="OCRF's time is almost independent of d at fixed D",
        quantifier=TIMING,
        test="exponent of CPU time on d at most {margins[time_exponent]:g}",
        judge=partial(flat_in_d, name="ocrf"),
        experiments=("table1",),
    ),
    Claim(
        id="ocrf-parameters",
        paper="suite",
        place=_PLACE,
        sentence="OCRF stores at most Fastfood's 5D parameters",
        quantifier=f"{GRID} from 64 on (its blocks are dense below), D = 8,192",
        test="counted: parameters over D at most 5",
        judge=partial(parameters_per_column, claimed={"ocrf": Region.at_most(5.0, 0.0)}, d_from=64),
        experiments=("table1",),
    ),
    Claim(
        id="ocrf-faster-than-rks",
        paper="suite",
        place=_PLACE,
        sentence="OCRF is faster than RKS from some d on",
        quantifier=TIMING,
        test="ratio of CPU times of samples taken in turns, below 1 / (1 + {margins[time_ratio]:g}); "
        "from the largest d downwards",
        judge=partial(faster_than_reference, name="ocrf"),
        experiments=("table1",),
    ),
    Claim(
        id="ocrf-faster-than-fastfood",
        paper="suite",
        place=_PLACE,
        sentence="OCRF is faster than Fastfood",
        quantifier=f"{GRID} where both are; {TIMING}",
        test="ratio of CPU times, each over that of RKS in the same process, below 1 / (1 + {margins[time_ratio]:g})",
        judge=partial(faster_than_other, name="ocrf", other="fastfood"),
        experiments=("table1",),
    ),
)
