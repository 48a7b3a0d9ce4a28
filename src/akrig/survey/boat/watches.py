"""What the autopilot keeps an eye on: the ground station's heartbeat, the battery's volts, and its own position."""

from akrig.survey.boat.battery import Battery
from akrig.survey.boat.modes import Mode
from akrig.survey.boat.navigation import Navigation
from akrig.survey.boat.parameters import Parameters

ACTIVE_IN_HOLD = 1  # a bit of FS_OPTIONS
EKF_PATIENCE = 1.0  # seconds
SHORTEST_SILENCE = 3.0  # seconds on the clock on the wall: at a high speedup a busy computer is no silent station


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
        patient = time - self._silent_since <= parameters["FS_TIMEOUT"] or self._is_short(time, parameters)
        if self.is_tripped or patient or mode in (Mode.RTL, Mode.INITIALIZING) or in_hold:
            return None
        self.is_tripped = True
        return True

    def _is_short(self, time: float, parameters: Parameters) -> bool:
        assert self.last_heard is not None
        hurried = parameters["SIM_SPEEDUP"] > 1
        return hurried and time - self.last_heard < SHORTEST_SILENCE * parameters["SIM_SPEEDUP"]


class BatteryMonitor:
    """Trips once per level, when the voltage was below it for BATT_LOW_TIMER seconds; only a reboot clears it."""

    def __init__(self) -> None:
        self._below_since: dict[str, float] = {}
        self.level: str | None = None

    def check(self, time: float, parameters: Parameters, battery: Battery, *, armed: bool) -> str | None:
        """The level that trips now: "low" or "critical"; a disarmed boat keeps quiet about it."""
        for level, limit in (("critical", "BATT_CRT_VOLT"), ("low", "BATT_LOW_VOLT")):
            if battery.voltage >= parameters[limit]:
                self._below_since.pop(level, None)
                continue
            since = self._below_since.setdefault(level, time)
            if armed and time - since >= parameters["BATT_LOW_TIMER"] and self.level not in (level, "critical"):
                self.level = level
                return level
        return None


class EkfWatch:
    """Trips when the armed boat no longer knows where it is for a second, and clears a second after it does again."""

    def __init__(self) -> None:
        self._other_since: float | None = None  # since when it is no longer as `is_tripped` has it
        self._was_good = False
        self.is_tripped = False

    def check(self, time: float, parameters: Parameters, navigation: Navigation, *, armed: bool) -> bool | None:
        """True when it trips, False when it clears, `None` when nothing changes."""
        if not armed or parameters["FS_EKF_THRESH"] <= 0:
            self._other_since = None
            changed, self.is_tripped = self.is_tripped, False
            return False if changed else None
        bad = not navigation.has_position
        self._was_good |= not bad
        if bad is self.is_tripped or not self._was_good:
            self._other_since = None
            return None
        if self._other_since is None:
            self._other_since = time
        if time - self._other_since < EKF_PATIENCE:
            return None
        self.is_tripped, self._other_since = bad, None
        return bad
