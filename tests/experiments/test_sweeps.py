"""Which method is timed where, and beside what."""

import pytest

from scrf_bench.errors import UnknownNameError
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.map_cells import timed_versions
from scrf_bench.experiments.scrf.expansion import companions, expansion_cell
from scrf_bench.experiments.scrf.sweeps import Sweep, places, rows_planned, samples_words
from scrf_bench.maps import MAPS, RKS

SWEEPS = (
    Sweep(maps=("rks", "scrf"), peers=("sklearn",), d=(16, 32, 64), dtypes=("float32", "float64"), d_per_cell=2),
    Sweep(maps=("scrf", "fastfood"), d=(64, 128), dtypes=("float32",), stages=False),
)


def planned(maps=None):
    return [(p.method, p.dtype, p.d) for p in places(SWEEPS, Selection(maps=maps))]


def test_cells_take_some_widths_each_and_none_twice():
    found = planned()
    assert [d for method, dtype, d in found if (method, dtype) == ("scrf", "float32")] == [(16, 32), (64,), (128,)]
    every = [(method, dtype, width) for method, dtype, d in found for width in d]
    assert len(set(every)) == len(every)
    assert ("fastfood", "float32", 64) in every
    assert ("fastfood", "float64", 64) not in every


def test_maps_narrow_down_every_sweep():
    assert {method for method, *_ in planned(("sklearn", "fastfood"))} == {"sklearn", "fastfood"}


def test_a_map_that_no_sweep_names_takes_the_first_ones_widths(monkeypatch):
    monkeypatch.setitem(MAPS, "newcomer", type("Newcomer", (RKS,), {"name": "newcomer", "label": "A newcomer's"}))
    assert planned(("newcomer",)) == [
        ("newcomer", dtype, d) for dtype in ("float32", "float64") for d in ((16, 32), (64,))
    ]


@pytest.mark.parametrize(("name", "words"), [("zebra", "no map named 'zebra'"), ("libsvm", "no feature map")])
def test_what_is_no_map_is_refused(name, words):
    with pytest.raises(UnknownNameError, match=words):
        planned((name,))


def test_an_unknown_peer_is_named_with_the_known_ones():
    with pytest.raises(ValueError, match=r"no peer 'zebra'\. The peers are sklearn"):
        Sweep(peers=("zebra",), d=(16,), dtypes=("float32",))


def test_rows_go_by_width_and_then_by_the_configs_order():
    assert rows_planned(places(SWEEPS, Selection()), "float32")[:3] == [(16, "rks"), (16, "scrf"), (16, "sklearn")]


def test_every_ratio_has_its_two_sides_in_one_cell():
    assert companions("rks") == ()
    assert companions("scrf") == ("rks",)
    assert companions("scrf", with_reference=False) == ()
    assert companions("fht-cpu") == ("rks", "fastfood")
    assert companions("fht-cpu", with_reference=False) == ("fastfood",)
    assert "scrf" in companions("scipy-fft")
    assert "scrf" in companions("fill")


def cell(name, **changes):
    settings = {"d": [16], "D": [64], "rows": 10, "dtype": "float32", "samples": 3, "seed": 1, "threads": 1}
    return expansion_cell("table1", 2, name, **(settings | changes))


def test_a_faster_implementation_makes_timings_stale(monkeypatch):
    """Of the map itself and of what is timed beside it; of no other."""
    before = {name: cell(name).id for name in ("rks", "scrf", "fastfood", "fht-cpu")}
    monkeypatch.setattr(MAPS["fastfood"], "implementation", 99, raising=False)
    after = {name: cell(name).id for name in before}
    assert {name for name in before if before[name] != after[name]} == {"fastfood", "fht-cpu"}
    assert timed_versions("fastfood") == {"map": MAPS["fastfood"].version, "map_implementation": 99}


def test_a_maps_cell_does_not_know_of_other_maps():
    """Adding a map to a config disturbs no record: neither ids nor companions depend on what else is planned."""
    more = (*SWEEPS, Sweep(maps=("orf",), d=(16, 32, 64), dtypes=("float32",)))
    few, many = places(SWEEPS, Selection()), places(more, Selection())
    assert [place for place in many if place.method != "orf"] == few


def test_a_sweep_may_take_more_samples_than_the_profile():
    more = (*SWEEPS, Sweep(peers=("xgpr",), d=(16,), dtypes=("float32",), samples=25))
    found = places(more, Selection())
    assert {place.samples for place in found if place.method == "xgpr"} == {25}
    assert {place.samples for place in found if place.method != "xgpr"} == {None}
    assert samples_words(found, 5) == "5 samples (xgpr SORF: 25)"
    assert samples_words(places(SWEEPS, Selection()), 5) == "5 samples"
