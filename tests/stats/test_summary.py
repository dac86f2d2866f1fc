"""Summaries are numpy's and scipy's numbers, and say None where one value cannot tell."""

import numpy as np
import pytest
from scipy import stats

from scrf_bench.stats import summarise


def test_the_numbers_are_those_of_numpy_and_scipy():
    sample = np.random.default_rng(0).gamma(2.0, size=23)
    summary = summarise(sample)
    assert summary.n == 23
    assert summary.mean == pytest.approx(sample.mean(), rel=1e-14)
    assert summary.standard_error == pytest.approx(stats.sem(sample), rel=1e-14)
    assert summary.standard_deviation == pytest.approx(np.std(sample, ddof=1), rel=1e-14)
    assert (summary.lower_quartile, summary.median, summary.upper_quartile) == tuple(
        np.percentile(sample, [25, 50, 75])
    )
    assert (summary.minimum, summary.maximum) == (sample.min(), sample.max())


def test_one_value_has_no_error():
    summary = summarise([3.5])
    assert summary.standard_error is None
    assert summary.standard_deviation is None
    assert summary.mean == summary.median == summary.lower_quartile == 3.5


@pytest.mark.parametrize(
    ("sample", "words"), [([], "at least 1"), ([1.0, float("nan")], "nan or infinite"), ([[1.0]], "shape")]
)
def test_what_is_no_sample_is_refused(sample, words):
    with pytest.raises(ValueError, match=words):
        summarise(sample)
