"""Where the boat was in the last minute."""

import math
from collections import deque
from dataclasses import dataclass

HISTORY = 60.0  # seconds of track that soundings may be matched with
WIDEST_GAP = 2.0  # seconds between positions that may be joined by a straight line
LATE = 2.0  # seconds: an older position than the last one came late; a much older one means that the clock was set


@dataclass(frozen=True)
class Fix:
    """Where the boat was: unix seconds, local metres, heading in radians counterclockwise from east, metres per second.

    Args:
        trusted: the receiver had a good fix, and the boat's filter vouches for the position.
    """

    time: float
    position: tuple[float, float]
    heading: float
    speed: float
    trusted: bool


class Track:
    """The boat's positions of the last minute, in the order of time."""

    def __init__(self) -> None:
        self._fixes: deque[Fix] = deque()
        self.latest: Fix | None = None  # any thread may look at it
        self.last_trusted: Fix | None = None  # at this one, too

    def add(self, fix: Fix) -> None:
        if self.latest is not None and 0 <= self.latest.time - fix.time < LATE:
            return
        while self._fixes and self._fixes[-1].time >= fix.time:
            self._fixes.pop()
        self._fixes.append(fix)
        while self._fixes[0].time < fix.time - HISTORY:
            self._fixes.popleft()
        self.latest = fix
        if fix.trusted:
            self.last_trusted = fix

    def at(self, time: float) -> Fix | None:
        """By a straight line between the positions before and after; `None` where they are missing or far apart."""
        after = None
        for before in reversed(self._fixes):
            if before.time <= time:
                return _between(before, after, time)
            after = before
        return None


def _between(before: Fix, after: Fix | None, time: float) -> Fix | None:
    if before.time == time:
        return before
    if after is None or after.time - before.time > WIDEST_GAP:
        return None
    share = (time - before.time) / (after.time - before.time)
    x, y = (a + share * (b - a) for a, b in zip(before.position, after.position, strict=True))
    heading = before.heading + share * math.remainder(after.heading - before.heading, math.tau)
    speed = before.speed + share * (after.speed - before.speed)
    return Fix(time, (x, y), heading, speed, before.trusted and after.trusted)
