"""Does a strategy stay in the workspace, and decide by nothing but what it is told?"""

from copy import deepcopy

import numpy as np

from akrig.geometry import Box, Pose
from akrig.protocols import Belief, Strategy
from akrig.types import Budget, Plan, Points, Prediction, Situation

WORKSPACES = (Box((0, 0), (1, 1)), Box((-300, 1e5), (700, 1.002e5)), Box((-11, 5), (-10, 9)))


class FarIsUnsure:
    """A belief without a model: the farther from the origin, the less it knows."""

    def predict(self, X: Points) -> Prediction:
        return Prediction(np.zeros(len(X)), 1.0 + np.linalg.norm(X, axis=1) ** 2)

    latent = predict


class KnowsNothing:
    """Equally unsure everywhere."""

    def predict(self, X: Points) -> Prediction:
        return Prediction(np.zeros(len(X)), np.ones(len(X)))

    latent = predict


def check_strategy(strategy: Strategy) -> None:
    """Plans inside any workspace, from anywhere in it, with any budget left; pure, given rng."""
    assert isinstance(strategy, Strategy), "A strategy has a method plan(belief, situation, rng)."
    beliefs: tuple[Belief, ...] = (FarIsUnsure(), KnowsNothing())
    for workspace in WORKSPACES:
        places = (workspace.lower, workspace.upper, np.mean([workspace.lower, workspace.upper], axis=0))
        for place in places:
            for remaining in (Budget(readings=1), Budget(readings=500), Budget(distance=3.0), Budget(time=1e4)):
                for belief in beliefs:
                    _check_plan(strategy, belief, Situation(Pose(tuple(place)), workspace, remaining))


def _check_plan(strategy: Strategy, belief: Belief, situation: Situation) -> None:
    twin = deepcopy(strategy)
    plan = strategy.plan(belief, situation, np.random.default_rng(0))
    assert isinstance(plan, Plan), f"plan must return a Plan; got {type(plan).__name__}."
    workspace = situation.workspace
    assert plan.waypoints.shape[1] == workspace.dim, "Waypoints must have as many dimensions as the workspace."
    inside = workspace.contains(plan.waypoints, tolerance=1e-9)
    assert inside.all(), f"Waypoint {plan.waypoints[int(np.argmin(inside))].tolist()} lies outside {workspace}."
    again = strategy.plan(belief, situation, np.random.default_rng(0))
    assert np.array_equal(plan.waypoints, again.waypoints), (
        "The same belief, situation and generator must give the same plan: a strategy keeps no memory, or a resumed "
        "mission would differ."
    )
    other = twin.plan(belief, situation, np.random.default_rng(0))
    assert np.array_equal(plan.waypoints, other.waypoints), "A copy of the strategy must plan alike."
