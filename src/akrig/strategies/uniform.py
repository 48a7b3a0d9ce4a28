"""Random sampling."""

from dataclasses import dataclass

from numpy.random import Generator

from akrig.geometry import Box
from akrig.protocols import Belief
from akrig.types import Plan, Points, Situation


@dataclass(frozen=True)
class Uniform:
    """One place, anywhere in the workspace."""

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        return Plan(candidates(situation.workspace, 1, rng))


def candidates(workspace: Box, num: int, rng: Generator) -> Points:
    """Uniform in the workspace."""
    return rng.uniform(workspace.lower, workspace.upper, (num, workspace.dim))
