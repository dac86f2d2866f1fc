"""The LIBSVM adapter equals scikit-learn's SVC to the support vector, and predicts what LIBSVM predicts."""

import ctypes

import numpy as np
import pytest
from libsvm import svm, svmutil
from scipy import sparse
from sklearn.svm import SVC

from scrf_bench.learners import LibsvmClassifier
from scrf_bench.learners.one_vs_one import per_class_decisions, votes


def test_dna_is_the_known_answer_and_scikit_learns(dna):
    """At C=10, gamma=0.01: 95.45 % and 827 support vectors (file order would give 95.62 % and 843)."""
    ours = LibsvmClassifier(C=10.0, gamma=0.01).fit(dna.X_train, dna.y_train)
    theirs = SVC(C=10.0, gamma=0.01).fit(dna.X_train, dna.y_train)
    predicted = ours.predict(dna.X_test)
    assert round(100 * float((predicted == dna.y_test).mean()), 2) == 95.45
    assert ours.n_support_ == 827
    np.testing.assert_array_equal(ours.n_support_per_class_, theirs.n_support_)
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-9)
    np.testing.assert_array_equal(predicted, theirs.predict(dna.X_test))
    np.testing.assert_allclose(ours.decision_function(dna.X_test), theirs.decision_function(dna.X_test), atol=1e-10)


@pytest.mark.parametrize("name", ["satimage", "splice"])
def test_labels_and_decisions_are_those_of_svm_predict_on_real_data(embedded, name):
    data = embedded(name)
    rng = np.random.default_rng(0)
    train, test = rng.permutation(len(data.X_train))[:900], rng.permutation(len(data.X_test))[:700]
    X, y, T = data.X_train[train], data.y_train[train], data.X_test[test]
    gamma = 0.5 if name == "satimage" else 0.02
    ours = LibsvmClassifier(C=4.0, gamma=gamma).fit(X, y)
    order = np.argsort(y, kind="stable")
    model = svmutil.svm_train(y[order].astype(float), X[order], f"-c 4 -g {gamma} -q -m 200")
    labels, _, values = svmutil.svm_predict([], T, model, "-q")
    np.testing.assert_array_equal(ours.predict(T), labels)
    np.testing.assert_allclose(ours.pairwise_decision_function(T), values, atol=1e-9)
    assert ours.n_support_ == model.get_nr_sv()


def test_sparse_rows_give_the_model_and_labels_of_dense_rows(dna):
    X, y, T = dna.X_train[:500], dna.y_train[:500], dna.X_test[:300]
    dense = LibsvmClassifier(C=10.0, gamma=0.01).fit(X, y)
    for make in (sparse.csr_matrix, sparse.csr_array, sparse.coo_array):
        other = LibsvmClassifier(C=10.0, gamma=0.01).fit(make(X), y)
        np.testing.assert_array_equal(other.support_, dense.support_)
        np.testing.assert_array_equal(other.dual_coef_, dense.dual_coef_)
        np.testing.assert_allclose(
            other.pairwise_decision_function(make(T)), dense.pairwise_decision_function(T), atol=1e-12
        )
    assert dense.model_bytes_ == 8 * dense.n_parameters_
    assert other.n_parameters_ < dense.n_parameters_


def test_the_dual_solution_satisfies_its_optimality_conditions(blobs):
    """KKT for two classes at tolerance eps: y f - 1 is >= 0 at alpha = 0, <= 0 at alpha = C, 0 between."""
    X, y = blobs
    X, y = X[y != "elm"], y[y != "elm"]
    eps, C, gamma = 1e-6, 2.0, 0.3
    learner = LibsvmClassifier(C=C, gamma=gamma, eps=eps).fit(X, y)
    beta = np.zeros(len(y))
    beta[learner.support_] = learner.dual_coef_[0]
    sign = np.where(y == learner.classes_[0], 1.0, -1.0)  # LIBSVM's: positive is the first class
    alpha = beta * sign
    assert alpha.min() >= 0.0
    assert alpha.max() <= C
    assert abs(beta.sum()) < 1e-9
    margin = sign * learner.pairwise_decision_function(X)[:, 0] - 1.0
    assert margin[alpha == 0.0].min() > -2 * eps
    assert margin[alpha == C].max() < 2 * eps
    free = (alpha > 0.0) & (alpha < C)
    assert np.abs(margin[free]).max() < 2 * eps


def test_a_tie_of_votes_goes_to_the_first_class_and_a_zero_to_the_second():
    # Pairs (0,1), (0,2), (1,2): each class wins one.
    cycle = np.array([[1.0, -1.0, 3.0]])
    np.testing.assert_array_equal(votes(cycle, 3), [[1, 1, 1]])
    assert votes(cycle, 3).argmax() == 0
    np.testing.assert_array_equal(votes(np.array([[0.0]]), 2), [[0, 1]])
    # The per-class scores break the tie by margins instead, as scikit-learn does.
    assert per_class_decisions(cycle, 3).argmax() == 1


def test_the_order_of_rows_does_not_matter_between_classes(blobs):
    X, y = blobs
    order = np.argsort(y, kind="stable")
    shuffled, sorted_first = (LibsvmClassifier(gamma=0.2).fit(X[o], y[o]) for o in (np.arange(len(y)), order))
    np.testing.assert_array_equal(shuffled.dual_coef_, sorted_first.dual_coef_)
    np.testing.assert_array_equal(shuffled.support_, order[sorted_first.support_])
    np.testing.assert_array_equal(shuffled.support_vectors_, X[shuffled.support_])


def test_training_pins_its_threads_and_puts_the_old_number_back(blobs):
    library = svm.libsvm
    if not hasattr(library, "omp_get_max_threads"):
        pytest.skip("this build of LIBSVM has no OpenMP")
    before = library.omp_get_max_threads()
    library.omp_set_num_threads(ctypes.c_int(2))
    try:
        learner = LibsvmClassifier(gamma=0.2).fit(*blobs)
        assert learner.n_threads_ == 1
        assert "1 OpenMP thread" in learner.solver_
        assert library.omp_get_max_threads() == 2
    finally:
        library.omp_set_num_threads(ctypes.c_int(before))


def test_the_solver_is_heard_but_does_not_speak(blobs, capfd):
    learner = LibsvmClassifier(gamma=0.2).fit(*blobs)
    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr() == ("", "")
    assert learner.log_.count("optimization finished") == 3


def test_float32_rows_are_trained_and_classified_in_double(blobs):
    X, y = blobs
    single = X.astype(np.float32)
    ours = LibsvmClassifier(gamma=0.2).fit(single, y)
    wide = LibsvmClassifier(gamma=0.2).fit(single.astype(np.float64), y)
    np.testing.assert_array_equal(ours.dual_coef_, wide.dual_coef_)
    np.testing.assert_array_equal(ours.pairwise_decision_function(single), wide.pairwise_decision_function(single))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"C": -1.0}, "C=-1.0 is not a positive"),
        ({"gamma": 0}, "gamma=0 is not a positive"),
        ({"eps": 0.0}, "eps=0.0"),
        ({"cache_mb": 0}, "cache_mb=0"),
        ({"n_threads": 0}, "n_threads=0 is not a whole number"),
        ({"n_threads": 1.5}, "n_threads=1.5"),
    ],
)
def test_parameters_out_of_range_are_named(blobs, settings, words):
    with pytest.raises(ValueError, match=words):
        LibsvmClassifier(**settings).fit(*blobs)
