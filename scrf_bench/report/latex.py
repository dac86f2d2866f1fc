r"""Tables as LaTeX: a ``table`` environment with booktabs rules, ready for ``\input``."""

from __future__ import annotations

import re

from scrf_bench.report.table import Entry, Table, grid

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # A field that opens with a bracket behind `\\` would be read as that command's argument.
    "[": "{[}",
    "]": "{]}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "²": "$^2$",
    "∞": r"$\infty$",
    "−": "$-$",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≈": r"$\approx$",
    "→": r"$\to$",
    "·": r"$\cdot$",
    "α": r"$\alpha$",
    "γ": r"$\gamma$",
    "ε": r"$\varepsilon$",
    "λ": r"$\lambda$",
    "μ": r"$\mu$",
    "π": r"$\pi$",
    "σ": r"$\sigma$",
    "\u2009": r"\,",
    "\u00a0": "~",
    "\n": " ",
}
_TRANSLATION = str.maketrans(_ESCAPES)


def escape_latex(text: str) -> str:
    """Return LaTeX that prints a plain text as it stands."""
    return text.translate(_TRANSLATION)


def to_latex(table: Table) -> str:
    r"""Return a table as LaTeX with caption, label ``tab:<name>``, notes and footnotes; it needs booktabs."""
    texts = grid(table)
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{escape_latex(table.title)}}}",
        rf"  \label{{tab:{re.sub(r'[^A-Za-z0-9:.-]', '-', table.name)}}}",
        rf"  \begin{{tabular}}{{{''.join(column.alignment for column in table.columns)}}}",
        r"    \toprule",
        "    " + _line([escape_latex(column.heading) for column in table.columns]),
        r"    \midrule",
    ]
    for row, opens in zip(texts.rows, texts.opens_group, strict=True):
        if opens:
            lines.append(r"    \midrule")
        lines.append("    " + _line([_latex_entry(entry) for entry in row]))
    lines += [r"    \bottomrule", r"  \end{tabular}"]
    notes = [escape_latex(note) for note in table.notes]
    notes += [rf"\textsuperscript{{{i}}}\,{escape_latex(reason)}" for i, reason in enumerate(texts.footnotes, start=1)]
    if notes:
        lines += [
            "",
            r"  \smallskip",
            r"  \begin{minipage}{\linewidth}\footnotesize",
            *(f"    {note}\\par" for note in notes),
            r"  \end{minipage}",
        ]
    lines.append(r"\end{table}")
    return "\n".join(lines) + "\n"


def _line(fields: list[str]) -> str:
    return " & ".join(fields) + r" \\"


def _latex_entry(entry: Entry) -> str:
    text = escape_latex(entry.text) if entry.kind == "text" else _latex_number(entry.text)
    return text if entry.mark is None else rf"{text}\textsuperscript{{{entry.mark}}}"


def _latex_number(text: str) -> str:
    """Translate what a numeric column shows: minus signs, powers of two and of ten become mathematics."""
    power = re.fullmatch(r"2\^(-?\d+)", text)
    if power:
        return f"$2^{{{power[1]}}}$"
    scientific = re.fullmatch(r"(-?[\d.]+)e([+-]\d+)", text)
    if scientific:
        return rf"${scientific[1]} \times 10^{{{int(scientific[2])}}}$"
    mean_se = re.fullmatch(r"(-?[\d.,]+) ± ([\d.,]+)", text)
    if mean_se:
        mean, error = (part.replace(",", "{,}") for part in mean_se.groups())
        return rf"${mean} \pm {error}$"
    if re.fullmatch(r"-[\d.,]+", text):
        return f"${text.replace(',', '{,}')}$"
    return escape_latex(text)
