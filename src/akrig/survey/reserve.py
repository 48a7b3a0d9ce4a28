"""What a budget allows: plans that leave enough for the way home, and the pilot pass that must fit in any case."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.random import Generator

from akrig.config.settings import Settings
from akrig.config.survey import SafetySettings
from akrig.errors import NowhereToGo
from akrig.geometry import Pose, lattice, way_length
from akrig.mission import NOTHING
from akrig.protocols import Belief, Strategy
from akrig.randomness import Randomness
from akrig.strategies.pilot import foreseen
from akrig.survey.area import Area, InvalidArea
from akrig.survey.link.turning import turning_room
from akrig.survey.strategies import AreaPilot
from akrig.types import Budget, Plan, Points, Situation, Values

CELLS = 40  # along the longer side of the map of ways home
FEW = 20  # places that are looked at one by one
WORTH_IT = 6.0  # metres from the boat: nearer places are no reason to go on


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
        """Exactly for a few places; for many, by a map of the area that never says too little."""
        if len(X) <= FEW:
            return self.factor * self.area.route_lengths(X, self.home, margin=self.margin)
        cells = np.floor((X - np.array(self.area.extent.lower)) / self._cell).astype(int)
        i, j = np.clip(cells, 0, np.array(self._map.shape) - 1).T
        return self.factor * self._map[i, j]

    @cached_property
    def _cell(self) -> float:
        return max(self.area.extent.size) / CELLS

    @cached_property
    def _map(self) -> np.ndarray:
        """The way home from the nearest known middle of a cell, and the way there: less is never needed."""
        extent, cell = self.area.extent, self._cell
        counts = [math.ceil(side / cell) for side in extent.size]
        axes = [low + (np.arange(count) + 0.5) * cell for low, count in zip(extent.lower, counts, strict=True)]
        middles = lattice(*axes)
        known = self.area.allows(middles, margin=self.margin)
        metres = np.full(len(middles), np.inf)
        metres[known] = self.area.route_lengths(middles[known], self.home, margin=self.margin)
        padded = np.pad(metres.reshape(counts), 1, constant_values=np.inf)
        near = sliding_window_view(padded, (3, 3)).min(axis=(2, 3)) + 3 * cell
        return np.where(np.isfinite(metres.reshape(counts)), metres.reshape(counts) + cell, near)

    def needs(self, pose: Pose) -> Budget:
        """Of the budget, at a pose."""
        metres = float(self.metres(np.array([pose.position]))[0])
        if not np.isfinite(metres):  # drifted where no way leads: the straight line is the best guess
            metres = self.factor * float(np.hypot(*np.subtract(pose.position, self.home)))
        return Budget(0, metres, metres / self.speed)


@dataclass(frozen=True)
class Affordable:
    """A strategy that is offered only places from which the boat still comes home, and whose plan is cut where not.

    Where no place is left to go to, the way leads home.

    `situation.remaining` is what remains after the way home from where the boat is now.
    """

    strategy: Strategy
    way_home: WayHome

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        try:
            plan = self.strategy.plan(belief, replace(situation, is_open=self.is_open(situation)), rng)
        except NowhereToGo:
            plan = Plan(np.array([self.way_home.home]))
        return self._cut(plan, situation)

    def is_open(self, situation: Situation) -> Callable[[Points], np.ndarray]:
        """Allowed, reachable, near enough to come home from, and far enough to learn something."""
        allowed, left = situation.is_open, self._metres_left(situation)

        def check(X: Points) -> np.ndarray:
            found = np.ones(len(X), bool) if allowed is None else allowed(X)
            there = np.hypot(*(X[found] - np.array(situation.pose.position)).T)
            found[found] = (there > WORTH_IT) & (there + self.way_home.metres(X[found]) <= left)
            return found

        return check

    def is_anywhere(self, situation: Situation, rng: Generator) -> bool:
        """Is there a place worth going to?"""
        box = situation.workspace
        return bool(np.any(self.is_open(situation)(rng.uniform(box.lower, box.upper, (2000, box.dim)))))

    def _metres_left(self, situation: Situation) -> float:
        """Before the way home is taken off."""
        needs, left = self.way_home.needs(situation.pose), situation.remaining
        return min(left.distance + needs.distance, (left.time + needs.time) * self.way_home.speed)

    def _cut(self, plan: Plan, situation: Situation) -> Plan:
        way = np.vstack([situation.pose.position, plan.waypoints])
        gone = np.cumsum(np.hypot(*np.diff(way, axis=0).T))
        fits = gone + self.way_home.metres(plan.waypoints) <= self._metres_left(situation) + 1e-6
        count = len(fits) if fits.all() else int(np.argmin(fits))
        return replace(plan, waypoints=plan.waypoints[:count]) if count else Plan(np.array([self.way_home.home]))


def pilot_needs(settings: Settings, area: Area) -> Budget:
    """Metres and seconds of the pilot pass, if there is one, from home and back."""
    if not settings.pilot.part.goes_first:
        return NOTHING
    safety = settings.surveyed.safety
    pilot = AreaPilot(area, settings.pilot.num_lines, safety.margin, room=turning_room_in(area, safety))
    begin = area.home or area.water.representative_point().coords[0]
    rng = Randomness(settings.seed).generator("pilot")
    way = np.vstack([begin, foreseen(pilot, area.extent, begin=begin, budget=Budget(), rng=rng)])
    there = way_length(way)
    back = float(area.route_lengths(way[-1:], begin, margin=safety.margin)[0])
    metres = there + safety.reserve * back
    return Budget(0, metres, metres / settings.vehicle.speed)


def turning_room_in(area: Area, safety: SafetySettings) -> float:
    """Metres that places where the boat turns keep from every border of this area."""
    room = turning_room(safety.margin, safety.turning_radius)
    if area.roads(room).free.is_empty and not area.roads(safety.margin).free.is_empty:
        raise InvalidArea(
            f"Where a boat turns that needs {safety.turning_radius:g} m for it, it must keep {room:g} m from every "
            f"border, and no place of {area.called} does; take a smaller safety.turning_radius or safety.margin."
        )
    return room
