"""What a peer is: a map that other packages give or compose, with just as much of a map's face as timing needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from scrf_bench.errors import UnavailableError

Array = npt.NDArray[Any]
Precision: TypeAlias = Literal["float32", "float64"]


class Peer(ABC):
    """A feature map for ``exp(-gamma ||x - y||^2)`` that comes from elsewhere, written as a good user would.

    Its package is imported when it is fitted, so that naming it costs nothing and needs nothing.

    Parameters
    ----------
    n_components : int
        Number of columns D.
    gamma : float
        Of the Gaussian kernel.
    seed : int
        Of its draws; they are the peer's own, so its features are not those of the map it is compared with.

    Attributes
    ----------
    name, label : str
        The word for ``--maps``, and what tables print.
    package, module : str
        The distribution to install and the module to import.
    drawn_as : str
        The style of its line in figures (``scrf_bench.report.style``): one that no map beside it has there.
    beside : tuple of str
        Our maps that are timed in turns with it, in the same process.
    takes_out : bool
        Whether `transform` can write into an output that is there already.
    estimates : bool
        Whether its output is features at all; the floor's is not.
    computes, returns : {None, "float32", "float64"}
        The precision that it works in and that of its output, whatever the input's is; None where it is the input's.
    version : int
        Raised when the composition changes.
    nbytes_, n_parameters_, algorithm_ : int, int, str
        Once fitted: bytes held, numbers drawn, and what computes it.
    scale_ : float
        What to multiply its features by to have an estimate of the kernel in their inner product.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    package: ClassVar[str]
    module: ClassVar[str]
    drawn_as: ClassVar[str]
    beside: ClassVar[tuple[str, ...]]
    takes_out: ClassVar[bool] = True
    estimates: ClassVar[bool] = True
    computes: ClassVar[Precision | None] = None
    returns: ClassVar[Precision | None] = None
    version: ClassVar[int] = 1

    nbytes_: int
    n_parameters_: int
    algorithm_: str
    scale_: float = 1.0

    def __init__(self, n_components: int, *, gamma: float, seed: int) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.seed = seed

    @classmethod
    def unavailable(cls) -> str | None:
        """Say why it cannot run here, or None if its package is installed."""
        if find_spec(cls.module) is not None:
            return None
        return (
            f"The peer '{cls.name}' needs the package {cls.package}, which is not installed here. "
            f"Install it with: pip install {cls.package}"
        )

    @classmethod
    def precision(cls, dtype: str) -> tuple[str, str]:
        """Return in which precision it computes and what it returns for an input of `dtype`."""
        return cls.computes or dtype, cls.returns or dtype

    def fit(self, X: Array) -> Self:
        """Draw for the width and the dtype of X.

        Raises
        ------
        UnavailableError
            If its package cannot be imported.
        """
        try:
            self._draw(X.shape[1], X.dtype)
        except ImportError as error:
            raise UnavailableError(f"The peer '{self.name}' cannot be imported: {error}") from error
        return self

    @abstractmethod
    def _draw(self, d: int, dtype: np.dtype[Any]) -> None:
        """Draw the map for rows of `d` values of `dtype`, and set what it holds."""

    @abstractmethod
    def transform(self, X: Array, out: Array | None = None) -> Array:
        """Return the features of X's rows, in `out` where it is given and the peer takes one."""

    def _describe(self, *arrays: Array, packages: str | None = None) -> None:
        """Count what it holds, and name its package with its version."""
        self.nbytes_ = sum(array.nbytes for array in arrays)
        self.n_parameters_ = sum(array.size for array in arrays)
        self.algorithm_ = packages or f"{self.package} {_version(self.package)}"


@cache
def _version(package: str) -> str:
    """Look a version up once: that takes milliseconds, and a draw is timed."""
    return metadata.version(package)


def result(out: Array | None, rows: int, columns: int, dtype: np.dtype[Any]) -> Array:
    """Return `out`, or a fresh array where there is none."""
    return np.empty((rows, columns), dtype) if out is None else out
