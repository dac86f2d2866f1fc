"""Real embedded data and small problems that the learners' tests share."""

import numpy as np
import pytest

from scrf_bench.datasets import DataSources, load


@pytest.fixture(scope="session")
def embedded(tmp_path_factory):
    sources = DataSources(offline=True, cache=tmp_path_factory.mktemp("cache"))
    return lambda name, **settings: load(name, sources=sources, **settings)


@pytest.fixture(scope="session")
def dna(embedded):
    return embedded("dna")


@pytest.fixture
def blobs():
    """Return 240 rows in 6 dimensions, three overlapping classes named by words, in shuffled order."""
    rng = np.random.default_rng(5)
    codes = rng.permutation(np.repeat([0, 1, 2], 80))
    X = rng.normal(size=(240, 6)) + 1.2 * np.eye(6)[codes]
    return X, np.array(["oak", "ash", "elm"])[codes]
