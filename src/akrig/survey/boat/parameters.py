"""The autopilot's parameters, by ArduPilot's names; they outlive a reboot."""

import math
import struct
from collections.abc import Iterator, Mapping

INT8, INT16, INT32, REAL32 = 2, 4, 6, 9  # MAV_PARAM_TYPE

# name: (value, type)
DEFAULTS: dict[str, tuple[float, int]] = {
    "ARMING_CHECK": (1, INT32),
    "ARMING_NEED_LOC": (0, INT8),
    "ARMING_REQUIRE": (1, INT8),
    "ARMING_SKIPCHK": (0, INT32),
    "ATC_ACCEL_MAX": (0.5, REAL32),
    "ATC_STR_RAT_MAX": (60, REAL32),
    "BATT_ARM_VOLT": (0, REAL32),
    "BATT_CAPACITY": (30000, INT32),
    "BATT_CRT_VOLT": (0, REAL32),
    "BATT_FS_CRT_ACT": (0, INT8),
    "BATT_FS_LOW_ACT": (0, INT8),
    "BATT_LOW_MAH": (0, REAL32),
    "BATT_LOW_TIMER": (10, INT8),
    "BATT_LOW_VOLT": (13.8, REAL32),
    "BATT_MONITOR": (4, INT8),
    "CRUISE_SPEED": (1.5, REAL32),
    "CRUISE_THROTTLE": (60, INT8),
    "FENCE_ACTION": (1, INT8),
    "FENCE_ENABLE": (0, INT8),
    "FRAME_CLASS": (2, INT8),
    "FS_ACTION": (6, INT8),
    "FS_EKF_ACTION": (1, INT8),
    "FS_EKF_THRESH": (0.8, REAL32),
    "FS_GCS_ENABLE": (1, INT8),
    "FS_GCS_TIMEOUT": (5, REAL32),
    "FS_OPTIONS": (0, INT32),
    "FS_THR_ENABLE": (0, INT8),
    "FS_TIMEOUT": (5, REAL32),
    "GUID_TIMEOUT": (3, REAL32),
    "INITIAL_MODE": (0, INT8),
    "LOIT_RADIUS": (2, REAL32),
    "LOIT_SPEED_GAIN": (0.5, REAL32),
    "LOIT_TYPE": (0, INT8),
    "MAV_GCS_SYSID": (255, INT16),
    "MAV_SYSID": (1, INT16),
    "MIS_DONE_BEHAVE": (0, INT8),
    "MIS_RESTART": (0, INT8),
    "MIS_TOTAL": (0, INT16),
    "RC_OVERRIDE_TIME": (3, REAL32),
    "RNGFND1_MAX": (100, REAL32),
    "RNGFND1_MIN": (0.3, REAL32),
    "RNGFND1_ORIENT": (25, INT8),
    "RNGFND1_TYPE": (23, INT8),
    "RTL_SPEED": (0, REAL32),
    "SIM_SPEEDUP": (1, REAL32),
    "SYSID_MYGCS": (255, INT16),
    "SYSID_THISMAV": (1, INT16),
    "TURN_RADIUS": (0.9, REAL32),
    "WP_ACCEL": (0, REAL32),
    "WP_PIVOT_ANGLE": (60, INT16),
    "WP_RADIUS": (2, REAL32),
    "WP_SPEED": (1.5, REAL32),
}
# ArduPilot 4.7 has new names for two old parameters; both are here, and mean the same.
_TWINS = {"SYSID_THISMAV": "MAV_SYSID", "SYSID_MYGCS": "MAV_GCS_SYSID"}
TWINS = {**_TWINS, **{new: old for old, new in _TWINS.items()}}
LARGEST_REAL32 = 3.4e38  # that fits into four bytes
_WHOLE = {INT8: 2**7, INT16: 2**15, INT32: 2**31}


class Parameters:
    """Numbers by name, rounded as the wire rounds them."""

    def __init__(self, changes: Mapping[str, float]) -> None:
        self._values = {name: _as_sent(value, kind) for name, (value, kind) in DEFAULTS.items()}
        self.names = sorted(self._values)
        self._places = {name: place for place, name in enumerate(self.names)}
        for name, value in changes.items():
            if not self.set(name, value):
                known = ", ".join(self.names)
                raise ValueError(f"The boat has no parameter {name}, or it cannot be {value:g}; it has {known}.")

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def kind(self, name: str) -> int:
        return DEFAULTS[name][1]

    def place(self, name: str) -> int:
        """Its number in the list of all."""
        return self._places[name]

    def set(self, name: str, value: float) -> bool:
        """Whether there is such a parameter and it may be that."""
        if name not in self._values or not math.isfinite(value):
            return False
        limit = _WHOLE.get(self.kind(name), LARGEST_REAL32)
        if not -limit <= value < limit or (name == "SIM_SPEEDUP" and not 0.01 <= value <= 1000):
            return False
        self._values[name] = _as_sent(value, self.kind(name))
        if name in TWINS:
            self._values[TWINS[name]] = self._values[name]
        return True


def _as_sent(value: float, kind: int) -> float:
    """Whole, or as exact as the four bytes of a parameter message."""
    return struct.unpack("<f", struct.pack("<f", value))[0] if kind == REAL32 else float(round(value))
