"""All learners keep scikit-learn's contract and refuse bad data in plain words."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from scrf_bench.learners import (
    FeatureRidgeClassifier,
    FeatureRidgeRegressor,
    KernelRidgeClassifier,
    KernelRidgeRegressor,
    LiblinearClassifier,
    LibsvmClassifier,
    LibsvmRegressor,
    LogisticClassifier,
    OneVsRestKernelSVM,
)

CLASSIFIERS = [
    LiblinearClassifier(),
    LiblinearClassifier(loss="logistic"),
    LibsvmClassifier(),
    OneVsRestKernelSVM(),
    FeatureRidgeClassifier(),
    KernelRidgeClassifier(),
    LogisticClassifier(),
]
REGRESSORS = [LibsvmRegressor(), FeatureRidgeRegressor(), KernelRidgeRegressor()]
LEARNERS = CLASSIFIERS + REGRESSORS


def over(learners):
    return pytest.mark.parametrize("learner", learners, ids=lambda learner: type(learner).__name__)


each = over(LEARNERS)


def suited(learner, y):
    """Return the labels for a classifier, numbers for a regressor."""
    return y if learner in CLASSIFIERS else np.unique(y, return_inverse=True)[1].astype(float)


# No check is expected to fail. check_array_api_input skips itself unless SCIPY_ARRAY_API is set.
@parametrize_with_checks(LEARNERS)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@each
def test_bad_data_is_refused_in_plain_words(learner, blobs):
    X, y = blobs
    y = suited(learner, y)
    learner = clone(learner)
    holed = X.copy()
    holed[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        learner.fit(holed, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        learner.fit(X, y[:-1])
    learner.fit(X, y)
    with pytest.raises(ValueError, match=r"X has 5 features, but .* is expecting 6"):
        learner.predict(X[:, :5])
    with pytest.raises(ValueError, match="infinity"):
        learner.predict(np.full((1, 6), np.inf))


@over(CLASSIFIERS)
def test_one_class_is_refused_in_plain_words(learner, blobs):
    with pytest.raises(ValueError, match=r"only one class \(\['oak'\]\)"):
        clone(learner).fit(blobs[0], np.full(len(blobs[0]), "oak"))


@over(REGRESSORS)
def test_targets_that_are_no_numbers_are_refused(learner, blobs):
    X, y = blobs
    holed = suited(learner, y)
    holed[5] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        clone(learner).fit(X, holed)


@each
@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix])
def test_every_sparse_form_is_accepted(learner, make, blobs):
    X, y = blobs
    y = suited(learner, y)
    dense, other = clone(learner).fit(X, y), clone(learner).fit(make(X), y)
    if learner in CLASSIFIERS:
        assert (dense.predict(X) == other.predict(make(X))).mean() > 0.99
    else:
        np.testing.assert_allclose(dense.predict(X), other.predict(make(X)), atol=1e-9)


@each
def test_each_learner_states_its_version_and_its_solver(learner, blobs):
    assert isinstance(type(learner).version, int)
    X, y = blobs
    fitted = clone(learner).fit(X, suited(learner, y))
    assert any(word in fitted.solver_ for word in ("eps", "tolerance", "Cholesky"))
    assert "bias" in fitted.solver_
    assert isinstance(fitted.n_parameters_, int)
    assert isinstance(fitted.model_bytes_, int)
    assert fitted.log_
