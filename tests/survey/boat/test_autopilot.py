"""Modes and targets, as ArduPilot Rover documents them."""

import math

import numpy as np
import pytest

from akrig.survey.boat import Fault
from akrig.survey.boat.dialect import Mode, mavlink
from tests.survey.boat.rig import GROUND, POSITION_ONLY, Rig, of, on_the_wire, texts

ACCEPTED, DENIED, FAILED = mavlink.MAV_RESULT_ACCEPTED, mavlink.MAV_RESULT_DENIED, mavlink.MAV_RESULT_FAILED
WINDY = {"wind_speed": 5.0, "wind_towards": 0.7, "gusts": 1.0, "current_speed": 0.15, "current_towards": 2.0}


# arming


def test_a_disarmed_boat_keeps_its_motors_off():
    rig = Rig().ready()
    rig.go_to(0, 50)
    rig.run(10)
    assert rig.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 0) == ACCEPTED
    rig.run(20)
    assert (rig.boat.motion.left, rig.boat.motion.right) == pytest.approx((0, 0), abs=1e-6)


def test_home_is_where_it_was_armed():
    rig = Rig(current_speed=0.3)
    rig.run(60)
    assert rig.arm() == ACCEPTED
    armed_at = rig.boat.position
    rig.run(20)
    assert rig.boat.autopilot.home == pytest.approx(armed_at, abs=2)


# GUIDED


@pytest.mark.parametrize("goal", [(40.0, 0.0), (-30.0, -30.0), (0.0, 25.0)])
@pytest.mark.parametrize("weather", [{}, WINDY])
def test_goes_to_a_target_says_so_once_and_stays_near(goal, weather):
    rig = Rig(**weather).ready()
    rig.go_to(*goal)
    heard = rig.run(150)
    assert [message.seq for message in of(heard, "MISSION_ITEM_REACHED")] == [0]
    away = []
    for _ in range(60):
        away.append(rig.away_from(*goal))
        rig.run(1)
    assert max(away) < 6
    assert len(of(rig.heard, "MISSION_ITEM_REACHED")) == 1


def test_keeps_to_the_straight_line_in_wind():
    rig = Rig(**WINDY).ready()
    begin, goal = np.array(rig.boat.position), np.array([70.0, 10.0])
    rig.go_to(*goal)
    along = (goal - begin) / np.linalg.norm(goal - begin)
    rig.run(5)
    off = []
    while rig.away_from(*goal) > 5:
        rig.run(0.5)
        x, y = np.array(rig.boat.position) - begin
        off.append(abs(x * along[1] - y * along[0]))
    assert max(off) < 3


def test_after_arrival_it_drifts_within_the_loiter_radius_and_is_corrected():
    rig = Rig(current_speed=0.2).ready()
    rig.go_to(20, 0)
    rig.run(40)
    centre = rig.boat.autopilot.task.goal
    away = []
    for _ in range(120):
        rig.run(1)
        away.append(rig.away_from(*centre))
    assert max(away) > 1.0  # it does drift
    assert max(away) < 4.5  # LOIT_RADIUS is 2, and the GPS is off by up to a metre


def test_a_target_passed_is_a_target_reached():
    rig = Rig(parameters={"WP_RADIUS": 0.01}).ready()
    rig.go_to(0, 30)
    assert of(rig.run(60), "MISSION_ITEM_REACHED")


@pytest.mark.parametrize("mode", [Mode.HOLD, Mode.MANUAL, Mode.LOITER, Mode.RTL])
def test_targets_are_ignored_in_other_modes(mode):
    rig = Rig().ready(mode)
    rig.go_to(50, 50)
    rig.run(30)
    assert math.hypot(*rig.boat.position) < 4


def test_one_position_bit_in_the_mask_ignores_the_position():
    rig = Rig().ready()
    rig.go_to(50, 0, mask=POSITION_ONLY | 0b100)
    rig.run(20)
    assert rig.away_from(0, 0) < 4


def test_an_acceleration_in_the_mask_is_refused_aloud():
    rig = Rig().ready()
    rig.go_to(50, 0, mask=POSITION_ONLY & ~0b111000000)
    assert "set ACC_IGNORE in mask" in "".join(texts(rig.run(1)))
    assert rig.away_from(0, 0) < 4


@pytest.mark.parametrize(
    ("frame", "goal"),
    [
        (mavlink.MAV_FRAME_LOCAL_NED, (-10, 30)),
        (mavlink.MAV_FRAME_LOCAL_OFFSET_NED, (-10, 30)),
        (mavlink.MAV_FRAME_BODY_OFFSET_NED, (30, 10)),
    ],
)
def test_local_targets(frame, goal):
    rig = Rig(heading=math.pi / 2).ready()  # facing east
    message = mavlink.MAVLink_set_position_target_local_ned_message(0, 1, 1, frame, POSITION_ONLY, 30, -10, *(0.0,) * 9)
    rig.send(message)
    rig.run_until(lambda: rig.away_from(*goal) < 4, seconds=60)


def test_a_velocity_is_kept_until_it_is_no_longer_sent():
    rig = Rig().ready()
    mask = 0b110111000111
    message = mavlink.MAVLink_set_position_target_local_ned_message(0, 1, 1, 1, mask, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)
    for _ in range(10):
        rig.send(message)
        rig.run(1)
    assert rig.boat.position[0] > 4
    assert abs(rig.boat.position[1]) < 2
    assert "target not received last 3.0 secs, stopping" in texts(rig.run(10))


def test_the_old_guided_mission_item():
    rig = Rig().ready()
    latitude, longitude = on_the_wire(0, 30)
    item = mavlink.MAVLink_mission_item_message(1, 1, 0, 3, 16, 2, 1, 0, 0, 0, 0, latitude / 1e7, longitude / 1e7, 0)
    (ack,) = rig.send(item)
    assert (ack.type, ack.target_system) == (mavlink.MAV_MISSION_ACCEPTED, GROUND[0])
    rig.run_until(lambda: rig.away_from(0, 30) < 4, seconds=60)
    rig.mode(Mode.HOLD)
    assert rig.send(item)[0].type == mavlink.MAV_MISSION_ERROR


def test_reposition_changes_the_mode_only_if_asked_to():
    rig = Rig().ready(Mode.HOLD)
    latitude, longitude = on_the_wire(30, 0)

    def order(flags: int, x: int = latitude) -> int:
        message = mavlink.MAVLink_command_int_message(
            1, 1, 0, mavlink.MAV_CMD_DO_REPOSITION, 0, 0, -1, flags, 0, 0, x, longitude, 0
        )
        return of(rig.send(message), "COMMAND_ACK")[0].result

    assert order(0) == DENIED
    assert order(1, x=1_000_000_000) == DENIED
    assert order(1) == ACCEPTED
    assert rig.boat.mode is Mode.GUIDED


def test_speed_by_command_and_by_parameter():
    rig = Rig().ready()
    rig.go_to(0, 100)
    assert rig.command(mavlink.MAV_CMD_DO_CHANGE_SPEED, 1, 0.7) == ACCEPTED
    assert rig.command(mavlink.MAV_CMD_DO_CHANGE_SPEED, 1, math.nan) == FAILED
    rig.run(30)
    assert rig.boat.motion.surge == pytest.approx(0.7, abs=0.12)
    rig.mode(Mode.HOLD)
    rig.mode(Mode.GUIDED)
    rig.go_to(0, 200)
    rig.run(20)
    assert rig.boat.motion.surge == pytest.approx(1.5, abs=0.12)


@pytest.mark.parametrize("mode", [Mode.GUIDED, Mode.HOLD, Mode.LOITER])
def test_a_speed_is_refused_while_the_boat_is_on_its_way_to_nowhere(mode):
    assert Rig().ready(mode).command(mavlink.MAV_CMD_DO_CHANGE_SPEED, 1, 0.7) == FAILED


# other modes


def test_hold_switches_the_motors_off_and_drifts():
    rig = Rig(current_speed=0.3, current_towards=math.pi / 2).ready(Mode.HOLD)
    begin = rig.boat.position[0]
    rig.run(60)
    assert rig.boat.position[0] - begin == pytest.approx(18, abs=0.5)


def test_loiter_does_not_drift_away():
    rig = Rig(current_speed=0.3).ready(Mode.LOITER)
    begin = rig.boat.position
    rig.run(120)
    assert rig.away_from(*begin) < 5


def test_return_goes_straight_home():
    rig = Rig().ready()
    rig.go_to(40, 30)
    rig.run_until(lambda: rig.away_from(40, 30) < 3, seconds=90)
    assert rig.command(mavlink.MAV_CMD_NAV_RETURN_TO_LAUNCH) == ACCEPTED
    heard = rig.run(90)
    assert "Reached destination" in texts(heard)
    assert not of(heard, "MISSION_ITEM_REACHED")
    assert rig.away_from(0, 0) < 5


def test_manual_obeys_the_sticks_until_they_fall_silent():
    rig = Rig().ready(Mode.MANUAL)
    for _ in range(20):
        rig.send(mavlink.MAVLink_manual_control_message(1, 0, 0, 900, 0, 0))
        rig.run(0.5)
    assert rig.boat.motion.surge > 1
    rig.run(20)
    assert rig.boat.motion.surge < 0.2


def test_modes_that_need_a_place_are_refused_to_an_armed_boat_without_one():
    rig = Rig().ready(Mode.HOLD)
    rig.boat.inject(Fault("gps"))
    rig.run(20)
    assert rig.mode(Mode.GUIDED) == FAILED
    assert "Flight mode change failed" in texts(rig.run(0.1))
    assert rig.mode(Mode.MANUAL) == ACCEPTED


def test_the_battery_drains_faster_under_way():
    resting, sailing = Rig().ready(Mode.HOLD), Rig().ready()
    sailing.go_to(0, 300)
    used = []
    for rig in (resting, sailing):
        before = rig.boat.battery.used
        rig.run(100)
        used.append(rig.boat.battery.used - before)
    assert used[1] > 5 * used[0] > 0
