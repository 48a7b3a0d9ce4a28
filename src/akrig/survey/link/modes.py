"""Modes by name, for ArduPilot's boats and for autopilots that count modes as PX4 does."""

from pymavlink.dialects.v20 import ardupilotmega as mavlink

ARDUPILOT = {
    entry.name.removeprefix("ROVER_MODE_"): number
    for number, entry in mavlink.enums["ROVER_MODE"].items()
    if not entry.name.endswith("_ENUM_END")
}
# By hand, as pymavlink's own table calls holding LOITER and a mission MISSION; GUIDED is what PX4 calls offboard.
PX4 = {
    "MANUAL": (1, 0),
    "POSITION": (3, 0),
    "HOLD": (4, 3),
    "AUTO": (4, 4),
    "RTL": (4, 5),
    "ACRO": (5, 0),
    "GUIDED": (6, 0),
}
FAILSAFE = ("HOLD", "RTL", "SMART_RTL", "LOITER")  # what a boat chooses by itself when it is in trouble
AT_THE_STICKS = ("MANUAL", "ACRO", "STEERING", "SIMPLE")  # a person steers by hand
STARTING = ("INITIALIZING", "")


class Modes:
    """One autopilot's numbers for modes.

    Args:
        autopilot: MAV_AUTOPILOT of its heartbeat.
    """

    def __init__(self, autopilot: int) -> None:
        self.is_ardupilot = autopilot == mavlink.MAV_AUTOPILOT_ARDUPILOTMEGA
        self._names = (
            {number: name for name, number in ARDUPILOT.items()}
            if self.is_ardupilot
            else {_px4(*pair): name for name, pair in PX4.items()}
        )

    def name(self, custom_mode: int) -> str:
        return self._names.get(custom_mode, f"mode {custom_mode}")

    def parameters(self, name: str) -> tuple[float, float, float]:
        """Of MAV_CMD_DO_SET_MODE."""
        flag = float(mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED)
        if self.is_ardupilot:
            return flag, float(ARDUPILOT[name]), 0.0
        main, sub = PX4[name]
        return flag, float(main), float(sub)


def _px4(main: int, sub: int) -> int:
    return main << 16 | sub << 24
