"""Strategies that choose among random places: by chance, by uncertainty, or by uncertainty and distance."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from akrig.errors import NowhereToGo
from akrig.protocols import Belief, Exploring, Searching, capability
from akrig.types import Plan, Points, Situation, Values

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
        raise NowhereToGo("There is hardly a place in the workspace that may be visited; choose another workspace.")
    return found[:num]


@dataclass(frozen=True)
class MaxEntropy:
    """The candidate where a reading is least certain.

    Args:
        num_candidates: uniform in the workspace, fresh each time.
    """

    num_candidates: int = 1000

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        X = candidates(situation, self.num_candidates, rng)
        best = most_uncertain(for_planning(belief), X)
        return Plan(X[best : best + 1])


@dataclass(frozen=True)
class Myopic:
    """The candidate that is uncertain and near: information less distance, each rescaled to [0, 1] over them all.

    Args:
        num_candidates: uniform in the workspace, fresh each time.
        information: of a reading: its entropy, as in the paper, or its standard deviation. Where noise is small,
            entropy is nearly as large beside a track as far away, and keeps the vehicle there.
    """

    num_candidates: int = 1000
    information: Literal["entropy", "deviation"] = "entropy"

    def __post_init__(self) -> None:
        if self.information not in ("entropy", "deviation"):
            raise ValueError(f"information is entropy or deviation; got {self.information!r}.")

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        X = candidates(situation, self.num_candidates, rng)
        variance = for_planning(belief).predict(X).variance
        information = rescaled(entropy(variance) if self.information == "entropy" else np.sqrt(variance))
        distance = rescaled(np.linalg.norm(X - np.array(situation.pose.position), axis=1))
        best = int(np.argmax(information - distance))
        return Plan(X[best : best + 1])


def entropy(variance: Values) -> Values:
    """Of a Gaussian, in nats."""
    return 0.5 * np.log(2 * np.pi * np.e * variance)


def rescaled(values: Values) -> Values:
    """To [0, 1]; all zero if they do not vary."""
    spread = values.max() - values.min()
    return (values - values.min()) / spread if spread > 0 else np.zeros_like(values)


def for_planning(belief: Belief) -> Belief:
    """What planners go by."""
    exploring = capability(belief, Exploring)
    return belief if exploring is None else exploring.for_planning


def most_uncertain(belief: Belief, X: Points) -> int:
    """The place of the point of largest entropy, which is that of largest variance."""
    searching = capability(belief, Searching)
    return int(np.argmax(belief.predict(X).variance)) if searching is None else searching.most_uncertain(X)
