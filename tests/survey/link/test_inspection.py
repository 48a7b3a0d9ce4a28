"""Questions that change nothing: parameters in one go, the firmware, and what keeps a boat from being armed."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.survey.link import inspection
from akrig.survey.link.inspection import Inspector
from akrig.survey.link.link import Link
from akrig.survey.link.transport import open_transport
from tests.survey.link.rig import free_port, until

HEARTBEAT = mavlink.MAVLink_heartbeat_message(11, 3, 1, 15, 4, 3)
BOAT = {"FS_ACTION": 6.0, "FRAME_CLASS": 2.0, "MAV_GCS_SYSID": 255.0, **{f"P_{k}": float(k) for k in range(25)}}
PREARM = mavlink.MAV_SYS_STATUS_PREARM_CHECK


class Boat:
    """A few lines of an autopilot.

    Args:
        parameters: that it has.
        says_no: to questions for others, as newer firmware does.
        lost: how many questions for a name get lost on the way.
        objections: of its arming check.
    """

    def __init__(
        self, port: int, *, parameters: dict[str, float] = BOAT, says_no: bool = False, lost: int = 0,
        objections: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.asked: Counter[str] = Counter()
        self.heard: Counter[str] = Counter()
        self.most_at_once = 0
        self._parameters, self._says_no, self._lost, self._objections = parameters, says_no, lost, objections
        self._line = open_transport(f"udpout:127.0.0.1:{port}")
        self._codec, self._parser = mavlink.MAVLink(None, srcSystem=1, srcComponent=1), mavlink.MAVLink(None)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def say(self, message: Any) -> None:
        self._line.write(message.pack(self._codec))

    def close(self) -> None:
        self._ending.set()
        self._thread.join()
        self._line.close()

    def _run(self) -> None:
        while not self._ending.is_set():
            self.say(HEARTBEAT)
            for message in self._parser.parse_buffer(self._line.read(0.05)) or []:
                self.heard[message.get_type()] += 1
                if message.get_type() == "PARAM_REQUEST_READ":
                    self._tell_parameter(message.param_id)
                elif message.get_type() == "COMMAND_LONG":
                    self._obey(message)

    def _tell_parameter(self, name: str) -> None:
        self.asked[name] += 1
        if self.asked[name] <= self._lost:
            return
        if name in self._parameters:
            self.say(mavlink.MAVLink_param_value_message(name.encode(), self._parameters[name], 9, 100, 0))
        elif self._says_no:
            self.say(mavlink.MAVLink_param_error_message(255, 190, name.encode(), -1, 1))

    def _obey(self, message: Any) -> None:
        self.say(mavlink.MAVLink_command_ack_message(message.command, 0))
        if message.command == mavlink.MAV_CMD_RUN_PREARM_CHECKS:
            for number, text in enumerate(self._objections, start=1):
                for piece, begin in enumerate(range(0, len(text), 50)):
                    part = text[begin : begin + 50].encode()
                    self.say(mavlink.MAVLink_statustext_message(2, part, number if len(text) > 50 else 0, piece))
        elif message.command == mavlink.MAV_CMD_REQUEST_MESSAGE and message.param1 == 148:
            number, nothing = 4 << 24 | 7 << 16 | 1 << 8 | 255, (0,) * 8
            self.say(mavlink.MAVLink_autopilot_version_message(0, number, 0, 0, 0, nothing, nothing, nothing, 0, 0, 1))


@contextmanager
def inspected(**how: Any) -> Iterator[tuple[Inspector, Boat]]:
    port = free_port()
    link = Link(f"udpin:127.0.0.1:{port}", hear=lambda message: inspector.hear(message))
    inspector = Inspector(link)
    link.start()
    boat = Boat(port, **how)
    try:
        until(lambda: link.heartbeats)
        yield inspector, boat
    finally:
        boat.close()
        link.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Over loopback an answer that has not come by then never comes."""
    monkeypatch.setattr(inspection, "QUIET", 0.5)
    monkeypatch.setattr(inspection, "LAST_WORDS", 0.5)


@pytest.fixture
def patient(quick, monkeypatch):
    """Where every question is answered, a busy computer may take its time."""
    monkeypatch.setattr(inspection, "QUIET", 20.0)


def questions(inspector: Inspector, boat: Boat) -> Counter[str]:
    """How often the boat was asked for each parameter: it reads in order, so what it answers now comes after them."""
    until(inspector.ask_version)
    return boat.asked


def each(*names: str) -> list[tuple[str, ...]]:
    return [(name,) for name in names]


@pytest.mark.usefixtures("patient")
def test_many_parameters_are_asked_for_at_once_and_each_once():
    with inspected() as (inspector, boat):
        assert inspector.parameters(each(*BOAT)) == BOAT
        assert questions(inspector, boat) == dict.fromkeys(BOAT, 1)


def test_what_got_lost_is_asked_for_again():
    with inspected(lost=2) as (inspector, boat):
        assert inspector.parameters(each("FS_ACTION", "P_3")) == {"FS_ACTION": 6.0, "P_3": 3.0}
        assert questions(inspector, boat)["P_3"] == 3


@pytest.mark.parametrize(("says_no", "times"), [(True, 1), (False, 4)])
def test_what_the_boat_does_not_have_is_left_out_in_a_bounded_time(says_no, times):
    with inspected(says_no=says_no) as (inspector, boat):
        assert inspector.parameters(each("FS_ACTION", "NO_SUCH")) == {"FS_ACTION": 6.0}
        assert questions(inspector, boat)["NO_SUCH"] == times


@pytest.mark.usefixtures("patient")
def test_one_of_two_names_for_the_same_is_enough():
    with inspected() as (inspector, boat):
        assert inspector.parameters([("MAV_GCS_SYSID", "SYSID_MYGCS")]) == {"MAV_GCS_SYSID": 255.0}
        assert questions(inspector, boat)["SYSID_MYGCS"] == 1


def test_parameters_are_read_anew_and_numbers_that_are_none_left_out():
    parameters = {"FS_ACTION": 2.0, "BATT_LOW_VOLT": float("nan")}
    with inspected(parameters=parameters) as (inspector, _):
        assert inspector.parameters(each(*parameters)) == {"FS_ACTION": 2.0}
        parameters["FS_ACTION"] = 6.0
        assert inspector.parameters(each("FS_ACTION")) == {"FS_ACTION": 6.0}


def test_a_boat_that_answers_nothing_costs_little_time():
    with inspected(parameters={}) as (inspector, boat):
        assert inspector.parameters(each(*BOAT)) == {}
        assert questions(inspector, boat) == dict.fromkeys(BOAT, inspection.IDLE_ROUNDS)


def test_what_keeps_it_from_being_armed_is_told_in_whole_sentences():
    objections = ("PreArm: GPS 1: Bad fix", "PreArm: Battery 1 low voltage failsafe, and more words than fit", "Hello")
    with inspected(objections=objections) as (inspector, _):
        assert inspector.run_arming_check() == objections[:2]
        assert inspector.run_arming_check() == objections[:2]


@pytest.mark.parametrize(("health", "can"), [(0, False), (PREARM, True)])
def test_its_status_tells_whether_it_can_be_armed(health, can):
    with inspected() as (inspector, boat):
        assert inspector.can_be_armed is None
        boat.say(mavlink.MAVLink_sys_status_message(PREARM, PREARM, health, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        until(lambda: inspector.can_be_armed is can)


def test_what_it_is():
    with inspected() as (inspector, _):
        assert inspector.ask_version() == (4, 7, 1)
        assert inspector.vehicle == "surface boat"
