"""The most uncertain of many points, without a whole prediction at each.

Every reading that is taken into account lowers variances, so what the first readings leave of a point's variance bounds
what all of them leave. Points whose bound lies below another's variance are out of the race: under a nonstationary
kernel a fifth of the readings decides against most.
"""

import numpy as np
from torch import Tensor

from akrig.gp.inference import half_solve
from akrig.gp.posterior import Posterior

LOOKS = (0.2, 0.45, 1.0)  # shares of the readings after which losers are dropped
FEWEST_READINGS = 128  # or looking costs more than it saves
NUM_LEADERS = 4  # whose variance is computed at each look
ROUNDING = 1e-12  # of the prior variance: bounds and variances are computed in different orders


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
