"""All learners keep scikit-learn's contract and refuse bad data in plain words."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from scrf_bench.learners import LiblinearClassifier, LibsvmClassifier, OneVsRestKernelSVM

LEARNERS = [
    LiblinearClassifier(),
    LiblinearClassifier(loss="logistic"),
    LibsvmClassifier(),
    OneVsRestKernelSVM(),
]
each = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)


# No check is expected to fail. check_array_api_input skips itself unless SCIPY_ARRAY_API is set.
@parametrize_with_checks(LEARNERS)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@each
def test_bad_data_is_refused_in_plain_words(learner, blobs):
    X, y = blobs
    learner = clone(learner)
    holed = X.copy()
    holed[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        learner.fit(holed, y)
    with pytest.raises(ValueError, match=r"only one class \(\['oak'\]\)"):
        learner.fit(X, np.full(len(X), "oak"))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        learner.fit(X, y[:-1])
    learner.fit(X, y)
    with pytest.raises(ValueError, match=r"X has 5 features, but .* is expecting 6"):
        learner.predict(X[:, :5])
    with pytest.raises(ValueError, match="infinity"):
        learner.predict(np.full((1, 6), np.inf))


@each
@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix])
def test_every_sparse_form_is_accepted(learner, make, blobs):
    X, y = blobs
    dense, other = clone(learner).fit(X, y), clone(learner).fit(make(X), y)
    assert (dense.predict(X) == other.predict(make(X))).mean() > 0.99


@each
def test_each_learner_states_its_version_and_its_solver(learner, blobs):
    assert isinstance(type(learner).version, int)
    fitted = clone(learner).fit(*blobs)
    assert "eps" in fitted.solver_
    assert "bias" in fitted.solver_
    assert isinstance(fitted.n_parameters_, int)
    assert isinstance(fitted.model_bytes_, int)
    assert fitted.log_
