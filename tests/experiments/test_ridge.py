"""`ridge`: times, counts and memory of one and of many penalties; a table of whatever there is."""

import numpy as np
import pytest

from scrf_bench.bench import Record, run_cell
from scrf_bench.experiments import experiment_by_name
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import chosen_records, lay_out, prepare
from scrf_bench.experiments.config import load_config
from scrf_bench.learners import gram_bytes
from tests.bench.fake_plan import ENVIRONMENT

TINY = """
[quick]
d = 16
targets = 2
map = "scrf"
log2_alphas = [-3, -1, 1]
sizes = [{ D = 32, rows = 300, samples = 3 }, { D = 64, rows = 600, samples = 1 }]
seed = 2018
"""


@pytest.fixture(scope="module")
def configs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("configs")
    (folder / "ridge.toml").write_text(TINY)
    return folder


@pytest.fixture(scope="module")
def outcomes(configs):
    cells = prepare("ridge", Selection(), configs=configs).cells
    return [run_cell(cell, experiment_by_name("ridge").measure) for cell in cells]


def table_of(folder, configs, outcomes, peak=0):
    prepared = prepare("ridge", Selection(), results=folder, configs=configs)
    for cell, outcome in zip(prepared.cells, outcomes, strict=False):
        prepared.store.add(Record(cell, ENVIRONMENT, 1, "ok", points=outcome.points, peak_rss=peak))
    return lay_out(prepared, chosen_records(prepared)).tables[0]


def test_a_point_holds_times_of_both_their_ratio_and_what_is_never_held(outcomes):
    for outcome in outcomes:
        assert outcome.status == "ok", outcome.traceback
        (point,) = outcome.points
        p, m = point.parameters, point.metrics
        assert p["alphas"] == 3
        one, many = (np.array(point.samples[f"{key}_cpu_s"]) for key in ("one", "all"))
        assert len(one) == len(many) == (3 if p["D"] == 32 else 1)
        assert m["all_over_one"] == pytest.approx(np.median(many / one))
        assert (m["one_cpu_s"], m["all_cpu_s"]) == (pytest.approx(np.median(one)), pytest.approx(np.median(many)))
        assert m["features_bytes"] == 4 * p["D"] * p["rows"]
        assert m["rows_bytes"] == p["rows"] * (4 * 16 + 8 * 2)
        assert m["declared_bytes"] == gram_bytes(p["D"], 2)
        assert "float64 products, Cholesky" in m["solver"]


def test_rows_stand_for_what_was_not_run_too(tmp_path, configs, outcomes):
    whole = table_of(tmp_path / "all", configs, outcomes, peak=12345)
    part = table_of(tmp_path / "part", configs, outcomes[:1])
    places = [(row["D"], row["rows"]) for row in whole.rows]
    assert places == [(32, 300), (64, 600)]
    assert [(row["D"], row["rows"]) for row in part.rows] == places
    assert [row["samples"] for row in whole.rows] == [3, 1]
    assert {row["peak"] for row in whole.rows} == {12345}
    assert [row.get("ratio") is None for row in part.rows] == [False, True]


def test_the_paper_profile_holds_the_sizes_that_the_targets_are_stated_for():
    config = load_config("ridge", "paper", experiment_by_name("ridge").config_type)
    assert len(config.log2_alphas) == 10
    *split, large = config.sizes
    assert all(size.rows >= 8 * size.D for size in split)
    assert (large.D, large.rows) == (8192, 60_000)
