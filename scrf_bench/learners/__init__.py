"""Learners on features or kernels, behind scikit-learn's interface.

LIBLINEAR and LIBSVM, ridge and logistic regression on (random) features, exact kernel ridge, and a control row.
Nothing here reads a file, prints, or knows of benchmarks.
"""

from __future__ import annotations

from scrf_bench.learners.feature_ridge import FeatureRidgeClassifier, FeatureRidgeRegressor
from scrf_bench.learners.folds import shuffled_folds, stratified_folds
from scrf_bench.learners.gaussian_prior import gaussian_prior_alpha
from scrf_bench.learners.gram_sums import gram_bytes
from scrf_bench.learners.grid_search import TuningResult
from scrf_bench.learners.kernel_ridge import KernelRidgeClassifier, KernelRidgeRegressor, kernel_ridge_bytes
from scrf_bench.learners.kernel_svm import OneVsRestKernelSVM
from scrf_bench.learners.liblinear import LiblinearClassifier
from scrf_bench.learners.libsvm import LibsvmClassifier
from scrf_bench.learners.libsvm_regressor import LibsvmRegressor
from scrf_bench.learners.linear_tuning import tune_linear
from scrf_bench.learners.logistic import LogisticClassifier
from scrf_bench.learners.ridge_cv import RidgeCrossValidation, kernel_ridge_cv, ridge_cv
from scrf_bench.learners.tuning import refined_grid, tune_svm

__all__ = [
    "FeatureRidgeClassifier",
    "FeatureRidgeRegressor",
    "KernelRidgeClassifier",
    "KernelRidgeRegressor",
    "LiblinearClassifier",
    "LibsvmClassifier",
    "LibsvmRegressor",
    "LogisticClassifier",
    "OneVsRestKernelSVM",
    "RidgeCrossValidation",
    "TuningResult",
    "gaussian_prior_alpha",
    "gram_bytes",
    "kernel_ridge_bytes",
    "kernel_ridge_cv",
    "refined_grid",
    "ridge_cv",
    "shuffled_folds",
    "stratified_folds",
    "tune_linear",
    "tune_svm",
]
