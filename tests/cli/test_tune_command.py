"""``scrf-bench tune``: what it writes is the best of what it tried, with provenance, and is what ``run`` reads."""

import json
import sys
from itertools import pairwise
from types import SimpleNamespace

import pytest

from scrf_bench import learners
from scrf_bench.experiments.config import load_config
from scrf_bench.experiments.tuning import TunedMap, Tuning, search, writing
from scrf_bench.experiments.tuning.journal import Journal
from scrf_bench.maps import MAPS
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


def small(configs, *more):
    return run_cli(
        "tune", "ionosphere", "--rows", "60", "--folds", "2", "--scaling", "minmax", "--configs", configs, *more
    )


def test_a_heat_map_stands_beside_the_choice_and_no_journal_stays(tuned):
    configs, _ = tuned
    assert {path.name for path in (configs / "tuning").iterdir()} == {"ionosphere.toml", "ionosphere.png"}


def test_a_search_that_was_stopped_goes_on(tmp_path, monkeypatch):
    """What was trained before is not trained again, a line cut off by a kill is, and the choice is the same."""
    assert small(tmp_path / "whole").exit_code == 0
    train = learners.libsvm_api.train_svc
    trained = []

    def stopping(*args, **options):
        if len(trained) == 100:
            raise KeyboardInterrupt
        trained.append(options["C"])
        return train(*args, **options)

    monkeypatch.setattr(learners.libsvm_api, "train_svc", stopping)
    stopped = small(tmp_path / "parts")
    assert stopped.exit_code == 130
    (journal,) = (tmp_path / "parts" / "tuning").iterdir()
    journal.write_text(journal.read_text()[:-3])
    trained.clear()
    monkeypatch.setattr(learners.libsvm_api, "train_svc", lambda *a, **o: trained.append(o["C"]) or train(*a, **o))
    finished = small(tmp_path / "parts")
    assert finished.exit_code == 0, finished.output
    assert "99 trainings are there" in finished.stderr
    assert len(trained) == 2 * (72 + 8) - 99  # the fine grid's centre is the coarse one's best
    chosen = (Tuning(tmp_path / name)["ionosphere"] for name in ("whole", "parts"))
    assert len(set(chosen)) == 1


def test_a_journal_of_another_search_is_begun_anew(tmp_path):
    path = tmp_path / "tuning" / ".ionosphere.part.jsonl"
    Journal(path, {"folds": 9}).stage(60)[0, 1.0, 1.0] = 30
    assert Journal(path, {"folds": 9}).found == 1
    result = small(tmp_path)
    assert result.exit_code == 0
    assert "trainings are there" not in result.stderr
    assert "the search that was stopped here differs (components, data" in result.stderr


def test_a_search_that_cannot_begin_leaves_the_journal_of_another(tmp_path):
    path = tmp_path / "tuning" / ".ionosphere.part.jsonl"
    Journal(path, {"folds": 9}).stage(60)[0, 1.0, 1.0] = 30
    result = small(tmp_path, "--folds", "150")
    assert result.exit_code == 2
    assert "give fewer folds" in result.stderr
    assert Journal(path, {"folds": 9}).found == 1
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_of_a_damaged_journal_the_sound_lines_are_kept(tmp_path):
    path = tmp_path / "journal"
    counts = Journal(path, {"folds": 9}).stage(60)
    for fold in range(3):
        counts[fold, 1.0, 1.0] = 30 + fold
    first, *lines = path.read_bytes().splitlines()
    damaged = [first, lines[0], b"\xff\xfe\x00[[", b"[60, 0, 1, 1, Infinity]", lines[1], b"null", lines[2][:-1]]
    path.write_bytes(b"\n".join(damaged))
    again = Journal(path, {"folds": 9})
    assert again.found == 2
    again.stage(60)[2, 1.0, 1.0] = 32
    assert dict(Journal(path, {"folds": 9}).stage(60)) == {(fold, 1.0, 1.0): 30 + fold for fold in range(3)}
    path.write_bytes(b"\xff" + path.read_bytes())
    assert Journal(path, {"folds": 9}).other == ["a damaged file"]


def test_two_at_once_in_one_folder_are_one(tmp_path):
    """The second is told, and disturbs nothing; another map's search is another search."""
    settings = search.SearchSettings("minmax", max_rows=60, folds=2)
    with search.searching("ionosphere", settings, tmp_path):
        result = small(tmp_path)
        assert result.exit_code == 2
        assert "under way" in result.stderr
        assert "--configs" in result.stderr
        assert small(tmp_path, "--map", "rks", "--components", "4").exit_code == 0
    assert small(tmp_path).exit_code == 0
    names = {"ionosphere.toml", "ionosphere.png", "ionosphere.rks.toml", "ionosphere.rks.png"}
    assert {path.name for path in (tmp_path / "tuning").iterdir()} == names


@pytest.mark.parametrize(("words", "message"), [
    (("ionosphare",), "did you mean 'ionosphere'"), (("abalone",), "regression"), (("../up",), "'../up'"),
    (("ionosphere", "--map", "scrf", "--components", "7", "--embedding", "pair"), "n_components=7 is odd"),
])  # fmt: skip
def test_what_cannot_be_tuned_is_refused_and_leaves_nothing(words, message, tmp_path):
    result = run_cli("tune", *words, "--configs", tmp_path)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""
    assert not list((tmp_path / "tuning").glob("**/*"))


def test_many_rows_are_come_to_by_successive_halving(tmp_path, monkeypatch):
    """Every point on 23 rows, the best 24 on 67, the best 8 on 200; then the fine grid there."""
    monkeypatch.setattr(search, "_HALVING_ABOVE", 50)
    assert search.rungs(200) == [23, 67, 200]
    settings = search.SearchSettings("minmax", max_rows=200, folds=2)
    seen = {}
    tuned, results = search.tune_dataset(
        "ionosphere", settings, tmp_path, progress=lambda stage, done, total: seen.update({stage: total})
    )
    assert [(result.rows_used, len(result.tried)) for result in results] == [(23, 72), (67, 24), (200, 8), (200, 9)]
    assert list(seen.values()) == [144, 48, 16, 18]
    for few, more in pairwise(results[:3]):
        kept = {(C, gamma) for C, gamma, _ in more.tried}
        dropped = [accuracy for C, gamma, accuracy in few.tried if (C, gamma) not in kept]
        assert max(dropped) <= min(accuracy for C, gamma, accuracy in few.tried if (C, gamma) in kept)
    assert "23, 67, 200 rows" in tuned.grid
    writing.write_tuned(tuned, settings, results, tmp_path)
    assert len(Tuning(tmp_path).grid("ionosphere")) == len({t[:2] for r in results[2:] for t in r.tried})


@pytest.mark.parametrize(("best_C", "best_gamma", "edges"), [
    (7, -4, []), (8, -4, ["log2 C = 8"]), (-5, -4, []), (-6, -4, ["log2 C = -6"]), (20, 3, ["log2 C = 8"]),
    (0, -14, ["log2 gamma = -14"]), (20, -20, ["log2 C = 8", "log2 gamma = -14"]),
])  # fmt: skip
def test_a_choice_is_at_the_edge_where_no_point_beyond_was_tried(best_C, best_gamma, edges, tmp_path, monkeypatch):
    """The fine grid goes one step beyond the coarse one, whose log2 C is -5 to 7 and log2 gamma -13 to 3."""

    def stage(features, y, *, log2_C, log2_gamma, **_):
        tried = [(C, g, 1.0 - 0.01 * (abs(C - best_C) + abs(g - best_gamma))) for C in log2_C for g in log2_gamma]
        C, gamma, accuracy = max(tried, key=lambda point: point[2])
        found = {"log2_C": C, "log2_gamma": gamma, "cv_accuracy": accuracy, "tried": tried}
        return SimpleNamespace(**found, folds=2, rows_used=len(y), solver="none")

    monkeypatch.setattr(search, "tune_linear", stage)
    said = []
    settings = search.SearchSettings("minmax", max_rows=60, folds=2, map="rks", components=4)
    search.tune_dataset("ionosphere", settings, tmp_path, say=said.append)
    assert [words.partition(" is at the edge")[0] for words in said] == edges


def test_a_map_is_tuned_for_itself_into_a_file_of_its_own(tmp_path):
    result = small(tmp_path, "--map", "scrf", "--components", "16", "--json")
    assert result.exit_code == 0, result.output
    chosen = json.loads(result.stdout)
    assert (chosen["map"], chosen["components"], chosen["map_version"]) == ("scrf", 16, MAPS["scrf"].version)
    assert chosen["solver"].startswith("LIBLINEAR")
    assert chosen["written"].endswith("ionosphere.scrf.toml")
    read = load_config("tuning/ionosphere.scrf", "chosen", TunedMap, tmp_path)
    assert (read.log2_C, read.log2_gamma) == (chosen["log2_C"], chosen["log2_gamma"])
    # Exact LIBSVM's choice for the set stays what it was.
    assert Tuning(tmp_path)["dna"] == Tuning()["dna"]


def test_a_map_is_tuned_with_the_scaling_of_its_dataset(tmp_path):
    """A run refuses another; one that is asked for is used all the same."""

    def scaling(*more):
        words = ("--rows", "60", "--folds", "2", "--map", "rks", "--components", "4", "--json", "--configs", tmp_path)
        return json.loads(run_cli("tune", *words, *more).stdout)["scaling"]

    assert scaling("satimage") == Tuning()["satimage"].scaling == "minmax"
    assert scaling("satimage", "--scaling", "none") == "none"
    assert scaling("german.numer") == "none", "nobody tuned it"


def test_what_a_map_prints_is_not_on_stdout(tmp_path, monkeypatch):
    draw = MAPS["rks"]._draw_projection
    monkeypatch.setattr(MAPS["rks"], "_draw_projection", lambda *given: sys.stdout.write("drawing\n") and draw(*given))
    result = small(tmp_path, "--map", "rks", "--components", "4", "--json")
    assert json.loads(result.stdout)["map"] == "rks"
    assert "drawing" in result.stderr


def test_a_map_that_raises_is_named_with_its_error(tmp_path, monkeypatch):
    def broken(*_):
        raise RuntimeError("boom")

    monkeypatch.setattr(MAPS["rks"], "_draw_projection", broken)
    result = small(tmp_path, "--map", "rks", "--components", "4")
    assert result.exit_code == 2
    assert "The map 'rks' fails at D = 4, log2 gamma = -13: RuntimeError: boom" in result.stderr
    assert "scrf-bench check-map rks" in result.stderr


def test_an_option_that_changes_nothing_is_named(tmp_path):
    assert "--components changes nothing without --map" in small(tmp_path, "--components", "64").stderr
    assert "changes nothing" not in small(tmp_path).stderr


def test_an_unknown_map_is_refused(tmp_path):
    result = small(tmp_path, "--map", "scfr")
    assert result.exit_code == 2
    assert "Did you mean 'scrf'" in result.stderr
