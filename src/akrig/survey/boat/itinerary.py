"""AUTO mode: one mission item after the other."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from akrig.survey.boat import missions
from akrig.survey.boat.dynamics import Pair
from akrig.survey.boat.guidance import Line, Loiter, Task
from akrig.survey.boat.missions import Item, Missions

if TYPE_CHECKING:
    from akrig.survey.boat.autopilot import Autopilot


class Itinerary:
    """Where in the mission the boat is; item 0 is home and never driven to.

    Args:
        to_metres: turns longitude and latitude into metres of the boat's frame.
    """

    def __init__(self, store: Missions, to_metres: Callable[[Pair], Pair]) -> None:
        self._store, self._to_metres = store, to_metres
        self.index = 0
        self.is_complete = False
        self._is_under_way = False
        self._wait_until: float | None = None

    def restart(self, *, from_begin: bool) -> None:
        """AUTO begins: with the item it was at, or with the first."""
        if from_begin or self.is_complete or not 1 <= self.index < len(self._store.items):
            self.index, self.is_complete = 1, False
        self._is_under_way, self._wait_until = False, None

    def jump(self, index: int) -> bool:
        if not 0 <= index < len(self._store.items):
            return False
        self.index, self.is_complete = max(index, 1), False
        self._is_under_way, self._wait_until = False, None
        return True

    def next_task(self, autopilot: "Autopilot") -> Task | None:
        """What AUTO does now."""
        if self.is_complete:
            return autopilot.task
        if self._is_under_way:
            if not self._is_done(autopilot):
                return autopilot.task
            autopilot.reached.append(self.index)
            self.index += 1
        return self._begin(autopilot)

    def _is_done(self, autopilot: "Autopilot") -> bool:
        if self._wait_until is None and autopilot.task is not None and not autopilot.task.is_reached:
            return False
        if self.index >= len(self._store.items):  # a shorter mission was sent meanwhile
            return True
        item = self._store.items[self.index]
        if self._wait_until is None:
            stays = item.command in (missions.LOITER_UNLIMITED, missions.LOITER_TIME) or item.params[0] > 0
            seconds = max(0.0, item.params[0]) if item.command in missions.GOES_SOMEWHERE else 0.0
            self._wait_until = autopilot.time + (float("inf") if item.command == missions.LOITER_UNLIMITED else seconds)
            if stays:
                autopilot.task = Loiter.here(autopilot.navigation, autopilot.parameters)
        return autopilot.time >= self._wait_until

    def _begin(self, autopilot: "Autopilot") -> Task | None:
        """The next item that goes somewhere; those before it are done at once."""
        here = autopilot.navigation.position
        self._wait_until = None
        while self.index < len(self._store.items):
            item = self._store.items[self.index]
            self._is_under_way = True
            if item.command in missions.GOES_SOMEWHERE:
                return Line(here, self._place(item, autopilot), autopilot.cruise)
            if item.command == missions.RETURN and autopilot.home is not None:
                return Line(here, autopilot.home, autopilot.cruise)
            if item.command == missions.CHANGE_SPEED and item.params[1] > 0:
                autopilot.speed_limit = item.params[1]
            self.index += 1
        self.is_complete, self._is_under_way = True, False
        self.index = max(len(self._store.items) - 1, 0)
        autopilot.say("Mission Complete")
        return Loiter.here(autopilot.navigation, autopilot.parameters)

    def _place(self, item: Item, autopilot: "Autopilot") -> Pair:
        if not (item.latitude or item.longitude):
            return autopilot.navigation.position  # ArduPilot: zeros mean here
        return self._to_metres(item.lonlat)
