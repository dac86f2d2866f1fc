"""Tables and figures of whatever records there are: none, some, failed ones, of an unknown map; papers' own figures."""

import csv
from pathlib import Path

import pytest

from scrf_bench.bench import Record, Store, run_cell
from scrf_bench.experiments.base import Selection
from scrf_bench.experiments.campaign import Prepared, chosen_records, lay_out, prepare, render_results
from scrf_bench.maps import MAPS, RKS
from scrf_bench.report import paper_figures, reported_figures
from scrf_bench.resources import resource_path
from tests.bench.fake_plan import ENVIRONMENT
from tests.experiments.tiny_study import CONFIGS, write_configs

NAMES = ("fig1", "table1", "fig2", "fig3", "table2", "fig3-maps")
FORMATS = ("csv", "markdown", "latex", "png", "svg", "pdf")


@pytest.fixture(scope="module")
def outcomes():
    """Outcomes of cells that were measured already, by id: the tests below want records, not measurements."""
    return {}


@pytest.fixture
def prepared(tmp_path):
    """Return a function that plans an experiment into an empty store."""
    configs = write_configs(tmp_path / "configs")

    def plan(name, selection=None, **changes) -> Prepared:
        write_configs(configs, **changes)
        return prepare(name, selection or Selection(), results=tmp_path, configs=configs)

    return plan


def fill(prepared, outcomes, wanted=lambda _: True, **changes):
    """Store an ``ok`` record of every wanted cell that no limit forbids, or one with the changes."""
    store: Store = prepared.store
    for cell in prepared.cells:
        if cell.declared_limit:
            store.add(Record(cell, ENVIRONMENT, 1, "memory", error=cell.declared_limit, declared=True))
        elif wanted(cell):
            if cell.id not in outcomes and not changes:
                outcomes[cell.id] = run_cell(cell, prepared.experiment.measure)
                assert outcomes[cell.id].status == "ok", outcomes[cell.id].traceback
            fields = changes or {"status": "ok", "points": outcomes[cell.id].points, "peak_rss": 10**8}
            store.add(Record(cell, ENVIRONMENT, 1, started="2026-11-30T00:00:00.000+00:00", **fields))


def text_of(paths, suffix=".md"):
    return "\n".join(path.read_text() for path in paths if path.suffix == suffix)


def method_of(cell):
    return cell.parameters.get("map") or cell.parameters.get("method")


@pytest.mark.parametrize("name", NAMES)
def test_without_any_record_the_table_says_so(name, prepared):
    plan = prepared(name)
    _, _, paths = render_results(plan, FORMATS)
    text = text_of(paths)
    assert "n/a" in text
    assert "No records." in text
    assert "Not run yet: " in text
    assert not [path for path in paths if path.suffix in (".png", ".svg", ".pdf")], "a figure of nothing"
    assert (plan.folder / "records.csv").exists()


@pytest.mark.parametrize("name", NAMES)
def test_every_planned_row_is_there_whatever_was_measured(name, prepared, outcomes):
    """Rows do not come and go with records: a map that was not measured has its row, or column, of n/a."""

    def shape(plan):
        table = lay_out(plan, chosen_records(plan)).tables[0]
        return [column.key for column in table.columns], [(r.get("d"), r.get("D"), r.get("method")) for r in table.rows]

    empty = shape(prepared(name))
    full = prepared(name)
    fill(full, outcomes)
    columns, rows = shape(full)
    assert columns == empty[0]
    assert [row[2] for row in rows] == [row[2] for row in empty[1]]


@pytest.mark.parametrize("name", NAMES)
def test_with_one_map_missing(name, prepared, outcomes):
    plan = prepared(name)
    fill(plan, outcomes, lambda cell: method_of(cell) != "scrf")
    _, chosen, paths = render_results(plan, FORMATS)
    assert {method_of(cell) for cell in chosen.missing} == {"scrf"}
    text = text_of(paths)
    assert "n/a" in text
    assert f"Not run yet: {chosen.missing[0].name}" in text
    assert "SCRF" in text
    if name not in ("table1", "table2"):
        pictures = {path.name for path in paths if path.suffix == ".png"}
        assert pictures >= ({"figure-accuracy.png", "figure-time.png"} if name == "fig3-maps" else {"figure.png"})


@pytest.mark.parametrize("name", NAMES)
def test_with_the_first_cell_alone(name, prepared, outcomes):
    plan = prepared(name)
    first = plan.cells[0]
    fill(plan, outcomes, lambda cell: cell is first)
    _, chosen, paths = render_results(plan, FORMATS)
    assert [record.cell.id for record in chosen.records if record.ok] == [first.id]
    assert "n/a" in text_of(paths)


@pytest.mark.parametrize("name", NAMES)
def test_with_failed_cells_each_is_named_with_its_reason(name, prepared, outcomes):
    plan = prepared(name)
    fill(plan, outcomes, lambda cell: method_of(cell) != "scrf")
    fill(plan, outcomes, lambda cell: method_of(cell) == "scrf", status="timeout", error="Stopped after 9 s.")
    _, _, paths = render_results(plan, FORMATS)
    text = text_of(paths)
    failed = [cell for cell in plan.cells if method_of(cell) == "scrf"]
    assert failed
    for cell in failed:
        assert f"{cell.name}: timeout. Stopped after 9 s." in text
    assert "Stopped after 9 s." in text_of(paths, ".tex")


def test_a_stale_record_is_not_shown_but_named(prepared, outcomes, monkeypatch):
    plan = prepared("fig3")
    fill(plan, outcomes)
    monkeypatch.setattr(MAPS["scrf"], "version", MAPS["scrf"].version + 1)
    newer = prepared("fig3")
    _, chosen, paths = render_results(newer, ("csv", "markdown"))
    assert [stale.cell.name for stale in chosen.stale] == ["ionosphere SCRF seed 0 D 16-32"]
    assert "stale (version of map" in text_of(paths)
    with (newer.folder / "table.csv").open() as stream:
        assert {row["scrf"] for row in csv.DictReader(stream)} == {""}


@pytest.mark.parametrize("name", NAMES)
def test_a_map_that_no_style_knows_is_drawn(name, prepared, outcomes, monkeypatch):
    class Newcomer(RKS):
        name = "newcomer"
        label = "A newcomer's map"

    monkeypatch.setitem(MAPS, "newcomer", Newcomer)
    text = CONFIGS[name].replace('"scrf"', '"newcomer"')
    plan = prepared(name, **{name: text})
    fill(plan, outcomes)
    _, chosen, paths = render_results(plan, FORMATS)
    assert "newcomer" in {method_of(record.cell) for record in chosen.records}
    assert "A newcomer's map" in text_of(paths)


@pytest.mark.parametrize("name", ["table1", "fig2"])
def test_scikit_learns_sampler_alone(name, prepared, outcomes):
    """It cannot write into a given output: its time is that with a fresh one, in table and figure."""
    plan = prepared(name, Selection(maps=("sklearn",)))
    fill(plan, outcomes)
    _, _, paths = render_results(plan, FORMATS)
    assert "sklearn RBFSampler" in text_of(paths)


def test_exact_libsvm_alone(prepared, outcomes):
    for name in ("fig3", "table2"):
        plan = prepared(name, Selection(maps=("libsvm",)))
        fill(plan, outcomes)
        _, _, paths = render_results(plan, FORMATS)
        assert "exact LIBSVM" in text_of(paths)


def test_a_fit_that_stopped_early_is_marked(prepared, outcomes):
    changed = CONFIGS["table2"].replace("control_max_iter = 300", "control_max_iter = 1")
    plan = prepared("table2", table2=changed)
    fill(plan, {}, lambda cell: method_of(cell) == "control")
    _, _, paths = render_results(plan, ("markdown",))
    assert "Stopped at the limit of passes before eps was reached: ionosphere exact, 1-vs-rest." in text_of(paths)


def test_an_inferred_dataset_is_marked(prepared):
    plan = prepared("table2", table2=CONFIGS["table2"].replace('"ours"', '"inferred"'))
    text = text_of(render_results(plan, ("markdown",))[2])
    rows = [line for line in text.splitlines() if line.startswith("| ionosphere")]
    assert rows
    assert "| inferred |" in rows[0]
    assert "does not name ionosphere" in text


@pytest.fixture
def reported_file(tmp_path, monkeypatch):
    """Return a function that replaces the papers' figures with ones of the certainty given."""
    real = resource_path("data/reported.csv")

    def replace(certainty):
        with real.open(newline="") as stream:
            header = next(csv.reader(stream))
        rows = [
            ["SCRF-IJCAI2015", "Table 2", "ionosphere", method, "test accuracy", "77.77", "%", "x", certainty]
            for method in ("SCRF", "RKS", "Fastfood", "exact LIBSVM", "exact, 1-vs-rest")
        ]
        rows += [
            ["SCRF-IJCAI2015", "Table 1", f"d={d}", method, "speedup", "77.77", "x", "x", certainty]
            for d in (16, 20)
            for method in ("SCRF", "Fastfood")
        ]
        rows.append(
            ["SCRF-IJCAI2015", "Table 1 text", "-", "SCRF vs Fastfood", "storage", "77.77", "x", "x", certainty]
        )
        with (tmp_path / "reported.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows([header, *rows])
        monkeypatch.setattr(paper_figures, "resource_path", lambda _: Path(tmp_path, "reported.csv"))
        paper_figures._read.cache_clear()

    yield replace
    paper_figures._read.cache_clear()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("certainty", ["recalled", "second-hand", "stated in a source, I believe", "", "inferred"])
def test_a_figure_that_no_source_states_is_in_no_table(name, certainty, prepared, reported_file):
    reported_file(certainty)
    _, _, paths = render_results(prepared(name), FORMATS[:3])
    for suffix in (".md", ".csv", ".tex"):
        assert "77.77" not in text_of(paths, suffix)
        assert "77.8" not in text_of(paths, suffix)


@pytest.mark.parametrize("name", ["table1", "table2"])
def test_a_figure_that_a_source_states_is_shown(name, prepared, reported_file):
    """The test above would see such a figure."""
    reported_file("stated in source")
    _, _, paths = render_results(prepared(name), FORMATS[:3])
    assert "77.77" in text_of(paths, ".csv")


@pytest.mark.parametrize("name", NAMES)
def test_paper_columns_hold_stated_figures_or_nothing(name, prepared, outcomes):
    plan = prepared(name)
    fill(plan, outcomes)
    stated = {figure.value for figure in reported_figures("SCRF-IJCAI2015")}
    for table in lay_out(plan, chosen_records(plan)).tables:
        assert {row.get("paper") for row in table.rows} <= stated | {None}
