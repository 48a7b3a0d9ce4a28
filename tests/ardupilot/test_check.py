"""`akrig survey --check` on a real autopilot: it finds what is wrong, says what to type, and changes nothing."""

import re
import threading
from contextlib import contextmanager
from subprocess import CompletedProcess

import pytest

from tests.ardupilot.autopilot import HASTE, Autopilot
from tests.ardupilot.trial import Trial, trial
from tests.ardupilot.wire import AUTOPILOT, AUTOPILOT_SYSTEM, Message, Wire, mavlink, wait_until
from tests.forked import akrig

ITS_OWN = re.compile(r"STAT_.*|BARO\d_GND_PRESS|SIM_.*")  # what the autopilot, or the test, changes
A_WHILE = 30.0  # boat seconds: three times as long as a boat waits for a ground station that it has heard


def parameters(boat: Autopilot) -> dict[str, float]:
    """All that it has, read over akrig's line."""
    values: dict[str, float] = {}
    count = [1]

    def hear(message: Message) -> None:
        if message.get_type() == "PARAM_VALUE":
            values[message.param_id] = message.param_value
            count[0] = message.param_count

    request = mavlink.MAVLink_param_request_list_message(AUTOPILOT_SYSTEM, AUTOPILOT)
    boat.pilot.set(SIM_SPEEDUP=HASTE)
    wire = Wire(boat.line.port, system=251, hear=hear, opened=lambda wire: wire.send(request))
    try:
        wait_until(lambda: len(values) >= count[0] > 1, seconds=60, what="all parameters")
    finally:
        wire.close()
        boat.pilot.set(SIM_SPEEDUP=boat.speedup)
    return {name: value for name, value in values.items() if not ITS_OWN.fullmatch(name)}


def check(sea: Trial, *options: str) -> CompletedProcess:
    return akrig("survey", str(sea.mission), "--check", *options, cwd=sea.mission.parent)


def to_type(result: CompletedProcess) -> dict[str, float]:
    return {name: float(value) for name, value in re.findall(r"param set (\S+) (\S+)", result.stdout)}


@contextmanager
def heard_with(sea: Trial):
    """Another ground station, 250, says that it is there, on a line of its own."""
    ending = threading.Event()
    beat = mavlink.MAVLink_heartbeat_message(mavlink.MAV_TYPE_GCS, mavlink.MAV_AUTOPILOT_INVALID, 0, 0, 4, 3)

    def speak() -> None:
        while not ending.wait(0.2):
            sea.boat.pilot.wire.send(beat)

    thread = threading.Thread(target=speak)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()


@pytest.fixture(scope="module")
def sea(tmp_path_factory):
    with trial(tmp_path_factory.mktemp("check")) as found:
        yield found


@pytest.fixture(autouse=True)
def as_it_was(sea):
    """Every test finds the boat disarmed, in MANUAL, with its first parameters."""
    spoilt = {"FS_GCS_ENABLE": 1, "FS_ACTION": 6, "MAV_GCS_SYSID": 255, "WP_RADIUS": 2, "BATT_ARM_VOLT": 0}
    sea.boat.pilot.set(**spoilt, FENCE_ENABLE=0)
    sea.boat.pilot.disarm()
    sea.boat.pilot.change_mode("MANUAL")


def test_a_check_leaves_the_boat_with_its_pilot_and_everything_as_it_was(sea):
    boat, folder = sea.boat, sea.mission.parent
    boat.pilot.arm()
    before, files, begin = parameters(boat), sorted(folder.rglob("*.toml")), boat.truth.now
    result = check(sea)
    assert result.returncode == 0, result.stdout + result.stderr
    boat.hurry(A_WHILE)
    assert {(sight.mode, sight.armed) for sight in boat.truth.sights(begin)} == {("MANUAL", True)}
    assert parameters(boat) == before
    assert sorted(folder.rglob("*.toml")) == files
    assert not sea.run.exists()


def test_a_survey_that_is_refused_leaves_the_boat_with_its_pilot(sea):
    boat = sea.boat
    boat.pilot.arm()
    begin = boat.truth.now
    low = ["--set", "safety.volts=13"]
    result = akrig("survey", str(sea.mission), *low, "--out", str(sea.run), cwd=sea.mission.parent)
    assert result.returncode == 1
    assert "12.6 V" in result.stderr
    assert 'safety.accept = ["battery"]' in result.stderr
    boat.hurry(A_WHILE)
    assert {(sight.mode, sight.armed) for sight in boat.truth.sights(begin)} == {("MANUAL", True)}


def test_what_is_dangerous_is_found_and_the_lines_to_type_put_it_right(sea):
    sea.boat.pilot.set(FS_GCS_ENABLE=0, FS_ACTION=2, MAV_GCS_SYSID=252, WP_RADIUS=4, FENCE_ENABLE=1)
    result = check(sea)
    assert result.returncode == 1
    assert len(re.findall(r"^DANGER +(FS_GCS_ENABLE 0|MAV_GCS_SYSID 252) ", result.stdout, re.MULTILINE)) == 2
    assert re.search(r"^warning +FS_ACTION 2 .*stops its motors and drifts", result.stdout, re.MULTILINE)
    typed = to_type(result)
    assert typed | {"FS_GCS_ENABLE": 1, "FS_ACTION": 6, "MAV_GCS_SYSID": 255, "WP_RADIUS": 2} == typed
    sea.boat.pilot.set(**typed, FENCE_ENABLE=0)
    again = check(sea)
    assert again.returncode == 0
    assert to_type(again) == {}
    assert "All is well." in again.stdout, again.stdout


def test_what_keeps_it_from_being_armed_is_told_in_its_own_words(sea):
    sea.boat.pilot.set(BATT_ARM_VOLT=20)
    result = check(sea)
    assert result.returncode == 0
    assert re.search(r"^warning +arming .*PreArm: Battery 1 below minimum arming voltage", result.stdout, re.MULTILINE)


def test_a_ground_station_that_the_boat_takes_for_akrig_is_told(sea):
    with heard_with(sea):
        assert re.search(r"^note +ground stations .*250", check(sea).stdout, re.MULTILINE)
        sea.boat.pilot.set(MAV_GCS_SYSID=250)
        masked = check(sea, "--set", "link.id=250")
    assert re.search(r"^warning +ground stations .*does not notice", masked.stdout, re.MULTILINE)
    assert re.search(r"^ok +MAV_GCS_SYSID 250", masked.stdout, re.MULTILINE)
