"""Results that records rest on: if one of these changes, the learner's ``version`` must go up with it."""

import pytest

from scrf_bench.learners import (
    FeatureRidgeClassifier,
    KernelRidgeClassifier,
    LiblinearClassifier,
    LibsvmClassifier,
    LibsvmRegressor,
    LogisticClassifier,
    OneVsRestKernelSVM,
)

REMEDY = "the learner's results changed: raise its version and renew this number"


def test_libsvm(dna):
    learner = LibsvmClassifier(C=4.0, gamma=0.02).fit(dna.X_train, dna.y_train)
    hits = int((learner.predict(dna.X_test) == dna.y_test).sum())
    assert (LibsvmClassifier.version, learner.n_support_, hits) == (1, 1037, 1132), REMEDY


def test_liblinear(dna):
    learner = LiblinearClassifier(C=1.0, random_state=0).fit(dna.X_train, dna.y_train)
    hits = int((learner.predict(dna.X_test) == dna.y_test).sum())
    norm = float((learner.coef_**2).sum())
    assert (LiblinearClassifier.version, hits) == (1, 1122), REMEDY
    assert norm == pytest.approx(162.678874332014, rel=1e-6), REMEDY


def test_control_row(dna):
    learner = OneVsRestKernelSVM(C=4.0, gamma=0.02).fit(dna.X_train, dna.y_train)
    hits = int((learner.predict(dna.X_test) == dna.y_test).sum())
    assert (OneVsRestKernelSVM.version, hits) == (1, 1137), REMEDY
    assert learner.n_iter_.tolist() == [23, 23, 27], REMEDY
    assert float(learner.dual_objective_.sum()) == pytest.approx(1202.122117287374, rel=1e-6), REMEDY


def test_feature_ridge(dna):
    learner = FeatureRidgeClassifier(alpha=10.0).fit(dna.X_train, dna.y_train)
    hits = int((learner.predict(dna.X_test) == dna.y_test).sum())
    assert (FeatureRidgeClassifier.version, hits) == (1, 1123), REMEDY
    assert float((learner.coef_**2).sum()) == pytest.approx(4.896765434722666, rel=1e-9), REMEDY


def test_kernel_ridge(dna):
    learner = KernelRidgeClassifier(alpha=0.1, gamma=0.01).fit(dna.X_train, dna.y_train)
    hits = int((learner.predict(dna.X_test) == dna.y_test).sum())
    assert (KernelRidgeClassifier.version, hits) == (1, 1138), REMEDY
    assert float((learner.dual_coef_**2).sum()) == pytest.approx(18759.823885056347, rel=1e-8), REMEDY


def test_logistic(dna):
    learner = LogisticClassifier(alpha=1.0).fit(dna.X_train, dna.y_train)
    hits = int((learner.predict(dna.X_test) == dna.y_test).sum())
    assert (LogisticClassifier.version, hits) == (1, 1124), REMEDY
    assert learner.objective_ == pytest.approx(159.23046122401797, rel=1e-8), REMEDY


def test_support_vector_regression(embedded):
    data = embedded("abalone")
    learner = LibsvmRegressor(C=4.0, gamma=0.5, epsilon=0.5).fit(data.X_train[:2000], data.y_train[:2000])
    error = float(((learner.predict(data.X_train[2000:]) - data.y_train[2000:]) ** 2).mean())
    assert (LibsvmRegressor.version, learner.n_support_) == (1, 1502), REMEDY
    assert error == pytest.approx(5.0989903751427015, rel=1e-6), REMEDY
