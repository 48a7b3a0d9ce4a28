"""The autopilot: modes, arming, targets, home and failsafes, after ArduPilot Rover with a boat's frame."""

from collections.abc import Callable
from math import hypot, inf

from akrig.survey.boat.battery import Battery
from akrig.survey.boat.dialect import Mode, find_mode, mavlink
from akrig.survey.boat.dynamics import Controls, Pair
from akrig.survey.boat.failsafes import Failsafes, objections
from akrig.survey.boat.guidance import IDLE, Course, Line, Loiter, Pilot, Task
from akrig.survey.boat.itinerary import Itinerary
from akrig.survey.boat.missions import Missions
from akrig.survey.boat.navigation import Navigation
from akrig.survey.boat.parameters import Parameters
from akrig.survey.boat.sensors import Sonar

BOOTING = 1.0  # seconds in INITIALIZING
CHECK_INTERVAL = 1.0  # seconds
PREARM_INTERVAL = 30.0  # seconds between two reminders of what keeps it from arming
HOME_FOLLOWS = 0.5  # metres: a disarmed boat that moves this far takes its home along
Notice = tuple[int, str]  # severity and text


class Autopilot:
    """Decides what the thrusters do; forgets everything but parameters and mission when it reboots.

    Attributes:
        notices: texts for ground stations, since they were last taken.
        reached: numbers of mission items reached, since they were last taken; 0 is a GUIDED target.
        mode_changed: whether a heartbeat is due at once.
    """

    def __init__(
        self, parameters: Parameters, *, missions: Missions, navigation: Navigation, battery: Battery, sonar: Sonar,
        pilot: Pilot, to_metres: Callable[[Pair], Pair],
    ) -> None:  # fmt: skip
        self.parameters, self.missions, self.navigation, self.battery = parameters, missions, navigation, battery
        self.sonar, self.pilot = sonar, pilot
        self.time = 0.0  # since boot
        self.mode = Mode.INITIALIZING
        self.is_armed = False
        self.home: Pair | None = None
        self.home_is_fixed = False  # by command: it stays there whatever the boat does
        self.task: Task | None = None
        self.itinerary = Itinerary(missions, to_metres)
        self.speed_limit: float | None = None  # by DO_CHANGE_SPEED, until the mode changes
        self.sticks: tuple[float, float, float] = (0.0, 0.0, -1e9)  # steering, throttle, when
        self.notices: list[Notice] = []
        self.reached: list[int] = []
        self.mode_changed = False
        self.failsafes = Failsafes(self)
        self._announce = False
        self._next_check, self._next_prearm, self._objected = 3.0, 0.0, False
        self._uses_gps = False

    def say(self, text: str, severity: int = mavlink.MAV_SEVERITY_INFO) -> None:
        self.notices.append((severity, text))

    def step(self, time: float) -> Controls:
        """What to ask of the thrusters in the next moment; `time` is in seconds since boot."""
        self.time = time
        if self.mode is Mode.INITIALIZING and time >= BOOTING:
            self.say("ArduPilot Rover (simulated by akrig)")
            self.set_mode(find_mode(self.parameters["INITIAL_MODE"]) or Mode.MANUAL)
        self._tell_of_filter()
        self._keep_home()
        self.failsafes.step()
        self._remind()
        if not self.is_armed:
            return self.pilot.rest()
        return self._thrust()

    # modes

    def set_mode(self, mode: Mode) -> bool:
        if mode is self.mode:
            return True
        if not self._enter(mode):
            self.say("Flight mode change failed", mavlink.MAV_SEVERITY_WARNING)
            return False
        self.mode, self.mode_changed, self.speed_limit = mode, True, None
        return True

    def _enter(self, mode: Mode) -> bool:
        # A disarmed boat may enter any mode; arming checks what the mode needs.
        if mode.steers_itself and self.is_armed and not self.has_position:
            return False
        if mode is Mode.RTL and self.home is None:
            return False
        if mode is Mode.AUTO and len(self.missions.items) <= 1:  # item 0 is home
            self.say("No Mission. Can't set AUTO.", mavlink.MAV_SEVERITY_NOTICE)
            return False
        self.pilot.rest()
        self.task = self._loiter_here() if mode in (Mode.GUIDED, Mode.LOITER) else None
        self._announce = False
        if mode is Mode.RTL and self.home is not None:
            speed = self.parameters["RTL_SPEED"] or self.parameters["WP_SPEED"]
            self.task = Line(self.navigation.position, self.home, speed)
        if mode is Mode.AUTO:
            self.itinerary.restart(from_begin=bool(self.parameters["MIS_RESTART"]))
        return True

    @property
    def has_position(self) -> bool:
        return self.navigation.has_position and not self.failsafes.ekf.is_tripped

    # arming

    @property
    def objections(self) -> list[str]:
        return objections(self) + (["EKF failsafe"] if self.failsafes.ekf.is_tripped else [])

    def arm(self, *, force: bool) -> bool:
        if self.is_armed:
            return True
        refused = [] if force else self.objections
        for reason in refused:
            self.say(f"Arm: {reason}", mavlink.MAV_SEVERITY_CRITICAL)
        if refused or self.mode is Mode.INITIALIZING:
            return False
        self.is_armed = True
        self.say("Throttle armed")
        if self.has_position and not self.home_is_fixed:
            self.home = self.navigation.position
        if self.mode in (Mode.GUIDED, Mode.LOITER) and self.task is None:
            self.task = self._loiter_here()
        return True

    def disarm(self) -> None:
        if self.is_armed:
            self.is_armed = False
            self.say("Throttle disarmed")
            if self.mode is not Mode.AUTO:
                self.itinerary.restart(from_begin=True)

    # targets

    def go_to(self, place: Pair) -> bool:
        """A GUIDED target; False if the boat does not know where it is."""
        if self.mode is not Mode.GUIDED or not self.has_position:
            return False
        self.task = Line(self.navigation.position, place, self.cruise)
        self._announce = True
        return True

    def keep_course(self, *, speed: float, heading: float | None = None, rate: float = 0.0) -> None:
        """A GUIDED heading, or a turn rate, until GUID_TIMEOUT."""
        if self.mode is Mode.GUIDED:
            until = self.time + max(self.parameters["GUID_TIMEOUT"], 0.1)
            self.task = Course(speed, heading, rate, until=until)

    def set_speed(self, speed: float) -> bool:
        """Of the way to a point, until the mode changes; refused to a boat that is on its way to none."""
        if not 0 <= speed < inf:
            return False
        limited = self.task is not None and self.mode.steers_itself and self.task.limit(speed)
        if limited or self.mode is Mode.AUTO:
            self.speed_limit = speed
        return limited or self.mode is Mode.AUTO

    @property
    def cruise(self) -> float:
        return self.parameters["WP_SPEED"] if self.speed_limit is None else self.speed_limit

    def _loiter_here(self) -> Loiter | None:
        return Loiter.here(self.navigation, self.parameters) if self.has_position else None

    def _thrust(self) -> Controls:
        if self.mode is Mode.MANUAL:
            steering, throttle, when = self.sticks
            held = self.time - when <= self.parameters["RC_OVERRIDE_TIME"]
            return self.pilot.mixed(throttle, steering) if held else self.pilot.rest()
        if self.mode is Mode.AUTO:
            self.task = self.itinerary.next_task(self)
        if self.task is None or not self.mode.steers_itself:
            return self.pilot.rest()  # HOLD switches the motors off: a boat drifts
        if self.time > self.task.until:
            seconds = max(self.parameters["GUID_TIMEOUT"], 0.1)
            self.say(f"target not received last {seconds:.1f} secs, stopping", mavlink.MAV_SEVERITY_WARNING)
            self.task = self._loiter_here()
            return IDLE
        thrust = self.task.follow(self.pilot, self.navigation)
        if self.task.is_reached and self.mode is not Mode.AUTO:
            self._arrive()
        return thrust

    def _arrive(self) -> None:
        if self.mode is Mode.RTL:
            self.say("Reached destination")
        elif self._announce:
            self.reached.append(0)
        self._announce = False
        self.task = self._loiter_here()

    # what runs by itself

    def _keep_home(self) -> None:
        if self.is_armed or self.home_is_fixed or not self.navigation.has_position:
            return
        x, y = self.navigation.position
        if self.home is None or hypot(x - self.home[0], y - self.home[1]) > HOME_FOLLOWS:
            self.home = (x, y)

    def _tell_of_filter(self) -> None:
        """When it begins to use GPS, and when it stops."""
        if self.navigation.has_position and not self._uses_gps:
            self.say("EKF3 IMU0 is using GPS")
            self._uses_gps = True
        elif self._uses_gps and self.navigation.has_given_up:
            self.say("EKF3 IMU0 stopped aiding", mavlink.MAV_SEVERITY_WARNING)
            self._uses_gps = False

    def _remind(self) -> None:
        """A new reason that keeps it from arming is said at once, one that stays every half minute."""
        if self.is_armed or self.time < self._next_check:
            return
        self._next_check = self.time + CHECK_INTERVAL
        found = self.objections
        if found and (not self._objected or self.time >= self._next_prearm):
            self._next_prearm = self.time + PREARM_INTERVAL
            for reason in found:
                self.say(f"PreArm: {reason}", mavlink.MAV_SEVERITY_CRITICAL)
        self._objected = bool(found)
