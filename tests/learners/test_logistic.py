"""Logistic regression reaches scikit-learn's optimum, and its features may be kept or made anew."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import check_grad
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression

from scrf_bench.learners import LogisticClassifier, gaussian_prior_alpha
from scrf_bench.learners.logistic_loss import LogisticLoss
from scrf_bench.learners.thin_products import add_transposed_dot, thin_dot
from scrf_bench.maps import RKS, SCRF

TIGHT = {"tol": 1e-9, "max_iter": 5000}


def classes_of(blobs, n_classes):
    X, y = blobs
    return (X, y) if n_classes == 3 else (X[y != "elm"], y[y != "elm"])


def scikit_learns_objective(learner, Phi, y):
    """Return sum log-loss + ||w||^2 / (2 C), with C = 1/alpha, of any fitted model with coef_ and intercept_."""
    logits = Phi @ learner.coef_.T + learner.intercept_
    if logits.shape[1] == 1:
        logits = np.hstack([np.zeros_like(logits), logits])
    codes = np.searchsorted(learner.classes_, y)
    losses = logsumexp(logits, axis=1) - logits[np.arange(len(y)), codes]
    return losses.sum() + 0.5 * 0.2 * (learner.coef_**2).sum()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_it_is_scikit_learns_optimum(blobs, n_classes, fit_intercept):
    X, y = classes_of(blobs, n_classes)
    ours = LogisticClassifier(alpha=0.2, fit_intercept=fit_intercept, **TIGHT).fit(X, y)
    theirs = LogisticRegression(C=5.0, fit_intercept=fit_intercept, **TIGHT).fit(X, y)
    assert ours.converged_
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_objective_is_scikit_learns(blobs, n_classes, dtype):
    """To 1e-6 relative, also with float32 features; and ours is what scikit-learn's formula gives at our weights."""
    X, y = classes_of(blobs, n_classes)
    feature_map = SCRF(n_components=64, gamma=0.1, random_state=0)
    ours = LogisticClassifier(feature_map, alpha=0.2, **TIGHT).fit(X.astype(dtype), y)
    Phi = ours.feature_map_.transform(X)
    theirs = LogisticRegression(C=5.0, **TIGHT).fit(Phi, y)
    best = scikit_learns_objective(theirs, Phi, y)
    assert ours.objective_ == pytest.approx(best, rel=1e-6)
    assert scikit_learns_objective(ours, Phi, y) == pytest.approx(best, rel=1e-6)


def test_on_real_data_the_objective_is_scikit_learns(dna):
    X, y = dna.X_train[:600], dna.y_train[:600]
    ours = LogisticClassifier(RKS(n_components=256, gamma=0.01, random_state=0), alpha=0.2, **TIGHT).fit(X, y)
    Phi = ours.feature_map_.transform(X)
    theirs = LogisticRegression(C=5.0, **TIGHT).fit(Phi, y)
    assert ours.objective_ == pytest.approx(scikit_learns_objective(theirs, Phi, y), rel=1e-6)
    np.testing.assert_allclose(ours.predict_proba(dna.X_test[:100]), theirs.predict_proba(
        ours.feature_map_.transform(dna.X_test[:100])), atol=1e-4)  # fmt: skip


def loss_of(Phi, codes, k, **settings):
    settings = {"alpha": 0.7, "intercept_column": 1.0, "intercept_alpha": 0.0} | settings
    half = len(Phi) // 2
    chunks = [(slice(0, half), Phi[:half]), (slice(half, None), Phi[half:])]
    return LogisticLoss(lambda: chunks, codes, k, Phi.shape[1], Phi.dtype, **settings)


@pytest.mark.parametrize("k", [2, 5, 40])  # above 32 columns the products go another way
@pytest.mark.parametrize("settings", [{}, {"intercept_column": 0.3, "intercept_alpha": 2.0}, {"intercept_column": 0.0}])
def test_the_gradient_is_that_of_the_loss(k, settings):
    rng = np.random.default_rng(0)
    loss = loss_of(rng.normal(size=(90, 7)), rng.integers(0, k, 90), k, **settings)
    point = rng.normal(size=loss.size)
    error = check_grad(lambda p: loss(p)[0], lambda p: loss(p)[1], point)
    assert error < 1e-6 * np.sqrt(loss.size)


@pytest.mark.parametrize("k", [2, 3])
def test_huge_logits_neither_overflow_nor_lose_the_loss(k):
    Phi = np.array([[1e4], [-1e4], [1e4], [-1e4]])
    loss = loss_of(Phi, np.array([1, 0, 0, 1]), k, alpha=0.0, intercept_column=0.0)
    point = np.ones(loss.size) if k == 2 else np.array([0.0, 1.0, -2e4])
    value, gradient = loss(point)
    assert np.isfinite(gradient).all()
    assert value == pytest.approx(5e3 if k == 2 else value, rel=1e-12)


def test_the_loss_does_not_depend_on_how_rows_are_cut(monkeypatch):
    rng = np.random.default_rng(1)
    Phi, codes = rng.normal(size=(5000, 6)), rng.integers(0, 3, 5000)
    point = rng.normal(size=21)
    value, gradient = loss_of(Phi, codes, 3)(point)
    monkeypatch.setattr("scrf_bench.learners.logistic_loss._BLOCK_BYTES", 1)
    monkeypatch.setattr("scrf_bench.learners.logistic_loss._ROWS_SUMMED", 1)
    other_value, other_gradient = loss_of(Phi, codes, 3)(point)
    assert other_value == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(other_gradient, gradient, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("n", "D", "k"), [(1, 1, 1), (25, 40, 3), (131, 6000, 10), (7, 130_000, 1), (50, 30, 33)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_thin_products_are_the_products(n, D, k, dtype):
    """Within D or n roundings of the sums of absolute products."""
    rng = np.random.default_rng(0)
    Phi, W, S = (rng.normal(size=shape).astype(dtype) for shape in ((n, D), (D, k), (n, k)))
    eps = np.finfo(dtype).eps
    wide, W_wide, S_wide = (array.astype(float) for array in (Phi, W, S))
    error = np.abs(thin_dot(Phi, W) - wide @ W_wide)
    assert (error <= (D + 1) * eps * (np.abs(wide) @ np.abs(W_wide))).all()
    out = np.ones((k, D), dtype)
    add_transposed_dot(Phi, S, out)
    error = np.abs(out - (1.0 + S_wide.T @ wide))
    assert (error <= (n + 2) * eps * (1.0 + np.abs(S_wide).T @ np.abs(wide))).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_features_made_anew_give_the_bits_of_features_kept(blobs, dtype):
    X, y = blobs
    kept, anew = (
        LogisticClassifier(RKS(n_components=32, random_state=0), alpha=0.1, max_bytes=most).fit(X.astype(dtype), y)
        for most in (10**9, 100)
    )
    assert (kept.features_, anew.features_) == ("stored", "regenerated")
    assert f"{np.dtype(dtype)} features regenerated" in anew.solver_
    np.testing.assert_array_equal(kept.coef_, anew.coef_)
    np.testing.assert_array_equal(kept.intercept_, anew.intercept_)


def test_few_iterations_are_flagged_and_counted(blobs):
    few = LogisticClassifier(alpha=1e-6, max_iter=3, tol=0.0).fit(*blobs)
    assert (few.n_iter_, few.converged_) == (3, False)
    assert few.n_evaluations_ >= 4
    many = LogisticClassifier(alpha=1.0, tol=1e-5).fit(*blobs)
    assert many.converged_
    assert many.gradient_norm_ <= 1e-5
    assert many.n_iter_ < 300


def test_a_warm_start_goes_on_from_the_last_weights(blobs):
    X, y = blobs
    learner = LogisticClassifier(alpha=0.1, warm_start=True).fit(X, y)
    cold, first = learner.n_iter_, learner.coef_
    learner.fit(X, y)
    assert learner.n_iter_ < cold / 4
    np.testing.assert_allclose(learner.coef_, first, atol=1e-4)
    learner.fit(X, np.where(y == "elm", "fir", y))  # other classes: from the beginning
    assert learner.n_iter_ == cold
    learner.fit(X[:, :3], y)
    assert learner.coef_.shape == (3, 3)


@pytest.mark.parametrize("reading", ["precision", "standard deviation"])
def test_a_prior_in_other_units_of_the_features_is_the_same_model(blobs, reading):
    """Bare cosines with the prior on weights and bias, and cosines times sqrt(2/D): one model."""
    X, y = blobs
    D = 40
    scale = np.sqrt(2.0 / D)
    Phi = RKS(n_components=D, gamma=0.1, random_state=0).fit_transform(X)
    bare = LogisticClassifier(alpha=gaussian_prior_alpha(4.2813, reading=reading), penalise_intercept=True, **TIGHT)
    ours = LogisticClassifier(
        alpha=gaussian_prior_alpha(4.2813, reading=reading, feature_scale=scale),
        penalise_intercept=True,
        intercept_column=scale,
        **TIGHT,
    )
    bare.fit(Phi / scale, y)
    ours.fit(Phi, y)
    assert ours.objective_ == pytest.approx(bare.objective_, rel=1e-9)
    np.testing.assert_allclose(ours.coef_ * scale, bare.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, bare.intercept_, atol=1e-4)


def test_a_penalised_intercept_is_the_weight_of_a_column(blobs):
    X, y = blobs
    with_column = LogisticClassifier(alpha=0.3, fit_intercept=False, **TIGHT).fit(np.c_[X, np.full(len(X), 2.0)], y)
    learner = LogisticClassifier(alpha=0.3, penalise_intercept=True, intercept_column=2.0, **TIGHT).fit(X, y)
    np.testing.assert_allclose(learner.coef_, with_column.coef_[:, :-1], atol=1e-6)
    np.testing.assert_allclose(learner.intercept_, 2.0 * with_column.coef_[:, -1], atol=1e-6)
    assert "bias column 2 (regularised)" in learner.solver_


def test_sparse_rows_give_the_answer_of_dense_rows(blobs):
    X, y = np.where(np.abs(blobs[0]) > 0.8, blobs[0], 0.0), blobs[1]
    dense, other = LogisticClassifier().fit(X, y), LogisticClassifier().fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(dense.coef_, other.coef_, atol=1e-9)


def test_sizes_and_times_are_those_of_the_model(blobs):
    learner = LogisticClassifier(RKS(n_components=16, random_state=0)).fit(*blobs)
    learner.predict(blobs[0])
    assert learner.n_parameters_ == 3 * 17
    assert learner.model_bytes_ == 8 * 3 * 17
    assert set(learner.stopwatch_) == {
        f"{step}_{clock}_s" for step in ("draw", "map", "solve", "train", "predict") for clock in ("cpu", "wall")
    }


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"alpha": -1}, "alpha=-1 is not a finite number of at least 0"),
        ({"tol": float("nan")}, "tol=nan"),
        ({"max_iter": 0}, "max_iter=0 is not a whole number"),
        ({"history": 2.5}, "history=2.5"),
        ({"intercept_column": 0.0}, "intercept_column=0.0 is not a positive"),
        ({"max_bytes": 0}, "max_bytes=0"),
    ],
)
def test_parameters_out_of_range_are_named(blobs, settings, words):
    with pytest.raises(ValueError, match=words):
        LogisticClassifier(**settings).fit(*blobs)


def test_a_gaussian_prior_is_its_precision():
    """-log N(w; 0, v) is w^2 / (2 v) and a constant, and our penalty alpha w^2 / 2."""
    assert gaussian_prior_alpha(4.0, reading="precision") == 4.0
    assert gaussian_prior_alpha(4.0, reading="variance") == 0.25
    assert gaussian_prior_alpha(4.0, reading="standard deviation", feature_scale=2.0) == 0.25


def test_priors_out_of_range_are_named():
    with pytest.raises(ValueError, match=r"value=0\.0"):
        gaussian_prior_alpha(0.0, reading="variance")
    with pytest.raises(ValueError, match=r"feature_scale=-1"):
        gaussian_prior_alpha(1.0, reading="variance", feature_scale=-1)
    with pytest.raises(ValueError, match=r"reading='width' is none of 'precision'"):
        gaussian_prior_alpha(1.0, reading="width")
