"""The water level's file and the disk."""

from akrig.survey.preflight import examine
from tests.survey.preflight.boats import found, ready, survey

GAUGE = survey(depth={"water_level": "gauge.csv"})


def test_a_water_level_that_does_not_cover_the_survey_keeps_it_from_starting():
    assert found(ready(survey=GAUGE), "water level").standing == "good"
    finding = found(ready(survey=GAUGE, level_trouble="gauge.csv covers yesterday."), "water level")
    assert (finding.standing, finding.sentence) == ("danger", "gauge.csv covers yesterday.")
    assert not [finding for finding in examine(ready()) if finding.name == "water level"]


def test_little_room_is_told():
    assert found(ready(), "disk").sentence == "20 GB are left where the run is written."
    finding = found(ready(room=30_000_000), "disk")
    assert finding.standing == "warning"
    assert "Only 30 MB" in finding.sentence
