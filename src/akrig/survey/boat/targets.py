"""SET_POSITION_TARGET_*: where to go, or how fast and which way, in GUIDED; ignored in every other mode."""

from collections.abc import Callable
from math import atan2, hypot, isfinite
from typing import Any

from akrig.survey.boat.autopilot import Autopilot
from akrig.survey.boat.dialect import Mode, mavlink
from akrig.survey.boat.dynamics import Pair
from akrig.survey.boat.guidance import body_to_earth
from akrig.survey.boat.missions import GLOBAL_FRAMES

# One bit of a group is enough: ArduPilot then ignores the whole group, and so do we.
NO_POSITION, NO_VELOCITY, NO_ACCELERATION, NO_YAW, NO_RATE = 0b111, 0b111000, 0b111000000, 1 << 10, 1 << 11
OFFSET_FRAMES = (mavlink.MAV_FRAME_LOCAL_OFFSET_NED,)
BODY_FRAMES = (mavlink.MAV_FRAME_BODY_NED, mavlink.MAV_FRAME_BODY_OFFSET_NED)


def take_global_target(message: Any, autopilot: Autopilot, place_of: Callable[[float, float], Pair | None]) -> None:
    if autopilot.mode is not Mode.GUIDED or message.coordinate_frame not in GLOBAL_FRAMES:
        return
    if not _fits(message, autopilot, "SET_POSITION_TARGET_GLOBAL_INT"):
        return
    if message.type_mask & NO_POSITION:
        _take_course(message, autopilot, turned=0.0)
    elif (place := place_of(message.lat_int / 1e7, message.lon_int / 1e7)) is not None:
        autopilot.go_to(place)


def take_local_target(message: Any, autopilot: Autopilot) -> None:
    navigation, frame = autopilot.navigation, message.coordinate_frame
    known = (mavlink.MAV_FRAME_LOCAL_NED, *OFFSET_FRAMES, *BODY_FRAMES)
    if autopilot.mode is not Mode.GUIDED or navigation.origin is None or frame not in known:
        return
    if not _fits(message, autopilot, "SET_POSITION_TARGET_LOCAL_NED"):
        return
    heading = navigation.heading
    if message.type_mask & NO_POSITION:
        _take_course(message, autopilot, turned=heading if frame in BODY_FRAMES else 0.0)
    elif isfinite(message.x) and isfinite(message.y):
        from_x, from_y = navigation.origin if frame == mavlink.MAV_FRAME_LOCAL_NED else navigation.position
        east, north = message.y, message.x
        if frame in BODY_FRAMES:
            east, north = body_to_earth(message.x, message.y, heading=heading)
        autopilot.go_to((from_x + east, from_y + north))


def _fits(message: Any, autopilot: Autopilot, name: str) -> bool:
    if message.type_mask & NO_ACCELERATION:
        return True
    autopilot.say(f"Ignoring {name}; set ACC_IGNORE in mask")
    return False


def _take_course(message: Any, autopilot: Autopilot, *, turned: float) -> None:
    """Velocity, heading and turn rate, in the combinations that ArduPilot knows.

    Args:
        turned: the boat's heading if the message counts from it, else 0.
    """
    mask = message.type_mask
    no_velocity, no_yaw, no_rate = bool(mask & NO_VELOCITY), bool(mask & NO_YAW), bool(mask & NO_RATE)
    numbers = (message.vx, message.vy, message.yaw, message.yaw_rate)
    if not all(map(isfinite, numbers)) or not (no_yaw or no_rate) or (no_velocity and no_yaw and no_rate):
        return
    speed = 0.0 if no_velocity else min(hypot(message.vx, message.vy), autopilot.parameters["WP_SPEED"])
    if message.vx < 0 and not (no_yaw and no_rate):
        speed = -speed  # with a heading of its own, backwards is backwards
    if not no_rate:
        autopilot.keep_course(speed=speed, rate=message.yaw_rate)
    else:
        heading = message.yaw if not no_yaw else atan2(message.vy, message.vx)
        autopilot.keep_course(speed=speed, heading=heading + turned)
