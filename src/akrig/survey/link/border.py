"""How near to a border the boat may be just now."""

import numpy as np

from akrig.survey.area import Area

SLACK = 0.5  # metres that a boat which lies near a border may come nearer: positions wander


def stopping_distance(margin: float) -> float:
    """Metres from a border at which the boat is stopped: it needs the rest of the margin to come to rest."""
    return margin / 2


class Border:
    """A breach is a place outside, or one nearer to a border than the limit, unless the boat was there already.

    Args:
        limit: metres; a way that begins or ends nearer to a border (at a jetty) may be half as near as it is itself.
    """

    def __init__(self, area: Area, limit: float) -> None:
        self._area, self._limit, self._floor = area, limit, limit
        self._best = -np.inf  # the largest clearance since the boat was last let go

    def clearance(self, position: tuple[float, ...]) -> float:
        """Metres, negative outside."""
        return float(self._area.clearance(np.array([position], dtype=float))[0])

    def has_room(self, position: tuple[float, ...]) -> bool:
        """Is it as far from every border as a boat should be?"""
        return self.clearance(position) >= self._limit

    def leg(self, begin: tuple[float, ...], end: tuple[float, ...], *, away: bool = False) -> None:
        """The boat goes along a straight way that is allowed.

        Args:
            away: from a border that it lies near to: it must not come nearer than positions wander.
        """
        count = max(2, int(np.hypot(*np.subtract(end, begin))) + 2)
        nearest = float(self._area.clearance(np.linspace(begin, end, count)).min())
        nearest = max(nearest, 0.0)
        self._floor = min(self._limit, max(nearest / 2, nearest - SLACK if away else 0.0))

    def forget(self) -> None:
        """Somebody brought the boat here, and knows: only from here on it must not come nearer."""
        self._best = -np.inf

    def breach(self, position: tuple[float, ...]) -> float | None:
        """Its clearance, if that is a breach."""
        clearance = self.clearance(position)
        if clearance < 0:
            return clearance
        self._best = max(self._best, clearance)
        allowed = self._floor if self._best >= self._floor else self._best - SLACK
        return clearance if clearance < allowed else None
