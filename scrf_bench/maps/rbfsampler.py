"""scikit-learn's RBFSampler as a baseline."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import sklearn

from scrf_bench.maps.feature_map import FeatureMap, TileMap
from scrf_bench.maps.radial import check_width
from scrf_bench.maps.tiles import Array, Workspace, power_of_two_between

# scikit-learn makes a temporary of a tile's features: 8 MB in float64.
_TILE_VALUES = 2**20
_WIDTH_MULTIPLE = 64


class _ScikitTile(TileMap):
    """scikit-learn's own transform, on tiles of one shape so that a row's bits depend on that row alone."""

    algorithm = "scikit-learn"

    def __init__(self, sampler: Any, dtype: np.dtype[Any]) -> None:
        weights, offset = sampler.random_weights_, sampler.random_offset_
        # A remainder of columns can send BLAS to code whose result depends on a row's position: columns of
        # zeros, cut off again, avoid that.
        padding = -weights.shape[1] % _WIDTH_MULTIPLE
        if padding:
            sampler.random_weights_ = np.pad(weights, ((0, 0), (0, padding)))
            sampler.random_offset_ = np.pad(offset, (0, padding))
        self.sampler = sampler
        self.dtype = dtype
        self.tile_columns = len(weights)
        self.tile_rows = power_of_two_between(_TILE_VALUES // weights.shape[1], 16, 256)
        self.n_parameters = weights.size + offset.size

    @property
    def nbytes(self) -> int:
        return int(self.sampler.random_weights_.nbytes + self.sampler.random_offset_.nbytes)

    def write(self, tile: Array, n_rows: int, out: Array, work: Workspace) -> None:
        del work
        # The rows are validated already, and the setting belongs to the thread.
        with sklearn.config_context(assume_finite=True):
            out[...] = self.sampler.transform(tile)[:n_rows, : out.shape[1]]


class RBFSampler(FeatureMap):
    """scikit-learn's random Fourier features, ``sqrt(2/D) cos(W x + b)``: its draws and its code.

    Rows go through `sklearn.kernel_approximation.RBFSampler` in tiles of a fixed number of rows. It is the same
    map as RKS in distribution, here as a baseline in speed. Only the phase embedding exists.

    Parameters
    ----------
    n_components : int, default=512
        Number of columns D of the result.
    gamma : float, default=1.0
        Width of the Gaussian kernel ``exp(-gamma ||x - y||^2)``.
    random_state : int, RandomState instance or None, default=None
        Where the map's seed comes from.

    Attributes
    ----------
    n_parameters_ : int
        ``d D`` entries of W and D phases.
    nbytes_ : int
        Bytes held: W and b (padded to a multiple of 64 columns), for each dtype used so far.
    algorithm_ : str
        ``"scikit-learn"``.
    seed_ : ndarray of shape (4,), uint32
        ``RandomState(seed_)`` is handed to scikit-learn, which draws W^T (``normal(size=(d, D))``), then b
        (``uniform(0, 2 pi)``).

    See Also
    --------
    RKS : The same map, drawn row by row, with a fused cosine.
    sklearn.kernel_approximation.RBFSampler : The class that does the work.

    Notes
    -----
    scikit-learn draws W in float64 as a whole: fitting a float32 map holds 3 times its bytes for a moment. Each
    tile of 16 to 256 rows makes a temporary of up to 8 MB, as scikit-learn's code does of the whole result.

    gamma has the limits of `RandomFeatureMap`. A row whose projection overflows has nan among its features, in that
    row only, and numpy warns.

    References
    ----------
    F. Pedregosa et al., "Scikit-learn: Machine Learning in Python", JMLR 12, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from scrf_bench.maps import RBFSampler
    >>> X = np.eye(3)
    >>> Phi = RBFSampler(n_components=4096, gamma=0.5, random_state=0).fit_transform(X)
    >>> bool(abs(Phi[0] @ Phi[1] - np.exp(-1)) < 0.05)
    True
    """

    name: ClassVar[str] = "rbfsampler"
    label: ClassVar[str] = "RBFSampler (scikit-learn)"
    version: ClassVar[int] = 1

    def _tile_map(self, dtype: np.dtype[Any]) -> TileMap:
        check_width(self.gamma, dtype)
        # Slow to import, and only this map needs it.
        from sklearn.kernel_approximation import RBFSampler as ScikitRBFSampler

        sampler = ScikitRBFSampler(
            gamma=self.gamma, n_components=self.n_components, random_state=np.random.RandomState(self.seed_)
        )
        return _ScikitTile(sampler.fit(np.zeros((1, self.n_features_in_), dtype)), dtype)
