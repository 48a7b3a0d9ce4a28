"""The pilot survey: a first look at the whole workspace, before there is anything to plan with."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.random import Generator

from akrig.errors import PlanRefused
from akrig.geometry import Box, Pose
from akrig.protocols import Belief, Strategy
from akrig.strategies.lawnmower import turning_points
from akrig.types import Budget, JointPrediction, Plan, Points, Prediction, Situation

# Round the border in quarters of a side, clockwise from the lower left, then in to the centre: 18 control points.
TOUR = (
    *((1, 0), (0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 4), (2, 4), (3, 4)),
    *((4, 4), (4, 3), (4, 2), (4, 1), (4, 0), (3, 0), (2, 0), (2, 1), (2, 2)),
)


@dataclass(frozen=True)
class BezierPilot:
    """Along one smooth curve through the workspace.

    Args:
        num_points: evenly spaced in the curve's parameter.
        wander: each control point is moved at random by up to so many quarters of a side; with 0, the curve is the
            same for every seed, as in the authors' package.
    """

    num_points: int = 50
    wander: float = 0.0

    def __post_init__(self) -> None:
        _check_count(self.num_points)

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        corners = np.array(TOUR, dtype=float)
        corners += rng.uniform(-1, 1, corners.shape) * self.wander
        return Plan(_inside(situation.workspace, bezier(np.clip(corners / 4, 0, 1), self.num_points)))


@dataclass(frozen=True)
class LawnmowerPilot:
    """Along a coarse lawnmower pattern; in one dimension, from end to end.

    Args:
        num_points: evenly spaced along the way.
        num_lines: of the pattern.
    """

    num_points: int = 50
    num_lines: int = 4

    def __post_init__(self) -> None:
        _check_count(self.num_points)
        if self.num_lines < 2:
            raise ValueError(f"A lawnmower needs at least two lines; got {self.num_lines}.")

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        if situation.workspace.dim == 1:
            return Plan(situation.workspace.grid(self.num_points))
        corners = turning_points(situation.workspace, self.num_lines)
        lengths = np.linalg.norm(np.diff(corners, axis=0), axis=1)
        travelled = np.concatenate([[0.0], np.cumsum(lengths)])
        stops = np.linspace(0, travelled[-1], self.num_points)
        return Plan(np.column_stack([np.interp(stops, travelled, corners[:, k]) for k in range(2)]))


def no_pilot(make_strategy: Callable[[], Strategy]) -> Strategy:
    """The strategy itself goes first."""
    return make_strategy()


def foreseen(pilot: Strategy, workspace: Box, *, begin: tuple[float, ...], budget: Budget, rng: Generator) -> Points:
    """Where a pilot survey will go, before there is a mission: it plans without a model."""
    return pilot.plan(KnowsNothing(), Situation(Pose(begin), workspace, budget, epoch=0), rng).waypoints


class KnowsNothing:
    """The belief before there is a model: equally unsure everywhere."""

    def predict(self, X: Points) -> Prediction:
        return Prediction(np.zeros(len(X)), np.ones(len(X)))

    latent = predict

    def joint(self, X: Points) -> JointPrediction:
        """What one place tells of another is not known either."""
        return JointPrediction(np.zeros(len(X)), np.eye(len(X)))


def bezier(control_points: Float[np.ndarray, "k d"], num: int) -> Float[np.ndarray, "num d"]:
    """Points of the Bezier curve, by Bernstein's polynomials."""
    degree = len(control_points) - 1
    t = np.linspace(0, 1, num)[:, None]
    k = np.arange(degree + 1)
    choose = np.array([math.comb(degree, i) for i in k], dtype=float)
    return (choose * t**k * (1 - t) ** (degree - k)) @ control_points


def _inside(workspace: Box, shares: Points) -> Points:
    if workspace.dim != 2:
        raise PlanRefused(
            f"The Bezier pilot needs a workspace of two dimensions; this one has {workspace.dim}. "
            "For a line, the lawnmower pilot will do."
        )
    lower, upper = np.array(workspace.lower), np.array(workspace.upper)
    return np.clip(lower + shares * (upper - lower), lower, upper)


def _check_count(num_points: int) -> None:
    if num_points < 2:
        raise ValueError(f"A pilot survey needs at least two points; got {num_points}.")
