"""The fence on board, where there is one."""

import pytest

from akrig.survey.preflight import examine
from tests.survey.preflight.boats import SQUARE, found, lake, ready

FENCED = {"FENCE_ENABLE": 1, "FENCE_TYPE": 4, "FENCE_TOTAL": 5, "FENCE_ACTION": 6, "FENCE_MARGIN": 2, "AVOID_ENABLE": 2}


def test_without_one_nothing_else_is_said_of_it():
    names = [finding.name for finding in examine(ready(**{**FENCED, "FENCE_ENABLE": 0}))]
    assert [name for name in names if "FENCE" in name or "AVOID" in name] == ["FENCE_ENABLE"]


def test_one_that_only_holds_the_boat_is_well():
    names = {finding.name: finding.standing for finding in examine(ready(**FENCED))}
    assert names["FENCE_ENABLE"] == names["FENCE_ACTION"] == names["AVOID_ENABLE"] == "good"


@pytest.mark.parametrize(("value", "line"), [(3, 2), (1, 0), (7, 6)])
def test_a_boat_that_steers_away_from_it_fights_akrig(value, line):
    finding = found(ready(**{**FENCED, "AVOID_ENABLE": value}), "AVOID_ENABLE")
    assert finding.standing == "warning"
    assert finding.remedy == (f"param set AVOID_ENABLE {line}",)


@pytest.mark.parametrize(
    ("action", "standing", "remedy"),
    [(0, "note", False), (1, "warning", True), (2, "warning", True), (6, "good", False), (9, "note", False)],
)
def test_what_it_does_beyond(action, standing, remedy):
    finding = found(ready(**{**FENCED, "FENCE_ACTION": action}), "FENCE_ACTION")
    assert finding.standing == standing
    assert finding.remedy == (("param set FENCE_ACTION 6",) if remedy else ())


def test_the_circle_about_home_must_hold_the_area():
    both = {**FENCED, "FENCE_TYPE": 6, "FENCE_RADIUS": 300}
    assert not [finding for finding in examine(ready(**both)) if finding.name == "FENCE_TYPE"]
    finding = found(ready(**both, area=lake(fence=4 * SQUARE)), "FENCE_TYPE")
    assert finding.standing == "warning"
    assert "reaches 537 m" in finding.sentence
    assert finding.remedy == ("param set FENCE_TYPE 4",)


def test_a_polygon_that_was_not_uploaded_is_missed():
    assert "no polygon" in found(ready(**{**FENCED, "FENCE_TOTAL": 0}), "FENCE_ENABLE").sentence


def test_its_margin_must_be_smaller_than_akrigs():
    finding = found(ready(**{**FENCED, "AVOID_ENABLE": 3, "FENCE_MARGIN": 5}), "FENCE_MARGIN")
    assert finding.standing == "warning"
    assert finding.remedy == ("param set FENCE_MARGIN 2",)
