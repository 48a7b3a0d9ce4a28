"""Informative planning, one waypoint at a time: the paper's planner."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from akrig.protocols import Belief
from akrig.strategies.objectives import entropy, rescaled
from akrig.strategies.uniform import candidates
from akrig.types import Plan, Situation


@dataclass(frozen=True)
class Myopic:
    """The candidate that is uncertain and near: entropy minus distance, each rescaled to [0, 1] over the candidates.

    Args:
        num_candidates: uniform in the workspace, fresh each time.
    """

    num_candidates: int = 1000

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        X = candidates(situation, self.num_candidates, rng)
        information = rescaled(entropy(belief.predict(X).variance))
        distance = rescaled(np.linalg.norm(X - np.array(situation.pose.position), axis=1))
        best = int(np.argmax(information - distance))
        return Plan(X[best : best + 1])
