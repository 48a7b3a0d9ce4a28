"""When the autopilot acts on its own, and what it says: in ArduPilot's words, by ArduPilot's numbers.

The failsafes of link and filter show in the heartbeat (CRITICAL) as long as they last, that of the battery does not.
"""

from typing import TYPE_CHECKING

from akrig.survey.boat.dialect import mavlink
from akrig.survey.boat.modes import Mode
from akrig.survey.boat.watches import BatteryMonitor, EkfWatch, GroundStationWatch

if TYPE_CHECKING:
    from akrig.survey.boat.autopilot import Autopilot

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
        if autopilot.mode.needs_position and action > 0:
            if action == EKF_HOLD:
                autopilot.set_mode(Mode.HOLD)
            autopilot.say("EKF failsafe", mavlink.MAV_SEVERITY_CRITICAL)

    def _act(self, parameter: str) -> None:
        action = int(self._autopilot.parameters[parameter])
        if action == TERMINATE:
            self._autopilot.disarm()
        any(self._autopilot.set_mode(mode) for mode in ACTIONS.get(action, ()))
