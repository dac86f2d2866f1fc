"""The compiled circulant projection against scipy.fft in float64, over orders, dtypes, blocks and places in memory."""

import numpy as np
import pytest
import scipy.fft

from scrf_bench.maps.circulant import CompiledCirculantProjection, circulant_projection, is_dense
from scrf_bench.maps.compiled.circulant_layout import lay_out
from scrf_bench.maps.compiled.fft_plan import has_plan, plan_fft
from scrf_bench.maps.epilogue import Epilogue
from scrf_bench.maps.tiles import TURN

DTYPES = [np.dtype(np.float32), np.dtype(np.float64)]
ORDERS = [1, 2, 3, 4, 5, 6, 7, 8, 14, 15, 16, 22, 30, 60, 64, 75, 97, 105, 128, 180, 256, 784, 1024, 1568, 2048, 3072]
# In units of sqrt(2/D), for a row of norm 1 (times sigma); what the docstring promises is 2e-5 and 1e-11.
NEAR = {4: 4e-6, 8: 2e-14}


class Case:
    """Blocks drawn in float64, their compiled projection, and what it should give."""

    def __init__(self, order, n_frequencies, dtype, *, d=None, blocks_per_group=None, seed=0):
        rng = np.random.default_rng(seed)
        self.order, self.F, self.d, self.dtype = order, n_frequencies, d or order, np.dtype(dtype)
        n_blocks = -(-n_frequencies // order)
        self.a_group = blocks_per_group or n_blocks
        self.spectra = scipy.fft.rfft(rng.standard_normal((n_blocks, order)))
        self.factors = rng.choice([-1.0, 1.0], n_frequencies) * rng.uniform(0.5, 1.5, n_frequencies)
        self.signs = rng.choice([-1.0, 1.0], (-(-n_blocks // self.a_group), self.d))
        self.phase = rng.uniform(-np.pi, np.pi, n_frequencies)
        self.projection = CompiledCirculantProjection(
            self.spectra, order, self.d, self.factors, self.signs, self.a_group, self.dtype
        )

    def rows(self, n_rows, norm=1.0, seed=1):
        X = np.random.default_rng(seed).standard_normal((n_rows, self.d))
        return (X * norm / np.linalg.norm(X, axis=1, keepdims=True)).astype(self.dtype)

    def radians(self, X):
        blocks = [
            scipy.fft.irfft(scipy.fft.rfft(X.astype(float) * self.signs[i // self.a_group], self.order) * c, self.order)
            for i, c in enumerate(self.spectra)
        ]
        return np.concatenate(blocks, axis=1)[:, : self.F] * self.factors

    def turns(self, X):
        work = self.projection.workspace()
        return np.concatenate([Z.copy() for Z in self.projection.project_tile(X, work)], axis=1)

    def features(self, X, embedding="phase", out=None):
        D = self.F if embedding == "phase" else 2 * self.F
        epilogue = Epilogue(self.phase if embedding == "phase" else None, D, self.dtype)
        out = np.full((len(X), D), np.nan, self.dtype) if out is None else out
        self.projection.write_features(X, len(X), epilogue, out, self.projection.workspace())
        return out

    def expected_features(self, X, embedding="phase"):
        z = self.radians(X)
        if embedding == "phase":
            return np.cos(z + self.phase) * np.sqrt(2 / self.F)
        return np.hstack([np.cos(z), np.sin(z)]) * np.sqrt(1 / self.F)


def worst(got, expected, F):
    """Largest difference in units of the features' size."""
    return np.abs(got - expected).max() * np.sqrt(F / 2)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("blocks", [1, 2, 3, 2.6], ids=["one", "even", "odd", "cut off"])
def test_projections_and_features_equal_scipys(order, blocks, dtype):
    """21 rows: a whole group of lanes and a remainder, of either dtype."""
    case = Case(order, max(1, int(blocks * order)), dtype)
    X = case.rows(21)
    assert np.abs(case.turns(X) - case.radians(X) / TURN).max() <= NEAR[dtype.itemsize]
    for embedding in ("phase", "pair"):
        assert worst(case.features(X, embedding), case.expected_features(X, embedding), case.F) <= NEAR[dtype.itemsize]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("d", "order", "blocks", "blocks_per_group"),
    [
        (30, 64, 4, 1),
        (100, 256, 5, 2),
        (33, 75, 5, 2),
        (31, 63, 5, 3),
        (50, 105, 4, 1),
        (784, 1568, 3, 2),
        (40, 97, 3, 2),
    ],
)
def test_padded_rows_and_groups_of_input_signs(d, order, blocks, blocks_per_group, dtype):
    case = Case(order, blocks * order - order // 3, dtype, d=d, blocks_per_group=blocks_per_group)
    X = case.rows(9)
    assert np.abs(case.turns(X) - case.radians(X) / TURN).max() <= NEAR[dtype.itemsize]
    assert worst(case.features(X), case.expected_features(X), case.F) <= NEAR[dtype.itemsize]


def test_pieces_of_a_projection_join_at_every_block(monkeypatch):
    """Also inside a pair of blocks of odd order, which share a transform."""
    monkeypatch.setattr("scrf_bench.maps.circulant._PIECE_VALUES", 1)
    for order, blocks_per_group in ((64, 2), (75, 3), (75, 5), (22, 2)):
        case = Case(order, 5 * order, np.float64, blocks_per_group=blocks_per_group)
        assert len(case.projection.column_blocks) == 5
        X = case.rows(10)
        assert np.abs(case.turns(X) - case.radians(X) / TURN).max() <= NEAR[8]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("norm", [1e-3, 10.0, 1e3, 1e6])
def test_error_stays_within_the_promised_bounds_up_to_huge_rows(norm, dtype):
    """2e-5 and 1e-11 up to norm 10; 2e-6 and 1e-12 times the norm beyond (sigma = 1); smooth rows are the worst."""
    near, far = {4: (2e-5, 2e-6), 8: (1e-11, 1e-12)}[dtype.itemsize]
    bound = near if norm <= 10 else far * norm
    for order in (60, 105, 127, 784, 1024, 4096):
        case = Case(order, 2 * order, dtype)
        X = case.rows(16, norm)
        X[8:] = norm / np.sqrt(order)
        for embedding in ("phase", "pair"):
            assert worst(case.features(X, embedding), case.expected_features(X, embedding), case.F) <= bound


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [60, 64, 75, 784])
def test_a_rows_bits_depend_on_the_row_alone(order, dtype):
    """Whatever its place, its neighbours (among them inf and nan) and the number of rows."""
    case = Case(order, 3 * order - 5, dtype)
    X = case.rows(37)
    whole = {embedding: case.features(X, embedding) for embedding in ("phase", "pair")}
    turns = case.turns(X)
    bad = X.copy()
    bad[3], bad[20] = np.inf, np.nan
    bad[5] *= dtype.type(1e30)
    others = np.setdiff1d(np.arange(37), [3, 5, 20])
    for embedding, features in whole.items():
        assert np.array_equal(case.features(bad, embedding)[others], features[others])
        assert np.isnan(case.features(bad, embedding)[[3, 20]]).all()
        for rows in (slice(0, 1), slice(36, 37), slice(5, 22)):
            assert np.array_equal(case.features(X[rows], embedding), features[rows])
    assert np.array_equal(case.turns(X[17:18]), turns[17:18])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [24, 64, 256, 784])
def test_bits_do_not_depend_on_where_the_output_lies_and_nothing_else_is_written(order, dtype):
    case = Case(order, 2 * order, dtype)
    X, D = case.rows(19), 2 * order
    whole = case.features(X)
    for offset, beyond in ((0, 0), (1, 0), (3, 64), (5, 7)):
        memory = np.full(19 * (D + beyond) + 8, np.nan, dtype)
        out = memory[offset : offset + 19 * (D + beyond)].reshape(19, -1)
        case.features(X, out=out[:, :D])
        assert np.array_equal(out[:, :D], whole)
        assert np.isnan(out[:, D:]).all()
        assert np.isnan(memory[:offset]).all()
        assert np.isnan(memory[offset + 19 * (D + beyond) :]).all()


def test_minus_zero_counts_as_zero_and_the_input_is_only_read():
    case = Case(64, 128, np.float32)
    X = case.rows(5)
    X[:, ::3] = 0
    negative = np.where(X == 0, np.float32(-0.0), X)
    negative.flags.writeable = False
    assert np.array_equal(case.features(negative), case.features(X))


@pytest.mark.parametrize("length", [1, 2, 3, 7, 8, 15, 30, 64, 90, 128, 392, 512, 1024, 2401, 4096])
def test_positions_are_a_permutation_and_radices_multiply_to_the_length(length):
    plan = plan_fft(length)
    assert np.array_equal(np.sort(plan.positions), np.arange(length))
    assert np.prod(plan.radices, initial=1) == length
    assert length % plan.chunk == 0


def test_orders_with_a_plan_are_those_without_prime_factors_above_seven():
    assert [n for n in range(1, 23) if not has_plan(n)] == [11, 13, 17, 19, 22]


def test_every_frequency_of_an_even_order_is_in_one_pair_of_one_unit():
    for order in (2, 6, 30, 64, 784, 2048):
        layout = lay_out(np.ones((1, order // 2 + 1), complex), order, 1, np.dtype(np.float64))
        pairs, _, units = layout.mirror
        assert set(pairs[:, [0, 2]].ravel()) == set(range(order // 2 + 1))
        assert np.array_equal(np.concatenate([np.arange(*unit[2:]) for unit in units]), np.arange(len(pairs)))
        chunks = np.concatenate([np.unique(unit[:2]) for unit in units])
        assert np.array_equal(np.sort(chunks), np.arange(0, order // 2, layout.plan[4][1]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("d", "order"), [(1, 1), (16, 16), (20, 64), (22, 22), (24, 24)])
def test_the_dense_matrix_is_the_same_map(d, order, dtype):
    case = Case(order, 3 * order - order // 2, dtype, d=d, blocks_per_group=2)
    dense = circulant_projection(
        case.spectra,
        order=order,
        n_features=d,
        n_frequencies=case.F,
        dtype=dtype,
        row_factors=case.factors,
        input_signs=case.signs,
        blocks_per_group=2,
        n_parameters=5,
    )
    assert dense.algorithm == "dense BLAS"
    assert dense.n_parameters == 5
    assert (
        np.abs(dense.matrix[:, : case.F].T * TURN - case.radians(np.eye(d)).T).max()
        <= {4: 1e-6, 8: 1e-14}[dtype.itemsize]
    )


@pytest.mark.parametrize(
    ("order", "algorithm"),
    [
        (16, "dense BLAS"),
        (44, "dense BLAS"),
        (64, "compiled FFT"),
        (105, "compiled FFT"),
        (127, "compiled FFT, padded"),
    ],
)
def test_the_shape_chooses_the_algorithm(order, algorithm):
    case = Case(order, 2 * order, np.float32)
    projection = circulant_projection(
        case.spectra, order=order, n_features=order, n_frequencies=case.F, dtype=case.dtype, n_parameters=1
    )
    assert projection.algorithm == algorithm
    assert projection.nbytes >= case.F * 4


def test_a_dense_matrix_may_not_grow_without_end():
    float64 = np.dtype(np.float64)
    assert is_dense(16, 16, 2**17, float64)
    assert not is_dense(16, 16, 2**17 + 1, float64)


def test_shapes_that_do_not_fit_are_named():
    with pytest.raises(ValueError, match=r"order=4, n_features=4, n_frequencies=9"):
        circulant_projection(
            np.ones((2, 3), complex), order=4, n_features=4, n_frequencies=9, dtype=DTYPES[0], n_parameters=1
        )
    with pytest.raises(ValueError, match="order of at least n_features"):
        circulant_projection(
            np.ones((2, 3), complex), order=4, n_features=5, n_frequencies=8, dtype=DTYPES[0], n_parameters=1
        )
