"""A boat with an autopilot as a vehicle of the mission: line 7 of Algorithm 1, on real water."""

import math
import queue
import time
from collections.abc import Iterator, Sequence
from typing import Any

from akrig.errors import BoatRefused
from akrig.geo import Area
from akrig.geometry import Pose
from akrig.types import Measurement, Plan
from akrig.vehicles.mavlink.alarms import Ending, Level, Limits
from akrig.vehicles.mavlink.clock import BoatClock
from akrig.vehicles.mavlink.guard import Guard
from akrig.vehicles.mavlink.helm import Helm
from akrig.vehicles.mavlink.leg import Leg
from akrig.vehicles.mavlink.link import Link
from akrig.vehicles.mavlink.manner import Keepers, Manner
from akrig.vehicles.mavlink.nmea import NmeaDepths
from akrig.vehicles.mavlink.observer import Observer
from akrig.vehicles.mavlink.orders import Desk
from akrig.vehicles.mavlink.soundings import Mounting, Ping, Plausible, Sounder, Sounding
from akrig.vehicles.mavlink.waterlevel import WaterLevel

SECONDS_BETWEEN_LOOKS = 0.2  # boat seconds
SECONDS_BETWEEN_TELEMETRY = 1.0  # boat seconds


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
        manner: Manner,
        limits: Limits,
        plausible: Plausible,
        mounting: Mounting,
        level: WaterLevel | None = None,
        keepers: Keepers,
        begin: float = 0.0,
    ) -> None:
        self._area, self._manner, self._limits, self._keepers = area, manner, limits, keepers
        self._begin, self._unix_begin = begin, math.nan
        self.level = level
        nmea = manner.source.partition(":")[2] if manner.source.startswith("nmea:") else ""
        self._nmea = NmeaDepths(nmea) if nmea else None
        self._clock = BoatClock()
        source = "" if self._nmea else manner.source
        self.observer = Observer(
            area.frame, source=source, ping=self._hear_ping, max_hdop=limits.max_hdop, clock=self._clock
        )
        self.link = Link(
            address, system=system, hear=self._hear, tick=self._tick, tell=lambda s: self.tell("warning", s)
        )
        self.guard = Guard(area, self.observer, self.link, limits=limits, tell=self.tell)
        self.helm = Helm(
            self.link, self.observer, self.guard,
            frame=area.frame, rate=manner.rate, speed=manner.speed, ready=manner.ready,
        )  # fmt: skip
        self.desk = Desk(keepers.mailbox, area, self.observer, self.guard, margin=limits.margin)
        self._sounder = Sounder(
            self.observer.track, plausible=plausible, mounting=mounting, level=level,
            trouble=lambda: self.observer.health.gps_trouble(limits.max_hdop), keep=self._keep,
        )  # fmt: skip
        self._readings: queue.SimpleQueue[Measurement] = queue.SimpleQueue()
        self._last_used: tuple[float, float] | None = None
        self._telemetry_at = -math.inf
        self._listening = False

    # -- a vehicle -------------------------------------------------------------------------------------------------

    @property
    def pose(self) -> Pose:
        latest = self.observer.track.latest
        if latest is None:
            raise BoatRefused("The boat has not told its position yet.")
        return Pose(latest.position, latest.heading)

    @property
    def clock(self) -> float:
        return self._begin + (self._clock.now - self._unix_begin if self._listening else 0.0)

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
        for waypoint in plan.waypoints.tolist():
            yield from self._go((waypoint[0], waypoint[1]))
            if self._is_over:
                break
        yield from self._drained()

    def distance_to(self, place: tuple[float, float]) -> float:
        return math.dist(self.pose.position, place)

    # -- beginning and end -----------------------------------------------------------------------------------------

    def connect(self) -> None:
        """Opens the link and waits for a position; the boat is not touched yet."""
        self.link.start()
        if self._nmea is not None:
            self._nmea.start()
        self.helm.connect(self._manner.connect)
        self.helm.await_position(self._manner.ready)
        self._unix_begin, self._listening = self._clock.now, True

    def take_up(self, readings: Sequence[Measurement]) -> None:
        """Soundings of an earlier stretch that the mission has not had; they come first, at the usual spacing."""
        for reading in readings:
            x, y = reading.position
            self._offer((x, y), reading)

    def engage(self) -> None:
        """From now on akrig steers."""
        self.helm.engage()
        self.guard.take_charge()

    def rest(self, *, disarm: bool) -> None:
        """The last order: keep the place, or motors off. Never while somebody else steers."""
        if "pilot" not in self.guard.pauses and "link" not in self.guard.pauses:
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

    # -- steering, in the mission's thread -------------------------------------------------------------------------

    def _go(self, goal: tuple[float, float]) -> Iterator[Measurement]:
        skips = self.desk.skips
        while not self._is_over and self.desk.skips == skips:
            detour = self.desk.detours[0] if self.desk.detours else None
            arrived = yield from self._towards(detour or goal, skips)
            if detour is not None and self.desk.detours and self.desk.detours[0] == detour:
                self.desk.detours.pop(0)
            elif arrived is not None:
                return

    def _towards(self, goal: tuple[float, float], skips: int) -> Iterator[Measurement]:
        """Along the allowed way; returns whether it arrived, `None` if a detour came between."""
        route = self._area.route(self.pose.position, goal, margin=self._limits.margin)
        if route is None:
            self.tell("warning", f"There is no way to ({goal[0]:.0f}, {goal[1]:.0f}) inside the fence: it is left out.")
            return False
        for place in route.tolist():
            leg = Leg((place[0], place[1]), self._radius, patience=self._manner.stuck)
            while not leg.has_arrived(self.pose.position, self.observer.arrivals):
                yield from self._drained()
                self._raise_failure()
                if self._is_over or self.desk.skips != skips:
                    return False
                if self.desk.detours and self.desk.detours[0] != goal:
                    return None
                self._steer(leg)
        return True

    def _steer(self, leg: "Leg") -> None:
        if not self.guard.is_clear and self.ending is None:
            leg.wait()
        elif self.guard.must_engage:
            self._take_up_again()
        else:
            self.helm.steer(leg.goal)
            if leg.is_stuck(self._clock.now):
                self.guard.pause(
                    "stuck",
                    f"The boat has not come nearer to its waypoint for {leg.patience:.0f} s: it is stopped. "
                    "Look for weeds in the thrusters, then say `resume` or `return`.",
                )
                self.guard.hold()
        time.sleep(max(SECONDS_BETWEEN_LOOKS / self.link.speedup, 0.002))

    def _take_up_again(self) -> None:
        try:
            self.helm.engage()
        except BoatRefused as error:
            if self.guard.is_clear:
                self.guard.pause("pilot", str(error))

    @property
    def _radius(self) -> float:
        return self._manner.goal_radius

    @property
    def _is_over(self) -> bool:
        return self.ending is not None

    def _raise_failure(self) -> None:
        if self.link.failure is not None:
            self.guard.hold()
            raise self.link.failure

    def _drained(self) -> Iterator[Measurement]:
        while not self._readings.empty():
            yield self._readings.get()

    # -- listening, in the link's thread ---------------------------------------------------------------------------

    def _hear(self, message: Any) -> None:
        self.observer.hear(message)
        if message.get_type() == "GLOBAL_POSITION_INT":
            self._sounder.match(self._clock.now)

    def _tick(self) -> None:
        if self._nmea is not None:
            while not self._nmea.heard.empty():
                at, depth = self._nmea.heard.get()
                self.observer.ping(Ping(self._clock.now - (time.monotonic() - at) * self.link.speedup, depth))
        self.guard.tick()
        self.helm.keep_streams()
        if self._listening:
            self._sounder.match(self._clock.now)
            self.desk.tick(self.link.speedup)
            self._report()

    def _hear_ping(self, ping: Ping) -> None:
        if self._listening:
            self._sounder.hear(ping)

    def _keep(self, sounding: Sounding) -> None:
        moment = self._begin + sounding.time - self._unix_begin
        self._keepers.sounding(sounding, moment)
        place = sounding.position
        if sounding.reason is not None or place is None:
            return
        self._offer(place, Measurement(moment, place, sounding.depth))

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
        health = self.observer.health
        self._keepers.telemetry(
            {
                "time": self.clock,
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
                "waiting": [pause.message for pause in list(self.guard.pauses.values())],
            }
        )
