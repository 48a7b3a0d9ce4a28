"""Where readings surprise a model more than elsewhere, and what its variance there is multiplied by.

One amplitude for a whole map is too much for the flat parts and too little for the rugged ones, and the mean does not
tell: how far each reading is from what its neighbours say of it does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from math import gamma, pi

import numpy as np
from jaxtyping import Float, Int

from akrig.kernels.ops.compilation import compiled_loop
from akrig.threads import by_cores
from akrig.types import Points

TRUST = 2.0  # in a scale of one: as much as so many readings at the place itself
BOUNDS = (0.2, 6.0)
NARROWEST, WIDEST = 0.12, 0.75  # radius, where the workspace is two wide
MOST = 2048  # readings that are remembered, if a model is not told of all of them at once: more than the radius needs

FINEST = 8.0  # cells that tell them apart, as halvings of one


@dataclass(frozen=True, eq=False)
class Surprises:
    """How much each of several models was surprised by which readings.

    Args:
        values: squared errors, by the variances that it gave.
        places: the readings' numbers; the latest to be judged come last.
    """

    values: Float[np.ndarray, "models n"]
    places: Int[np.ndarray, " n"]

    @classmethod
    def none(cls, num_models: int) -> "Surprises":
        return cls(np.empty((num_models, 0)), np.empty(0, np.int64))

    def __len__(self) -> int:
        return len(self.places)

    def followed_by(self, new: "Surprises", points: Callable[[np.ndarray], Points]) -> "Surprises":
        """The latest of each reading, and of readings near each other where there are too many.

        Args:
            points: where the readings of these numbers are.
        """
        values, places = np.hstack([self.values, new.values]), np.concatenate([self.places, new.places])
        kept, level = _last_of_each(places[:, None]), FINEST
        while len(kept) > MOST:
            kept = kept[_last_of_each(np.floor(points(places[kept]) * 2.0**level))]
            level -= 0.5
        return Surprises(np.ascontiguousarray(values[:, kept]), places[kept])


def _last_of_each(rows: np.ndarray) -> np.ndarray:
    """The numbers of the last of equal rows, in order."""
    _, first = np.unique(rows[::-1], axis=0, return_index=True)
    return np.sort(len(rows) - 1 - first)


@dataclass(frozen=True, eq=False)
class LocalScale:
    """Of several models of the same readings.

    Args:
        X: the readings' places, the workspace being [-1, 1] along each axis.
        surprises: of each model at each reading: squared errors, by the variances that it gave.
        nearby: as many readings around a place, if they were spread evenly, count for its scale.
    """

    X: Points
    surprises: Float[np.ndarray, "models n"]
    nearby: float

    @cached_property
    def radius(self) -> float:
        """Within which readings count, ever less towards its end."""
        num, dim = self.X.shape
        unit_ball = pi ** (dim / 2) / gamma(dim / 2 + 1)
        share = 8 / ((dim + 2) * (dim + 4))  # the mean of (1 - r^2)^2 over the unit ball
        return float(np.clip(2 * (self.nearby / (num * unit_ball * share)) ** (1 / dim), NARROWEST, WIDEST))

    def at(self, X: Points) -> Float[np.ndarray, "models q"]:
        out = np.empty((len(X), len(self.surprises)))
        average = partial(average_nearby, X, self.X, np.ascontiguousarray(self.surprises.T), self.radius**2, TRUST, out)
        by_cores(average, len(X), work=len(X) * len(self.X))
        return np.clip(out.T, *BOUNDS)


@compiled_loop(fastmath={"contract", "reassoc", "nsz"})
def average_nearby(Xq, X, values, squared_radius, trust, out, begin, end):
    """Of each column of `values` (n, m) around queries begin..end, weighed (1 - r^2)^2; `trust` counts for a one."""
    num, dim = X.shape
    for q in range(begin, end):
        total = trust
        out[q] = trust
        for i in range(num):
            squared = 0.0
            for k in range(dim):
                apart = Xq[q, k] - X[i, k]
                squared += apart * apart
            if squared < squared_radius:
                weight = (1.0 - squared / squared_radius) ** 2
                total += weight
                for m in range(values.shape[1]):
                    out[q, m] += weight * values[i, m]
        for m in range(values.shape[1]):
            out[q, m] /= total
