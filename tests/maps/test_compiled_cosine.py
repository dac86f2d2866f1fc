"""Compiled cosines and sines of turns, and the cache of compiled functions."""

import numpy as np
import pytest

from scrf_bench.maps.compiled import jit
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


def test_the_stamp_of_compiled_functions_changes_with_any_file_of_the_folder(tmp_path, monkeypatch):
    """Also with one that the function is not written in: kernels compile in what other files define."""
    (tmp_path / "kernel.py").write_text("a = 1\n")
    (tmp_path / "part.py").write_text("b = 1\n")
    monkeypatch.setattr(jit, "_FOLDER", tmp_path)
    stamps = [jit.source_stamp.__wrapped__()]
    (tmp_path / "part.py").write_text("b = 2\n")
    stamps.append(jit.source_stamp.__wrapped__())
    (tmp_path / "other.py").write_text("")
    stamps.append(jit.source_stamp.__wrapped__())
    assert len(set(stamps)) == 3


def test_a_kernel_of_an_unchanged_folder_is_found_on_disk_and_of_a_changed_one_not(tmp_path, monkeypatch):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))

    def double(x):
        return 2 * x

    def fresh_kernel(stamp):
        monkeypatch.setattr(jit, "source_stamp", lambda: stamp)
        monkeypatch.setattr(jit, "_kernels", [])
        return jit.kernel(double)

    first = fresh_kernel("stamp")
    assert first(2) == 4
    assert not first.stats.cache_hits
    again = fresh_kernel("stamp")
    assert len(again._cache.signatures()) == 1
    assert again(2) == 4
    assert again.stats.cache_hits
    changed = fresh_kernel("another stamp")
    assert changed._cache.signatures() == []
    assert changed(2) == 4
    assert not changed.stats.cache_hits


def test_status_names_every_kernel_and_what_is_on_disk():
    write_phase(np.zeros((1, 2), np.float32), np.zeros(2, np.float32), np.float32(1), np.zeros((1, 2), np.float32))
    status = jit.compile_status()
    assert {"cosine.write_phase", "cosine.write_pair", "circulant.circulant_features"} <= set(status.kernels)
    assert status.kernels["cosine.write_phase"] >= 1
    assert status.nbytes > 0
    assert status.folder
    assert all((status.numba, status.llvm, status.cpu))
