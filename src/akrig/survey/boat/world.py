"""The simulated boat: hull, weather, sensors and autopilot, moved on together in fixed steps."""

import logging
from collections.abc import Sequence
from math import hypot, pi
from random import Random
from typing import Any

from akrig.frame import LocalFrame
from akrig.protocols import Field
from akrig.survey.boat.autopilot import Autopilot
from akrig.survey.boat.battery import Battery, propulsion_power
from akrig.survey.boat.dialect import Mode
from akrig.survey.boat.dynamics import HULLS, Motion, Pair, advance
from akrig.survey.boat.faults import AT_ONCE, Fault, ScheduledFault
from akrig.survey.boat.guidance import IDLE, Pilot
from akrig.survey.boat.missions import Missions
from akrig.survey.boat.navigation import Navigation
from akrig.survey.boat.parameters import Parameters
from akrig.survey.boat.protocol import Protocol
from akrig.survey.boat.sensors import Gps, Imu, Sonar
from akrig.survey.boat.settings import BoatSettings
from akrig.survey.boat.telemetry import Telemetry
from akrig.survey.boat.weather import Weather

STEP = 0.05  # seconds of boat time
log = logging.getLogger(__name__)


class Boat:
    """A boat on a lake. `step` moves time on, `handle` takes a MAVLink message, `drain` gives those to be sent.

    Args:
        frame: turns degrees into the metres in which the boat moves.
        bed: depths in metres, positive, over the metres of the frame.
    """

    def __init__(self, settings: BoatSettings, *, frame: LocalFrame, bed: Field) -> None:
        self.settings, self.frame = settings, frame
        home = settings.home or (frame.longitude, frame.latitude)
        self.motion = Motion(*frame.metres_of(*home), settings.heading)
        self.hull = HULLS[settings.hull].of_speed(settings.max_speed)
        self.steps = 0
        self.distance = 0.0  # metres travelled over ground
        self.weather = Weather(settings, rng=self._random("weather"), dt=STEP)
        self.sonar = Sonar(settings, bed, rng=self._random("sonar"))
        self.battery = Battery(settings)
        self._gps, self._imu = Gps(settings, rng=self._random("gps")), Imu(rng=self._random("imu"))
        parameters = {
            "SIM_SPEEDUP": settings.speedup,
            "RNGFND1_MIN": settings.sonar_min,
            "RNGFND1_MAX": settings.sonar_max,
            "BATT_CAPACITY": settings.battery_capacity * 1000,
            **settings.parameters,
        }
        self.parameters = Parameters(parameters)
        self.missions = Missions()  # like the parameters, it outlives a reboot
        self._outbox: list[Any] = []
        self._faults: dict[str, tuple[Fault, float]] = {}  # by name, and when it ends
        self._battery_before: float | None = None
        self._velocity = self.motion.over_ground(self.weather.current)
        self._silent_until = 0.0
        self._controls = IDLE
        self._boot(0.0)

    @property
    def time(self) -> float:
        """Boat seconds since the launch; a reboot does not change it."""
        return self.steps * STEP

    @property
    def unix_time(self) -> float:
        return self.settings.start_time_unix + self.time

    @property
    def position(self) -> Pair:
        """Where the boat truly is, metres."""
        return self.motion.x, self.motion.y

    @property
    def lonlat(self) -> Pair:
        return self.frame.degrees_of(*self.position)

    @property
    def heading(self) -> float:
        """Radians clockwise from north, 0 to 2 pi."""
        return self.motion.heading % (2 * pi)

    @property
    def mode(self) -> Mode:
        return self.autopilot.mode

    @property
    def is_armed(self) -> bool:
        return self.autopilot.is_armed

    @property
    def is_rebooting(self) -> bool:
        return self.time < self._silent_until

    @property
    def faults(self) -> Sequence[Fault]:
        return [fault for fault, _ in self._faults.values()]

    def step(self) -> None:
        """One tick of `STEP` seconds."""
        self.steps += 1
        time = self.time
        for name in [name for name, (_, end) in self._faults.items() if time >= end]:
            self._end_fault(name)
        self.weather.step()
        self._move()
        self.sonar.step(time, self.position, silent="sonar" in self._faults)
        if self._silent_until and time >= self._silent_until:
            self._silent_until = 0.0
            self._boot(time)
        if not self._silent_until:
            self._sense(time)
            self._controls = self.autopilot.step(time - self._booted)
            sent = self.protocol.step()
            if "link" not in self._faults:
                self._outbox += sent
            if self.protocol.commands.reboot_wanted:
                self.reboot()

    def handle(self, message: Any) -> None:
        """A message from a ground station; replies go to the outbox. Nonsense in it is logged and forgotten."""
        if self._silent_until or "link" in self._faults:
            return
        try:
            self._outbox += self.protocol.handle(message)
        except Exception:  # whatever a hostile packet holds, the boat sails on
            log.warning("A %s message made no sense and was dropped.", message.get_type(), exc_info=True)

    def passes_on(self, message: Any) -> bool:
        """Is it for everybody, so that other ground stations hear it through the boat?"""
        is_deaf = bool(self._silent_until) or "link" in self._faults
        return not is_deaf and self.protocol.is_for_all(message)

    def drain(self) -> list[Any]:
        """Messages to be sent, since the last call."""
        out, self._outbox = self._outbox, []
        return out

    def reboot(self) -> None:
        """The autopilot restarts; the boat stays where it is and drifts."""
        self._silent_until = self.time + self.settings.reboot_seconds
        self.autopilot.is_armed = False
        self._controls = IDLE

    def inject(self, fault: Fault) -> str:
        """Begins a fault, and says so in a line."""
        if fault.name == "reboot":
            self.reboot()
        elif fault.name in ("pilot", "disarm", "failsafe") and not self.is_rebooting:
            self._interfere(fault)
        elif fault.name == "clear":
            for name in list(self._faults):
                self._end_fault(name)
        elif fault.name == "battery" and "battery" not in self._faults:
            self._battery_before = self.battery.share
        elif fault.name == "volts":
            self.battery.shown = fault.number
        if fault.name == "battery":
            self.battery.share = fault.number / 100
        if fault.name not in AT_ONCE:
            self._faults[fault.name] = (fault, self.time + fault.seconds)
        return f"{fault.words}, from boat second {self.time:.1f}"

    def _interfere(self, fault: Fault) -> None:
        if fault.name == "pilot":
            self.autopilot.set_mode(Mode.MANUAL if fault.mode is None else fault.mode)
        elif fault.name == "disarm":
            self.autopilot.disarm()
        else:
            self.autopilot.failsafes.lose_radio(fault.mode)

    def _end_fault(self, name: str) -> None:
        self._faults.pop(name)
        if name == "battery" and self._battery_before is not None:
            self.battery.share, self._battery_before = self._battery_before, None
        elif name == "volts":
            self.battery.shown = None
        elif name == "failsafe":
            self.autopilot.failsafes.find_radio()

    def _boot(self, time: float) -> None:
        """A new autopilot: nothing is known but parameters and mission."""
        self._booted = time
        self._gps.restart(time)
        self.missions.cancel()
        self.navigation = Navigation(self.settings, time=time, dt=STEP)
        self._clock_is_set = False
        self.autopilot = Autopilot(
            self.parameters, missions=self.missions, navigation=self.navigation, battery=self.battery,
            sonar=self.sonar, pilot=Pilot(self.parameters, STEP, self.settings.max_speed, self.hull.rudder),
            to_metres=lambda lonlat: self.frame.metres_of(*lonlat),
        )  # fmt: skip
        telemetry = Telemetry(
            self.autopilot, self.sonar, self.frame, unix_time=lambda: self.unix_time if self._clock_is_set else 0.0
        )
        self.protocol = Protocol(self.autopilot, telemetry, frame=self.frame)

    def _sense(self, time: float) -> None:
        velocity = self.motion.over_ground(self.weather.current)
        acceleration = ((velocity[0] - self._velocity[0]) / STEP, (velocity[1] - self._velocity[1]) / STEP)
        self._velocity = velocity
        motion = self.motion
        imu = self._imu.read(time, heading=motion.heading, turn=motion.turn, acceleration=acceleration)
        fix = self._gps.report(time, self.position, velocity, blind="gps" in self._faults)
        if fix is not None and fix.is_good:
            self._clock_is_set = True
        self.navigation.step(time, imu, fix)

    def _move(self) -> None:
        controls = self._controls
        if "thruster" in self._faults:
            fault = self._faults["thruster"][0]
            left, right = (fault.number if fault.side in (side, "both") else 1.0 for side in ("left", "right"))
            controls = controls._replace(left=controls.left * left, right=controls.right * right)
        before = self.position
        advance(self.hull, self.motion, STEP, controls=controls, wind=self.weather.wind, current=self.weather.current)
        self.distance += hypot(self.motion.x - before[0], self.motion.y - before[1])
        watts = sum(propulsion_power(self.hull.thrust * power) for power in (self.motion.left, self.motion.right))
        self.battery.step(STEP, watts)

    def _random(self, purpose: str) -> Random:
        """One seed, a stream per purpose: more sonar pings do not change the wind."""
        return Random(f"{self.settings.seed} {purpose}")


def due_faults(schedule: list[ScheduledFault], time: float) -> list[Fault]:
    """Takes those whose time has come off the schedule."""
    due = [entry for entry in schedule if entry.at <= time]
    for entry in due:
        schedule.remove(entry)
    return [entry.fault for entry in due]
