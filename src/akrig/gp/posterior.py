"""Conditioned once, asked many times: a factorisation at fixed parameters, grown row by row as readings arrive.

Everything here is in normalised units and of the latent function, mean function excluded.
"""

import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from torch import Tensor

from akrig.gp.inference import factorize, half_solve, inverse_diagonal, solve
from akrig.kernels.gram import Gram, cross_each
from akrig.kernels.ops.compilation import compiled_loop
from akrig.kernels.ops.scratch import Scratch
from akrig.threads import side_by_side
from akrig.types import Values

BLOCK_BYTES = 1 << 23  # of covariances between queries and readings
MOST_NEW_ROWS = 64  # and at most this share of all, or a new factorisation is the faster way:
MOST_NEW_SHARE = 1 / 10


@compiled_loop(fastmath={"contract", "reassoc", "nsz"})
def append_rows(L, tail, begin, end):
    """Turns rows begin..end of `tail` from covariances into rows of the factor; they follow those of L (n, n).

    False if a pivot is not positive.
    """
    n = L.shape[0]
    for i in range(begin, end):
        row = tail[i]
        for j in range(n + i):
            above = L[j] if j < n else tail[j - n]
            value = row[j]
            for k in range(j):
                value -= row[k] * above[k]
            row[j] = value / above[j]
        value = row[n + i]
        for k in range(n + i):
            value -= row[k] * row[k]
        if not value > 0.0:
            return False
        row[n + i] = np.sqrt(value)
    return True


@compiled_loop(fastmath={"contract", "reassoc", "nsz"})
def project_rows(rows, direction, along, squared):
    """Each row's product with `direction` and with itself, in one pass."""
    for i in range(rows.shape[0]):
        row = rows[i]
        product, norm = 0.0, 0.0
        for j in range(row.size):
            product += row[j] * direction[j]
            norm += row[j] * row[j]
        along[i] = product
        squared[i] = norm


class Posterior:
    """Of a gram's points with a fixed amplitude and noise variance, given residuals (targets minus mean).

    Args:
        noise_variance: of every target, or each target's own; then it takes in no further points.
        room: for the factor, (n, n); nobody else may write there while it is in use.
        queries: for covariances with query points.
    """

    def __init__(
        self,
        gram: Gram,
        residual: np.ndarray,
        *,
        amplitude: float,
        noise_variance: float | Values,
        room: np.ndarray,
        queries: Scratch,
    ) -> None:
        self.gram = gram
        self.amplitude = amplitude
        self.noise_variance = noise_variance
        self.queries = queries
        self._factorize(residual, room)

    def __len__(self) -> int:
        return len(self._L) + self._num_new

    @property
    def log_marginal_likelihood(self) -> float:
        L, solved = self._whole()
        half_log_det = float(np.log(np.diagonal(L)).sum())
        return -0.5 * float(solved @ solved) - half_log_det - 0.5 * len(L) * math.log(2 * math.pi)

    def extend(self, residual: np.ndarray) -> None:
        """Take in the points that the gram has gained; `residual` is of all points. O(n^2) per new point."""
        old, new, self._left_out = len(self), len(self.gram), None
        most = min(MOST_NEW_ROWS, int(MOST_NEW_SHARE * new))
        if new - old <= most < new - len(self._L):
            self._whole()  # makes the tail part of L, which leaves room for a new one
        if new - len(self._L) > most or not self._append(old, new):
            self._factorize(residual, np.empty((new, new)))
            return
        self._num_new, self._residual, self._solved = new - len(self._L), residual, None

    @property
    def num_factorized(self) -> int:
        """Points of the factorisation that it began with, if none were added since and no jitter was needed; else 0."""
        return 0 if self._num_new or not np.array_equal(self._added, self.noise_variance) else len(self._L)

    def write_grown_factor(self, out: np.ndarray) -> bool:
        """The factor of all points that the gram has now into `out` (n, n), by adding rows to this one; may refuse."""
        old, new = self.num_factorized, len(self.gram)
        if not old or not self.gram.fills_by_rows or new - old > min(MOST_NEW_ROWS, int(MOST_NEW_SHARE * new)):
            return False
        out[:old, :old] = self._L
        self.gram.fill(self.gram.features(), self.amplitude, out, begin=old)
        out[np.arange(old, new), np.arange(old, new)] += self.noise_variance
        return append_rows(out[:old], out[old:], 0, new - old)

    @property
    def factor(self) -> np.ndarray:
        """L of all points."""
        return self._whole()[0]

    @property
    def alpha(self) -> np.ndarray:
        """A^-1 r: C with all points, times this and the amplitude, is the mean."""
        return solve(self.factor, self._residual)

    def leave_one_out(self) -> tuple[np.ndarray, np.ndarray]:
        """Each target less its mean given all others, and the variance of that; noise included. O(n^3), once."""
        if self._left_out is None:
            variance = 1 / inverse_diagonal(self.factor)
            self._left_out = self.alpha * variance, variance
        return self._left_out

    def cross(self, X: Tensor, begin: int, end: int) -> np.ndarray:
        """C between query points and points begin..end, (q, end - begin)."""
        out = np.empty((len(X), end - begin))
        self.gram.cross(X, self.features, out, begin=begin)
        return out

    def predict(self, X: Tensor) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance at each point, in blocks: memory stays bounded for a million points."""
        return predict_each([self], X)[0]

    def project(self, X: Tensor, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance at each point, given C with all points, (q, n), which is overwritten."""
        L, solved = self._whole()
        mean, variance = np.empty(len(X)), np.empty(len(X))
        project_rows(half_solve(L, rows), solved, mean, variance)
        variance = self.gram.diagonal(X) - self.amplitude * variance
        return self.amplitude * mean, self.amplitude * np.maximum(variance, 0.0)

    def joint(self, X: Tensor) -> tuple[np.ndarray, np.ndarray]:
        """Mean (q,) and covariance (q, q) of a set of points."""
        L, solved = self._whole()
        half = self._half_solved(X, L)
        mean = self.amplitude * (half @ solved)
        covariance = self.amplitude * self.gram.joint(X) - self.amplitude**2 * (half @ half.T)
        variance = covariance.reshape(-1)[:: len(X) + 1]
        np.maximum(variance, 0.0, out=variance)
        return mean, covariance

    def _factorize(self, residual: np.ndarray, room: np.ndarray) -> None:
        self.features = self.gram.features()
        self._L = room
        self._added = factorize(
            self.gram, self.features, amplitude=self.amplitude, noise_variance=self.noise_variance, out=self._L
        )
        self._num_new, self._residual, self._solved = 0, residual, None
        self._left_out: tuple[np.ndarray, np.ndarray] | None = None
        self._tail = np.empty((0, 0))

    def _append(self, old: int, new: int) -> bool:
        n = len(self._L)
        if not self._num_new:
            self._tail = np.empty((MOST_NEW_ROWS, n + MOST_NEW_ROWS))
        features, rows = self.gram.tail(self.features, old)
        fresh = self._tail[old - n : new - n]
        np.multiply(rows, self.amplitude, out=fresh[:, :new])
        fresh[np.arange(new - old), np.arange(old, new)] += self._added
        if not append_rows(self._L, self._tail, old - n, new - n):
            return False
        self.features = features
        return True

    def _whole(self) -> tuple[np.ndarray, np.ndarray]:
        """The factor in one piece, and L^-1 r."""
        if self._num_new:
            n, new = len(self._L), len(self)
            whole = np.empty((new, new))
            whole[:n, :n] = self._L
            whole[n:] = self._tail[: new - n, :new]
            self._L, self._num_new = whole, 0
        if self._solved is None:
            self._solved = half_solve(self._L, self._residual[None].copy())[0]
        return self._L, self._solved

    def _half_solved(self, X: Tensor, L: np.ndarray) -> np.ndarray:
        """L^-1 C for each query, (q, n)."""
        out = self.queries.matrix(len(X), len(L))
        self.gram.cross(X, self.features, out)
        return half_solve(L, out)


def predict_each(posteriors: Sequence[Posterior], X: Tensor) -> list[tuple[np.ndarray, np.ndarray]]:
    """Mean and variance of each posterior of as many points, in blocks: memory stays bounded for a million points."""
    said = [(np.empty(len(X)), np.empty(len(X))) for _ in posteriors]
    for begin, end in _blocks(len(X), len(posteriors[0])):
        rows = cross_of(posteriors, X[begin:end])
        acts = [partial(each.project, X[begin:end], C) for each, C in zip(posteriors, rows, strict=True)]
        for (mean, variance), found in zip(said, side_by_side(acts, num_rows=len(posteriors[0])), strict=True):
            mean[begin:end], variance[begin:end] = found
    return said


def cross_of(posteriors: Sequence[Posterior], X: Tensor) -> np.ndarray:
    """C of each posterior with all of its points, (posteriors, q, n); the next call overwrites it."""
    first = posteriors[0]
    out = first.queries.matrix(len(posteriors) * len(X), len(first)).reshape(len(posteriors), len(X), len(first))
    cross_each([each.gram for each in posteriors], X, [each.features for each in posteriors], out)
    return out


def _blocks(num: int, num_points: int) -> Iterator[tuple[int, int]]:
    """Of rather few sizes: the blocks of a grid stay the same while readings come in."""
    rows = min(max(64, BLOCK_BYTES // (8 * num_points) // 256 * 256), 4096)
    for begin in range(0, num, rows):
        yield begin, min(begin + rows, num)
