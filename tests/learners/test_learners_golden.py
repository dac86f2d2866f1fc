"""Results that records rest on: if one of these changes, the learner's ``version`` must go up with it."""

import pytest

from scrf_bench.learners import LiblinearClassifier, LibsvmClassifier, OneVsRestKernelSVM

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
