"""What the boat is, and whether it is ready to be armed."""

import pytest

from tests.survey.preflight.boats import found, ready, survey


def test_a_drone_is_no_boat():
    finding = found(ready(vehicle="quadrotor"), "firmware")
    assert finding.standing == "danger"
    assert "no boat (quadrotor)" in finding.sentence
    assert found(ready(vehicle="ground rover"), "firmware").standing == "good"


@pytest.mark.parametrize(
    ("version", "standing"), [((4, 8, 0), "good"), ((4, 7, 0), "good"), ((4, 5, 7), "note"), ((4, 0, 0), "warning")]
)
def test_its_version_is_told(version, standing):
    finding = found(ready(version=version), "firmware")
    assert finding.standing == standing
    assert ".".join(map(str, version)) in finding.sentence


@pytest.mark.parametrize("frame", [0, 1, 3])
def test_what_is_not_set_up_as_a_boat_drifts(frame):
    finding = found(ready(FRAME_CLASS=frame), "FRAME_CLASS")
    assert finding.standing == "warning"
    assert finding.remedy == ("param set FRAME_CLASS 2",)


@pytest.mark.parametrize(
    ("changes", "standing", "says"),
    [
        ({}, "good", "Disarmed, in MANUAL; it can be armed."),
        ({"objections": ("PreArm: GPS 1: Bad fix",)}, "warning", "PreArm: GPS 1: Bad fix"),
        ({"can_be_armed": False}, "warning", "does not say why"),
        ({"can_be_armed": None}, "note", "does not say whether"),
        ({"armed": True}, "warning", "takes it from whoever steers"),
        ({"armed": True, "mode": "GUIDED"}, "good", "armed, in GUIDED"),
    ],
)
def test_arming(changes, standing, says):
    finding = found(ready(**changes), "arming")
    assert finding.standing == standing
    assert says in finding.sentence


@pytest.mark.parametrize(
    ("name", "value", "standing", "wanted"),
    [
        ("ARMING_SKIPCHK", 0, "good", 0),
        ("ARMING_SKIPCHK", -1, "warning", 0),
        ("ARMING_SKIPCHK", 64, "warning", 0),
        ("ARMING_CHECK", 1, "good", 1),
        ("ARMING_CHECK", 3, "good", 1),
        ("ARMING_CHECK", 0, "warning", 1),
        ("ARMING_CHECK", 64, "warning", 1),
    ],
)
def test_checks_that_are_left_out(name, value, standing, wanted):
    finding = found(ready(**{"ARMING_SKIPCHK": None, name: value}), name)
    assert finding.standing == standing
    assert finding.remedy == (() if standing == "good" else (f"param set {name} {wanted}",))


def test_a_waypoint_must_be_reached_for_both():
    finding = found(ready(WP_RADIUS=3), "WP_RADIUS")
    assert finding.standing == "warning"
    assert finding.remedy == ("param set WP_RADIUS 2",)
    assert found(ready(WP_RADIUS=3, survey=survey(safety={"goal_radius": 3})), "WP_RADIUS").standing == "good"


def test_a_boat_that_is_much_faster_by_itself_is_told():
    finding = found(ready(WP_SPEED=3), "WP_SPEED")
    assert finding.standing == "warning"
    assert finding.remedy == ("param set WP_SPEED 1.5",)
