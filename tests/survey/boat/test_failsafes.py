"""What the boat does by itself, and how a ground station can tell: measured on ArduPilot Rover 4.8."""

import math

import pytest

from akrig.survey.boat import Fault
from akrig.survey.boat.dialect import Mode, mavlink
from akrig.survey.boat.failsafes import SHORTEST_SILENCE
from tests.survey.boat.rig import Rig, of, texts

CRITICAL, STANDBY, ACTIVE = mavlink.MAV_STATE_CRITICAL, mavlink.MAV_STATE_STANDBY, mavlink.MAV_STATE_ACTIVE
LINK_LOST = "Radio Failsafe"  # what ArduPilot says, though it is the ground station that is silent
ACTIONS = [
    (0, Mode.GUIDED), (1, Mode.RTL), (2, Mode.HOLD), (3, Mode.RTL), (4, Mode.HOLD), (5, Mode.GUIDED), (6, Mode.LOITER),
]  # fmt: skip


def kinds(messages) -> list[str]:
    return [message.get_type() for message in messages if message.get_type() in ("HEARTBEAT", "STATUSTEXT")]


def status(rig: Rig) -> int:
    return of(rig.run(1.1), "HEARTBEAT")[-1].system_status


def deserted(rig: Rig) -> list:
    """What is heard until eleven seconds after the last heartbeat of the ground station."""
    rig.beat()
    return rig.run(11)


# the ground station falls silent


@pytest.mark.parametrize(("action", "mode"), ACTIONS)
def test_a_silent_ground_station_is_acted_upon_as_the_parameters_say(action, mode):
    rig = Rig(parameters={"FS_ACTION": action}).ready()
    for _ in range(20):
        rig.beat()
        rig.run(1)
    rig.beat()
    rig.run(9.9)
    assert rig.boat.mode is Mode.GUIDED
    said = texts(rig.run(1))
    assert LINK_LOST in said
    assert rig.boat.mode is mode
    assert rig.boat.is_armed is (action != 5)
    rig.beat()
    assert "GCS Failsafe Cleared" in texts(rig.run(0.2))


def test_by_default_a_deserted_boat_keeps_its_place_whatever_the_current():
    rig = Rig(current_speed=0.3).ready()
    rig.go_to(60, 0)
    rig.run(15)
    deserted(rig)
    assert rig.boat.mode is Mode.LOITER
    begin = rig.boat.position
    rig.run(600)
    assert rig.away_from(*begin) < 8


def test_the_times_of_two_parameters_add_up():
    rig = Rig(parameters={"FS_GCS_TIMEOUT": 2, "FS_TIMEOUT": 3}).ready()
    rig.beat()
    assert LINK_LOST not in texts(rig.run(4.9))
    assert LINK_LOST in texts(rig.run(0.5))


def test_a_hold_by_failsafe_drifts_with_the_current():
    rig = Rig(current_speed=0.3, current_towards=math.pi / 2, parameters={"FS_ACTION": 2}).ready(Mode.LOITER)
    deserted(rig)
    assert rig.boat.mode is Mode.HOLD
    begin = rig.boat.position[0]
    rig.run(60)
    assert rig.boat.position[0] - begin == pytest.approx(17.5, abs=1.5)


@pytest.mark.parametrize("mode", [Mode.GUIDED, Mode.LOITER, Mode.MANUAL])
def test_it_acts_in_every_mode_but_hold_and_return(mode):
    rig = Rig(parameters={"FS_ACTION": 2}).ready(mode)
    assert LINK_LOST in texts(deserted(rig))
    assert rig.boat.mode is Mode.HOLD


@pytest.mark.parametrize("mode", [Mode.HOLD, Mode.RTL])
def test_in_hold_and_return_it_waits_for_another_mode_and_then_acts_at_once(mode):
    rig = Rig().ready(Mode.GUIDED)
    rig.mode(mode)
    assert LINK_LOST not in texts(deserted(rig))
    assert rig.boat.mode is mode
    rig.mode(Mode.MANUAL)
    assert LINK_LOST in texts(rig.run(0.2))
    assert rig.boat.mode is Mode.LOITER


def test_it_acts_on_a_disarmed_boat_too():
    rig = Rig()
    rig.run(15)
    rig.mode(Mode.GUIDED)
    assert LINK_LOST in texts(deserted(rig))
    assert (rig.boat.mode, rig.boat.is_armed) == (Mode.LOITER, False)


def test_without_a_position_it_cannot_loiter_and_holds():
    rig = Rig().ready(Mode.MANUAL)
    rig.boat.inject(Fault("gps"))
    rig.run(20)
    assert "Flight mode change failed" in texts(deserted(rig))
    assert rig.boat.mode is Mode.HOLD


def test_only_the_heartbeats_of_its_own_ground_station_count():
    rig = Rig().ready()
    rig.beat()
    for _ in range(11):
        rig.beat(system=250)
        rig.run(1)
    assert rig.boat.mode is Mode.LOITER


def test_heartbeats_come_first_and_are_critical_until_the_ground_station_is_back():
    rig = Rig(parameters={"FS_ACTION": 2}).ready()
    rig.beat()
    heard = rig.run_until(lambda: rig.boat.mode is Mode.HOLD, seconds=12)
    assert kinds(heard)[-2:] == ["HEARTBEAT", "STATUSTEXT"]
    assert of(heard, "HEARTBEAT")[-1].system_status == CRITICAL
    rig.mode(Mode.GUIDED)
    assert status(rig) == CRITICAL
    assert rig.boat.mode is Mode.GUIDED  # it acts once
    rig.beat()
    assert status(rig) == ACTIVE


def test_by_parameter_a_silent_ground_station_changes_nothing():
    rig = Rig(parameters={"FS_GCS_ENABLE": 0}).ready()
    rig.beat()
    rig.run(60)
    assert rig.boat.mode is Mode.GUIDED


def test_in_fast_motion_a_busy_computer_is_no_silent_one():
    rig = Rig(speedup=20).ready()
    rig.beat()
    rig.run(20 * SHORTEST_SILENCE - 1)
    assert rig.boat.mode is Mode.GUIDED
    rig.run(2)
    assert rig.boat.mode is Mode.LOITER


# the pilot's transmitter


@pytest.mark.parametrize(("words", "mode"), [(None, Mode.LOITER), (Mode.HOLD, Mode.HOLD), (Mode.RTL, Mode.RTL)])
def test_a_lost_transmitter_shows_as_ardupilot_shows_it(words, mode):
    rig = Rig().ready()
    rig.boat.inject(Fault("failsafe", mode=words, seconds=10))
    heard = rig.run(0.1)
    assert of(heard, "HEARTBEAT")[-1].system_status == CRITICAL
    assert of(heard, "HEARTBEAT")[-1].custom_mode == mode
    assert LINK_LOST in texts(heard)
    assert "Radio Failsafe Cleared" in texts(rig.run(10))
    assert status(rig) == (STANDBY if mode is Mode.HOLD else ACTIVE)
    assert rig.boat.mode is mode


# the battery


@pytest.mark.parametrize(("action", "mode"), ACTIONS)
def test_a_low_battery_is_acted_upon_after_a_while(action, mode):
    rig = Rig(parameters={"BATT_FS_LOW_ACT": action}).ready()
    rig.boat.inject(Fault("battery", number=10))
    rig.run(9)
    assert rig.boat.mode is Mode.GUIDED
    assert any(text.startswith("Battery 1 is low") for text in texts(rig.run(2)))
    assert rig.boat.mode is mode
    assert rig.boat.is_armed is (action != 5)


@pytest.mark.parametrize(("action", "expected"), [(2, STANDBY), (6, ACTIVE)])
def test_the_battery_does_not_show_in_the_heartbeat_but_in_words_and_in_its_own_messages(action, expected):
    rig = Rig(parameters={"BATT_FS_LOW_ACT": action}).ready()
    rig.stream(mavlink.MAVLINK_MSG_ID_SYS_STATUS, rate=2)
    rig.stream(mavlink.MAVLINK_MSG_ID_BATTERY_STATUS, rate=2)
    healthy = of(rig.run(1), "SYS_STATUS")[-1].onboard_control_sensors_health
    assert healthy & mavlink.MAV_SYS_STATUS_SENSOR_BATTERY
    rig.boat.inject(Fault("volts", number=10))
    heard = rig.run(12)
    assert any(text.startswith("Battery 1 is low 10.00V used ") for text in texts(heard))
    assert status(rig) == expected
    last = of(heard, "SYS_STATUS")[-1]
    assert not last.onboard_control_sensors_health & mavlink.MAV_SYS_STATUS_SENSOR_BATTERY
    assert of(heard, "BATTERY_STATUS")[-1].charge_state == mavlink.MAV_BATTERY_CHARGE_STATE_LOW


def test_it_acts_once_and_a_pilot_may_drive_on():
    rig = Rig(parameters={"BATT_FS_LOW_ACT": 2}).ready()
    rig.boat.inject(Fault("volts", number=13.5, seconds=15))
    rig.run(12)
    assert rig.mode(Mode.GUIDED) == mavlink.MAV_RESULT_ACCEPTED
    rig.run(20)
    rig.boat.inject(Fault("volts", number=13.5))
    rig.run(20)
    assert rig.boat.mode is Mode.GUIDED


def test_a_disarmed_boat_does_not_act_on_its_battery():
    rig = Rig(parameters={"BATT_FS_LOW_ACT": 2})
    rig.run(15)
    rig.boat.inject(Fault("volts", number=10))
    assert not any(text.startswith("Battery 1 is") for text in texts(rig.run(20)))
    assert rig.boat.mode is Mode.MANUAL


# the filter


@pytest.mark.parametrize("mode", [Mode.GUIDED, Mode.LOITER])
def test_lost_navigation_ends_in_a_critical_hold_eight_seconds_later(mode):
    rig = Rig().ready(mode)
    rig.run(10)
    rig.boat.inject(Fault("gps", seconds=40))
    rig.run(7)
    assert rig.boat.mode is mode
    heard = rig.run(2)
    assert rig.boat.mode is Mode.HOLD
    assert of(heard, "HEARTBEAT")[-1].system_status == CRITICAL
    assert texts(heard) == ["EKF variance", "EKF failsafe"]
    assert "EKF3 IMU0 stopped aiding" in texts(rig.run(10))
    said = texts(rig.run(35))
    assert said.index("EKF3 IMU0 is using GPS") < said.index("EKF failsafe cleared")
    assert (rig.boat.mode, status(rig)) == (Mode.HOLD, STANDBY)


@pytest.mark.parametrize("mode", [Mode.MANUAL, Mode.HOLD])
def test_modes_that_need_no_position_are_kept_but_the_heartbeat_is_critical(mode):
    rig = Rig().ready(mode)
    rig.run(1)
    rig.boat.inject(Fault("gps"))
    assert texts(rig.run(12)) == ["EKF variance"]
    assert (rig.boat.mode, status(rig)) == (mode, CRITICAL)
