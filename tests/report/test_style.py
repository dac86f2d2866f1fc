"""The figures' style: apart in grey, apart for colour-blind eyes, and without trace in matplotlib's state."""

from __future__ import annotations

from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
from numpy.typing import NDArray

from scrf_bench.report import style

# Linear sRGB to XYZ (IEC 61966-2-1), and deuteranopia on linear RGB: Machado, Oliveira and Fernandes,
# "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, severity 1.
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)
LIGHTNESS_APART = 10.0  # of 100 (CIE L*)
DEUTERANOPIA_APART = 20.0  # Delta E (CIE 1976); about 2 is just noticeable
MAIN_PAIRS = list(combinations(style.MAIN_METHODS, 2))


def linear(method: str) -> NDArray[np.float64]:
    code = style.of(method).color
    value = np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(rgb: NDArray[np.float64]) -> NDArray[np.float64]:
    xyz = TO_XYZ @ np.clip(rgb, 0, 1) / TO_XYZ.sum(axis=1)
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize(("one", "other"), MAIN_PAIRS)
def test_main_colours_are_apart_in_grey(one: str, other: str) -> None:
    assert abs(lab(linear(one))[0] - lab(linear(other))[0]) >= LIGHTNESS_APART


@pytest.mark.parametrize(("one", "other"), MAIN_PAIRS)
def test_main_colours_are_apart_without_green_cones(one: str, other: str) -> None:
    seen = [lab(DEUTERANOPIA @ linear(method)) for method in (one, other)]
    assert np.linalg.norm(seen[0] - seen[1]) >= DEUTERANOPIA_APART


def test_every_main_colour_is_seen_on_white() -> None:
    assert max(lab(linear(method))[0] for method in style.MAIN_METHODS) <= 82


def test_no_two_methods_share_colour_marker_or_hatch_and_main_ones_no_line() -> None:
    for part in ("color", "marker", "hatch", "label"):
        values = [getattr(look, part) for look in style.STYLES.values()]
        assert len(set(values)) == len(values), part
    lines = [style.of(method).linestyle for method in style.MAIN_METHODS]
    assert len(set(lines)) == len(lines)


def test_an_unknown_method_keeps_one_style_and_takes_no_main_colour() -> None:
    look = style.of("my_new_map")
    assert look == style.of("my_new_map")
    assert look.label == "my_new_map"
    # Fixed across processes, where Python's hash of a str is not.
    assert look.color == style.of("column_signed").color
    assert look.color not in {style.of(method).color for method in style.MAIN_METHODS}


def test_settings_leave_the_users_own_untouched() -> None:
    before = dict(mpl.rcParams)
    with style.settings():
        assert mpl.rcParams["pdf.fonttype"] == 42
    assert dict(mpl.rcParams) == before


def test_the_users_own_settings_do_not_reach_the_figures() -> None:
    with mpl.rc_context({"lines.linewidth": 9.0, "axes.facecolor": "red"}), style.settings():
        assert mpl.rcParams["lines.linewidth"] == style.SETTINGS["lines.linewidth"]
        assert mpl.rcParams["axes.facecolor"] == "white"
