"""What maps make of values they cannot take: an error that names the value and the remedy, never nan by surprise."""

import warnings
from inspect import signature

import numpy as np
import pytest
from numpy.random import RandomState
from scipy import sparse

from scrf_bench.maps import MAPS, RandomFeatureMap
from tests.maps.variants import ALL, RANDOM

over_classes = pytest.mark.parametrize("cls", MAPS.values())
over_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def data(n_rows=8, d=12, dtype=np.float64):
    return RandomState(0).standard_normal((n_rows, d)).astype(dtype)


@over_dtypes
@pytest.mark.parametrize("gamma", [1.7e308, 1e306, 10**400, 5e-324])
@over_classes
def test_gamma_beyond_every_dtype_is_refused(cls, gamma, dtype):
    """1/sigma would overflow, or be so small that products underflow."""
    with pytest.raises(ValueError, match=r"gamma=\d.* is too (large|small) for float.*sqrt\(2 gamma\).*[Ss]cale"):
        cls(8, gamma=gamma).fit(data(dtype=dtype))


@pytest.mark.parametrize(("gamma", "size"), [(1e76, "large"), (1e-90, "small")])
@over_classes
def test_gamma_beyond_float32_is_refused_when_float32_is_asked_for(cls, gamma, size):
    """A map fitted in float64 refuses float32 rows. Nystroem maps compute in float64 whatever comes."""
    fitted = cls(8, gamma=gamma, random_state=0).fit(data())
    assert np.isfinite(fitted.transform(data())).all()
    rows = data(dtype=np.float32)
    if "nystroem" in cls.name:
        assert np.isfinite(fitted.transform(rows)).all()
        return
    for call in (fitted.transform, cls(8, gamma=gamma).fit, fitted.gram):
        with pytest.raises(
            ValueError, match=rf"is too {size} for float32.*between 1e-30 and 1e\+30. Pass float64 rows"
        ):
            call(rows)


@over_dtypes
@pytest.mark.parametrize("sign", [-1, 1])
@over_classes
def test_gammas_at_the_limits_give_numbers(cls, sign, dtype):
    """The range that the message states is one that works: the largest float64 gamma is 5e299, float32's 5e59."""
    limit = 10.0 ** (sign * (59 if dtype == np.float32 else 299))
    X = data(dtype=dtype)
    for embedding in ("phase", "pair") if issubclass(cls, RandomFeatureMap) else (None,):
        options = {"embedding": embedding} if embedding else {}
        Phi = cls(8, gamma=limit, random_state=0, **options).fit_transform(X)
        assert np.isfinite(Phi).all()
        # sqrt(2/D) for one feature; Nystroem's rows have norm 1 at most.
        assert np.abs(Phi).max() <= 1 + 1e-6


@pytest.mark.parametrize("name", [name for name in MAPS if name in RANDOM])
def test_tails_beyond_the_dtype_are_refused(name):
    """Of nu = 0.005 some one in two radial factors would be infinite in float32."""
    make = RANDOM[name]
    fitted = make(64, kernel="matern", nu=0.05, random_state=0).fit(data())
    assert np.isfinite(fitted.transform(data())).all()
    with pytest.raises(ValueError, match=r"nu=0.005 is too small for float32.*1e\+30. Raise nu. Pass float64 rows"):
        make(64, kernel="matern", nu=0.005, random_state=0).fit(data(dtype=np.float32))


@over_dtypes
@pytest.mark.parametrize("d", [12, 70, 97])
@pytest.mark.parametrize("name", ALL)
def test_rows_that_overflow_spoil_no_other(name, d, dtype):
    """A row of the largest numbers there are: nan stands in that row only, whatever else a tile holds."""
    X = data(40, d, dtype)
    fitted = ALL[name](16, gamma=1e6, random_state=0).fit(X)
    good = fitted.transform(X)
    X[17] = np.copysign(np.finfo(dtype).max, X[17])
    with warnings.catch_warnings():
        # numpy's own loops warn, in the maps that run on them.
        warnings.filterwarnings("ignore", "(overflow|invalid value) encountered", RuntimeWarning)
        Phi = fitted.transform(X)
    others = np.arange(40) != 17
    assert np.array_equal(Phi[others], good[others])
    assert np.isnan(Phi[17]).any() or name.startswith(("nystroem", "rpc_nystroem"))


@over_dtypes
@pytest.mark.parametrize("d", [12, 70, 97, 1024])
@pytest.mark.parametrize("name", RANDOM)
def test_rows_below_the_stated_size_do_not_overflow(name, d, dtype):
    """``||x||/sigma`` up to ``1e36/d^2`` (float32) or ``1e306/d^2`` (float64), for the worst directions."""
    length = (1e36 if dtype == np.float32 else 1e306) / d**2
    X = np.array([np.ones(d) / d**0.5, np.eye(d)[d // 2], data(1, d)[0] / np.linalg.norm(data(1, d))]) * length
    Phi = RANDOM[name](d + 2, gamma=0.5, random_state=0).fit(X[:1].astype(dtype)).transform(X.astype(dtype))
    assert np.isfinite(Phi).all()


@pytest.mark.parametrize("name", ["nystroem", "rpc_nystroem"])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_landmarks_that_overflow_are_refused(name, convert):
    X = data()
    X[3, 2] = -1e160
    with pytest.raises(ValueError, match=r"entry of size 1e\+160.*1e\+150.*scale the data"):
        MAPS[name](4).fit(convert(X))


@pytest.mark.parametrize("value", [True, False, np.True_])
@over_classes
def test_truth_values_are_no_numbers(cls, value):
    """True would be 1 component, or fail somewhere in numpy."""
    numbers = {"n_components", "gamma", "nu", "random_state", "dense_below"} & set(signature(cls).parameters)
    for name in numbers:
        with pytest.raises(ValueError, match=rf"{name}\b.*{value}"):
            cls(**{name: value}).fit(data())


@pytest.mark.parametrize(
    ("X", "shape"),
    [
        (5, "()"),
        (None, "()"),
        ("abc", "()"),
        (np.zeros(12), "(12,)"),
        (np.zeros((1, 2, 12)), "(1, 2, 12)"),
        ([], "(0,)"),
    ],
)
@over_classes
def test_iter_transform_refuses_what_is_no_matrix_at_once(cls, X, shape):
    fitted = cls(8).fit(data())
    with pytest.raises(ValueError) as caught:
        fitted.iter_transform(X, 5)
    assert f"X has shape {shape}; pass a matrix of shape (n_samples, n_features)" in str(caught.value)


@over_classes
def test_iter_transform_refuses_a_generator_and_a_truth_value(cls):
    fitted = cls(8).fit(data())
    with pytest.raises(ValueError, match="generator"):
        fitted.iter_transform(row for row in data())
    with pytest.raises(ValueError, match="rows=True must be a positive integer"):
        fitted.iter_transform(data(), rows=True)


NOT_NUMBERS = [
    (["a"] * 8, "dtype <U1"),
    (["1"] * 8, "dtype <U1"),
    (np.array(["a"] * 8, dtype=object), "no array of numbers (could not convert string to float: 'a')"),
    (np.zeros(8, complex), "dtype complex128"),
    (np.zeros(8, "M8[s]"), "dtype datetime64[s]"),
    ([[1.0], [1.0, 2.0]], "no array of numbers"),
    ({}, "no array of numbers"),
    (3.0, "shape ()"),
    (np.zeros(7), "shape (7,)"),
    (np.zeros((1, 8)), "shape (1, 8)"),
    (np.zeros((8, 1, 1)), "shape (8, 1, 1)"),
]


@pytest.mark.parametrize(("values", "fault"), NOT_NUMBERS)
@over_classes
def test_weights_and_targets_that_are_no_numbers_are_refused(cls, values, fault):
    """The message names what came and the shape that is wanted: of 8 columns (W), of 8 rows (y)."""
    calls = {
        "W": lambda: cls(8).fit(data()).map_dot(data(5), values),
        "y": lambda: cls(6).fit(data()).gram(data(), values),
    }
    for name, call in calls.items():
        with pytest.raises(ValueError) as caught:
            call()
        assert str(caught.value).startswith(f"{name} ")
        assert fault in str(caught.value)
        assert "as real numbers of shape (8,) or (8, k)." in str(caught.value)


@over_classes
def test_weights_are_needed_dense_and_finite(cls):
    fitted = cls(8).fit(data())
    with pytest.raises(ValueError, match=r"W is None; pass weights, one row for each of the map's 8 columns"):
        fitted.map_dot(data(), None)
    for call, name in ((fitted.map_dot, "W"), (fitted.gram, "y")):
        with pytest.raises(TypeError, match=rf"{name} is sparse; .* {name}.toarray\(\) makes it dense"):
            call(data(), sparse.csr_matrix(np.ones((8, 2))))
        with pytest.raises(ValueError, match=f"{name} contains NaN"):
            call(data(), [np.nan] * 8)
    with pytest.raises(ValueError, match=r"W contains infinity or a value too large for dtype.*float32"):
        fitted.map_dot(data(dtype=np.float32), np.full(8, 1e300))


@over_classes
def test_weights_may_be_any_real_numbers(cls):
    """Whole numbers, truth values and objects that are numbers mean their float64 values."""
    fitted = cls(8, random_state=0).fit(data())
    expected = fitted.map_dot(data(), np.arange(8.0) % 2)
    for W in (np.arange(8) % 2, np.arange(8) % 2 == 1, (np.arange(8) % 2).astype(object), [0, 1] * 4):
        assert np.array_equal(fitted.map_dot(data(), W), expected)
