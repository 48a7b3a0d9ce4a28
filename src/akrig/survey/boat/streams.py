"""Which messages are sent how often; nothing but the heartbeat until someone asks."""

from collections.abc import Collection, Iterable
from functools import partial

from akrig.survey.boat.dialect import constants, mavlink

HEARTBEAT = mavlink.MAVLINK_MSG_ID_HEARTBEAT
_numbers = partial(constants, "MAVLINK_MSG_ID")
# What ArduPilot puts into the groups of REQUEST_DATA_STREAM, as far as this boat has it.
GROUPS: dict[int, tuple[int, ...]] = {
    mavlink.MAV_DATA_STREAM_EXTENDED_STATUS: _numbers(
        "SYS_STATUS", "MISSION_CURRENT", "GPS_RAW_INT", "NAV_CONTROLLER_OUTPUT", "POSITION_TARGET_GLOBAL_INT"
    ),
    mavlink.MAV_DATA_STREAM_POSITION: _numbers("GLOBAL_POSITION_INT", "LOCAL_POSITION_NED"),
    mavlink.MAV_DATA_STREAM_EXTRA1: _numbers("ATTITUDE"),
    mavlink.MAV_DATA_STREAM_EXTRA2: _numbers("VFR_HUD"),
    mavlink.MAV_DATA_STREAM_EXTRA3: _numbers(
        "RANGEFINDER", "DISTANCE_SENSOR", "SYSTEM_TIME", "WATER_DEPTH", "BATTERY_STATUS", "EKF_STATUS_REPORT"
    ),
}


class MessageRates:
    """Intervals by message number, and when each is due next; in seconds since boot."""

    def __init__(self, known: Collection[int]) -> None:
        self._known = frozenset(known)
        self._due: dict[int, float] = {HEARTBEAT: 0.0}
        self._intervals: dict[int, float] = {HEARTBEAT: 1.0}

    def interval(self, number: int) -> float | None:
        return self._intervals.get(number)

    def set(self, number: int, interval: float, time: float) -> bool:
        """Whether there is such a message; an interval of 0 or less stops it, the heartbeat's stays."""
        if number not in self._known:
            return False
        if number == HEARTBEAT:
            return True
        if interval <= 0:
            self._intervals.pop(number, None)
            self._due.pop(number, None)
        else:
            self._intervals[number] = interval
            self._due[number] = min(self._due.get(number, time), time)
        return True

    def set_group(self, group: int, rate: float, time: float) -> None:
        """`rate` in messages per second, 0 stops them; group 0 is all."""
        groups: Iterable[tuple[int, ...]] = GROUPS.values() if group == 0 else (GROUPS.get(group, ()),)
        for numbers in groups:
            for number in numbers:
                self.set(number, 1 / rate if rate > 0 else 0.0, time)

    def due(self, time: float) -> list[int]:
        """Those to be sent now, at most once each."""
        now = [number for number, at in self._due.items() if at <= time + 1e-9]
        for number in now:
            self._due[number] = max(self._due[number] + self._intervals[number], time)
        return now
