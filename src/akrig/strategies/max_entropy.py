"""Active sampling."""

from dataclasses import dataclass

from numpy.random import Generator

from akrig.protocols import Belief
from akrig.strategies.objectives import most_uncertain
from akrig.strategies.uniform import candidates
from akrig.types import Plan, Situation


@dataclass(frozen=True)
class MaxEntropy:
    """The candidate where a reading is least certain.

    Args:
        num_candidates: uniform in the workspace, fresh each time.
    """

    num_candidates: int = 1000

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        X = candidates(situation, self.num_candidates, rng)
        best = most_uncertain(belief, X)
        return Plan(X[best : best + 1])
