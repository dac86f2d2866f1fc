"""A map that keeps the contract, and maps that each break one promise of it."""

import itertools
import os

import numpy as np
from scipy import sparse

from scrf_bench.maps import RKS, FeatureMap
from scrf_bench.maps.dense import DenseProjection

calls = itertools.count()


class Sound(RKS):
    """RKS under another name."""

    name = "sound"


class WrongWidth(Sound):
    """Frequencies of another kernel."""

    @property
    def _inverse_sigma(self):
        return 1.5 * super()._inverse_sigma


class Unseeded(Sound):
    """Draws from nowhere."""

    def _draw_projection(self, rng, dtype):
        return super()._draw_projection(np.random.RandomState(next(calls)), dtype)


class OneSeed(Sound):
    """Draws the same whatever the seed."""

    def _draw_projection(self, rng, dtype):
        return super()._draw_projection(np.random.RandomState(1), dtype)


class DrawsByDtype(Sound):
    """Draws in the dtype that it is used with."""

    def _draw_projection(self, rng, dtype):
        return super()._draw_projection(np.random.RandomState(dtype.itemsize), dtype)


class Together(Sound):
    """Centres the rows that come together."""

    def transform(self, X, out=None):
        Phi = super().transform(X)
        return Phi - Phi.mean(axis=0)


class Stuck(Sound):
    """The same few frequencies however many are asked for."""

    def _draw_projection(self, rng, dtype):
        few = rng.standard_normal((4, self.n_features_in_)) * self._inverse_sigma
        draws = itertools.cycle(few)
        n, d = self.n_frequencies_, self.n_features_in_
        return DenseProjection(lambda k: np.array([next(draws) for _ in range(k)]), n, d, dtype)


class NeedsMore(Sound):
    """A constructor with a parameter that has no default."""

    def __init__(self, extra, n_components=512, *, gamma=1.0, random_state=None):
        super().__init__(n_components, gamma=gamma, random_state=random_state)
        self.extra = extra


class Undescribed(Sound):
    pass


class OnlyWide(Sound):
    """Always float64."""

    def transform(self, X, out=None):
        return super().transform(X).astype(np.float64)


class Halves(Sound):
    """Works in the caller's rows."""

    def transform(self, X, out=None):
        Phi = super().transform(X, out)
        if isinstance(X, np.ndarray) and X.flags.writeable and X.dtype.kind == "f":
            X *= 0.5
        return Phi


class Centres(Sound):
    """Works in the caller's rows already in fit."""

    def fit(self, X, y=None):
        if isinstance(X, np.ndarray) and X.flags.writeable and X.dtype == np.float64:
            X -= X.mean(axis=0)
        return super().fit(X, y)


class OneMore(Sound):
    """A column that nobody asked for."""

    def transform(self, X, out=None):
        Phi = super().transform(X)
        return np.hstack([Phi, np.zeros((len(Phi), 1), Phi.dtype)])


class Unphased(Sound):
    """Cosines without phases: they estimate half the sum of the kernel at x - y and at x + y."""

    def _tile_map(self, dtype):
        made = super()._tile_map(dtype)
        made.epilogue.__init__(np.zeros(self.n_components), self.n_components, dtype)
        return made


class DenseOnly(Sound):
    """Without sparse rows."""

    def transform(self, X, out=None):
        if sparse.issparse(X):
            raise TypeError("no sparse rows")
        return super().transform(X, out)


class Outless(Sound):
    """Without a buffer."""

    def transform(self, X):
        return super().transform(X)


class ByChunk(Sound):
    """Other features in other chunks."""

    def iter_transform(self, X, rows=1024):
        for part, Phi in super().iter_transform(X, rows):
            yield part, Phi * (1 + 1e-6 / rows)


class Forgetful(Sound):
    """Without its number of features."""

    def fit(self, X, y=None):
        super().fit(X, y)
        del self.n_features_in_
        return self


class NanForZero(Sound):
    """Takes nan for 0 in transform."""

    def transform(self, X, out=None):
        return super().transform(X if sparse.issparse(X) else np.nan_to_num(X), out)


class FitsNan(Sound):
    """Takes anything for rows in fit."""

    def fit(self, X, y=None):
        if sparse.issparse(X):
            X = sparse.csr_matrix((np.ones(len(X.data)), X.indices, X.indptr), X.shape)
        return super().fit(X, y)


class Padded(Sound):
    """The frequencies of a power of two, where d is none."""

    @property
    def _inverse_sigma(self):
        d = self.n_features_in_
        return super()._inverse_sigma * np.sqrt((1 << (d - 1).bit_length()) / d)


class Narrow(Sound):
    """Blind to all features beyond the first 128."""

    def _draw_projection(self, rng, dtype):
        W = rng.standard_normal((self.n_frequencies_, self.n_features_in_)) * self._inverse_sigma
        W[:, 128:] = 0.0
        rows = iter(W)
        return DenseProjection(lambda k: np.array(list(itertools.islice(rows, k))), *W.shape, dtype)


class Raises(Sound):
    """Fails at one size."""

    def _draw_projection(self, rng, dtype):
        return super()._draw_projection(rng, dtype) if self.n_components != 37 else 1 // 0


class Leaves(Sound):
    """Ends Python at one size."""

    def _draw_projection(self, rng, dtype):
        return super()._draw_projection(rng, dtype) if self.n_components != 37 else os._exit(7)


class NamedTwice(RKS):
    """Takes the name that another map has."""

    name = "scrf"


class Versioned(Sound):
    """A version in words."""

    version = "1.0"


class Unfinished(FeatureMap):
    """Without a map."""

    name = "unfinished"
    label = "Unfinished"
