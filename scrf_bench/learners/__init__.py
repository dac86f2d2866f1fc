"""Learners on features or kernels: LIBLINEAR and LIBSVM behind scikit-learn's interface, and a control row.

Nothing here reads a file, prints, or knows of benchmarks.
"""

from __future__ import annotations

from scrf_bench.learners.grid_search import TuningResult
from scrf_bench.learners.kernel_svm import OneVsRestKernelSVM
from scrf_bench.learners.liblinear import LiblinearClassifier
from scrf_bench.learners.libsvm import LibsvmClassifier
from scrf_bench.learners.linear_tuning import tune_linear
from scrf_bench.learners.tuning import refined_grid, tune_svm

__all__ = [
    "LiblinearClassifier",
    "LibsvmClassifier",
    "OneVsRestKernelSVM",
    "TuningResult",
    "refined_grid",
    "tune_linear",
    "tune_svm",
]
