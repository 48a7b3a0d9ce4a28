"""Random sampling."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from akrig.errors import PlanRefused
from akrig.protocols import Belief
from akrig.types import Plan, Points, Situation

ROUNDS = 20


@dataclass(frozen=True)
class Uniform:
    """One place, anywhere in the workspace."""

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        return Plan(candidates(situation, 1, rng))


def candidates(situation: Situation, num: int, rng: Generator) -> Points:
    """Uniform in the open part of the workspace; `num`, or a few less if that is small."""
    box = situation.workspace
    X = rng.uniform(box.lower, box.upper, (num, box.dim))
    if situation.is_open is None:
        return X
    found = X[situation.is_open(X)]
    for _ in range(ROUNDS):
        if len(found) >= num:
            break
        X = rng.uniform(box.lower, box.upper, (max(num, 100), box.dim))
        found = np.concatenate([found, X[situation.is_open(X)]])
    if not len(found):
        raise PlanRefused("There is hardly a place in the workspace that may be visited; choose another workspace.")
    return found[:num]
