"""The report on a phone: it opens with the map, all of which is seen, and nothing is pushed sideways."""

from dataclasses import replace

import numpy as np
import pytest

from akrig.frame import LocalFrame
from akrig.plots.report import write_report
from tests.live.browsing import AXE, serious
from tests.plots.records import make_record

PHONE = {"width": 375, "height": 812}
SIDEWAYS = """() => [...document.querySelectorAll('body, body *')].filter(each =>
    each.scrollWidth > each.clientWidth + 1 && !['visible', 'clip'].includes(getComputedStyle(each).overflowX)
).map(each => each.className || each.tagName)"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Of a survey, and of two missions side by side."""
    folder = tmp_path_factory.mktemp("reports")
    attentive, rbf = make_record("attentive"), make_record("rbf")
    frame = LocalFrame(8.55, 47.3)
    corners = np.array([[100.0, 100.0], [4900.0, 100.0], [4900.0, 3900.0], [100.0, 3900.0]])
    area = {"name": "lake", "fence": frame.to_degrees(corners).tolist(), "home": [8.56, 47.305]}
    settings = {**attentive.settings, "survey": {"area": area}, "frame": {"longitude": 8.55, "latitude": 47.3}}
    survey = replace(attentive, settings=settings, quantity="depth", snapshots=attentive.snapshots[:3])
    notices = [{"event": "notice", "time": 718129.0, "level": "info", "message": "The boat is at home. " * 5}]
    survey = replace(survey, notices=notices)
    write_report([survey], folder / "survey.html")
    write_report([replace(record, snapshots=[]) for record in (attentive, rbf)], folder / "both.html")
    return folder


@pytest.fixture
def opened(chromium, reports):
    contexts = []

    def begin(name, *, scheme="light", **viewport):
        contexts.append(chromium.new_context(viewport=viewport or PHONE, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.goto((reports / name).as_uri())
        return page

    yield begin
    for context in contexts:
        context.close()


@pytest.mark.parametrize("name", ["survey.html", "both.html"])
def test_nothing_is_pushed_sideways_on_a_phone(opened, name):
    page = opened(name)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate(SIDEWAYS) == []
    for image in page.locator("img").all():
        box = image.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]


def test_the_first_picture_is_the_prediction_and_it_is_on_the_first_screen(opened):
    page = opened("survey.html")
    first = page.locator("img").first
    assert (first.get_attribute("alt") or "").startswith("Prediction")
    box = first.bounding_box()
    assert box is not None
    assert box["width"] > 300
    assert box["y"] + box["height"] / 2 < PHONE["height"]
    assert page.locator("img").nth(1).bounding_box()["y"] >= box["y"] + box["height"]


def test_on_a_laptop_prediction_and_uncertainty_stand_side_by_side(opened):
    page = opened("survey.html", width=1280, height=800)
    left, right = (page.locator("img").nth(n).bounding_box() for n in (0, 1))
    assert left["x"] + left["width"] < right["x"]
    assert left["y"] == pytest.approx(right["y"], abs=2)


def test_a_phone_gets_narrow_figures_and_a_laptop_wide_ones(opened):
    for width, is_narrow in ((375, True), (1280, False)):
        page = opened("both.html", width=width, height=800)
        shape = page.locator("img[alt^=Calibration]").evaluate("i => i.naturalHeight / i.naturalWidth")
        assert (shape > 1.2) == is_narrow


@pytest.mark.skipif(not AXE.exists(), reason="axe is not installed")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (820, 1180), (1440, 900)])
@pytest.mark.parametrize("name", ["survey.html", "both.html"])
def test_nothing_serious_is_in_a_blind_readers_way(opened, name, width, height, scheme):
    page = opened(name, scheme=scheme, width=width, height=height)
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert serious(page) == []


def test_on_the_water_the_clock_takes_no_more_room_than_it_needs(opened):
    for width in (375, 1280):
        page = opened("survey.html", width=width, height=800)
        when = page.locator(".events th").first.bounding_box()
        assert when is not None
        assert when["width"] < 140
