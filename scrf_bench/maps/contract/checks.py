"""The list of checks, and running them: one finding each, whatever happens inside."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from scrf_bench.maps.contract import bits, declaration, estimates, shapes
from scrf_bench.maps.contract.breach import Breach, Idle, error_words

Word = Literal["kept", "broken", "not checked"]


@dataclass(frozen=True)
class Check:
    """One promise of the contract.

    Attributes
    ----------
    name : str
        The promise in a sentence.
    run : callable
        Takes the class; raises `Breach` with what is wrong, or `Idle` where the promise does not apply.
    """

    name: str
    run: Callable[[Any], None]


@dataclass(frozen=True)
class Finding:
    """What came of one check: ``kept``, ``broken`` or ``not checked``, and why."""

    check: str
    word: Word
    reason: str = ""


CHECKS = (
    Check("It is a finished FeatureMap with a name, a label and a version.", declaration.finished),
    Check("Its constructor takes n_components, gamma and random_state.", declaration.constructor),
    Check("The first paragraph of its docstring says what it is.", declaration.docstring),
    Check("It leaves the rows that it is given as they were.", shapes.untouched),
    Check("It maps n rows of any width to (n, D), for any D.", shapes.any_size),
    Check("float32 gives float32 and float64 gives float64, the same map to rounding.", shapes.dtypes),
    Check("It counts its parameters and bytes, and names its algorithm.", shapes.counted),
    Check("It refuses rows with nan or infinity, and rows of another width.", shapes.refusals),
    Check("The same seed gives the same bits, and another seed another map.", bits.seeds),
    Check("A row's bits depend on no other row, its chunk, or sparse against dense.", bits.rows),
    Check("It is the same map after cloning, fitting again, and pickling.", bits.copies),
    Check("map_dot and gram agree with transform.", shapes.sums),
    Check("scikit-learn's own checks of an estimator pass.", declaration.scikit_learn),
    Check("Its inner products estimate the Gaussian kernel without bias that matters.", estimates.unbiased),
    Check("Its error falls with D.", estimates.converges),
)


def check_map(kind: Any, first: int = 0) -> Iterator[Finding]:
    """Check a class, one finding after the other; what fails the first check is checked no further.

    The statistical checks use fixed seeds: the same class always gets the same findings.

    Parameters
    ----------
    kind : type
        A subclass of `FeatureMap`; anything else is a finding.
    first : int, default=0
        The number of the check to begin with.
    """
    for check in CHECKS[first:]:
        finding = run_check(check, kind)
        yield finding
        if check is CHECKS[0] and finding.word == "broken":
            return


def run_check(check: Check, kind: Any) -> Finding:
    """Run one check; whatever the class does is a finding, and its warnings are nobody's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check.run(kind)
        except Breach as breach:
            return Finding(check.name, "broken", str(breach))
        except Idle as idle:
            return Finding(check.name, "not checked", str(idle))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a stranger's class raises is a finding
            return Finding(check.name, "broken", error_words(error))
    return Finding(check.name, "kept")
