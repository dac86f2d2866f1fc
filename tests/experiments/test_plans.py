"""Plans: positive guesses, labels that tell cells apart, and identities that do not change by accident."""

import json
from collections import Counter

import pytest

from scrf_bench.bench import Cell
from scrf_bench.datasets import registry
from scrf_bench.experiments import experiment_by_name, experiment_names
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.classification import LearnerSettings, classification_cell
from scrf_bench.experiments.config import load_config
from scrf_bench.experiments.scrf.expansion import expansion_cell
from scrf_bench.experiments.scrf.fig1 import Fig1, Fig1Config
from scrf_bench.experiments.scrf.fig2 import Fig2, Fig2Config
from scrf_bench.experiments.tuning import Tuning
from scrf_bench.maps import MAPS
from tests.experiments.test_classification_cells import TUNED

PLANS = [(name, profile) for name in experiment_names() for profile in ("quick", "paper")]

MOVED = (
    "The identity of this cell has changed, so every record made before counts as missing. If that is not meant, find "
    "what was added to or changed in the cell's parameters. If it is (a version was raised because results change), "
    "store the new identity here and make the committed records anew."
)


def plan(name, profile="quick", **selection):
    experiment = experiment_by_name(name)
    config = load_config(experiment.home, profile, experiment.config_type)
    return experiment.plan(config, Selection(**selection), Tuning())


@pytest.mark.parametrize(("name", "profile"), PLANS)
def test_labels_and_guesses(name, profile):
    cells = plan(name, profile)
    twice = [label for label, count in Counter(cell.label for cell in cells).items() if count > 1]
    assert not twice, "two cells of one plan read the same in progress lines and in notes"
    assert all(0 < cell.expected_s < 24 * 3600 for cell in cells)
    assert all(cell.label for cell in cells)


@pytest.mark.parametrize(("name", "profile"), PLANS)
def test_a_cell_survives_its_file(name, profile):
    for cell in plan(name, profile):
        again = Cell.from_json(json.loads(json.dumps(cell.to_json())))
        assert (again.id, again) == (cell.id, cell)


@pytest.mark.parametrize("name", experiment_names())
def test_threads_and_versions_are_part_of_the_identity(name):
    cells, others = plan(name), plan(name, threads=2)
    assert not {cell.id for cell in cells} & {cell.id for cell in others}
    assert all(cell.versions["experiment"] == experiment_by_name(name).version for cell in cells)


@pytest.mark.parametrize("name", ["table2", "fig3"])
def test_dataset_cells_carry_the_identity_of_their_text(name):
    for cell in plan(name, "paper"):
        assert cell.dataset_identity == registry()[cell.dataset].identity


def test_more_seeds_keep_the_cells_of_fewer():
    """``--seeds 2`` and later ``--seeds 5`` share two seeds' cells: a longer run goes on from a shorter one."""
    for name in ("table2", "fig3"):
        few, many = ({cell.id for cell in plan(name, "paper", seeds=n)} for n in (2, 5))
        assert few < many


def test_exact_libsvm_is_timed_again_where_no_seed_draws_it_anew():
    cells = plan("table2", "paper", datasets=("dna", "mushrooms", "a9a"))
    counted = Counter((cell.dataset, cell.parameters["method"]) for cell in cells)
    assert counted["dna", "control"] == 1
    assert counted["dna", "libsvm"] == counted["a9a", "libsvm"] == 3
    # Random rows change with the seed: mushrooms' for all, a9a's for the control alone.
    assert counted["mushrooms", "libsvm"] == counted["a9a", "control"] == counted["dna", "scrf"] == 10
    once = plan("table2", "paper", datasets=("dna",), seeds=1)
    assert Counter(cell.parameters["method"] for cell in once)["libsvm"] == 1


def test_a_sets_own_number_of_seeds_is_a_ceiling():
    def scrf(**selection):
        return [c for c in plan("table2", "paper", datasets=("cifar10",), **selection) if "map" in c.versions]

    assert len({c.parameters["seed"] for c in scrf()}) == len({c.parameters["seed"] for c in scrf(seeds=4)}) == 1


def test_maps_narrow_a_plan_down():
    for name in experiment_names():
        everything = plan(name)
        by_map = any("scrf" in cell.parameters.values() for cell in everything)
        if not by_map or "maps" not in experiment_by_name(name).options:
            continue
        narrow = plan(name, maps=("scrf",))
        assert {cell.id for cell in narrow} < {cell.id for cell in everything}
        assert all("scrf" in cell.parameters.values() for cell in narrow)


def test_beyond_the_matrix_limit_only_rks_is_left_out():
    config = Fig2Config(
        maps=("rks", "scrf"), rows=10, d=(100, 200), dtypes=("float64",), samples=3, matrix_limit_gb=80e-6,
        fit_from=1, seed=1,
    )  # fmt: skip
    limits = {
        (c.parameters["map"], *c.parameters["d"]): c.declared_limit for c in Fig2().plan(config, Selection(), Tuning())
    }
    # 100 x 100 float64 take exactly the 80 kB allowed.
    assert [key for key, limit in limits.items() if limit] == [("rks", 200)]
    assert "200 x 200" in limits["rks", 200]
    config32 = Fig2Config(**{**vars(config), "dtypes": ("float32",), "matrix_limit_gb": 160e-6})
    assert not any(c.declared_limit for c in Fig2().plan(config32, Selection(), Tuning()))


def test_golden_identity_of_a_classification_cell():
    learner = LearnerSettings(liblinear_eps=0.001, libsvm_eps=0.001, bias=1.0, control_max_iter=300)
    cell = classification_cell(
        "table2", 1, "libsvm", "dna", TUNED, learner,
        seed=0, components=(), embedding="phase", train_rows=None, threads=1,
    )  # fmt: skip
    assert cell.versions == {"experiment": 1, "learner": 1}, MOVED
    assert cell.id == "6f855d5fae1513f8", MOVED


def test_golden_identities_of_map_cells(monkeypatch):
    """What a faster implementation changes is told elsewhere: here its number stands still."""
    for name in ("scrf", "rks"):
        monkeypatch.setattr(MAPS[name], "implementation", 2)
    config = Fig1Config(
        maps=("scrf",),
        embedding="phase",
        d=16,
        gamma=0.25,
        scatter_rows=100,
        scatter_components=512,
        curve_rows=500,
        curve_components=(16, 32),
        repetitions=10,
        repetitions_per_cell=10,
        seed=2015,
    )
    scatter, curve = Fig1().plan(config, Selection(), Tuning())
    timing = expansion_cell(
        "table1", 2, "scrf", d=[64], D=[8192], rows=1000, dtype="float64", samples=5, seed=2015, threads=1
    )
    assert scatter.id == "905237868e18ab1f", f"{MOVED} It has the versions {scatter.versions}."
    assert curve.id == "4576879c39b8c780", f"{MOVED} It has the versions {curve.versions}."
    assert timing.id == "92594ec990e7e70e", f"{MOVED} It has the versions {timing.versions}."
