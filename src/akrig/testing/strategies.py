"""Does a strategy stay in the workspace, and decide by nothing but what it is told?"""

from collections.abc import Sequence
from copy import deepcopy

import numpy as np

from akrig.geometry import Box, Pose
from akrig.protocols import Belief, Strategy
from akrig.strategies.pilot import KnowsNothing
from akrig.types import Budget, JointPrediction, Plan, Points, Prediction, Situation

WORKSPACES = (Box((0, 0), (1, 1)), Box((-300, 1e5), (700, 1.002e5)), Box((-11, 5), (-10, 9)))


class FarIsUnsure:
    """A belief without a model: the farther from the origin, the less it knows."""

    def predict(self, X: Points) -> Prediction:
        return Prediction(np.zeros(len(X)), 1.0 + np.linalg.norm(X, axis=1) ** 2)

    latent = predict

    def joint(self, X: Points) -> JointPrediction:
        """Places are sure or unsure independently of each other."""
        said = self.latent(X)
        return JointPrediction(said.mean, np.diag(said.variance))


def check_strategy(strategy: Strategy, *, workspaces: Sequence[Box] = WORKSPACES) -> None:
    """Plans inside any workspace, from anywhere in it, with any budget left; pure, given rng.

    Args:
        workspaces: all those to try; give others if it plans in one dimension, or in three.
    """
    assert isinstance(strategy, Strategy), "A strategy has a method plan(belief, situation, rng)."
    if not workspaces:
        raise ValueError("check_strategy needs at least one workspace; got none.")
    fresh = deepcopy(strategy)  # before the first plan: a copy of what was remembered would remember it too
    cases = [case for workspace in workspaces for case in _cases(workspace)]
    plans = [_checked_plan(strategy, *case, seed) for seed, case in enumerate(cases)]
    per_workspace = len(cases) // len(workspaces)
    for seed in sorted(range(len(cases)), key=lambda i: -(i % per_workspace)):  # last first, workspaces in turn
        belief, situation = cases[seed]
        other = fresh.plan(belief, situation, np.random.default_rng(seed))
        assert np.array_equal(plans[seed].waypoints, other.waypoints), (
            "Earlier plans must not matter: a strategy keeps no memory, or a resumed mission would differ."
        )


def _cases(workspace: Box) -> list[tuple[Belief, Situation]]:
    places = (workspace.lower, workspace.upper, np.mean([workspace.lower, workspace.upper], axis=0))
    budgets = (Budget(readings=1), Budget(readings=500), Budget(distance=3.0), Budget(time=1e4))
    beliefs: tuple[Belief, ...] = (FarIsUnsure(), KnowsNothing())
    return [
        (belief, Situation(Pose(tuple(place)), workspace, remaining))
        for place in places
        for remaining in budgets
        for belief in beliefs
    ]


def _checked_plan(strategy: Strategy, belief: Belief, situation: Situation, seed: int) -> Plan:
    plan = strategy.plan(belief, situation, np.random.default_rng(seed))
    assert isinstance(plan, Plan), f"plan must return a Plan; got {type(plan).__name__}."
    workspace = situation.workspace
    assert plan.waypoints.shape[1] == workspace.dim, "Waypoints must have as many dimensions as the workspace."
    inside = workspace.contains(plan.waypoints, tolerance=1e-9)
    assert inside.all(), f"Waypoint {plan.waypoints[int(np.argmin(inside))].tolist()} lies outside {workspace}."
    again = strategy.plan(belief, situation, np.random.default_rng(seed))
    assert np.array_equal(plan.waypoints, again.waypoints), (
        "The same belief, situation and generator must give the same plan: a strategy keeps no memory, or a resumed "
        "mission would differ."
    )
    return plan
