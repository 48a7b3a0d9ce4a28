"""A boat with an autopilot as a vehicle of the mission: line 7 of Algorithm 1, on real water.

What the boat says goes one way, in the link's thread: `decode` makes events of messages, `BoatState` takes them in and
tells pings, `Sounder` makes soundings of pings, `MissionReadings` writes them down and offers them to the mission; the
`Guard` looks at the state many times a second. What akrig wants goes the other way, in the mission's thread:
`Steering` decides, `Helm` sends.
"""

import math
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise

from akrig.config.survey import SurveySettings
from akrig.errors import BoatRefused, Interrupted
from akrig.geometry import Pose
from akrig.survey.area import Area
from akrig.survey.link.alarms import Ending, Level
from akrig.survey.link.clock import MissionClock
from akrig.survey.link.decoding import Position, decode
from akrig.survey.link.guard import Guard
from akrig.survey.link.helm import Helm
from akrig.survey.link.inspection import Inspector
from akrig.survey.link.link import Link, Message
from akrig.survey.link.nmea import NmeaDepths
from akrig.survey.link.orders import OrderQueue
from akrig.survey.link.readings import MissionReadings, Recorders
from akrig.survey.link.soundings import Ping, Sounder, Sounding
from akrig.survey.link.state import BoatState
from akrig.survey.link.steering import Steering
from akrig.survey.link.turning import TurningCircle
from akrig.survey.link.waterlevel import WaterLevel
from akrig.types import Measurement, Plan

SECONDS_BETWEEN_TELEMETRY = 1.0  # boat seconds


class MavlinkVehicle:
    """Follows plans in GUIDED mode, inside its area.

    Args:
        speed: metres per second.
        level: of the water, if depths are to be those below a datum.
        begin: seconds that the mission has lasted already.
        last_id: of the soundings that were written down already.
    """

    def __init__(
        self,
        area: Area,
        settings: SurveySettings,
        *,
        speed: float,
        level: WaterLevel | None = None,
        recorders: Recorders,
        begin: float = 0.0,
        last_id: int = 0,
    ) -> None:
        safety, depth = settings.safety, settings.depth
        self._area, self._settings, self._recorders, self.level = area, settings, recorders, level
        nmea = depth.source.partition(":")[2] if depth.source.startswith("nmea:") else ""
        self._nmea = NmeaDepths(nmea) if nmea else None
        self.boat_state = state = BoatState(
            area.frame, source="" if self._nmea else depth.source, max_hdop=depth.max_hdop
        )
        self._clock = MissionClock(state.clock, begin=begin)
        self.link = Link(
            settings.link.address, system=settings.link.system, id=settings.link.id,
            hear=self._hear, tick=self._tick, tell=lambda sentence: self.tell("warning", sentence),
        )  # fmt: skip
        self.link.is_station = False
        self.inspector = Inspector(self.link)
        self.guard = Guard(area, state, self.link, safety=safety, link_timeout=settings.link.timeout, tell=self.tell)
        self.helm = Helm(
            self.link, state, self.guard,
            frame=area.frame, rate=depth.rate, speed=speed, ready=settings.link.ready, tell=self.tell,
        )  # fmt: skip
        self.orders = OrderQueue(recorders.mailbox, area, state, self.guard, margin=safety.margin)
        self._sounder, self._rehearsal = (Sounder(state.track, depth, level=level) for _ in range(2))
        self.sounding: Sounding | None = None  # the last before the survey listens, accepted if one was
        self._readings = MissionReadings(self._clock, spacing=depth.spacing, last_id=last_id, write=recorders.sounding)
        self.turning = TurningCircle(safety.turning_radius)
        self._steering = Steering(
            area, state, self.link, guard=self.guard, helm=self.helm, orders=self.orders, safety=safety,
            turning=self.turning, readings=self._readings, clock=self._clock, tell=self.tell,
        )  # fmt: skip
        self._telemetry_at = -math.inf
        self._ahead: tuple[tuple[float, float], float, float] | None = None  # next stop, metres after it, metres in all

    # -- a vehicle -------------------------------------------------------------------------------------------------

    @property
    def pose(self) -> Pose:
        latest = self.boat_state.track.latest
        if latest is None:
            raise BoatRefused("The boat has not told its position yet.")
        return Pose(latest.position, latest.heading)

    @property
    def clock(self) -> float:
        return self._clock.now

    @property
    def now(self) -> float:
        """Unix seconds, by the boat's clock."""
        return self.boat_state.clock.now

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
            yield from self._steering.go(stop)
            if self.ending is not None:
                break
            self._recorders.reached(number, self.clock)
        self._ahead = None
        yield from self._readings.taken()

    def distance_to(self, place: tuple[float, float]) -> float:
        return math.dist(self.pose.position, place)

    # -- beginning and end -----------------------------------------------------------------------------------------

    def meet(self) -> None:
        """Opens the link and waits until the boat is heard; it is asked for its streams, and given no order."""
        self._warm_up()
        self.link.start()
        if self._nmea is not None:
            self._nmea.start()
        self.helm.connect(self._settings.link.connect)
        if self.guard.battery.volts is None:
            self.guard.battery.volts = self.link.parameter("BATT_LOW_VOLT") or None

    def connect(self) -> None:
        """Meets the boat and waits for a position; the boat is not touched yet."""
        self.meet()
        self.helm.await_position(self._settings.link.ready)

    def take_up(self, readings: Sequence[Measurement]) -> None:
        """Soundings of an earlier stretch that the mission has not had; they come first, at the usual spacing."""
        for reading in readings:
            self._readings.offer(reading)

    def engage(self) -> None:
        """From now on akrig listens to the sonar, and steers; before this the boat is given no order."""
        if self.guard.ending is not None:
            raise Interrupted(self.guard.ending.reason)
        self._clock.start()
        self.link.is_station = True  # from now on the boat acts when akrig is lost
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
        self._recorders.notice(level, message, self.clock, self.now)

    def _warm_up(self) -> None:
        """Shapes build their indexes when first asked: that must not happen in two threads at once."""
        x, y = self._area.water.representative_point().coords[0]
        self.guard.border.clearance((x, y))
        for margin in (0.0, self._settings.safety.margin):
            self._area.allows_leg((x, y), (x, y), margin=margin)
            self._area.route((x, y), (x, y), margin=margin)

    # -- listening, in the link's thread ---------------------------------------------------------------------------

    def _hear(self, message: Message) -> None:
        event = decode(message)
        ping = None if event is None else self.boat_state.update(event)
        if ping is not None:
            self._take(ping)
        self.inspector.hear(message)
        if isinstance(event, Position):
            self._sound()

    def _tick(self) -> None:
        self.guard.tick()
        self.helm.keep_streams()
        while self._nmea is not None and not self._nmea.heard.empty():
            at, depth = self._nmea.heard.get()
            self._take(self.boat_state.note(Ping(self.now - (time.monotonic() - at) * self.link.speedup, depth)))
        self._sound()
        if self._clock.is_running:
            self.orders.tick(self.link.speedup)
            self._report()

    def _take(self, ping: Ping) -> None:
        sounder = self._sounder if self._clock.is_running else self._rehearsal
        sounder.hear(ping, trouble=self.boat_state.gps_trouble)

    def _sound(self) -> None:
        for sounding in self._rehearsal.soundings(self.now):
            if sounding.reason is None or self.sounding is None or self.sounding.reason is not None:
                self.sounding = sounding
        for sounding in self._sounder.soundings(self.now):
            self._readings.add(sounding)
            self.guard.sonar.judge(sounding.reason)

    def _report(self) -> None:
        now, latest = self.now, self.boat_state.track.latest
        if now - self._telemetry_at < SECONDS_BETWEEN_TELEMETRY or latest is None:
            return
        self._telemetry_at = now
        if self._ahead is not None:
            stop, after, whole = self._ahead
            self._recorders.progress(max(whole - after - math.dist(latest.position, stop), 0.0), whole)
        health = self.boat_state.health
        self._recorders.telemetry(
            {
                "time": self._clock.moment(now),
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
                "goal": self._steering.goal,
                "waiting": [pause.message for pause in list(self.guard.pauses.values())],
            }
        )
