"""The CRHS experiments, tiny, through the real executor and on made-up records: files, numbers, and what is absent."""

import csv

import numpy as np
import pytest

from scrf_bench.bench import Record
from scrf_bench.datasets import registry
from scrf_bench.experiments import experiment_by_name, experiment_names
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import chosen_records, lay_out, prepare, render_results
from scrf_bench.experiments.config import load_config
from scrf_bench.experiments.verdicts import declared_claims, load_settings
from scrf_bench.report import paper_figures, reported_figures
from scrf_bench.resources import resource_path
from tests.bench.fake_plan import ENVIRONMENT
from tests.experiments.crhs_study import CONFIGS, JUDGED, complexities, scores
from tests.experiments.made_up import made_up_configs, made_up_records
from tests.experiments.tiny_study import record_files, run_cli, write_configs

TABLES = ("crhs-table3", "crhs-table4", "crhs-table5")
NAMES = ("crhs-table1", "crhs-table2", "crhs-fig1", *TABLES)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """One run of everything, of one map and the exact kernel; leave it as it is."""
    folder = tmp_path_factory.mktemp("crhs")
    configs = write_configs(folder / "configs", **CONFIGS)
    result = run_cli("run", *NAMES, "--maps", "scrf,krr", "--configs", configs, "--results", folder)
    return folder, result


def rows_of(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def flat_points(folder):
    """Return the flat test points of the stored records."""
    points = [p for record in record_files(folder) for p in record["points"]]
    return [{**p["parameters"], **p["metrics"]} for p in points if p["parameters"]["stage"] == "test"]


def test_all_end_with_0_and_tables_4_and_5_run_nothing(study):
    folder, result = study
    assert result.exit_code == 0, result.output
    # Two methods on two sets; exact kernel ridge on abalone is beyond the declared limit.
    assert "crhs-table3: 4 cells" in result.stderr
    for name in TABLES[1:]:
        assert f"{name}: 4 cells" in result.stderr
        assert "(4 done before)" in result.stderr.split(f"{name}: 4 cells")[1].splitlines()[0]
        assert not (folder / "quick" / name / "records").exists()
        assert (folder / "quick" / name / "table.csv").exists()
    assert (folder / "quick" / "crhs-fig1" / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "quick" / "crhs-table1" / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_table3_shows_means_over_repetitions(study):
    folder, _ = study
    found = flat_points(folder / "quick" / "crhs-table3")
    rows = {
        (row["dataset"], row["score"]): row
        for row in rows_of(folder / "quick" / "crhs-table3" / "table-crhs-table3.csv")
    }
    for dataset, score, metric, factor in (
        ("ionosphere", "accuracy %", "accuracy", 100),
        ("abalone", "MSE", "mse", 1),
        ("abalone", "R²", "r2", 1),
    ):
        values = [factor * p[metric] for p in found if (p["dataset"], p["method"]) == (dataset, "scrf")]
        assert len(values) == 2
        assert float(rows[dataset, score]["scrf"]) == pytest.approx(np.mean(values))
        assert float(rows[dataset, score]["scrf_se"]) == pytest.approx(abs(values[0] - values[1]) / 2)
    assert "KRR" in (folder / "quick" / "crhs-table3" / "table-crhs-table3.md").read_text()


@pytest.mark.parametrize(("name", "metric"), [("crhs-table4", "train_cpu_s"), ("crhs-table5", "predict_cpu_s")])
def test_tables_4_and_5_show_the_times_of_table_3s_records(study, name, metric):
    folder, _ = study
    found = flat_points(folder / "quick" / "crhs-table3")
    rows = {row["dataset"]: row for row in rows_of(folder / "quick" / name / "table.csv")}
    means = {
        method: np.mean([p[metric] for p in found if (p["dataset"], p["method"]) == ("ionosphere", method)])
        for method in ("scrf", "krr")
    }
    for method, mean in means.items():
        assert float(rows["ionosphere"][method]) == pytest.approx(mean)
    assert float(rows["ionosphere"]["over_krr"]) == pytest.approx(means["krr"] / means["scrf"])


def test_a_kernel_matrix_beyond_the_limit_is_shown_as_memory_with_its_figure(study):
    folder, _ = study
    for name, file in zip(TABLES, ("table-crhs-table3.md", "table.md", "table.md"), strict=True):
        text = (folder / "quick" / name / file).read_text()
        assert "memory [1]" in text
        assert "Exact kernel ridge on n = 2,924 training rows needs 0.203 GB" in text
    limited = [r for r in record_files(folder / "quick" / "crhs-table3") if r["status"] != "ok"]
    assert [(r["cell"]["dataset"], r["status"], r["declared"]) for r in limited] == [("abalone", "memory", True)]


def test_table2_counts_what_is_used(study):
    folder, _ = study
    rows = {row["dataset"]: row for row in rows_of(folder / "quick" / "crhs-table2" / "table.csv")}
    for name in ("ionosphere", "abalone"):
        spec = registry()[name]
        assert [int(rows[name][key]) for key in ("n_train", "n_test", "d")] == [
            spec.n_train,
            spec.n_test,
            spec.n_features,
        ]
    assert (rows["ionosphere"]["classes"], rows["abalone"]["classes"]) == ("2", "")


def test_fig1s_table_holds_the_records_accuracies(study):
    folder, _ = study
    found = flat_points(folder / "quick" / "crhs-fig1")
    for row in rows_of(folder / "quick" / "crhs-fig1" / "table.csv"):
        for method, D in (("scrf", int(row["D"])), ("krr", None)):
            values = [100 * p["accuracy"] for p in found if (p["method"], p["D"]) == (method, D)]
            assert float(row[method]) == pytest.approx(np.mean(values))
        assert row["paper"] == ""


def test_table1s_exponents_are_least_squares_slopes(study):
    folder, _ = study
    times = {}
    for record in record_files(folder / "quick" / "crhs-table1"):
        for point in record["points"]:
            p = point["parameters"]
            assert len(point["samples"]["map_cpu_s"]) == 3
            times.setdefault((p["map"], p["sweep"], p[p["sweep"]]), []).append(point["metrics"]["map_cpu_s"])
    rows = {row["method"]: row for row in rows_of(folder / "quick" / "crhs-table1" / "table.csv")}
    for sweep in ("d", "D", "l"):
        line = {size: np.median(values) for (_, s, size), values in times.items() if s == sweep}
        slope = np.polyfit(np.log(list(line)), np.log(list(line.values())), 1)[0]
        assert float(rows["CRHS"][f"exponent_{sweep}"]) == pytest.approx(slope)
    assert (rows["CRHS"]["parameters"], rows["CRHS"]["per_D"]) == (str(3 * 64), "3.0")


@pytest.fixture
def made_up(tmp_path):
    """Return a function that plans an experiment over made-up records."""
    configs = made_up_configs(tmp_path / "configs", **JUDGED)

    def make(name, wanted=lambda _: True):
        points = complexities(lambda _: (1, 1, 1)) if name == "crhs-table1" else scores(lambda *_: 0.9)
        made_up_records(experiment_by_name(name).home, tmp_path, configs, points, wanted)
        return prepare(name, Selection(), results=tmp_path, configs=configs)

    return make


@pytest.mark.parametrize("name", ["crhs-table1", "crhs-fig1", *TABLES])
def test_rows_and_columns_do_not_come_and_go_with_records(made_up, name):
    def shape(prepared):
        table = lay_out(prepared, chosen_records(prepared)).tables[0]
        return [c.key for c in table.columns], [(r.get("dataset"), r.get("D"), r.get("method")) for r in table.rows]

    nothing = shape(made_up(name, lambda _: False))
    assert shape(made_up(name, lambda cell: "scrf" not in cell.parameters.values())) == nothing
    assert shape(made_up(name)) == nothing


@pytest.mark.parametrize("name", ["crhs-table2", *TABLES])
def test_a_set_that_cannot_be_had_is_shown_as_such(made_up, name, tmp_path):
    prepared = made_up(name, lambda cell: False)
    for cell in prepared.cells:
        if cell.dataset == "ionosphere" or (name == "crhs-table2" and cell.dataset == "abalone"):
            error = f"{cell.dataset}: cannot get the file 'x'.\n  mirror y: not there"
            prepared.store.add(Record(cell, ENVIRONMENT, 1, "unavailable", error=error))
    _, _, paths = render_results(prepared, ("markdown",))
    text = next(path for path in paths if path.suffix == ".md").read_text()
    assert "unavailable [1]" in text
    assert "ionosphere: cannot get the file 'x'." in text
    assert "mirror y" not in text


@pytest.mark.parametrize("certainty", ["recalled", "stated in source"])
def test_the_papers_figure_is_shown_where_a_source_states_it_and_only_there(made_up, tmp_path, monkeypatch, certainty):
    with resource_path("data/reported.csv").open(newline="") as stream:
        header = next(csv.reader(stream))
    quantities = {"Table 3": "test accuracy", "Table 4": "training time", "Table 5": "predicting time"}
    with (tmp_path / "reported.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        for table, quantity in quantities.items():
            writer.writerow(["CRHS-FCST2018", table, "dna", "CRHS", quantity, "77.77", "%", "x", certainty])
    monkeypatch.setattr(paper_figures, "resource_path", lambda _: tmp_path / "reported.csv")
    paper_figures._read.cache_clear()
    try:
        for name in TABLES:
            prepared = made_up(name, lambda _: False)
            shown = {row["dataset"]: row["paper"] for row in lay_out(prepared, chosen_records(prepared)).tables[0].rows}
            assert shown["dna"] == (77.77 if certainty == "stated in source" else None)
            assert shown["ionosphere"] is None
    finally:
        paper_figures._read.cache_clear()


@pytest.mark.parametrize("profile", ["quick", "paper"])
def test_table2_describes_the_sets_of_table3(profile):
    described, used = (
        load_config(name, profile, experiment_by_name(name).config_type).datasets
        for name in ("crhs-table2", "crhs-table3")
    )
    assert [(e.name, e.status, e.scaling) for e in described] == [(e.name, e.status, e.scaling) for e in used]


@pytest.mark.parametrize("name", ["crhs-table1", "crhs-fig1", "crhs-table3"])
@pytest.mark.parametrize("profile", ["quick", "paper"])
def test_sample_sizes_are_those_that_the_experiments_plan(name, profile):
    config = load_config(name, profile, experiment_by_name(name).config_type)
    planned = config.processes if name == "crhs-table1" else config.repetitions
    assert load_settings(profile).sample_sizes[name] == planned


def test_the_papers_settings_are_those_that_its_text_states():
    """Folds, repetitions, the grid 2^-9, 2^-7 .. 2^9, and the d of the claim on wide data."""
    stated = {figure.quantity: figure.value for figure in reported_figures("CRHS-FCST2018")}
    assert stated["grid for gamma and lambda"] == "2^-9;2^-7;...;2^7;2^9"
    wide = f"d > {stated['d above which CRHS is said to pay']:g}"
    assert all(wide in claim.quantifier for claim in declared_claims("crhs") if "wide" in claim.id)
    for name in ("crhs-fig1", "crhs-table3"):
        config = load_config(name, "paper", experiment_by_name(name).config_type)
        assert (config.search.folds, config.repetitions) == (
            stated["CV folds"],
            stated["repetitions of random methods"],
        )
        assert config.search.log2_values == tuple(range(-9, 10, 2))
    assert [e.name for e in config.datasets if e.status == "named"] == ["ijcnn1", "dna", "mnist", "ct_slices"]


def test_a_view_has_the_cells_of_its_home_and_no_config_of_its_own(tmp_path):
    views = [name for name in experiment_names() if experiment_by_name(name).records_of]
    assert views == ["crhs-table4", "crhs-table5"]
    home, *others = (prepare(name, Selection(), results=tmp_path) for name in TABLES)
    for other in others:
        assert [c.id for c in other.cells] == [c.id for c in home.cells]
        assert (other.store.folder, other.folder.name) == (home.store.folder, other.experiment.name)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "crhs-table4.toml").write_text("[quick]\n")
    result = run_cli("run", "crhs-table4", "--configs", tmp_path / "own", "--dry-run")
    assert result.exit_code == 2
    assert "no experiment is called 'crhs-table4'; did you mean crhs-table" in result.stderr
