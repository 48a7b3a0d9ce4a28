"""From MAVLink messages to events: what the boat said, in our units. Nothing is remembered here."""

import math
from collections.abc import Callable
from typing import NamedTuple

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.survey.link.link import AUTOPILOT, Message
from akrig.survey.link.modes import Modes

DOWNWARDS = mavlink.MAV_SENSOR_ROTATION_PITCH_270
POSITION_KNOWN = mavlink.ESTIMATOR_POS_HORIZ_ABS
SONARS = ("DISTANCE_SENSOR", "WATER_DEPTH", "RANGEFINDER")  # if several speak, the first of these is heard

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
SONAR_STREAMS = tuple(getattr(mavlink, f"MAVLINK_MSG_ID_{kind}") for kind in SONARS)


class Heartbeat(NamedTuple):
    modes: Modes
    mode: str
    armed: bool
    critical: bool


class TimeStamp(NamedTuple):
    boot_ms: int
    unix_us: int


class Position(NamedTuple):
    """Degrees; `heading` is counterclockwise from east, `None` if the message has none."""

    boot_ms: int
    longitude: float
    latitude: float
    heading: float | None
    speed: float


class Attitude(NamedTuple):
    boot_ms: int
    heading: float


class GpsStatus(NamedTuple):
    fix_type: int
    satellites: int | None
    hdop: float | None


class PowerStatus(NamedTuple):
    battery: float | None
    voltage: float | None


class FilterStatus(NamedTuple):
    filter_ok: bool


class FenceStatus(NamedTuple):
    is_fence_breached: bool


class Text(NamedTuple):
    text: str


class Target(NamedTuple):
    """As the boat confirms it, in 1e-7 degrees."""

    latitude: int
    longitude: int


class Arrival(NamedTuple):
    """The boat says that it has come to its target."""


class DepthReport(NamedTuple):
    """What a sonar said: metres below the transducer, NaN for nothing, and per cent.

    `source` ranks sonars, best first: by the kind of message, then the autopilot, which passes on what its sonar says,
    then the sonar's number.
    """

    kind: str
    source: tuple[int, bool, int]
    boot_ms: int | None
    depth: float
    confidence: int | None


Event = (
    Heartbeat | TimeStamp | Position | Attitude | GpsStatus | PowerStatus | FilterStatus | FenceStatus | Text | Target
    | Arrival | DepthReport
)  # fmt: skip


def decode(message: Message) -> Event | None:
    """`None` for what says nothing of use."""
    kind = message.get_type()
    # A sonar may speak for itself; in everything else, other components of the boat do not know.
    if kind not in _DECODERS or (message.get_srcComponent() != AUTOPILOT and kind not in SONARS):
        return None
    return _DECODERS[kind](message)


def _heartbeat(message: Message) -> Heartbeat:
    modes = Modes(message.autopilot)
    armed = bool(message.base_mode & mavlink.MAV_MODE_FLAG_SAFETY_ARMED)
    critical = message.system_status in (mavlink.MAV_STATE_CRITICAL, mavlink.MAV_STATE_EMERGENCY)
    return Heartbeat(modes, modes.name(message.custom_mode), armed, critical)


def _position(message: Message) -> Position:
    heading = None if message.hdg == 65_535 else _from_compass(math.radians(message.hdg / 100))
    speed = math.hypot(message.vx, message.vy) / 100
    return Position(message.time_boot_ms, message.lon / 1e7, message.lat / 1e7, heading, speed)


def _from_compass(bearing: float) -> float:
    """Counterclockwise from east, of radians clockwise from north."""
    return math.remainder(math.pi / 2 - bearing, math.tau)


def _gps(message: Message) -> GpsStatus:
    satellites = None if message.satellites_visible == 255 else message.satellites_visible
    return GpsStatus(message.fix_type, satellites, None if message.eph == 65_535 else message.eph / 100)


def _power(message: Message) -> PowerStatus:
    battery = None if message.battery_remaining < 0 else message.battery_remaining / 100
    return PowerStatus(battery, None if message.voltage_battery == 65_535 else message.voltage_battery / 1000)


def _distance_sensor(message: Message) -> DepthReport | None:
    if message.orientation != DOWNWARDS:
        return None
    metres, furthest = message.current_distance / 100, message.max_distance / 100
    if metres < message.min_distance / 100 or metres >= furthest > 0:
        metres = math.nan  # at its limits a rangefinder has seen nothing
    return _depth_report(message, metres, number=message.id, confidence=message.signal_quality or None)  # 0: unknown


def _depth_report(message: Message, metres: float, *, number: int = 0, confidence: int | None = None) -> DepthReport:
    kind, ours = message.get_type(), message.get_srcComponent() == AUTOPILOT
    # RANGEFINDER has no time stamp, and other components count from their own start.
    boot_ms = message.time_boot_ms if ours and kind != "RANGEFINDER" else None
    return DepthReport(kind, (SONARS.index(kind), not ours, number), boot_ms, metres, confidence)


_DECODERS: dict[str, Callable[[Message], Event | None]] = {
    "HEARTBEAT": _heartbeat,
    "SYSTEM_TIME": lambda m: TimeStamp(m.time_boot_ms, m.time_unix_usec),
    "GLOBAL_POSITION_INT": _position,
    "ATTITUDE": lambda m: Attitude(m.time_boot_ms, _from_compass(m.yaw)),
    "GPS_RAW_INT": _gps,
    "SYS_STATUS": _power,
    "EKF_STATUS_REPORT": lambda m: FilterStatus(bool(m.flags & POSITION_KNOWN)),
    "STATUSTEXT": lambda m: Text(m.text),
    "FENCE_STATUS": lambda m: FenceStatus(bool(m.breach_status)),
    "POSITION_TARGET_GLOBAL_INT": lambda m: Target(m.lat_int, m.lon_int),
    "MISSION_ITEM_REACHED": lambda m: Arrival(),
    "DISTANCE_SENSOR": _distance_sensor,
    "RANGEFINDER": lambda m: _depth_report(m, m.distance),
    "WATER_DEPTH": lambda m: _depth_report(m, m.distance if m.healthy else math.nan, number=m.id),
}
