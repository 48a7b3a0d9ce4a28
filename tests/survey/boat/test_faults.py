import math

import numpy as np
import pytest

from akrig.survey.boat import Fault, parse_fault, parse_schedule
from akrig.survey.boat.dialect import Mode, mavlink
from akrig.survey.boat.faults import NAMES, ScheduledFault, UnknownFault
from tests.survey.boat.rig import Rig, of, texts


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("gps", Fault("gps")),
        ("sonar for 12.5", Fault("sonar", seconds=12.5)),
        ("link for 3", Fault("link", seconds=3)),
        ("battery", Fault("battery", number=12)),
        ("battery 30", Fault("battery", number=30)),
        ("thruster", Fault("thruster")),
        ("thruster left", Fault("thruster", side="left")),
        ("thruster right 0.4 for 20", Fault("thruster", side="right", number=0.4, seconds=20)),
        ("volts", Fault("volts", number=10)),
        ("volts 11.5 for 60", Fault("volts", number=11.5, seconds=60)),
        ("reboot", Fault("reboot")),
        ("pilot hold", Fault("pilot", mode=Mode.HOLD)),
        ("pilot", Fault("pilot", mode=Mode.MANUAL)),
        ("disarm", Fault("disarm")),
        ("failsafe", Fault("failsafe")),
        ("failsafe rtl for 20", Fault("failsafe", mode=Mode.RTL, seconds=20)),
        ("clear", Fault("clear")),
    ],
)
def test_faults_in_words(words, fault):
    assert parse_fault(words) == fault


@pytest.mark.parametrize(
    "words", ["", "rain", "gps 3", "gps for ever", "gps for -1", "battery full", "battery 200", "thruster left 2",
              "thruster middle", "pilot SLEEP", "volts high", "failsafe SLEEP", "disarm HOLD", "reboot now", "for 3",
              "\x00\xff"],
)  # fmt: skip
def test_words_that_are_no_fault_are_refused_with_a_hint(words):
    with pytest.raises(UnknownFault, match=r"try|takes no"):
        parse_fault(words)


def test_scheduled_faults():
    assert parse_schedule("gps@120+30") == ScheduledFault(120, Fault("gps", seconds=30))
    assert parse_schedule("reboot@60") == ScheduledFault(60, Fault("reboot"))
    assert parse_schedule("thruster left 0.5@4+2") == ScheduledFault(4, Fault("thruster", "left", 0.5, seconds=2))
    assert parse_schedule("pilot:HOLD@9") == ScheduledFault(9, Fault("pilot", mode=Mode.HOLD))
    for wrong in ("gps", "gps@", "gps@soon", "@3", "gps@-4"):
        with pytest.raises(UnknownFault):
            parse_schedule(wrong)


@pytest.mark.parametrize("name", NAMES)
def test_each_fault_is_answered_with_a_line(name):
    line = Rig().boat.inject(Fault(name))
    assert line.startswith(name)
    assert line.endswith("from boat second 0.0")


def test_gps_loss_shows_in_the_messages_and_ends_by_itself():
    rig = Rig()
    rig.run(15)
    rig.stream(mavlink.MAVLINK_MSG_ID_GPS_RAW_INT, rate=5)
    rig.boat.inject(Fault("gps", seconds=10))
    kinds = [message.fix_type for message in of(rig.run(20), "GPS_RAW_INT")]
    assert kinds[5:45] == [mavlink.GPS_FIX_TYPE_NO_FIX] * 40
    assert kinds[-1] == mavlink.GPS_FIX_TYPE_3D_FIX
    assert not rig.boat.faults


def test_a_silent_sonar_sends_no_depth():
    rig = Rig(sonar_dropout_rate=0)
    rig.stream(mavlink.MAVLINK_MSG_ID_DISTANCE_SENSOR, rate=5)
    assert len(of(rig.run(4), "DISTANCE_SENSOR")) >= 18
    rig.boat.inject(Fault("sonar", seconds=6))
    assert len(of(rig.run(6), "DISTANCE_SENSOR")) <= 2
    assert len(of(rig.run(4), "DISTANCE_SENSOR")) >= 17


def test_a_lost_link_lets_nothing_through_in_either_direction():
    rig = Rig().ready(Mode.HOLD)
    rig.boat.inject(Fault("link", seconds=10))
    assert rig.mode(Mode.GUIDED) is None
    assert rig.run(9.9) == []
    assert rig.boat.mode is Mode.HOLD
    assert of(rig.run(2), "HEARTBEAT")
    assert rig.mode(Mode.GUIDED) == mavlink.MAV_RESULT_ACCEPTED


def test_a_low_battery_shows_and_comes_back_after_its_time():
    rig = Rig()
    rig.stream(mavlink.MAVLINK_MSG_ID_SYS_STATUS, rate=2)
    rig.boat.inject(Fault("battery", number=10, seconds=20))
    low = of(rig.run(10), "SYS_STATUS")[-1]
    assert low.battery_remaining == 10
    assert low.voltage_battery < 13_800
    assert of(rig.run(15), "SYS_STATUS")[-1].battery_remaining > 95


def test_volts_that_sag_leave_the_percentage_as_it_was():
    rig = Rig(battery_start=0.93)
    rig.stream(mavlink.MAVLINK_MSG_ID_SYS_STATUS, rate=2)
    rig.boat.inject(Fault("volts", number=10, seconds=20))
    low = of(rig.run(10), "SYS_STATUS")[-1]
    assert (low.voltage_battery, low.battery_remaining) == (10_000, 93)
    assert of(rig.run(15), "SYS_STATUS")[-1].voltage_battery > 15_000


@pytest.mark.parametrize(("side", "turns"), [("left", -1), ("right", 1)])
def test_with_one_thruster_gone_it_turns_to_that_side(side, turns):
    rig = Rig().ready(Mode.MANUAL)
    rig.boat.inject(Fault("thruster", side=side))
    for _ in range(6):
        rig.send(mavlink.MAVLink_manual_control_message(1, 0, 0, 900, 0, 0))
        rig.run(0.5)
    assert turns * rig.boat.motion.turn > 0.1


def test_without_thrusters_it_goes_nowhere():
    rig = Rig().ready()
    rig.boat.inject(Fault("thruster"))
    rig.go_to(50, 0)
    rig.run(30)
    assert rig.away_from(0, 0) < 0.5


def test_weak_thrusters_make_it_slow():
    rig = Rig().ready()
    rig.boat.inject(Fault("thruster", number=0.2))
    rig.go_to(0, 100)
    rig.run(30)
    assert 0.2 < rig.boat.motion.surge < 1.0


@pytest.mark.parametrize("mode", [Mode.MANUAL, Mode.HOLD, Mode.LOITER, Mode.RTL])
def test_a_pilot_flips_the_mode_and_nothing_but_the_heartbeat_tells(mode):
    rig = Rig().ready()
    rig.go_to(0, 60)
    rig.run(10)
    rig.boat.inject(Fault("pilot", mode=mode))
    (beat,) = rig.run(0.05)
    status = mavlink.MAV_STATE_STANDBY if mode is Mode.HOLD else mavlink.MAV_STATE_ACTIVE
    assert (beat.get_type(), beat.custom_mode, beat.system_status) == ("HEARTBEAT", mode, status)


def test_a_pilot_who_wants_a_mode_that_cannot_be_is_told_so_aloud():
    rig = Rig().ready()
    rig.boat.inject(Fault("pilot", mode=Mode.AUTO))
    assert texts(rig.run(0.1))[-2:] == ["No Mission. Can't set AUTO.", "Flight mode change failed"]
    assert rig.boat.mode is Mode.GUIDED


def test_a_pilot_who_disarms_is_heard_of_and_the_next_heartbeat_shows_it():
    rig = Rig().ready()
    rig.boat.inject(Fault("disarm"))
    heard = rig.run(1.1)
    assert "Throttle disarmed" in texts(heard)
    assert not of(heard, "HEARTBEAT")[-1].base_mode & mavlink.MAV_MODE_FLAG_SAFETY_ARMED


def test_clear_ends_all_faults():
    rig = Rig()
    for name in ("gps", "sonar", "thruster", "battery"):
        rig.boat.inject(Fault(name))
    rig.boat.inject(Fault("clear"))
    assert not rig.boat.faults
    assert rig.boat.battery.share > 0.9


# reboot


def test_a_reboot_is_silent_then_starts_anew_where_the_boat_is():
    rig = Rig(current_speed=0.2).ready()
    rig.stream(33, rate=5)
    rig.go_to(40, 0)
    rig.run(30)
    before = np.array(rig.boat.position)
    rig.boat.inject(Fault("reboot"))
    assert rig.run(2.9) == []
    assert rig.mode(Mode.HOLD) is None
    heard = rig.run(5)
    assert of(heard, "HEARTBEAT")[0].custom_mode == Mode.INITIALIZING
    assert not of(heard, "GLOBAL_POSITION_INT")  # streams are forgotten
    assert not rig.boat.is_armed
    assert rig.boat.autopilot.home is None
    assert np.hypot(*(np.array(rig.boat.position) - before)) < 6
    rig.stream(2, rate=5)
    assert of(rig.run(1), "SYSTEM_TIME")[0].time_boot_ms < 7000
    rig.mode(Mode.GUIDED)
    assert rig.arm() == mavlink.MAV_RESULT_FAILED
    rig.run(10)
    assert rig.arm() == mavlink.MAV_RESULT_ACCEPTED
    assert rig.boat.autopilot.home == pytest.approx(rig.boat.position, abs=2)


def test_parameters_outlive_a_reboot():
    rig = Rig()
    rig.send(mavlink.MAVLink_param_set_message(1, 1, b"WP_RADIUS", 3.5, 9))
    rig.boat.reboot()
    rig.run(5)
    assert rig.send(mavlink.MAVLink_param_request_read_message(1, 1, b"WP_RADIUS", -1))[0].param_value == 3.5


def test_a_reboot_on_command_only_when_disarmed():
    rig = Rig().ready()
    assert rig.command(mavlink.MAV_CMD_PREFLIGHT_REBOOT_SHUTDOWN, 1) == mavlink.MAV_RESULT_FAILED
    rig.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 0)
    assert rig.command(mavlink.MAV_CMD_PREFLIGHT_REBOOT_SHUTDOWN, 1) == mavlink.MAV_RESULT_ACCEPTED
    rig.run(0.1)
    assert rig.boat.is_rebooting
    assert "ArduPilot Rover (simulated by akrig)" in texts(rig.run(6))


def test_a_fault_that_cannot_be_is_a_wrong_argument():
    for wrong in ({"name": "rain"}, {"name": "gps", "seconds": 0.0}, {"name": "thruster", "side": "top"}):
        with pytest.raises(ValueError, match="A fault needs"):
            Fault(**wrong)
    assert math.isinf(Fault("gps").seconds)
