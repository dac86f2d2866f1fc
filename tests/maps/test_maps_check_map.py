"""Every map of ours keeps the contract that ``check-map`` checks, and each way of breaking it is found and named."""

import itertools

import numpy as np
import pytest

from scrf_bench.maps import MAPS, RKS, FeatureMap, map_by_name
from scrf_bench.maps.contract import CHECKS, check_map
from scrf_bench.maps.dense import DenseProjection
from tests.experiments.tiny_study import run_cli

OURS = ("rks", "scrf", "nystroem", "rbfsampler")  # one of each kind; the others' tests hold the same, one by one
calls = itertools.count()


class Sound(RKS):
    """RKS under another name."""

    name = "sound"


class WrongWidth(Sound):
    """Frequencies of another kernel."""

    @property
    def _inverse_sigma(self):
        return 1.5 * super()._inverse_sigma


class Unseeded(Sound):
    """Draws from nowhere."""

    def _draw_projection(self, rng, dtype):
        return super()._draw_projection(np.random.RandomState(next(calls)), dtype)


class OneSeed(Sound):
    """Draws the same whatever the seed."""

    def _draw_projection(self, rng, dtype):
        return super()._draw_projection(np.random.RandomState(1), dtype)


class DrawsByDtype(Sound):
    """Draws in the dtype that it is used with."""

    def _draw_projection(self, rng, dtype):
        return super()._draw_projection(np.random.RandomState(dtype.itemsize), dtype)


class Together(Sound):
    """Centres the rows that come together."""

    def transform(self, X, out=None):
        Phi = super().transform(X)
        return Phi - Phi.mean(axis=0)


class Stuck(Sound):
    """The same few frequencies however many are asked for."""

    def _draw_projection(self, rng, dtype):
        few = rng.standard_normal((4, self.n_features_in_)) * self._inverse_sigma
        draws = itertools.cycle(few)
        n, d = self.n_frequencies_, self.n_features_in_
        return DenseProjection(lambda k: np.array([next(draws) for _ in range(k)]), n, d, dtype)


class NeedsMore(Sound):
    """A constructor with a parameter that has no default."""

    def __init__(self, extra, n_components=512, *, gamma=1.0, random_state=None):
        super().__init__(n_components, gamma=gamma, random_state=random_state)
        self.extra = extra


class Undescribed(Sound):
    pass


class NamedTwice(RKS):
    """Takes the name that another map has."""

    name = "scrf"


class Versioned(Sound):
    """A version in words."""

    version = "1.0"


class Unfinished(FeatureMap):
    """Without a map."""

    name = "unfinished"
    label = "Unfinished"


def broken(kind):
    """Return what is broken: check -> reason."""
    return {finding.check: finding.reason for finding in check_map(kind) if finding.word == "broken"}


@pytest.mark.parametrize("name", OURS)
def test_ours_keep_the_contract(name):
    assert broken(map_by_name(name)) == {}


def test_a_class_of_ones_own_keeps_it_too():
    findings = list(check_map(Sound))
    assert [finding.word for finding in findings] == ["kept"] * len(CHECKS)


@pytest.mark.parametrize(("kind", "check", "reason"), [
    (WrongWidth, "without bias", "sqrt(2 gamma)"), (Unseeded, "same seed", "draw from the generator"),
    (OneSeed, "same seed", "nothing is drawn from it"), (DrawsByDtype, "float32", "draw in float64"),
    (Together, "row's bits", "tiles of a fixed size"), (Stuck, "falls with D", "1/D is expected"),
    (NeedsMore, "constructor", "extra has no default"), (Undescribed, "docstring", "no docstring"),
])  # fmt: skip
def test_what_is_broken_is_found(kind, check, reason):
    (found,) = [words for name, words in broken(kind).items() if check in name]
    assert reason in found


@pytest.mark.parametrize(("kind", "reason"), [
    (NamedTwice, "'scrf'"), (Versioned, "whole number"), (Unfinished, "_tile_map"), (dict, "it must be a subclass"),
    (3, "it must be a subclass"),
])  # fmt: skip
def test_what_is_no_map_is_checked_no_further(kind, reason):
    (finding,) = check_map(kind)
    assert finding.word == "broken"
    assert reason in finding.reason


def test_the_command_prints_findings_and_exits_with_2(monkeypatch):
    result = run_cli("check-map", f"{__name__}:Undescribed")
    assert result.exit_code == 2
    assert sum(line.startswith("broken") for line in result.stdout.splitlines()) == 1
    assert f"1 of {len(CHECKS)} checks are broken" in result.stderr
    assert len(MAPS) == 11, "checking registers nothing"


@pytest.mark.parametrize(("target", "words"), [
    ("no.such.module:Map", "No module named 'no'"), ("scrf_bench.maps:Nothing", "Nothing"),
    ("scfr", "Did you mean 'scrf'"), (":", "Write MODULE:CLASS"),
])  # fmt: skip
def test_what_cannot_be_imported_is_named(target, words):
    result = run_cli("check-map", target)
    assert result.exit_code == 2
    assert words in result.stderr
