"""From soundings to the mission's readings: each gets its id and is written down; some, well apart, are used."""

import math
import queue
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from akrig.survey.link.alarms import Level
from akrig.survey.link.clock import MissionClock
from akrig.survey.link.orders import Mailbox, NoMailbox
from akrig.survey.link.soundings import Sounding
from akrig.types import Measurement


class MissionReadings:
    """Soundings come in the link's thread, readings are taken in the mission's.

    Args:
        spacing: metres between readings.
        last_id: of the soundings that were written down before.
        write: called with every sounding, its id and its moment, before it is used.
    """

    def __init__(
        self, clock: MissionClock, *, spacing: float, last_id: int, write: Callable[[Sounding, int, float], None]
    ) -> None:
        self._clock, self._spacing, self._last_id, self._write = clock, spacing, last_id, write
        self._last_moment = clock.begin if clock.begin > 0 else -math.inf
        self._last_place: tuple[float, ...] | None = None
        self._queue: queue.SimpleQueue[Measurement] = queue.SimpleQueue()

    def add(self, sounding: Sounding) -> None:
        self._last_id += 1
        # A date that was set right since may put it before the last one; but time only goes on.
        moment = max(self._clock.moment(sounding.time), math.nextafter(self._last_moment, math.inf))
        self._last_moment = moment
        self._write(sounding, self._last_id, moment)
        if sounding.reason is None and sounding.position is not None:
            self.offer(Measurement(moment, sounding.position, sounding.depth, self._last_id))

    def offer(self, reading: Measurement) -> None:
        """To the mission, if it is far enough from the last one."""
        if self._last_place is None or math.dist(reading.position, self._last_place) >= self._spacing:
            self._last_place = reading.position
            self._queue.put(reading)

    def taken(self) -> Iterator[Measurement]:
        """All that have come meanwhile."""
        while not self._queue.empty():
            yield self._queue.get()


@dataclass(frozen=True)
class Recorders:
    """Who writes down what happens, in the link's thread.

    Args:
        sounding: every sounding, accepted or refused, its id, and seconds since the mission began.
        notice: what happened and what was done about it.
        telemetry: how the boat is, once a second.
        reached: a waypoint of the plan, by its number, was reached or left out; in the mission's thread.
        progress: metres of the plan that are done, and of all of it, once a second.
    """

    sounding: Callable[[Sounding, int, float], None] = lambda sounding, id, time: None
    notice: Callable[[Level, str, float, float], None] = lambda level, message, time, unix: None
    telemetry: Callable[[dict[str, Any]], None] = lambda state: None
    mailbox: Mailbox = field(default_factory=NoMailbox)
    reached: Callable[[int, float], None] = lambda number, time: None
    progress: Callable[[float, float], None] = lambda done, all: None
