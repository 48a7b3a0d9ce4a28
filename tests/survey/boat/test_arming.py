"""What keeps the boat from being armed, and how it says so: measured on ArduPilot Rover 4.8."""

import pytest

from akrig.survey.boat import Fault
from akrig.survey.boat.dialect import Mode, mavlink
from tests.survey.boat.rig import Rig, of, texts

ACCEPTED, FAILED = mavlink.MAV_RESULT_ACCEPTED, mavlink.MAV_RESULT_FAILED
REASONS = [
    (Fault("gps"), "GPS 1: Bad fix"),
    (Fault("battery", number=5), "Battery 1 low voltage failsafe"),
    (Fault("volts", number=10), "Battery 1 low voltage failsafe"),
    (Fault("sonar"), "Rangefinder 1: No Data"),
]


def test_arming_is_refused_while_the_filter_settles_and_the_reason_said():
    rig = Rig()
    rig.run(5)
    rig.mode(Mode.GUIDED)
    assert rig.arm() == FAILED
    assert any(text.startswith("Arm: ") for text in texts(rig.run(0.1)))
    rig.run(10)
    assert rig.arm() == ACCEPTED
    assert "Throttle armed" in texts(rig.run(0.1))
    assert of(rig.run(1.1), "HEARTBEAT")[-1].base_mode & mavlink.MAV_MODE_FLAG_SAFETY_ARMED


@pytest.mark.parametrize(("fault", "reason"), REASONS)
def test_arming_is_refused_with_the_reason_each_time_unless_forced(fault, reason):
    rig = Rig().settled()
    rig.boat.inject(fault)
    rig.run(1)
    for _ in range(2):
        assert rig.arm() == FAILED
        assert f"Arm: {reason}" in texts(rig.run(0.1))
    assert rig.arm(force=True) == ACCEPTED


@pytest.mark.parametrize(("fault", "reason"), REASONS)
def test_a_new_reason_is_said_at_once_and_then_twice_a_minute(fault, reason):
    rig = Rig().settled()
    rig.run(5)
    rig.boat.inject(fault)
    assert texts(rig.run(2)) == [f"PreArm: {reason}"]
    assert texts(rig.run(62)).count(f"PreArm: {reason}") == 2


def test_reasons_are_said_on_request():
    rig = Rig().settled()
    rig.boat.inject(Fault("sonar"))
    rig.run(5)
    assert rig.command(mavlink.MAV_CMD_RUN_PREARM_CHECKS) == ACCEPTED
    assert texts(rig.run(0.1)) == ["PreArm: Rangefinder 1: No Data"]


@pytest.mark.parametrize("mode", [Mode.MANUAL, Mode.HOLD])
def test_modes_that_need_no_position_can_be_armed_without_one(mode):
    rig = Rig()
    rig.run(3)
    rig.mode(mode)
    assert rig.arm() == ACCEPTED
    assert rig.mode(Mode.GUIDED) == FAILED
    assert "Flight mode change failed" in texts(rig.run(0.1))


def test_by_parameter_every_mode_needs_a_position():
    rig = Rig(parameters={"ARMING_NEED_LOC": 1})
    rig.run(3)
    assert rig.arm() == FAILED


def test_a_boat_on_its_way_home_cannot_be_armed():
    rig = Rig().settled()
    rig.mode(Mode.RTL)
    assert rig.arm() == FAILED
    assert "Arm: Mode not armable" in texts(rig.run(0.1))
    assert rig.boat.mode is Mode.RTL


@pytest.mark.parametrize("parameter", [{"ARMING_CHECK": 0}, {"ARMING_SKIPCHK": -1}])
def test_the_checks_can_be_switched_off_in_old_and_in_new_firmware(parameter):
    rig = Rig(parameters=parameter)
    rig.run(3)
    rig.mode(Mode.GUIDED)
    assert rig.arm() == ACCEPTED
