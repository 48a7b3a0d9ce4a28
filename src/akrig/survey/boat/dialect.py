"""ArduPilot Rover's MAVLink 2: its messages and its modes, by its numbers.

Loaded once: pymavlink reads the version from the environment when imported.
"""

import os
from enum import IntEnum

os.environ.setdefault("MAVLINK20", "1")

from pymavlink.dialects.v20 import ardupilotmega as mavlink


class Mode(IntEnum):
    """Those a boat knows here; Rover has more (ACRO, STEERING, FOLLOW, ...), which are refused as if not built in."""

    MANUAL = mavlink.ROVER_MODE_MANUAL
    HOLD = mavlink.ROVER_MODE_HOLD
    LOITER = mavlink.ROVER_MODE_LOITER
    AUTO = mavlink.ROVER_MODE_AUTO
    RTL = mavlink.ROVER_MODE_RTL
    GUIDED = mavlink.ROVER_MODE_GUIDED
    INITIALIZING = mavlink.ROVER_MODE_INITIALIZING

    @property
    def steers_itself(self) -> bool:
        """What MAVLink's heartbeat calls guided; for that the boat must know where it is."""
        return self in (Mode.LOITER, Mode.AUTO, Mode.RTL, Mode.GUIDED)


def constants(prefix: str, *names: str) -> tuple[int, ...]:
    """Of MAVLink, by what their names have in common and what not."""
    return tuple(getattr(mavlink, f"{prefix}_{name}") for name in names)


def find_mode(number: float) -> Mode | None:
    """`None` for what a ground station cannot ask for."""
    try:
        mode = Mode(int(number))
    except (ValueError, OverflowError):
        return None
    return None if mode is Mode.INITIALIZING else mode
