"""What the boat does when akrig is lost, by its parameters."""

import pytest

from tests.survey.preflight.boats import BAY, ISLAND, found, lake, ready, survey


def test_a_boat_that_does_not_miss_akrig_is_dangerous():
    finding = found(ready(FS_GCS_ENABLE=0), "FS_GCS_ENABLE")
    assert finding.standing == "danger"
    assert "drives on" in finding.sentence
    assert finding.remedy == ("param set FS_GCS_ENABLE 1",)


@pytest.mark.parametrize("value", [1, 2])
def test_both_ways_to_miss_akrig_are_well(value):
    assert found(ready(FS_GCS_ENABLE=value), "FS_GCS_ENABLE").standing == "good"


@pytest.mark.parametrize(
    ("action", "standing", "says"),
    [
        (0, "danger", "does nothing"),
        (1, "warning", "through keep-outs and over land"),
        (2, "warning", "stops its motors and drifts"),
        (3, "warning", "straight through keep-outs"),
        (4, "warning", "drifts"),
        (5, "warning", "disarms and drifts"),
        (6, "good", "keeps its place"),
        (7, "danger", "does nothing"),
    ],
)
def test_what_will_happen_is_said(action, standing, says):
    finding = found(ready(FS_ACTION=action), "FS_ACTION")
    assert (finding.standing, finding.value) == (standing, str(action))
    assert says in finding.sentence
    assert finding.remedy == (() if action == 6 else ("param set FS_ACTION 6",))


@pytest.mark.parametrize(("version", "standing"), [((4, 5, 7), "danger"), ((4, 6, 3), "danger"), ((4, 7, 0), "good")])
def test_loiter_is_nothing_to_a_rover_before_4_7(version, standing):
    finding = found(ready(FS_ACTION=6, version=version), "FS_ACTION")
    assert finding.standing == standing
    if standing == "danger":
        assert "does nothing" in finding.sentence
        assert finding.remedy == ("param set FS_ACTION 2",)


def test_a_boat_that_does_not_tell_its_version_is_known_by_its_parameters():
    assert found(ready(version=None), "FS_ACTION").standing == "good"
    assert found(ready(version=None, MAV_GCS_SYSID=None, SYSID_MYGCS=255), "FS_ACTION").standing == "danger"


def test_straight_home_is_well_where_every_straight_way_is_clear():
    assert found(ready(FS_ACTION=1, area=lake()), "FS_ACTION").standing == "good"
    assert found(ready(FS_ACTION=1, area=lake(ISLAND)), "FS_ACTION").standing == "warning"
    assert found(ready(FS_ACTION=1, area=lake(fence=BAY)), "FS_ACTION").standing == "warning"


def test_an_older_boat_is_sent_straight_home_where_that_is_clear():
    finding = found(ready(FS_ACTION=0, version=(4, 5, 0), area=lake()), "FS_ACTION")
    assert finding.remedy == ("param set FS_ACTION 1",)


@pytest.mark.parametrize(
    ("first", "last", "whole", "standing"),
    [(5, 5, 10, "good"), (5, 1.5, 6.5, "good"), (20, 10, 30, "warning"), (1, 1, 2, "warning"), (None, 5, 10, "good")],
)
def test_the_two_times_add_up(first, last, whole, standing):
    finding = found(ready(FS_GCS_TIMEOUT=first, FS_TIMEOUT=last), "FS_TIMEOUT")
    assert finding.standing == standing
    assert f"after {whole:g} s" in finding.sentence


@pytest.mark.parametrize("name", ["MAV_GCS_SYSID", "SYSID_MYGCS"])
def test_a_boat_that_waits_for_somebody_else_is_dangerous(name):
    names = {"MAV_GCS_SYSID": None, name: 252}
    finding = found(ready(**names), name)
    assert finding.standing == "danger"
    assert finding.remedy == (f"param set {name} 255", "or, in the mission file: link.id = 252")
    assert found(ready(**names, survey=survey(link={"id": 252})), name).standing == "good"


def test_a_boat_may_wait_for_several_stations():
    several = {"MAV_GCS_SYSID": 250, "MAV_GCS_SYSID_HI": 255}
    assert found(ready(**several), "MAV_GCS_SYSID").standing == "good"
    assert found(ready(**several, survey=survey(link={"id": 249})), "MAV_GCS_SYSID").standing == "danger"
    assert found(ready(**several, stations=(251,)), "ground stations").standing == "warning"


@pytest.mark.parametrize(
    ("stations", "standing", "says"),
    [
        ((), "good", "No other"),
        ((250,), "note", "250"),
        ((250, 255), "warning", "does not notice that akrig has stopped"),
    ],
)
def test_who_else_is_on_the_line(stations, standing, says):
    finding = found(ready(stations=stations), "ground stations")
    assert finding.standing == standing
    assert says in finding.sentence


@pytest.mark.parametrize("action", [0, 2])
def test_an_older_boat_is_not_advised_to_drift_where_it_need_not(action):
    older = {"version": (4, 5, 0), "BATT_FS_LOW_ACT": action, "FS_ACTION": 2}
    assert found(ready(**older), "BATT_FS_LOW_ACT").remedy == ()
    assert found(ready(**older), "FS_ACTION").remedy == ()
