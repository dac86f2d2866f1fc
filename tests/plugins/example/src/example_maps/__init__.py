"""A map of another package."""

from itertools import islice

import numpy as np
from scipy.stats import chi2

from scrf_bench.maps import RandomFeatureMap
from scrf_bench.maps.dense import DenseProjection


class Antithetic(RandomFeatureMap):
    """Gaussian frequencies whose lengths come in pairs at mirrored quantiles."""

    name = "antithetic"
    label = "Antithetic lengths"
    version = 1

    def _draw_projection(self, rng, dtype):
        n, d = self.n_frequencies_, self.n_features_in_
        W = rng.standard_normal((n, d))
        quantiles = rng.random_sample((n + 1) // 2)
        lengths = np.sqrt(chi2.ppf(np.column_stack([quantiles, 1 - quantiles]).ravel()[:n], d))
        W *= (self._inverse_sigma * lengths / np.linalg.norm(W, axis=1))[:, np.newaxis]
        factors = self._radial_factors(n)  # of a Matern kernel
        if factors is not None:
            W *= factors[:, np.newaxis]
        rows = iter(W)
        return DenseProjection(lambda k: np.array(list(islice(rows, k))), n, d, dtype)
