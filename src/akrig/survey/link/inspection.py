"""Questions to a boat that change nothing on it: parameters, firmware, and what its arming check says."""

import math
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.survey.link.link import AUTOPILOT, Link

AT_ONCE = 15  # questions: ArduPilot keeps 20, and drops what comes on top
ROUNDS = 6  # of questions for what has not come
IDLE_ROUNDS = 3  # without any answer: older firmware is silent about what it does not have
QUIET = 1.0  # boat seconds without an answer after which a round is over
LAST_WORDS = 1.0  # boat seconds that an arming check may go on talking
PREARM = mavlink.MAV_SYS_STATUS_PREARM_CHECK


class Inspector:
    """Hears every message of the boat, in the link's thread; asks in the caller's.

    Attributes:
        vehicle: what its heartbeat says it is, such as "surface boat".
        version: of its firmware, such as (4, 7, 0).
        can_be_armed: as its arming check says; `None` if it does not.
    """

    def __init__(self, link: Link) -> None:
        self.vehicle: str | None = None
        self.version: tuple[int, int, int] | None = None
        self.can_be_armed: bool | None = None
        self._link = link
        self._lock = threading.Lock()
        self._answers: dict[str, float | None] = {}
        self._objections: dict[tuple[int, int], str] = {}  # by number and beginning, in the order they came
        self._texts = 0

    def hear(self, message: Any) -> None:
        if message.get_srcComponent() != AUTOPILOT:
            return
        kind = message.get_type()
        if kind == "HEARTBEAT":
            self.vehicle = _in_words(message.type)
        elif kind in ("PARAM_VALUE", "PARAM_ERROR"):  # newer firmware says so when it has no such parameter
            with self._lock:
                self._answers[message.param_id] = message.param_value if kind == "PARAM_VALUE" else None
        elif kind == "AUTOPILOT_VERSION":
            number = message.flight_sw_version
            self.version = None if not number else (number >> 24 & 255, number >> 16 & 255, number >> 8 & 255)
        elif kind == "SYS_STATUS":
            self._hear_status(message)
        elif kind == "STATUSTEXT":
            self._hear_text(message)

    def parameters(self, wanted: Iterable[tuple[str, ...]]) -> dict[str, float]:
        """Those of the wanted that the boat has; of several names for one thing, one is enough.

        Many are asked for at once, and again for what did not come; over when nothing comes any more.
        """
        wanted = list(wanted)
        with self._lock:
            self._answers.clear()
        idle = 0
        for _ in range(ROUNDS):
            before, missing = len(self._heard), list(_missing(wanted, self._heard))
            for begin in range(0, len(missing), AT_ONCE):
                self._ask(missing[begin : begin + AT_ONCE], wanted)
            idle = idle + 1 if len(self._heard) == before else 0
            if idle == IDLE_ROUNDS or not any(_missing(wanted, self._heard)):
                break
        known = {name for names in wanted for name in names}
        heard = {name: value for name, value in self._heard.items() if value is not None and name in known}
        return {name: value for name, value in heard.items() if math.isfinite(value)}

    def ask_version(self) -> tuple[int, int, int] | None:
        request, number = mavlink.MAV_CMD_REQUEST_MESSAGE, mavlink.MAVLINK_MSG_ID_AUTOPILOT_VERSION
        self._link.command(request, number, attempts=2, seconds=QUIET)
        self._link.wait(lambda: self.version is not None, QUIET)
        return self.version

    def run_arming_check(self) -> tuple[str, ...]:
        """What the boat has against being armed, in its own words; nothing while it is armed."""
        with self._lock:
            self._objections.clear()
        result = self._link.command(mavlink.MAV_CMD_RUN_PREARM_CHECKS, attempts=2, seconds=QUIET)
        if result == mavlink.MAV_RESULT_ACCEPTED:
            self._link.wait(lambda: False, LAST_WORDS)
        with self._lock:
            return tuple(dict.fromkeys(self._objections.values()))

    @property
    def _heard(self) -> Mapping[str, float | None]:
        with self._lock:
            return dict(self._answers)

    def _ask(self, names: list[str], wanted: list[tuple[str, ...]]) -> None:
        """Until all are answered, or none was for a while."""
        for name in names:
            request = mavlink.MAVLink_param_request_read_message(self._link.system or 1, AUTOPILOT, name.encode(), -1)
            self._link.send(request)
        heard = -1
        while heard != len(self._heard) and not set(names).isdisjoint(_missing(wanted, self._heard)):
            heard = len(self._heard)
            self._link.wait(lambda heard=heard: len(self._heard) > heard, QUIET)

    def _hear_status(self, message: Any) -> None:
        if message.onboard_control_sensors_present & PREARM and message.onboard_control_sensors_enabled & PREARM:
            self.can_be_armed = bool(message.onboard_control_sensors_health & PREARM)

    def _hear_text(self, message: Any) -> None:
        """A long text comes in pieces, which share a number; short ones have none."""
        with self._lock:
            self._texts += 1
            whole = (message.id, 0) if message.id else (0, self._texts)
            if message.chunk_seq and whole in self._objections:
                self._objections[whole] += message.text
            elif not message.chunk_seq and message.text.startswith(("PreArm:", "Arm:")):
                self._objections[whole] = message.text


def _missing(wanted: list[tuple[str, ...]], heard: Mapping[str, float | None]) -> Iterator[str]:
    for names in wanted:
        if all(heard.get(name) is None for name in names):
            yield from (name for name in names if name not in heard)


def _in_words(vehicle_type: int) -> str:
    known = mavlink.enums["MAV_TYPE"].get(vehicle_type)
    return f"type {vehicle_type}" if known is None else known.name.removeprefix("MAV_TYPE_").replace("_", " ").lower()
