"""The conversation: who is heard, what is answered, and lines that break."""

import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from akrig.errors import LinkLost
from akrig.survey.link.link import SECONDS_BETWEEN_TICKS, Link
from akrig.survey.link.transport import open_transport
from tests.survey.link.rig import free_port, until

HEARTBEAT = mavlink.MAVLink_heartbeat_message(11, 3, 1, 15, 4, 3)
ARM = mavlink.MAV_CMD_COMPONENT_ARM_DISARM


class Peer:
    """Speaks as any system and component, over UDP."""

    def __init__(self, port: int) -> None:
        self._line = open_transport(f"udpout:127.0.0.1:{port}")
        self._parser = mavlink.MAVLink(None)
        self.heard: list[Any] = []

    def say(self, message: Any, *, system: int = 1, component: int = 1) -> None:
        self._line.write(message.pack(mavlink.MAVLink(None, srcSystem=system, srcComponent=component)))

    def listen(self, kind: str) -> Any:
        """The next message of this kind."""

        def question() -> Any:
            self.heard += self._parser.parse_buffer(self._line.read(0.01)) or []
            found = [message for message in self.heard if message.get_type() == kind]
            for message in found[:1]:
                self.heard.remove(message)
            return found[:1]

        return until(question)[0]

    def close(self) -> None:
        self._line.close()


@contextmanager
def conversation(**options: Any) -> Iterator[tuple[Link, Peer]]:
    port = free_port()
    link, peer = Link(f"udpin:127.0.0.1:{port}", **options), Peer(port)
    link.start()
    try:
        yield link, peer
    finally:
        link.close()
        peer.close()


def beats(link: Link, peer: Peer, count: int = 1) -> None:
    for expected in range(link.heartbeats + 1, link.heartbeats + count + 1):
        peer.say(HEARTBEAT)
        until(lambda expected=expected: link.heartbeats == expected)


def test_the_first_autopilot_heard_is_the_boat_and_it_hears_a_ground_station():
    with conversation() as (link, peer):
        peer.say(mavlink.MAVLink_heartbeat_message(6, 8, 0, 0, 4, 3), system=255, component=190)
        peer.say(mavlink.MAVLink_heartbeat_message(26, 0, 0, 0, 4, 3), system=7, component=154)  # a gimbal
        peer.say(mavlink.MAVLink_heartbeat_message(27, 8, 0, 0, 4, 3), system=9, component=156)  # ADSB
        peer.say(HEARTBEAT, system=3)
        until(lambda: link.heartbeats)
        assert (link.system, link.autopilot, link.heartbeats) == (3, 3, 1)
        assert link.silence < 2
        beat = peer.listen("HEARTBEAT")
        assert (beat.get_srcSystem(), beat.type, beat.autopilot) == (255, mavlink.MAV_TYPE_GCS, 8)


def test_a_component_that_lives_does_not_keep_a_dead_boat_alive():
    heard = []
    with conversation(hear=lambda message: heard.append(message.get_type())) as (link, peer):
        beats(link, peer)
        at = link.heard_at
        for _ in range(5):
            peer.say(mavlink.MAVLink_heartbeat_message(26, 0, 0, 0, 4, 3), component=154)
        peer.say(mavlink.MAVLink_statustext_message(6, b"all heard"))
        until(lambda: "STATUSTEXT" in heard)
        assert (link.heard_at, link.autopilot) == (at, 3)


def test_only_the_boat_is_heard_and_others_are_named_once():
    heard, told = [], []
    with conversation(system=1, hear=lambda message: heard.append(message.get_type()), tell=told.append) as (
        link,
        peer,
    ):
        for _ in range(3):
            peer.say(HEARTBEAT, system=2)
            peer.say(mavlink.MAVLink_mission_item_reached_message(1), system=2)
        beats(link, peer)
        assert heard == ["HEARTBEAT"]
        assert len(told) == 1
        assert "Another vehicle (system 2)" in told[0]


def test_a_command_is_sent_until_it_is_answered():
    with conversation() as (link, peer):
        beats(link, peer)
        results: list[int | None] = []
        thread = threading.Thread(target=lambda: results.append(link.command(ARM, 1, seconds=0.3)))
        thread.start()
        assert peer.listen("COMMAND_LONG").confirmation == 0
        order = peer.listen("COMMAND_LONG")
        assert (order.confirmation, order.command, order.param1, order.target_system) == (1, ARM, 1, 1)
        peer.say(mavlink.MAVLink_command_ack_message(ARM, mavlink.MAV_RESULT_IN_PROGRESS))
        peer.say(mavlink.MAVLink_command_ack_message(ARM, mavlink.MAV_RESULT_FAILED))
        thread.join(5)
        assert results == [mavlink.MAV_RESULT_FAILED]


def test_no_answer_is_none_and_answers_to_others_are_theirs():
    with conversation() as (link, peer):
        beats(link, peer)
        thread = threading.Thread(target=lambda: results.append(link.command(ARM, 1, attempts=1, seconds=0.5)))
        results: list[int | None] = []
        thread.start()
        peer.listen("COMMAND_LONG")
        peer.say(mavlink.MAVLink_command_ack_message(ARM, 0, 0, 0, 42, 190))  # another ground station's
        peer.say(mavlink.MAVLink_command_ack_message(ARM, 0), component=154)  # a gimbal's
        peer.say(mavlink.MAVLink_command_ack_message(ARM + 1, 0))
        thread.join(5)
        assert results == [None]


def test_parameters():
    with conversation() as (link, peer):
        beats(link, peer)
        assert link.parameter("SIM_SPEEDUP", attempts=1, seconds=0.5) is None
        values: list[float | None] = []
        thread = threading.Thread(target=lambda: values.append(link.parameter("SIM_SPEEDUP")))
        thread.start()
        assert peer.listen("PARAM_REQUEST_READ").param_id == "SIM_SPEEDUP"
        peer.say(mavlink.MAVLink_param_value_message(b"SIM_SPEEDUP", 12.5, 9, 1, 0))
        thread.join(5)
        assert values == [12.5]


def test_garbage_does_not_end_the_conversation():
    rng = random.Random(3)
    with conversation() as (link, peer):
        for length in range(1, 200, 3):
            peer._line.write(rng.randbytes(length))
            peer._line.write(b"\xfd" + rng.randbytes(length))
        beats(link, peer, 3)
        assert link.failure is None


def test_a_fault_of_a_listener_is_kept_and_the_link_goes_on():
    def hear(message: Any) -> None:
        raise ArithmeticError("a fault")

    with conversation(hear=hear) as (link, peer):
        beats(link, peer, 3)
        assert isinstance(link.failure, ArithmeticError)


def test_ticks_go_on_when_nothing_comes_and_not_too_often():
    ticks, begin = [], time.monotonic()
    with conversation(tick=lambda: ticks.append(time.monotonic())):
        until(lambda: len(ticks) >= 10)
    assert len(ticks) <= (time.monotonic() - begin) / SECONDS_BETWEEN_TICKS + 1


@pytest.mark.parametrize("address", ["tcp:127.0.0.1:{port}", "serial:/dev/nowhere:57600"])
def test_an_address_that_cannot_be_opened_is_a_lost_link(address):
    link = Link(address.format(port=free_port()))
    with pytest.raises(LinkLost, match="cannot be opened"):
        link.start()
    link.close()


def test_a_tcp_line_that_the_other_end_closed_is_opened_again(monkeypatch):
    monkeypatch.setattr("akrig.survey.link.transport.SECONDS_BETWEEN_ATTEMPTS", 0.1)
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    link = Link(f"tcp:127.0.0.1:{port}")
    link.start()
    try:
        for count in (1, 2, 3):
            boat, _ = server.accept()
            packet = HEARTBEAT.pack(mavlink.MAVLink(None, srcSystem=1, srcComponent=1))
            boat.sendall(packet + packet[:7])  # cut off in the middle of the second
            until(lambda count=count: link.heartbeats == count)
            assert boat.recv(10)[0] == 0xFD  # our heartbeat
            boat.close()
            link.send(HEARTBEAT)  # into a broken line: no error
            if count == 2:  # the boat is away for a while
                server.close()
                server = socket.socket()
                server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                server.bind(("127.0.0.1", port))  # refuses whoever comes, and nobody else can take the port
                time.sleep(0.3)
                server.listen()
        assert link.failure is None
    finally:
        link.close()
        server.close()


def test_another_ground_station_with_akrigs_id_is_said_to_mask_the_failsafe():
    told: list[str] = []
    station = mavlink.MAVLink_heartbeat_message(mavlink.MAV_TYPE_GCS, 8, 0, 0, 4, 3)
    with conversation(tell=told.append, id=254) as (link, peer):
        peer.say(station, system=255, component=190)
        peer.say(station, system=254, component=190)
        peer.say(station, system=254, component=190)
        until(lambda: set(link.stations) == {254, 255})
        assert link.heard == "only ground stations (254, 255), no vehicle"
        peer.say(HEARTBEAT)
        until(lambda: link.heartbeats)
        assert [sentence[:41] for sentence in told] == ["Another ground station calls itself 254, "]
        assert peer.listen("HEARTBEAT").get_srcSystem() == 254


def test_who_waits_can_be_told_that_nobody_wants_to_any_more():
    with conversation() as (link, _):
        threading.Timer(0.2, link.interrupt).start()
        assert not link.wait(lambda: False, 600.0)
        assert link.is_interrupted
