"""A map's own gamma and C, from the user's config folder: what runs with it, and who is told."""

import json

import pytest

from scrf_bench.bench import Store
from scrf_bench.experiments import config as config_module
from scrf_bench.experiments import experiment_by_name
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import chosen_records, lay_out, prepare
from scrf_bench.experiments.config import load_config
from scrf_bench.experiments.tuning import TunedMap, Tuning
from scrf_bench.experiments.tuning import chosen as chosen_module
from scrf_bench.experiments.verdicts import Court, declared_claims
from scrf_bench.maps import MAPS
from scrf_bench.resources import resource_path
from tests.experiments.made_up import accuracies, made_up_configs, made_up_records
from tests.experiments.tiny_study import CONFIGS, run_cli, write_configs

FILE = "tuning/ionosphere.scrf"
NOTE = "SCRF on ionosphere has gamma and C of its own, chosen at D = 48 with the phase embedding"


def own_choice(name="scrf", dataset="ionosphere", version=None, scaling="none", embedding="phase"):
    """Return the text of a map's own choice, log2 C = 5 and log2 gamma = -7, where the dataset has 3 and -2."""
    text = CONFIGS["tuning/ionosphere"].replace("= 3.0", "= 5.0").replace("= -2.0", "= -7.0")
    text = text.replace('dataset = "ionosphere"', f'dataset = "{dataset}"').replace('"none"', f'"{scaling}"')
    version = MAPS["scrf"].version if version is None else version
    more = {"map": name, "map_version": version, "components": 48, "embedding": embedding}
    return text + "\n".join(f"{key} = {json.dumps(value)}" for key, value in more.items())


@pytest.fixture
def configs(tmp_path):
    return write_configs(tmp_path / "configs", **{FILE: own_choice()})


def chosen(cells):
    return {
        (cell.parameters["method"], cell.parameters["log2_C"], cell.parameters["log2_gamma"],
         cell.parameters.get("tuned_at_D"))
        for cell in cells
    }  # fmt: skip


@pytest.mark.parametrize("name", ["table2", "fig3"])
def test_a_map_tuned_for_itself_runs_with_its_own_and_the_others_with_the_datasets(name, configs, tmp_path):
    cells = prepare(name, Selection(maps=("rks", "scrf", "libsvm")), configs=configs, results=tmp_path).cells
    assert chosen(cells) == {("rks", 3.0, -2.0, None), ("libsvm", 3.0, -2.0, None), ("scrf", 5.0, -7.0, 48)}


def test_maps_that_are_tuned_in_each_cell_keep_the_datasets_as_their_centre(configs, tmp_path):
    def cells():
        return [cell.id for cell in prepare("fig3-maps", Selection(), configs=configs, results=tmp_path).cells]

    with_own = cells()
    (configs / f"{FILE}.toml").unlink()
    assert with_own == cells()


@pytest.mark.parametrize("profile", ["quick", "paper"])
@pytest.mark.parametrize("name", ["table2", "fig3"])
def test_with_the_packaged_configs_the_committed_records_are_those_planned(name, profile):
    """No parameter more, and no other gamma or C: a record whose cell is planned no longer would be missing."""
    experiment = experiment_by_name(name)
    config = load_config(name, profile, experiment.config_type)
    stand_ins = {"usps": "usps_esl", "cifar10": "cifar10_subset"}
    cells = [c for r in ({}, stand_ins) for c in experiment.plan(config, Selection(replaced=r), Tuning())]
    committed = {record.cell.id for record in Store(resource_path("results/reference") / profile / name).all()}
    assert committed
    assert committed <= {cell.id for cell in cells}
    assert not any("tuned_at_D" in cell.parameters for cell in cells)


def test_a_maps_own_is_looked_for_in_the_folder_given_alone(configs, monkeypatch, tmp_path):
    """``tune --map --configs configs`` in a checkout writes among the packaged files: nobody else's run changes."""
    for module in (chosen_module, config_module):
        monkeypatch.setattr(module, "resource_path", lambda relative: tmp_path / relative)
    (tmp_path / "user").mkdir()
    assert Tuning().names() == ["ionosphere"]
    for tuning in (Tuning(), Tuning(tmp_path / "user")):
        assert tuning.of_map("ionosphere", "scrf", "phase") == tuning["ionosphere"]
    assert isinstance(Tuning(configs).of_map("ionosphere", "scrf", "phase"), TunedMap)


@pytest.mark.parametrize(("own", "words"), [
    ({"scaling": "minmax"}, ["'minmax'", "'none'", "tuning/ionosphere.toml", "--scaling none", "same rows"]),
    ({"embedding": "pair"}, ["'pair'", "'phase'", "--embedding phase"]),
    ({"version": 99}, ["version 99", f"version {MAPS['scrf'].version}"]),
    ({"name": "rks"}, ["of rks on ionosphere", "--map scrf"]),
    ({"dataset": "dna"}, ["of scrf on dna", "tune ionosphere"]),
])  # fmt: skip
@pytest.mark.parametrize("experiment", ["table2", "fig3"])
def test_a_choice_that_does_not_fit_is_refused_with_the_command_that_makes_one(experiment, own, words, tmp_path):
    configs = write_configs(tmp_path / "configs", **{FILE: own_choice(**own)})
    result = run_cli("run", experiment, "--dry-run", "--configs", configs, "--results", tmp_path)
    assert result.exit_code == 2
    for word in [f"{FILE}.toml", "scrf-bench tune ", "--components 48", f"--configs {configs}", *words]:
        assert word in result.stderr


def test_a_map_without_an_embedding_has_none_that_could_differ(tmp_path):
    text = own_choice("nystroem", embedding="pair", version=MAPS["nystroem"].version)
    configs = write_configs(tmp_path, **{"tuning/ionosphere.nystroem": text})
    assert Tuning(configs).of_map("ionosphere", "nystroem", "phase").log2_C == 5.0


def test_a_file_that_is_cut_off_is_named(configs):
    (configs / f"{FILE}.toml").write_text(own_choice()[:-12])
    result = run_cli("run", "table2", "--dry-run", "--configs", configs)
    assert result.exit_code == 2
    assert f"{FILE}.toml" in result.stderr


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("name", ["table2", "fig3"])
def test_notes_say_whose_gamma_and_C_are_not_the_papers(name, own, tmp_path):
    configs = made_up_configs(tmp_path / "configs", **({FILE: own_choice()} if own else {}))
    prepared = prepare(name, Selection(), configs=configs, results=tmp_path)
    made_up_records(name, tmp_path, configs, accuracies(lambda *_: 0.9))
    layout = lay_out(prepared, chosen_records(prepared))
    notes = "\n".join(layout.tables[0].notes)
    assert (NOTE in notes) == (f"({FILE}.toml in the --configs folder)" in notes) == own
    assert ("as in the paper" in notes) != own
    if name == "fig3":
        drawn = [panel for figure in layout.figures for panel in figure.draw.keywords["panels"]]
        titles = {panel.keywords["title"] for panel in drawn}
        assert titles == {"ionosphere (SCRF: own gamma and C)" if own else "ionosphere"}


@pytest.mark.parametrize("own", [True, False])
def test_verdicts_say_so_too(own, tmp_path):
    configs = made_up_configs(tmp_path / "configs", **({FILE: own_choice()} if own else {}))
    made_up_records("table2", tmp_path, configs, accuracies(lambda *_: 0.9))
    run = run_cli("claims", "scrf", "--configs", configs, "--results", tmp_path, "--reference", tmp_path, "--json")
    judged = {claim["id"]: claim for claim in map(json.loads, run.stdout.splitlines())}
    claim = judged["scrf-accuracy-equals-rks"]
    assert claim["verdict"] == "holds"
    assert [NOTE in remark for remark in claim["remarks"]] == ([True] if own else [])
    assert judged["scrf-unbiased"]["remarks"] == []
    table = (tmp_path / "quick" / "claims" / "table.md").read_text()
    assert (f"Not the paper's way: {NOTE}" in table) == own


def test_without_the_folder_its_records_are_not_judged(configs, tmp_path):
    """Judged with the packaged gamma and C, cells with others are none of the plan's."""
    made_up_configs(configs)
    made_up_records(
        "table2", tmp_path, configs, accuracies(lambda *_: 0.9), lambda cell: "tuned_at_D" in cell.parameters
    )
    (configs / f"{FILE}.toml").unlink()
    claim = next(claim for claim in declared_claims("scrf") if claim.id == "scrf-accuracy-equals-rks")
    assert Court(tmp_path, "quick", configs).judge(claim).verdict is None
