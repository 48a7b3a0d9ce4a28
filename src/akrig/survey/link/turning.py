"""Turning round without swinging out: by way of a place abeam.

A boat that is sent straight astern is drawn to neither side: an autopilot turns it by the sine of the angle, which is
nothing at 180 degrees, while its motor drives it on already. ArduPilot's hull with a rudder went 5 to 8 m ahead before
it came about; by way of a place abeam, 1 m.
"""

import math
from itertools import pairwise

import numpy as np

from akrig.survey.area import Area
from akrig.survey.link.border import stopping_distance

SHARP = math.radians(120)  # a goal farther round than this is reached by way of a place that lies so far round
ASTERN = math.radians(160)  # beyond this either side is as near, and the one with more room is taken
TURNED = math.radians(90)  # a goal that is not abaft the beam can be steered for
SLACK = 0.5  # metres that positions wander
WIDEST = 12.0  # metres: farther ahead is another fault than a wide turn
SWING = 4.0  # metres beyond its radius that a boat runs ahead which comes about after it went astern
STEP = 0.5  # metres by which a circle is seen to be wider
Place = tuple[float, float]


def turning_room(margin: float, radius: float) -> float:
    """Metres that places where the boat turns round keep from every border, lest it be stopped there."""
    return max(margin, stopping_distance(margin) + radius + SLACK)


class TurningCircle:
    """How far ahead a boat goes while it turns round: as it was said to be, or farther if it is seen to.

    Attributes:
        radius: metres.
    """

    def __init__(self, radius: float) -> None:
        self.radius = radius
        self._begin, self._ahead = (0.0, 0.0), (1.0, 0.0)

    def begin(self, place: Place, heading: float) -> None:
        """The boat turns round at a place."""
        self._begin, self._ahead = place, (math.cos(heading), math.sin(heading))

    def room_ahead(self, position: Place, heading: float) -> Place:
        """How far a boat may come that turns round here after it went astern."""
        room = self.radius + SWING
        return position[0] + room * math.cos(heading), position[1] + room * math.sin(heading)

    def widened(self, position: Place) -> bool:
        """Whether it is the first time that it went so far."""
        ahead = float(np.subtract(position, self._begin) @ self._ahead)
        if not self.radius < ahead <= WIDEST:
            return False
        self.radius = STEP * math.ceil(ahead / STEP)
        return True


def relative_bearing(position: Place, heading: float, *, goal: Place) -> float:
    """Radians: 0 is ahead, positive to port, as headings are."""
    return math.remainder(math.atan2(goal[1] - position[1], goal[0] - position[0]) - heading, math.tau)


def has_turned(position: Place, heading: float, *, goal: Place) -> bool:
    return abs(relative_bearing(position, heading, goal=goal)) < TURNED


def turning_place(
    area: Area, position: Place, *, heading: float, goal: Place, margin: float, radius: float
) -> Place | None:
    """Where to go first on the way to a goal; `None` if it need not turn round, or has no room on either side.

    Args:
        margin: metres that the way there keeps from every border, unless the straight way keeps fewer.
        radius: of the boat's turning circle, metres.
    """
    bearing = relative_bearing(position, heading, goal=goal)
    if abs(bearing) <= SHARP or math.dist(position, goal) <= 2 * radius:
        return None
    margin = min(margin, _clearance(area, position, goal))
    places = [_abeam(position, heading + side * SHARP, distance=2 * radius) for side in (1, -1)]
    places = [place for place in places if _allows(area, (position, place, goal), margin=margin)]
    if abs(bearing) > ASTERN:
        places.sort(key=lambda place: -float(area.clearance(np.array([place]))[0]))
    elif bearing < 0:
        places.reverse()
    return places[0] if places else None


def _abeam(position: Place, direction: float, *, distance: float) -> Place:
    return position[0] + distance * math.cos(direction), position[1] + distance * math.sin(direction)


def _allows(area: Area, way: tuple[Place, ...], *, margin: float) -> bool:
    return all(area.allows_leg(begin, end, margin=margin) for begin, end in pairwise(way))


def _clearance(area: Area, begin: Place, end: Place) -> float:
    """The least along a straight way, looked at every metre or so."""
    count = int(math.dist(begin, end)) + 2
    return max(0.0, float(area.clearance(np.linspace(begin, end, count)).min()))
