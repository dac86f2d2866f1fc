"""Dense random Fourier features of other packages: a matrix product and numpy's cosine."""

from __future__ import annotations

import math
import warnings
from typing import Any, ClassVar

import numpy as np

from scrf_bench.experiments.peers.base import Array, Peer, Precision


class SklearnSampler(Peer):
    """scikit-learn's RBFSampler, called plainly; it returns a fresh array every time."""

    name = "sklearn"
    label = "sklearn RBFSampler"
    package = "scikit-learn"
    drawn_as = "rbfsampler"
    module = "sklearn"
    beside = ("rks", "scrf")
    takes_out = False

    def _draw(self, d: int, dtype: np.dtype[Any]) -> None:
        from sklearn.kernel_approximation import RBFSampler

        sampler = RBFSampler(gamma=self.gamma, n_components=self.n_components, random_state=self.seed)
        self._sampler = sampler.fit(np.zeros((1, d), dtype))
        self._describe(sampler.random_weights_, sampler.random_offset_)

    def transform(self, X: Array, out: Array | None = None) -> Array:  # noqa: ARG002 -- it takes none
        """Return the features in X's dtype."""
        features: Array = self._sampler.transform(X)
        return features


class Rfflearn(Peer):
    """rfflearn's random Fourier features, through the `conv` that its estimators call; always float64.

    Its features lack the factor sqrt(2/D), which its estimators fold into their weights: nor is it timed here.
    """

    name = "rfflearn"
    label = "rfflearn RFF"
    package = "rfflearn"
    drawn_as = "orf"
    module = "rfflearn"
    beside = ("rks",)
    takes_out = False
    computes: ClassVar[Precision | None] = "float64"
    returns: ClassVar[Precision | None] = "float64"

    def _draw(self, d: int, dtype: np.dtype[Any]) -> None:  # noqa: ARG002 -- it knows float64 only
        with warnings.catch_warnings():
            # It warns of packages that only its tuner and its explainer need.
            warnings.simplefilter("ignore", ImportWarning)
            from rfflearn.cpu import RFFRegressor

        # It draws from numpy's global generator; its own `seed` function does no more than this.
        np.random.seed(self.seed)  # noqa: NPY002
        self._features = RFFRegressor(dim_kernel=self.n_components, std_kernel=math.sqrt(2 * self.gamma))
        self._features.set_weight(d)
        self.scale_ = math.sqrt(2 / self.n_components)
        self._describe(self._features.W, self._features.b)

    def transform(self, X: Array, out: Array | None = None) -> Array:  # noqa: ARG002 -- it takes none
        """Return cos(X W + b), float64."""
        features: Array = self._features.conv(X)
        return features
