"""The maps as scikit-learn transformers, and the promises of their base class."""

import doctest
import importlib
import pickle
import pkgutil
import subprocess
import sys
import tracemalloc
from inspect import signature

import numpy as np
import pytest
from numpy.random import RandomState
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.utils.estimator_checks import check_estimator

import scrf_bench.maps
from scrf_bench.maps import MAPS, RKS, SCRF, Fastfood, RandomFeatureMap
from tests.maps.variants import ALL, RANDOM

CLASSES = list(MAPS.values())
RANDOM_CLASSES = [cls for cls in CLASSES if issubclass(cls, RandomFeatureMap)]


class _AtLeastTwo:
    """scikit-learn's checks set ``n_components = 1``, which the pair embedding has to refuse: make it 2."""

    @property
    def n_components(self):
        return self.__dict__["n_components"]

    @n_components.setter
    def n_components(self, value):
        self.__dict__["n_components"] = 2 if isinstance(value, int) and value == 1 else value


# Classes of their own, found by name when they are unpickled.
PAIRS = [type(f"Pair{cls.__name__}", (_AtLeastTwo, cls), {"__module__": __name__}) for cls in RANDOM_CLASSES]
globals().update({cls.__name__: cls for cls in PAIRS})


def small(make, **options):
    """Construct a map that 30 rows suffice for: a Nystroem map has no more columns than training rows."""
    return make(**({} if issubclass(getattr(make, "func", make), RandomFeatureMap) else {"n_components": 8}), **options)


@pytest.mark.parametrize(
    "estimator",
    [*(small(make) for make in ALL.values()), *(cls(embedding="pair") for cls in PAIRS)],
    ids=repr,
)
def test_scikit_learn_checks(estimator):
    """All of scikit-learn's estimator checks pass; only the array-API one may be skipped."""
    results = check_estimator(estimator, on_skip=None)
    assert len(results) > 40
    skipped = {result["check_name"] for result in results if result["status"] != "passed"}
    assert skipped <= {"check_array_api_input"}


@pytest.mark.parametrize("cls", RANDOM_CLASSES)
def test_odd_pair_is_refused(cls):
    with pytest.raises(ValueError, match=r"n_components=7 is odd.*n_components=8 or embedding='phase'"):
        cls(7, embedding="pair").fit(np.eye(3))


BAD = [
    ({"n_components": 0}, "n_components"),
    ({"gamma": 0.0}, "gamma"),
    ({"gamma": -1.0}, "gamma"),
    ({"embedding": "both"}, "embedding"),
    ({"kernel": "laplace"}, "kernel"),
    ({"nu": 0.0}, "nu"),
    ({"random_state": "seed"}, "random_state"),
]


@pytest.mark.parametrize(
    ("cls", "parameters", "word"),
    [(cls, *bad) for cls in CLASSES for bad in BAD if bad[1] in signature(cls).parameters],
)
def test_bad_parameters_are_named(cls, parameters, word):
    with pytest.raises(ValueError, match=word):
        cls(**parameters).fit(np.eye(3))


@pytest.mark.parametrize("embedding", ["phase", "pair"])
@pytest.mark.parametrize("D", [2, 10, 64, 130])
@pytest.mark.parametrize("cls", RANDOM_CLASSES)
def test_exact_number_of_columns(cls, D, embedding):
    Phi = cls(D, embedding=embedding).fit_transform(RandomState(0).standard_normal((3, 12)))
    assert Phi.shape == (3, D)


@pytest.mark.parametrize("name", ALL)
def test_parameters_set_after_fit_wait_for_the_next_fit(name):
    """A dtype first seen later is mapped by the fitted parameters too, not by those that were set since."""
    X = RandomState(0).standard_normal((30, 7))
    later, plain = (small(ALL[name], random_state=0).fit(X.astype(np.float32)) for _ in range(2))
    later.set_params(gamma=3.0, n_components=2 * later.n_components)
    assert np.array_equal(later.transform(X), plain.transform(X))
    plain.set_params(**later.get_params())
    assert later.fit(X.repeat(40, axis=0)).transform(X).shape[1] == later.n_components
    assert np.array_equal(later.transform(X), plain.fit(X.repeat(40, axis=0)).transform(X))


@pytest.mark.parametrize("name", ALL)
def test_a_refused_fit_leaves_the_one_before_it(name):
    """After a fit that raises, the map is what it was, for the dtype it had and for the other."""
    X = RandomState(0).standard_normal((30, 7))
    fitted, plain = (small(ALL[name], random_state=0).fit(X) for _ in range(2))
    with pytest.raises(ValueError, match="n_components"):
        fitted.set_params(n_components=-1).fit(X[:, :5])
    with pytest.raises(ValueError, match="NaN"):
        fitted.set_params(n_components=33).fit(np.full((40, 5), np.nan))
    copied = pickle.loads(pickle.dumps(fitted))
    for dtype in (np.float64, np.float32):
        expected = plain.transform(X.astype(dtype))
        assert np.array_equal(fitted.transform(X.astype(dtype)), expected)
        assert np.array_equal(copied.transform(X.astype(dtype)), expected)


@pytest.mark.parametrize("cls", RANDOM_CLASSES)
def test_an_embedding_set_after_fit_waits(cls):
    """An embedding that a refused fit asked for does not change what is written, nor where."""
    X = RandomState(0).standard_normal((60, 70))
    fitted, plain = (cls(32, random_state=0).fit(X.astype(np.float32)) for _ in range(2))
    with pytest.raises(ValueError, match="pair"):
        fitted.set_params(n_components=33, embedding="pair").fit(X)
    assert np.array_equal(fitted.transform(X), plain.transform(X))


@pytest.mark.parametrize("cls", CLASSES)
def test_random_state(cls):
    """An int gives one map again and again; a RandomState moves on; None differs."""
    X = RandomState(0).standard_normal((30, 12))

    def features(random_state):
        return cls(8, gamma=0.1, random_state=random_state).fit_transform(X)

    first = features(4)
    assert np.array_equal(first, features(4))
    assert not np.array_equal(first, features(5))
    rng = RandomState(4)
    assert np.array_equal(first, features(rng))
    assert not np.array_equal(first, features(rng))
    assert not np.array_equal(features(None), features(None))


@pytest.mark.parametrize("name", RANDOM)
def test_gamma_scales_the_frequencies(name):
    """gamma = 1/(2 sigma^2), so 4 gamma doubles the projections."""
    X = RandomState(0).standard_normal((3, 12))
    Z = RANDOM[name](gamma=0.5, random_state=4).fit(X).project(X)
    doubled = RANDOM[name](gamma=2.0, random_state=4).fit(X).project(X)
    np.testing.assert_allclose(doubled, 2 * Z, rtol=1e-12, atol=1e-13 * np.abs(Z).max())


@pytest.mark.parametrize("cls", RANDOM_CLASSES)
def test_kernel_multiplies_each_frequency_by_its_radial_factor(cls):
    """The Matern map's directions are those of the Gaussian map of the same seed."""
    X = RandomState(0).standard_normal((3, 12))
    gaussian = cls(64, random_state=4).fit(X)
    matern = cls(64, random_state=4, kernel="matern", nu=0.7).fit(X)
    factors = matern._radial_factors(64)
    assert gaussian._radial_factors(64) is None
    Z = gaussian.project(X) * factors
    np.testing.assert_allclose(matern.project(X), Z, rtol=1e-11, atol=1e-13 * np.abs(Z).max())
    assert matern.n_parameters_ == gaussian.n_parameters_ + 64


@pytest.mark.parametrize("name", ALL)
def test_out(name):
    X = RandomState(0).standard_normal((30, 12)).astype(np.float32)
    fitted = ALL[name](30, random_state=0).fit(X)
    out = np.empty((30, 30), np.float32)
    assert fitted.transform(X, out=out) is out
    assert np.array_equal(out, fitted.transform(X))
    whole = np.zeros((32, 30), np.float32)
    fitted.transform(X, out=whole[1:31])
    assert np.array_equal(whole[1:31], out)
    assert not whole[[0, 31]].any()


@pytest.mark.parametrize("name", RANDOM)
def test_out_of_both_halves(name):
    X = RandomState(0).standard_normal((30, 12)).astype(np.float32)
    fitted = RANDOM[name](50, random_state=0).fit(X)
    out = np.empty((30, 50), np.float32)
    assert fitted.project(X, out=out) is out
    Z = out.copy()
    assert np.array_equal(Z, fitted.project(X))
    assert fitted.featurize(Z, out=out) is out
    assert np.array_equal(out, fitted.featurize(Z))


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        (np.empty((30, 49)), ValueError, r"shape \(30, 49\), the result has \(30, 50\)"),
        (np.empty((29, 50)), ValueError, r"shape \(29, 50\)"),
        (np.empty((30, 50), np.float32), ValueError, "dtype float32, the result has float64"),
        (np.empty((50, 30)).T, ValueError, "C-contiguous"),
        (np.empty((30, 100))[:, ::2], ValueError, "C-contiguous"),
        (np.broadcast_to(0.0, (30, 50)), ValueError, "C-contiguous"),
        ([[0.0]], TypeError, "not list"),
    ],
)
def test_unfit_out_is_refused(out, error, message):
    """The message says what is wrong and which array to pass."""
    X = np.zeros((30, 12))
    with pytest.raises(error, match=message) as caught:
        SCRF(50).fit(X).transform(X, out=out)
    assert "numpy.empty((30, 50), dtype='float64')" in str(caught.value)


def test_out_may_not_overlap_the_input():
    X = np.zeros((30, 50))
    with pytest.raises(ValueError, match="overlaps the input"):
        SCRF(50).fit(X).transform(X, out=X)


def test_out_is_no_metadata():
    """scikit-learn does not offer to route `out` through pipelines."""
    assert not hasattr(SCRF(), "set_transform_request")


@pytest.mark.parametrize("rows", [0, -3, 2.5, None])
def test_bad_chunk_is_refused_at_once(rows):
    with pytest.raises(ValueError, match="must be a positive integer"):
        SCRF(8).fit(np.eye(3)).iter_transform(np.eye(3), rows=rows)


@pytest.mark.parametrize("convert", [np.asarray, np.ndarray.tolist, sparse.csr_matrix, sparse.coo_array])
def test_iter_transform_takes_any_matrix(convert):
    X = np.where(RandomState(0).standard_normal((25, 6)) > 0, 1.5, 0.0)
    fitted = RKS(8, random_state=0).fit(X)
    pieces = list(fitted.iter_transform(convert(X), rows=10))
    assert [rows for rows, _ in pieces] == [slice(0, 10), slice(10, 20), slice(20, 25)]
    assert np.array_equal(np.vstack([chunk for _, chunk in pieces]), fitted.transform(X))


def test_iter_transform_reads_a_memmap_by_chunks(tmp_path):
    """Neither X nor the result is ever in memory as a whole."""
    X = np.lib.format.open_memmap(tmp_path / "X.npy", mode="w+", dtype=np.float32, shape=(20_000, 60))
    X[:] = RandomState(0).standard_normal((20_000, 60))
    fitted = SCRF(256, random_state=0).fit(X[:1])
    fitted.transform(X[:1])  # loads or compiles the loops, which takes memory of its own
    tracemalloc.start()
    try:
        sums = sum(chunk.sum(dtype=np.float64) for _, chunk in fitted.iter_transform(X, rows=500))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sums == pytest.approx(fitted.transform(X).sum(dtype=np.float64), rel=1e-9)
    assert peak < 4e6  # X has 4.8 MB, the result 20 MB


def test_parameter_counts_are_the_papers():
    """RKS dD + D, Fastfood 5D, SCRF 3D where the order divides D."""
    X = np.zeros((1, 64))
    assert RKS(512).fit(X).n_parameters_ == 512 * 64 + 512
    assert Fastfood(512).fit(X).n_parameters_ == 5 * 512
    assert Fastfood(512, scaling=False).fit(X).n_parameters_ == 4 * 512
    assert SCRF(512).fit(X).n_parameters_ == 3 * 512
    assert SCRF(512, embedding="pair").fit(X).n_parameters_ == 2 * 256


def test_parameter_counts_include_whole_blocks():
    """Numbers drawn but cut off count: SCRF t d + F + D; Fastfood, padded from 60 to 64, 3 t 64 + F + D."""
    X = np.zeros((1, 60))
    assert SCRF(100).fit(X).n_parameters_ == 120 + 100 + 100
    assert Fastfood(100).fit(X).n_parameters_ == 3 * 128 + 100 + 100


def test_bytes_count_every_dtype_held():
    """float32 RKS holds 4 bytes a number; a float64 transform adds 8 bytes a number."""
    X = np.zeros((1, 60), np.float32)
    fitted = RKS(512).fit(X)
    assert fitted.nbytes_ == 4 * (512 * 60 + 512)
    fitted.transform(X.astype(np.float64))
    assert fitted.nbytes_ == 12 * (512 * 60 + 512)
    numbers = 4 * (8 * 62 + 480 + 480)  # float32: 31 complex frequencies of 8 blocks of order 60, signs, phases
    assert numbers <= SCRF(480).fit(X).nbytes_ <= 3 * numbers  # and the constants of a transform of order 60


@pytest.mark.parametrize("cls", CLASSES)
def test_unfitted_map_says_so(cls):
    for call in (
        lambda m: m.transform([[1.0]]),
        lambda m: m.iter_transform([[1.0]]),
        lambda m: m.nbytes_,
        lambda m: m.map_dot([[1.0]], [1.0]),
        lambda m: m.gram([[1.0]]),
    ):
        with pytest.raises(NotFittedError):
            call(cls())


@pytest.mark.parametrize("cls", CLASSES)
def test_wrong_width_is_refused(cls):
    fitted = cls(5).fit(np.eye(5))
    with pytest.raises(ValueError, match="4 features"):
        fitted.transform(np.zeros((2, 4)))


@pytest.mark.parametrize("cls", RANDOM_CLASSES)
def test_projections_of_wrong_width_are_refused(cls):
    fitted = cls(8).fit(np.eye(5))
    with pytest.raises(ValueError, match="Z has 5 columns, but this map has 8 frequencies"):
        fitted.featurize(np.zeros((2, 5)))


@pytest.mark.parametrize("cls", CLASSES)
def test_pickle_and_pipeline(cls):
    X = RandomState(0).standard_normal((20, 7))
    fitted = cls(16, random_state=0).fit(X)
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).transform(X), fitted.transform(X))
    pipeline = make_pipeline(MaxAbsScaler(), cls(16, random_state=0)).set_output(transform="pandas")
    frame = pipeline.fit_transform(X)
    assert list(frame.columns[:2]) == [f"{cls.__name__.lower()}0", f"{cls.__name__.lower()}1"]


@pytest.mark.parametrize("cls", CLASSES)
def test_names(cls):
    assert MAPS[cls.name] is cls
    assert cls.version >= 1
    assert cls.implementation >= 1
    assert cls(2).fit(np.eye(2)).algorithm_


@pytest.mark.parametrize("cls", CLASSES)
def test_docstring_ends_as_scikit_learns(cls):
    headings = [heading for heading in ("See Also", "References", "Examples") if f"{heading}\n" in cls.__doc__]
    assert headings == ["See Also", "References", "Examples"]
    positions = [cls.__doc__.index(f"{heading}\n") for heading in headings]
    assert positions == sorted(positions)


MODULES = [module.name for module in pkgutil.walk_packages(scrf_bench.maps.__path__, "scrf_bench.maps.")]


@pytest.mark.parametrize("module", MODULES)
def test_doctests(module):
    loaded = importlib.import_module(module)
    assert doctest.testmod(loaded).failed == 0


def test_import_needs_no_compiler():
    """numba takes half a second to import: it is loaded when a map is used."""
    code = "import sys, scrf_bench.maps; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
