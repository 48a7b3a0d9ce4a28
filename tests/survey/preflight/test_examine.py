"""All checks together: a boat that is ready, one that is not ArduPilot, one that says nothing."""

import re

import pytest

from akrig.survey.preflight import CHECKS, PARAMETERS, Facts, examine
from tests.survey.preflight.boats import ISLAND, lake, ready, survey


def standings(facts: Facts) -> dict[str, str]:
    return {finding.name: finding.standing for finding in examine(facts)}


def test_a_boat_as_the_manual_says_is_well():
    assert set(standings(ready()).values()) == {"good", "note"}
    assert [name for name, standing in standings(ready()).items() if standing == "note"] == ["FENCE_ENABLE"]


def test_an_older_boat_as_the_manual_says_only_lacks_loiter():
    older = {"MAV_GCS_SYSID": None, "SYSID_MYGCS": 255, "ARMING_SKIPCHK": None, "ARMING_CHECK": 1}
    older |= {"RNGFND1_MAX": None, "RNGFND1_MAX_CM": 10000, "FS_ACTION": 2, "BATT_FS_LOW_ACT": 0}
    found = standings(ready(version=(4, 5, 7), **older))
    assert {name for name, standing in found.items() if standing == "warning"} == {"FS_ACTION"}
    assert "danger" not in found.values()


def test_a_boat_that_is_no_ardupilot_gets_through_with_a_note():
    found = standings(ready(is_ardupilot=False, parameters={}, version=(1, 15, 0), vehicle=None))
    assert found["firmware"] == "note"
    assert not set(found.values()) - {"good", "note"}


def test_a_boat_that_says_nothing_at_all_is_no_error():
    nothing = Facts(survey(), lake(), speed=1.5)
    assert "danger" not in standings(nothing).values()
    assert standings(nothing)["FS_GCS_ENABLE"] == "warning"


@pytest.mark.parametrize("value", [-1.0, 0.0, 0.5, 1.0, 2.0, 7.0, 99.0, 2.0**31])
def test_no_value_of_a_parameter_is_too_strange(value):
    for names in (*PARAMETERS, ("MAV_GCS_SYSID_HI",)):
        for name in names:
            assert examine(ready(**{name: value}))


def test_every_sentence_is_one_and_every_line_to_type_is_whole():
    for facts in strange_boats():
        for finding in examine(facts):
            assert re.fullmatch(r"[A-Z0-9].*[.:]", finding.sentence), finding
            assert "  " not in finding.sentence
            assert len(finding.title) <= 22
            for line in finding.remedy:
                assert re.fullmatch(r"param set [A-Z0-9_]{1,16} -?\d+(\.\d+)?|or, in the mission file: .*", line), line
                assert len(line) <= 50


def strange_boats():
    yield from (ready(**{name: value}) for name in ready().parameters for value in (0, 1, 2, 3, 4, 5, 6, 300))
    yield ready(version=(3, 5, 0), objections=("PreArm: Battery 1 low voltage failsafe", "PreArm: GPS 1: Bad fix"))
    yield ready(FENCE_ENABLE=1, FENCE_TYPE=6, FENCE_RADIUS=30, FENCE_ACTION=1, FENCE_MARGIN=12, FENCE_TOTAL=0)
    yield ready(place=(-3000.0, 0.0), sounding=None, battery=None, voltage=None, room=1000, stations=(255, 3))
    yield ready(area=lake(ISLAND, ISLAND + 20), vehicle="quadrotor", armed=True, gps_trouble="no GPS fix")


def test_each_check_is_there_once():
    assert len(set(CHECKS)) == len(CHECKS)
