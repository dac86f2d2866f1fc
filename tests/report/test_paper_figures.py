"""The papers' figures: what a source states, never what somebody recalls."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from scrf_bench.errors import ScrfBenchError
from scrf_bench.report import paper_figures, reported, reported_figures
from scrf_bench.resources import resource_path

HEADER = "paper,table_or_figure,dataset,method,quantity,value,unit,source,certainty\n"
ROWS = """\
P,Table 1,dna,RKS,accuracy,95.4,%,the paper,stated in source
P,Table 1,dna,SCRF,accuracy,95.1,%,a note,second-hand
P,Table 1,w8a,RKS,accuracy,98.9,%,nobody,recalled
P,Table 1,w8a,SCRF,accuracy,99.0,%,the paper,stated in source; row is my reading
P,Table 1,usps,RKS,accuracy,n.a.,%,the paper,stated in source
P,Table 2,-,SCRF,parameters,3D,count,the paper,stated in source
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Put a small file in the packaged one's place."""
    path = tmp_path / "reported.csv"
    path.write_text(HEADER + ROWS, encoding="utf-8")
    monkeypatch.setattr(paper_figures, "resource_path", lambda relative: path)
    paper_figures._read.cache_clear()
    yield path
    paper_figures._read.cache_clear()


def test_stated_figure_is_a_number_with_its_source(file: Path) -> None:
    figure = reported("P", "Table 1", dataset="dna", method="RKS", quantity="accuracy")
    assert figure is not None
    assert (figure.value, figure.unit, figure.source) == (95.4, "%", "the paper")


def test_stated_text_stays_text(file: Path) -> None:
    figure = reported("P", "Table 2", method="SCRF")
    assert figure is not None
    assert figure.value == "3D"


@pytest.mark.parametrize(("dataset", "method"), [("dna", "SCRF"), ("w8a", "RKS"), ("w8a", "SCRF")])
def test_recalled_and_inferred_figures_are_never_the_papers(file: Path, dataset: str, method: str) -> None:
    assert reported("P", "Table 1", dataset=dataset, method=method) is None


def test_other_certainties_come_only_when_spelled_out_and_say_so(file: Path) -> None:
    figure = reported("P", "Table 1", dataset="dna", method="SCRF", include=("second-hand",))
    assert figure is not None
    assert (figure.value, figure.certainty) == (95.1, "second-hand")
    assert reported("P", "Table 1", dataset="w8a", method="RKS", include=("second-hand",)) is None


def test_unknown_and_not_given_figures_are_none(file: Path) -> None:
    assert reported("P", "Table 9") is None
    assert reported("Q", "Table 1") is None
    assert reported("P", "Table 1", dataset="usps", method="RKS") is None


def test_an_ambiguous_question_is_refused_not_guessed(file: Path) -> None:
    with pytest.raises(ScrfBenchError, match=r"2 reported figures match P, Table 1, dna.*dna, SCRF, accuracy"):
        reported("P", "Table 1", dataset="dna", include=("second-hand",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("paper,value\nP,1\n", "has the columns"),
        (HEADER + "P,Table 1,dna\n", r"Line 2 of .* too few or too many fields"),
        (HEADER + ROWS.splitlines()[0] + ",more\n", r"Line 2 of .* too few or too many fields"),
    ],
)
def test_a_broken_file_is_named(file: Path, text: str, message: str) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ScrfBenchError, match=message):
        reported("P", "Table 1")


def test_packaged_file_gives_exactly_its_stated_rows() -> None:
    """Of the real file, only rows marked stated, without addition, pass; and there are some it holds back."""
    with resource_path("data/reported.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    stated = [r for r in rows if r["certainty"] == "stated in source" and r["value"] != "n.a."]
    assert [(f.paper, f.quantity, f.source) for f in reported_figures()] == [
        (r["paper"], r["quantity"], r["source"]) for r in stated
    ]
    assert 0 < len(stated) < len(rows)


def test_main_paper_states_its_storage_advantage_but_no_accuracies() -> None:
    storage = reported("SCRF-IJCAI2015", "Table 1 text", method="SCRF vs Fastfood")
    assert storage is not None
    assert storage.value == 1.5
    assert reported("SCRF-IJCAI2015", "Table 2", dataset="dna", method="SCRF") is None
