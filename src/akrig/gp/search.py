"""The most uncertain of many points, without a whole prediction at each.

Every reading that is taken into account lowers variances, so what the first readings leave of a point's variance bounds
what all of them leave. Points whose bound lies below another's variance are out of the race: under a nonstationary
kernel a fifth of the readings decides against most.

Of several models the readings nearest to a point bound its variance, much more tightly, and means are known before any
variance is: that needs all covariances with readings, which models that share base correlations have at half the price.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from torch import Tensor

from akrig.gp.inference import half_solve
from akrig.gp.posterior import Posterior, cross_of
from akrig.kernels.ops.compilation import compiled_loop
from akrig.threads import side_by_side

LOOKS = (0.2, 0.45, 1.0)  # shares of the readings after which losers are dropped
FEWEST_READINGS = 128  # or looking costs more than it saves
NUM_LEADERS = 4  # whose variance is computed at each look
ROUNDING = 1e-12  # of the prior variance: bounds and variances are computed in different orders
NUM_NEAR = 8  # readings that bound a point's variance: within 2 % of it, on average over a mission
ROUNDING_OF_MEANS = 1e-9  # of the largest bound: there, means are computed in another way, too

Said = list[tuple[np.ndarray, np.ndarray]]  # each model's mean and variance at some points


def largest_variance(posterior: Posterior, X: Tensor) -> int:
    """The place of the point with the largest variance."""
    n = len(posterior)
    race = _Race(posterior, X)
    for share in LOOKS if n >= FEWEST_READINGS else (1.0,):
        race.take_in(round(share * n))
        if share < 1.0 and not race.drop_losers():
            race.take_in(n)
            break
    return race.winner


def largest_spread(posteriors: Sequence[Posterior], X: Tensor, spread: Callable[[np.ndarray, Said], np.ndarray]) -> int:
    """The place of the point where several models of the same readings leave most open.

    Args:
        spread: of what they say at places in X; it grows with each of their variances.
    """
    C = cross_of(posteriors, X)

    def exactly(places: np.ndarray) -> np.ndarray:
        said = [each.project(X[places], rows[places]) for each, rows in zip(posteriors, C, strict=True)]
        return spread(places, said)

    acts = [partial(_bounded, each, X, rows) for each, rows in zip(posteriors, C, strict=True)]
    bounds = spread(np.arange(len(X)), side_by_side(acts, num_rows=len(posteriors[0])))
    least = exactly(np.argsort(bounds)[-NUM_LEADERS:]).max()
    kept = np.flatnonzero(bounds >= least - ROUNDING_OF_MEANS * bounds.max())
    return int(kept[np.argmax(exactly(kept))])


def _bounded(posterior: Posterior, X: Tensor, C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means, and what the nearest readings leave of variances."""
    reductions = np.empty(len(X))
    reduce_by_nearest(C, posterior.factor, NUM_NEAR, reductions)
    left = np.maximum(posterior.gram.diagonal(X) - posterior.amplitude * reductions, 0.0)
    return posterior.amplitude * (C @ posterior.alpha), posterior.amplitude * left


@compiled_loop(fastmath={"contract", "reassoc", "nsz"})
def reduce_by_nearest(C, L, num_near, out):
    """c^T A^-1 c of each row of C, of its largest `num_near` entries alone; A = L L^T."""
    num, n = C.shape
    most = min(num_near, n)
    near, values = np.empty(most, np.int64), np.empty(most)
    factor, half = np.empty((most, most)), np.empty(most)
    for q in range(num):
        row, count = C[q], 0
        for j in range(n):
            c = row[j]
            if count == most and not c > values[most - 1]:
                continue
            at = min(count, most - 1)
            while at > 0 and values[at - 1] < c:
                values[at], near[at] = values[at - 1], near[at - 1]
                at -= 1
            values[at], near[at] = c, j
            count = min(count + 1, most)
        total = 0.0
        for i in range(most):
            for j in range(i + 1):
                value = 0.0
                first, second = L[near[i]], L[near[j]]
                for k in range(min(near[i], near[j]) + 1):
                    value += first[k] * second[k]
                for k in range(j):
                    value -= factor[i, k] * factor[j, k]
                if j < i:
                    factor[i, j] = value / factor[j, j]
                else:
                    factor[i, i] = np.sqrt(value) if value > 0.0 else np.inf
            value = values[i]
            for k in range(i):
                value -= factor[i, k] * half[k]
            half[i] = value / factor[i, i]
            total += half[i] * half[i]
        out[q] = total


class _Race:
    """`half` (q, n) holds L^-1 c of the points still in it, as far as readings were taken in."""

    def __init__(self, posterior: Posterior, X: Tensor) -> None:
        self._posterior, self._L = posterior, posterior.factor
        self._X, self._places, self._taken = X, np.arange(len(X)), 0
        self._bounds = posterior.gram.diagonal(X).copy()
        self._half = np.empty((len(X), 0))

    @property
    def winner(self) -> int:
        return int(self._places[np.argmax(self._bounds)])

    def take_in(self, end: int) -> None:
        """Readings up to `end` lower the bounds."""
        begin, self._taken = self._taken, end
        rows = self._posterior.cross(self._X, begin, end)
        if begin:
            rows -= self._half @ self._L[begin:end, :begin].T
        rows = half_solve(np.ascontiguousarray(self._L[begin:end, begin:end]), rows)
        self._bounds -= self._posterior.amplitude * np.einsum("qn,qn->q", rows, rows)
        if end < len(self._L):
            self._half = np.concatenate([self._half, rows], axis=1) if begin else rows

    def drop_losers(self) -> bool:
        """False if too few lost to be worth looking again."""
        leaders = np.argsort(self._bounds)[-NUM_LEADERS:]
        rows = half_solve(self._L, self._posterior.cross(self._X[leaders], 0, len(self._L)))
        prior = self._posterior.gram.diagonal(self._X[leaders])
        least = float((prior - self._posterior.amplitude * np.einsum("qn,qn->q", rows, rows)).max())
        kept = np.flatnonzero(self._bounds >= least - ROUNDING * prior.max())
        if len(kept) > 0.7 * len(self._places):
            return False
        self._half, self._X = self._half[kept], self._X[kept]
        self._places, self._bounds = self._places[kept], self._bounds[kept]
        return True
