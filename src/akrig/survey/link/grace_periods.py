"""How long something has been so, by the boat's clock: a computer that was busy elsewhere must not see ghosts."""

import time

from akrig.survey.link.clock import BoatClock
from akrig.survey.link.link import Link

DEAF = 2.0  # boat seconds between two time stamps: messages were lost
SHORTEST_SILENCE = 1.5  # seconds on this computer's clock


class GracePeriods:
    """Troubles are named when they are first seen, and forgotten when they are over."""

    def __init__(self, clock: BoatClock, link: Link) -> None:
        self._clock, self._link = clock, link
        self._since: dict[str, float] = {}
        self._heard = 0.0
        self._looked_at = time.monotonic()

    def begin(self) -> None:
        self._heard = self._clock.heard
        self._looked_at = time.monotonic()

    def asleep(self) -> float:
        """Boat seconds since this was last asked: a computer that asks seldom was asleep, or busy elsewhere."""
        asleep, self._looked_at = time.monotonic() - self._looked_at, time.monotonic()
        return asleep * self._link.speedup

    def missed(self) -> float:
        """Boat seconds that nobody listened to since this was last asked; they do not count for anything."""
        missed, self._heard = self._clock.heard - self._heard, self._clock.heard
        if missed <= DEAF:
            return 0.0
        self._since = {what: since + missed for what, since in self._since.items()}
        return missed

    def longer_than(self, what: str, seconds: float) -> bool:
        return self._clock.heard - self._since.setdefault(what, self._clock.heard) > seconds

    def is_running(self, what: str) -> bool:
        """Was it seen, and is it not over?"""
        return what in self._since

    def over(self, what: str) -> None:
        self._since.pop(what, None)

    def all_over(self) -> None:
        self._since.clear()

    def at_least(self, seconds: float) -> float:
        """A simulated boat's seconds may be too short for a busy computer."""
        return max(seconds, SHORTEST_SILENCE * self._link.speedup)
