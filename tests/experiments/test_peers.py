"""Peers are maps of the same kernel, written as they should be; one whose package is missing is shown as such."""

import math
import sys

import numpy as np
import pytest

from scrf_bench.bench import Cell, Point, Record, Store, run_cell, run_cells
from scrf_bench.errors import UnavailableError
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import prepare, render_results
from scrf_bench.experiments.kernel_gate import error_bound, kernel_error
from scrf_bench.experiments.map_cells import BASELINES
from scrf_bench.experiments.peers import PEERS
from scrf_bench.experiments.scrf.peer_table import peer_table
from scrf_bench.experiments.scrf.sweeps import Place
from scrf_bench.maps import map_names
from scrf_bench.report import style
from tests.bench.fake_plan import ENVIRONMENT
from tests.experiments.tiny_study import CONFIGS, write_configs

UNBIASED = ("sklearn", "rfflearn", "fht-cpu", "scipy-fft")
COMPOSED = ("fht-cpu", "scipy-fft")


def peer(name, d, D, *, gamma=1.0, dtype=np.float64, seed=3):
    """Return a fitted peer, or skip the test where its package is not installed."""
    pytest.importorskip(PEERS[name].module, reason=f"{PEERS[name].package} is not installed")
    return PEERS[name](D, gamma=gamma, seed=seed).fit(np.zeros((1, d), dtype))


@pytest.mark.statistical
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", UNBIASED)
def test_a_peer_estimates_the_kernel_without_bias(name, dtype):
    """d = 4, D = 65,536, 64 pairs with k between 0.05 and 0.95: every error is below 0.1.

    Blocks of at most 4 frequencies are drawn independently, and each contributes a mean within [-2, 2]: Hoeffding's
    bound over at least 16,384 of them, with the union over the pairs, gives 0.0955 at a false-alarm rate of 1e-6 for
    each peer; float32 adds less than 0.001. A factor sqrt(2) in gamma moves k by up to 0.14.
    """
    rng = np.random.default_rng(5)
    d, D, gamma = 4, 1 << 16, 0.25
    X = rng.standard_normal((128, d)).astype(dtype)
    map_ = peer(name, d, D, gamma=gamma, dtype=dtype)
    features = np.asarray(map_.transform(X), dtype=np.float64) * map_.scale_
    exact = np.exp(-gamma * ((X[:64] - X[64:]).astype(np.float64) ** 2).sum(axis=1))
    used = (exact > 0.05) & (exact < 0.95)
    assert used.sum() > 40
    error = np.abs((features[:64] * features[64:]).sum(axis=1) - exact)
    assert error[used].max() < 0.0965


@pytest.mark.statistical
def test_xgprs_features_pass_the_gate():
    """SORF is biased by O(1/n); at n = 256 the gate, which a wrong width fails, leaves room for it (fixed seed)."""
    X = np.random.default_rng(0).random((128, 256))
    map_ = peer("xgpr", 256, 4096, gamma=1 / 256)
    assert kernel_error(map_.transform, X, 1 / 256) < error_bound(4096)
    assert kernel_error(map_.transform, X, 2 / 256) > error_bound(4096)


@pytest.mark.parametrize("D", [64, 100])
@pytest.mark.parametrize("name", COMPOSED)
def test_the_compositions_write_the_output_that_they_are_given(name, D, monkeypatch):
    """Whole blocks or not, one chunk or several: the same features in a given output as in a fresh one."""
    X = np.random.default_rng(1).standard_normal((23, 12))
    map_ = peer(name, 12, D)
    fresh = map_.transform(X)
    monkeypatch.setattr(sys.modules[type(map_).__module__], "_CHUNK", 5 * 128)
    out = np.full((23, D), np.nan)
    assert map_.transform(X, out=out) is out
    np.testing.assert_allclose(out, fresh, rtol=0, atol=1e-13)
    np.testing.assert_allclose(map_.transform(X[7:8]), fresh[7:8], rtol=0, atol=1e-13)
    assert fresh.shape == (23, D)
    assert np.abs(fresh).max() <= math.sqrt(2 / D) * (1 + 1e-12)


def test_the_scipy_composition_is_the_plain_formula():
    """Row signs times a circulant of the drawn vector, against scipy.linalg.circulant."""
    from scipy.linalg import circulant

    X = np.random.default_rng(1).standard_normal((5, 6))
    map_ = peer("scipy-fft", 6, 10, gamma=0.5)
    rng = np.random.default_rng(3)
    rows = np.concatenate([circulant(c) for c in rng.standard_normal((2, 6))])[:10]
    signs, phase = rng.choice([-1.0, 1.0], size=10), rng.uniform(0, 2 * math.pi, 10)
    expected = math.sqrt(2 / 10) * np.cos((X @ rows.T) * signs + phase)
    np.testing.assert_allclose(map_.transform(X), expected, rtol=0, atol=1e-12)


def test_the_fht_composition_is_the_plain_formula():
    """S H G P H B of one block, with scipy.linalg.hadamard."""
    from scipy.linalg import hadamard

    X = np.random.default_rng(1).standard_normal((5, 6))
    map_ = peer("fht-cpu", 6, 8, gamma=0.5)
    rng = np.random.default_rng(3)
    signs, gauss = rng.choice([-1.0, 1.0], size=8), rng.standard_normal((1, 8))
    chi = np.sqrt(rng.chisquare(8, size=(1, 8)))
    order = rng.permutation(8)
    phase = rng.uniform(0, 2 * math.pi, 8)
    H = hadamard(8)
    V = np.diag(chi[0] / np.linalg.norm(gauss)) @ H @ np.diag(gauss[0]) @ np.eye(8)[order] @ H @ np.diag(signs)
    padded = np.pad(X, ((0, 0), (0, 2)))
    expected = math.sqrt(2 / 8) * np.cos(padded @ V.T / math.sqrt(8) + phase)
    np.testing.assert_allclose(map_.transform(X), expected, rtol=0, atol=1e-12)


def test_the_floor_fills_what_it_is_given():
    fill, out = peer("fill", 3, 7), np.zeros((4, 7))
    assert fill.transform(np.zeros((4, 3)), out=out) is out
    assert (out == 0.5).all()
    assert (fill.nbytes_, fill.n_parameters_) == (0, 0)


def test_peers_have_names_of_their_own():
    assert not set(PEERS) & set(map_names()), "a peer and a map share a name: --maps could not tell them apart"
    assert set(PEERS) <= set(BASELINES)
    for name, kind in PEERS.items():
        assert kind.drawn_as in style.STYLES
        # In a figure a peer stands beside the maps that it is compared with.
        assert kind.drawn_as not in kind.beside, name


@pytest.fixture
def without_sklearn(monkeypatch):
    monkeypatch.setattr(PEERS["sklearn"], "module", "no_such_package_at_all")


@pytest.mark.parametrize("name", ["table1", "fig2"])
def test_an_unavailable_peer_is_shown_with_its_reason(name, without_sklearn, tmp_path):
    """Its cell starts no process, its record says why, and its row has the word and a footnote, not an n/a."""
    text = CONFIGS["fig2"].replace("rows = 20", 'peers = ["sklearn"]\nrows = 20').replace("0.00001", "1.0")
    configs = write_configs(tmp_path / "configs", fig2=text)
    plan = prepare(name, Selection(maps=("sklearn",)), results=tmp_path, configs=configs)
    assert all("scikit-learn, which is not installed here" in cell.unavailable for cell in plan.cells)
    summary = run_cells(plan.cells, Store(plan.folder))
    assert {record.status for record in summary.records} == {"unavailable"}
    layout, _, paths = render_results(plan, ("markdown",))
    words = "\n".join(path.read_text() for path in paths if path.suffix == ".md")
    assert "unavailable [1]" in words
    assert words.count("pip install scikit-learn") == len(layout.tables), "once a table, not once a cell"
    assert summary.exit_code == 3


def test_a_peer_that_cannot_be_imported_makes_its_cell_unavailable(monkeypatch, tmp_path):
    """Installed and broken is no failure of ours: the record says unavailable, with the import's own words."""
    kind = PEERS["sklearn"]

    def broken(self, d, dtype):
        raise ImportError("libgomp is missing")

    monkeypatch.setattr(kind, "_draw", broken)
    with pytest.raises(UnavailableError, match="libgomp is missing"):
        kind(8, gamma=1.0, seed=0).fit(np.zeros((1, 3)))
    plan = prepare(
        "table1", Selection(maps=("sklearn",)), results=tmp_path, configs=write_configs(tmp_path / "configs")
    )
    outcome = run_cell(plan.cells[0], plan.experiment.measure)
    assert outcome.status == "unavailable"


def test_a_speed_without_the_kernel_is_refused(monkeypatch, tmp_path):
    """Half the width of the kernel, half the work: the row shows 'refused', its error and the bound, and no speed."""
    kind = PEERS["sklearn"]
    draw = kind._draw

    def cheat(self, d, dtype):
        self.gamma *= 64.0
        draw(self, d, dtype)

    monkeypatch.setattr(kind, "_draw", cheat)
    text = CONFIGS["table1"].replace("D = 64", "D = 1024")
    plan = prepare(
        "table1",
        Selection(maps=("sklearn",)),
        results=tmp_path,
        configs=write_configs(tmp_path / "configs", table1=text),
    )
    for cell in plan.cells:
        outcome = run_cell(cell, plan.experiment.measure)
        assert outcome.status == "ok", outcome.traceback
        plan.store.add(Record(cell, ENVIRONMENT, 1, "ok", points=outcome.points))
    layout, _, _ = render_results(plan, ("markdown",))
    for table in layout.tables:
        for row in table.rows:
            assert "refused" in {getattr(value, "short", "") for value in row.values()}
            assert not isinstance(row.get("speedup", row.get("ratio")), float)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", [name for name, kind in PEERS.items() if kind.estimates])
def test_a_peers_precision_is_as_declared(name, dtype):
    """What computes in float32 cannot tell a float64 input from its rounding; what computes in float64 can."""
    X = np.random.default_rng(2).random((8, 16)).astype(dtype)
    map_ = peer(name, 16, 64, gamma=1 / 16, dtype=np.dtype(dtype))
    computes, returns = PEERS[name].precision(dtype)
    features = map_.transform(X)
    assert features.dtype == returns
    if dtype == "float64":
        rounded = map_.transform(X.astype(np.float32).astype(np.float64))
        assert np.array_equal(features, rounded) == (computes == "float32")
    else:
        # The same draws and the same rows in float64: equal to more than float32's 24 bits only if computed so.
        other = peer(name, 16, 64, gamma=1 / 16, dtype=np.float64).transform(X.astype(np.float64))
        # xgpr computes in float32 either way.
        close = np.abs(features - other).max() < 1e-12
        assert close == (computes == "float64" or PEERS[name].precision("float64")[0] == "float32")


def test_the_floor_returns_what_it_is_given():
    assert PEERS["fill"].precision("float32") == ("float32", "float32")
    assert peer("fill", 3, 7, dtype=np.float32).transform(np.zeros((4, 3), np.float32)).dtype == np.float32


def test_every_peer_has_its_rows_in_the_table_of_peers():
    """Also one whose only counterpart is RKS: it is compared with that."""
    planned = [Place(name, "float32", (16,), stages=False) for name in PEERS]
    rows = peer_table("t", "t", planned, []).rows
    assert {row["peer"] for row in rows} == {kind.label for kind in PEERS.values()}
    ours = {}
    for row in rows:
        ours.setdefault(row["peer"], set()).add(row["map"])
    assert ours["rfflearn RFF"] == {"RKS"}
    assert ours["sklearn RBFSampler"] == {"SCRF"}
    told = {row["peer"]: (row["computes"], row["returns"]) for row in rows}
    assert told["xgpr SORF"] == ("float32", "float64")
    assert told["rfflearn RFF"] == ("float64", "float64")
    assert told["scipy.fft circulant"] == ("float32", "float32")
    assert told["fill (floor)"] == ("–", "float32")


def test_a_peer_without_a_nearer_counterpart_is_compared_with_rks():
    cell = Cell(
        experiment="table1", kind="timing", parameters={"map": "rfflearn"}, versions={}, dtype="float32", threads=1,
        label="made up",
    )  # fmt: skip
    samples = {"map_fresh_cpu_s": [6.0, 8.0], "rks_map_fresh_cpu_s": [2.0, 2.0]}
    metrics = {"map_fresh_cpu_s": 7.0, "rks_map_fresh_cpu_s": 2.0}
    points = (Point({"map": "rfflearn", "d": 16}, metrics, samples),)
    planned = [Place("rfflearn", "float32", (16,), stages=False)]
    (row,) = peer_table("t", "t", planned, [Record(cell, ENVIRONMENT, 1, "ok", points)]).rows
    assert (row["map"], row["output"], row["ratio"], row["map_time"]) == ("RKS", "fresh", 3.5, 2.0)
