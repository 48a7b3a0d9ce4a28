"""MAVLink on board: what a message changes, what is answered, and what is sent of itself; no sockets, no clock."""

from collections.abc import Callable
from typing import Any

from akrig.frame import LocalFrame
from akrig.survey.boat.autopilot import Autopilot
from akrig.survey.boat.commands import Commands, order_of
from akrig.survey.boat.dialect import mavlink
from akrig.survey.boat.missions import GLOBAL_FRAMES, item_of, sender_of
from akrig.survey.boat.streams import MessageRates
from akrig.survey.boat.targets import take_global_target, take_local_target
from akrig.survey.boat.telemetry import Telemetry

COMPONENT = mavlink.MAV_COMP_ID_AUTOPILOT1
PARAMETERS_PER_STEP = 10
TEXT_BYTES = 50  # one STATUSTEXT holds that much; a longer text comes in pieces


class Protocol:
    """One autopilot's end of the link. `handle` answers a message; `step` says what is due now."""

    def __init__(self, autopilot: Autopilot, telemetry: Telemetry, *, frame: LocalFrame) -> None:
        self._autopilot, self._telemetry = autopilot, telemetry
        self.streams = MessageRates(telemetry.makers)
        self.commands = Commands(autopilot, telemetry, self.streams, frame=frame)
        self._listing: list[str] = []
        self._text_number = 0
        self._handlers: dict[str, Callable[[Any], list[Any] | None]] = {
            "HEARTBEAT": self._heartbeat,
            "COMMAND_LONG": self._command,
            "COMMAND_INT": self._command,
            "SET_MODE": self._set_mode,
            "REQUEST_DATA_STREAM": self._data_stream,
            "SET_POSITION_TARGET_GLOBAL_INT": lambda sent: take_global_target(sent, autopilot, self.commands.place_of),
            "SET_POSITION_TARGET_LOCAL_NED": lambda sent: take_local_target(sent, autopilot),
            "MISSION_ITEM": self._mission_item,
            "MISSION_ITEM_INT": self._mission_item,
            "MISSION_SET_CURRENT": self._mission_set_current,
            "PARAM_REQUEST_LIST": self._list_parameters,
            "PARAM_REQUEST_READ": self._read_parameter,
            "PARAM_SET": self._set_parameter,
            "TIMESYNC": self._timesync,
            "PING": self._ping,
            "MANUAL_CONTROL": self._manual_control,
            "RC_CHANNELS_OVERRIDE": self._override,
        }
        for kind in ("REQUEST_LIST", "REQUEST_INT", "REQUEST", "CLEAR_ALL", "COUNT", "ACK"):
            self._handlers[f"MISSION_{kind}"] = lambda message: autopilot.missions.handle(message, autopilot.time)

    @property
    def system(self) -> int:
        return int(self._autopilot.parameters["MAV_SYSID"])

    def handle(self, message: Any) -> list[Any]:
        """Replies; nothing to messages that are for someone else or that the boat does not know."""
        handler = self._handlers.get(message.get_type())
        if handler is None or not self._is_for_us(message):
            return []
        return handler(message) or []

    def step(self) -> list[Any]:
        """After each step of the autopilot: telemetry that is due, news, and the next parameters of a list."""
        autopilot, time = self._autopilot, self._autopilot.time
        due = self.streams.due(time)
        out = [message for number in due if (message := self._telemetry.makers[number]()) is not None]
        if autopilot.mode_changed:
            autopilot.mode_changed = False
            out.append(self._telemetry.heartbeat())
        if autopilot.notices:
            for severity, text in autopilot.notices:
                out += self._texts(severity, text)
            autopilot.notices.clear()
        if autopilot.reached:
            out += [mavlink.MAVLink_mission_item_reached_message(number) for number in autopilot.reached]
            autopilot.reached.clear()
        if self._listing:
            now, self._listing = self._listing[:PARAMETERS_PER_STEP], self._listing[PARAMETERS_PER_STEP:]
            out += [self._parameter(name) for name in now]
        return out + autopilot.missions.step(time)

    def is_for_all(self, message: Any) -> bool:
        return _target(message) == 0 and message.get_srcSystem() != self.system

    def _is_for_us(self, message: Any) -> bool:
        system = _target(message)
        component = getattr(message, "target_component", 0)
        if message.get_type() == "MANUAL_CONTROL":
            component = 0
        return system in (0, self.system) and component in (0, COMPONENT) and message.get_srcSystem() != self.system

    def _heartbeat(self, message: Any) -> None:
        if message.get_srcSystem() == int(self._autopilot.parameters["MAV_GCS_SYSID"]):
            self._autopilot.failsafes.ground_station.last_heard = self._autopilot.time

    def _command(self, message: Any) -> list[Any]:
        result = self.commands.obey(order_of(message))
        replies, self.commands.replies = self.commands.replies, []
        return [mavlink.MAVLink_command_ack_message(message.command, result, 0, 0, *sender_of(message)), *replies]

    def _set_mode(self, message: Any) -> list[Any]:
        result = self.commands.set_mode(message.base_mode, message.custom_mode)
        return [mavlink.MAVLink_command_ack_message(mavlink.MAVLINK_MSG_ID_SET_MODE, result)]

    def _data_stream(self, message: Any) -> None:
        rate = message.req_message_rate if message.start_stop == 1 else 0
        self.streams.set_group(message.req_stream_id, rate, self._autopilot.time)

    def _mission_item(self, message: Any) -> list[Any]:
        autopilot = self._autopilot
        if message.current != 2:
            return autopilot.missions.handle(message, autopilot.time)
        # An old way to say: go there, in GUIDED.
        item = item_of(message)
        place = self.commands.place_of(item.latitude / 1e7, item.longitude / 1e7)
        fits = item.command == mavlink.MAV_CMD_NAV_WAYPOINT and item.frame in GLOBAL_FRAMES and place is not None
        accepted = fits and place is not None and autopilot.go_to(place)
        result = mavlink.MAV_MISSION_ACCEPTED if accepted else mavlink.MAV_MISSION_ERROR
        return [mavlink.MAVLink_mission_ack_message(*sender_of(message), result)]

    def _mission_set_current(self, message: Any) -> list[Any]:
        return [self._telemetry.mission_current()] if self._autopilot.itinerary.jump(message.seq) else []

    def _list_parameters(self, message: Any) -> None:
        self._listing = list(self._autopilot.parameters)

    def _read_parameter(self, message: Any) -> list[Any]:
        parameters, index = self._autopilot.parameters, message.param_index
        if index >= 0:
            return [self._parameter(parameters.names[index])] if index < len(parameters) else []
        if message.param_id in parameters:
            return [self._parameter(message.param_id)]
        no_such = mavlink.MAV_PARAM_ERROR_DOES_NOT_EXIST
        return [mavlink.MAVLink_param_error_message(*sender_of(message), message.param_id.encode(), index, no_such)]

    def _set_parameter(self, message: Any) -> list[Any]:
        """Unknown names get no answer; a value that cannot be is answered with the one that stays."""
        parameters = self._autopilot.parameters
        if message.param_id not in parameters:
            return []
        parameters.set(message.param_id, message.param_value)
        return [self._parameter(message.param_id)]

    def _parameter(self, name: str) -> Any:
        parameters = self._autopilot.parameters
        place = (len(parameters), parameters.place(name))
        return mavlink.MAVLink_param_value_message(name.encode(), parameters[name], parameters.kind(name), *place)

    def _timesync(self, message: Any) -> list[Any]:
        if message.tc1 != 0:
            return []  # an answer to a question of someone else
        return [mavlink.MAVLink_timesync_message(round(self._autopilot.time * 1e9), message.ts1)]

    def _ping(self, message: Any) -> list[Any]:
        if message.target_system != 0:
            return []
        return [mavlink.MAVLink_ping_message(message.time_usec, message.seq, *sender_of(message))]

    def _manual_control(self, message: Any) -> None:
        """y steers; z is throttle from 0 to 1000 with rest at 500."""
        if abs(message.y) <= 1000 and 0 <= message.z <= 1000:
            self._autopilot.sticks = (message.y / 1000, (message.z - 500) / 500, self._autopilot.time)

    def _override(self, message: Any) -> None:
        """Microseconds: channel 1 steers, channel 3 is throttle; 0 and 65535 mean the radio, which is at rest."""
        steering, throttle = (
            (v - 1500) / 500 if 800 <= v <= 2200 else 0.0 for v in (message.chan1_raw, message.chan3_raw)
        )
        self._autopilot.sticks = (steering, throttle, self._autopilot.time)

    def _texts(self, severity: int, text: str) -> list[Any]:
        data = text.encode("ascii", "replace")
        if len(data) <= TEXT_BYTES:
            return [mavlink.MAVLink_statustext_message(severity, data)]
        self._text_number = self._text_number % 65535 + 1
        pieces = [data[begin : begin + TEXT_BYTES] for begin in range(0, len(data), TEXT_BYTES)]
        return [mavlink.MAVLink_statustext_message(severity, p, self._text_number, n) for n, p in enumerate(pieces)]


def _target(message: Any) -> int:
    """The system it is for, 0 for all."""
    return getattr(message, "target_system", getattr(message, "target", 0))
