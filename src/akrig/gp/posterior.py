"""Conditioned once, asked many times: a factorisation at fixed parameters, grown row by row as readings arrive.

Everything here is in normalised units and of the latent function, mean function excluded.
"""

from collections.abc import Iterator

import numpy as np
from numba import njit
from torch import Tensor

from akrig.gp.inference import factorize, half_solve, solve
from akrig.kernels.gram import Gram

BLOCK_BYTES = 1 << 21  # of covariances between queries and readings: about what a core's own cache holds
REFACTORIZE_SHARE = 1 / 16  # beyond this share of new rows, LAPACK's factorisation is the faster way


@njit(cache=True, fastmath={"contract", "reassoc", "nsz"})
def append_rows(L, begin, end):
    """Extends a factor by rows begin..end, whose covariances already stand in L. False if a pivot is not positive."""
    for i in range(begin, end):
        for j in range(i + 1):
            value = L[i, j]
            for k in range(j):
                value -= L[i, k] * L[j, k]
            if j < i:
                L[i, j] = value / L[j, j]
            elif value > 0.0:
                L[i, i] = np.sqrt(value)
            else:
                return False
    return True


class Posterior:
    """Of a gram's points with a fixed amplitude and noise variance, given residuals (targets minus mean)."""

    def __init__(self, gram: Gram, residual: np.ndarray, *, amplitude: float, noise_variance: float) -> None:
        self.gram = gram
        self.amplitude = amplitude
        self.noise_variance = noise_variance
        self._factorize(residual)

    def __len__(self) -> int:
        return self._size

    def extend(self, residual: np.ndarray) -> None:
        """Take in the points that the gram has gained; `residual` is of all points. O(n^2) per new point."""
        old, new = self._size, len(self.gram)
        if new - old > REFACTORIZE_SHARE * new or not self._append(old, new):
            self._factorize(residual)
            return
        self._size, self._residual = new, residual
        self._solved = None

    def predict(self, X: Tensor) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance at each point, in blocks: memory stays bounded for a million points."""
        mean, variance = np.empty(len(X)), np.empty(len(X))
        L, alpha = self._condition()
        for begin, end in self._blocks(len(X)):
            C = self.gram.cross(X[begin:end], self._features)
            mean[begin:end] = self.amplitude * (C @ alpha)
            half = half_solve(L, C)
            explained = self.amplitude * np.einsum("qn,qn->q", half, half)
            variance[begin:end] = self.amplitude * (self.gram.diagonal(X[begin:end]) - explained)
        return mean, np.maximum(variance, 0.0, out=variance)

    def joint(self, X: Tensor) -> tuple[np.ndarray, np.ndarray]:
        """Mean (q,) and covariance (q, q) of a set of points."""
        L, alpha = self._condition()
        C = self.gram.cross(X, self._features)
        mean = self.amplitude * (C @ alpha)
        half = half_solve(L, C)
        return mean, self.amplitude * self.gram.joint(X) - self.amplitude**2 * (half @ half.T)

    def _factorize(self, residual: np.ndarray) -> None:
        n = len(self.gram)
        self._features = self.gram.features()
        L = np.empty((n, n))
        self._added = factorize(
            self.gram, self._features, amplitude=self.amplitude, noise_variance=self.noise_variance, out=L
        )
        self._size, self._residual = n, residual
        self._solved = L, solve(L, residual)
        self._room = L  # a buffer with spare rows once the factor grows

    def _append(self, old: int, new: int) -> bool:
        if len(self._room) < new:
            roomy = np.empty((max(new, old + old // 4 + 64),) * 2)
            roomy[:old, :old] = self._room[:old, :old]
            self._room = roomy
        features, rows = self.gram.tail(self._features, old)
        self._room[old:new, :new] = self.amplitude * rows
        self._room.reshape(-1)[:: len(self._room) + 1][old:new] += self._added
        if not append_rows(self._room, old, new):
            return False
        self._features = features
        return True

    def _condition(self) -> tuple[np.ndarray, np.ndarray]:
        if self._solved is None:
            n = self._size
            L = np.ascontiguousarray(self._room[:n, :n])
            self._solved = L, solve(L, self._residual)
        return self._solved

    def _blocks(self, num: int) -> Iterator[tuple[int, int]]:
        rows = min(max(64, BLOCK_BYTES // (8 * max(self._size, 1))), 4096)
        for begin in range(0, num, rows):
            yield begin, min(begin + rows, num)
