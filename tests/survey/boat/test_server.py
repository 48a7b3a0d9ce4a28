import os
import random
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace

import pytest

from akrig.survey.boat import parse_schedule, serve
from akrig.survey.boat.dialect import Mode, mavlink
from akrig.survey.boat.server import STEP, PortTaken, RealTimePacer
from tests.survey.boat.rig import Rig
from tests.survey.boat.running import free_port, serving


class Station:
    """A ground station: a socket, and MAVLink."""

    def __init__(self, port: int = 0, *, system: int = 255) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", port))
        self.socket.settimeout(0.2)
        self.mav = mavlink.MAVLink(None, system, 190)
        self.boat: tuple[str, int] | None = None

    def hear(self, wanted: Callable[[object], bool], *, seconds: float = 10.0):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                data, sender = self.socket.recvfrom(65535)
            except TimeoutError:
                continue
            self.boat = sender
            for message in mavlink.MAVLink(None).parse_buffer(data):
                if wanted(message):
                    return message
        raise AssertionError("not heard")

    def hear_a(self, kind: str, **options):
        return self.hear(lambda message: message.get_type() == kind, **options)

    def line_from(self, port: int, *, seconds: float = 10.0) -> str:
        """Text, and not a message."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            with suppress(TimeoutError):
                data, sender = self.socket.recvfrom(65535)
                if sender[1] == port:
                    return data.decode()
        raise AssertionError("no answer")

    def send(self, message, *, to: tuple[str, int] | None = None) -> None:
        address = to or self.boat
        assert address is not None
        self.socket.sendto(message.pack(self.mav), address)

    def __enter__(self) -> "Station":
        return self

    def __exit__(self, *_) -> None:
        self.socket.close()


def request(number: int):
    return mavlink.MAVLink_command_long_message(1, 1, mavlink.MAV_CMD_REQUEST_MESSAGE, 0, number, 0, 0, 0, 0, 0, 0)


@pytest.fixture
def station():
    with Station() as made:
        yield made


def address(station: Station) -> tuple[str, int]:
    return station.socket.getsockname()


def test_speaks_mavlink_2_as_system_1_component_1(station):
    with serving(to=[address(station)], settings={"speedup": 20}):
        beat = station.hear_a("HEARTBEAT")
        assert (beat.get_srcSystem(), beat.get_srcComponent()) == (1, 1)
        assert beat.get_msgbuf()[0] == 0xFD
        station.send(request(mavlink.MAVLINK_MSG_ID_AUTOPILOT_VERSION))
        assert station.hear_a("COMMAND_ACK").result == mavlink.MAV_RESULT_ACCEPTED
        assert station.hear_a("AUTOPILOT_VERSION").capabilities & mavlink.MAV_PROTOCOL_CAPABILITY_MAVLINK2


def test_whoever_asks_is_answered_and_nobody_else_hears_of_it(station):
    with serving(to=[address(station)], settings={"speedup": 20}), Station(system=42) as other:
        station.hear_a("HEARTBEAT")
        other.send(request(0), to=station.boat)
        assert other.hear_a("COMMAND_ACK").target_system == 42
        assert other.hear_a("HEARTBEAT")
        station.send(request(0))
        assert station.hear_a("COMMAND_ACK").target_system == 255


def test_ground_stations_hear_each_other_through_the_boat(station):
    with serving(to=[address(station)], settings={"speedup": 20}), Station(system=42) as other:
        station.hear_a("HEARTBEAT")
        other.send(mavlink.MAVLink_heartbeat_message(6, 8, 0, 0, 4, 3), to=station.boat)
        beat = station.hear(lambda message: message.get_srcSystem() == 42)
        assert (beat.get_type(), beat.type, beat.get_srcComponent()) == ("HEARTBEAT", 6, 190)
        assert other.hear_a("HEARTBEAT").get_srcSystem() == 1


def test_another_stations_change_of_mode_shows_in_the_heartbeat_alone(station):
    with serving(to=[address(station)], settings={"speedup": 20}) as boat, Station(system=42) as other:
        station.hear(lambda message: message.get_type() == "HEARTBEAT" and boat.mode is Mode.MANUAL)
        other.send(mavlink.MAVLink_command_long_message(1, 1, 176, 0, 1, Mode.HOLD, 0, 0, 0, 0, 0), to=station.boat)
        heard = []

        def shows_it(message) -> bool:
            heard.append(message.get_type())
            return heard[-1] == "HEARTBEAT" and message.custom_mode == Mode.HOLD

        station.hear(shows_it)
        assert set(heard) <= {"HEARTBEAT", "STATUSTEXT"}


def test_rubbish_neither_stops_it_nor_spoils_what_follows(station):
    rng = random.Random(0)
    with serving(to=[address(station)], settings={"speedup": 20}) as boat:
        station.hear_a("HEARTBEAT")
        good = request(0).pack(station.mav)
        for _ in range(200):
            noise = rng.randbytes(rng.randrange(1, 300))
            cut = good[: rng.randrange(1, len(good))]
            flipped = bytearray(good)
            flipped[rng.randrange(len(good))] ^= 1 << rng.randrange(8)
            for data in (noise, cut, bytes(flipped), b"\xfd" + noise, b"\xfe" + noise, b""):
                station.socket.sendto(data, station.boat)
            time.sleep(0.001)
        before = boat.time
        station.send(request(mavlink.MAVLINK_MSG_ID_SYSTEM_TIME))
        station.hear_a("SYSTEM_TIME")
        assert boat.time >= before


def test_boat_time_runs_at_the_speedup_and_follows_its_parameter(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("akrig.survey.boat.server.time", SimpleNamespace(monotonic=lambda: now[0]))
    rig, pace = Rig(), RealTimePacer(pytest.fail)
    for speedup in (10, 30):
        rig.boat.parameters.set("SIM_SPEEDUP", speedup)
        steps = 0
        for _ in range(1000):
            now[0] += 0.001
            steps += pace.due(rig.boat)
        assert steps * STEP == pytest.approx(speedup, rel=0.01)


def test_a_machine_that_is_too_slow_says_so_once():
    said = []
    rig, pace = Rig(speedup=100), RealTimePacer(said.append)
    for _ in range(3):
        pace._next -= 5  # five seconds went by
        assert 1 <= pace.due(rig.boat) <= 400
    assert len(said) == 1
    assert "speedup of 100" in said[0]


def test_faults_by_text(station):
    port = free_port()
    said = []
    with serving(to=[address(station)], fault_port=port, settings={"speedup": 20}, tell=said.append) as boat:
        station.hear_a("HEARTBEAT")
        for line, answer in (
            (b"gps for 300", "ok: gps for 300 s"),
            (b"rain\n", "error: 'rain' is no fault"),
            (b"\xff\xfe", "error: "),
        ):
            station.socket.sendto(line, ("127.0.0.1", port))
            assert station.line_from(port).startswith(answer)
        assert [fault.name for fault in boat.faults] == ["gps"]
    assert said
    assert said[0].startswith("Fault: gps for 300 s, from boat second")


def test_scheduled_faults_happen_at_their_boat_second(station, tmp_path):
    said = []
    schedule = [parse_schedule("sonar@5+2"), parse_schedule("pilot:HOLD@8")]
    truth = tmp_path / "truth.csv"
    with serving(to=[address(station)], schedule=schedule, truth=truth, tell=said.append, settings={"speedup": 50}):
        station.hear(lambda m: m.get_type() == "HEARTBEAT" and m.custom_mode == 4)
    assert said == ["Fault: sonar for 2 s, from boat second 5.0.", "Fault: pilot HOLD, from boat second 8.0."]
    assert len(truth.read_text().splitlines()) > 8 * 4


def test_a_port_in_use_is_a_clear_error():
    taken = free_port()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as holder:
        holder.bind(("127.0.0.1", taken))
        with pytest.raises(PortTaken, match=f"port {taken}.*try another"):
            serve(Rig().boat, to=[], fault_port=taken)


@pytest.mark.skipif("AKRIG_SLOW" not in os.environ, reason="measures time; set AKRIG_SLOW")
def test_fifty_times_real_time_on_one_core():
    rig = Rig(wind_speed=4, gusts=1, current_speed=0.1).ready()
    for number, rate in ((33, 10), (132, 5), (30, 5), (2, 1), (24, 2), (1, 1), (193, 1), (62, 2)):
        rig.stream(number, rate=rate)
    rig.go_to(0, 300)
    begin = time.process_time()
    rig.run(100)
    assert 100 / (time.process_time() - begin) > 50
