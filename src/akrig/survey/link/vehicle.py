"""A boat with an autopilot as a vehicle of the mission: line 7 of Algorithm 1, on real water."""

import math
import queue
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from akrig.errors import BoatRefused, Interrupted
from akrig.geometry import Pose
from akrig.survey.area import Area
from akrig.survey.link.alarms import Ending, Level, SafetyLimits
from akrig.survey.link.clock import BoatClock
from akrig.survey.link.driving import DrivingSettings, Recorders
from akrig.survey.link.guard import Guard
from akrig.survey.link.helm import Helm
from akrig.survey.link.inspection import Inspector
from akrig.survey.link.link import GROUND_STATION, Link
from akrig.survey.link.nmea import NmeaDepths
from akrig.survey.link.observer import Observer
from akrig.survey.link.orders import OrderQueue
from akrig.survey.link.soundings import Mounting, Ping, Plausible, Sounder, Sounding
from akrig.survey.link.steering import Steering
from akrig.survey.link.turning import TurningCircle
from akrig.survey.link.waterlevel import WaterLevel
from akrig.types import Measurement, Plan

SECONDS_BETWEEN_TELEMETRY = 1.0  # boat seconds
HEARD_LATE = 2.0  # boat seconds that soundings may be on their way: when a survey goes on, its time must not go back


class MavlinkVehicle:
    """Follows plans in GUIDED mode, inside its area.

    Args:
        begin: seconds that the mission has lasted already.
    """

    def __init__(
        self,
        address: str,
        area: Area,
        *,
        system: int | None = None,
        id: int = GROUND_STATION,
        manner: DrivingSettings,
        limits: SafetyLimits,
        plausible: Plausible,
        mounting: Mounting,
        level: WaterLevel | None = None,
        keepers: Recorders,
        begin: float = 0.0,
    ) -> None:
        self._area, self._manner, self._limits, self._keepers = area, manner, limits, keepers
        self._begin, self._unix_begin, self._corrected = begin, math.nan, 0.0
        self.level = level
        nmea = manner.source.partition(":")[2] if manner.source.startswith("nmea:") else ""
        self._nmea = NmeaDepths(nmea) if nmea else None
        self._clock = BoatClock()
        source = "" if self._nmea else manner.source
        self.observer = Observer(
            area.frame, source=source, ping=self._hear_ping, max_hdop=limits.max_hdop, clock=self._clock
        )
        self.link = Link(
            address, system=system, id=id, hear=self._hear, tick=self._tick, tell=lambda s: self.tell("warning", s)
        )
        self.link.is_station = False
        self.inspector = Inspector(self.link)
        self.guard = Guard(area, self.observer, self.link, limits=limits, tell=self.tell)
        self.helm = Helm(
            self.link, self.observer, self.guard,
            frame=area.frame, rate=manner.rate, speed=manner.speed, ready=manner.ready, tell=self.tell,
        )  # fmt: skip
        self.desk = OrderQueue(keepers.mailbox, area, self.observer, self.guard, margin=limits.margin)
        sounder = partial(
            Sounder, self.observer.track, plausible=plausible, mounting=mounting, level=level,
            trouble=lambda: self.observer.health.gps_trouble(limits.max_hdop),
        )  # fmt: skip
        self._sounder, self._rehearsal = sounder(keep=self._keep), sounder(keep=self._rehearse)
        self.sounding: Sounding | None = None  # the last before the survey listens, accepted if one was
        self.turning = TurningCircle(manner.turning_radius)
        self._steersman = Steering(
            area, self.observer, self.link, guard=self.guard, helm=self.helm, desk=self.desk, manner=manner,
            turning=self.turning, limits=limits, drained=self._drained,
            clock=lambda: self._moment(self._clock.heard), tell=self.tell,
        )  # fmt: skip
        self._readings: queue.SimpleQueue[Measurement] = queue.SimpleQueue()
        self._last_used: tuple[float, float] | None = None
        self._telemetry_at = self._last_moment = -math.inf
        self._listening = False
        self._ahead: tuple[tuple[float, float], float, float] | None = None  # next stop, metres after it, metres in all

    # -- a vehicle -------------------------------------------------------------------------------------------------

    @property
    def pose(self) -> Pose:
        latest = self.observer.track.latest
        if latest is None:
            raise BoatRefused("The boat has not told its position yet.")
        return Pose(latest.position, latest.heading)

    @property
    def clock(self) -> float:
        return self._moment(self._clock.now) if self._listening else self._begin

    @property
    def now(self) -> float:
        """Unix seconds, by the boat's clock."""
        return self._clock.now

    @property
    def ending(self) -> Ending | None:
        """Why the survey must end, if it must."""
        return self.guard.ending

    def follow(self, plan: Plan) -> Iterator[Measurement]:
        """Returns early when the survey must end; waits while the boat is held or in another's hands."""
        stops = [(x, y) for x, y in plan.waypoints.tolist()]
        legs = [math.dist(a, b) for a, b in pairwise([self.pose.position, *stops])]
        for number, stop in enumerate(stops):
            self._ahead = stop, sum(legs[number + 1 :]), sum(legs)
            yield from self._steersman.go(stop)
            if self.ending is not None:
                break
            self._keepers.reached(number, self.clock)
        self._ahead = None
        yield from self._drained()

    def distance_to(self, place: tuple[float, float]) -> float:
        return math.dist(self.pose.position, place)

    # -- beginning and end -----------------------------------------------------------------------------------------

    def meet(self) -> None:
        """Opens the link and waits until the boat is heard; it is asked for its streams, and given no order."""
        self._warm_up()
        self.link.start()
        if self._nmea is not None:
            self._nmea.start()
        self.helm.connect(self._manner.connect)
        if self.guard.battery.volts is None:
            self.guard.battery.volts = self.link.parameter("BATT_LOW_VOLT") or None

    def connect(self) -> None:
        """Meets the boat and waits for a position; the boat is not touched yet."""
        self.meet()
        self.helm.await_position(self._manner.ready)

    def take_up(self, readings: Sequence[Measurement]) -> None:
        """Soundings of an earlier stretch that the mission has not had; they come first, at the usual spacing."""
        for reading in readings:
            x, y = reading.position
            self._offer((x, y), reading)

    def engage(self) -> None:
        """From now on akrig listens to the sonar, and steers; before this the boat is given no order."""
        if self.guard.ending is not None:
            raise Interrupted(self.guard.ending.reason)
        late = HEARD_LATE if self._begin > 0 else 0.0
        self._unix_begin, self._corrected = self._clock.now - late, self._clock.corrected
        self._listening = self.link.is_station = True  # from now on the boat acts when akrig is lost
        self.guard.take_charge()
        self.helm.engage()

    def rest(self, *, disarm: bool) -> None:
        """The last order: keep the place, or motors off. Only to a boat that is akrig's and can hear it."""
        elsewhere = self.guard.is_at_the_sticks or self.guard.pauses.keys() & {"pilot", "restart", "link"}
        if self.guard.is_in_charge and not elsewhere:
            if disarm:
                self.helm.change_mode("HOLD")
                self.helm.disarm()
            else:
                self.guard.hold()
                self.link.wait(lambda: self.guard.is_holding, 5.0)
        self.guard.give_up_charge()

    def close(self) -> None:
        self.link.close()
        if self._nmea is not None:
            self._nmea.close()

    def tell(self, level: Level, message: str) -> None:
        self._keepers.notice(level, message, self.clock, self._clock.now)

    def _drained(self) -> Iterator[Measurement]:
        while not self._readings.empty():
            yield self._readings.get()

    def _warm_up(self) -> None:
        """Shapes build their indexes when first asked: that must not happen in two threads at once."""
        x, y = self._area.water.representative_point().coords[0]
        self.guard.border.clearance((x, y))
        for margin in (0.0, self._limits.margin):
            self._area.allows_leg((x, y), (x, y), margin=margin)
            self._area.route((x, y), (x, y), margin=margin)

    # -- listening, in the link's thread ---------------------------------------------------------------------------

    def _hear(self, message: Any) -> None:
        self.observer.hear(message)
        self.inspector.hear(message)
        if message.get_type() == "GLOBAL_POSITION_INT":
            self._sounder.match(self._clock.now)

    def _tick(self) -> None:
        self.guard.tick()
        self.helm.keep_streams()
        while self._nmea is not None and not self._nmea.heard.empty():
            at, depth = self._nmea.heard.get()
            self.observer.ping(Ping(self._clock.now - (time.monotonic() - at) * self.link.speedup, depth))
        self._rehearsal.match(self._clock.now)
        if self._listening:
            self._sounder.match(self._clock.now)
            self.desk.tick(self.link.speedup)
            self._report()

    def _hear_ping(self, ping: Ping) -> None:
        (self._sounder if self._listening else self._rehearsal).hear(ping)

    def _rehearse(self, sounding: Sounding) -> None:
        if sounding.reason is None or self.sounding is None or self.sounding.reason is not None:
            self.sounding = sounding

    def _keep(self, sounding: Sounding) -> None:
        # A date that was set right since may put it before the last one; and its time is a sounding's name.
        moment = self._last_moment = max(self._moment(sounding.time), math.nextafter(self._last_moment, math.inf))
        self._keepers.sounding(sounding, moment)
        self.guard.sonar.judge(sounding.reason)
        place = sounding.position
        if sounding.reason is not None or place is None:
            return
        self._offer(place, Measurement(moment, place, sounding.depth))

    def _moment(self, unix: float) -> float:
        """Seconds since the mission began; a date that is set right later is no time that passed."""
        return self._begin + unix - self._unix_begin - (self._clock.corrected - self._corrected)

    def _offer(self, place: tuple[float, float], reading: Measurement) -> None:
        """To the mission, if it is far enough from the last one."""
        if self._last_used is None or math.dist(place, self._last_used) >= self._manner.spacing:
            self._last_used = place
            self._readings.put(reading)

    def _report(self) -> None:
        now, latest = self._clock.now, self.observer.track.latest
        if now - self._telemetry_at < SECONDS_BETWEEN_TELEMETRY or latest is None:
            return
        self._telemetry_at = now
        if self._ahead is not None:
            stop, after, whole = self._ahead
            self._keepers.progress(max(whole - after - math.dist(latest.position, stop), 0.0), whole)
        health = self.observer.health
        self._keepers.telemetry(
            {
                "time": self._moment(now) if self._listening else self._begin,
                "unix": now,
                "x": latest.position[0],
                "y": latest.position[1],
                "heading": latest.heading,
                "speed": latest.speed,
                "mode": health.mode,
                "armed": health.armed,
                "battery": health.battery,
                "voltage": health.voltage,
                "fix": health.fix_type,
                "satellites": health.satellites,
                "hdop": health.hdop,
                "depth": health.depth,
                "link": self.link.silence,
                "goal": self._steersman.goal,
                "waiting": [pause.message for pause in list(self.guard.pauses.values())],
            }
        )
