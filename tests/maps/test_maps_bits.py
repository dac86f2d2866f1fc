"""A row's bits depend on that row and the seed alone."""

import numba
import numpy as np
import pytest
import sklearn
from numpy.random import RandomState
from scipy import sparse
from threadpoolctl import threadpool_info, threadpool_limits

from scrf_bench.maps import MAPS, dense, threads
from tests.maps.variants import ALL, EMBEDDED, RANDOM, embedded_id

SHAPES = [(1, 2), (2, 30), (5, 14), (22, 100), (60, 514), (180, 1000), (784, 130)]
# Every shape for the maps as they come; some for their variants and for the pair embedding.
CASES = [
    (name, options, d, D)
    for name, options in EMBEDDED
    for d, D in (SHAPES if name in MAPS and options.get("embedding") != "pair" else SHAPES[2::2])
]
N_ROWS = 301

over_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])
over_embedded = pytest.mark.parametrize(("name", "options"), EMBEDDED, ids=embedded_id)
over_random = pytest.mark.parametrize("name", RANDOM)
over_all = pytest.mark.parametrize("name", ALL)


def rows(d, dtype, n_rows=N_ROWS):
    X = RandomState(0).standard_normal((n_rows, d))
    return np.where(X > -0.5, X, 0.0).astype(dtype)


def fit(name, d, D, **options):
    """Fit on 40 rows: the landmarks of Nystroem maps come from them."""
    D = min(D, 30) if name not in RANDOM and "rbf" not in name else D
    return ALL[name](D, gamma=0.5 / d, random_state=11, **options).fit(rows(d, np.float64, 40))


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@over_dtypes
@pytest.mark.parametrize(("name", "options", "d", "D"), CASES, ids=embedded_id)
def test_rows_do_not_see_each_other(name, d, D, options, dtype):
    """Permuted rows, single rows, fewer rows, chunks, CSR and another memory layout give the same bits."""
    X = rows(d, dtype)
    fitted = fit(name, d, D, **options)
    Phi = fitted.transform(X)
    assert Phi.shape == (N_ROWS, fitted.get_feature_names_out().size)
    assert Phi.dtype == dtype

    order = RandomState(1).permutation(N_ROWS)
    assert same_bits(fitted.transform(X[order]), Phi[order])
    for i in (0, 1, 17, 255, 256, N_ROWS - 1):
        assert same_bits(fitted.transform(X[i : i + 1]), Phi[i : i + 1])
    for n in (2, 31, 100):
        assert same_bits(fitted.transform(X[n:]), Phi[n:])
    chunks = [chunk for _, chunk in fitted.iter_transform(X, rows=31)]
    assert same_bits(np.vstack(chunks), Phi)
    assert same_bits(fitted.transform(sparse.csr_matrix(X)), Phi)
    assert same_bits(fitted.transform(sparse.csr_array(X)[5:50]), Phi[5:50])
    assert same_bits(fitted.transform(np.asfortranarray(X)), Phi)
    assert same_bits(fitted.transform(np.repeat(X, 2, axis=0)[::2]), Phi)


@over_dtypes
@pytest.mark.parametrize(("d", "D"), [(22, 100), (784, 1300)])
@over_all
def test_every_place_in_a_tile_is_alike(name, d, D, dtype):
    """One row repeated gives one result, wherever in a tile (or in a part of one) it lies."""
    X = np.repeat(rows(d, dtype)[:1], 1090, axis=0)
    Phi = fit(name, d, D).transform(X)
    assert (Phi == Phi[0]).all()


@over_dtypes
def test_dense_pieces_have_the_bits_of_whole_tiles(dtype, monkeypatch):
    """Few rows go through smaller products; without that shortcut, through padded tiles: the same bits."""
    X = rows(784, dtype, 700)
    fitted = fit("rks", 784, 1300)
    Phi = fitted.transform(X)
    monkeypatch.setattr(dense, "_pieces_agree", lambda *shape: False)
    padding = fit("rks", 784, 1300)
    assert fitted._projection(np.dtype(dtype)).piece_rows < padding._projection(np.dtype(dtype)).piece_rows
    assert same_bits(padding.transform(X), Phi)
    assert same_bits(padding.transform(X[600:]), Phi[600:])


@pytest.mark.parametrize("embedding", ["phase", "pair"])
@over_dtypes
@over_random
def test_project_then_featurize_equals_transform(name, dtype, embedding):
    """Equal up to the rounding of z to radians and back, ``3 eps |z|``, and the cosine's own error."""
    X = rows(60, dtype)
    fitted = fit(name, 60, 514, embedding=embedding)
    Z = fitted.project(X)
    before = Z.copy()
    eps, cosine = np.finfo(dtype).eps, {4: 3e-7, 8: 1e-15}[Z.itemsize]
    bound = np.sqrt(2 / 514) * (3 * eps * (np.abs(Z).max() + 2 * np.pi) + cosine)
    np.testing.assert_allclose(fitted.featurize(Z), fitted.transform(X), rtol=0, atol=bound)
    assert same_bits(Z, before)
    assert same_bits(fitted.featurize(Z[7:8]), fitted.featurize(Z)[7:8])


@over_dtypes
@over_embedded
def test_blas_threads_do_not_matter(name, options, dtype):
    X = rows(180, dtype)
    fitted = fit(name, 180, 1000, **options)
    results = []
    for count in (1, 2, 3):
        with threadpool_limits(count):
            results.append(fitted.transform(X))
    assert same_bits(results[0], results[1])
    assert same_bits(results[0], results[2])


@pytest.fixture
def eager_threads(monkeypatch):
    """Use as many threads as allowed, however small the input; yields what sets their number."""
    if numba.config.NUMBA_NUM_THREADS < 2:
        # numba cannot be given more threads than it started with; the walk can.
        allowed = [1]
        monkeypatch.setattr("scrf_bench.maps.walk.thread_count", lambda: allowed[0])
        monkeypatch.setattr("scrf_bench.maps.sums.thread_count", lambda: allowed[0])

        def set_threads(n):
            allowed[0] = n
    else:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        set_threads = numba.set_num_threads
    monkeypatch.setattr("scrf_bench.maps.walk._VALUES_A_THREAD", 1)
    monkeypatch.setattr("scrf_bench.maps.sums._PRODUCTS_A_THREAD", 1)
    before = numba.get_num_threads()
    yield set_threads
    numba.set_num_threads(before)


@over_dtypes
@over_embedded
def test_map_threads_do_not_matter(name, options, dtype, eager_threads, monkeypatch):
    """One thread or two over the tiles give the same features, products and sums, and two are really used."""
    used = []
    share_out = threads.share_out
    for module in ("walk", "sums"):
        monkeypatch.setattr(
            f"scrf_bench.maps.{module}.share_out",
            lambda tasks, work, n: (used.append(n), share_out(tasks, work, n))[1],
        )
    X = rows(60, dtype, 1200)
    fitted = fit(name, 60, 514, **options)
    W = RandomState(2).standard_normal((fitted.get_feature_names_out().size, 3))
    results = {}
    for count in (1, 2):
        eager_threads(count)
        used.clear()
        results[count] = [fitted.transform(X), fitted.map_dot(X, W), *fitted.gram(X, X[:, 0])]
        assert max(used) == count
    assert all(same_bits(a, b) for a, b in zip(results[1], results[2], strict=True))


def test_thread_count_is_what_was_pinned(monkeypatch):
    """numba's number; where only OMP_NUM_THREADS is set, at most that."""
    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", 8)
    monkeypatch.setattr(numba, "get_num_threads", lambda: 6)
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    for openmp, expected in [("", 6), ("1", 1), ("4", 4), ("3,2", 3), ("64", 6), ("junk", 6)]:
        monkeypatch.setenv("OMP_NUM_THREADS", openmp)
        assert threads.thread_count() == expected
    monkeypatch.setenv("NUMBA_NUM_THREADS", "8")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert threads.thread_count() == 6


def test_blas_is_serial_inside_and_restored_by_the_last_to_leave():
    def blas_threads():
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        outside = blas_threads()
        first, second = threads.serial_blas(), threads.serial_blas()
        first.__enter__()
        assert blas_threads() == {1}
        second.__enter__()
        first.__exit__(None, None, None)
        assert blas_threads() == {1}
        second.__exit__(None, None, None)
        assert blas_threads() == outside


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_in_a_thread_is_raised_and_stops_the_others(n_threads):
    done = []

    def work(tasks):
        for task in tasks:
            if task == 3:
                raise ZeroDivisionError
            done.append(task)

    with pytest.raises(ZeroDivisionError):
        threads.share_out(range(100_000), work, n_threads)
    assert len(done) < 100_000


@over_dtypes
@over_embedded
def test_bad_and_huge_rows_stay_alone(name, options, dtype):
    """nan, inf and huge numbers leave every other row's bits untouched, in features and in products."""
    X = rows(22, dtype)
    fitted = fit(name, 22, 100, **options)
    W = RandomState(2).standard_normal((fitted.get_feature_names_out().size, 2))
    Phi, product = fitted.transform(X), fitted.map_dot(X, W)
    spoilt = X.copy()
    bad = {3: np.nan, 4: np.inf, 100: -np.inf, 101: 1e30, 102: 1e7}
    for i, value in bad.items():
        spoilt[i, i % 22] = value
    good = np.setdiff1d(np.arange(N_ROWS), list(bad))
    with sklearn.config_context(assume_finite=True), np.errstate(all="ignore"):
        result = fitted.transform(spoilt)
        assert same_bits(fitted.map_dot(spoilt, W)[good], product[good])
        assert np.isnan(fitted.map_dot(spoilt, W)[3]).all()
    assert same_bits(result[good], Phi[good])
    assert np.isnan(result[3]).any()


@over_embedded
@over_dtypes
def test_negative_zero_is_zero(name, options, dtype):
    """-0.0 is lost in a sparse matrix, so it may not show in a dense one either, copied or seen in place."""
    X = rows(22, dtype)
    X[:2] = 0
    negative = np.where(X == 0, dtype(-0.0), X)
    fitted = fit(name, 22, 100, **options)
    assert same_bits(fitted.transform(negative), fitted.transform(X))
    if name in RANDOM:
        assert same_bits(fitted.project(negative), fitted.project(X))


@over_embedded
def test_fit_dtype_does_not_matter(name, options):
    """A map fitted on float32 is the map fitted on float64."""
    X = rows(22, np.float32, 70)
    D = 64 if name in RANDOM else 20
    maps = [ALL[name](D, random_state=2, **options).fit(X.astype(dtype)) for dtype in (np.float32, np.float64)]
    for dtype in (np.float32, np.float64):
        assert same_bits(*(fitted.transform(X.astype(dtype)) for fitted in maps))


@over_dtypes
@over_all
def test_input_is_never_written_to(name, dtype, tmp_path):
    """Rows may be seen in place: a read-only array or file is enough, and gives the bits of a copy."""
    X = rows(22, dtype)
    np.save(tmp_path / "X.npy", X)
    fitted = fit(name, 22, 100)
    Phi = fitted.transform(X)
    before = X.copy()
    X.flags.writeable = False
    assert same_bits(fitted.transform(X), Phi)
    assert same_bits(fitted.transform(np.load(tmp_path / "X.npy", mmap_mode="r")), Phi)
    assert same_bits(X, before)
