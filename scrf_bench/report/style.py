"""The one look of every figure: a colour, marker, line and hatch for each method, and print settings.

Colours of the six main methods differ in lightness, so that a grey print tells them apart, and stay apart for
eyes without green cones; markers and lines differ besides. Nothing here changes matplotlib's global state:
figures are drawn and saved inside :func:`settings`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

LineStyle: TypeAlias = str | tuple[float, tuple[float, ...]]

ONE_COLUMN = 3.4
"""Width in inches of a figure in one column of a two-column page."""
TWO_COLUMNS = 7.0
"""Width in inches of a figure across both columns."""


@dataclass(frozen=True)
class MethodStyle:
    """How one method is drawn: colour (hex), marker, line style and the hatch of its bars and bands."""

    label: str
    color: str
    marker: str
    linestyle: LineStyle
    hatch: str


_DASHED = (0.0, (5.0, 1.6))
_DOTTED = (0.0, (1.2, 1.4))
_DASHDOT = (0.0, (5.0, 1.4, 1.2, 1.4))
_LONG = (0.0, (8.0, 2.0))
_DASHDOTDOT = (0.0, (4.0, 1.2, 1.2, 1.2, 1.2, 1.2))

MAIN_METHODS = ("libsvm", "scrf", "control", "rks", "fastfood", "rbfsampler")
"""The methods of the main paper's experiments, darkest colour first."""

STYLES: Mapping[str, MethodStyle] = {
    "libsvm": MethodStyle("LIBSVM (exact)", "#000000", "*", _DASHDOT, ""),
    "scrf": MethodStyle("SCRF", "#1f3a93", "o", "-", "///"),
    "control": MethodStyle("exact kernel, one-vs-rest", "#9b2d7f", "P", _DASHDOTDOT, "++"),
    "rks": MethodStyle("RKS", "#d55e00", "s", _DASHED, "\\\\\\"),
    "fastfood": MethodStyle("Fastfood", "#45b0e0", "^", _LONG, "..."),
    "rbfsampler": MethodStyle("RBFSampler", "#e3c53c", "D", _DOTTED, "xxx"),
    "orf": MethodStyle("ORF", "#5b3a1e", "v", _DASHED, "|||"),
    "sorf": MethodStyle("SORF", "#00785a", "<", _DASHDOT, "---"),
    "ocrf": MethodStyle("OCRF", "#5a6fd6", ">", _DASHED, "//"),
    "column_signed": MethodStyle("column-signed circulant", "#7a7a7a", "X", _DOTTED, "\\\\"),
    "qmc": MethodStyle("quasi-Monte Carlo", "#c78ab8", "h", _LONG, "oo"),
    "nystroem": MethodStyle("Nyström", "#3d9970", "p", _DASHDOTDOT, "OO"),
    "rpc_nystroem": MethodStyle("Nyström, RP Cholesky", "#a3361f", "d", "-", "**"),
}

_SPARE = tuple(STYLES[name] for name in ("orf", "sorf", "ocrf", "column_signed", "qmc", "nystroem"))


def of(method: str) -> MethodStyle:
    """Return the style of a method; an unknown name (a plug-in's) always gets the same spare style.

    Parameters
    ----------
    method : str
        A map's or learner's registered name, e.g. ``"scrf"``; an unknown name is its own label.
    """
    if method in STYLES:
        return STYLES[method]
    # crc32, since Python's own hash of a str changes with every process.
    return replace(_SPARE[zlib.crc32(method.encode()) % len(_SPARE)], label=method)


SETTINGS: Mapping[str, Any] = {
    "font.family": "DejaVu Sans",  # travels with matplotlib: the same glyphs everywhere
    "mathtext.fontset": "dejavusans",
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "legend.fontsize": 7.0,
    "figure.titlesize": 9.0,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.minor.visible": False,
    "ytick.minor.visible": False,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.5,
    "lines.markeredgewidth": 0.4,
    "hatch.linewidth": 0.5,
    "legend.frameon": True,
    "legend.framealpha": 0.9,
    "legend.edgecolor": "#cccccc",
    "legend.fancybox": False,
    "legend.handlelength": 3.0,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.05,
    "figure.constrained_layout.w_pad": 0.06,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "scrf-bench",
    "savefig.dpi": 200,
}


@contextmanager
def settings() -> Iterator[None]:
    """Hold the print settings while a figure is drawn and saved; the user's own come back afterwards."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(cast("Any", dict(SETTINGS)))
        yield
