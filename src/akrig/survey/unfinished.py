"""A plan that was interrupted, by a kill, a battery or a person, is driven to its end before another is made."""

import numpy as np
from numpy.random import Generator

from akrig.errors import PlanRefused
from akrig.journal.events import Event
from akrig.protocols import Belief, Strategy
from akrig.survey.area import Area
from akrig.survey.strategies import driven
from akrig.types import Plan, Points, Situation

REACHED = "reached"  # the event of a waypoint that was reached, or left out by the operator


def unfinished_waypoints(events: list[Event], home: tuple[float, float]) -> Points | None:
    """Of the last plan in a journal, those that the boat had not come to; `None` if it was done, or led home only.

    A first plan without a reading is made anew.
    """
    plans = [number for number, event in enumerate(events) if event["event"] == "plan"]
    if not plans or not any(event["event"] == "measurement" for event in events):
        return None
    waypoints = np.array(events[plans[-1]]["waypoints"], dtype=float)
    done = sum(event["event"] == REACHED for event in events[plans[-1] :])
    is_way_home = bool(np.allclose(waypoints[-1], home, atol=1e-6))
    return None if is_way_home or done >= len(waypoints) else waypoints[done:]


class RestOfPlan:
    """Args:
    waypoints: what is left of the interrupted plan, if anything.
    """

    def __init__(self, strategy: Strategy, area: Area, margin: float, waypoints: Points | None) -> None:
        self._strategy, self._area, self._margin, self._left = strategy, area, margin, waypoints

    @property
    def is_done(self) -> bool:
        return self._left is None

    def plan(self, belief: Belief, situation: Situation, rng: Generator) -> Plan:
        if self._left is None:
            return self._strategy.plan(belief, situation, rng)
        left, self._left = self._left, None
        try:
            return Plan(driven(self._area, situation.pose.position, list(left), self._margin)[1:])
        except PlanRefused:  # drifted where no way leads there: the strategy knows what to do
            return self._strategy.plan(belief, situation, rng)
