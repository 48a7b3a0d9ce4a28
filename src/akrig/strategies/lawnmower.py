"""The survey everybody knows: back and forth along parallel lines."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float
from numpy.random import Generator

from akrig.errors import PlanRefused
from akrig.geometry import Box
from akrig.protocols import Belief
from akrig.types import Plan, Points, Situation


@dataclass(frozen=True)
class Lawnmower:
    """Line k of the pattern in epoch k + 1, which needs no memory; after the last line it begins again.

    A line that is broken off (by a time limit, say) is not taken up again.

    Args:
        num_lines: parallel to the first axis, from the lower to the upper end of the second.
        spacing: a waypoint at least every so many metres; `None` has waypoints at the ends of lines only.
    """

    num_lines: int
    spacing: float | None = None

    def __post_init__(self) -> None:
        if self.num_lines < 2:
            raise ValueError(f"A lawnmower needs at least two lines; got {self.num_lines}.")
        if self.spacing is not None and not self.spacing > 0:
            raise ValueError(f"spacing must be positive; got {self.spacing}.")

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        line = (situation.epoch - 1) % self.num_lines
        ends = turning_points(situation.workspace, self.num_lines)[2 * line : 2 * line + 2]
        return Plan(along(np.vstack([situation.pose.position, ends]), self.spacing))

    @staticmethod
    def length(workspace: Box, num_lines: int) -> float:
        """Of the whole pattern, metres."""
        return num_lines * workspace.size[0] + workspace.size[1]

    @classmethod
    def for_distance(cls, distance: float, workspace: Box, *, stop: float = 0.0) -> "Lawnmower":
        """As many lines as fit into so many metres, two at least; each costs its length and a `stop`."""
        return cls(max(2, math.floor((distance - workspace.size[1]) / (workspace.size[0] + stop))))


def turning_points(workspace: Box, num_lines: int) -> Points:
    """Both ends of every line, in the order they are visited."""
    if workspace.dim != 2:
        raise PlanRefused(f"A lawnmower needs a workspace of two dimensions; this one has {workspace.dim}.")
    (left, bottom), (right, top) = workspace.lower, workspace.upper
    ends = []
    for i, y in enumerate(np.linspace(bottom, top, num_lines)):
        ends += [(left, y), (right, y)] if i % 2 == 0 else [(right, y), (left, y)]
    return np.array(ends)


def along(way: Float[np.ndarray, "k d"], spacing: float | None) -> Float[np.ndarray, "m d"]:
    """The way's corners, its beginning left out, and points between them no farther apart than `spacing`."""
    if spacing is None:
        return way[1:]
    parts = []
    for begin, end in pairwise(way):
        num = max(1, math.ceil(float(np.linalg.norm(end - begin)) / spacing - 1e-9))
        parts.append(begin + np.linspace(0, 1, num + 1)[1:, None] * (end - begin))
    return np.concatenate(parts)
