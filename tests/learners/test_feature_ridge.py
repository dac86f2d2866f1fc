"""Ridge from sums equals scikit-learn's ridge on the whole features, in the memory it says."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Ridge, RidgeClassifier

from scrf_bench.learners import FeatureRidgeClassifier, FeatureRidgeRegressor, gram_bytes
from scrf_bench.learners.gram_sums import gram_sums, origins, require_resolved
from scrf_bench.maps import RKS, SCRF


@pytest.fixture
def wave():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1500, 5))  # more rows than a chunk
    return X, np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]], axis=1) + 0.1 * rng.normal(size=(1500, 2)) + 7.0


class FusedMap(RBFSampler):
    """A map with sums of its own, as those of `scrf_bench.maps`: float32 rows have float32 products."""

    def transform(self, X):
        return super().transform(X).astype(X.dtype)

    def gram(self, X, y=None):
        Phi = self.transform(X)
        return (Phi.T @ Phi).astype(float), None if y is None else Phi.T.astype(float) @ y

    def map_dot(self, X, W):
        return self.transform(X) @ W.astype(X.dtype)


@pytest.mark.parametrize("alpha", [1e-4, 0.1, 30.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("make", [RKS, SCRF, RBFSampler, FusedMap, None])
def test_it_is_scikit_learns_ridge_on_the_features(wave, alpha, fit_intercept, make):
    X, Y = wave
    feature_map = None if make is None else make(n_components=64, gamma=0.1, random_state=3)
    ours = FeatureRidgeRegressor(feature_map, alpha=alpha, fit_intercept=fit_intercept).fit(X, Y)
    Phi = X if feature_map is None else ours.feature_map_.transform(X)
    theirs = Ridge(alpha=alpha, fit_intercept=fit_intercept).fit(Phi, Y)
    scale = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-6 * scale)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(ours.predict(X[:50]), theirs.predict(Phi[:50]), rtol=1e-6, atol=1e-6)
    one = FeatureRidgeRegressor(feature_map, alpha=alpha, fit_intercept=fit_intercept).fit(X, Y[:, 1])
    np.testing.assert_allclose(one.coef_, ours.coef_[1], rtol=1e-6, atol=1e-6 * scale)
    assert one.predict(X).shape == (len(X),)


def test_the_normal_equations_hold(wave):
    """Phi'(Phi w + b - y) + alpha w = 0 and 1'(Phi w + b - y) = 0, to 1e-11 of their terms."""
    X, Y = wave
    ours = FeatureRidgeRegressor(RKS(n_components=100, gamma=0.2, random_state=0), alpha=0.03).fit(X, Y)
    Phi = ours.feature_map_.transform(X)
    residual = Phi @ ours.coef_.T + ours.intercept_ - Y
    assert np.abs(Phi.T @ residual + 0.03 * ours.coef_.T).max() <= 1e-11 * np.abs(Phi.T @ Y).max()
    assert np.abs(residual.sum(axis=0)).max() <= 1e-11 * np.abs(Y.sum(axis=0)).max()


def test_features_far_from_zero_keep_their_digits(wave):
    """Columns at 1e6 with spread 1: sums about 0 would keep 1e12 eps = 1e-4 of them."""
    X, Y = wave
    far = X + 1e6
    exact = Ridge(alpha=1.0, solver="svd").fit(X, Y)
    ours = FeatureRidgeRegressor(alpha=1.0).fit(far, Y)
    np.testing.assert_allclose(ours.coef_, exact.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.predict(far), exact.predict(X), rtol=1e-6)


def test_many_alphas_give_what_each_alone_gives(wave):
    alphas = [1.0, 2.0**-9, 64.0]
    make = FeatureRidgeRegressor(RKS(n_components=64, gamma=0.1, random_state=3))
    for alpha, learner in zip(alphas, make.fit_path(*wave, alphas), strict=True):
        alone = FeatureRidgeRegressor(RKS(n_components=64, gamma=0.1, random_state=3), alpha=alpha).fit(*wave)
        np.testing.assert_array_equal(learner.coef_, alone.coef_)
        np.testing.assert_array_equal(learner.intercept_, alone.intercept_)
        np.testing.assert_array_equal(learner.predict(wave[0]), alone.predict(wave[0]))
        assert (learner.alpha, learner.solver_) == (alpha, alone.solver_)
    assert not hasattr(make, "coef_")


def test_a_path_walks_over_the_rows_once(wave):
    walks = []

    class Counting(FusedMap):
        def gram(self, X, y=None):
            walks.append(len(X))
            return super().gram(X, y)

    FeatureRidgeRegressor(Counting(n_components=20, random_state=0)).fit_path(*wave, [0.1] * 10)
    assert walks == [1500]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_are_scikit_learns_ridge_classifier(blobs, n_classes):
    X, y = blobs
    X, y = (X, y) if n_classes == 3 else (X[y != "elm"], y[y != "elm"])
    ours = FeatureRidgeClassifier(RKS(n_components=80, gamma=0.1, random_state=1), alpha=0.5).fit(X, y)
    Phi = ours.feature_map_.transform(X)
    theirs = RidgeClassifier(alpha=0.5).fit(Phi, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(Phi), rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(Phi))
    np.testing.assert_allclose(ours.coef_, np.atleast_2d(theirs.coef_), rtol=1e-6, atol=1e-7)
    assert ours.n_parameters_ == (81 if n_classes == 2 else 3 * 81)
    assert ours.model_bytes_ == 8 * ours.n_parameters_


def test_singular_sums_without_a_penalty_get_the_least_norm_and_say_so(wave):
    X, Y = wave
    twice = np.hstack([X, X])
    low, high = FeatureRidgeRegressor().fit_path(twice, Y, [0.0, 1.0])
    assert (low.method_, high.method_) == ("eigh", "cholesky")
    assert "least norm" in low.solver_
    np.testing.assert_allclose(low.coef_, np.linalg.lstsq(twice - twice.mean(0), Y - Y.mean(0))[0].T, atol=1e-9)
    np.testing.assert_allclose(high.coef_, Ridge(alpha=1.0).fit(twice, Y).coef_, rtol=1e-6, atol=1e-9)


def test_features_that_do_not_vary_get_no_weight(wave):
    learner = FeatureRidgeRegressor(alpha=0.0).fit(np.full((50, 3), 4.0), wave[1][:50])
    np.testing.assert_array_equal(learner.coef_, np.zeros((2, 3)))
    np.testing.assert_allclose(learner.predict(np.full((2, 3), 4.0)), np.tile(wave[1][:50].mean(axis=0), (2, 1)))


def ill_conditioned():
    """Return float32 rows of a kernel so wide that the sums' small eigenvalues are 1e-9 of the largest."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4)).astype(np.float32)
    return X, np.sin(X[:, 0]).astype(float), FusedMap(n_components=200, gamma=0.01, random_state=0)


def test_float32_rows_lose_nothing_in_double_precision():
    """At alpha = 1e-6 of the largest eigenvalue's 1e-2, float32 sums are wrong in the first digit."""
    X, y, feature_map = ill_conditioned()
    wide = FeatureRidgeRegressor(feature_map, alpha=1e-5).fit(X, y)
    Phi = wide.feature_map_.transform(X.astype(float))
    exact = Ridge(alpha=1e-5, solver="svd").fit(Phi, y)
    assert wide.rcond_ < 1e-7
    np.testing.assert_allclose(
        Phi @ wide.coef_ + wide.intercept_, exact.predict(Phi), rtol=1e-6, atol=1e-6 * np.abs(y).max()
    )
    narrow = gram_sums(wide.feature_map_, X, y[:, None], origin=np.zeros(200), target_origin=np.zeros(1), single=True)
    eigenvalues = np.linalg.eigvalsh(narrow.products)
    assert eigenvalues[0] < -1e-5  # (Phi'Phi + alpha I) of float32 products is not even positive definite


def test_single_precision_refuses_what_it_does_not_resolve():
    X, y, feature_map = ill_conditioned()
    with pytest.raises(ValueError, match=r"alpha=1e-05 is below .* use precision='double' or a larger alpha"):
        FeatureRidgeRegressor(feature_map, alpha=1e-5, precision="single").fit(X, y)
    single, double = (
        FeatureRidgeRegressor(feature_map, alpha=5.0, precision=precision).fit(X, y)
        for precision in ("single", "double")
    )
    assert "float32 products" in single.solver_
    assert "float64 products" in double.solver_
    np.testing.assert_allclose(single.predict(X), double.predict(X), atol=1e-3)
    assert not np.array_equal(single.coef_, double.coef_)


def test_the_largest_eigenvalue_sets_the_floor():
    products = np.diag([3.0, 7e5, 2.0])
    sums = gram_sums(None, np.zeros((1, 3)), np.zeros((1, 1)), origin=np.zeros(3), target_origin=np.zeros(1))
    sums.products[...] = products
    require_resolved(sums, 0.71)
    with pytest.raises(ValueError, match=r"alpha=0\.69 is below 0\.7,"):
        require_resolved(sums, 0.69)


def test_parts_add_up_and_come_away_again(wave):
    X, Y = wave
    o, p = origins(None, X, Y, centred=True, n_components=5)
    whole, first, rest = (
        gram_sums(None, X[part], Y[part], origin=o, target_origin=p)
        for part in (slice(None), slice(0, 400), slice(400, None))
    )
    expected = np.tril(rest.products)
    less = whole.without(first, out=np.empty((5, 5)))
    np.testing.assert_allclose(np.tril(less.products), expected, rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(less.dot, rest.dot, rtol=1e-12, atol=1e-10)
    assert less.n == 1100
    first.add(rest)
    np.testing.assert_allclose(np.tril(first.products), np.tril(whole.products), rtol=1e-12, atol=1e-10)
    mean, target_mean = rest.centre()
    np.testing.assert_allclose(mean, X[400:].mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(target_mean, Y[400:].mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(np.tril(rest.products), np.tril(1100 * np.cov(X[400:].T, bias=True)), rtol=1e-10)


@pytest.mark.parametrize("make", [RKS, None])
def test_fitting_takes_the_memory_of_one_matrix(make):
    """Phi of 20,000 x 1200 in float64 would be 192 MB; the bound is 41 MB."""
    rng = np.random.default_rng(0)
    D, n = 1200, 20_000 if make else 3000
    X = rng.normal(size=(n, 8 if make else D))
    y = rng.normal(size=(n, 3))
    learner = FeatureRidgeRegressor(None if make is None else make(n_components=D, gamma=0.1, random_state=0))
    tracemalloc.start()
    try:
        learner.fit_path(X, y, [0.1, 1.0, 10.0])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 8 * D * D <= peak <= gram_bytes(D, 3) + 2 * y.nbytes


def test_too_many_features_for_the_memory_are_refused_with_figures(wave):
    with pytest.raises(ValueError, match=r"ridge on D=5 features is .* more than max_bytes=1e-06 GB"):
        FeatureRidgeRegressor(max_bytes=1000).fit(*wave)
    assert gram_bytes(8192, 10) < 2**30


def test_sparse_rows_give_the_answer_of_dense_rows(wave):
    X, Y = np.where(np.abs(wave[0]) > 0.8, wave[0], 0.0), wave[1]
    for feature_map in (None, RKS(n_components=32, random_state=0)):
        dense = FeatureRidgeRegressor(feature_map).fit(X, Y)
        other = FeatureRidgeRegressor(feature_map).fit(sparse.csr_array(X), Y)
        np.testing.assert_allclose(other.predict(sparse.csr_array(X)), dense.predict(X), atol=1e-9)


def test_the_times_of_all_steps_are_kept(wave):
    learner = FeatureRidgeRegressor(RKS(n_components=16, random_state=0)).fit(*wave)
    learner.predict(wave[0])
    steps = ("draw", "gram", "solve", "train", "predict")
    assert set(learner.stopwatch_) == {f"{step}_{clock}_s" for step in steps for clock in ("cpu", "wall")}
    parts = sum(learner.stopwatch_[f"{step}_wall_s"] for step in ("draw", "gram", "solve"))
    assert learner.stopwatch_["train_wall_s"] >= parts


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"alpha": -1.0}, "alpha=-1.0 is not a finite number of at least 0"),
        ({"alpha": float("nan")}, "alpha=nan"),
        ({"precision": "half"}, "precision='half' is neither"),
        ({"max_bytes": -1}, "max_bytes=-1"),
    ],
)
def test_parameters_out_of_range_are_named(wave, settings, words):
    with pytest.raises(ValueError, match=words):
        FeatureRidgeRegressor(**settings).fit(*wave)
