"""Configs are validated with the file and the key's path in the message, and the packaged ones are complete."""

from dataclasses import dataclass

import pytest

from scrf_bench.errors import ConfigError
from scrf_bench.experiments import experiment_by_name, experiment_names
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.config import load_config
from scrf_bench.experiments.tuning import Tuning


@dataclass(frozen=True)
class Inner:
    name: str
    limit: int | None = None


@dataclass(frozen=True)
class Outer:
    gamma: float
    sizes: tuple[int, ...]
    parts: tuple[Inner, ...] = ()
    switch: bool = False


def load(tmp_path, text):
    (tmp_path / "thing.toml").write_text(text)
    return load_config("thing", "quick", Outer, tmp_path)


def test_a_valid_config_becomes_the_declared_dataclass(tmp_path):
    config = load(tmp_path, '[quick]\ngamma = 1\nsizes = [1, 2]\nparts = [{ name = "a" }, { name = "b", limit = 3 }]')
    assert config == Outer(gamma=1.0, sizes=(1, 2), parts=(Inner("a"), Inner("b", 3)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[paper]\ngamma = 1", ["no profile [quick]", "paper"]),
        ("[quick]\ngamma = 1", ["quick.sizes", "missing"]),
        ("[quick]\ngama = 1\nsizes = []", ["quick.gama", "unknown key", "gamma"]),
        ("[quick]\ngamma = 'x'\nsizes = []", ["quick.gamma", "expected float", "'x'"]),
        ("[quick]\ngamma = true\nsizes = []", ["quick.gamma", "expected float", "True"]),
        ("[quick]\ngamma = 1\nsizes = [1, 2.5]", ["quick.sizes[1]", "expected int", "2.5"]),
        ("[quick]\ngamma = 1\nsizes = 3", ["quick.sizes", "expected a list"]),
        ("[quick]\ngamma = 1\nsizes = [1]\nparts = [{ limit = 3 }]", ["quick.parts[0].name", "missing"]),
        ("[quick]\ngamma = 1\nsizes = []", ["quick.sizes", "the list is empty"]),
        ("[quick]\ngamma = nan\nsizes = [1]", ["quick.gamma", "nan", "finite number above 0"]),
        ("[quick]\ngamma = inf\nsizes = [1]", ["quick.gamma", "inf", "finite number above 0"]),
        ("[quick]\ngamma = 0\nsizes = [1]", ["quick.gamma", "0.0", "finite number above 0"]),
        ("[quick]\ngamma = 1\nsizes = [0]", ["quick.sizes[0]", "0 is out of range", "at least 1"]),
        ("[quick]\ngamma = 1\nsizes = [99999999999]", ["quick.sizes[0]", "99999999999 is out of range", "2^31"]),
        ("[quick\n", ["not valid TOML"]),
    ],
)
def test_every_fault_names_file_and_key(tmp_path, text, words):
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    for word in ["thing.toml", *words]:
        assert word in str(caught.value)


def test_a_config_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match="nowhere"):
        load_config("fig1", "quick", Outer, tmp_path / "nowhere")


@pytest.mark.parametrize("profile", ["quick", "paper"])
@pytest.mark.parametrize("name", experiment_names())
def test_packaged_configs_plan_distinct_cells(name, profile):
    experiment = experiment_by_name(name)
    config = load_config(experiment.home, profile, experiment.config_type)
    cells = experiment.plan(config, Selection(), Tuning())
    assert cells
    assert len({cell.id for cell in cells}) == len(cells)
    assert {cell.experiment for cell in cells} == {experiment.home}


def test_an_untuned_dataset_says_which_command_tunes_it():
    with pytest.raises(ConfigError, match="scrf-bench tune nothing"):
        Tuning()["nothing"]


@pytest.mark.parametrize("dataset", Tuning().names())
def test_the_tuned_choice_is_the_best_point_tried(dataset):
    tuned = Tuning()[dataset]
    tried = Tuning().grid(tuned.tuned_on)
    assert tuned.cv_accuracy == pytest.approx(max(accuracy for *_, accuracy in tried), abs=1e-6)
    assert [tuned.log2_C, tuned.log2_gamma] in [
        [c, g] for c, g, a in tried if a == pytest.approx(tuned.cv_accuracy, abs=1e-6)
    ]
