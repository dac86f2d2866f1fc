"""Every map of ours keeps the contract that ``check-map`` checks, and each way of breaking it is found and named."""

import json
import sys

import pytest

from scrf_bench.maps import MAPS, map_by_name
from scrf_bench.maps.contract import CHECKS, check_apart, check_map, run_check
from tests.experiments.tiny_study import run_cli
from tests.maps.broken_maps import (
    ByChunk,
    Centres,
    DenseOnly,
    DrawsByDtype,
    FitsNan,
    Forgetful,
    Halves,
    NamedTwice,
    NanForZero,
    Narrow,
    NeedsMore,
    OneMore,
    OneSeed,
    OnlyWide,
    Outless,
    Padded,
    Raises,
    Sound,
    Stuck,
    Together,
    Undescribed,
    Unfinished,
    Unphased,
    Unseeded,
    Versioned,
    WrongWidth,
)

OURS = ("rks", "scrf", "nystroem", "rbfsampler")  # one of each kind; the others' tests hold the same, one by one


def reason(kind, part):
    """Return what the check with `part` in its name says of a map that breaks it."""
    (check,) = (check for check in CHECKS if part in check.name)
    finding = run_check(check, kind)
    assert finding.word == "broken"
    return finding.reason


def broken(kind):
    """Return what is broken: check -> reason."""
    return {finding.check: finding.reason for finding in check_map(kind) if finding.word == "broken"}


@pytest.mark.parametrize("name", OURS)
def test_ours_keep_the_contract(name):
    assert broken(map_by_name(name)) == {}


def test_a_class_of_ones_own_keeps_it_too():
    findings = list(check_map(Sound))
    assert [finding.word for finding in findings] == ["kept"] * len(CHECKS)


@pytest.mark.parametrize(("kind", "check", "words"), [
    (WrongWidth, "without bias", "sqrt(2 gamma)"), (Unphased, "without bias", "phases be uniform"),
    (Padded, "without bias", "at d = 100"), (Narrow, "without bias", "at d = 300"),
    (Stuck, "falls with D", "draw every block"),
    (Unseeded, "same seed", "draw from the generator"), (OneSeed, "same seed", "nothing is drawn from it"),
    (DrawsByDtype, "float32", "draw in float64"), (OnlyWide, "float32", "float32 rows give float64"),
    (Together, "row's bits", "row 0 alone has other features"),
    (Together, "row's bits", "tiles of a fixed size"), (DenseOnly, "row's bits", "CSR rows are refused"),
    (Outless, "row's bits", "takes no `out`"), (ByChunk, "row's bits", "size of a chunk"),
    (Halves, "as they were", "transform changes the float64 rows"), (Centres, "as they were", "fit changes"),
    (OneMore, "any width", "(40, 2), not (40, 1)"), (Raises, "any width", "ZeroDivisionError"),
    (Raises, "any width", "broken_maps.py, line"), (Forgetful, "counts its parameters", "`n_features_in_` is None"),
    (NanForZero, "refuses", "transform takes dense rows with nan"), (FitsNan, "refuses", "fit takes CSR rows with nan"),
    (NeedsMore, "constructor", "extra has no default"), (Undescribed, "docstring", "no docstring"),
])  # fmt: skip
def test_what_is_broken_is_found(kind, check, words):
    assert words in reason(kind, check)


@pytest.mark.parametrize(("kind", "reason"), [
    (NamedTwice, "'scrf'"), (Versioned, "whole number"), (Unfinished, "_tile_map"), (dict, "it must be a subclass"),
    (3, "it must be a subclass"),
])  # fmt: skip
def test_what_is_no_map_is_checked_no_further(kind, reason):
    (finding,) = check_map(kind)
    assert finding.word == "broken"
    assert reason in finding.reason


def test_the_command_goes_on_after_a_crash_prints_findings_and_exits_with_2():
    result = run_cli("check-map", "tests.maps.broken_maps:Leaves", "--json")
    findings = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 2
    assert [finding["check"] for finding in findings] == [check.name for check in CHECKS]
    (crashed,) = (finding for finding in findings if finding["word"] == "broken")
    assert "any width" in crashed["check"]
    assert "exit code 7" in crashed["reason"]
    assert f"1 of {len(CHECKS)} checks are broken" in result.stderr
    assert len(MAPS) == 11, "checking registers nothing"


def test_of_a_map_that_ignores_its_seed_the_dtype_is_not_blamed():
    """Its float32 and float64 rows differ as any two fits do."""
    (check,) = (check for check in CHECKS if "float32" in check.name)
    finding = run_check(check, Unseeded)
    assert finding.word == "not checked"
    assert "see to the seed" in finding.reason


PRINTS = """
import json, os, signal, sys, time
for number in range(int(sys.argv[1]), {total}):
    if number == {at}:
        {act}
    print(json.dumps({{"check": str(number), "word": "kept"}}), flush=True)
"""


@pytest.mark.parametrize(("act", "words"), [
    ("time.sleep(60)", "not finished after 5 s"), ("os.kill(os.getpid(), signal.SIGSEGV)", "by signal 11"),
    ("sys.exit(0)", "with exit code 0"),
])  # fmt: skip
@pytest.mark.parametrize("at", [0, 3, len(CHECKS) - 1])
def test_what_hangs_or_crashes_is_a_finding(at, act, words):
    """Of a stand-in for the checks; where the first one ends so, there is nothing to go on with."""
    script = PRINTS.format(total=len(CHECKS), at=at, act=act)
    findings = list(check_apart([sys.executable, "-c", script], timeout_s=5))
    assert len(findings) == (1 if at == 0 else len(CHECKS))
    (bad,) = (finding for finding in findings if finding.word == "broken")
    assert (bad.check, findings.index(bad)) == (CHECKS[at].name, at)
    assert words in bad.reason


ENDS = {"hang": "time.sleep(60)", "segv": "os.kill(os.getpid(), 11)", "leave": "os._exit(7)"}


@pytest.mark.parametrize(("ends", "skipped_from"), [
    ({3: "segv", 4: "segv"}, 5), ({3: "hang", 4: "hang"}, 5), ({3: "leave", 4: "segv", 5: "segv"}, 6),
    ({3: "segv", 4: "leave", 5: "segv"}, None), ({3: "segv", 5: "segv"}, None),
    ({len(CHECKS) - 2: "leave", len(CHECKS) - 1: "leave"}, None),
])  # fmt: skip
def test_after_two_in_a_row_that_end_alike_the_rest_is_skipped(ends, skipped_from):
    acts = {number: ENDS[end] for number, end in ends.items()}
    script = PRINTS.format(total=len(CHECKS), at="number", act=f"exec({acts}.get(number, ''))")
    findings = list(check_apart([sys.executable, "-c", script], timeout_s=2))
    assert len(findings) == len(CHECKS)
    words = [finding.word for finding in findings]
    left = len(CHECKS) if skipped_from is None else skipped_from
    assert words == ["broken" if i in ends else "kept" for i in range(left)] + ["not checked"] * (len(CHECKS) - left)
    reasons = [finding.reason for finding in findings[left:]]
    assert all(reasons[:1]), "it says why"
    assert not any(reasons[1:]), "once"


@pytest.mark.parametrize(("target", "words"), [
    ("no.such.module:Map", "No module named 'no'"), ("scrf_bench.maps:Nothing", "Nothing"),
    ("scfr", "Did you mean 'scrf'"), (":", "Write MODULE:CLASS"),
    ("some/my_map.py:MyMap", "check-map mymap --plugin some/my_map.py"), ("my_map.py", "NAME --plugin my_map.py"),
])  # fmt: skip
def test_what_cannot_be_imported_is_named(target, words):
    result = run_cli("check-map", target)
    assert result.exit_code == 2
    assert words in result.stderr
