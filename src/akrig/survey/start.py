"""How a stretch of a survey begins: the boat's place, the mission's clock, and what an interrupted one left over."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from akrig.errors import BoatRefused, PlanRefused
from akrig.geometry import Pose
from akrig.journal.events import Event
from akrig.protocols import Belief, Strategy
from akrig.survey.area import Area
from akrig.survey.strategies import driven
from akrig.types import Measurement, Plan, Points, Situation

REACHED = "reached"  # the event of a waypoint that was reached, or left out by the operator


def check_in_area(area: Area, pose: Pose) -> None:
    """A boat that is not in the area means a wrong polygon, or a boat still on its trailer."""
    outside = -float(area.clearance(np.array([pose.position], dtype=float))[0])
    if outside > 0:
        raise BoatRefused(
            f"{outside_words(area, pose.position, outside)}; bring it inside, or check the polygon (latitude and "
            "longitude swapped? on land?)."
        )


def outside_words(area: Area, place: tuple[float, ...], metres: float) -> str:
    away = f"{metres:.0f} m" if metres < 2000 else f"{metres / 1000:.0f} km"
    return f"The boat is at {in_degrees(area, place)}, {away} outside {area.called} or in a keep-out"


def in_degrees(area: Area, place: tuple[float, ...]) -> str:
    longitude, latitude = area.frame.degrees_of(*place)
    return f"{latitude:.6f}, {longitude:.6f}"


def last_time(events: list[Event]) -> float:
    """Seconds since the mission began, of the last thing that was written down."""
    times = [event["time"] for event in events if isinstance(event.get("time"), int | float)]
    return max((time for time in times if not math.isnan(time)), default=0.0)


def unused_soundings(events: list[Event]) -> list[Measurement]:
    """Accepted soundings that the mission had not taken up when it was interrupted."""
    used = max((event.get("sounding", 0) for event in events if event["event"] == "measurement"), default=0)
    late = [event for event in events if event["event"] == "sounding" and event["id"] > used]
    return [Measurement(event["time"], tuple(event["position"]), event["value"], event["id"]) for event in late]


def last_id(events: list[Event]) -> int:
    """Of the soundings so far."""
    return max((event["id"] for event in events if event["event"] in ("sounding", "rejected")), default=0)


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
    """A plan that was interrupted, by a kill, a battery or a person, is driven to its end before another is made.

    Args:
        waypoints: what is left of it, if anything.
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


class StationaryBoat:
    """Where the boat was when the survey was complete; it goes nowhere."""

    def __init__(self, pose: Pose, clock: float) -> None:
        self.pose, self.clock = pose, clock

    def follow(self, plan: Plan) -> Iterator[Measurement]:
        raise RuntimeError("A stationary boat follows no plan.")
