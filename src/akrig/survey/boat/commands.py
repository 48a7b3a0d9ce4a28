"""COMMAND_LONG and COMMAND_INT: what each does, and how it is acknowledged."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

from akrig.frame import LocalFrame
from akrig.survey.boat.autopilot import Autopilot
from akrig.survey.boat.dialect import Mode, find_mode, mavlink
from akrig.survey.boat.dynamics import Pair
from akrig.survey.boat.missions import GLOBAL_FRAMES
from akrig.survey.boat.streams import MessageRates
from akrig.survey.boat.telemetry import Telemetry

ACCEPTED, DENIED, FAILED = mavlink.MAV_RESULT_ACCEPTED, mavlink.MAV_RESULT_DENIED, mavlink.MAV_RESULT_FAILED
UNSUPPORTED = mavlink.MAV_RESULT_UNSUPPORTED
FORCE = (21196, 2989)  # magic numbers that skip the arming checks
DRIVE_THERE = mavlink.MAV_DO_REPOSITION_FLAGS_CHANGE_MODE


@dataclass(frozen=True)
class CommandRequest:
    """A command, whichever message it came in.

    Args:
        latitude, longitude: degrees, NaN if not given.
        frame_is_global: false if the place is in a frame that the boat cannot use.
    """

    command: int
    params: tuple[float, ...]
    latitude: float
    longitude: float
    frame_is_global: bool = True


def order_of(message: Any) -> CommandRequest:
    params = (message.param1, message.param2, message.param3, message.param4)
    if message.get_type() == "COMMAND_INT":
        place = (message.x / 1e7, message.y / 1e7)
        return CommandRequest(message.command, params, *place, frame_is_global=message.frame in GLOBAL_FRAMES)
    return CommandRequest(message.command, params, message.param5, message.param6)


def _done(succeeded: bool) -> int:
    return ACCEPTED if succeeded else FAILED


class Commands:
    """Each command is a method that returns a MAV_RESULT; what else is to be sent goes to `replies`."""

    def __init__(self, autopilot: Autopilot, telemetry: Telemetry, streams: MessageRates, *, frame: LocalFrame) -> None:
        self._autopilot, self._telemetry, self._streams, self._frame = autopilot, telemetry, streams, frame
        self.replies: list[Any] = []
        self.reboot_wanted = False
        self._known: dict[int, Callable[[CommandRequest], int]] = {
            mavlink.MAV_CMD_COMPONENT_ARM_DISARM: self._arm,
            mavlink.MAV_CMD_DO_SET_MODE: lambda order: self.set_mode(int(order.params[0]), order.params[1]),
            mavlink.MAV_CMD_DO_REPOSITION: self._reposition,
            mavlink.MAV_CMD_DO_CHANGE_SPEED: self._change_speed,
            mavlink.MAV_CMD_DO_SET_HOME: self._set_home,
            mavlink.MAV_CMD_GET_HOME_POSITION: lambda order: self._reply(telemetry.home_position()),
            mavlink.MAV_CMD_NAV_RETURN_TO_LAUNCH: lambda order: self._enter(Mode.RTL),
            mavlink.MAV_CMD_MISSION_START: lambda order: DENIED if any(order.params[:2]) else self._enter(Mode.AUTO),
            mavlink.MAV_CMD_DO_SET_MISSION_CURRENT: lambda order: _done(autopilot.itinerary.jump(int(order.params[0]))),
            mavlink.MAV_CMD_PREFLIGHT_REBOOT_SHUTDOWN: self._reboot,
            mavlink.MAV_CMD_SET_MESSAGE_INTERVAL: self._set_interval,
            mavlink.MAV_CMD_GET_MESSAGE_INTERVAL: self._get_interval,
            mavlink.MAV_CMD_REQUEST_MESSAGE: self._request,
            mavlink.MAV_CMD_REQUEST_AUTOPILOT_CAPABILITIES: lambda order: self._reply(telemetry.autopilot_version()),
            mavlink.MAV_CMD_RUN_PREARM_CHECKS: self._run_checks,
        }

    def obey(self, order: CommandRequest) -> int:
        """The result; a number that makes no sense (NaN where one is needed) is denied, not an error."""
        action = self._known.get(order.command)
        if action is None:
            return UNSUPPORTED
        try:
            return action(order)
        except (ValueError, OverflowError):
            return DENIED

    def _reply(self, message: Any) -> int:
        if message is None:
            return FAILED
        self.replies.append(message)
        return ACCEPTED

    def place_of(self, latitude: float, longitude: float) -> Pair | None:
        """Metres of the local frame; `None` if that is nowhere."""
        if not (isfinite(latitude) and isfinite(longitude) and abs(latitude) <= 90 and abs(longitude) <= 180):
            return None
        x, y = self._frame.metres_of(longitude, latitude)
        return (x, y) if isfinite(x) and isfinite(y) else None

    def _place(self, order: CommandRequest) -> Pair | None:
        """Where an order says; zeros say nothing."""
        if not order.frame_is_global or order.latitude == order.longitude == 0:
            return None
        return self.place_of(order.latitude, order.longitude)

    def _arm(self, order: CommandRequest) -> int:
        wanted, force = order.params[0], order.params[1] in FORCE
        if wanted == 1:
            return _done(self._autopilot.arm(force=force))
        if wanted == 0:
            self._autopilot.disarm()
            return ACCEPTED
        return UNSUPPORTED

    def set_mode(self, base: int, number: float) -> int:
        """Also for the message SET_MODE, which is older."""
        if not base & mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED:
            return DENIED
        mode = find_mode(number)
        return FAILED if mode is None else self._enter(mode)

    def _enter(self, mode: Mode) -> int:
        return _done(self._autopilot.mode is not Mode.INITIALIZING and self._autopilot.set_mode(mode))

    def _reposition(self, order: CommandRequest) -> int:
        autopilot = self._autopilot
        if autopilot.mode is not Mode.GUIDED and not int(order.params[1]) & DRIVE_THERE:
            return DENIED
        if (place := self._place(order)) is None:
            return DENIED
        if self._enter(Mode.GUIDED) != ACCEPTED or not autopilot.go_to(place):
            return FAILED
        if order.params[0] > 0:
            autopilot.set_speed(order.params[0])
        return ACCEPTED

    def _change_speed(self, order: CommandRequest) -> int:
        return _done(self._autopilot.set_speed(order.params[1])) if order.params[0] in (0, 1) else DENIED

    def _set_home(self, order: CommandRequest) -> int:
        autopilot, is_here = self._autopilot, order.params[0] == 1
        place = autopilot.navigation.position if is_here else self._place(order)
        if place is None:
            return DENIED
        if autopilot.navigation.origin is None or (is_here and not autopilot.has_position):
            return FAILED
        autopilot.home, autopilot.home_is_fixed = place, True
        return self._reply(self._telemetry.home_position())

    def _reboot(self, order: CommandRequest) -> int:
        if order.params[0] not in (1, 3):
            return UNSUPPORTED
        if self._autopilot.is_armed and order.params[1] not in FORCE and order.params[3] != 20190226:
            return FAILED  # not while the motors may turn
        self.reboot_wanted = True
        return ACCEPTED

    def _set_interval(self, order: CommandRequest) -> int:
        number, microseconds = int(order.params[0]), order.params[1]
        if not isfinite(microseconds):
            return DENIED
        return ACCEPTED if self._streams.set(number, microseconds / 1e6, self._autopilot.time) else DENIED

    def _get_interval(self, order: CommandRequest) -> int:
        number = int(order.params[0])
        if number not in self._telemetry.makers:
            return FAILED
        interval = self._streams.interval(number)
        microseconds = -1 if interval is None else round(interval * 1e6)
        return self._reply(mavlink.MAVLink_message_interval_message(number, microseconds))

    def _request(self, order: CommandRequest) -> int:
        maker = self._telemetry.makers.get(int(order.params[0]))
        if maker is None:
            return FAILED
        message = maker()
        self.replies += [] if message is None else [message]
        return ACCEPTED

    def _run_checks(self, order: CommandRequest) -> int:
        if self._autopilot.is_armed:
            return mavlink.MAV_RESULT_TEMPORARILY_REJECTED
        for reason in self._autopilot.objections:
            self._autopilot.say(f"PreArm: {reason}", mavlink.MAV_SEVERITY_CRITICAL)
        return ACCEPTED
