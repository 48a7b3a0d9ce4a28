"""The paper's one-dimensional functions: small, and nonstationary in ways one can see."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from akrig.geometry import Box
from akrig.types import Points, Values


@dataclass(frozen=True)
class Function1D:
    """A field on a line.

    Args:
        formula: values at coordinates (n,).
        extent: where it is defined.
        sections: (lower, upper, number of readings) of each stretch, for `training_points`.
        jumps: where it is discontinuous.
    """

    formula: Callable[[Values], Values]
    extent: Box
    sections: tuple[tuple[float, float, int], ...]
    jumps: tuple[float, ...] = ()

    def __call__(self, X: Points) -> Values:
        if X.ndim != 2 or X.shape[1] != 1:
            raise ValueError(f"A one-dimensional field needs points (n, 1); got {X.shape}.")
        return self.formula(X[:, 0])

    def training_points(self, rng: np.random.Generator) -> Points:
        """Uniform draws in each section, and a point 0.01 to either side of each jump."""
        draws = [rng.uniform(lower, upper, num) for lower, upper, num in self.sections]
        beside = [jump + side for jump in self.jumps for side in (-0.01, 0.01)]
        return np.sort(np.concatenate([*draws, beside]))[:, None]


def _step(x: Values) -> Values:
    partition = np.clip(np.floor(x).astype(int), 0, 4)
    offset = np.array([-4.0, 4.0, -4.0, 4.0, -4.0])[partition]
    return np.where(partition == 2, 3 * np.sin(40 * x), np.sin(10 * x)) + offset


def _chirp(x: Values) -> Values:
    return x * np.sin(40 * x**4)


STEP = Function1D(
    _step,
    Box((0.0,), (5.0,)),
    sections=((0, 1, 30), (1, 2, 30), (2, 3, 50), (3, 4, 30), (4, 5, 30)),
    jumps=(1.0, 2.0, 3.0, 4.0),
)
"""Five partitions with jumps between them; the middle one is jittery, the others gentle."""

CHIRP = Function1D(_chirp, Box((0.0,), (1.0,)), sections=((0, 2 / 3, 40), (2 / 3, 1, 80)))
"""x sin(40 x^4): ever faster from left to right."""
