"""The hands on the boat: they ask until they are answered, say why not, and never arm what somebody else steers."""

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.config.survey import LinkSettings, SafetySettings
from akrig.errors import BoatRefused, LinkLost
from akrig.survey.link.decoding import SONAR_STREAMS, STREAMS, decode
from akrig.survey.link.guard import Guard
from akrig.survey.link.helm import Helm
from akrig.survey.link.link import COMPONENT, GROUND_STATION, Link
from akrig.survey.link.state import BoatState
from akrig.survey.link.transport import open_transport
from tests.survey.link.rig import FRAME, free_port, lake, until, wire

ACCEPTED, FAILED, UNSUPPORTED = (
    mavlink.MAV_RESULT_ACCEPTED, mavlink.MAV_RESULT_FAILED, mavlink.MAV_RESULT_UNSUPPORTED,
)  # fmt: skip
ARM, MODE = mavlink.MAV_CMD_COMPONENT_ARM_DISARM, mavlink.MAV_CMD_DO_SET_MODE
SPEED, INTERVAL = mavlink.MAV_CMD_DO_CHANGE_SPEED, mavlink.MAV_CMD_SET_MESSAGE_INTERVAL
GUIDED, MANUAL = 15, 0


class Puppet:
    """An autopilot that answers as it is told: `results` by command, the last one for ever, `None` is silence."""

    def __init__(self, port: int) -> None:
        self.line, self.mav = open_transport(f"udpout:127.0.0.1:{port}"), mavlink.MAVLink(None, 1, 1)
        self.mode, self.armed, self.fix, self.target = MANUAL, False, 3, None
        self.results: dict[int, list[int | None]] = {}
        self.heard: list[Any] = []
        self.texts: dict[int, bytes] = {}
        self.on_command = lambda number: None
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def commands(self, number: int) -> list[Any]:
        return [each for each in list(self.heard) if each.get_type() == "COMMAND_LONG" and each.command == number]

    def of(self, kind: str) -> list[Any]:
        return [each for each in list(self.heard) if each.get_type() == kind]

    def close(self) -> None:
        self._ending.set()
        self._thread.join(5)
        self.line.close()

    def _run(self) -> None:
        parser, due, begin = mavlink.MAVLink(None), 0.0, time.monotonic()
        while not self._ending.is_set():
            for message in parser.parse_buffer(self.line.read(0.005)) or []:
                self.heard.append(message)
                if message.get_type() == "COMMAND_LONG":
                    self._answer(message)
                elif message.get_type() == "SET_MODE":
                    self.mode = message.custom_mode
                elif message.get_type() == "SET_POSITION_TARGET_GLOBAL_INT":
                    self.target = (message.lat_int, message.lon_int)
            if time.monotonic() >= due:
                due = time.monotonic() + 0.02
                self._speak(round(1000 * (time.monotonic() - begin)))

    def _answer(self, message: Any) -> None:
        number, queue = message.command, self.results.get(message.command, [ACCEPTED])
        result = queue.pop(0) if len(queue) > 1 else queue[0]
        if number in self.texts:
            self._say(mavlink.MAVLink_statustext_message(2, self.texts[number]))
        if result == ACCEPTED and number == MODE:
            self.mode = int(message.param2)
        if result == ACCEPTED and number == ARM:
            self.armed = bool(message.param1)
        self.on_command(number)
        if result is not None:
            self._say(mavlink.MAVLink_command_ack_message(number, result, 0, 0, GROUND_STATION, COMPONENT))

    def _speak(self, boot: int) -> None:
        self._say(mavlink.MAVLink_heartbeat_message(11, 3, 1 | 128 * self.armed, self.mode, 4, 3))
        self._say(mavlink.MAVLink_gps_raw_int_message(0, self.fix, 0, 0, 0, 90, 65535, 0, 0, 9))
        self._say(mavlink.MAVLink_global_position_int_message(boot, *wire(0, 0), 0, 0, 0, 0, 0, 0))
        if self.target is not None:
            self._say(mavlink.MAVLink_position_target_global_int_message(boot, 0, 0xFFF8, *self.target, *(0.0,) * 9))

    def _say(self, message: Any) -> None:
        self.line.write(message.pack(self.mav))


class Bridge:
    """Everything between a person's wish and the puppet."""

    def __init__(self, port: int, *, ready: float = 60.0) -> None:
        self.told: list[str] = []
        self.state = BoatState(FRAME, source="auto", max_hdop=3.0)
        self.state.clock.speedup = 20
        self.link = Link(f"udpin:127.0.0.1:{port}", hear=self._hear)
        self.guard = Guard(
            lake(),
            self.state,
            self.link,
            safety=SafetySettings(),
            link_timeout=LinkSettings().timeout,
            tell=lambda level, message: self.told.append(message),
        )
        self.helm = Helm(self.link, self.state, self.guard, frame=FRAME, rate=5.0, speed=1.2, ready=ready)

    def _hear(self, message: Any) -> None:
        event = decode(message)
        if event is not None:
            self.state.update(event)


@contextmanager
def bridge(**options: Any) -> Iterator[tuple[Bridge, Puppet]]:
    port = free_port()
    made, puppet = Bridge(port, **options), Puppet(port)
    made.link.start()
    try:
        made.link.wait(lambda: made.state.modes is not None and made.state.track.latest is not None, 5)
        made.link.speedup = 20.0
        yield made, puppet
    finally:
        made.link.close()
        puppet.close()


def test_engaging_is_guided_and_armed():
    with bridge() as (made, puppet):
        made.helm.engage()
        assert (puppet.mode, puppet.armed, made.guard.must_engage) == (GUIDED, True, False)
        assert puppet.commands(MODE)[0].param1 == 1


def test_a_boat_that_is_in_guided_is_not_put_there_again():
    """A pilot may be taking it over in this moment: the order would come after the pilot's, and undo it."""
    with bridge() as (made, puppet):
        for _ in range(2):
            made.helm.engage()
        assert len(puppet.commands(MODE)) == 1


def test_a_boat_that_refuses_while_its_filter_settles_is_asked_again():
    with bridge() as (made, puppet):
        puppet.results[ARM] = [FAILED, FAILED, None, ACCEPTED]
        made.helm.engage()
        assert puppet.armed
        assert len(puppet.commands(ARM)) >= 4
        assert not made.guard.is_engaging


def test_a_boat_that_cannot_be_armed_says_why():
    with bridge(ready=10.0) as (made, puppet):
        puppet.results[ARM], puppet.texts[ARM] = [FAILED], b"Arm: GPS 1: Bad fix"
        with pytest.raises(BoatRefused, match=r"cannot be armed \(failed: Arm: GPS 1: Bad fix\)"):
            made.helm.engage()
        assert not made.guard.is_engaging


def test_a_boat_that_does_not_answer_is_said_not_to():
    with bridge() as (made, puppet):
        puppet.results[MODE] = [None]
        with pytest.raises(BoatRefused, match=r"did not go into GUIDED \(no answer\)"):
            made.helm.engage()
        assert puppet.commands(ARM) == []


def test_a_refused_mode_is_said_to_be():
    with bridge() as (made, puppet):
        puppet.results[MODE] = [FAILED]
        with pytest.raises(BoatRefused, match=r"did not go into GUIDED \(failed"):
            made.helm.engage()


def test_an_answer_that_got_lost_does_not_matter_if_it_was_done():
    with bridge() as (made, puppet):
        puppet.results[MODE] = [None]
        puppet.on_command = lambda number: setattr(puppet, "mode", GUIDED)
        made.helm.change_mode("GUIDED")


def test_old_firmware_has_another_message_for_modes():
    with bridge() as (made, puppet):
        puppet.results[MODE] = [UNSUPPORTED]
        made.helm.change_mode("GUIDED")
        assert [message.custom_mode for message in puppet.of("SET_MODE")] == [GUIDED]


def test_what_somebody_else_steers_is_not_armed():
    with bridge() as (made, puppet):
        puppet.results[ARM] = [FAILED]
        puppet.on_command = lambda number: setattr(puppet, "mode", MANUAL if number == ARM else puppet.mode)
        with pytest.raises(BoatRefused, match="Somebody changed the mode to MANUAL"):
            made.helm.engage()
        assert len(puppet.commands(ARM)) == 1


def test_a_target_is_sent_until_it_is_confirmed_and_then_the_speed_is_set():
    with bridge() as (made, puppet):
        puppet.results[SPEED] = [FAILED, ACCEPTED]  # Rover refuses a speed before it is on its way
        made.helm.engage()
        until(lambda: made.helm.steer((30.0, 40.0)) or len(puppet.commands(SPEED)) == 2)
        for _ in range(20):
            made.helm.steer((30.0, 40.0))
            time.sleep(0.005)
        (target,) = puppet.of("SET_POSITION_TARGET_GLOBAL_INT")
        assert (target.lat_int, target.lon_int) == wire(30, 40)
        assert (target.type_mask, target.coordinate_frame) == (0b110111111000, 6)
        assert len(puppet.commands(SPEED)) == 2
        assert puppet.commands(SPEED)[-1].param2 == pytest.approx(1.2)
        made.helm.steer((30.0, 41.0))
        until(lambda: len(puppet.of("SET_POSITION_TARGET_GLOBAL_INT")) == 2)


def reverses(puppet: Puppet) -> list[float]:
    return [each.param1 for each in puppet.commands(mavlink.MAV_CMD_DO_SET_REVERSE)]


def test_a_boat_is_engaged_bow_first_and_goes_astern_when_it_is_told():
    with bridge() as (made, puppet):
        made.helm.engage()
        assert reverses(puppet) == [0.0]  # whatever an akrig that was killed had told it
        made.helm.engage()
        made.helm.go_astern(True)
        made.helm.go_astern(True)
        made.helm.engage()
        assert reverses(puppet) == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(("result", "told"), [(UNSUPPORTED, [0.0, 1.0]), (None, [0.0, 1.0, 1.0, 0.0])])
def test_a_boat_that_may_go_astern_is_told_to_stop_it_and_one_that_cannot_is_not(result, told):
    with bridge() as (made, puppet):
        made.helm.engage()
        puppet.results[mavlink.MAV_CMD_DO_SET_REVERSE] = [result]
        made.helm.go_astern(True)
        puppet.results[mavlink.MAV_CMD_DO_SET_REVERSE] = [ACCEPTED]
        made.helm.go_astern(False)
        assert reverses(puppet) == told


def test_a_lost_target_is_sent_again():
    with bridge() as (made, puppet):
        made.helm.engage()
        until(lambda: made.helm.steer((30.0, 40.0)) or made.state.target == wire(30, 40))
        puppet.target = wire(0, 0)  # it arrived, as it thinks, or forgot
        until(lambda: made.helm.steer((30.0, 40.0)) or len(puppet.of("SET_POSITION_TARGET_GLOBAL_INT")) >= 2)


def test_streams_are_asked_for_and_again_when_they_do_not_come():
    with bridge() as (made, puppet):
        made.helm.ask_for_streams()
        wanted = {*STREAMS, *SONAR_STREAMS}
        until(lambda: {int(order.param1) for order in puppet.commands(INTERVAL)} == wanted)
        assert {order.param2 for order in puppet.commands(INTERVAL) if order.param1 == 33} == {200_000}
        count = len(puppet.commands(INTERVAL))
        made.helm._asked_at = math.inf  # just now, however busy this computer is
        made.helm.keep_streams()
        made.link.order(SPEED)
        until(lambda: puppet.commands(SPEED))
        assert len(puppet.commands(INTERVAL)) == count
        made.helm._asked_at = -math.inf
        made.helm.keep_streams()  # SYS_STATUS never came
        until(lambda: len(puppet.commands(INTERVAL)) > count)


def test_a_boat_without_a_fix_has_no_position():
    with bridge() as (made, puppet):
        puppet.fix = 1
        until(lambda: made.state.health.fix_type == 1)
        with pytest.raises(BoatRefused, match=r"no position yet \(no GPS fix\)"):
            made.helm.await_position(5.0) or made.helm.await_position(5.0)


def test_nobody_there_is_a_lost_link():
    made = Bridge(free_port())
    made.link.start()
    with pytest.raises(LinkLost, match=r"No boat was heard at udpin:127.0.0.1:\d+ for 1 s"):
        made.helm.connect(1.0)
    made.link.close()
