"""What a map is judged by, given the variance at each of its cells; less is better."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from akrig.types import Values

SLIGHT = 1e-3  # what variance below the target counts: enough to go on when all of it is reached


@dataclass(frozen=True)
class Objective:
    """Args:
    value: of all variances together.
    slope: how much the value grows with each variance.
    """

    value: Callable[[Values], float]
    slope: Callable[[Values], Values]


def integrated_variance(good_enough: float) -> Objective:
    """The squared error that is expected, summed over the map."""
    return Objective(lambda v: float(v.sum()), np.ones_like)


def integrated_log_variance(good_enough: float) -> Objective:
    """Entropy, cell by cell: to halve a small variance is worth as much as to halve a large one."""
    return Objective(lambda v: float(np.log(v + good_enough).sum()), lambda v: 1 / (v + good_enough))


def excess_variance(good_enough: float) -> Objective:
    """What exceeds the target; where it is reached, there is hardly more to gain."""
    return Objective(
        lambda v: float(np.maximum(v - good_enough, SLIGHT * v).sum()),
        lambda v: np.where((1 - SLIGHT) * v > good_enough, 1.0, SLIGHT),
    )


# By the word in settings; each is told the variance that is good enough.
OBJECTIVES: Mapping[str, Callable[[float], Objective]] = {
    "variance": integrated_variance,
    "log-variance": integrated_log_variance,
    "excess": excess_variance,
}
