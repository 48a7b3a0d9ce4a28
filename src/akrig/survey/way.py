"""What a budget allows: plans that leave enough for the way home, and the pilot pass that must fit in any case."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator, default_rng

from akrig.config.settings import Settings
from akrig.geo import Area
from akrig.geometry import Pose
from akrig.protocols import Belief, Strategy
from akrig.strategies.area import AreaPilot
from akrig.strategies.pilot import KnowsNothing
from akrig.types import Budget, Plan, Points, Situation, Values

WORTH_IT = 5.0  # metres from the boat: nearer places are no reason to go on


@dataclass(frozen=True)
class WayHome:
    """How far it is home from anywhere, by allowed ways.

    Args:
        factor: times the way that must be left: wind and current cost something.
        speed: metres per second.
    """

    area: Area
    home: tuple[float, float]
    margin: float
    factor: float
    speed: float

    def metres(self, X: Points) -> Values:
        return self.factor * self.area.route_lengths(X, self.home, margin=self.margin)

    def needs(self, pose: Pose) -> Budget:
        """Of the budget, at a pose."""
        metres = float(self.metres(np.array([pose.position]))[0])
        if not np.isfinite(metres):  # drifted where no way leads: the straight line is the best guess
            metres = self.factor * float(np.hypot(*np.subtract(pose.position, self.home)))
        return Budget(0, metres, metres / self.speed)


@dataclass(frozen=True)
class Affordable:
    """A strategy that is offered only places from which the boat still comes home, and whose plan is cut where not.

    `situation.remaining` is what remains after the way home from where the boat is now.
    """

    strategy: Strategy
    way_home: WayHome

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        plan = self.strategy.plan(belief, replace(situation, is_open=self.is_open(situation)), rng)
        return self._cut(plan, situation)

    def is_open(self, situation: Situation) -> Callable[[Points], np.ndarray]:
        """Allowed, reachable, and near enough."""
        allowed, left = situation.is_open, self._metres_left(situation)

        def check(X: Points) -> np.ndarray:
            found = np.ones(len(X), bool) if allowed is None else allowed(X)
            there = np.hypot(*(X[found] - np.array(situation.pose.position)).T)
            found[found] = there + self.way_home.metres(X[found]) <= left
            return found

        return check

    def is_anywhere(self, situation: Situation, rng: Generator) -> bool:
        """Is there a place worth going to?"""
        box = situation.workspace
        X = rng.uniform(box.lower, box.upper, (200, box.dim))
        far = np.hypot(*(X - np.array(situation.pose.position)).T) > WORTH_IT
        return bool(np.any(self.is_open(situation)(X[far])))

    def _metres_left(self, situation: Situation) -> float:
        """Before the way home is taken off."""
        needs, left = self.way_home.needs(situation.pose), situation.remaining
        return min(left.distance + needs.distance, (left.time + needs.time) * self.way_home.speed)

    def _cut(self, plan: Plan, situation: Situation) -> Plan:
        way = np.vstack([situation.pose.position, plan.waypoints])
        gone = np.cumsum(np.hypot(*np.diff(way, axis=0).T))
        fits = gone + self.way_home.metres(plan.waypoints) <= self._metres_left(situation) + 1e-6
        count = len(fits) if fits.all() else int(np.argmin(fits))
        return Plan(plan.waypoints[:count]) if count else Plan(np.array([self.way_home.home]))


def pilot_needs(settings: Settings, area: Area) -> Budget:
    """Metres and seconds of the pilot pass, from home and back."""
    assert settings.survey is not None
    safety = settings.survey.safety
    pilot = AreaPilot(area, settings.pilot.num_lines, safety.margin)
    begin = area.home or area.water.representative_point().coords[0]
    way = np.vstack([begin, _waypoints(pilot, area, begin)])
    there = float(np.hypot(*np.diff(way, axis=0).T).sum())
    back = float(area.route_lengths(way[-1:], begin, margin=safety.margin)[0])
    metres = there + safety.reserve * back
    return Budget(0, metres, metres / settings.vehicle.speed)


def _waypoints(pilot: AreaPilot, area: Area, begin: tuple[float, ...]) -> Points:
    situation = Situation(Pose(begin), area.extent, Budget(), epoch=0)
    return pilot.plan(KnowsNothing(), situation, default_rng(0)).waypoints
