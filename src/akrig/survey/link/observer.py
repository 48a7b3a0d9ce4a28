"""What the boat's messages mean: its clock, its health, its track, and the sonar's pings."""

import math
import time
from collections.abc import Callable

import numpy as np
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.frame import LocalFrame
from akrig.survey.link.clock import BoatClock
from akrig.survey.link.failsafe import FailsafeLog
from akrig.survey.link.link import Message
from akrig.survey.link.modes import Modes
from akrig.survey.link.soundings import Ping
from akrig.survey.link.state import Fix, Health, Track

DOWNWARDS = 25  # MAV_SENSOR_ROTATION_PITCH_270
POSITION_KNOWN = mavlink.ESTIMATOR_POS_HORIZ_ABS
AUTOPILOT = mavlink.MAV_COMP_ID_AUTOPILOT1
RANKED = ("DISTANCE_SENSOR", "WATER_DEPTH", "RANGEFINDER")  # if several speak, the first of these is heard
SECONDS_BEFORE_FALLING_BACK = 10.0

# Messages to ask for, times per second; the sonar's come on top.
STREAMS = {
    mavlink.MAVLINK_MSG_ID_GLOBAL_POSITION_INT: 5.0,
    mavlink.MAVLINK_MSG_ID_ATTITUDE: 5.0,
    mavlink.MAVLINK_MSG_ID_GPS_RAW_INT: 2.0,
    mavlink.MAVLINK_MSG_ID_SYS_STATUS: 1.0,
    mavlink.MAVLINK_MSG_ID_SYSTEM_TIME: 1.0,
    mavlink.MAVLINK_MSG_ID_EKF_STATUS_REPORT: 1.0,
    mavlink.MAVLINK_MSG_ID_POSITION_TARGET_GLOBAL_INT: 1.0,
    mavlink.MAVLINK_MSG_ID_FENCE_STATUS: 2.0,
}
SONAR_STREAMS = {
    "DISTANCE_SENSOR": mavlink.MAVLINK_MSG_ID_DISTANCE_SENSOR,
    "RANGEFINDER": mavlink.MAVLINK_MSG_ID_RANGEFINDER,
    "WATER_DEPTH": mavlink.MAVLINK_MSG_ID_WATER_DEPTH,
}


class Observer:
    """Hears every message, in the link's thread.

    Args:
        source: the message with the depth, "auto" for the best that comes, or "" if the sonar is not on this link.
        ping: called with every ping.
        max_hdop: a coarser position is not trusted.
    """

    def __init__(
        self, frame: LocalFrame, *, source: str, ping: Callable[[Ping], None], max_hdop: float, clock: BoatClock
    ) -> None:
        self.clock, self.health, self.track, self.failsafes = clock, Health(), Track(), FailsafeLog()
        self.modes: Modes | None = None
        self.target: tuple[int, int] | None = None  # as the boat confirms it, in 1e-7 degrees
        self.arrivals = 0
        self.pinged_at = math.nan  # unix seconds, by the boat's clock
        self._frame, self._source, self._ping, self._max_hdop = frame, source, ping, max_hdop
        self._yaw: float | None = None
        self._spoke: dict[tuple[int, bool, int], float] = {}
        self._hear = {
            "HEARTBEAT": self._heartbeat,
            "SYSTEM_TIME": lambda m: self.clock.hear(m.time_boot_ms, m.time_unix_usec),
            "GLOBAL_POSITION_INT": self._position,
            "ATTITUDE": self._attitude,
            "GPS_RAW_INT": self._gps,
            "SYS_STATUS": self._status,
            "EKF_STATUS_REPORT": self._filter,
            "STATUSTEXT": self._text,
            "FENCE_STATUS": self._fence,
            "POSITION_TARGET_GLOBAL_INT": self._target,
            "MISSION_ITEM_REACHED": self._arrival,
            "DISTANCE_SENSOR": self._distance_sensor,
            "RANGEFINDER": lambda m: self._depth(m, m.distance),
            "WATER_DEPTH": lambda m: self._depth(m, m.distance if m.healthy else math.nan, number=m.id),
        }
        self._heard_at: dict[str, float] = {}

    def hear(self, message: Message) -> None:
        kind = message.get_type()
        meaning = self._hear.get(kind)
        # A sonar may speak for itself; in everything else, other components of the boat do not know.
        if meaning is not None and (message.get_srcComponent() == AUTOPILOT or kind in RANKED):
            self._heard_at[kind] = time.monotonic()
            meaning(message)

    def silence(self, kind: str) -> float:
        """Seconds on this computer's clock since such a message came."""
        return time.monotonic() - self._heard_at.get(kind, -math.inf)

    def forget_position(self) -> None:
        """After a restart: what was known of GPS and filter is no longer true."""
        self.health.fix_type = self.health.hdop = self.health.filter_ok = self.target = None

    def _heartbeat(self, message: Message) -> None:
        if self.modes is None:
            self.modes = Modes(message.autopilot)
        self.health.mode = self.modes.name(message.custom_mode)
        self.health.armed = bool(message.base_mode & mavlink.MAV_MODE_FLAG_SAFETY_ARMED)
        self.health.critical = message.system_status in (mavlink.MAV_STATE_CRITICAL, mavlink.MAV_STATE_EMERGENCY)

    def _position(self, message: Message) -> None:
        moment = self.clock.hear(message.time_boot_ms)
        if message.lat == 0 and message.lon == 0:
            return  # no position yet
        (x, y) = self._frame.to_metres(np.array([[message.lon / 1e7, message.lat / 1e7]]))[0].tolist()
        if not math.isfinite(x + y):
            return  # on the other side of the Earth
        heading = self._heading(message)
        speed = math.hypot(message.vx, message.vy) / 100
        trusted = self.health.gps_trouble(self._max_hdop) is None
        self.track.add(Fix(moment, (x, y), heading, speed, trusted))

    def _heading(self, message: Message) -> float:
        """Counterclockwise from east, of a compass heading."""
        if message.hdg != 65_535:
            return math.remainder(math.pi / 2 - math.radians(message.hdg / 100), math.tau)
        return 0.0 if self._yaw is None else math.remainder(math.pi / 2 - self._yaw, math.tau)

    def _attitude(self, message: Message) -> None:
        self.clock.hear(message.time_boot_ms)
        self._yaw = message.yaw

    def _gps(self, message: Message) -> None:
        self.health.fix_type = message.fix_type
        self.health.satellites = None if message.satellites_visible == 255 else message.satellites_visible
        self.health.hdop = None if message.eph == 65_535 else message.eph / 100

    def _status(self, message: Message) -> None:
        self.health.battery = None if message.battery_remaining < 0 else message.battery_remaining / 100
        self.health.voltage = None if message.voltage_battery == 65_535 else message.voltage_battery / 1000

    def _fence(self, message: Message) -> None:
        self.health.is_fence_breached = bool(message.breach_status)

    def _text(self, message: Message) -> None:
        self.health.texts.append(message.text)
        self.failsafes.hear(message.text, self.clock.heard)

    def _filter(self, message: Message) -> None:
        self.health.filter_ok = bool(message.flags & POSITION_KNOWN)

    def _target(self, message: Message) -> None:
        self.target = (message.lat_int, message.lon_int)

    def _arrival(self, message: Message) -> None:
        self.arrivals += 1

    def _distance_sensor(self, message: Message) -> None:
        if message.orientation != DOWNWARDS:
            return
        metres, furthest = message.current_distance / 100, message.max_distance / 100
        if metres < message.min_distance / 100 or metres >= furthest > 0:
            metres = math.nan  # at its limits a rangefinder has seen nothing
        self._depth(message, metres, number=message.id, confidence=message.signal_quality or None)  # 0: unknown

    def _depth(self, message: Message, metres: float, *, number: int = 0, confidence: int | None = None) -> None:
        kind, ours = message.get_type(), message.get_srcComponent() == AUTOPILOT
        # RANGEFINDER has no time stamp, and other components count from their own start.
        stamped = ours and kind != "RANGEFINDER"
        moment = self.clock.hear(message.time_boot_ms) if stamped else self.clock.now
        speaker = RANKED.index(kind), not ours, number
        if self._source in (kind, "auto") and self._is_best(speaker):
            self.ping(Ping(moment, metres, confidence))

    def ping(self, ping: Ping) -> None:
        self.pinged_at = self.clock.heard
        self.health.depth = ping.depth if math.isfinite(ping.depth) else None
        self._ping(ping)

    def _is_best(self, speaker: tuple[int, bool, int]) -> bool:
        """Does nobody better speak of the depth these days?

        By the kind of message, then the autopilot, which passes on what its sonar says, then the sonar's number: two
        that look down hang at different places, and would make a step of every other sounding.
        """
        now = time.monotonic()
        self._spoke[speaker] = now
        return not any(other < speaker and now - at <= SECONDS_BEFORE_FALLING_BACK for other, at in self._spoke.items())
