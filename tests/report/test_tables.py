"""Tables say exactly what they should in every format, whatever stands in their fields."""

from __future__ import annotations

import io
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrf_bench.report import (
    Column,
    MeanSe,
    NotMeasured,
    Table,
    to_csv,
    to_html,
    to_latex,
    to_markdown,
    to_terminal,
)
from scrf_bench.report.latex import escape_latex
from scrf_bench.report.values import decimals_from_error, format_value

OVER = NotMeasured("needs 8.0 GB, and the limit is 6 GB")
SMALL = Table(
    name="table2",
    title="Accuracy & time",
    columns=(
        Column("dataset", "dataset"),
        Column("method", "method"),
        Column("C", "C", kind="power2"),
        Column("accuracy", "accuracy", kind="percent"),
        Column("train_s", "train", kind="seconds"),
    ),
    rows=(
        {"dataset": "dna", "method": "LIBSVM", "C": 8, "accuracy": 0.9545, "train_s": 1.234},
        {"dataset": "dna", "method": "SCRF", "C": 0.125, "accuracy": MeanSe(0.9512, 0.0012, 5)},
        {"dataset": "w8a", "method": "RKS", "C": 8, "accuracy": OVER, "train_s": OVER},
    ),
    notes=("5 seeds.",),
    group_by="dataset",
)


def test_markdown_is_exact() -> None:
    assert (
        to_markdown(SMALL)
        == """\
**Accuracy & time**

| dataset | method |    C |   accuracy (%) |      train (s) |
| :------ | :----- | ---: | -------------: | -------------: |
| dna     | LIBSVM |  2^3 |          95.45 |           1.23 |
|         | SCRF   | 2^-3 |   95.12 ± 0.12 |            n/a |
| w8a     | RKS    |  2^3 | over limit [1] | over limit [1] |

- 5 seeds.
- [1] needs 8.0 GB, and the limit is 6 GB
"""
    )


def test_latex_is_exact() -> None:
    assert (
        to_latex(SMALL)
        == r"""% needs \usepackage{booktabs}
\begin{table}
  \centering
  \caption{Accuracy \& time}
  \label{tab:table2}
  \begin{tabular}{llrrr}
    \toprule
    dataset & method & C & accuracy (\%) & train (s) \\
    \midrule
    dna & LIBSVM & $2^{3}$ & 95.45 & 1.23 \\
     & SCRF & $2^{-3}$ & $95.12 \pm 0.12$ & n/a \\
    \midrule
    w8a & RKS & $2^{3}$ & over limit\textsuperscript{1} & over limit\textsuperscript{1} \\
    \bottomrule
  \end{tabular}

  \smallskip
  \begin{minipage}{\linewidth}\footnotesize
    5 seeds.\par
    \textsuperscript{1}\,needs 8.0 GB, and the limit is 6 GB\par
  \end{minipage}
\end{table}
"""
    )


def test_terminal_is_exact() -> None:
    assert (
        to_terminal(SMALL)
        == """\
Accuracy & time

━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
dataset  method     C    accuracy (%)       train (s)
─────────────────────────────────────────────────────
dna      LIBSVM   2^3           95.45            1.23
         SCRF    2^-3    95.12 ± 0.12             n/a
─────────────────────────────────────────────────────
w8a      RKS      2^3  over limit [1]  over limit [1]
━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
5 seeds.
[1] needs 8.0 GB, and the limit is 6 GB
"""
    )


def test_csv_is_exact() -> None:
    assert (
        to_csv(SMALL)
        == """\
dataset,method,C,accuracy,accuracy_se,accuracy_n,accuracy_note,train_s,train_s_note
dna,LIBSVM,8,0.9545,,,,1.234,
dna,SCRF,0.125,0.9512,0.0012,5,,,
w8a,RKS,8,,,,"needs 8.0 GB, and the limit is 6 GB",,"needs 8.0 GB, and the limit is 6 GB"
"""
    )


def test_html_holds_groups_marks_and_one_footnote() -> None:
    html = to_html(SMALL)
    assert html.count("<tbody>") == 2
    assert "<caption>Accuracy &amp; time</caption>" in html
    assert '<td class="r">2<sup>−3</sup></td><td class="r">95.12 ± 0.12</td><td class="r">n/a</td>' in html
    assert html.count("over limit<sup>[1]</sup>") == 2
    assert html.count("<li>[1] needs 8.0 GB, and the limit is 6 GB</li>") == 1


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.floats(allow_nan=False)),
            st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_csv_reads_back_to_the_same_numbers_and_texts(pairs: list[tuple[float | None, str]]) -> None:
    """Every bit of every float and every character of every text survive a round trip through pandas."""
    table = Table("t", "t", (Column("x", "x", kind="float"), Column("s", "s")), [{"x": x, "s": s} for x, s in pairs])
    back = pd.read_csv(io.StringIO(to_csv(table)), dtype=str, keep_default_na=False)
    assert [float(x) if x else None for x in back["x"]] == [x for x, _ in pairs]
    assert list(back["s"]) == [s for _, s in pairs]


def test_csv_reads_mean_error_and_count_into_numeric_columns() -> None:
    back = pd.read_csv(io.StringIO(to_csv(SMALL)))
    assert back["accuracy"].dtype == back["accuracy_se"].dtype == np.float64
    assert back.loc[1, ["accuracy", "accuracy_se", "accuracy_n"]].tolist() == [0.9512, 0.0012, 5]
    assert back["accuracy_note"].isna().tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("value", "kind", "digits", "text"),
    [
        (None, "percent", None, "n/a"),
        (float("nan"), "float", None, "n/a"),
        (np.float32("nan"), "seconds", None, "n/a"),
        (OVER, "bytes", None, "over limit"),
        (NotMeasured("never asked", short="skipped"), "int", None, "skipped"),
        ("3D", "int", None, "3D"),
        (True, "text", None, "yes"),
        (4062, "int", None, "4,062"),
        (2.5, "int", None, "2.5"),
        (-0.0001, "float", 3, "-1.00e-04"),
        (-0.0, "float", 3, "0.000"),
        (0.0, "float", 2, "0.00"),
        (math.inf, "float", None, "∞"),
        (1.0, "percent", 1, "100.0"),
        (np.float64(0.9545), "percent", None, "95.45"),
        (0.0004567, "seconds", None, "0.000457"),
        (1234.5, "seconds", None, "1,234"),
        (9.999, "seconds", None, "10.0"),
        (0, "seconds", None, "0"),
        (12.34, "ratio", None, "12.3×"),
        (512, "bytes", None, "512 B"),
        (999_999, "bytes", None, "1.00 MB"),
        (163_840_000, "bytes", None, "164 MB"),
        (0.0078125, "power2", None, "2^-7"),
        (1, "power2", None, "2^0"),
        (0.01, "power2", None, "0.01"),
        (MeanSe(95.4512, 0.1234, 5), "mean_se", None, "95.45 ± 0.12"),
        (MeanSe(95.4512, 1.234, 5), "mean_se", None, "95.5 ± 1.2"),
        (MeanSe(95.4512, 12.34, 5), "mean_se", None, "95 ± 12"),
        (MeanSe(95.4512, 0.0, 5), "mean_se", 1, "95.5 ± 0.0"),
        (MeanSe(0.9545, None, 1), "percent", None, "95.45 (n=1)"),
        (MeanSe(0.9545, 0.00123, 5), "percent", None, "95.45 ± 0.12"),
        (MeanSe(float("nan"), None, 0), "percent", None, "n/a"),
        (MeanSe(-1.5, 0.25, 3), "float", None, "-1.50 ± 0.25"),
    ],
)
def test_each_kind_writes_its_values(value: object, kind: str, digits: int | None, text: str) -> None:
    assert format_value(value, kind, digits) == text  # type: ignore[arg-type]


@given(st.floats(min_value=1e-9, max_value=9.4))
def test_an_error_keeps_two_significant_digits(se: float) -> None:
    """The decimals chosen show the standard error to within half of its second significant digit."""
    shown = float(f"{se:.{decimals_from_error(se)}f}")
    assert abs(shown - se) <= 0.0501 * se


def test_percent_refuses_what_is_no_fraction() -> None:
    with pytest.raises(ValueError, match=r"95\.45 is|not 95\.45; divide it by 100"):
        format_value(95.45, "percent")


@pytest.mark.parametrize(
    ("plain", "latex"),
    [
        (r"50% of a_b & #1 {x} $", r"50\% of a\_b \& \#1 \{x\} \$"),
        ("a\\b", r"a\textbackslash{}b"),
        ("x^2 ~ <y>", r"x\textasciicircum{}2 \textasciitilde{} \textless{}y\textgreater{}"),
        ("[1]", "{[}1{]}"),
        ("γ ≤ 1 ± 2 × 3", r"$\gamma$ $\le$ 1 $\pm$ 2 $\times$ 3"),
    ],
)
def test_latex_escapes_what_it_would_obey(plain: str, latex: str) -> None:
    assert escape_latex(plain) == latex


@given(st.text(alphabet=st.characters(codec="ascii", exclude_categories=("Cc",))))
def test_no_text_breaks_a_latex_row(text: str) -> None:
    """Whatever a field holds, its row keeps one ``&`` between two fields and braces stay balanced."""
    table = Table("t", "t", (Column("a", "a"), Column("b", "b")), [{"a": text, "b": text}])
    row = to_latex(table).split("\\midrule\n")[1].split("\n")[0]
    bare = row.replace(r"\&", "").replace(r"\{", "").replace(r"\}", "").replace(r"\%", "")
    assert bare.count("&") == 1
    assert bare.count("{") == bare.count("}")
    assert "%" not in bare


def test_latex_numbers_are_mathematics() -> None:
    table = Table(
        "t",
        "t",
        (Column("a", "a", kind="float"), Column("b", "b", kind="float"), Column("c", "c", kind="mean_se")),
        [{"a": -1.5, "b": 1.5e-9, "c": MeanSe(-1234.5, 12.0, 9)}],
    )
    assert r"$-1.500$ & $1.50 \times 10^{-9}$ & $-1{,}234 \pm 12$ \\" in to_latex(table)


def test_markdown_escapes_pipes_and_marks_but_not_names() -> None:
    table = Table("t", "a|b", (Column("x", "x*y"),), [{"x": "usps_esl | <b>\n`c` \\ _d_"}])
    lines = to_markdown(table).splitlines()
    assert lines[0] == r"**a\|b**"
    assert lines[2].startswith(r"| x\*y ")
    assert lines[4] == r"| usps_esl \| \<b> \`c\` \\ \_d\_ |"


def test_html_escapes_every_text() -> None:
    evil = "<script>alert('&')</script>"
    table = Table("t", evil, (Column("x", evil),), [{"x": evil}, {"x": NotMeasured(evil, short=evil)}], notes=(evil,))
    html = to_html(table)
    assert "<script" not in html
    assert html.count("&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;") == 6


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_terminal_keeps_the_width_and_loses_no_field(width: int) -> None:
    """Twelve columns are wrapped or parted into blocks: no line is too long, every number is still there."""
    columns = [Column("dataset", "dataset"), Column("method", "method")]
    columns += [Column(f"c{i}", f"a long heading {i}", kind="int") for i in range(10)]
    rows = [
        {"dataset": "dna", "method": "SCRF and LIBLINEAR", **{f"c{i}": 100 * i + j for i in range(10)}}
        for j in range(2)
    ]
    text = to_terminal(Table("t", "A title that is long " * 8, columns, rows, ("A note. " * 30,)), width)
    assert max(len(line) for line in text.splitlines()) <= width
    assert all(f"{100 * i + j:,d}" in text for i in range(10) for j in range(2))


def test_empty_table_renders_everywhere() -> None:
    table = Table("t", "nothing yet", (Column("x", "x"),), [])
    assert to_csv(table) == "x\n"
    assert to_markdown(table) == "**nothing yet**\n\n| x   |\n| :-- |\n"
    assert "\\midrule\n    \\bottomrule" in to_latex(table)
    assert to_terminal(table) == "nothing yet\n\n━\nx\n─\n━\n"
    assert "<tbody>\n</tbody>" in to_html(table)


def test_table_refuses_what_it_cannot_show() -> None:
    x = Column("x", "x")
    with pytest.raises(ValueError, match="two columns with the key x"):
        Table("t", "t", (x, x), [])
    with pytest.raises(ValueError, match="Row 1 of table 't' holds y"):
        Table("t", "t", (x,), [{"x": 1}, {"y": 2}])
    with pytest.raises(ValueError, match="grouped by 'z'"):
        Table("t", "t", (x,), [], group_by="z")
    with pytest.raises(ValueError, match="unknown kind 'number'"):
        Column("x", "x", kind="number")  # type: ignore[arg-type]


def test_units_stand_behind_labels() -> None:
    headings = [
        Column("a", "time", kind="seconds").heading,
        Column("a", "time", unit="ms", kind="float").heading,
        Column("a", "accuracy", unit="", kind="percent").heading,
        Column("a", "held", unit="bytes", kind="bytes").heading,
    ]
    assert headings == ["time (s)", "time (ms)", "accuracy", "held"]
