"""Compiled cosines and sines of turns."""

import numpy as np
import pytest

from scrf_bench.maps.compiled.cosine import write_pair, write_phase

PI = np.longdouble("3.14159265358979323846264338327950288")
# Of the value itself, for the given argument: half a unit in the last place of each of a few operations.
BOUND = {np.float32: 2e-7, np.float64: 5e-16}
DTYPES = [np.float32, np.float64]


def exact(turns):
    """Cosine and sine in extended precision; the reduction to half a turn is exact."""
    r = np.asarray(turns, np.longdouble)
    angle = 2 * PI * (r - np.rint(r))
    return np.cos(angle), np.sin(angle)


def turns_up_to(size, dtype, shape=(5, 1003)):
    return ((2 * np.random.default_rng(0).random(shape) - 1) * size).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1e-6, 0.25, 1.0, 1e3, 1e7])
def test_error_is_a_few_roundings_however_many_turns(dtype, size):
    Z = turns_up_to(size, dtype)
    cosines, sines = np.empty_like(Z), np.empty_like(Z)
    write_pair(Z, dtype(1), cosines, sines)
    for got, expected in zip((cosines, sines), exact(Z), strict=True):
        assert np.abs(got - expected).max() <= BOUND[dtype]


@pytest.mark.parametrize("dtype", DTYPES)
def test_whole_half_and_quarter_turns_are_exact_up_to_rounding(dtype):
    Z = np.arange(-8, 9).astype(dtype)[np.newaxis] / dtype(4)
    cosines, sines = np.empty_like(Z), np.empty_like(Z)
    write_pair(Z, dtype(1), cosines, sines)
    assert np.abs(cosines - np.tile([1, 0, -1, 0], 5)[:17]).max() <= BOUND[dtype]
    assert np.abs(sines - np.tile([0, 1, 0, -1], 5)[:17]).max() <= BOUND[dtype]
    assert (sines[0, ::4] == 0).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [1, 7, 16, 23, 64])
def test_phase_and_scale_for_any_width_into_columns_of_a_wider_array(dtype, width):
    """The columns around the target stay untouched, and rows of Z beyond the target's are ignored."""
    Z, phase = turns_up_to(3, dtype, (6, width)), turns_up_to(0.5, dtype, (width,))
    out = np.full((4, width + 5), np.nan, dtype)
    write_phase(Z, phase, dtype(0.25), out[:, 2 : 2 + width])
    expected, _ = exact(Z[:4] + phase)
    assert np.abs(out[:, 2 : 2 + width] - expected / 4).max() <= BOUND[dtype]
    assert np.isnan(out[:, :2]).all()
    assert np.isnan(out[:, 2 + width :]).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_inf_and_nan_become_nan_and_touch_no_neighbour(dtype):
    Z = turns_up_to(3, dtype, (3, 40))
    clean = np.empty_like(Z)
    write_phase(Z, np.zeros(40, dtype), dtype(1), clean)
    Z[1, [0, 17, 39]] = np.inf, -np.inf, np.nan
    out = np.empty_like(Z)
    write_phase(Z, np.zeros(40, dtype), dtype(1), out)
    bad = ~np.isfinite(Z)
    assert np.isnan(out[bad]).all()
    assert np.array_equal(out[~bad], clean[~bad])


def test_a_value_has_the_same_bits_in_the_body_and_in_the_remainder_of_a_row():
    """Column j of a row of 64 (whole vectors) and of one of j + 1 columns (a remainder) agree."""
    for dtype in DTYPES:
        Z, phase = turns_up_to(3, dtype, (2, 64)), turns_up_to(0.5, dtype, (64,))
        whole = np.empty_like(Z)
        write_phase(Z, phase, dtype(0.3), whole)
        for width in (1, 5, 13, 31):
            part = np.empty((2, width), dtype)
            write_phase(np.ascontiguousarray(Z[:, :width]), phase[:width], dtype(0.3), part)
            assert np.array_equal(part, whole[:, :width])
