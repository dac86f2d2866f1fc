"""An option that an experiment has no use for is dropped and named, never heeded in silence."""

import pytest

from scrf_bench.experiments import experiment_by_name, experiment_names
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import prepare
from scrf_bench.experiments.config import load_config
from scrf_bench.experiments.tuning import Tuning
from tests.experiments.tiny_study import run_cli, write_configs

GIVEN = {"datasets": ("dna",), "maps": ("scrf",), "seeds": 7}


def plans(name, profile, **selection):
    """Return the ids of a plan's cells; a set that a profile does not have is refused by those that heed datasets."""
    experiment = experiment_by_name(name)
    config = load_config(experiment.home, profile, experiment.config_type)
    return {cell.id for cell in experiment.plan(config, Selection(**selection), Tuning())}


@pytest.mark.parametrize("option", GIVEN)
@pytest.mark.parametrize("name", experiment_names())
def test_a_declared_option_changes_the_plan_and_no_other_does(name, option):
    """Raise or lower `options` of the experiment where this fails."""
    everything = plans(name, "paper")
    narrowed = plans(name, "paper", **{option: GIVEN[option]})
    assert (narrowed != everything) == (option in experiment_by_name(name).options)


@pytest.mark.parametrize("name", experiment_names())
def test_what_changes_nothing_is_said_in_one_line(name, tmp_path):
    heeded = experiment_by_name(name).options
    said = []
    selection = Selection(**{option: value for option, value in GIVEN.items() if option not in heeded})
    plan = prepare(name, selection, results=tmp_path, say=said.append)
    lines = [line for line in said if "nothing here; it can" in line]
    assert len(lines) == (1 if len(heeded) < len(GIVEN) else 0)
    for line in lines:
        assert line.startswith(f"{name}: ")
        assert all(f"--{option}" in line for option in GIVEN)
    # Nor does a table call itself a part of the profile then.
    assert plan.selection.asked_for() == {}


@pytest.mark.parametrize("command", ["run", "status"])
def test_the_command_line_says_it(command, tmp_path):
    configs = write_configs(tmp_path / "configs")
    arguments = ["--seeds", "3", "--datasets", "dna", "--configs", configs, "--results", tmp_path]
    extra = ["--dry-run"] if command == "run" else []
    result = run_cli(command, "table1", *arguments, *extra)
    said = "table1: --datasets dna and --seeds 3 change nothing here; it can be narrowed down by --maps."
    assert said in result.stderr
    assert "nothing here" not in result.stdout


def test_an_experiment_of_a_plug_in_heeds_everything_unless_it_says_otherwise():
    from scrf_bench.experiments.base import Experiment

    assert Experiment.options == ("datasets", "maps", "seeds")
