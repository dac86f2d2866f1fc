"""All five experiments, tiny, through the real executor: files, columns, and numbers against independent code."""

import csv
import hashlib
import json
import math
import os
import shutil

import numpy as np
import pytest
from filelock import FileLock
from scipy.spatial.distance import cdist

from scrf_bench.experiments.scrf.fig2 import Fig2
from tests.experiments.tiny_study import record_files, run_cli, write_configs

NAMES = ("fig1", "table1", "fig2", "fig3", "table2")
CELLS = {"fig1": 4, "table1": 6, "fig2": 6, "fig3": 3, "table2": 6}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Configs, results, and how the one run of everything ended; xdist's workers share it, so leave it as it is."""
    root = tmp_path_factory.getbasetemp()
    folder = (root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / "tiny-study"
    with FileLock(f"{folder}.lock"):
        if not (folder / "run.json").exists():
            configs = write_configs(folder / "configs")
            result = run_cli("run", *NAMES, "--configs", configs, "--results", folder)
            (folder / "run.json").write_text(json.dumps([result.exit_code, result.output]))
    return folder / "configs", folder, json.loads((folder / "run.json").read_text())


@pytest.fixture
def own_copy(study, tmp_path):
    """A copy of the results, to be rendered again."""
    shutil.copytree(study[1] / "quick", tmp_path / "copy" / "quick")
    return tmp_path / "copy"


@pytest.fixture(scope="module")
def quick(study):
    return study[1] / "quick"


def table(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def points(folder):
    """Yield (cell, point) of the ok records."""
    for record in record_files(folder):
        for point in record["points"]:
            yield record["cell"], {**point["parameters"], **point["metrics"]}, point["samples"]


def test_everything_ends_with_0_and_names_its_files(study):
    _, folder, (exit_code, output) = study
    assert exit_code == 0, output
    for name in NAMES:
        assert f"{name}: {CELLS[name]} cell" in output
        where = folder / "quick" / name
        assert len(record_files(where)) == CELLS[name]
        written = {path.name for path in where.iterdir() if path.is_file()}
        # Table 1 also has a table of the peers.
        table_name = "table-table1" if name == "table1" else "table"
        assert {"records.csv", f"{table_name}.csv", f"{table_name}.md"} <= written
        if name not in ("table1", "table2"):
            assert (where / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert {path.name for path in (folder / "quick" / "fig1").glob("figure-*.png")} == {
        "figure-a.png",
        "figure-b.png",
        "figure-c.png",
    }


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("fig1", ["panel", "map", "D", "repetition", "relative_frobenius_error", "relative_spectral_error"]),
        ("table1", ["map", "d", "D", "draw_cpu_s", "project_cpu_s", "cosine_cpu_s", "map_cpu_s", "held_bytes"]),
        ("fig2", ["map", "d", "D", "map_cpu_s", "rks_map_cpu_s"]),
        ("fig3", ["dataset", "method", "seed", "D", "accuracy"]),
        (
            "table2",
            ["dataset", "method", "seed", "D", "accuracy", "train_cpu_s", "predict_cpu_s", "map_cpu_s", "model_bytes"],
        ),
    ],
)
def test_records_csv_is_flat_and_named_as_designed(quick, name, columns):
    rows = table(quick / name / "records.csv")
    assert list(rows[0])[:3] == ["id", "experiment", "status"]
    assert set(columns) <= set(rows[0])
    assert {row["experiment"] for row in rows} == {name}
    measured = [row for row in rows if row["status"] == "ok"]
    assert len(measured) == sum(1 for _ in points(quick / name))


def test_table2s_accuracies_are_means_over_seeds_of_the_records(quick):
    accuracies = {}
    for _, p, _ in points(quick / "table2"):
        accuracies.setdefault(p["method"], []).append(100 * p["accuracy"])
    assert {method: len(values) for method, values in accuracies.items()} == {"libsvm": 2, "control": 2, "scrf": 2}
    rows = {row["method"]: row for row in table(quick / "table2" / "table.csv")}
    for method, label in (("libsvm", "exact LIBSVM"), ("control", "exact, 1-vs-rest"), ("scrf", "SCRF")):
        a, b = accuracies[method]
        assert float(rows[label]["accuracy"]) == pytest.approx((a + b) / 2)
        assert float(rows[label]["accuracy_se"]) == pytest.approx(abs(a - b) / 2)
        assert rows[label]["accuracy_n"] == "2"
        assert rows[label]["paper"] == ""
    assert rows["SCRF"]["n"] == str(next(p["n_train"] for _, p, _ in points(quick / "table2")))


def test_an_exact_learner_sees_every_random_split(quick):
    """Ionosphere has no official split: each seed splits anew, for the exact learners as for the maps."""
    splits = {}
    for cell, p, _ in points(quick / "table2"):
        splits.setdefault(p["seed"], set()).add(p["split"])
        assert cell["parameters"]["seed"] == p["seed"]
    assert {seed: len(found) for seed, found in splits.items()} == {0: 1, 1: 1}


def test_an_accuracy_is_its_errors_over_the_test_rows(quick):
    for experiment in ("fig3", "table2"):
        for _, p, _ in points(quick / experiment):
            assert p["accuracy"] == pytest.approx(1 - p["errors"] / p["n_test"])
            assert p["n_train"] + p["n_test"] == 351


def test_fig3s_table_holds_the_records_accuracies(quick):
    found = {(p["method"], p["D"]): 100 * p["accuracy"] for _, p, _ in points(quick / "fig3")}
    rows = table(quick / "fig3" / "table.csv")
    assert [row["D"] for row in rows] == ["16", "32"]
    for row in rows:
        for method in ("rks", "scrf"):
            assert float(row[method]) == pytest.approx(found[method, int(row["D"])])
        assert float(row["libsvm"]) == pytest.approx(found["libsvm", None])
        assert row["paper"] == ""


def test_fig1s_errors_are_the_plain_formulas(quick):
    """RKS at one repetition, from the draws its docstring states: standard normal W, then U[0, 2 pi) phases."""
    d, rows, gamma, seed, repetition = 16, 40, 0.25, 2015, 1
    X = np.random.default_rng([seed, repetition]).random((rows, d))
    K = np.exp(-gamma * cdist(X, X, "sqeuclidean"))
    records = {
        p["D"]: p
        for _, p, _ in points(quick / "fig1")
        if (p["panel"], p["map"], p["repetition"]) == ("curve", "rks", 1)
    }
    assert set(records) == {16, 64}
    for D, p in records.items():
        words = np.random.RandomState(seed + 1000 * repetition).randint(0, 2**32, size=4, dtype=np.uint32)
        rng = np.random.RandomState(words)
        W = rng.standard_normal((D, d)) * math.sqrt(2 * gamma)
        b = rng.uniform(0, 2 * math.pi, D)
        Phi = math.sqrt(2 / D) * np.cos(X @ W.T + b)
        E = Phi @ Phi.T - K
        frobenius = math.sqrt((E**2).sum() / (K**2).sum())
        spectral = np.abs(np.linalg.eigvalsh(E)).max() / np.abs(np.linalg.eigvalsh(K)).max()
        assert p["relative_frobenius_error"] == pytest.approx(frobenius, rel=1e-9)
        assert p["relative_spectral_error"] == pytest.approx(spectral, rel=1e-9)


def test_fig1s_table_averages_repetitions_and_compares_with_rks(quick):
    errors = {}
    for _, p, _ in points(quick / "fig1"):
        if p["panel"] == "curve":
            errors.setdefault((p["map"], p["D"]), []).append(p["relative_frobenius_error"])
    for row in table(quick / "fig1" / "table.csv"):
        name = {"RKS": "rks", "SCRF": "scrf"}[row["method"]]
        own, reference = errors[name, int(row["D"])], errors["rks", int(row["D"])]
        assert float(row["frobenius"]) == pytest.approx(sum(own) / 2)
        assert float(row["frobenius_se"]) == pytest.approx(abs(own[0] - own[1]) / 2)
        assert float(row["ratio"]) == pytest.approx(sum(own) / sum(reference))
        assert (row["n"], row["paper"]) == ("2", "")


def test_fig1s_scatter_pairs_are_symmetric_halves_with_their_diagonal(quick):
    for _, p, samples in points(quick / "fig1"):
        if p["panel"] == "scatter":
            assert len(samples["exact"]) == len(samples["estimate"]) == 12 * 13 // 2
            assert samples["exact"].count(1.0) == 12
            assert p["rms_error"] == pytest.approx(
                math.sqrt(np.mean((np.array(samples["exact"]) - samples["estimate"]) ** 2)), rel=1e-3
            )


def test_table1_prints_medians_of_the_raw_samples(quick):
    rows = {(row["d"], row["method"]): row for row in table(quick / "table1" / "table-table1.csv")}
    labels = {"rks": "RKS", "scrf": "SCRF", "sklearn": "sklearn RBFSampler"}
    for _, p, samples in points(quick / "table1"):
        row = rows[str(p["d"]), labels[p["map"]]]
        for column, key in (("map", "map_cpu_s"), ("map_fresh", "map_fresh_cpu_s"), ("draw", "draw_cpu_s")):
            if key in samples:
                assert len(samples[key]) == 3
                assert float(row[column]) == pytest.approx(float(np.median(samples[key])))
            else:
                assert row[column] == ""
        assert row["paper"] == ""
        if p["map"] != "rks":
            timed = "map_cpu_s" if p["map"] == "scrf" else "map_fresh_cpu_s"
            rounds = np.array(samples[f"rks_{timed}"]) / np.array(samples[timed])
            assert float(row["speedup"]) == pytest.approx(float(np.median(rounds)))
    # The paper's counts: dD + D, and 3D with D padded to whole circulants of order d.
    assert [rows["16", m]["parameters"] for m in ("RKS", "SCRF")] == [str(16 * 64 + 64), str(3 * 64)]
    assert rows["20", "RKS"]["parameters"] == str(20 * 64 + 64)
    ratio = float(rows["16", "RKS"]["parameters"]) / float(rows["16", "SCRF"]["parameters"])
    assert float(rows["16", "SCRF"]["parameter_ratio"]) == pytest.approx(ratio)


def test_table1s_peers_are_compared_with_ours_round_by_round(quick):
    rows = {(row["d"], row["output"]): row for row in table(quick / "table1" / "table-table1-peers.csv")}
    assert {output for _, output in rows} == {"fresh", "fresh, reused"}
    for _, p, samples in points(quick / "table1"):
        if p["map"] == "sklearn":
            for output, ours in (("fresh", "scrf_map_fresh_cpu_s"), ("fresh, reused", "scrf_map_cpu_s")):
                rounds = np.array(samples["map_fresh_cpu_s"]) / np.array(samples[ours])
                assert float(rows[str(p["d"]), output]["ratio"]) == pytest.approx(float(np.median(rounds)))


def test_fig2_shows_the_declared_limit_and_is_complete_all_the_same(quick):
    """RKS beyond the limit is a declared shortfall: exit code 0 (checked above), recorded and shown as such."""
    limited = [r for r in record_files(quick / "fig2") if r["status"] != "ok"]
    assert [(r["cell"]["parameters"]["map"], r["cell"]["parameters"]["d"]) for r in limited] == [("rks", [64])]
    assert (limited[0]["status"], limited[0]["declared"]) == ("memory", True)
    assert "matrix_limit_gb" in limited[0]["error"]
    rows = {(row["d"], row["method"]): row for row in table(quick / "fig2" / "table.csv")}
    assert rows["64", "RKS"]["map"] == ""
    assert "exceeds the limit of 1e-05 GB" in rows["64", "RKS"]["map_note"]
    assert rows["64", "SCRF"]["map"] != ""
    assert "over limit [1]" in (quick / "fig2" / "table.md").read_text()
    # Without RKS to compare with there is no ratio, and no reference was timed.
    assert rows["64", "SCRF"]["speedup"] == ""
    assert " n/a " in (quick / "fig2" / "table.md").read_text()


def test_fig2s_exponent_is_the_least_squares_slope(quick):
    times = {p["d"]: p["map_cpu_s"] for _, p, _ in points(quick / "fig2") if p["map"] == "scrf"}
    slope = np.polyfit(np.log(list(times)), np.log(list(times.values())), 1)[0]
    note = (quick / "fig2" / "table.md").read_text()
    assert f"SCRF d^{slope:.2f} ± " in note
    assert "RKS d^" not in note, "two points give no exponent"


def contents(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".json", ".csv", ".md", ".png")
    }


def test_the_same_command_runs_nothing_and_changes_nothing(study, own_copy):
    before = contents(own_copy)
    result = run_cli("run", *NAMES, "--configs", study[0], "--results", own_copy)
    assert result.exit_code == 0
    for name in NAMES:
        assert f"({CELLS[name]} done before)" in result.stderr
    assert contents(own_copy) == before


def test_report_gives_the_same_bytes(study, own_copy):
    before = contents(own_copy)
    for path in own_copy.glob("quick/*/*.*"):
        if path.suffix in (".csv", ".md", ".png"):
            path.unlink()
    assert run_cli("report", *NAMES, "--configs", study[0], "--results", own_copy).exit_code == 0
    assert contents(own_copy) == before


def test_force_runs_again_and_keeps_the_old_record(study, tmp_path):
    configs = study[0]
    arguments = ["run", "fig3", "--maps", "libsvm", "--configs", configs, "--results", tmp_path]
    assert run_cli(*arguments).exit_code == 0
    assert "1 done before" not in run_cli(*arguments, "--force").stderr
    first, second = record_files(tmp_path / "quick" / "fig3")
    assert (first["attempt"], second["attempt"]) == (1, 2)
    assert first["points"][0]["metrics"]["predictions_sha256"] == second["points"][0]["metrics"]["predictions_sha256"]


def test_a_failed_cell_gives_3_and_is_named_with_its_reason(study, tmp_path):
    """A limit of one megabyte stops every cell; each is named, ``--retry`` is offered, and nothing crashes."""
    arguments = ["run", "fig1", "--maps", "rks", "--configs", study[0], "--results", tmp_path]
    result = run_cli(*arguments, "--memory-limit", "1MB")
    assert result.exit_code == 3, result.output
    for cell in ("RKS scatter", "RKS D curve 1-2"):
        assert f"{cell}: memory. Stopped at " in result.stderr
        assert f"{cell}: memory. Stopped at " in (tmp_path / "quick" / "fig1" / "table.md").read_text()
    assert {row["frobenius"] for row in table(tmp_path / "quick" / "fig1" / "table.csv")} == {""}
    rows = table(tmp_path / "quick" / "fig1" / "records.csv")
    assert [row["status"] for row in rows] == ["memory", "memory"]

    again = run_cli(*arguments)
    assert again.exit_code == 3
    assert "--retry memory" in again.stderr
    retried = run_cli(*arguments, "--retry", "memory")
    assert retried.exit_code == 0, retried.output
    assert [(r["attempt"], r["status"]) for r in record_files(tmp_path / "quick" / "fig1")] == [
        (1, "memory"),
        (2, "ok"),
        (1, "memory"),
        (2, "ok"),
    ]


def test_a_plugins_map_runs_beside_the_others(study, tmp_path):
    """A map of twenty lines in a file takes part by its name, in the cell's own process as in the table."""
    plugin = tmp_path / "mine.py"
    plugin.write_text(
        "from scrf_bench.maps import MAPS, RKS, register_map\n"
        "if 'tripled' not in MAPS:\n"
        "    class Tripled(RKS):\n"
        "        name = 'tripled'\n"
        "        label = 'Tripled RKS'\n"
        "        version = 7\n"
        "    register_map(Tripled)\n"
    )
    from scrf_bench.maps import MAPS

    try:
        result = run_cli(
            "run", "fig3", "--maps", "tripled", "--plugin", plugin, "--configs", study[0], "--results", tmp_path
        )
        assert result.exit_code == 0, result.output
        assert "Tripled RKS" in result.stdout
        (record,) = record_files(tmp_path / "quick" / "fig3")
        assert record["cell"]["versions"]["map"] == 7
    finally:
        MAPS.pop("tripled", None)


def test_json_gives_whole_records(study, own_copy):
    lines = run_cli("run", "fig2", "--json", "--configs", study[0], "--results", own_copy).stdout.splitlines()
    records = [json.loads(line) for line in lines]
    assert len(records) == CELLS["fig2"]
    assert {record["kind_of_file"] for record in records} == {"record"}
    assert {record["cell"]["experiment"] for record in records} == {Fig2.name}
