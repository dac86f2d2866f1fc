"""Files on disk: names, atomic writes, clear errors; and the page that needs nothing else."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import matplotlib.figure
import pytest

from scrf_bench.errors import UserError
from scrf_bench.report import (
    Column,
    Figure,
    Layout,
    Section,
    Table,
    html_page,
    render,
    to_csv,
)


def draw(canvas: matplotlib.figure.Figure) -> None:
    canvas.subplots().plot([1, 2], [3, 4])


def table(name: str) -> Table:
    return Table(name, f"Table <{name}>", (Column("x", "x", kind="int"),), [{"x": 1}])


def figure(name: str) -> Figure:
    return Figure(name, f"Figure <{name}>", 2.0, 1.5, draw)


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def test_single_parts_have_plain_names(tmp_path: Path) -> None:
    layout = Layout((table("table2"),), (figure("fig"),))
    paths = render(layout, tmp_path / "a" / "b", ("csv", "markdown", "latex", "png", "svg", "pdf"))
    assert names(paths) == ["table.csv", "table.md", "table.tex", "figure.png", "figure.svg", "figure.pdf"]
    assert all(path.stat().st_size > 0 for path in paths)
    assert sorted(p.name for p in (tmp_path / "a" / "b").iterdir()) == sorted(names(paths))


def test_several_parts_are_told_apart_by_name(tmp_path: Path) -> None:
    layout = Layout((table("time"), table("the rest")), (figure(""), figure("a"), figure("b")))
    assert names(render(layout, tmp_path, ("csv", "png"))) == [
        "table-time.csv",
        "table-the-rest.csv",
        "figure.png",
        "figure-a.png",
        "figure-b.png",
    ]


def test_default_formats_are_csv_markdown_png(tmp_path: Path) -> None:
    layout = Layout((table("t"),), (figure("f"),))
    assert names(render(layout, tmp_path)) == ["table.csv", "table.md", "figure.png"]
    assert (tmp_path / "table.csv").read_text() == to_csv(table("t"))


def test_parts_that_would_share_a_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Two figures of one layout would share a file: a, a"):
        render(Layout((), (figure("a"), figure("a"))), tmp_path, ("png",))


def test_rendering_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    layout = Layout((table("t"),), (figure("f"),))
    formats = ("csv", "markdown", "latex", "png", "svg", "pdf")
    first = [path.read_bytes() for path in render(layout, tmp_path / "1", formats)]
    assert [path.read_bytes() for path in render(layout, tmp_path / "2", formats)] == first


def test_unknown_format_is_a_users_error_that_lists_the_known(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="'gif' is not known; use csv, markdown, latex, png, svg, pdf"):
        render(Layout(), tmp_path, ("csv", "gif"))


def test_a_file_in_the_folders_place_is_a_users_error(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("I am a file")
    with pytest.raises(UserError, match="file stands where its folder should be"):
        render(Layout((table("t"),)), tmp_path / "results", ("csv",))
    with pytest.raises(UserError, match="file stands where its folder should be"):
        render(Layout((table("t"),)), tmp_path / "results" / "fig1", ("csv",))


def test_a_folder_in_the_files_place_is_a_users_error(tmp_path: Path) -> None:
    (tmp_path / "table.csv").mkdir()
    with pytest.raises(UserError, match="a folder stands in its place"):
        render(Layout((table("t"),)), tmp_path, ("csv",))
    assert names(list(tmp_path.iterdir())) == ["table.csv"]


class Page(HTMLParser):
    """Collect a page's addresses and identifiers, and check that its tags close in order."""

    VOID = ("meta", "img", "br", "link")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.identifiers: list[str] = []
        self.tags: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "href"):
                self.addresses.append(value or "")
            if name == "id":
                self.identifiers.append(value or "")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def page(tmp_path: Path) -> str:
    sections = [
        Section("Figure 1", Layout((), (figure(""), figure("a")))),
        Section("Table <2>", Layout((table("t"), table("u"))), ["Words & more."]),
    ]
    path = html_page("A <title>", sections, {"CPU": "x86 <64>", "threads": 1}, tmp_path / "new" / "index.html")
    return path.read_text(encoding="utf-8")


def test_page_is_well_formed_and_fetches_nothing(page: str) -> None:
    parsed = Page(page)
    assert all(a.startswith(("data:image/svg+xml;base64,", "#")) for a in parsed.addresses)
    assert not {"script", "link", "iframe"} & set(parsed.tags)
    assert "@import" not in page
    assert "url(" not in page


def test_page_links_lead_to_unique_places(page: str) -> None:
    parsed = Page(page)
    assert len(set(parsed.identifiers)) == len(parsed.identifiers)
    assert {a[1:] for a in parsed.addresses if a.startswith("#")} <= set(parsed.identifiers)


def test_page_escapes_titles_captions_and_environment(page: str) -> None:
    assert "<title>A &lt;title&gt;</title>" in page
    assert "Table &lt;t&gt;" in page
    assert "Words &amp; more." in page
    assert "<dt>CPU</dt><dd>x86 &lt;64&gt;</dd>" in page


def test_page_shows_the_whole_figure_without_its_panels_again(page: str) -> None:
    (picture,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert b"<svg" in base64.b64decode(picture)


def test_page_knows_light_dark_print_and_narrow(page: str) -> None:
    for words in ("prefers-color-scheme: dark", "@media print", "width=device-width", "overflow-x: auto"):
        assert words in page


def test_page_is_the_same_each_time(tmp_path: Path) -> None:
    sections = [Section("Figure 1", Layout((table("t"),), (figure(""),)))]
    first, second = (html_page("t", sections, {}, tmp_path / str(i)).read_bytes() for i in range(2))
    assert first == second


def test_page_refuses_two_sections_of_one_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="share a heading: A b, a-B"):
        html_page("t", [Section("A b", Layout()), Section("a-B", Layout())], {}, tmp_path / "x.html")


def test_importing_the_package_loads_neither_matplotlib_nor_jinja() -> None:
    """A cell's process imports its experiment and with it this package, and draws nothing."""
    code = "import sys, scrf_bench.report; print(sorted({'matplotlib', 'jinja2', 'pandas'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
