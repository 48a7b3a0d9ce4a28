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
    """One line of a lawnmower pattern after the other; after the last, it begins again.

    It needs no memory: where the vehicle stands on the pattern says which line is next.

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
        ends = turning_points(situation.workspace, self.num_lines)
        position = np.array(situation.pose.position)
        goal = _next_end(ends, position, near=situation.workspace.size[1] / (self.num_lines - 1) / 4)
        way = np.stack([position, ends[goal]])
        if goal % 2 == 0 and goal + 1 < len(ends):  # the step to the next line is short: take it and the line
            way = np.vstack([way, ends[goal + 1]])
        return Plan(_along(way, self.spacing))

    @staticmethod
    def length(workspace: Box, num_lines: int) -> float:
        """Of the whole pattern, metres."""
        return num_lines * workspace.size[0] + workspace.size[1]

    @classmethod
    def for_distance(cls, distance: float, workspace: Box, *, spacing: float | None = None) -> "Lawnmower":
        """As many lines as fit into so many metres, two at least."""
        return cls(max(2, math.floor((distance - workspace.size[1]) / workspace.size[0])), spacing)


def turning_points(workspace: Box, num_lines: int) -> Points:
    """Both ends of every line, in the order they are visited."""
    if workspace.dim != 2:
        raise PlanRefused(f"A lawnmower needs a workspace of two dimensions; this one has {workspace.dim}.")
    (left, bottom), (right, top) = workspace.lower, workspace.upper
    ends = []
    for i, y in enumerate(np.linspace(bottom, top, num_lines)):
        ends += [(left, y), (right, y)] if i % 2 == 0 else [(right, y), (left, y)]
    return np.array(ends)


def _next_end(ends: Points, position: np.ndarray, *, near: float) -> int:
    """The turning point that comes next for a vehicle here; the first, if it is not on the pattern."""
    begins, ways = ends[:-1], np.diff(ends, axis=0)
    share = np.clip(((position - begins) * ways).sum(axis=1) / (ways**2).sum(axis=1), 0, 1)
    distance = np.linalg.norm(begins + share[:, None] * ways - position, axis=1)
    nearest = int(len(distance) - 1 - np.argmin(distance[::-1]))  # of equally near ones the later
    if distance[nearest] > near:
        return 0
    arrived = np.linalg.norm(ends[nearest + 1] - position) <= near
    return (nearest + 1 + int(arrived)) % len(ends)


def _along(way: Float[np.ndarray, "k d"], spacing: float | None) -> Float[np.ndarray, "m d"]:
    """The way's corners, its beginning left out, and points between them no farther apart than `spacing`."""
    if spacing is None:
        return way[1:]
    parts = []
    for begin, end in pairwise(way):
        num = max(1, math.ceil(float(np.linalg.norm(end - begin)) / spacing - 1e-9))
        parts.append(begin + np.linspace(0, 1, num + 1)[1:, None] * (end - begin))
    return np.concatenate(parts)
