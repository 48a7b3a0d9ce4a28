"""Position, sonar and battery before the start."""

import pytest

from akrig.survey.link import Sounding
from akrig.survey.preflight import examine
from tests.survey.preflight.boats import ISLAND, found, lake, ready, survey


def names(facts) -> list[str]:
    return [finding.name for finding in examine(facts)]


@pytest.mark.parametrize(
    ("changes", "standing", "says"),
    [
        ({}, "good", "HDOP 0.8, 14 satellites"),
        ({"hdop": 2.4}, "warning", "coarse"),
        ({"gps_trouble": "no GPS fix", "satellites": 3}, "warning", "no GPS fix, 3 satellites"),
        ({"place": None}, "warning", "no position was sent"),
        ({"hdop": None, "satellites": None}, "good", "trusted."),
    ],
)
def test_position(changes, standing, says):
    finding = found(ready(**changes), "position")
    assert finding.standing == standing
    assert says in finding.sentence


@pytest.mark.parametrize(
    ("place", "standing", "says"),
    [
        ((20.0, 20.0), "good", "20 m from the nearest border"),
        ((2.0, 50.0), "warning", "2.0 m from a border, nearer than safety.margin (5 m)"),
        ((-5.0, 50.0), "danger", "The boat is at 47.3"),
        ((50.0, 50.0), "danger", "10 m outside the area or in a keep-out"),
        ((-90_000.0, 50.0), "danger", "90 km outside"),
        (None, "note", "Not known"),
    ],
)
def test_place(place, standing, says):
    finding = found(ready(place=place, area=lake(ISLAND)), "place")
    assert finding.standing == standing
    assert says in finding.sentence


def test_a_sounding_is_told():
    assert found(ready(), "sonar").sentence == "The water is 4.87 m deep here."


def test_a_refused_sounding_is_told_with_its_reason():
    finding = found(ready(sounding=Sounding(0.0, None, 0.1, 0.1, "out of range")), "sonar")
    assert finding.standing == "warning"
    assert "refused: out of range." in finding.sentence


@pytest.mark.parametrize(
    ("changes", "missing", "remedy"),
    [
        ({"RNGFND1_TYPE": 0}, "RNGFND1_TYPE", ("param set RNGFND1_TYPE 23", "param set RNGFND1_ORIENT 25")),
        ({"RNGFND1_ORIENT": 0}, "RNGFND1_ORIENT", ("param set RNGFND1_ORIENT 25",)),
    ],
)
def test_why_no_sounding_comes_may_be_known(changes, missing, remedy):
    facts = ready(sounding=None, **changes)
    assert found(facts, "sonar").standing == "warning"
    assert found(facts, missing).remedy == remedy


def test_a_sonar_beside_the_autopilot_needs_no_parameter():
    beside = ready(survey=survey(depth={"source": "nmea:udpin:127.0.0.1:10110"}), RNGFND1_TYPE=0, sounding=None)
    assert not [name for name in names(beside) if name.startswith("RNGFND")]
    speaks_for_itself = ready(RNGFND1_TYPE=0)
    assert not [name for name in names(speaks_for_itself) if name.startswith("RNGFND")]


@pytest.mark.parametrize(("name", "value", "line"), [("RNGFND1_MAX", 7, 60), ("RNGFND1_MAX_CM", 700, 6000)])
def test_a_sonar_that_sees_less_deep_than_believed(name, value, line):
    facts = ready(survey=survey(depth={"deepest": 60}), **{"RNGFND1_MAX": None, name: value})
    finding = found(facts, name)
    assert finding.standing == "warning"
    assert "deeper than 7 m is refused" in finding.sentence
    assert finding.remedy == (f"param set {name} {line}", "or, in the mission file: depth.deepest = 7")


@pytest.mark.parametrize(
    ("changes", "standing", "says"),
    [
        ({}, "good", "93% and 15.9 V."),
        ({"battery": 0.1}, "danger", "below 20% (safety.battery)"),
        ({"voltage": 10.0}, "danger", "93% and 10.0 V; both cannot be right: below 14 V"),
        ({"voltage": 13.5, "battery": 0.3}, "danger", "30% and 13.5 V: below 14 V"),
        ({"battery": None}, "note", "15.9 V;"),
        ({"voltage": None, "low_voltage": None}, "good", "93%."),
        ({"voltage": 0.0}, "good", "93%."),
        ({"battery": None, "voltage": None}, "warning", "tells nothing"),
    ],
)
def test_battery(changes, standing, says):
    finding = found(ready(**changes), "battery")
    assert finding.standing == standing
    assert says in finding.sentence


def test_a_boat_that_does_not_measure_its_battery():
    finding = found(ready(BATT_MONITOR=0, BATT_LOW_VOLT=0, battery=None, voltage=0.0), "BATT_MONITOR")
    assert finding.remedy == ("param set BATT_MONITOR 4",)


@pytest.mark.parametrize(("volts", "limit"), [(12.6, "10.5"), (11.0, "10.5"), (16.8, "14"), (14.8, "14"), (25.2, "21")])
def test_a_limit_by_volts_is_advised_for_the_cells_it_must_have(volts, limit):
    finding = found(ready(BATT_LOW_VOLT=0, voltage=volts, low_voltage=None), "BATT_LOW_VOLT")
    assert finding.standing == "warning"
    assert finding.remedy == (f"param set BATT_LOW_VOLT {limit}",)


def test_what_the_boat_does_at_low_voltage():
    assert found(ready(BATT_FS_LOW_ACT=2), "BATT_FS_LOW_ACT").remedy == ("param set BATT_FS_LOW_ACT 6",)
    assert found(ready(BATT_FS_LOW_ACT=0), "BATT_FS_LOW_ACT").standing == "note"
    assert "BATT_FS_LOW_ACT" not in names(ready(BATT_LOW_VOLT=0))
