"""When the autopilot acts on its own or will not be armed, and what it says: in ArduPilot's words, by its numbers.

The failsafes of link and filter show in the heartbeat (CRITICAL) as long as they last, that of the battery does not.
"""

from typing import TYPE_CHECKING

from akrig.survey.boat.battery import Battery
from akrig.survey.boat.dialect import Mode, mavlink
from akrig.survey.boat.navigation import Navigation
from akrig.survey.boat.parameters import Parameters

if TYPE_CHECKING:
    from akrig.survey.boat.autopilot import Autopilot

SKIP_ALL = -1  # of ARMING_SKIPCHK, which took the place of ARMING_CHECK in ArduPilot 4.7
ACTIVE_IN_HOLD = 1  # a bit of FS_OPTIONS
EKF_PATIENCE = 1.0  # seconds
SHORTEST_SILENCE = 3.0  # seconds on the clock on the wall: at a high speedup a busy computer is no silent station
CONTINUE_IN_AUTO = 2  # a value of FS_GCS_ENABLE
EKF_HOLD = 1  # a value of FS_EKF_ACTION
TERMINATE = 5  # ArduPilot's word for disarming
# FS_ACTION and BATT_FS_*_ACT, tried in turn; there is no SmartRTL on board, so what it falls back to counts.
ACTIONS: dict[int, tuple[Mode, ...]] = {
    0: (),
    1: (Mode.RTL, Mode.HOLD),
    2: (Mode.HOLD,),
    3: (Mode.RTL, Mode.HOLD),
    4: (Mode.HOLD,),
    6: (Mode.LOITER, Mode.HOLD),
}
# The check of the radio is made more often than that of the ground station, and puts its own name to what it finds.
LINK_LOST = "Radio Failsafe"


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
        speedup = parameters["SIM_SPEEDUP"]
        is_short = speedup > 1 and time - self.last_heard < SHORTEST_SILENCE * speedup
        patient = time - self._silent_since <= parameters["FS_TIMEOUT"] or is_short
        if self.is_tripped or patient or mode in (Mode.RTL, Mode.INITIALIZING) or in_hold:
            return None
        self.is_tripped = True
        return True


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


class Failsafes:
    """Watches link, battery and filter of one autopilot, and acts.

    Attributes:
        radio_is_lost: whether the pilot's transmitter is out of range.
    """

    def __init__(self, autopilot: "Autopilot") -> None:
        self._autopilot = autopilot
        self.ground_station, self.battery, self.ekf = GroundStationWatch(), BatteryMonitor(), EkfWatch()
        self.radio_is_lost = False

    @property
    def is_critical(self) -> bool:
        """What the heartbeat shows."""
        return self.ground_station.is_tripped or self.radio_is_lost or self.ekf.is_tripped

    def step(self) -> None:
        autopilot = self._autopilot
        time, parameters, armed = autopilot.time, autopilot.parameters, autopilot.is_armed
        if (lost := self.ekf.check(time, parameters, autopilot.navigation, armed=armed)) is not None:
            self._filter(lost)
        if (silent := self.ground_station.check(time, parameters, autopilot.mode)) is not None:
            self._ground_station(silent)
        if (level := self.battery.check(time, parameters, autopilot.battery, armed=armed)) is not None:
            self._battery(level)

    def lose_radio(self, mode: Mode | None) -> None:
        """The transmitter falls silent.

        Args:
            mode: what the boat then does; `None` for what FS_ACTION says.
        """
        self.radio_is_lost = True
        self._autopilot.say(LINK_LOST, mavlink.MAV_SEVERITY_WARNING)
        if mode is None:
            self._act("FS_ACTION")
        else:
            self._autopilot.set_mode(mode)

    def find_radio(self) -> None:
        if self.radio_is_lost:
            self.radio_is_lost = False
            self._autopilot.say("Radio Failsafe Cleared")

    def _ground_station(self, silent: bool) -> None:
        autopilot = self._autopilot
        if not silent:
            autopilot.say("GCS Failsafe Cleared")
            return
        autopilot.say(LINK_LOST, mavlink.MAV_SEVERITY_WARNING)
        if autopilot.mode is Mode.AUTO and autopilot.parameters["FS_GCS_ENABLE"] == CONTINUE_IN_AUTO:
            autopilot.say("Failsafe - Continuing Auto Mode", mavlink.MAV_SEVERITY_WARNING)
        else:
            self._act("FS_ACTION")

    def _battery(self, level: str) -> None:
        autopilot = self._autopilot
        volts, used = autopilot.battery.voltage, autopilot.battery.used * 1000
        autopilot.say(f"Battery 1 is {level} {volts:.2f}V used {used:.0f} mAh", mavlink.MAV_SEVERITY_WARNING)
        self._act("BATT_FS_LOW_ACT" if level == "low" else "BATT_FS_CRT_ACT")

    def _filter(self, lost: bool) -> None:
        autopilot = self._autopilot
        if not lost:
            autopilot.say("EKF failsafe cleared", mavlink.MAV_SEVERITY_CRITICAL)
            return
        autopilot.say("EKF variance", mavlink.MAV_SEVERITY_CRITICAL)
        action = autopilot.parameters["FS_EKF_ACTION"]
        if autopilot.mode.steers_itself and action > 0:
            if action == EKF_HOLD:
                autopilot.set_mode(Mode.HOLD)
            autopilot.say("EKF failsafe", mavlink.MAV_SEVERITY_CRITICAL)

    def _act(self, parameter: str) -> None:
        action = int(self._autopilot.parameters[parameter])
        if action == TERMINATE:
            self._autopilot.disarm()
        any(self._autopilot.set_mode(mode) for mode in ACTIONS.get(action, ()))


def objections(autopilot: "Autopilot") -> list[str]:
    """What keeps the boat from being armed, one line each; none if it may be."""
    parameters, mode, volts = autopilot.parameters, autopilot.mode, autopilot.battery.voltage
    if mode is Mode.INITIALIZING:
        return ["System not initialised"]
    if not parameters["ARMING_CHECK"] or parameters["ARMING_SKIPCHK"] == SKIP_ALL:
        return []
    found = []
    if not autopilot.navigation.has_attitude:
        found.append("Gyros not calibrated")
    if parameters["ARMING_NEED_LOC"] or mode.steers_itself:
        found += _place_objections(autopilot.navigation)
    if volts < parameters["BATT_LOW_VOLT"]:
        found.append("Battery 1 low voltage failsafe")
    elif volts < parameters["BATT_ARM_VOLT"]:
        found.append("Battery 1 below minimum arming voltage")
    if autopilot.sonar.is_silent and parameters["RNGFND1_TYPE"]:
        found.append("Rangefinder 1: No Data")
    if parameters["WP_SPEED"] <= 0:
        found.append("WP_SPEED too low")
    if mode is Mode.RTL:
        found.append("Mode not armable")
    return found


def _place_objections(navigation: Navigation) -> list[str]:
    if navigation.gps is None or not navigation.gps.is_good:
        return ["GPS 1: Bad fix"]
    if navigation.origin is None:
        return ["AHRS: EKF3 waiting for GPS config data"]
    return [] if navigation.has_position else ["Need Position Estimate"]
