"""When the autopilot acts on its own: ground station silent, battery low, navigation lost."""

from akrig.boat.battery import Battery
from akrig.boat.modes import Mode
from akrig.boat.navigation import Navigation
from akrig.boat.parameters import Parameters

ACTIVE_IN_HOLD = 1  # a bit of FS_OPTIONS
CONTINUE_IN_AUTO = 2  # a value of FS_GCS_ENABLE
EKF_PATIENCE = 1.0  # seconds
# By the numbers of FS_ACTION; there is no SmartRTL on board, so its fallbacks count.
ACTIONS: dict[int, tuple[Mode, ...]] = {
    0: (),
    1: (Mode.RTL, Mode.HOLD),
    2: (Mode.HOLD,),
    3: (Mode.RTL, Mode.HOLD),
    4: (Mode.HOLD,),
}


class GroundStationWatch:
    """Trips when the ground station was heard once and then not for FS_GCS_TIMEOUT, plus FS_TIMEOUT."""

    def __init__(self) -> None:
        self.last_heard: float | None = None
        self._silent_since: float | None = None
        self.is_tripped = False

    def check(self, time: float, parameters: Parameters, mode: Mode) -> bool | None:
        """True when it trips, False when it clears, `None` when nothing changes."""
        if not parameters["FS_GCS_ENABLE"] or self.last_heard is None:
            return None
        if time - self.last_heard < parameters["FS_GCS_TIMEOUT"]:
            self._silent_since = None
            if not self.is_tripped:
                return None
            self.is_tripped = False
            return False
        if self._silent_since is None:
            self._silent_since = time
        in_hold = mode is Mode.HOLD and not int(parameters["FS_OPTIONS"]) & ACTIVE_IN_HOLD
        patient = time - self._silent_since <= parameters["FS_TIMEOUT"]
        if self.is_tripped or patient or mode is Mode.RTL or in_hold:
            return None
        self.is_tripped = True
        return True


class BatteryWatch:
    """Trips once per level, when the voltage was below it for BATT_LOW_TIMER seconds; only a reboot clears it."""

    def __init__(self) -> None:
        self._below_since: dict[str, float] = {}
        self.level: str | None = None

    def check(self, time: float, parameters: Parameters, battery: Battery) -> str | None:
        """The level that trips now: "low" or "critical"."""
        for level, limit in (("critical", "BATT_CRT_VOLT"), ("low", "BATT_LOW_VOLT")):
            if battery.voltage >= parameters[limit]:
                self._below_since.pop(level, None)
                continue
            since = self._below_since.setdefault(level, time)
            if time - since >= parameters["BATT_LOW_TIMER"] and self.level not in (level, "critical"):
                self.level = level
                return level
        return None


class EkfWatch:
    """Trips when the armed boat no longer knows where it is for a second."""

    def __init__(self) -> None:
        self._bad_since: float | None = None
        self._was_good = False
        self.is_tripped = False

    def check(self, time: float, parameters: Parameters, navigation: Navigation, *, armed: bool) -> bool | None:
        """True when it trips, False when it clears, `None` when nothing changes."""
        good = navigation.has_position
        if not armed or parameters["FS_EKF_THRESH"] <= 0 or good:
            self._was_good = armed and (self._was_good or good)
            self._bad_since = None
            changed, self.is_tripped = self.is_tripped, False
            return False if changed else None
        if self._bad_since is None:
            self._bad_since = time
        if self.is_tripped or not self._was_good or time - self._bad_since < EKF_PATIENCE:
            return None
        self.is_tripped = True
        return True
