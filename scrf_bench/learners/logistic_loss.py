"""The multinomial log-loss and its gradient, in one walk over the features."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrf_bench.learners.thin_products import add_transposed_dot, thin_dot

_BLOCK_BYTES = 1 << 21
"""Features worked on at a time: measured best at 1 to 4 MB, where they stay in cache between both products."""

_ROWS_SUMMED = 2048
"""Rows whose part of the gradient is summed in the features' dtype before it goes to float64."""

Chunks = Callable[[], Iterable[tuple[slice, NDArray[Any]]]]


class LogisticLoss:
    """``(1/n) (sum_i -log p(y_i | x_i) + alpha/2 ||W||^2 + beta/2 ||v||^2)`` and its gradient.

    The logits are ``W phi + c v``: c is the value of a constant column, and ``b = c v`` the intercepts.

    Each block of features is read from memory once an evaluation: its logits, its probabilities and its part
    of the gradient follow while it is in cache.

    Parameters
    ----------
    chunks : callable
        Returns an iterable of (rows, (len, D) features), which is gone through once an evaluation.
    codes : (n,) intp
        Class codes 0..k-1.
    n_classes : int
        k; two classes have one logit, ``log(p(1 | x) / p(0 | x))``.
    n_components : int
        D.
    dtype : dtype
        Of the features. Products with features are in it; losses, probabilities, sums over blocks and the
        gradient are float64.
    alpha : float
        Penalty of the weights.
    intercept_column : float
        c; 0: no intercepts.
    intercept_alpha : float
        beta.

    Attributes
    ----------
    size : int
        Number of parameters: K D weights, and K more for intercepts; K = 1 for two classes, else k.
    """

    def __init__(
        self,
        chunks: Chunks,
        codes: NDArray[np.intp],
        n_classes: int,
        n_components: int,
        dtype: np.dtype[Any],
        *,
        alpha: float,
        intercept_column: float,
        intercept_alpha: float,
    ) -> None:
        self._chunks = chunks
        self._codes = codes
        self._K = 1 if n_classes == 2 else n_classes
        self._D = n_components
        self._dtype = dtype
        self._alpha = alpha
        self._column = intercept_column
        self._intercept_alpha = intercept_alpha
        self._block_rows = max(32, _BLOCK_BYTES // (n_components * dtype.itemsize))
        self.size = self._K * (n_components + (intercept_column != 0))

    def unpack(self, parameters: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return views of the weights W (K, D) and of v, (K,), or (0,) without intercepts."""
        size = self._K * self._D
        return parameters[:size].reshape(self._K, self._D), parameters[size:]

    def __call__(self, parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the objective and its gradient, (size,), at packed parameters (W, then v)."""
        W, v = self.unpack(parameters)
        n = self._codes.shape[0]
        gradient = np.zeros(self.size)
        W_gradient, v_gradient = self.unpack(gradient)
        intercepts = self._column * v if v.size else np.zeros(self._K)
        weights = np.ascontiguousarray(W.T, dtype=self._dtype)
        partial, summed = np.zeros(W.shape, self._dtype), 0
        loss = 0.0
        for Phi, codes in self._blocks():
            logits = thin_dot(Phi, weights) + intercepts
            block_loss, slopes = self._loss_and_slopes(logits, codes)
            loss += block_loss
            if v.size:
                v_gradient += self._column * slopes.sum(axis=0)
            add_transposed_dot(Phi, slopes.astype(self._dtype), partial)
            summed += codes.shape[0]
            if summed >= _ROWS_SUMMED:
                W_gradient += partial
                partial[...], summed = 0.0, 0
        W_gradient += partial
        loss += 0.5 * self._alpha * float(np.vdot(W, W))
        W_gradient += self._alpha * W
        loss += 0.5 * self._intercept_alpha * float(v @ v)
        v_gradient += self._intercept_alpha * v
        gradient /= n
        return loss / n, gradient

    def _blocks(self) -> Iterable[tuple[NDArray[Any], NDArray[np.intp]]]:
        for rows, Phi in self._chunks():
            codes = self._codes[rows]
            for start in range(0, Phi.shape[0], self._block_rows):
                part = slice(start, start + self._block_rows)
                yield Phi[part], codes[part]

    def _loss_and_slopes(
        self, logits: NDArray[np.float64], codes: NDArray[np.intp]
    ) -> tuple[float, NDArray[np.float64]]:
        """Return the sum of losses and their derivatives by the logits; overwrites ``logits``."""
        if self._K == 1:
            signed = np.where(codes == 1, 1.0, -1.0)[:, None]
            margins = signed * logits
            # 1 / (1 + e^m) from the smaller exponential, so that neither side overflows.
            decay = np.exp(-np.abs(margins))
            loss = np.log1p(decay) - np.minimum(margins, 0.0)
            wrong = np.where(margins > 0.0, decay, 1.0) / (1.0 + decay)
            return float(loss.sum()), -signed * wrong
        logits -= logits.max(axis=1, keepdims=True)
        own = np.arange(codes.shape[0]), codes
        hit = logits[own]
        np.exp(logits, out=logits)
        total = logits.sum(axis=1)
        logits /= total[:, None]
        logits[own] -= 1.0
        return float((np.log(total) - hit).sum()), logits
