"""``scrf-bench tune``: what it writes is the best of what it tried, with provenance, and is what ``run`` reads."""

import json

import pytest

from scrf_bench.experiments.tuning import Tuning
from tests.experiments.tiny_study import CONFIGS, run_cli, write_configs


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    """A config folder after tuning 60 rows of ionosphere, and what the command said."""
    configs = write_configs(tmp_path_factory.mktemp("configs"))
    (configs / "tuning" / "ionosphere.toml").unlink()
    result = run_cli("tune", "ionosphere", "--rows", "60", "--folds", "3", "--scaling", "minmax", "--configs", configs)
    assert result.exit_code == 0, result.output
    return configs, result


def test_the_choice_is_the_best_point_tried(tuned):
    configs, _ = tuned
    chosen, tried = Tuning(configs)["ionosphere"], Tuning(configs).grid("ionosphere")
    assert len(tried) == len({(c, g) for c, g, _ in tried}) >= 72
    best = max(accuracy for *_, accuracy in tried)
    assert chosen.cv_accuracy == pytest.approx(best, abs=1e-6)
    assert [chosen.log2_C, chosen.log2_gamma] in [[c, g] for c, g, a in tried if a == pytest.approx(best, abs=1e-6)]


def test_how_when_and_on_what_is_written_down(tuned):
    configs, result = tuned
    chosen = Tuning(configs)["ionosphere"]
    assert (chosen.dataset, chosen.tuned_on, chosen.scaling) == ("ionosphere", "ionosphere", "minmax")
    assert (chosen.folds, chosen.rows, chosen.seed) == (3, 60, 0)
    assert "LIBSVM" in chosen.solver
    assert chosen.package.startswith("scrf-bench ")
    assert f"log2 C = {chosen.log2_C:g}, log2 gamma = {chosen.log2_gamma:g}" in result.stdout
    assert "over 3 folds of 60 rows" in result.stdout
    assert str(configs / "tuning" / "ionosphere.toml") in result.stderr


def test_run_reads_it(tuned):
    configs, _ = tuned
    lines = run_cli("run", "table2", "--dry-run", "--json", "--configs", configs).stdout.splitlines()
    chosen = Tuning(configs)["ionosphere"]
    for parameters in (json.loads(line)["parameters"] for line in lines):
        assert (parameters["log2_C"], parameters["log2_gamma"]) == (chosen.log2_C, chosen.log2_gamma)
        assert parameters["scaling"] == "minmax"


def test_a_tuned_set_of_the_users_own_goes_before_the_packaged_one(tmp_path):
    text = CONFIGS["tuning/ionosphere"].replace("ionosphere", "dna").replace("log2_C = 3.0", "log2_C = 9.0")
    write_configs(tmp_path, **{"tuning/dna": text})
    assert Tuning(tmp_path)["dna"].log2_C == 9.0
    assert Tuning()["dna"].log2_C != 9.0
    assert Tuning(tmp_path)["splice"] == Tuning()["splice"]
