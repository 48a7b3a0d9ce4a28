"""A mission file becomes settings that need nothing but themselves; what is wrong with it is said at once, in words."""

import json
import re

import pytest

from akrig.config import read_settings, to_toml
from akrig.errors import ConfigError
from akrig.geometry import Box
from akrig.survey.area import InvalidArea
from akrig.survey.link.waterlevel import UnusableWaterLevel
from akrig.survey.settings import area_of, check_bed, load_survey
from tests.survey.pond import write_pond


@pytest.fixture
def mission(tmp_path):
    return write_pond(tmp_path)


def changed(mission, old, new):
    text = mission.read_text()
    assert old in text
    mission.write_text(text.replace(old, new))
    return mission


def test_settings_hold_the_area_itself(mission, tmp_path):
    settings = load_survey(mission)
    (tmp_path / "pond.geojson").unlink()
    (tmp_path / "config.toml").write_text(to_toml(settings, about={}))
    again = read_settings(tmp_path / "config.toml")
    assert again == settings
    area = area_of(again.survey)
    assert area.size == pytest.approx(110 * 70 + 0.5 * 110 * 10 - 10 * 12, rel=0.01)
    assert area.home is not None


def test_pilot_pass_and_way_home_must_fit_the_budget(mission):
    with pytest.raises(ConfigError, match=r"50 metres are fewer than the \d+ or so of the pilot pass and the way home"):
        load_survey(mission, {"budget": {"distance": 50}})


def test_boat_must_have_room_to_turn_in_the_area(mission):
    with pytest.raises(InvalidArea, match=r"needs 60 m for it, it must keep 63.5 m .* smaller safety.turning_radius"):
        load_survey(mission, {"safety": {"turning_radius": 60}})


def test_unknown_words_are_all_named(mission):
    changed(mission, "[safety]", '[saftey]\nx = 1\n[field]\nname = "jacksboro"\n[safety]')
    with pytest.raises(ConfigError) as caught:
        load_survey(mission)
    assert "saftey is not a setting of a survey; did you mean 'safety'?" in str(caught.value)
    assert "field is not a setting of a survey" in str(caught.value)


def test_unknown_word_in_a_section_is_named(mission):
    changed(mission, "spacing = 3", "spaceing = 3")
    with pytest.raises(ConfigError, match=r"survey.depth.spaceing is not a setting; did you mean 'spacing'"):
        load_survey(mission)


@pytest.mark.parametrize(
    ("missing", "said_by"), [("area", r'area = "pond.geojson"'), ("budget", r"\[budget\]\ndistance = \d+")]
)
def test_area_and_budget_are_needed(mission, missing, said_by):
    text, found = re.subn(said_by, "", mission.read_text())
    assert found == 1
    mission.write_text(text)
    with pytest.raises(ConfigError, match=f"{missing} is missing"):
        load_survey(mission)


@pytest.mark.parametrize(
    ("address", "said"),
    [("udpin:14550", "needs a host and a port"), ("/dev/ttyUSB0", "no address of a link"), ("serial:/dev/x", "speed")],
)
def test_address_that_cannot_be_is_refused(mission, address, said):
    with pytest.raises(ConfigError, match=said):
        load_survey(mission, {"link": {"address": address}})


def test_missing_area_file_is_named(mission):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.geojson"):
        load_survey(mission, {"area": "nowhere.geojson"})


def test_self_intersecting_fence_is_refused(mission, tmp_path):
    bow = {"type": "Polygon", "coordinates": [[[8, 47], [8.001, 47.001], [8.001, 47], [8, 47.001], [8, 47]]]}
    (tmp_path / "bow.geojson").write_text(json.dumps(bow))
    with pytest.raises(InvalidArea, match="cross"):
        load_survey(mission, {"area": "bow.geojson"})


def test_water_level_file_is_read_beforehand(mission, tmp_path):
    (tmp_path / "gauge.csv").write_text("time,level\n2026-01-01T00:00:00Z,high\n")
    with pytest.raises(UnusableWaterLevel, match="line 2"):
        load_survey(mission, {"depth": {"water_level": "gauge.csv"}})


def test_polygon_on_land_is_refused(mission):
    class Land:
        extent = Box((0, 0), (1, 1))

        def __call__(self, X):
            return X[:, 0] * float("nan")

    with pytest.raises(ConfigError, match="is the polygon on land"):
        check_bed(Land(), area_of(load_survey(mission).survey))


@pytest.mark.parametrize(("lines", "advice"), [(2, "or draw a smaller area"), (4, "or lower pilot.num_lines (now 4)")])
def test_a_budget_that_is_too_small_is_told_what_can_be_done(tmp_path, lines, advice):
    with pytest.raises(ConfigError) as refused:
        load_survey(write_pond(tmp_path, distance=100), {"pilot": {"num_lines": lines}})
    assert advice in str(refused.value)
